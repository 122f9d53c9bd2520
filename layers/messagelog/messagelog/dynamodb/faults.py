"""What a failed DynamoDB request means: was it written, and is it worth another try?

Sources: "Error handling with DynamoDB" and "TransactWriteItems" in the DynamoDB developer guide and API reference. A
cancelled transaction carries a reason for each of its actions, and any of them may decide. The class of an error that
botocore raises itself says whether the request can have been sent (botocore/exceptions.py, httpsession.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from typing import Any

from botocore import exceptions as boto
from botocore.exceptions import BotoCoreError, ClientError
from botocore.parsers import ResponseParserError

from messagelog.dynamodb.retry import OutOfTimeError
from messagelog.errors import (
    ConflictError,
    NotWrittenError,
    StorageUnavailableError,
    ThrottledError,
    UnknownOutcomeError,
)

# Everything that a client call raises, and what is raised instead of a call that comes too late.
FAILURES = (ClientError, BotoCoreError, ResponseParserError, OSError, OutOfTimeError)


class Meaning(Enum):
    """What a failed request means."""

    CONDITION = auto()  # a condition that decides did not hold; not written
    CONFLICT = auto()  # another transaction is working on the same items; not written
    THROTTLED = auto()  # not written
    EXPIRED = auto()  # signed too long ago, as after a freeze; not written
    UNREACHABLE = auto()  # could not be sent; not written
    UNKNOWN = auto()  # sent, and no answer tells the outcome; a write may be done, or still be going on
    REFUSED = auto()  # the same request would always fail; not written
    LATE = auto()  # not sent, because its time had run out; not written


@dataclass(frozen=True, slots=True)
class Fault:
    """A failed request.

    Attributes:
        meaning: What it means.
        code: DynamoDB's or botocore's name for it.
        failed: For each action whose condition did not hold, its place and the item that the answer carried.
        resent: Whether the client sent the request before, or may have, and reports only the last time.
    """

    meaning: Meaning
    code: str
    failed: Mapping[int, Mapping[str, Any] | None] = field(default_factory=dict)
    resent: bool = False

    @property
    def leaves_open(self) -> bool:
        """Whether a write that failed like this may be done all the same."""
        return self.resent or self.meaning is Meaning.UNKNOWN


_THROTTLED = {
    "ProvisionedThroughputExceeded",
    "ProvisionedThroughputExceededException",
    "RequestLimitExceeded",
    "Throttling",
    "ThrottlingError",
    "ThrottlingException",
}
_CONFLICT = {"TransactionConflict", "TransactionConflictException"}
# The signature carries the time of this machine. After a freeze it may be stale; the next try is signed again.
_EXPIRED = {"InvalidSignatureException", "RequestExpired", "RequestTimeTooSkewed"}
_CONDITION = "ConditionalCheckFailed"
_CANCELLED = "TransactionCanceledException"
_PASSING = _THROTTLED | _CONFLICT | {"None", _CONDITION}
# Found before anything is sent, whatever the client does then.
_UNFIT = (
    boto.BaseEndpointResolverError,
    boto.EndpointProviderError,
    boto.NoCredentialsError,
    boto.ParamValidationError,
    boto.PartialCredentialsError,
)
# No connection, or no credentials for the signature.
_NOT_SENT = (
    boto.ConnectTimeoutError,
    boto.CredentialRetrievalError,
    boto.EndpointConnectionError,
    boto.MetadataRetrievalError,
    boto.ProxyConnectionError,
    boto.SSOError,
    boto.TokenRetrievalError,
)
_REMEDIES = {
    "AccessDeniedException": "give the caller's role access to the table and its key",
    "ResourceNotFoundException": "check the name of the table and the region",
    "NoCredentialsError": "configure AWS credentials",
    "NoRegionError": "set AWS_REGION",
}


def fault_of(error: Exception, *, deciding: int = 0, resends: bool = False) -> Fault:
    """Says what one of `FAILURES` means.

    Args:
        error: The error.
        deciding: Of a transaction, the number of leading actions whose conditions may fail in normal operation.
        resends: Whether the client may send a request several times before it raises. An answer says by itself how
            often it did.
    """
    if isinstance(error, ClientError):
        resent = error.response.get("ResponseMetadata", {}).get("RetryAttempts", 0) > 0
        return replace(_fault_of_answer(error, deciding), resent=resent)
    name = type(error).__name__
    if isinstance(error, OutOfTimeError):
        return Fault(Meaning.LATE, name)
    if isinstance(error, _UNFIT):
        return Fault(Meaning.REFUSED, name)
    if isinstance(error, _NOT_SENT):
        return Fault(Meaning.UNREACHABLE, name, resent=resends)
    return Fault(Meaning.UNKNOWN, name)


def _fault_of_answer(error: ClientError, deciding: int) -> Fault:
    code = error.response.get("Error", {}).get("Code", "")
    if code == _CANCELLED:
        return _fault_of_reasons(list(error.response.get("CancellationReasons", ())), deciding)
    for codes, meaning in ((_THROTTLED, Meaning.THROTTLED), (_CONFLICT, Meaning.CONFLICT), (_EXPIRED, Meaning.EXPIRED)):
        if code in codes:
            return Fault(meaning, code)
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    if code == "TransactionInProgressException" or status >= 500:
        return Fault(Meaning.UNKNOWN, code)
    return Fault(Meaning.REFUSED, code)


def _fault_of_reasons(reasons: list[Any], deciding: int) -> Fault:
    """A cancelled transaction. One reason that cannot change is enough to give up, and a condition that decides counts
    before what would pass by itself."""
    codes = [reason.get("Code") or "None" for reason in reasons]
    for code in codes:
        if code not in _PASSING:
            return Fault(Meaning.REFUSED, code)
    failed = {place: reasons[place].get("Item") for place, code in enumerate(codes) if code == _CONDITION}
    if not codes:  # nothing tells that the counter has moved, and only that would settle an earlier try
        return Fault(Meaning.CONFLICT, _CANCELLED)
    if any(place < deciding for place in failed):
        return Fault(Meaning.CONDITION, _CONDITION, failed)
    if throttled := _THROTTLED.intersection(codes):
        return Fault(Meaning.THROTTLED, throttled.pop())
    if conflict := _CONFLICT.intersection(codes):
        return Fault(Meaning.CONFLICT, conflict.pop())
    return Fault(Meaning.REFUSED, "a row beyond the counter")


def error_for(fault: Fault) -> NotWrittenError:
    """The error to raise when the tries end with this fault, and no earlier try may have been written."""
    error = _error_for(fault)
    error.code = fault.code
    return error


def unknown_outcome(code: str, reason: str | None = None) -> UnknownOutcomeError:
    """The error of a write that was sent, and whose outcome nothing has told since."""
    error = UnknownOutcomeError(
        reason or f"DynamoDB did not answer ({code}): it may or may not be written; read the log before trying again"
    )
    error.code = code
    return error


def _error_for(fault: Fault) -> NotWrittenError:
    code = fault.code
    match fault.meaning:
        case Meaning.CONDITION | Meaning.CONFLICT:
            return ConflictError("other writers of this conversation kept winning; nothing was written, try again")
        case Meaning.THROTTLED:
            return ThrottledError(f"DynamoDB is throttling ({code}); nothing was written, try again later")
        case Meaning.EXPIRED:
            reason = "nothing was written: check the credentials, and the clock of this machine"
            return StorageUnavailableError(f"DynamoDB refused the signature ({code}); {reason}")
        case Meaning.REFUSED:
            remedy = f": {_REMEDIES[code]}" if code in _REMEDIES else ""
            reason = f"DynamoDB refused the request ({code}); nothing was written{remedy}"
            return StorageUnavailableError(reason, is_of_the_stack=True)
        case Meaning.LATE:
            reason = "nothing was written; try again, and send a large batch in parts"
            return StorageUnavailableError(f"no time was left to ask DynamoDB; {reason}")
    return StorageUnavailableError(f"DynamoDB cannot be reached ({code}); nothing was written, try again later")
