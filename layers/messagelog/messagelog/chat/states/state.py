"""What a chat remembers beside the log: where its window begins, its prompt tree, its queue, and who is sending."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from messagelog.messages import AgentMessage


@dataclass(frozen=True, slots=True)
class Window:
    """What the chat shows of the log.

    The messages behind seq `start` are its messages; those behind `cleared` up to `start` were handed off; what is
    before belongs to the log alone.
    """

    cleared: int = 0
    start: int = 0


@dataclass(frozen=True, slots=True)
class System:
    """The prompt tree as JSON text, empty for a tree nobody has written, and the version that counts its changes."""

    tree: str = ""
    version: int = 0


@dataclass(frozen=True, slots=True)
class Staged:
    """A message in the queue. `entry` is its place, and sorts as the queue is ordered; `stored` is the state's own."""

    entry: str
    message: AgentMessage
    stored: Any = None


@dataclass(frozen=True, slots=True)
class Progress:
    """How the last turn stands: `running` if somebody is at it, `failed` if nobody is and it broke off or waits for its
    worker; neither once it is done, or the window was moved. Who died with a lease before a turn began leaves `failed`
    as well, and the next turn settles it."""

    running: bool
    failed: bool


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to send, held by one sender at a time. `fence` grows with each lease: an old holder is known by it."""

    holder: str
    fence: int


class ChatState(Protocol):
    """Keeps one conversation's chat state. Implementations are safe to use from many threads and processes.

    Methods that return `also` give what is to be committed with an append to the log: `Storage.append`.
    """

    def window(self) -> Window:
        """Where the chat's window is."""
        ...

    def is_running(self) -> bool:
        """Whether somebody holds a lease that has not run out."""
        ...

    def progress(self) -> Progress:
        """How the last turn stands, at one moment. A lease that has run out is nobody's any more."""
        ...

    def move(self, window: Window, *, system: System | None = None, seen: Window | None = None) -> int:
        """Puts the window elsewhere; with `system`, replaces the prompt tree in the same commit, whatever its version.

        Returns the version that the tree has got by this, 0 without `system`.

        Raises SendRunningError while somebody sends or, with `seen`, if the window is not where it was seen any more.
        Who held a lease before can write no longer, though it has run out and nobody else has taken it. A turn that
        broke off is open no more; one that waits for its worker may still begin, since its queue stays.
        """
        ...

    def moving(self, window: Window, *, seen: Window | None = None) -> Sequence[Any]:
        """`also` that does what `move` does, and does not hold where that raises."""
        ...

    def system(self) -> System:
        """The prompt tree."""
        ...

    def put_system(self, tree: str, *, version: int) -> System:
        """Replaces the tree if it still has this version, and returns it with the next; else PromptChangedError."""
        ...

    def enqueue(self, message: AgentMessage) -> None:
        """Puts a message behind those this process has queued before. Waits for no send.

        Raises UnknownOutcomeError if it may or may not be in the queue.
        """
        ...

    def staged(self, *, limit: int, up_to: str | None = None) -> Sequence[Staged]:
        """The first messages of the queue, at most `limit` and fewer if they are large, none behind entry `up_to`."""
        ...

    def last_staged(self) -> str | None:
        """The entry of the last message in the queue, None if it is empty."""
        ...

    def unstaging(self, staged: Sequence[Staged]) -> Sequence[Any]:
        """`also` that takes the messages out of the queue; does not hold if somebody else has taken one."""
        ...

    def discard(self, staged: Sequence[Staged]) -> None:
        """Frees what messages took up that are out of the queue by now."""
        ...

    def acquire(self, holder: str, *, seconds: float, turn: str | None = None) -> Lease:
        """The lease, for that long. The same holder may take it again.

        With `turn`, that turn is open until a release says that it is done, in place of any other: the holder's own
        name begins one, that of an earlier holder is for the turn that was begun by it or was still to begin. Without,
        no turn begins and what is open stays so: a lease that nobody comes to use cancels nothing that was begun. One
        that was still to begin beside an open turn when its lease ran out is displaced: its queue waits for the next.

        Raises SendRunningError while another holds the lease; TurnDoneError if the turn is done, or another was begun
        or is to begin since. Where the outcome is unknown, that is a StorageUnavailableError: nothing is said in a chat
        by taking a lease, and one that nobody uses runs out.
        """
        ...

    def renew(self, lease: Lease, *, seconds: float) -> None:
        """Lets the lease run that long from now. Raises LeaseLostError if it was released or taken over."""
        ...

    def release(self, lease: Lease, *, done: bool = False) -> None:
        """Gives the lease back, if it is still held; with `done`, the open turn has come to its end."""
        ...

    def holding(self, lease: Lease) -> Sequence[Any]:
        """`also` that does not hold once another took the lease over."""
        ...
