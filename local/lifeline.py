"""Ends the processes that a local run starts whenever the run itself ends, even by SIGKILL.

The run holds the writing end of a pipe, and its children hold the reading end. When the run ends in any way, the system
closes the writing end. Then each child reads the end of the pipe.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable

_VARIABLE = "MESSAGELOG_LOCAL_LIFELINE"


class Lifeline:
    """The run's end of the pipe. Pass `fd` and `environment` to a child, and call `cut` to end all children."""

    def __init__(self) -> None:
        self.fd, self._held = os.pipe()
        os.set_inheritable(self.fd, True)
        self.environment = {_VARIABLE: str(self.fd)}

    def cut(self) -> None:
        """Close both ends: every child that follows the lifeline ends now."""
        os.close(self._held)
        os.close(self.fd)


def follow(on_end: Callable[[], None]) -> None:
    """In a child: call `on_end` from a thread when the run that holds the lifeline has ended."""
    fd = int(os.environ[_VARIABLE])

    def wait() -> None:
        os.read(fd, 1)
        on_end()

    threading.Thread(target=wait, daemon=True, name="lifeline").start()
