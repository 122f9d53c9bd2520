"""The tree of errors, as those who catch them rely on it."""

from __future__ import annotations

import pickle

import messagelog
import pytest
from messagelog import (
    CodecError,
    ConflictError,
    ExpectedCountError,
    IdempotencyMismatchError,
    MessageLogError,
    MessageTooLargeError,
    OnAppendError,
    StorageUnavailableError,
    ThrottledError,
    TurnFailedError,
    UnknownOutcomeError,
)

ERRORS = [
    CodecError("toolCalls[0].args.score", "is not a finite number"),
    MessageTooLargeError("too large"),
    ConflictError("others kept winning"),
    ExpectedCountError(7),
    IdempotencyMismatchError(),
    ThrottledError("throttled"),
    StorageUnavailableError("unreachable"),
    UnknownOutcomeError("no answer"),
    OnAppendError((3, 4, 5)),
    OnAppendError(()),
    TurnFailedError("go on"),
]


@pytest.mark.parametrize(
    ("error", "parent"),
    [
        (CodecError, MessageLogError),
        (MessageTooLargeError, MessageLogError),
        (ConflictError, MessageLogError),
        (ExpectedCountError, ConflictError),
        (IdempotencyMismatchError, ConflictError),
        (ThrottledError, MessageLogError),
        (StorageUnavailableError, MessageLogError),
        (UnknownOutcomeError, MessageLogError),
        (OnAppendError, MessageLogError),
        (TurnFailedError, MessageLogError),
    ],
)
def test_the_tree(error: type[MessageLogError], parent: type[MessageLogError]) -> None:
    assert error.__bases__[0] is parent


def test_what_may_be_written_is_not_caught_with_what_surely_is_not() -> None:
    for surely_not in (ConflictError, ThrottledError, StorageUnavailableError):
        assert not issubclass(UnknownOutcomeError, surely_not)
        assert not issubclass(OnAppendError, surely_not)
        assert not issubclass(TurnFailedError, surely_not)


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_an_error_crosses_processes_whole(error: MessageLogError) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert (str(copy), vars(copy)) == (str(error), vars(error))


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_every_error_is_public_and_says_something(error: MessageLogError) -> None:
    assert getattr(messagelog, type(error).__name__) is type(error)
    assert type(error).__name__ in messagelog.__all__
    assert str(error)


def test_a_code_crosses_processes_and_is_empty_where_nothing_gave_one() -> None:
    error = StorageUnavailableError("refused")
    assert error.code == ""
    error.code = "AccessDeniedException"
    assert pickle.loads(pickle.dumps(error)).code == "AccessDeniedException"


def test_what_they_carry() -> None:
    assert (ExpectedCountError(7).count, OnAppendError((3, 4, 5)).seqs) == (7, (3, 4, 5))
    assert "7 messages" in str(ExpectedCountError(7))
    assert "3 to 5" in str(OnAppendError((3, 4, 5)))
    assert str(CodecError("", "must be an object")) == "must be an object"
