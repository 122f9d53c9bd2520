"""When to try again: full jitter within a budget of time.

The pause before try n is a random part of `min(cap, base * 2**n)`: "Exponential Backoff And Jitter", AWS Architecture
Blog. A budget and not a number of tries is the bound, so that a caller with a time-out of its own can rely on it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import SystemRandom


class OutOfTimeError(Exception):
    """A request was not begun, since the deadline has come."""


@dataclass(frozen=True, slots=True)
class Retry:
    """How long to go on trying, and how long to pause in between. All times in seconds.

    The budget is longer than a request without an answer takes, so that one lost reply is followed by another try.
    `deadline` is a time on `clock` which no budget goes beyond, and when nothing is begun any more.
    `random` is the system's: Lambda's SnapStart clones the state of Python's own generator, and clones that pause alike
    collide again.
    """

    budget: float = 5.0
    deadline: float | None = None
    base: float = 0.05
    cap: float = 0.3
    random: Callable[[], float] = SystemRandom().random
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep

    def end(self) -> float:
        """When a budget that begins now is used up, on `clock`."""
        end = self.clock() + self.budget
        return end if self.deadline is None else min(end, self.deadline)

    def begin(self) -> None:
        """Called before each request. Raises OutOfTimeError if the deadline has come."""
        if self.deadline is not None and self.clock() >= self.deadline:
            raise OutOfTimeError

    def attempts(self, end: float | None = None) -> Attempts:
        """The tries until `end`: the end of a budget that begins now, unless several requests share one."""
        return Attempts(self, self.end() if end is None else end)


class Attempts(Iterator[int]):
    """Gives 0, 1, 2 …, pausing before each but the first, until its time is up."""

    def __init__(self, retry: Retry, end: float) -> None:
        self._retry = retry
        self._end = end
        self._tries = 0
        self._pauses = 0
        self._skip = False
        self._skipped = False

    def at_once(self) -> None:
        """Skips the next pause, since the next try is another than the one that failed. Not twice in a row."""
        self._skip = not self._skipped

    def __next__(self) -> int:
        retry = self._retry
        if self._tries:
            pause = 0.0 if self._skip else self._next_pause()
            if retry.clock() + pause >= self._end:
                raise StopIteration
            if not self._skip:
                retry.sleep(pause)
            # A sleep may outlast the end, and the fault of the last try tells more than that it is too late.
            if retry.clock() >= self._end:
                raise StopIteration
        self._skip, self._skipped = False, self._skip
        self._tries += 1
        return self._tries - 1

    def _next_pause(self) -> float:
        longest: float = min(self._retry.cap, self._retry.base * 2**self._pauses)
        self._pauses += 1
        return self._retry.random() * longest
