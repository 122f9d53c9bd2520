"""The errors of the Bedrock provider: each names its cause and holds nothing of the conversation."""

from __future__ import annotations

import threading

import pytest
from messagelog.chat.errors import NoModelError
from messagelog.chat.providers import ContentDelta
from messagelog.chat.providers.bedrock import BedrockProvider

from tests.support.bedrock_server import SECRET, STOP, TEXT, Bedrock, frame, refuses, streams


@pytest.mark.parametrize(
    ("status", "code"), [(400, "ValidationException"), (403, "AccessDeniedException"), (429, "ThrottlingException")]
)
def test_a_refusal_is_an_error_with_its_status(bedrock: Bedrock, status: int, code: str) -> None:
    error = bedrock.error(refuses(status, code))
    assert (error.status, str(error)) == (status, f"the provider answered {status} ({code})")


def test_a_missing_region_says_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", "none")
    with pytest.raises(NoModelError, match="set AWS_DEFAULT_REGION") as caught:
        BedrockProvider("amazon.nova-lite-v1:0")
    assert caught.value.code == "NoRegionError"


def test_an_error_in_mid_stream(bedrock: Bedrock) -> None:
    broken = frame("modelStreamErrorException", {"message": SECRET}, "exception")
    error = bedrock.error(streams([*TEXT, broken]))
    assert "modelStreamErrorException" in str(error)
    assert error.status is None


def test_a_cut_connection(bedrock: Bedrock) -> None:
    assert "connection" in str(bedrock.error(streams(TEXT, end=False)))


def test_a_reply_that_just_ends_has_no_finish(bedrock: Bedrock) -> None:
    assert bedrock.events(streams(TEXT)) == [ContentDelta("Ah"), ContentDelta("oy!")]


def test_a_server_that_falls_silent(bedrock: Bedrock) -> None:
    ending = threading.Event()
    try:
        assert "in time" in str(bedrock.error(streams(TEXT, wait=ending), read_timeout=0.2))
    finally:
        ending.set()


def test_a_reply_that_is_not_an_event_stream(bedrock: Bedrock) -> None:
    assert "connection" in str(bedrock.error(streams([b"<html>" * 20])))


def test_nobody_there() -> None:
    bedrock = Bedrock("http://127.0.0.1:1")
    assert "connection" in str(bedrock.error())


def test_a_request_that_cannot_be_made(bedrock: Bedrock) -> None:
    assert "ParamValidationError" in str(bedrock.error(options={"temperature": SECRET}))


@pytest.mark.parametrize(
    "broken",
    [
        frame("contentBlockStart", {"contentBlockIndex": 0, "start": {"toolUse": {"name": SECRET}}}),
        frame("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"toolUse": {}}}),
        frame("contentBlockDelta", {"contentBlockIndex": "x", "delta": {"toolUse": {"input": "{}"}}}),
        frame("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": 5}}),
        frame("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"reasoningContent": {"text": ["x"]}}}),
        frame("messageStop", {"stopReason": 5}),
        frame("messageStop", {"stopReason": "error"}),
    ],
)
def test_a_malformed_event_is_an_error_of_the_provider(bedrock: Bedrock, broken: bytes) -> None:
    assert bedrock.error(streams([*TEXT, broken, STOP])).code


def test_an_error_has_the_code_of_its_cause(bedrock: Bedrock) -> None:
    assert bedrock.error(refuses(429, "ThrottlingException")).code == "ThrottlingException"
    broken = frame("modelStreamErrorException", {"message": SECRET}, "exception")
    assert bedrock.error(streams([*TEXT, broken])).code == "modelStreamErrorException"
    assert bedrock.error(options={"temperature": SECRET}).code == "ParamValidationError"


def test_a_code_that_is_text_is_not_repeated(bedrock: Bedrock) -> None:
    assert bedrock.error(refuses(400, f"{SECRET}!")).code == "ClientError"
