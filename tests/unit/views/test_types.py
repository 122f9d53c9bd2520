"""The types that the providers' own libraries ship accept the views."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from anthropic.types import MessageParam
from botocore.session import Session
from botocore.validate import ParamValidator
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import convert_to_messages
from messagelog import StoredMessage
from messagelog.views.anthropic import to_anthropic
from messagelog.views.bedrock import to_bedrock
from messagelog.views.langchain import to_langchain
from messagelog.views.openai import to_openai
from openai.types.chat import ChatCompletionMessageParam
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from tests.providers.logs import broken_logs, interrupted_logs, valid_logs

any_log = st.one_of(broken_logs(), interrupted_logs(), valid_logs())
some = settings(max_examples=200, deadline=None)

STRICT = ConfigDict(extra="forbid")
OPENAI = TypeAdapter(list[ChatCompletionMessageParam], config=STRICT)
ANTHROPIC = TypeAdapter(list[MessageParam], config=STRICT)
CONVERSE = Session().get_service_model("bedrock-runtime").operation_model("Converse").input_shape


def validated(adapter: TypeAdapter[Any], view: list[dict[str, Any]]) -> None:
    """Validates the view down to its last block, because the adapter validates iterables only when they are read.

    If a parameter may also be the model of a reply, that model accepts any field, so no dict may become one.
    """
    _consume(adapter.validate_python(view))


def _consume(value: Any) -> None:
    assert not isinstance(value, BaseModel), f"only the lenient {type(value).__name__} accepts it"
    if isinstance(value, dict):
        value = value.values()
    if isinstance(value, Iterable) and not isinstance(value, str):
        for item in value:
            _consume(item)


@given(log=any_log)
@some
def test_the_types_of_openai_accept_the_view(log: list[StoredMessage]) -> None:
    validated(OPENAI, to_openai(log))


@given(log=any_log)
@some
def test_the_types_of_anthropic_accept_the_view(log: list[StoredMessage]) -> None:
    validated(ANTHROPIC, to_anthropic(log))


@given(log=any_log)
@some
def test_the_model_of_bedrock_accepts_the_view(log: list[StoredMessage]) -> None:
    request = {"modelId": "m", "messages": to_bedrock(log)}
    assert ParamValidator().validate(request, CONVERSE).generate_report() == ""


@given(log=any_log)
@some
def test_langchain_converts_the_view(log: list[StoredMessage]) -> None:
    view = to_langchain(log)
    names = {"human": "user", "ai": "assistant", "system": "system"}
    assert [{"role": names[m.type], "content": m.content} for m in convert_to_messages(view)] == view


@pytest.mark.parametrize(
    ("adapter", "view"),
    [
        (OPENAI, [{"role": "user", "content": "q", "seq": 1}]),
        (OPENAI, [{"role": "assistant", "tool_calls": [{"id": "t", "type": "function", "function": {"name": "f"}}]}]),
        (ANTHROPIC, [{"role": "user", "content": [{"type": "text", "text": "q", "seq": 1}]}]),
        (ANTHROPIC, [{"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": "{}"}]}]),
    ],
)
def test_the_types_refuse_a_wrong_view(adapter: TypeAdapter[Any], view: list[dict[str, Any]]) -> None:
    with pytest.raises((ValidationError, AssertionError)):
        validated(adapter, view)
