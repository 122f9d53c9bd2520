"""The measured conversation: a cycle of 20 messages of an agent at work, repeated.

The messages of a cycle are 610 bytes of JSON on average. One of them is a tool result of 4 KB. The text consists of
words that a fixed seed chooses, so that it compresses about as well as prose and JSON do.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import count, islice
from random import Random
from typing import Any

CYCLE = 20
MEAN_BYTES = 610
RESULT_BYTES = 4096
CONVERSATION = "c-0001"

_LONG_RESULT = 6  # its position in the cycle
_WORDS = """
    the a of to and in is that for with as on at by from this which was be are order customer delivery address train
    hotel flight booking price total available tomorrow morning evening please thanks would could should number list
    status changed paid refund invoice ticket seat window return journey station airport weather forecast rain sunny
    meeting calendar report summary update question answer result found nothing three seven twelve hundred thousand
""".split()  # noqa: SIM905


def messages(total: int, *, start: int = 0) -> list[dict[str, Any]]:
    """Return messages from number `start` on, in the JSON form of the log."""
    return list(islice(_messages(start), total))


def without_long_result(total: int) -> list[dict[str, Any]]:
    """Return the first messages of the cycle without its tool result of 4 KB."""
    ordinary = (message for number, message in enumerate(_messages(0)) if number % CYCLE != _LONG_RESULT)
    return list(islice(ordinary, total))


def size_of(message: dict[str, Any]) -> int:
    """Return the length of a message as JSON, in bytes."""
    return len(json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode())


def _messages(start: int) -> Iterator[dict[str, Any]]:
    for number in count(start):
        yield _message(number)


def _message(number: int) -> dict[str, Any]:
    """A user asks, the assistant calls a tool, gets a result, and answers: four messages, five times in a cycle."""
    random = Random(number)  # noqa: S311
    call = f"call_{number // 4:06d}"
    match number % 4:
        case 0:
            return {"role": "user", "content": _text(random, 200)}
        case 1:
            calls = [{"id": call, "name": "search", "args": {"query": _text(random, 60), "limit": 10}}]
            return {"role": "assistant", "content": _text(random, 180), "toolCalls": calls}
        case 2:
            result = _records(random) if number % CYCLE == _LONG_RESULT else _text(random, 580)
            return {"role": "tool", "content": result, "name": "search", "toolCallId": call}
    return {"role": "assistant", "content": _text(random, 433)}


def _text(random: Random, length: int) -> str:
    """Return this many bytes of words."""
    return " ".join(random.choices(_WORDS, k=length))[:length]


def _records(random: Random) -> str:
    """Return the result of a search: 4 KB of JSON."""
    records = [
        {"id": random.randrange(10**9), "title": _text(random, 60), "note": _text(random, 120)} for _ in range(20)
    ]
    return json.dumps(records)[:RESULT_BYTES]
