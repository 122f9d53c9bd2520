"""What happened, as every process writes it down while it goes on: one JSON object a line, each written at once.

A process that is killed leaves what it wrote, and perhaps half a line. Times are `time.monotonic`, which on Linux is
one clock for all processes.
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
    """An append begins. `contents` are those of its messages; no two messages of a run share one."""

    append: str
    writer: str
    conversation: str
    contents: tuple[str, ...]
    key: str | None
    expected_count: int | None
    at: float


@dataclass(frozen=True, slots=True)
class End:
    """An append is over. `seq` is what it returned."""

    append: str
    outcome: Outcome
    seq: int | None
    at: float


@dataclass(frozen=True, slots=True)
class Read:
    """A read of the messages from `first` to `last`; of none, `last` is `first - 1`. Its end was the log's end.

    `digest` is that of what it showed: see `digest_of`.
    """

    conversation: str
    first: int
    last: int
    digest: str
    begun: float
    at: float


@dataclass(frozen=True, slots=True)
class Hole:
    """A read whose seqs did not follow each other."""

    conversation: str
    seqs: tuple[int, ...]
    at: float


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault was done to a request."""

    kind: str
    at: float


Event = Begin | End | Read | Hole | Fault
_KINDS: dict[str, type[Event]] = {kind.__name__: kind for kind in (Begin, End, Read, Hole, Fault)}


@dataclass(slots=True)
class History:
    """All that happened in a run, by kind."""

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
    """Writes down what one process does."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> Journal:
        self._file: IO[bytes] = self._path.open("ab", buffering=0)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._file.close()

    def write(self, event: Event) -> None:
        """Safe to call from many threads: a line is one write."""
        line = json.dumps({"event": type(event).__name__, **asdict(event)})
        self._file.write(line.encode() + b"\n")


def history_in(folder: Path) -> History:
    """What all journals in a folder tell."""
    history = History()
    for path in sorted(folder.glob("*.jsonl")):
        for event in _events_in(path):
            history.add(event)
    return history


def digest_of(contents: Sequence[str]) -> str:
    """Tells what was read from something else that might have been."""
    return sha256("\n".join(contents).encode()).hexdigest()[:16]


def now() -> float:
    return time.monotonic()


def _events_in(path: Path) -> Iterator[Event]:
    for line in path.read_bytes().split(b"\n")[:-1]:
        fields: dict[str, Any] = json.loads(line)
        kind = _KINDS[fields.pop("event")]
        yield kind(**{name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()})
