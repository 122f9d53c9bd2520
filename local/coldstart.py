"""`make coldstart`: what each function adds to a start that makes a DynamoDB client and nothing else.

Both times are taken in the same fresh interpreter, the bare client first, so that a busy machine slows both alike.
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
