"""When to try again: full jitter within a budget of time.

The pause before try n is a random part of `min(cap, base * 2**n)`: "Exponential Backoff And Jitter", AWS Architecture
Blog. A budget and not a number of tries is the bound, so that a caller with a time-out of its own can rely on it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from random import SystemRandom


@dataclass(frozen=True, slots=True)
class Retry:
    """How long to go on trying, and how long to pause in between. All times in seconds.

    `random` is the system's: Lambda's SnapStart clones the state of Python's own generator, and clones that pause alike
    collide again.
    """

    budget: float = 2.0
    base: float = 0.02
    cap: float = 0.5
    random: Callable[[], float] = SystemRandom().random
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep

    def end(self) -> float:
        """When a budget that begins now is used up, on `clock`."""
        return self.clock() + self.budget

    def attempts(self, end: float | None = None) -> Iterator[int]:
        """Yields 0, 1, 2 …, pausing before each but the first, until `end`: the end of a budget that begins now, unless
        several requests share one."""
        end = self.end() if end is None else end
        for attempt in count():
            yield attempt
            pause = self.random() * min(self.cap, self.base * 2**attempt)
            if self.clock() + pause >= end:
                return
            self.sleep(pause)
