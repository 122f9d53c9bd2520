"""A chat with a model: its queue, tools, prompt files and JSON hooks, and `send`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from threading import Lock

from messagelog.chat import drafts
from messagelog.chat.chat import Chat
from messagelog.chat.hooks.builder import HookBuilder
from messagelog.chat.hooks.files import JsonHooks
from messagelog.chat.prompts.container import PromptContainer
from messagelog.chat.prompts.store import GENERAL
from messagelog.chat.providers import Provider
from messagelog.chat.queue import HookMessageWriter, MessageQueue
from messagelog.chat.sending.lease import HeldLease
from messagelog.chat.sending.tools import ToolSuite
from messagelog.chat.sending.turn import Turn
from messagelog.messages import StoredMessage

_PROMPT_FILES = (".md", ".txt")
_LONGEST_LEASE = 86_400  # a day: a longer lease of a killed send would block the chat for good


@dataclass(frozen=True, slots=True)
class ChatConfig:
    """The configuration of a chat service.

    Attributes:
        system_prompt: A flat text that replaces the prompt tree in `get_system()`, unless it is empty.
        system_prompt_dir: The folder with prompt files.
        hooks_dir: The folder with JSON hooks.
        max_tool_call_rounds: How many rounds of tool calls a send runs, at least 0. If a hook makes the send ask the
            model again, the count starts again.
        lease_seconds: If the process of a send is killed, the next send can begin after this time, at most a day. On
            DynamoDB, it is two seconds longer.

    Raises:
        ValueError: A number is out of range.
    """

    system_prompt: str | None = None
    system_prompt_dir: str | PathLike[str] | None = None
    hooks_dir: str | PathLike[str] | None = None
    max_tool_call_rounds: int = 10
    lease_seconds: float = 60

    def __post_init__(self) -> None:
        if type(self.max_tool_call_rounds) is not int or self.max_tool_call_rounds < 0:
            raise ValueError("max_tool_call_rounds must be a whole number, 0 or more")
        if not 0 < self.lease_seconds <= _LONGEST_LEASE:
            raise ValueError(f"lease_seconds must be more than 0, and {_LONGEST_LEASE} at most")


class ChatService:
    """Sends a chat to a model, and records the answers.

    The chat's log and state hold everything that is durable. Tools, hooks and loaded files belong to this object.

    Args:
        chat: The chat.
        provider: The model.
        config: See `ChatConfig`.
    """

    def __init__(self, chat: Chat, provider: Provider, config: ChatConfig = ChatConfig()) -> None:
        self._chat = chat
        self._provider = provider
        self._config = config
        self._queue = MessageQueue(chat.state)
        self._tools = ToolSuite(chat)
        self._json_hooks = JsonHooks(chat.hooks, HookMessageWriter(self._queue), self)
        self._initialising = Lock()
        self._is_initialised = False
        self._turn: Turn | None = None
        if config.system_prompt:
            chat.override_system(config.system_prompt)

    def chat(self) -> Chat:
        """Returns the chat."""
        return self._chat

    def queue(self) -> MessageQueue:
        """Returns the queue, which the next send drains. Messages may be queued while a send is running."""
        return self._queue

    def tools(self) -> ToolSuite:
        """Returns the tools that the model may call."""
        return self._tools

    def hook(self) -> HookBuilder:
        """Begins a hook on messages, on the stream of a reply, or on tools. See `Chat.hook`."""
        return self._chat.hook()

    def init(self) -> None:
        """Loads prompt files and JSON hooks, once until `clear`. The first `send` calls it."""
        with self._initialising:  # two sends may begin here at once; the lease refuses one of them later
            if self._is_initialised:
                return
            self.load_prompt_files()
            if self._config.hooks_dir is not None:
                self._json_hooks.load(Path(self._config.hooks_dir))
            self._is_initialised = True

    def load_prompt_files(self) -> None:
        """Puts each `.md` and `.txt` file of `system_prompt_dir` into `general`, under its name without the extension.

        A prompt file replaces a container that has its name. A folder that does not exist has no files.

        Raises:
            ValueError: A file is not UTF-8 text.
        """
        prompts = dict(_prompt_files(self._config.system_prompt_dir))

        def put(root: PromptContainer) -> None:
            for name, text in prompts.items():
                root.child(GENERAL).prompt(name, replace=True).set_content(text)

        if prompts:
            self._chat.prompt_store.update(put)

    def reset_tutorials(self) -> None:
        """Puts the tutorials of the tools back into the prompt tree after `chat().clear()`."""
        self._tools.reset_tutorials()

    def send(self, content: str | None = None) -> list[StoredMessage]:
        """Asks the model for an answer.

        It moves the messages of the queue to the log, adds `content` as a message of the user, asks the model, runs the
        tools that the model calls, and goes on until the model stops. Each message is recorded at once. So after an
        error, a send without content goes on from the log.

        The model is always asked. If the chat is empty or ends with the model's answer, a short user turn is added to
        the request and not recorded: see `messagelog.chat.sending.request`. `resume` does not ask in this case.

        Args:
            content: The user's message; None to go on without one.

        Returns:
            The messages that this send has added to the log, in order.

        Raises:
            SendRunningError: Another send is running.
            LeaseLostError: The lease ran out, and another send took over.
            ProviderError: The model failed.
            OnAppendError: The turn is done, but a hook raised.
            TurnFailedError: The log or the state failed after `content` was recorded. Do not send it again.
            MessageLogError: The log or the state failed before `content` was recorded.
        """
        message = None if content is None else drafts.admit(drafts.user(content))
        return self._do(lambda turn: turn.run(message))

    def resume(self, holder: str) -> list[StoredMessage]:
        """Runs the turn for which another process took the chat's lease. It is safe to call it several times.

        The turn is completed exactly once. The model is asked only if a message waits for its answer.

        Args:
            holder: The name under which the lease was taken.

        Returns:
            The messages that this call has added to the log, in order.

        Raises:
            TurnDoneError: The turn is done, or another turn took its place.
            MessageLogError: See `send` without content.
        """
        return self._do(Turn.resume, holder)

    def _do(self, run: Callable[[Turn], None], turn_of: str | None = None) -> list[StoredMessage]:
        self.init()  # first, because it may fail, and a new turn replaces an open one
        with HeldLease(self._chat.state, self._config.lease_seconds, turn=turn_of) as lease:
            rounds = self._config.max_tool_call_rounds
            turn = self._turn = Turn(self._chat, self._provider, self._tools, lease, max_rounds=rounds)
            try:
                run(turn)
            finally:
                self._turn = None
        turn.raise_for_hooks()
        return turn.recorded

    def interrupt(self, resend: bool = False) -> None:
        """Ends the running request of this object's send. Its reply is dropped, and the send returns.

        It takes effect at the next event of the reply, or before the next tool, whose call stays open. Without a
        running send it does nothing.

        Args:
            resend: Ask again, with the messages that are in the queue then, at most ten times in a send. If it is
                false, the model is not asked again, and an earlier `queue_resend` has no effect.
        """
        if turn := self._turn:
            turn.interrupt(resend)

    def queue_resend(self) -> None:
        """Makes the running send ask again after the model has stopped, with the messages that are in the queue then.

        A send asks again at most ten times, including the times that `interrupt` causes.
        """
        if turn := self._turn:
            turn.resend()

    def clear(self) -> None:
        """Clears the chat, its hooks and its tools. The next send runs `init` again. The queue stays.

        Raises:
            SendRunningError: A send is running.
        """
        self._chat.clear()
        self._chat.hooks.clear()
        self._json_hooks.clear()
        self._tools.clear()
        self._is_initialised = False


def _prompt_files(folder: str | PathLike[str] | None) -> Iterator[tuple[str, str]]:
    """Yields the name without extension and the text of each prompt file, sorted by name."""
    if folder is None or not Path(folder).is_dir():
        return
    for file in sorted(Path(folder).iterdir()):
        if file.suffix in _PROMPT_FILES and file.is_file():
            try:
                yield file.stem, file.read_text(encoding="utf-8-sig").rstrip("\r\n")
            except UnicodeDecodeError:
                raise ValueError(f"{file} is not UTF-8 text: save it as UTF-8, or remove it from the folder") from None
