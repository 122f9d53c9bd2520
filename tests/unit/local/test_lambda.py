"""The local stand-in for Lambda's API takes what boto3 sends, and tries as often as Lambda does."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import boto3
import pytest

from local.lambda_api import LambdaApi
from local.template import Function


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Callable[[object], LambdaApi]:
    """`serve(handler)`: the API with one function, `F`, that tries again at once."""

    def start(handler: object) -> LambdaApi:
        module = ModuleType("stand_in")
        module.__dict__["handler"] = handler
        monkeypatch.setitem(sys.modules, "stand_in", module)
        return LambdaApi([Function("F", "stand_in", "handler", Path(), {}, timeout=3, memory=128)], waits=(0, 0))

    return start


def client(api: LambdaApi) -> Any:
    return boto3.client(
        "lambda",
        endpoint_url=api.endpoint,
        region_name="us-east-1",
        aws_access_key_id="local",
        aws_secret_access_key="local",
    )


def test_a_function_is_invoked_in_the_background(serve: Callable[[object], LambdaApi]) -> None:
    events: list[object] = []
    api = serve(lambda event, context: events.append((event, context.function_name)))
    reply = client(api).invoke(FunctionName="F", InvocationType="Event", Payload='{"a": "é😀"}'.encode())
    assert reply["StatusCode"] == 202
    api.join()
    assert events == [({"a": "é😀"}, "F")]


@pytest.mark.parametrize(("failures", "tries"), [(0, 1), (1, 2), (2, 3), (9, 3)])
def test_a_function_that_fails_is_tried_three_times(
    serve: Callable[[object], LambdaApi], capsys: pytest.CaptureFixture[str], failures: int, tries: int
) -> None:
    events: list[object] = []

    def handler(event: object, context: object) -> None:
        events.append(event)
        if len(events) <= failures:
            raise OSError("no such luck")

    api = serve(handler)
    client(api).invoke(FunctionName="F", InvocationType="Event", Payload=b"{}")
    api.join()
    captured = capsys.readouterr()
    assert len(events) == tries
    assert captured.err.count("OSError: no such luck") == min(failures, 3)
    assert ("F has failed in every try" in captured.err) == (failures > 2)


def test_another_function_or_kind_of_invocation_is_refused(serve: Callable[[object], LambdaApi]) -> None:
    api = client(serve(lambda event, context: pytest.fail("it was invoked")))
    with pytest.raises(api.exceptions.ResourceNotFoundException):
        api.invoke(FunctionName="G", InvocationType="Event", Payload=b"{}")
    with pytest.raises(api.exceptions.ClientError, match="400"):
        api.invoke(FunctionName="F", Payload=b"{}")
