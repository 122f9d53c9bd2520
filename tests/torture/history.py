"""The history of a run. Each process writes down every event at once, as a line of JSON.

A process that is killed leaves the lines that it wrote, and perhaps half a line. Times are `time.monotonic`, which on
Linux is one clock for all processes.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Literal

Outcome = Literal["acknowledged", "unknown", "refused"]


@dataclass(frozen=True, slots=True)
class Begin:
    """An append begins. `contents` are the contents of its messages. No two messages of a run have the same one."""

    append: str
    writer: str
    conversation: str
    contents: tuple[str, ...]
    key: str | None
    expected_count: int | None
    at: float


@dataclass(frozen=True, slots=True)
class End:
    """An append has ended. `seq` is the seq that it returned."""

    append: str
    outcome: Outcome
    seq: int | None
    at: float


@dataclass(frozen=True, slots=True)
class Read:
    """A read of the messages from `first` to the end of the log.

    Attributes:
        conversation: The conversation.
        first: The first seq that was asked for.
        last: The last seq that the read showed; `first - 1` if it showed none.
        digest: The digest of the contents that it showed: see `digest_of`.
        begun: When it began.
        at: When it ended.
    """

    conversation: str
    first: int
    last: int
    digest: str
    begun: float
    at: float


@dataclass(frozen=True, slots=True)
class Hole:
    """A read that left out a seq."""

    conversation: str
    seqs: tuple[int, ...]
    at: float


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault was injected into a request, a clock or a process."""

    kind: str
    at: float


Event = Begin | End | Read | Hole | Fault
_KINDS: dict[str, type[Event]] = {kind.__name__: kind for kind in (Begin, End, Read, Hole, Fault)}


@dataclass(slots=True)
class History:
    """All events of a run, by kind."""

    begins: list[Begin] = field(default_factory=list)
    ends: dict[str, End] = field(default_factory=dict)
    reads: list[Read] = field(default_factory=list)
    holes: list[Hole] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)

    def add(self, event: Event) -> None:
        match event:
            case Begin():
                self.begins.append(event)
            case End():
                self.ends[event.append] = event
            case Read():
                self.reads.append(event)
            case Hole():
                self.holes.append(event)
            case Fault():
                self.faults.append(event)


class Journal:
    """Writes down the events of one process."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> Journal:
        self._file: IO[bytes] = self._path.open("ab", buffering=0)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._file.close()

    def write(self, event: Event) -> None:
        """Writes an event as one line. It is safe to call from many threads."""
        line = json.dumps({"event": type(event).__name__, **asdict(event)})
        self._file.write(line.encode() + b"\n")


def history_in(folder: Path) -> History:
    """The history that all journals in a folder hold."""
    history = History()
    for path in sorted(folder.glob("*.jsonl")):
        for event in _events_in(path):
            history.add(event)
    return history


def digest_of(contents: Sequence[str]) -> str:
    """A digest that differs between any two lists of contents that a read may show."""
    return sha256("\n".join(contents).encode()).hexdigest()[:16]


def now() -> float:
    """The time on the clock of all processes."""
    return time.monotonic()


def _events_in(path: Path) -> Iterator[Event]:
    for line in path.read_bytes().split(b"\n")[:-1]:
        fields: dict[str, Any] = json.loads(line)
        kind = _KINDS[fields.pop("event")]
        yield kind(**{name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()})
