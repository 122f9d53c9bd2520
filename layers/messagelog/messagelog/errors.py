"""Every error that MessageLog raises on purpose.

    MessageLogError
    ├─ CodecError                  the message cannot be stored and read back equal
    ├─ MessageTooLargeError        it does not fit
    ├─ ConflictError               other writers kept winning; not written
    │  ├─ ExpectedCountError       the log no longer holds the expected number of messages
    │  ├─ IdempotencyMismatchError the key was used before, for other content
    │  ├─ PromptChangedError       somebody else changed the chat's prompt tree
    │  └─ SendRunningError         the chat is sending; not written
    │     └─ LeaseLostError        another send took this one's place; what it recorded before stays
    │        └─ TurnDoneError      the turn to be resumed is done, or another took its place; not written
    ├─ ThrottledError              DynamoDB throttled the request; not written
    ├─ StorageUnavailableError     the storage could not be reached or refused; not written
    ├─ UnknownOutcomeError         the write may or may not have happened
    ├─ TurnFailedError             what was to be said is recorded or queued, but the turn came to no end
    ├─ OnAppendError               written, but a callback raised
    ├─ NoModelError                no model is configured that a chat could ask
    └─ ProviderError               the chat's model could not be reached, refused or broke off

No text of these errors holds message content but that of a CodecError, whose path may hold a key of a tool call's args:
show it to the caller and keep it out of logs.
"""


class MessageLogError(Exception):
    """Base of all errors in this module.

    `code` is the name for a log of what went wrong: that of DynamoDB, Lambda or botocore (`AccessDeniedException`), the
    environment variable to set, or `MessagesMissing`; empty if there is none. It never holds content.
    """

    code: str = ""


class CodecError(MessageLogError, ValueError):
    """The value cannot be stored and read back equal. Nothing was written.

    `path` names the fault as in the JSON form (`toolCalls[0].args.score`), empty for the message itself;
    `reason` says what is wrong there.
    """

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(path, reason)
        self.path = path
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}" if self.path else self.reason


class MessageTooLargeError(MessageLogError):
    """A message was refused that no reply could carry, and nothing was written; or a read met what no reply carries."""


class ConflictError(MessageLogError):
    """Other writers of the same conversation kept winning. Nothing was written: try again."""


class ExpectedCountError(ConflictError):
    """The log does not hold the expected number of messages. Nothing was written.

    `count` is the number it holds.
    """

    def __init__(self, count: int) -> None:
        super().__init__(count)
        self.count = count

    def __str__(self) -> str:
        return f"the log holds {self.count} messages: read what is new, then append with that count"


class IdempotencyMismatchError(ConflictError):
    """The idempotency key was used before, for other content. Nothing was written."""

    def __str__(self) -> str:
        return "this idempotency key was used before, for other content; nothing was written: use a new key"


class PromptChangedError(ConflictError):
    """Somebody else changed the prompt tree since it was read. Nothing was written. `version` is the one it has now."""

    def __init__(self, version: int) -> None:
        super().__init__(version)
        self.version = version

    def __str__(self) -> str:
        return f"the prompt tree was changed by somebody else and has version {self.version}: read it and change that"


class SendRunningError(ConflictError):
    """A send is running in this conversation, or its chat was just cleared. Nothing was written: try again later."""

    def __str__(self) -> str:
        return "a send is running in this conversation, or its chat was just cleared; nothing was written, try later"


class LeaseLostError(SendRunningError):
    """A send was so slow that its lease ran out, and another took its place. What it recorded before stays."""

    def __str__(self) -> str:
        return "another send took this one's place and goes on; what was recorded before is in the log"


class TurnDoneError(LeaseLostError):
    """The turn that was to be resumed is done, or another was begun in its place. Nothing was written by this."""

    def __str__(self) -> str:
        return "the turn is done, or another was begun in its place; nothing was written"


class ThrottledError(MessageLogError):
    """DynamoDB kept throttling. A write that raises this was surely not written: try again later."""


class StorageUnavailableError(MessageLogError):
    """The storage could not be reached, or refused. A write that raises this was surely not written.

    `is_of_the_stack`: not before somebody mends a permission, a setting or the table will another try help.
    """

    def __init__(self, reason: str, *, is_of_the_stack: bool = False) -> None:
        super().__init__(reason)
        self.is_of_the_stack = is_of_the_stack


class UnknownOutcomeError(MessageLogError):
    """The request was sent and no answer came: it may or may not be written. Read the log before you try again."""


class TurnFailedError(MessageLogError):
    """What was to be said is in the chat or in its queue, but the turn was not begun or came to no end.

    Do not say it again: go on with a send without content. The `__cause__` tells what failed.
    """


class OnAppendError(MessageLogError):
    """A callback raised: `on_append`, or a hook of a chat. The messages are stored: do not append them again.

    `seqs` are the numbers they got, none if a hook raised in a send that recorded nothing; the first error of a
    callback is the `__cause__`.
    """

    def __init__(self, seqs: tuple[int, ...]) -> None:
        super().__init__(seqs)
        self.seqs = seqs

    def __str__(self) -> str:
        if not self.seqs:
            return "a hook raised; nothing was stored"
        first, last = self.seqs[0], self.seqs[-1]
        return f"a callback raised after messages {first} to {last} were stored; do not append them again"


class NoModelError(MessageLogError):
    """No model is configured that a chat could ask. Nothing was written; the text says which variable to set."""


class ProviderError(MessageLogError):
    """The provider of a chat's model could not be reached, refused the request, or broke off in mid-reply.

    What a send had recorded before is in the log, and what broke off is not: go on with a send without content.
    `status` is the HTTP status that the provider answered, None if it answered none.
    """

    def __init__(self, reason: str, status: int | None = None) -> None:
        super().__init__(reason, status)
        self.reason = reason
        self.status = status

    def __str__(self) -> str:
        return self.reason
