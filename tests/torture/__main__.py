"""Tortures the log and says what came of it. Exits 1 if a promise was broken."""

from __future__ import annotations

import argparse
import sys

from tests.torture.run import Plan, run


def main() -> int:
    plan = Plan()
    parser = argparse.ArgumentParser(prog="python -m tests.torture", description=__doc__)
    parser.add_argument("--seconds", type=float, default=plan.seconds, help="how long processes read and write")
    parser.add_argument("--writers", type=int, default=plan.writers, help="processes that write at a time")
    parser.add_argument("--readers", type=int, default=plan.readers, help="processes that read")
    parser.add_argument("--kill-every", type=float, default=plan.kill_every, help="mean seconds between two kills")
    arguments = parser.parse_args()
    report = run(Plan(arguments.seconds, arguments.writers, arguments.readers, kill_every=arguments.kill_every))
    print(report)
    return 1 if report.violations else 0


if __name__ == "__main__":
    sys.exit(main())
