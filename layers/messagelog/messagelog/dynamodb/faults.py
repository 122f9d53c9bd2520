"""What a failed DynamoDB request means: was it written, and is it worth another try?

Sources: "Error handling with DynamoDB" and "TransactWriteItems" in the DynamoDB developer guide and API reference. A
cancelled transaction carries a reason for each of its actions, and any of them may decide. What botocore raises itself
says by its class whether the request can have been sent (botocore/exceptions.py, httpsession.py).
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
    MessageLogError,
    StorageUnavailableError,
    ThrottledError,
    UnknownOutcomeError,
)

# Everything that a client call raises, and what is raised in place of one that comes too late.
FAILURES = (ClientError, BotoCoreError, ResponseParserError, OSError, OutOfTimeError)


class Meaning(Enum):
    """What to make of a failed request."""

    CONDITION = auto()  # a condition that decides did not hold; not written
    CONFLICT = auto()  # another transaction is working on the same items; not written
    THROTTLED = auto()  # not written
    UNREACHABLE = auto()  # could not be sent; not written
    UNKNOWN = auto()  # sent, and no answer that tells; a write may be done, or still be going on
    REFUSED = auto()  # the same request would always fail; not written
    LATE = auto()  # not sent, since its time had run out; not written


@dataclass(frozen=True, slots=True)
class Fault:
    """A failed request: its meaning and DynamoDB's name for it.

    `failed` holds, for each action whose condition did not hold, its place and the item that the answer carried.
    `resent`: the client sent the request before, or may have, and tells of the last time alone.
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
# No connection, or no credentials to be had for the signature.
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
    """The meaning of one of `FAILURES`.

    Of a transaction, the first `deciding` actions are those whose conditions may fail in the course of things.
    `resends`: the client may send a request several times before it raises. An answer itself says how often it did.
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
    if code in _THROTTLED:
        return Fault(Meaning.THROTTLED, code)
    if code in _CONFLICT:
        return Fault(Meaning.CONFLICT, code)
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    if code == "TransactionInProgressException" or status >= 500:
        return Fault(Meaning.UNKNOWN, code)
    return Fault(Meaning.REFUSED, code)


def _fault_of_reasons(reasons: list[Any], deciding: int) -> Fault:
    """A cancelled transaction: one reason that cannot change is enough to give up, and a condition that decides counts
    before what would pass by itself."""
    codes = [reason.get("Code") or "None" for reason in reasons]
    for code in codes:
        if code not in _PASSING:
            return Fault(Meaning.REFUSED, code)
    failed = {place: reasons[place].get("Item") for place, code in enumerate(codes) if code == _CONDITION}
    if not codes:  # nothing tells that the counter has moved, and only that would settle what was sent before
        return Fault(Meaning.CONFLICT, _CANCELLED)
    if any(place < deciding for place in failed):
        return Fault(Meaning.CONDITION, _CONDITION, failed)
    if throttled := _THROTTLED.intersection(codes):
        return Fault(Meaning.THROTTLED, throttled.pop())
    if conflict := _CONFLICT.intersection(codes):
        return Fault(Meaning.CONFLICT, conflict.pop())
    return Fault(Meaning.REFUSED, "a row beyond the counter")


def error_for(fault: Fault, *, unknown: bool = False) -> MessageLogError:
    """The error to raise once nobody tries again. `unknown`: a write was sent, and nothing since told its outcome."""
    error = _error_for(fault, unknown)
    error.code = fault.code
    return error


def _error_for(fault: Fault, unknown: bool) -> MessageLogError:
    if unknown:
        return UnknownOutcomeError(
            f"DynamoDB did not answer ({fault.code}): it may or may not be written; read the log before trying again"
        )
    if fault.meaning in (Meaning.CONDITION, Meaning.CONFLICT):
        return ConflictError("other writers of this conversation kept winning; nothing was written, try again")
    if fault.meaning is Meaning.THROTTLED:
        return ThrottledError(f"DynamoDB is throttling ({fault.code}); nothing was written, try again later")
    if fault.meaning is Meaning.REFUSED:
        remedy = f": {_REMEDIES[fault.code]}" if fault.code in _REMEDIES else ""
        reason = f"DynamoDB refused the request ({fault.code}); nothing was written{remedy}"
        return StorageUnavailableError(reason, is_of_the_stack=True)
    if fault.meaning is Meaning.LATE:
        return StorageUnavailableError(
            "no time was left to ask DynamoDB; nothing was written, try again, and what is large in parts"
        )
    return StorageUnavailableError(f"DynamoDB cannot be reached ({fault.code}); nothing was written, try again later")
