"""Decides when to try again: full jitter within a time budget.

The pause before try n is a random part of `min(cap, base * 2**n)` ("Exponential Backoff And Jitter", AWS Architecture
Blog). The limit is a time and not a number of tries, so that a caller with a time-out of its own can rely on it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import SystemRandom

ONCE = -math.inf
"""As the end of the tries: there is only one."""


class OutOfTimeError(Exception):
    """A request was not begun, because the deadline had come."""


@dataclass(frozen=True, slots=True)
class Retry:
    """How long to try, and how long to pause between tries. All times are in seconds.

    Attributes:
        budget: How long to try one operation. It is longer than a request without an answer takes, so that one lost
            reply is followed by another try.
        deadline: A time on `clock`. Every budget ends at this time, and no request begins after it.
        base: The longest first pause.
        cap: The longest pause.
        random: Returns a number from 0 to 1. The default uses the operating system, because Lambda's SnapStart clones
            the state of Python's own generator, and clones that pause for the same time collide again.
        clock: Returns the time in seconds, from any starting point.
        sleep: Pauses.
    """

    budget: float = 5.0
    deadline: float | None = None
    base: float = 0.05
    cap: float = 0.3
    random: Callable[[], float] = SystemRandom().random
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep

    def end(self) -> float:
        """The time on `clock` when a budget that begins now is used up."""
        end = self.clock() + self.budget
        return end if self.deadline is None else min(end, self.deadline)

    def begin(self) -> None:
        """Called before each request.

        Raises:
            OutOfTimeError: The deadline has come.
        """
        if self.deadline is not None and self.clock() >= self.deadline:
            raise OutOfTimeError

    def attempts(self, end: float | None = None) -> Attempts:
        """Returns the tries until `end`. By default, the budget begins now."""
        return Attempts(self, self.end() if end is None else end)


class Attempts(Iterator[int]):
    """Yields 0, 1, 2 … until the time is up, with a pause between two numbers. It always yields 0."""

    def __init__(self, retry: Retry, end: float) -> None:
        self._retry = retry
        self._end = end
        self._tries = 0
        self._pauses = 0
        self._skip = False
        self._skipped = False

    def at_once(self) -> None:
        """Skips the next pause, because the next try differs from the failed one. It never skips two in a row."""
        self._skip = not self._skipped

    def __next__(self) -> int:
        retry = self._retry
        if self._tries:
            pause = 0.0 if self._skip else self._next_pause()
            if retry.clock() + pause >= self._end:
                raise StopIteration
            if not self._skip:
                retry.sleep(pause)
            # A sleep may last beyond the end. Then the last fault says more than "out of time".
            if retry.clock() >= self._end:
                raise StopIteration
        self._skip, self._skipped = False, self._skip
        self._tries += 1
        return self._tries - 1

    def _next_pause(self) -> float:
        longest: float = min(self._retry.cap, self._retry.base * 2**self._pauses)
        self._pauses += 1
        return self._retry.random() * longest
