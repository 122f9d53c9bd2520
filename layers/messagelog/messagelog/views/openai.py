"""The log as OpenAI Chat Completions messages.

Sources: the API reference of `POST /v1/chat/completions`, `messages` (platform.openai.com/docs/api-reference/chat), and
the error messages of the API and of servers that are compatible with it. The rules:

- Each call of an assistant is answered by a `tool` message before the next message of another role.
- The id of a call has 1 to 40 characters. A tool's name and a speaker's `name` have 1 to 64 of `a-zA-Z0-9_-`.
- `arguments` is the text of a JSON object: see `as_object_text`.
- An assistant's `content` may be null only together with `tool_calls`, so empty text is always `""`.
- An assistant makes at most 128 calls in one message ("array too long": github.com/openai/openai-dotnet/issues/317,
  github.com/github/copilot-cli/issues/669).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any, Unpack

from messagelog.messages import JSONValue, StoredMessage
from messagelog.views.arguments import as_object_text, as_text
from messagelog.views.exchanges import Call, Step, answer, calls_of, pair, rename
from messagelog.views.names import Ids, Names
from messagelog.views.originals import Block, Own, own_blocks, renamed
from messagelog.views.placeholders import text_of
from messagelog.views.target import EVERYTHING, FAITHFUL, Target, ViewOptions
from messagelog.views.turns import ProviderMessage, Turn, bodies

LEGAL_ID = r"(?s)(?=.*\S).{1,40}"
MAX_NAME_LENGTH = 64
MAX_CALLS = 128


def to_openai(messages: Sequence[StoredMessage], **options: Unpack[ViewOptions]) -> list[ProviderMessage]:
    """Returns the messages as Chat Completions messages.

    Args:
        messages: A part of a log, oldest first. It is not changed and shares nothing with the result.
        **options: See `Target`. In a faithful view, args that are text stay that text.

    Returns:
        Messages `{"role": …, "content": text, …}`.
    """
    return bodies(turns(messages, Target(**options)))


def turns(messages: Sequence[StoredMessage], target: Target = EVERYTHING) -> list[Turn]:
    """Returns the messages of `to_openai`, each with its place in the log."""
    if target.faithful:
        return [Turn(message.seq, message.seq, _plain(message)) for message in messages if message.role != "reasoning"]
    steps = [step for step in pair(messages) if step.message.role != "reasoning"]
    answer(steps)
    rename(steps, Ids(LEGAL_ID), Names(MAX_NAME_LENGTH))
    for step in steps:
        step.own = own_blocks(step.message, _OWN, target)
    speakers = Names(MAX_NAME_LENGTH)
    turns = [Turn(step.message.seq, step.message.seq, body) for step in steps for body in _bodies(step, speakers)]
    _complete_reasoning(turns)
    return turns


def _bodies(step: Step, speakers: Names) -> Iterator[dict[str, Any]]:
    """Yields a message, and then the results of its calls in the order of the calls.

    If there are more calls than one message may hold, the other calls are in further messages without text. The
    results of each message's calls follow that message.
    """
    message = step.message
    name = speakers.of(message.name) if message.name else None
    parts = _parted(step.calls)
    for index, calls in enumerate(parts):
        body = _message(message.role, "" if index else text_of(message), name, calls)
        yield body if index or not step.own else body | _own_fields(step, whole=len(parts) == 1)
        for call in calls:
            if not call.is_open:
                yield {"role": "tool", "tool_call_id": call.id, "content": call.answer}


def _own_fields(step: Step, *, whole: bool) -> dict[str, Any]:
    """Returns the additional fields of the model's own message. They include its calls if all are in one message."""
    fields = {name: value for block in renamed(step.own or [], step, _OWN) for name, value in block.items()}
    ours = ("role", "content") if whole else ("role", "content", "tool_calls")
    return {name: value for name, value in fields.items() if name not in ours}


def _complete_reasoning(turns: list[Turn]) -> None:
    """Adds an empty `reasoning_content` to calls that lack one, after a message that has one.

    DeepSeek refuses such a message with 400 ("Thinking Mode", api-docs.deepseek.com/guides/thinking_mode).
    """
    thinks = False
    for turn in turns:
        thinks = thinks or "reasoning_content" in turn.body
        if thinks and "tool_calls" in turn.body:
            turn.body.setdefault("reasoning_content", "")


def _parted(calls: list[Call]) -> list[list[Call]]:
    """Splits the calls between as many messages as they need.

    Only the last message may hold open calls, because each other message is followed by one more. So the last message
    is full, and open calls come last. If there are too many open calls for it, the first of them are treated as
    unanswered until their results are in the log.
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
        return {"role": "tool", "tool_call_id": message.tool_call_id or "", "content": text_of(message)}
    body = _message(message.role, text_of(message), message.name, calls_of(message), arguments=as_text)
    for block in own_blocks(message, _OWN, FAITHFUL) or ():
        body |= block
    return body


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


def _own_calls(block: Block) -> Iterator[tuple[str, str]]:
    for call in block.get("tool_calls") or ():
        yield call["id"], call["function"]["name"]


def _renamed(block: Block, calls: list[tuple[str, str]]) -> Block:
    if not calls:
        return block
    entries = [
        {**entry, "id": id, "function": {**entry["function"], "name": name}}
        for entry, (id, name) in zip(block["tool_calls"], calls, strict=True)
    ]
    return {**block, "tool_calls": entries}


_OWN = Own("openai", _own_calls, _renamed)
