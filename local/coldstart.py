"""`make coldstart`: the start time of each function, compared with a start that only makes a DynamoDB client.

Both times are measured in the same fresh interpreter, first the client alone, so that a busy machine slows down both.
"""

from __future__ import annotations

import subprocess
import sys
from statistics import median

from local.dynamodb import CREDENTIALS
from local.template import ROOT, read_template

_STARTS = 10
_MEASURE = """
import sys, time
start = time.perf_counter()
import boto3
boto3.client("dynamodb")
bare = time.perf_counter()
__import__(sys.argv[1])
print(bare - start, time.perf_counter() - bare)
"""


def main() -> int:
    """Prints the median of ten starts for each function, in milliseconds."""
    template = read_template()
    folders = [*template.layers, *dict.fromkeys(function.folder for function in template.functions)]
    environment = {**CREDENTIALS, **template.environment(), "PYTHONPATH": ":".join(str(it.resolve()) for it in folders)}
    print(f"{'function':16} {'bare client':>11} {'function over it':>16}   ms, median of {_STARTS} fresh interpreters")
    for function in template.functions:
        starts = [_start(function.module, environment) for _ in range(_STARTS)]
        bare, more = (1000 * median(times) for times in zip(*starts, strict=True))
        print(f"{function.module:16} {bare:11.0f} {more:16.0f}", flush=True)
    return 0


def _start(module: str, environment: dict[str, str]) -> tuple[float, float]:
    command = [sys.executable, "-c", _MEASURE, module]
    result = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=True)
    bare, more = map(float, result.stdout.split())
    return bare, more


if __name__ == "__main__":
    sys.exit(main())
