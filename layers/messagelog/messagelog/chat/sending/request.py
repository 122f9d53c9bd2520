"""The messages of a request to the model: the window of the chat, with a user turn at the end.

A request must not end with the assistant. Claude 4.6 and later refuse it as a prefilled answer ("Migration guide" of
the Claude API documentation), and a request without any message is refused by every provider. Both happen:

    the window ends with                     the request ends with
    ---------------------------------------  ---------------------------------------
    a user message, or results of tools      the same
    the assistant: a send without content    the user turn `CONTINUE`
    after an answer, or `queue_resend`
    when nothing new was said
    nothing: a chat that was just cleared    the user turn `BEGIN`

The added turn is in this request only. The log holds what was said.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from messagelog.messages import StoredMessage
from messagelog.views.exchanges import pair

CONTINUE = "Continue."
BEGIN = "Begin."


def ending_with_user(messages: Sequence[StoredMessage]) -> list[StoredMessage]:
    """Returns the messages. Adds a user turn if they are empty or end with the assistant."""
    steps = pair(message for message in messages if message.role != "reasoning")
    if steps and (steps[-1].message.role != "assistant" or steps[-1].calls):
        return list(messages)
    seq = messages[-1].seq + 1 if messages else 1
    text = CONTINUE if steps else BEGIN
    return [*messages, StoredMessage(role="user", content=text, seq=seq, at=datetime.now(UTC))]
