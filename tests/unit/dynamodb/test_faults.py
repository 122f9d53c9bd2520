"""Each kind of failed request: whether it was written, whether to try again, and which error the caller gets."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from botocore import exceptions as boto
from botocore.exceptions import ClientError
from botocore.parsers import ResponseParserError
from messagelog import (
    ConflictError,
    MessageLogError,
    StorageUnavailableError,
    ThrottledError,
    UnknownOutcomeError,
)
from messagelog.dynamodb.faults import FAILURES, Fault, Meaning, error_for, fault_of, unknown_outcome
from messagelog.dynamodb.retry import OutOfTimeError

URL = "http://dynamodb"


def answer(code: str, status: int = 400, **members: Any) -> ClientError:
    response: Any = {
        "Error": {"Code": code, "Message": "the-users-own-words"},
        "ResponseMetadata": {"HTTPStatusCode": status},
        **members,
    }
    return ClientError(response, "TransactWriteItems")


def cancelled(*codes: str | None, **members: Any) -> ClientError:
    reasons = [{} if code is None else {"Code": code} for code in codes]
    if members:
        reasons[0].update(members)
    return answer("TransactionCanceledException", CancellationReasons=reasons)


@pytest.mark.parametrize(
    ("error", "meaning"),
    [
        (answer("ThrottlingException"), Meaning.THROTTLED),
        (answer("ThrottlingError"), Meaning.THROTTLED),
        (answer("Throttling"), Meaning.THROTTLED),
        (answer("ProvisionedThroughputExceededException"), Meaning.THROTTLED),
        (answer("RequestLimitExceeded"), Meaning.THROTTLED),
        (answer("ThrottlingException", 503), Meaning.THROTTLED),
        (answer("TransactionConflictException"), Meaning.CONFLICT),
        (answer("TransactionInProgressException"), Meaning.UNKNOWN),
        (answer("InternalServerError", 500), Meaning.UNKNOWN),
        (answer("ServiceUnavailable", 503), Meaning.UNKNOWN),
        (answer("502", 502), Meaning.UNKNOWN),
        (answer("InvalidSignatureException"), Meaning.EXPIRED),
        (answer("RequestTimeTooSkewed"), Meaning.EXPIRED),
        (answer("AccessDeniedException"), Meaning.REFUSED),
        (answer("ResourceNotFoundException"), Meaning.REFUSED),
        (answer("ValidationException"), Meaning.REFUSED),
        (answer("IdempotentParameterMismatchException"), Meaning.REFUSED),
        (answer("ExpiredTokenException"), Meaning.REFUSED),
        (boto.EndpointConnectionError(endpoint_url=URL), Meaning.UNREACHABLE),
        (boto.ConnectTimeoutError(endpoint_url=URL), Meaning.UNREACHABLE),
        (boto.ProxyConnectionError(proxy_url=URL), Meaning.UNREACHABLE),
        (boto.ReadTimeoutError(endpoint_url=URL), Meaning.UNKNOWN),
        (boto.ConnectionClosedError(endpoint_url=URL), Meaning.UNKNOWN),
        (boto.HTTPClientError(error="reset"), Meaning.UNKNOWN),
        (boto.ResponseStreamingError(error="cut"), Meaning.UNKNOWN),
        (ResponseParserError("cut"), Meaning.UNKNOWN),
        (ConnectionResetError(), Meaning.UNKNOWN),
        (TimeoutError(), Meaning.UNKNOWN),
        (boto.ChecksumError(checksum_type="crc32", expected_checksum=1, actual_checksum=2), Meaning.UNKNOWN),
        (boto.BotoCoreError(), Meaning.UNKNOWN),
        (boto.SSLError(endpoint_url=URL, error="reset"), Meaning.UNKNOWN),
        (boto.CredentialRetrievalError(provider="iam", error_msg="gone"), Meaning.UNREACHABLE),
        (boto.UnauthorizedSSOTokenError(), Meaning.UNREACHABLE),
        (OutOfTimeError(), Meaning.LATE),
        (boto.NoCredentialsError(), Meaning.REFUSED),
        (boto.NoRegionError(), Meaning.REFUSED),
        (boto.EndpointResolutionError(msg="no such region"), Meaning.REFUSED),
        (boto.ParamValidationError(report="the-users-own-words"), Meaning.REFUSED),
    ],
    ids=str,
)
def test_each_failed_request_has_a_meaning(error: Exception, meaning: Meaning) -> None:
    assert isinstance(error, FAILURES)
    assert fault_of(error).meaning is meaning


@pytest.mark.parametrize(
    ("codes", "deciding", "meaning"),
    [
        (("ConditionalCheckFailed", "None"), 1, Meaning.CONDITION),
        (("ConditionalCheckFailed", None), 1, Meaning.CONDITION),
        (("ConditionalCheckFailed", "ConditionalCheckFailed"), 1, Meaning.CONDITION),
        (("ConditionalCheckFailed", "TransactionConflict"), 1, Meaning.CONDITION),
        (("None", "ConditionalCheckFailed", "None"), 2, Meaning.CONDITION),
        (("None", "ConditionalCheckFailed"), 1, Meaning.REFUSED),
        (("None", "None", "ConditionalCheckFailed"), 2, Meaning.REFUSED),
        (("TransactionConflict", "None"), 1, Meaning.CONFLICT),
        (("None", "TransactionConflict"), 1, Meaning.CONFLICT),
        (("TransactionConflict", "ConditionalCheckFailed"), 1, Meaning.CONFLICT),
        (("ThrottlingError", "None"), 1, Meaning.THROTTLED),
        (("None", "None", "ProvisionedThroughputExceeded"), 1, Meaning.THROTTLED),
        (("TransactionConflict", "ThrottlingError"), 1, Meaning.THROTTLED),
    ],
)
def test_the_reasons_of_a_cancelled_transaction_have_a_meaning(
    codes: tuple[str | None, ...], deciding: int, meaning: Meaning
) -> None:
    assert fault_of(cancelled(*codes), deciding=deciding).meaning is meaning


PERMANENT = ("ValidationError", "ItemCollectionSizeLimitExceeded", "AccessDenied", "DuplicateItem", "SomethingNew")
PASSING = (
    "None",
    "ConditionalCheckFailed",
    "TransactionConflict",
    "ThrottlingError",
    "ProvisionedThroughputExceeded",
)


@pytest.mark.parametrize("permanent", PERMANENT)
@pytest.mark.parametrize("others", list(itertools.product(PASSING, repeat=2)), ids="-".join)
def test_one_permanent_reason_decides_at_any_place(permanent: str, others: tuple[str, str]) -> None:
    for place in range(3):
        codes = [*others[:place], permanent, *others[place:]]
        assert fault_of(cancelled(*codes), deciding=1) == Fault(Meaning.REFUSED, permanent)


def test_a_failed_condition_carries_the_item_that_it_found() -> None:
    head = {"count": {"N": "7"}}
    fault = fault_of(cancelled("ConditionalCheckFailed", "ConditionalCheckFailed", "None", Item=head), deciding=2)
    assert fault == Fault(Meaning.CONDITION, "ConditionalCheckFailed", {0: head, 1: None})


def test_a_cancellation_without_reasons_is_a_conflict() -> None:
    code = "TransactionCanceledException"
    assert fault_of(answer(code), deciding=1) == Fault(Meaning.CONFLICT, code)
    assert fault_of(cancelled(), deciding=1) == Fault(Meaning.CONFLICT, code)


@pytest.mark.parametrize("resends", [False, True])
@pytest.mark.parametrize(
    "error", [answer("ThrottlingException"), answer("AccessDeniedException"), cancelled("TransactionConflict")], ids=str
)
def test_an_answer_counts_how_often_the_request_was_sent(error: ClientError, *, resends: bool) -> None:
    once = fault_of(error, deciding=1, resends=resends)
    assert not once.leaves_open
    again = ClientError({**error.response, "ResponseMetadata": {"RetryAttempts": 1}}, error.operation_name)  # type: ignore[typeddict-item]
    assert fault_of(again, deciding=1, resends=resends).leaves_open
    assert fault_of(again, deciding=1, resends=resends).meaning is once.meaning


@pytest.mark.parametrize(
    ("error", "open_if_sent_before"),
    [
        (boto.ConnectTimeoutError(endpoint_url=URL), True),
        (boto.EndpointConnectionError(endpoint_url=URL), True),
        (boto.CredentialRetrievalError(provider="iam", error_msg="gone"), True),
        (boto.NoCredentialsError(), False),
        (boto.NoRegionError(), False),
        (boto.ParamValidationError(report="wrong"), False),
        (OutOfTimeError(), False),
    ],
    ids=str,
)
def test_a_client_that_resends_may_have_sent_it_before(error: Exception, *, open_if_sent_before: bool) -> None:
    assert not fault_of(error).leaves_open
    assert fault_of(error, resends=True).leaves_open is open_if_sent_before


@pytest.mark.parametrize(
    ("meaning", "kind"),
    [
        (Meaning.CONDITION, ConflictError),
        (Meaning.CONFLICT, ConflictError),
        (Meaning.THROTTLED, ThrottledError),
        (Meaning.UNREACHABLE, StorageUnavailableError),
        (Meaning.UNKNOWN, StorageUnavailableError),
        (Meaning.REFUSED, StorageUnavailableError),
        (Meaning.LATE, StorageUnavailableError),
        (Meaning.EXPIRED, StorageUnavailableError),
    ],
)
def test_each_meaning_raises_its_class_of_error(meaning: Meaning, kind: type[MessageLogError]) -> None:
    assert type(error_for(Fault(meaning, "code"))) is kind


def test_only_a_refusal_is_a_fault_of_the_stack() -> None:
    unavailable = {it: error_for(Fault(it, "code")) for it in Meaning}
    of_the_stack = [it for it, error in unavailable.items() if getattr(error, "is_of_the_stack", False)]
    assert of_the_stack == [Meaning.REFUSED]


def test_each_error_has_a_text() -> None:
    for meaning in Meaning:
        assert str(error_for(Fault(meaning, "code")))


def test_an_error_names_the_fault_and_what_to_do() -> None:
    assert str(error_for(fault_of(answer("ResourceNotFoundException")))) == (
        "DynamoDB refused the request (ResourceNotFoundException); nothing was written: "
        "check the name of the table and the region"
    )


@pytest.mark.parametrize("meaning", Meaning)
def test_an_error_carries_the_code_of_the_fault(meaning: Meaning) -> None:
    assert error_for(Fault(meaning, "SomethingException")).code == "SomethingException"


def test_an_unknown_outcome_carries_the_code_and_says_what_to_do() -> None:
    error = unknown_outcome("ReadTimeoutError")
    assert type(error) is UnknownOutcomeError
    assert error.code == "ReadTimeoutError"
    assert "read the log before trying again" in str(error)


@pytest.mark.parametrize(
    "error",
    [
        answer("ValidationException"),
        answer("InternalServerError", 500),
        cancelled("None", "ValidationError"),
        boto.ParamValidationError(report="the-users-own-words"),
    ],
    ids=str,
)
def test_dynamodbs_own_error_text_is_never_shown(error: Exception) -> None:
    fault = fault_of(error)
    assert "the-users-own-words" not in repr(error_for(fault)) + repr(unknown_outcome(fault.code))
