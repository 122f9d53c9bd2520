"""The local Lambda holds Lambda's limits, and the reader of template.yaml refuses what it cannot follow."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from local.runtime import (
    MAX_EVENT_BYTES,
    MAX_REPLY_BYTES,
    EventTooLargeError,
    LambdaContext,
    ReplyTooLargeError,
    invoke,
)
from local.template import Function, TemplateError, read_template


@pytest.fixture
def function(monkeypatch: pytest.MonkeyPatch) -> Callable[[object], Function]:
    """`function(handler)`: a function whose handler is `handler`."""

    def make(handler: object) -> Function:
        module = ModuleType("stand_in")
        module.__dict__["handler"] = handler
        monkeypatch.setitem(sys.modules, "stand_in", module)
        return Function("F", "stand_in", "handler", Path(), {}, timeout=3, memory=128)

    return make


def test_a_reply_may_be_as_large_as_lambda_passes_on(function: Callable[[object], Function]) -> None:
    # Two bytes are the quotation marks of the text as JSON.
    assert invoke(function(lambda event, context: "x" * (MAX_REPLY_BYTES - 2)), {})
    with pytest.raises(ReplyTooLargeError):
        invoke(function(lambda event, context: "x" * (MAX_REPLY_BYTES - 1)), {})


def test_an_event_may_be_as_large_as_lambda_takes(function: Callable[[object], Function]) -> None:
    room = MAX_EVENT_BYTES - len('{"body": ""}')
    assert invoke(function(lambda event, context: len(event["body"])), {"body": "x" * room}) == room
    with pytest.raises(EventTooLargeError):
        invoke(function(lambda event, context: None), {"body": "x" * (room + 1)})


def test_the_context_is_that_of_the_function(function: Callable[[object], Function]) -> None:
    def handler(event: object, context: LambdaContext) -> list[object]:
        return [context.function_name, context.memory_limit_in_mb, 0 < context.get_remaining_time_in_millis() <= 3000]

    assert invoke(function(handler), {}) == ["F", 128, True]


def template_of(path: Path, variables: str) -> Path:
    file = path / "template.yaml"
    file.write_text(f"""
Parameters: {{Level: {{Type: String, Default: INFO}}}}
Resources:
  Table: {{Type: AWS::DynamoDB::Table, Properties: {{KeySchema: []}}}}
  F:
    Type: AWS::Serverless::Function
    Properties: {{Handler: f.handler, CodeUri: functions/, Environment: {{Variables: {variables}}}}}
  G:
    Type: AWS::Serverless::Function
    Properties: {{Handler: g.handler, CodeUri: functions/, Environment: {{Variables: {{A: "1"}}}}}}
""")
    return file


def test_variables_are_resolved_as_sam_local_does(tmp_path: Path) -> None:
    template = read_template(template_of(tmp_path, "{A: 1, B: !Ref Table, C: !Ref Level, D: true}"))
    assert template.environment() == {"A": "1", "B": "Table", "C": "INFO", "D": "true"}


def test_a_value_that_cannot_be_known_locally_is_named(tmp_path: Path) -> None:
    with pytest.raises(TemplateError, match="F: B"):
        read_template(template_of(tmp_path, "{B: !GetAtt Table.Arn}"))


def test_one_variable_with_two_values_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TemplateError, match="G: A is '1' here and '2'"):
        read_template(template_of(tmp_path, '{A: "2"}')).environment()


def test_a_template_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(TemplateError, match="cannot be read"):
        read_template(tmp_path / "template.yaml")
