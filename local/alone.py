"""`alone.py LOCK COMMAND…` runs a command while no other process runs one with the same lock file.

The operating system releases the lock when its process ends, even if it is killed. So no lock is ever left over.
"""

from __future__ import annotations

import fcntl
import subprocess
import sys
from pathlib import Path


def main() -> int:
    path, *command = sys.argv[1:]
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    with Path(path).open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("Waiting for another make that prepares an environment.", file=sys.stderr)
            fcntl.flock(lock, fcntl.LOCK_EX)
        # make passes open files to the makes that it starts.
        return subprocess.call(command, close_fds=False)


if __name__ == "__main__":
    sys.exit(main())
