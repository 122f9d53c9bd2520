"""The state of a chat outside of its log: its window, its prompt tree, its queue, and the lease of its sender."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from messagelog.errors import StorageUnavailableError
from messagelog.messages import AgentMessage


@dataclass(frozen=True, slots=True)
class Window:
    """The part of the log that the chat shows.

    Attributes:
        cleared: The seq after which the handed-off messages begin. Earlier messages are only in the log.
        start: The seq after which the chat's own messages begin.
    """

    cleared: int = 0
    start: int = 0


@dataclass(frozen=True, slots=True)
class System:
    """The prompt tree as it is stored.

    Attributes:
        tree: The tree as JSON text. It is empty before the first change.
        version: How often the tree was changed.
    """

    tree: str = ""
    version: int = 0


@dataclass(frozen=True, slots=True)
class Staged:
    """A message in the queue.

    Attributes:
        entry: Its place. Entries sort in the order of the queue.
        message: The message.
        stored: Data that only the implementation of the state uses.
    """

    entry: str
    message: AgentMessage
    stored: Any = None


@dataclass(frozen=True, slots=True)
class Progress:
    """How the last turn stands. Both are false once it is done, or the window was moved.

    Attributes:
        running: Somebody has the lease.
        failed: Nobody has the lease, and the turn broke off or still waits for its worker. It also follows a holder
            that died before its turn began. The next turn ends it.
    """

    running: bool
    failed: bool


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to send. One sender has it at a time.

    Attributes:
        holder: The name of the sender.
        fence: Grows with each lease, so that an earlier holder is recognised.
        start: The seq after which the window begins. It does not move while the lease is held.
    """

    holder: str
    fence: int
    start: int = 0


def check_log_reaches(start: int, count: int) -> None:
    """Raises StorageUnavailableError if a log of `count` messages ends before the window's `start`."""
    if count < start:
        error = StorageUnavailableError(
            f"the chat's window begins after message {start}, but its log holds only {count}: the log was restored "
            "without the chat's state; restore both to the same time, or clear the chat"
        )
        error.code = "WindowBeyondLog"
        raise error


class ChatState(Protocol):
    """Keeps one conversation's chat state. Implementations are safe to use from many threads and processes.

    `moving`, `unstaging` and `holding` return conditions for an append to the log: see `messagelog.storage.Append`.
    """

    def window(self) -> Window:
        """Returns where the chat's window is."""
        ...

    def is_running(self) -> bool:
        """Returns whether somebody has a lease that has not run out."""
        ...

    def progress(self) -> Progress:
        """Returns how the last turn stands, at one moment. A lease that has run out does not count."""
        ...

    def move(self, window: Window, *, system: System | None = None, seen: Window | None = None) -> int:
        """Puts the window elsewhere. It ends a turn that broke off, and an earlier holder cannot write any more.

        A turn that waits for its worker may still begin, because its queue stays.

        Args:
            window: The new window.
            system: Replaces the prompt tree in the same commit, without a check of its version.
            seen: Move only if the window is still here.

        Returns:
            The new version of the tree, 0 without `system`.

        Raises:
            SendRunningError: A send is running, or the window is not where it was seen.
        """
        ...

    def moving(self, window: Window, *, seen: Window | None = None) -> Sequence[Any]:
        """Returns conditions that do what `move` does. They fail where `move` raises SendRunningError."""
        ...

    def system(self) -> System:
        """Returns the prompt tree."""
        ...

    def put_system(self, tree: str, *, version: int) -> System:
        """Replaces the tree if it still has this version, and returns it with the next version.

        Raises:
            PromptChangedError: The tree has another version.
            UnknownOutcomeError: The tree may or may not be replaced.
        """
        ...

    def enqueue(self, message: AgentMessage) -> None:
        """Puts a message at the end of the queue. It never waits for a send.

        An enqueue that begins after another one returned comes after it, also in another process.

        Raises:
            UnknownOutcomeError: The message may or may not be queued.
        """
        ...

    def staged(self, *, limit: int, up_to: str | None = None) -> Sequence[Staged]:
        """Returns the first messages of the queue, in order.

        Args:
            limit: The largest number of messages. Fewer are returned if they are large.
            up_to: The last entry to return; by default the last one in the queue.
        """
        ...

    def last_staged(self) -> str | None:
        """Returns the entry of the last message in the queue, None if it is empty."""
        ...

    def unstaging(self, staged: Sequence[Staged], lease: Lease | None = None) -> Sequence[Any]:
        """Returns conditions that take messages out of the queue.

        They fail if somebody else took one of them out. The index of the failed condition is the index of that message.

        Args:
            staged: At least one message, as `staged` returned it.
            lease: If given, the conditions also include those of `holding`. Do not use both in one append.
        """
        ...

    def discard(self, staged: Sequence[Staged]) -> None:
        """Deletes what is left of messages that were taken out of the queue."""
        ...

    def acquire(self, holder: str, *, seconds: float, turn: str | None = None) -> Lease:
        """Takes the lease.

        Args:
            holder: A name that no other sender uses. The same holder may take the lease again.
            seconds: How long the lease lasts unless it is renewed.
            turn: The turn that this lease is for. The holder's own name begins a new turn, which replaces an open one.
                An earlier holder's name takes over the turn of that holder. Without a turn, no turn begins, and an open
                turn stays open.

        Raises:
            SendRunningError: Another holder has the lease.
            TurnDoneError: The turn is done, or another turn was begun in its place.
            StorageUnavailableError: The storage failed. The lease may be taken: it then runs out by itself, and the
                chat is not changed.
        """
        ...

    def renew(self, lease: Lease, *, seconds: float) -> None:
        """Extends the lease: it ends this long from now.

        Raises:
            LeaseLostError: The lease was released, or somebody took it over.
        """
        ...

    def release(self, lease: Lease, *, done: bool = False) -> None:
        """Gives the lease back if it is still held. `done` says that the open turn came to its end."""
        ...

    def holding(self, lease: Lease) -> Sequence[Any]:
        """Returns conditions that fail once somebody else took the lease over, or the window moved."""
        ...
