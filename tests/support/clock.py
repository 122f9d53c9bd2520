"""Time for tests. It passes only while somebody sleeps, so no test waits, and none depends on the machine's speed."""

from __future__ import annotations


class Clock:
    """Call it for the time in seconds. `pauses` holds the sleeps so far."""

    def __init__(self) -> None:
        self.now = 0.0
        self.pauses: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        """Lets the time pass at once."""
        self.pauses.append(seconds)
        self.now += seconds
