"""Public bug reports about concurrent writers. Each test names its sources, and asserts the right behaviour."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat

import pytest
from messagelog import MessageLog, StorageUnavailableError
from messagelog.dynamodb import DynamoDBStorage

from tests.support.faulty import LostReply, Meanwhile, Ok, Outcome, cancelled, in_progress
from tests.support.tables import PATIENT, Table

WRITE = "TransactWriteItems"


def test_concurrent_writers_never_overwrite_each_other(on_ministack: Table) -> None:
    """https://github.com/aws-solutions-library-samples/accelerated-intelligent-document-processing-on-aws/issues/1098,
    https://github.com/open-webui/open-webui/issues/28742
    """
    storage = DynamoDBStorage("c1", table=on_ministack.name, client=on_ministack.faulty.client, retry=PATIENT)

    def write(number: int) -> int:
        return MessageLog(storage).add("user", f"w{number}")

    with ThreadPoolExecutor(20) as pool:
        seqs = list(pool.map(write, range(1, 21)))
    messages = on_ministack.other().all()
    assert [message.seq for message in messages] == sorted(seqs) == list(range(1, 21))
    assert [messages[seq - 1].content for seq in seqs] == [f"w{number}" for number in range(1, 21)]
    assert on_ministack.other().count() == 20


@pytest.mark.parametrize(
    ("faults", "then"),
    [
        ([cancelled("ConditionalCheckFailed", "None")], ["GetItem", WRITE, "GetItem", WRITE]),
        (repeat(cancelled("None", "ValidationError")), ["GetItem", WRITE]),
        ([cancelled("ThrottlingError", "None")], ["GetItem", WRITE, WRITE]),
        (repeat(cancelled("None", "ItemCollectionSizeLimitExceeded")), ["GetItem", WRITE]),
    ],
    ids=["condition", "validation", "throttling", "collection size"],
)
def test_each_cancellation_reason_gets_the_right_answer(
    on_moto: Table, faults: Iterable[Outcome], then: list[str]
) -> None:
    """https://github.com/aws-samples/sample-voice-of-customer-datalake/pull/350,
    https://github.com/antiwork/gumroad/pull/7454
    """
    log = on_moto.log()
    on_moto.faulty.script(WRITE, faults)
    written = isinstance(faults, list)
    if written:
        assert log.add("user", "x") == 1
    else:
        with pytest.raises(StorageUnavailableError):
            log.add("user", "x")
    assert on_moto.faulty.operations == then
    assert on_moto.other().count() == written


def test_a_client_token_belongs_to_one_exact_transaction(on_moto: Table) -> None:
    """https://github.com/aws/aws-sdk/issues/413, https://github.com/aws/aws-sdk-go-v2/issues/1900,
    https://github.com/floci-io/floci/issues/799
    """
    log, other = on_moto.log(), on_moto.other()
    on_moto.faulty.script(WRITE, [Meanwhile(lambda: other.add("user", "theirs")), Ok()])
    assert log.add("user", "mine") == 2
    assert on_moto.tokens() == ["a", "b"]
    assert [(m.seq, m.content) for m in log.all()] == [(1, "theirs"), (2, "mine")]


def test_an_append_waits_for_a_transaction_in_progress(on_ministack: Table) -> None:
    """https://github.com/aws/aws-sdk-java-v2/issues/2518, https://github.com/pynamodb/PynamoDB/issues/808"""
    log = on_ministack.log()
    on_ministack.faulty.script(WRITE, [LostReply(), in_progress(), Ok()])
    assert log.add("user", "x") == 1
    assert on_ministack.tokens() == ["a", "a", "a"]
    assert [(m.seq, m.content) for m in on_ministack.other().all()] == [(1, "x")]
