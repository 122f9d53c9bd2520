"""The log as LangChain and LangGraph messages: plain roles and text, as `agent.invoke({"messages": …})` takes them.

Tool calls and tool messages are dropped, because `langchain_core.messages.convert_to_messages` takes a tool message
only with its call. An assistant message that is then empty is left out. The text is data, not a template: pass the
messages through a `MessagesPlaceholder`, so that braces are not read as variables.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from messagelog.messages import StoredMessage
from messagelog.views.placeholders import text_of
from messagelog.views.target import EVERYTHING, Target, ViewOptions
from messagelog.views.turns import ProviderMessage, Turn, bodies


def to_langchain(messages: Sequence[StoredMessage], **options: Unpack[ViewOptions]) -> list[ProviderMessage]:
    """Returns the user, assistant and system messages.

    Args:
        messages: A part of a log, oldest first.
        **options: See `Target`. This view repairs nothing, and shows the text of every model's turns.

    Returns:
        Messages `{"role": "user" | "assistant" | "system", "content": text}`.
    """
    return bodies(turns(messages, Target(**options)))


def turns(messages: Sequence[StoredMessage], target: Target = EVERYTHING) -> list[Turn]:
    """Returns the messages of `to_langchain`, each with its place in the log."""
    return [
        Turn(message.seq, message.seq, {"role": message.role, "content": text_of(message)})
        for message in messages
        if message.role in ("user", "system") or (message.role == "assistant" and text_of(message))
    ]
