"""After any sequence of faults, the result of an append says the truth about the write.

Moto ignores client tokens and takes a transaction that is sent again for a new one. DynamoDB does the same if a machine
sleeps for ten minutes between two tries. So no sequence here relies on a token or on a clock.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any

import pytest
from messagelog import (
    AgentMessage,
    ExpectedCountError,
    IdempotencyMismatchError,
    MessageLog,
    MessageLogError,
    NotWrittenError,
    UnknownOutcomeError,
)

from tests.support.faulty import (
    LostReply,
    LostRequest,
    Meanwhile,
    Ok,
    Outcome,
    Unreachable,
    cancelled,
    in_progress,
    refused,
    server_error,
    throttled,
)
from tests.support.tables import Table

SEEDS = 40
SEQUENCES = 12


def sequence(rng: random.Random, other: MessageLog, numbers: Iterator[int]) -> Iterator[Outcome]:
    """The outcomes of the first writes, at most five. All writes after them succeed."""
    faults: Sequence[Outcome] = (
        Ok(),
        LostReply(),
        LostReply(),
        LostRequest(),
        Unreachable(),
        Meanwhile(lambda: other.add("user", f"other {next(numbers)}")),
        throttled(),
        server_error(),
        in_progress(),
        cancelled("TransactionConflict", "None"),
        cancelled(),
        refused("AccessDeniedException"),
        refused("InvalidSignatureException"),
    )
    for _ in range(rng.randrange(1, 6)):
        yield rng.choice(faults)


def reads(rng: random.Random) -> Iterator[Outcome]:
    """The outcomes of the reads: most succeed, or all but the first fail."""
    if rng.random() < 0.3:
        return iter([Ok(), *[Unreachable()] * 99])
    return iter([rng.choice([Ok(), Ok(), throttled(), LostReply()]) for _ in range(9)])


@pytest.mark.parametrize("seed", range(SEEDS))
def test_an_append_tells_the_truth_about_the_write(on_moto: Table, seed: int) -> None:
    rng, numbers = random.Random(seed), count()
    other = on_moto.other()
    for number in range(SEQUENCES):
        log = on_moto.log()
        before = other.count()
        batch = [AgentMessage("user", f"{seed}.{number}.{part}") for part in range(rng.choice([1, 1, 3, 101]))]
        how: dict[str, Any] = rng.choice(
            [{}, {"idempotency_key": f"k{number}"}, {"expected_count": before}, {"expected_count": before + 1}]
        )
        on_moto.faulty.script("TransactWriteItems", sequence(rng, other, numbers))
        on_moto.faulty.script("GetItem", reads(rng))
        check(other, batch, outcome(log, batch, how))


def outcome(log: MessageLog, batch: Sequence[AgentMessage], how: dict[str, Any]) -> int | MessageLogError:
    try:
        return log.append_many(batch, **how)
    except MessageLogError as error:
        return error


def check(log: MessageLog, batch: Sequence[AgentMessage], result: int | MessageLogError) -> None:
    """Compares the result of an append with the log as another process reads it."""
    messages = log.all()
    assert [message.seq for message in messages] == list(range(1, len(messages) + 1))
    sent = {message.content for message in batch}
    seqs = [message.seq for message in messages if message.content in sent]
    assert len(seqs) in (0, len(batch)), "a batch is stored whole and once"
    if isinstance(result, int):
        assert seqs == list(range(result - len(batch) + 1, result + 1))
    elif isinstance(result, NotWrittenError):
        assert seqs == [], result
    else:
        assert isinstance(result, UnknownOutcomeError)


@pytest.mark.parametrize("size", [1, 3, 130], ids=["one", "a batch", "a segment"])
@pytest.mark.parametrize("how", [{}, {"idempotency_key": "k"}, {"expected_count": 1}], ids=str)
def test_a_forgotten_token_doubles_nothing(on_moto: Table, size: int, how: dict[str, Any]) -> None:
    log = on_moto.warm_log()
    batch = [AgentMessage("user", f"m{number}") for number in range(size)]
    on_moto.faulty.script("TransactWriteItems", [LostReply(), Ok()])
    assert log.append_many(batch, **how) == 1 + size
    assert on_moto.other().count() == 1 + size


def test_a_forgotten_token_is_found_after_others_have_appended(on_moto: Table) -> None:
    called: list[int] = []
    log = MessageLog(on_moto.storage(), lambda message: called.append(message.seq))
    log.add("user", "first")
    other = on_moto.other()
    on_moto.faulty.script("TransactWriteItems", [LostReply(), Meanwhile(lambda: other.add("user", "faster"))])
    assert log.add("user", "second") == 2
    assert [message.content for message in log.all()] == ["first", "second", "faster"]
    assert called == [1, 2]
    assert log.add("user", "last") == 4


@pytest.mark.parametrize("error", [IdempotencyMismatchError, ExpectedCountError])
def test_an_unknown_outcome_ends_with_a_proof(on_moto: Table, error: type[MessageLogError]) -> None:
    log, other = on_moto.warm_log(), on_moto.other()
    key = "k" if error is IdempotencyMismatchError else None
    faster = Meanwhile(lambda: other.add("user", "faster", idempotency_key=key))
    on_moto.faulty.script("TransactWriteItems", [LostRequest(), faster])
    with pytest.raises(error):
        log.append({"role": "user", "content": "second"}, expected_count=None if key else 1, idempotency_key=key)
