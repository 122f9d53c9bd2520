"""Time for tests: it passes only while someone sleeps, so no test waits and none depends on speed."""

from __future__ import annotations


class Clock:
    """A clock to call for the time in seconds; `pauses` are the sleeps so far."""

    def __init__(self) -> None:
        self.now = 0.0
        self.pauses: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        """Lets the time pass at once."""
        self.pauses.append(seconds)
        self.now += seconds
