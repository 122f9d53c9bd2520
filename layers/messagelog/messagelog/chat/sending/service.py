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
_LONGEST_LEASE = 86_400  # a day, above which a send that was killed would hold up the next one for good


@dataclass(frozen=True, slots=True)
class ChatConfig:
    """How a chat is set up.

    `system_prompt` is a flat text that replaces the prompt tree in `get_system()`, if it is not empty.
    `system_prompt_dir` holds prompt files, `hooks_dir` JSON hooks. Of the rounds in which the model calls tools,
    `max_tool_call_rounds` are run in a send, and as many again each time that a hook has the model asked anew.
    `lease_seconds` is how long a send whose process was killed holds up the next one. Raises ValueError for numbers
    that make no sense.
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
    """Sends what a chat holds to a model, and records what comes back.

    Everything durable is in the chat's log and state; tools, hooks and what was loaded by `init` belong to this object.
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
        """The chat."""
        return self._chat

    def queue(self) -> MessageQueue:
        """The queue that the next send takes in. Safe to write to while a send is running."""
        return self._queue

    def tools(self) -> ToolSuite:
        """The tools that the model may call."""
        return self._tools

    def hook(self) -> HookBuilder:
        """Begins a hook, as `Chat.hook` does: on messages, on the stream of a reply, or on tools."""
        return self._chat.hook()

    def init(self) -> None:
        """Loads prompt files and JSON hooks: once, until `clear`. The first `send` does it."""
        with self._initialising:  # two sends may begin at once here, of which the lease refuses one only later
            if self._is_initialised:
                return
            self.load_prompt_files()
            if self._config.hooks_dir is not None:
                self._json_hooks.load(Path(self._config.hooks_dir))
            self._is_initialised = True

    def load_prompt_files(self) -> None:
        """Puts each `.md` and `.txt` file of `system_prompt_dir` into `general`, under its name without the extension.

        A container that has the name gives way. A folder that does not exist has none. Raises ValueError for a file
        that is no UTF-8 text.
        """
        prompts = dict(_prompt_files(self._config.system_prompt_dir))

        def put(root: PromptContainer) -> None:
            for name, text in prompts.items():
                root.child(GENERAL).prompt(name, replace=True).set_content(text)

        if prompts:
            self._chat.prompt_store.update(put)

    def reset_tutorials(self) -> None:
        """Puts the tutorials of the tools into the prompt tree again, after `chat().clear()`."""
        self._tools.reset_tutorials()

    def send(self, content: str | None = None) -> list[StoredMessage]:
        """Has the model answer, and returns what this has added to the log, in order.

        Takes in what is in the queue by now, then `content` as the user's message; asks the model, runs the tools it
        calls, and goes on until it stops. Everything is recorded as it happens. Without `content` it goes on from the
        log: so after an error, which leaves there what was done before it. The model is asked in any case, also where
        nothing new has come since it spoke last; `resume` leaves that out.

        Raises SendRunningError if another send is running; LeaseLostError if one took this one's place because its
        lease ran out; ProviderError; OnAppendError if a hook raised, once the turn is done; and what the log raises,
        though as TurnFailedError once `content` is recorded, so that nobody says it again.
        """
        message = None if content is None else drafts.admit(drafts.user(content))
        return self._do(lambda turn: turn.run(message))

    def resume(self, holder: str) -> list[StoredMessage]:
        """Does the turn for which a `holder` has taken the chat's lease: to its end, and once.

        So it may be called blindly, again and again. Asks the model only if something waits for its answer. Returns and
        raises what `send` does without content, and TurnDoneError if there is nothing left of the turn to be done.
        """
        return self._do(Turn.resume, holder)

    def _do(self, run: Callable[[Turn], None], turn_of: str | None = None) -> list[StoredMessage]:
        self.init()  # it may fail, and a lease taken before would have put this turn in the place of an open one
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
        """Ends the request that a send of this object is running; its reply is dropped, and that send returns.

        With `resend` it asks again instead, with what is in the queue by then: ten times at most in a send, which then
        returns. Without, what `queue_resend` has asked for is left out. Takes effect at the next event of the reply, or
        before the next tool, whose call stays open. Does nothing if no send is running.
        """
        if turn := self._turn:
            turn.interrupt(resend)

    def queue_resend(self) -> None:
        """Has the send that is running ask again when the model has stopped, with what is in the queue by then.

        Ten times at most in a send, with those of `interrupt`: more is left out.
        """
        if turn := self._turn:
            turn.resend()

    def clear(self) -> None:
        """Begins anew: the chat is cleared, no hooks and no tools are left, and the next send runs `init` again.

        What is in the queue stays. Raises SendRunningError while a send is running.
        """
        self._chat.clear()
        self._chat.hooks.clear()
        self._json_hooks.clear()
        self._tools.clear()
        self._is_initialised = False


def _prompt_files(folder: str | PathLike[str] | None) -> Iterator[tuple[str, str]]:
    """The name without its extension, and the text, of each prompt file, by their names."""
    if folder is None or not Path(folder).is_dir():
        return
    for file in sorted(Path(folder).iterdir()):
        if file.suffix in _PROMPT_FILES and file.is_file():
            try:
                yield file.stem, file.read_text(encoding="utf-8-sig").rstrip("\r\n")
            except UnicodeDecodeError:
                raise ValueError(f"{file} is no UTF-8 text: save it as such, or take it out of the folder") from None
