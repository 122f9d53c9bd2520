"""What a failed DynamoDB request means: was it written, and is it worth another try?

Sources: "Error handling with DynamoDB" and "TransactWriteItems" in the DynamoDB developer guide and API reference. A
cancelled transaction carries a reason for each of its actions, and any of them may decide. If botocore
raises an error itself, the class of the error shows whether the request can have been sent (botocore/exceptions.py,
httpsession.py).
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

# All errors of a client call, and the error that replaces a call after the deadline.
FAILURES = (ClientError, BotoCoreError, ResponseParserError, OSError, OutOfTimeError)


class Meaning(Enum):
    """The meaning of a failed request."""

    CONDITION = auto()  # a deciding condition did not hold; not written
    CONFLICT = auto()  # another transaction is working on the same items; not written
    THROTTLED = auto()  # not written
    EXPIRED = auto()  # signed too long ago, as after a freeze; not written
    UNREACHABLE = auto()  # could not be sent; not written
    UNKNOWN = auto()  # sent, and the outcome is unknown; a write may be done, or still be running
    REFUSED = auto()  # the same request would always fail; not written
    LATE = auto()  # not sent, because its time had run out; not written


@dataclass(frozen=True, slots=True)
class Fault:
    """A failed request.

    Attributes:
        meaning: What it means.
        code: The error code of DynamoDB, or botocore's name for the error.
        failed: For each action whose condition did not hold, its place and the item that the answer carried.
        resent: Whether the client may have sent the request several times. The error is only about the last time.
    """

    meaning: Meaning
    code: str
    failed: Mapping[int, Mapping[str, Any] | None] = field(default_factory=dict)
    resent: bool = False

    @property
    def leaves_open(self) -> bool:
        """Whether a write may be done although it failed like this."""
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
# These are found before anything is sent.
_UNFIT = (
    boto.BaseEndpointResolverError,
    boto.EndpointProviderError,
    boto.NoCredentialsError,
    boto.NoRegionError,
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
    "NoRegionError": "set AWS_DEFAULT_REGION",
}


def fault_of(error: Exception, *, deciding: int = 0, resends: bool = False) -> Fault:
    """Returns the fault for one of the `FAILURES`.

    Args:
        error: The error.
        deciding: Of a transaction, the number of leading actions whose conditions may fail in normal operation.
        resends: Whether the client may send a request several times before it raises. An answer contains
            the number of sends.
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
    """Returns the fault of a cancelled transaction.

    A permanent reason is enough to give up. A deciding condition counts more than a temporary reason.
    """
    codes = [reason.get("Code") or "None" for reason in reasons]
    for code in codes:
        if code not in _PASSING:
            return Fault(Meaning.REFUSED, code)
    failed = {place: reasons[place].get("Item") for place, code in enumerate(codes) if code == _CONDITION}
    if not codes:  # the counter may not have moved, and only a moved counter shows the outcome of an earlier try
        return Fault(Meaning.CONFLICT, _CANCELLED)
    if any(place < deciding for place in failed):
        return Fault(Meaning.CONDITION, _CONDITION, failed)
    if throttled := _THROTTLED.intersection(codes):
        return Fault(Meaning.THROTTLED, throttled.pop())
    if conflict := _CONFLICT.intersection(codes):
        return Fault(Meaning.CONFLICT, conflict.pop())
    return Fault(Meaning.REFUSED, "a row beyond the counter")


def error_for(fault: Fault) -> NotWrittenError:
    """Returns the error for tries that end with this fault. Use it only if no earlier try can have been written."""
    error = _error_for(fault)
    error.code = fault.code
    return error


def unknown_outcome(code: str, reason: str | None = None) -> UnknownOutcomeError:
    """Returns the error for a write that was sent and whose outcome is unknown."""
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
