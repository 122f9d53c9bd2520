"""The log as OpenAI Chat Completions messages.

Sources: the API reference of `POST /v1/chat/completions`, `messages` (platform.openai.com/docs/api-reference/chat), and
the error messages of the API and of servers that are compatible with it. The rules:

- Each call of an assistant is answered by a `tool` message before the next message of another role.
- The id of a call has 1 to 40 characters. A tool's name and a speaker's `name` have 1 to 64 of `a-zA-Z0-9_-`.
- `arguments` is the text of a JSON object: see `as_object_text`.
- An assistant's `content` may be null only beside `tool_calls`, so empty text is `""` everywhere.
- An assistant makes at most 128 calls in one message ("array too long": github.com/openai/openai-dotnet/issues/317,
  github.com/github/copilot-cli/issues/669).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any

from messagelog.messages import JSONValue, StoredMessage
from messagelog.views.arguments import as_object_text, as_text
from messagelog.views.exchanges import Call, Step, answer, calls_of, pair, rename
from messagelog.views.names import Ids, Names
from messagelog.views.turns import ProviderMessage, Turn, bodies

LEGAL_ID = r"(?s)(?=.*\S).{1,40}"
MAX_NAME_LENGTH = 64
MAX_CALLS = 128


def to_openai(messages: Sequence[StoredMessage], *, faithful: bool = False) -> list[ProviderMessage]:
    """Returns the messages as Chat Completions messages.

    Args:
        messages: A part of a log, oldest first. It is not changed and shares nothing with the result.
        faithful: Give each message as it is, without repairs. Args that are text then stay that text.

    Returns:
        Messages `{"role": …, "content": text, …}`.
    """
    return bodies(turns(messages, faithful=faithful))


def turns(messages: Sequence[StoredMessage], *, faithful: bool = False) -> list[Turn]:
    """Returns the messages of `to_openai`, each with its place in the log."""
    if faithful:
        return [Turn(message.seq, message.seq, _plain(message)) for message in messages if message.role != "reasoning"]
    steps = [step for step in pair(messages) if step.message.role != "reasoning"]
    answer(steps)
    rename(steps, Ids(LEGAL_ID), Names(MAX_NAME_LENGTH))
    speakers = Names(MAX_NAME_LENGTH)
    return [Turn(step.message.seq, step.message.seq, body) for step in steps for body in _bodies(step, speakers)]


def _bodies(step: Step, speakers: Names) -> Iterator[dict[str, Any]]:
    """Yields a message, and then the results of its calls in the order of the calls.

    If there are more calls than one message may hold, further messages without text hold the rest, each with the
    results of its calls after it.
    """
    message = step.message
    name = speakers.of(message.name) if message.name else None
    for index, calls in enumerate(_parted(step.calls)):
        yield _message(message.role, "" if index else message.content, name, calls)
        for call in calls:
            if not call.is_open:
                yield {"role": "tool", "tool_call_id": call.id, "content": call.answer}


def _parted(calls: list[Call]) -> list[list[Call]]:
    """Returns the calls of each message that is needed to hold them.

    Only the last message may hold open calls, because another message follows each of the others. So the last one is
    full, and open calls come last. If there are more open calls than it holds, the first of them count as unanswered
    until their results are in the log.
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
    return _message(message.role, message.content, message.name, calls_of(message), arguments=as_text)


def _message(
    role: str,
    content: str,
    name: str | None,
    calls: list[Call],
    arguments: Callable[[JSONValue], str] = as_object_text,
) -> dict[str, Any]:
    body: dict[str, Any] = {"role": role, "content": content}
    if name is not None:
        body["name"] = name
    if calls:
        body["tool_calls"] = [_function_call(call, arguments(call.args)) for call in calls]
    return body


def _function_call(call: Call, arguments: str) -> dict[str, Any]:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}}
