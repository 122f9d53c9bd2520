"""Runs MiniStack until the run that started it ends: `python -m local.ministack`.

MiniStack saves its state when it is told to stop, so it is always told, even if the run was killed hard.
"""

from __future__ import annotations

import os
import signal

from ministack.app import main  # type: ignore[import-untyped]

from local import lifeline

if __name__ == "__main__":
    lifeline.follow(lambda: os.kill(os.getpid(), signal.SIGTERM))
    main()
