"""The log as OpenAI Chat Completions messages.

Rules from the API reference, `POST /v1/chat/completions`, `messages` (platform.openai.com/docs/api-reference/chat), and
from what the API answers when they are broken: each call of an assistant is answered by a `tool` message before the
next message of another role; a call id has 1 to 40 characters; a tool's name and a speaker's `name` are at most 64 of
`a-zA-Z0-9_-`; an assistant's `content` may be missing only beside `tool_calls`, so empty text stays `""` everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from messagelog.messages import StoredMessage
from messagelog.views.arguments import as_text
from messagelog.views.exchanges import Call, Step, answer, calls_of, pair, rename
from messagelog.views.names import Ids, Names
from messagelog.views.turns import Turn, bodies

LEGAL_ID = r"(?s)(?=.*\S).{1,40}"


def to_openai(
    messages: Sequence[StoredMessage], *, faithful: bool = False, reach: int | None = None
) -> list[dict[str, Any]]:
    """The messages as Chat Completions takes them.

    `faithful` gives one entry a message with nothing mended. With `reach`, a result more than that many messages behind
    its call does not belong to it, as in a window. The messages are not changed and share nothing with the result.
    """
    return bodies(turns(messages, faithful=faithful, reach=reach))


def turns(messages: Iterable[StoredMessage], *, faithful: bool = False, reach: int | None = None) -> list[Turn]:
    """`to_openai` with the place of each entry in the log."""
    kept = [message for message in messages if message.role != "reasoning"]
    if faithful:
        return [Turn(message.seq, message.seq, _plain(message)) for message in kept]
    steps = pair(kept, reach=reach)
    answer(steps)
    rename(steps, Ids(LEGAL_ID), Names(max_length=64))
    speakers = Names(max_length=64)
    return [Turn(step.message.seq, step.message.seq, body) for step in steps for body in _bodies(step, speakers)]


def _bodies(step: Step, speakers: Names) -> Iterator[dict[str, Any]]:
    """A message, and behind it the results of its calls, in the order of the calls."""
    name = step.message.name
    yield _message(step.message, speakers.of(name) if name else None, step.calls)
    for call in step.calls:
        if not call.is_open:
            yield {"role": "tool", "tool_call_id": call.id, "content": call.answer}


def _plain(message: StoredMessage) -> dict[str, Any]:
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.tool_call_id or "", "content": message.content}
    return _message(message, message.name, calls_of(message))


def _message(message: StoredMessage, name: str | None, calls: list[Call]) -> dict[str, Any]:
    body: dict[str, Any] = {"role": message.role, "content": message.content}
    if name is not None:
        body["name"] = name
    if calls:
        body["tool_calls"] = [_function_call(call) for call in calls]
    return body


def _function_call(call: Call) -> dict[str, Any]:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": as_text(call.args)}}
