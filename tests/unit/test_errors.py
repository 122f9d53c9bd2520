"""The tree of errors, on which callers that catch them rely."""

from __future__ import annotations

import pickle

import messagelog
import pytest
from messagelog import (
    CodecError,
    ConflictError,
    ExpectedCountError,
    IdempotencyMismatchError,
    LeaseLostError,
    MessageLogError,
    MessageTooLargeError,
    NoModelError,
    NotWrittenError,
    OnAppendError,
    PromptChangedError,
    ProviderError,
    SendRunningError,
    StorageUnavailableError,
    ThrottledError,
    TurnDoneError,
    TurnFailedError,
    UnknownOutcomeError,
    WrittenError,
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
    PromptChangedError(3),
    SendRunningError(),
    TurnDoneError(),
    NoModelError("set CHAT_PROVIDER"),
    LeaseLostError(),
    ProviderError("refused", 400),
]


@pytest.mark.parametrize(
    ("error", "parent"),
    [
        (NotWrittenError, MessageLogError),
        (UnknownOutcomeError, MessageLogError),
        (WrittenError, MessageLogError),
        (CodecError, NotWrittenError),
        (MessageTooLargeError, NotWrittenError),
        (ConflictError, NotWrittenError),
        (ExpectedCountError, ConflictError),
        (IdempotencyMismatchError, ConflictError),
        (ThrottledError, NotWrittenError),
        (StorageUnavailableError, NotWrittenError),
        (PromptChangedError, ConflictError),
        (SendRunningError, ConflictError),
        (TurnDoneError, ConflictError),
        (NoModelError, NotWrittenError),
        (OnAppendError, WrittenError),
        (LeaseLostError, WrittenError),
        (TurnFailedError, WrittenError),
        (ProviderError, WrittenError),
    ],
)
def test_each_error_has_its_parent_in_the_tree(error: type[MessageLogError], parent: type[MessageLogError]) -> None:
    assert error.__bases__[0] is parent


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_every_error_says_whether_anything_was_written(error: MessageLogError) -> None:
    answers = [isinstance(error, answer) for answer in (NotWrittenError, UnknownOutcomeError, WrittenError)]
    assert answers.count(True) == 1


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_an_error_survives_pickling(error: MessageLogError) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert (str(copy), vars(copy)) == (str(error), vars(error))


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_every_error_is_public_and_has_a_text(error: MessageLogError) -> None:
    assert getattr(messagelog, type(error).__name__) is type(error)
    assert type(error).__name__ in messagelog.__all__
    assert str(error)


def test_the_code_is_empty_by_default_and_survives_pickling() -> None:
    error = StorageUnavailableError("refused")
    assert error.code == ""
    error.code = "AccessDeniedException"
    assert pickle.loads(pickle.dumps(error)).code == "AccessDeniedException"


def test_errors_carry_counts_seqs_and_paths() -> None:
    assert (ExpectedCountError(7).count, OnAppendError((3, 4, 5)).seqs) == (7, (3, 4, 5))
    assert "count of the log is 7" in str(ExpectedCountError(7))
    assert "3 to 5" in str(OnAppendError((3, 4, 5)))
    assert str(CodecError("", "must be an object")) == "must be an object"
