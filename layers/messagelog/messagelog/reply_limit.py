"""The one ceiling on a message: it must be able to travel alone in one reply of every read.

Lambda takes a reply of at most 6,291,556 bytes ("Lambda quotas", invocation payload, synchronous), the body
base64-encoded where it is large. A message that no reply can carry would stand in the way of every reader behind it, in
a log that nobody can mend, so it is refused before it is stored.
"""

from __future__ import annotations

from datetime import UTC, datetime

from messagelog import codec
from messagelog.errors import MessageTooLargeError
from messagelog.messages import AgentMessage, StoredMessage
from messagelog.strictjson import dumps
from messagelog.views import anthropic, bedrock, langchain, openai

LAMBDA_REPLY_BYTES = 6_291_556
_ENVELOPE_BYTES = 2_048  # everything in a reply but its body, generously
MAX_BODY_BYTES = (LAMBDA_REPLY_BYTES - _ENVELOPE_BYTES) // 4 * 3
ROOM = MAX_BODY_BYTES - 64  # for the messages themselves, without the brackets around them and `next`

_VIEWS = (openai.to_openai, anthropic.to_anthropic, langchain.to_langchain, bedrock.to_bedrock)
# A view may be several times as large as the message: it escapes args once more, writes 1e15 out, adds words to a call.
# The last makes eight times as much of calls of nothing.
_SURELY_FITS = ROOM // 12 - 2_048


def check_fits_a_reply(message: AgentMessage, path: str) -> None:
    """Raises MessageTooLargeError if a reply of a read or of a view could not carry the message alone."""
    if size_of(codec.to_json(message)) <= _SURELY_FITS:
        return
    stored = StoredMessage.of(message, seq=10**12 - 1, at=datetime.now(UTC))
    behind = StoredMessage(role="user", content=".", seq=stored.seq + 1, at=stored.at)  # calls are answered before it
    views = (view([stored, behind], faithful=faithful) for view in _VIEWS for faithful in (False, True))
    largest = max(size_of(codec.to_json(stored)), *(sum(map(size_of, view)) for view in views))
    if largest > ROOM:
        way_out = "split it, or store it elsewhere and append where it is"
        if any(file.data for file in message.files):
            way_out = "put the file where the model can fetch it, and append its `url`"
        raise MessageTooLargeError(
            f"{path or 'the message'} takes {largest} bytes of JSON, and {ROOM} are the most that one reply carries; "
            f"nothing was written: {way_out}"
        )


def size_of(value: object) -> int:
    """The bytes of a value as JSON text in a list."""
    return len(dumps(value).encode()) + 1
