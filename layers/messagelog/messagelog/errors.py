"""All errors of MessageLog, grouped by what they say about the write.

    MessageLogError
    ├─ NotWrittenError                nothing was written
    │  ├─ CodecError                  the message cannot be stored and read back equal
    │  ├─ MessageTooLargeError        no reply could carry the message
    │  ├─ ConflictError               other writers kept winning
    │  │  ├─ ExpectedCountError       the log no longer holds the expected number of messages
    │  │  └─ IdempotencyMismatchError the key was used before, for other content
    │  ├─ ThrottledError              DynamoDB throttled the request
    │  └─ StorageUnavailableError     the storage could not be reached, or refused the request
    ├─ UnknownOutcomeError            the write may or may not have happened
    └─ WrittenError                   something may be recorded: go on from the log
       └─ OnAppendError               the messages are stored, but a callback raised

`messagelog.chat.errors` adds the errors of a chat below the same three classes.

No error text holds message content, except that of a CodecError: its path may hold a key of a tool call's args. Show
that path to the caller, and keep it out of logs.
"""


class MessageLogError(Exception):
    """Base of all errors in this module.

    `code` names the cause for a log line: the error code of DynamoDB, Lambda or botocore (`AccessDeniedException`), the
    environment variable to set, or `MessagesMissing`. It is empty if there is none, and never holds content.
    """

    code: str = ""


class NotWrittenError(MessageLogError):
    """Nothing was written. It is safe to try again once the cause is gone."""


class WrittenError(MessageLogError):
    """Something may be recorded already. Do not repeat the call: read the log and go on from there."""


class CodecError(NotWrittenError, ValueError):
    """The value cannot be stored and read back equal.

    `path` names the place of the fault as in the JSON form (`toolCalls[0].args.score`); it is empty for the message
    itself. `reason` says what is wrong there.
    """

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(path, reason)
        self.path = path
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}" if self.path else self.reason


class MessageTooLargeError(NotWrittenError):
    """No reply could carry the message, so the append was refused; or a read met such a message."""


class ConflictError(NotWrittenError):
    """Other writers of the same conversation kept winning: try again."""


class ExpectedCountError(ConflictError):
    """The log does not hold the expected number of messages. `count` is the number it holds."""

    def __init__(self, count: int) -> None:
        super().__init__(count)
        self.count = count

    def __str__(self) -> str:
        return f"the count of the log is {self.count}: read the new messages, then append with that count"


class IdempotencyMismatchError(ConflictError):
    """The idempotency key was used before for other content."""

    def __str__(self) -> str:
        return "this idempotency key was used before, for other content; nothing was written: use a new key"


class ThrottledError(NotWrittenError):
    """DynamoDB kept throttling the request: try again later."""


class StorageUnavailableError(NotWrittenError):
    """The storage could not be reached, or it refused the request.

    `is_of_the_stack` is true if another try cannot help before somebody fixes a permission, a setting or the table.
    """

    def __init__(self, reason: str, *, is_of_the_stack: bool = False) -> None:
        super().__init__(reason)
        self.is_of_the_stack = is_of_the_stack


class UnknownOutcomeError(MessageLogError):
    """The request was sent and no answer came. Read the log before you try again."""


class OnAppendError(WrittenError):
    """A callback raised: `on_append`, or a hook of a chat. The messages are stored: do not append them again.

    `seqs` are the numbers of the stored messages; it is empty if a hook raised in a send that recorded nothing. The
    `__cause__` is the first error of a callback.
    """

    def __init__(self, seqs: tuple[int, ...]) -> None:
        super().__init__(seqs)
        self.seqs = seqs

    def __str__(self) -> str:
        if not self.seqs:
            return "a hook raised; nothing was stored"
        first, last = self.seqs[0], self.seqs[-1]
        return f"a callback raised after messages {first} to {last} were stored; do not append them again"
