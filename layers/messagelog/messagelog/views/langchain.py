"""The log as LangChain and LangGraph messages: plain roles and text, as `agent.invoke({"messages": …})` takes them.

Tool calls and tool messages are dropped, because `langchain_core.messages.convert_to_messages` takes a tool message
only with its call. An assistant message that is left empty is left out. The text is data, not a template: pass the
messages through a `MessagesPlaceholder`, so that braces stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence

from messagelog.messages import StoredMessage
from messagelog.views.turns import ProviderMessage, Turn, bodies


def to_langchain(messages: Sequence[StoredMessage], *, faithful: bool = False) -> list[ProviderMessage]:
    """Returns the user, assistant and system messages.

    Args:
        messages: A part of a log, oldest first.
        faithful: Changes nothing here, because this view repairs nothing.

    Returns:
        Messages `{"role": "user" | "assistant" | "system", "content": text}`.
    """
    return bodies(turns(messages, faithful=faithful))


def turns(messages: Sequence[StoredMessage], *, faithful: bool = False) -> list[Turn]:
    """Returns the messages of `to_langchain`, each with its place in the log."""
    return [
        Turn(message.seq, message.seq, {"role": message.role, "content": message.content})
        for message in messages
        if message.role in ("user", "system") or (message.role == "assistant" and message.content)
    ]
