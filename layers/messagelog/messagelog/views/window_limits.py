"""The limits of a window, and the functions that count its messages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from messagelog.checks import check_number
from messagelog.messages import File, StoredMessage
from messagelog.views.arguments import as_text

_BYTES_A_TOKEN = 4
_TOKENS_A_FILE = 1_600


@dataclass(frozen=True, slots=True)
class WindowLimits:
    """The limits of a window.

    Attributes:
        last: The largest number of messages; None for no limit.
        max_tokens: The largest number of tokens; None for no limit. Reasoning counts as 0, because no view shows it.
        step: The start of the window moves once in this many messages. It is at most `last`.
        count_tokens: Counts the tokens of a text. By default a token is estimated at 4 bytes of UTF-8.
        count_file: Counts the tokens of a file. By default a file counts 1,600.

    Raises:
        ValueError: A limit is negative, or the step is not from 1 to `last`.
    """

    last: int | None = None
    max_tokens: int | None = None
    step: int = 1
    count_tokens: Callable[[str], int] | None = None
    count_file: Callable[[File], int] | None = None

    def __post_init__(self) -> None:
        for name, limit in (("last", self.last), ("max_tokens", self.max_tokens), ("step", self.step)):
            if limit is not None:
                check_number(name, limit)
        if self.step < 1 or (self.last and self.step > self.last):
            raise ValueError("step must be a whole number from 1 to last")

    @property
    def is_open(self) -> bool:
        """Whether the window is unlimited."""
        return self.last is None and self.max_tokens is None

    def tokens_of(self, message: StoredMessage) -> int:
        """Returns the tokens of everything in the message that a view may show."""
        if message.role == "reasoning":
            return 0
        text = message.content + "".join(call.name + as_text(call.args) for call in message.tool_calls)
        tokens = (self.count_tokens or _estimated)(text)
        if message.original is not None:
            tokens = max(tokens, _estimated(as_text(message.original.blocks)))
        return tokens + sum((self.count_file or _a_file)(file) for file in message.files)

    def beside(self, message: StoredMessage) -> WindowLimits:
        """Returns the limits that remain for the other messages of a window with this message."""
        last = None if self.last is None else max(0, self.last - 1)
        tokens = None if self.max_tokens is None else max(0, self.max_tokens - self.tokens_of(message))
        return replace(self, last=last, max_tokens=tokens, step=min(self.step, last or self.step))


def _estimated(text: str) -> int:
    return -(-len(text.encode()) // _BYTES_A_TOKEN)


def _a_file(_: File) -> int:
    return _TOKENS_A_FILE
