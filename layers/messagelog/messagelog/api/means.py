"""The memory and the time of one invocation, for views that need the whole log at once.

Lambda ends a function that uses up either, and the caller learns nothing. So the messages of a view are counted while
they are read, and a view that would need too much is refused with advice. The figures were measured with the views of
this package on Python 3.13, and rounded up. The share of a CPU is from "Configure Lambda function memory" in the Lambda
developer guide: 1,769 MB are one vCPU.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from sys import getsizeof
from typing import Any

from messagelog import codec
from messagelog.api.problems import RequestError
from messagelog.messages import StoredMessage
from messagelog.strictjson import dumps

_MB = 1_000_000
_OWN_BYTES = 160 * _MB  # the interpreter with its modules, a page of rows, and the reply
_BYTES_OF_A_MESSAGE = 1_600  # with its part of the view, but without its text
_BYTES_OF_A_CONTAINER = 250
_SECONDS_OF_A_MESSAGE = 30e-6  # to make its part of the view and to measure it, on one vCPU
_SECONDS_OF_A_BYTE = 10e-9
_SPARE_SECONDS = 2.0  # for the reply
_MB_OF_A_CPU = 1_769
_STEP = 500  # messages between two looks at the time


def within_means(messages: Iterable[StoredMessage], context: Any) -> Iterator[StoredMessage]:
    """Yields the messages as long as the invocation can make a view of them.

    Args:
        messages: The messages of the view, read while they are consumed.
        context: Lambda's context of the invocation. Without it, the time is not limited.

    Raises:
        RequestError: 413, because a view of these messages would need more memory or time than the function has.
    """
    room = _room(context)
    used, seconds = 0.0, 0.0
    for number, message in enumerate(messages):
        size = _size(message)
        used += size
        seconds += _SECONDS_OF_A_MESSAGE + size * _SECONDS_OF_A_BYTE
        if used > room or (number % _STEP == 0 and seconds > _seconds_left(context)):
            detail = (
                "the view of this conversation needs more memory or time than the function has: ask for a window, with "
                "last or max_tokens"
            )
            raise RequestError(413, "The view is too large", detail, code="ViewTooLarge")
        yield message


def _size(message: StoredMessage) -> int:
    """About as many bytes of memory as the message and its part of a view take."""
    size = _BYTES_OF_A_MESSAGE + getsizeof(message.content)
    if message.tool_calls or message.files or message.original:
        text = dumps(codec.to_json(message))
        size += 2 * getsizeof(text) + _BYTES_OF_A_CONTAINER * (text.count("[") + text.count("{"))
    return size


def _room(context: Any) -> float:
    megabytes = getattr(context, "memory_limit_in_mb", None)  # text in Lambda's own runtime
    return float("inf") if megabytes is None else int(megabytes) * 2**20 * 0.9 - _OWN_BYTES


def _seconds_left(context: Any) -> float:
    """The CPU time that is left, on one vCPU."""
    remaining = getattr(context, "get_remaining_time_in_millis", None)
    if remaining is None:
        return float("inf")
    megabytes = getattr(context, "memory_limit_in_mb", _MB_OF_A_CPU)
    return float((remaining() / 1000 - _SPARE_SECONDS) * min(1.0, int(megabytes) / _MB_OF_A_CPU))
