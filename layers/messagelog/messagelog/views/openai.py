"""The log as OpenAI Chat Completions messages.

Rules from the API reference, `POST /v1/chat/completions`, `messages` (platform.openai.com/docs/api-reference/chat), and
from what the API answers when they are broken: each call of an assistant is answered by a `tool` message before the
next message of another role; a call id has 1 to 40 characters; a tool's name and a speaker's `name` are at most 64 of
`a-zA-Z0-9_-`; an assistant's `content` may be missing only beside `tool_calls`, so empty text stays `""` everywhere;
an assistant makes at most 128 calls in one message ("array too long": github.com/openai/openai-dotnet/issues/317,
github.com/github/copilot-cli/issues/669).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from messagelog.messages import StoredMessage
from messagelog.views.arguments import as_text
from messagelog.views.exchanges import Call, Step, answer, calls_of, pair, rename
from messagelog.views.names import Ids, Names
from messagelog.views.turns import Turn, bodies

LEGAL_ID = r"(?s)(?=.*\S).{1,40}"
MAX_CALLS = 128


def to_openai(messages: Sequence[StoredMessage], *, faithful: bool = False) -> list[dict[str, Any]]:
    """The messages as Chat Completions takes them.

    The messages are not changed and share nothing with the result.

    Args:
        messages: A part of a log; a window is one that knows its `reach`.
        faithful: Give one entry for each message, without repairs.
    """
    return bodies(turns(messages, faithful=faithful))


def turns(messages: Sequence[StoredMessage], *, faithful: bool = False) -> list[Turn]:
    """`to_openai` with the place of each entry in the log."""
    if faithful:
        return [Turn(message.seq, message.seq, _plain(message)) for message in messages if message.role != "reasoning"]
    steps = [step for step in pair(messages) if step.message.role != "reasoning"]
    answer(steps)
    rename(steps, Ids(LEGAL_ID), Names(max_length=64))
    speakers = Names(max_length=64)
    return [Turn(step.message.seq, step.message.seq, body) for step in steps for body in _bodies(step, speakers)]


def _bodies(step: Step, speakers: Names) -> Iterator[dict[str, Any]]:
    """A message, and behind it the results of its calls, in the order of the calls.

    More calls than one message may hold go on in further messages without text, each with its results behind it.
    """
    message = step.message
    name = speakers.of(message.name) if message.name else None
    for index, calls in enumerate(_parted(step.calls)):
        yield _message(message.role, "" if index else message.content, name, calls)
        for call in calls:
            if not call.is_open:
                yield {"role": "tool", "tool_call_id": call.id, "content": call.answer}


def _parted(calls: list[Call]) -> list[list[Call]]:
    """The calls by the message that holds them. Only the last may hold open ones, since another one stands behind it.

    So it is a full one, and open calls come last; of more than it holds, the first are unanswered until their results
    are in the log.
    """
    if len(calls) <= MAX_CALLS:
        return [calls]
    ordered = sorted(calls, key=lambda call: call.is_open)
    first = len(calls) % MAX_CALLS or MAX_CALLS
    parts = [ordered[:first], *(ordered[at : at + MAX_CALLS] for at in range(first, len(calls), MAX_CALLS))]
    for call in chain.from_iterable(parts[:-1]):
        call.unanswered = not call.results
    return parts


def _plain(message: StoredMessage) -> dict[str, Any]:
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.tool_call_id or "", "content": message.content}
    return _message(message.role, message.content, message.name, calls_of(message))


def _message(role: str, content: str, name: str | None, calls: list[Call]) -> dict[str, Any]:
    body: dict[str, Any] = {"role": role, "content": content}
    if name is not None:
        body["name"] = name
    if calls:
        body["tool_calls"] = [_function_call(call) for call in calls]
    return body


def _function_call(call: Call) -> dict[str, Any]:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": as_text(call.args)}}
