"""The processes of a run: they work until the time is over, and meanwhile some are killed and others are frozen."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import time
from collections.abc import Callable
from itertools import count
from multiprocessing.process import BaseProcess

from tests.torture.history import Fault, Journal, now
from tests.torture.workers import READ_TIMEOUT, Job, read, write

_TICK = 0.05  # seconds between two looks at the processes
_SECONDS_TO_END = 60  # for a process to finish its last operation
_FREEZE_SECONDS = (1.2 * READ_TIMEOUT, 3 * READ_TIMEOUT)


class Processes:
    """Writers and readers. A writer that was killed is replaced by another one.

    Attributes:
        kills: The number of writers that were killed.
        freezes: The number of processes that were stopped with SIGSTOP, each for longer than a request may take.
    """

    def __init__(self, job: Job, writers: int, readers: int) -> None:
        self.kills = 0
        self.freezes = 0
        self._job = job
        self._numbers = count(1)
        self._writers = [self._new_writer() for _ in range(writers)]
        self._others = [_start(read, job, f"r{number}") for number in range(readers)]
        self._frozen: dict[BaseProcess, float] = {}  # and when each is continued

    def work(self, *, kill_every: float, freeze_every: float) -> None:
        """Kills and freezes processes until the time is over, then waits for all of them.

        Args:
            kill_every: The mean number of seconds between two kills.
            freeze_every: The mean number of seconds between two freezes.
        """
        with Journal(self._job.folder / "processes.jsonl") as journal:
            while now() < self._job.until - _TICK:
                time.sleep(_TICK)
                self._continue_due()
                if random.random() < _TICK / kill_every:
                    self._kill_a_writer()
                if random.random() < _TICK / freeze_every:
                    self._freeze_a_process()
                    journal.write(Fault("freeze", now()))
        self._end()

    def _new_writer(self) -> BaseProcess:
        return _start(write, self._job, f"w{next(self._numbers)}")

    def _kill_a_writer(self) -> None:
        victim = self._writers.pop(random.randrange(len(self._writers)))
        _send(victim, signal.SIGKILL)
        self._others.append(victim)
        self._frozen.pop(victim, None)
        self._writers.append(self._new_writer())
        self.kills += 1

    def _freeze_a_process(self) -> None:
        process = random.choice([*self._writers, *self._others])
        if process.is_alive() and process not in self._frozen:
            _send(process, signal.SIGSTOP)
            self._frozen[process] = now() + random.uniform(*_FREEZE_SECONDS)
            self.freezes += 1

    def _continue_due(self) -> None:
        for process, due in list(self._frozen.items()):
            if now() >= due:
                _send(process, signal.SIGCONT)
                del self._frozen[process]

    def _end(self) -> None:
        while self._frozen:
            time.sleep(_TICK)
            self._continue_due()
        for process in (*self._writers, *self._others):
            process.join(_SECONDS_TO_END)
            if process.exitcode not in (0, -signal.SIGKILL):
                process.kill()
                raise RuntimeError(f"a process failed: its exit code is {process.exitcode}")


def _start(work: Callable[[Job, str], None], job: Job, name: str) -> BaseProcess:
    """Forks, which is quick. This process has no threads that a fork would lose."""
    process = multiprocessing.get_context("fork").Process(target=work, args=(job, name))
    process.start()
    return process


def _send(process: BaseProcess, number: signal.Signals) -> None:
    assert process.pid is not None
    os.kill(process.pid, number)
