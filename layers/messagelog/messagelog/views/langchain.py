"""The log as LangChain and LangGraph messages: plain roles and text, as `agent.invoke({"messages": …})` takes them.

Tool messages and tool calls are dropped: `langchain_core.messages.convert_to_messages` takes a tool message only with
its call, and a chat of roles and text needs neither. An assistant message left empty by that is left out.
The text is data, not a template: pass the messages through a `MessagesPlaceholder`, and braces stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from messagelog.messages import StoredMessage
from messagelog.views.turns import Turn, bodies


def to_langchain(messages: Sequence[StoredMessage], *, faithful: bool = False) -> list[dict[str, Any]]:
    """The user, assistant and system messages as `{"role", "content"}`.

    `faithful` changes nothing here: no exchange is shown and nothing is repaired.
    """
    return bodies(turns(messages, faithful=faithful))


def turns(messages: Sequence[StoredMessage], *, faithful: bool = False) -> list[Turn]:
    """`to_langchain` with the place of each entry in the log."""
    return [
        Turn(message.seq, message.seq, {"role": message.role, "content": message.content})
        for message in messages
        if message.role in ("user", "system") or (message.role == "assistant" and message.content)
    ]
