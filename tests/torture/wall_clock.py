"""A wall clock that jumps and stops, in place of the real one, for one process."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Iterable
from datetime import datetime, tzinfo
from types import ModuleType

_LONGEST_JUMP = 30 * 24 * 60 * 60.0  # seconds


class WallClock:
    """Tells a time that is right at first. The monotonic clock does not change."""

    def __init__(self, real: Callable[[], float] = time.time) -> None:
        self._real = real
        self._offset = 0.0
        self._stopped_at: float | None = None

    def time(self) -> float:
        """Seconds since 1970."""
        return self._real() + self._offset if self._stopped_at is None else self._stopped_at

    def step(self) -> None:
        """Jumps by up to 30 days, forward or back; or stops; or tells the right time again."""
        stopped_at, offset = None, 0.0
        match random.choice(("jump", "jump", "stop", "right")):
            case "jump":
                offset = random.uniform(-_LONGEST_JUMP, _LONGEST_JUMP)
            case "stop":
                stopped_at = self.time()
        self._stopped_at, self._offset = stopped_at, offset

    def install(self, modules: Iterable[ModuleType]) -> None:
        """From now on, `time.time` and the `datetime` of these modules tell this time.

        Call it in a process that ends with the run.
        """
        time.time = self.time
        replacement = _datetime_of(self)
        for module in modules:
            if getattr(module, "datetime", None) is datetime:
                module.datetime = replacement  # type: ignore[attr-defined]


def library_modules() -> list[ModuleType]:
    """The imported modules of the library. The codec only parses times, and needs the real class for that."""
    names = [name for name in sys.modules if name.startswith("messagelog.")]
    return [sys.modules[name] for name in names if not name.startswith("messagelog.codec")]


def _datetime_of(clock: WallClock) -> type[datetime]:
    class SteppedDatetime(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
            return datetime.fromtimestamp(clock.time(), tz)

    return SteppedDatetime
