"""The errors of a chat, by what they say about the write.

    NotWrittenError
    ├─ ConflictError
    │  ├─ PromptChangedError   somebody else changed the prompt tree
    │  ├─ SendRunningError     a send is running in this conversation
    │  └─ TurnDoneError        the turn to resume is done, or another turn took its place
    └─ NoModelError            no usable model is configured
    WrittenError               something may be recorded: go on with a send without content
    ├─ LeaseLostError          another send took over
    ├─ TurnFailedError         the content is recorded or queued, but the turn did not finish
    └─ ProviderError           the model could not be reached, refused the request, or broke off

`messagelog.errors` has the classes above them.
"""

from __future__ import annotations

from messagelog.errors import ConflictError, NotWrittenError, WrittenError


class PromptChangedError(ConflictError):
    """Somebody else changed the prompt tree after it was read.

    Attributes:
        version: The version that the tree has now.
    """

    def __init__(self, version: int) -> None:
        super().__init__(version)
        self.version = version

    def __str__(self) -> str:
        return (
            f"the prompt tree was changed by somebody else and has version {self.version}; nothing was written: "
            "read it again and repeat your change"
        )


class SendRunningError(ConflictError):
    """A send is running in this conversation, or its chat was just cleared: try again later."""

    def __str__(self) -> str:
        return "a send is running in this conversation, or its chat was just cleared; nothing was written, try later"


class TurnDoneError(ConflictError):
    """The turn to resume is done, or another turn was begun in its place."""

    def __str__(self) -> str:
        return "the turn is done, or another turn was begun in its place; nothing was written"


class NoModelError(NotWrittenError):
    """No usable model is configured for chats. The text says which setting to change."""


class LeaseLostError(WrittenError):
    """A send was so slow that its lease expired, and another send took over. Its earlier messages stay in the log."""

    def __str__(self) -> str:
        return "another send took over and goes on; everything recorded before that is in the log"


class TurnFailedError(WrittenError):
    """The content is in the chat or in its queue, but the turn was not started or did not finish.

    Do not send the content again: go on with a send without content. The `__cause__` is the error that ended the turn.
    """


class ProviderError(WrittenError):
    """The model's provider could not be reached, refused the request, or broke off in the middle of a reply.

    Everything that the send recorded before is in the log; the broken reply is not. Go on with a send without content.

    Args:
        reason: The text of the error. It holds nothing of the conversation, so the provider's own words are left out.
        status: The HTTP status of the provider's answer; None without an answer.
        code: The cause for log lines: the provider's error code, its finish reason, or the class of the SDK's error.
    """

    def __init__(self, reason: str, status: int | None = None, code: str = "") -> None:
        super().__init__(reason, status, code)
        self.reason = reason
        self.status = status
        self.code = code

    def __str__(self) -> str:
        return self.reason
