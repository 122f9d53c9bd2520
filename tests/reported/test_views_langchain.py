"""Faults that people reported about histories given to LangChain. Each test names its sources."""

from __future__ import annotations

from langchain_core.messages import convert_to_messages
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder

from tests.reported.test_views_openai import assistant, log_of, result, user


def test_tool_messages_are_left_out() -> None:
    """github.com/8090-inc/xrx-core/pull/21: LangChain's converter fails on a tool message without its call."""
    calls = [assistant("look", ("t1", "f", {})), result("t1", "R")]
    view = log_of({"role": "system", "content": "s"}, user("q"), *calls, assistant("end")).to_langchain()
    assert view == [
        {"role": "system", "content": "s"},
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": "look"},
        {"role": "assistant", "content": "end"},
    ]
    assert [message.type for message in convert_to_messages(view)] == ["system", "human", "ai", "ai"]


def test_braces_are_text() -> None:
    """github.com/RedHatInsights/tangerine-backend/issues/166, github.com/chatchat-space/Langchain-Chatchat/issues/1142,
    github.com/langchain-ai/langchain/issues/32702.
    """
    texts = ['return {"a": 1} and {name}', "{{ok}}"]
    view = log_of(user(texts[0]), assistant(texts[1])).to_langchain()
    assert [entry["content"] for entry in view] == texts
    prompt = ChatPromptTemplate([MessagesPlaceholder("history")]).invoke({"history": view})
    assert [message.content for message in prompt.to_messages()] == texts
