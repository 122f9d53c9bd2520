"""The size limit of a message: one reply of each kind of read must be able to carry it.

Lambda takes a reply of at most 6,291,556 bytes ("Lambda quotas", invocation payload, synchronous), and a large body is
base64-encoded in it. A message that no reply can carry would block every reader that reaches it, in a log that nobody
can change. So it is refused before it is stored.

The check is cheap. It begins with the form that is cheapest to make, and stops at the first form that is too large. It
makes no view of a message that is far below the limit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

from messagelog import codec
from messagelog.errors import MessageTooLargeError
from messagelog.jsontext import has_more_containers
from messagelog.messages import AgentMessage, StoredMessage
from messagelog.strictjson import MAX_CONTAINERS, dumps
from messagelog.views import anthropic, bedrock, langchain, openai
from messagelog.views.target import FAITHFUL, Target
from messagelog.views.turns import Turn

LAMBDA_REPLY_BYTES = 6_291_556
_ENVELOPE_BYTES = 2_048  # more than all parts of a reply except its body
MAX_BODY_BYTES = (LAMBDA_REPLY_BYTES - _ENVELOPE_BYTES) // 4 * 3
ROOM = MAX_BODY_BYTES - 64  # for the messages, without the brackets around them and `next`

_VIEWS = (openai.turns, anthropic.turns, bedrock.turns, langchain.turns)
# A view of calls may be several times as large as the message: it escapes args again, writes 1e15 with all digits, and
# # adds words to a call. These words make an empty call eight times as large.
_SURELY_FITS = ROOM // 12 - 2_048
# A view of a message that is only text adds a role, an id and a name at most.
_ADDED_TO_TEXT = 2_048
# No view writes a call and the sentence for its missing result in fewer bytes.
_LEAST_BYTES_OF_A_CALL = 150


def check_fits_a_reply(message: AgentMessage, path: str) -> None:
    """Refuses a message that is too large for one reply of a read or of a view.

    Args:
        message: The message.
        path: The path of the message in what the caller gave, for the error.

    Raises:
        MessageTooLargeError: A reply could not carry the message.
    """
    if _is_short(message):
        return
    if any(type(call.args) is str and has_more_containers(call.args, MAX_CONTAINERS) for call in message.tool_calls):
        raise MessageTooLargeError(
            f"{path or 'the message'} has args with more than {MAX_CONTAINERS} lists and objects, which no reader "
            "could parse; nothing was written: store them elsewhere and append where they are"
        )
    stored = StoredMessage.of(message, seq=10**12 - 1, at=datetime.now(UTC))
    for size in _sizes(stored):
        if size > ROOM:
            raise MessageTooLargeError(
                f"{path or 'the message'} takes {size} bytes of JSON or more, and one reply carries at most {ROOM}; "
                f"nothing was written: {_way_out(message)}"
            )


def size_of(value: object) -> int:
    """Returns the number of bytes of a value as JSON text in a list."""
    return len(dumps(value).encode()) + 1


def _way_out(message: AgentMessage) -> str:
    if any(file.data for file in message.files):
        return "put the file where the model can fetch it, and append its `url`"
    return "split it, or store it elsewhere and append where it is"


def _is_short(message: AgentMessage) -> bool:
    """Whether the message is only text and always fits. A character takes at most six bytes of JSON."""
    characters = len(message.content) + len(message.name or "") + len(message.tool_call_id or "")
    return _is_text(message) and 6 * characters <= _SURELY_FITS


def _is_text(message: AgentMessage) -> bool:
    return not (message.tool_calls or message.files or message.original)


def _sizes(message: StoredMessage) -> Iterator[int]:
    """Yields the size of each form of the message that may be too large, the cheapest form first."""
    plain = size_of(codec.to_json(message))
    yield plain
    if plain <= _SURELY_FITS or (_is_text(message) and plain + _ADDED_TO_TEXT <= ROOM):
        return
    yield len(message.tool_calls) * _LEAST_BYTES_OF_A_CALL
    after = StoredMessage(role="user", content=".", seq=message.seq + 1, at=message.at)  # so that no call is open
    without_args = tuple(replace(call, args={}) for call in message.tool_calls)
    rest = size_of(codec.to_json(replace(message, tool_calls=without_args)))
    for turns in _VIEWS:
        repaired = _size_of_view(turns([message, after]))
        yield repaired
        if repaired + rest > ROOM:  # a faithful view shows no more args, but all the rest as it is
            yield _size_of_view(turns([message, after], FAITHFUL))
        if message.original is not None:  # the form of the turn for another model: text and calls
            yield _size_of_view(turns([message, after], Target(reasoning=False)))


def _size_of_view(turns: list[Turn]) -> int:
    return sum(size_of(turn.body) for turn in turns)
