"""Tortures the log and reports the result. Exits with 1 if a promise was broken."""

from __future__ import annotations

import argparse
import sys

from tests.torture.run import Plan, run

_HELP = {
    "seconds": "how long processes read and write",
    "writers": "processes that write at a time",
    "readers": "processes that read",
    "kill_every": "mean seconds between two kills of a writer",
    "freeze_every": "mean seconds between two freezes of a process",
}


def main() -> int:
    plan = Plan()
    parser = argparse.ArgumentParser(prog="python -m tests.torture", description=__doc__)
    for name, text in _HELP.items():
        default = getattr(plan, name)
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(default), default=default, help=text)
    report = run(Plan(**vars(parser.parse_args())))
    print(report)
    return 1 if report.violations else 0


if __name__ == "__main__":
    sys.exit(main())
