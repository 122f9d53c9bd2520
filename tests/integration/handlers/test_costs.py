"""Every body up to 6 MB gets its final answer within 5 seconds of CPU and 300 MB of memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from local.dynamodb import CREDENTIALS
from local.template import ROOT
from tests.support.hostile_bodies import APPENDED, BATCHES, MEGABYTES, NEAR_THE_CEILING

CPU_SECONDS = 5
SLOWNESS = 4  # of a machine that other tests share
MEMORY_MEGABYTES = 300
LARGEST = [("append", kind, MEGABYTES) for kind in APPENDED] + [("append_many", kind, MEGABYTES) for kind in BATCHES]
STORED = [
    *(("append", kind, NEAR_THE_CEILING) for kind in ("lists", "objects", "lists of one", "text args of lists")),
    ("append", "objects of one", 3_050_000),
    ("append", "deep objects", 3_000_000),
    ("append", "small numbers", 3_100_000),
    ("append", "keys", 3_000_000),
    ("append", "text", 4_700_000),
    ("append", "controls", 4_700_000),
    ("append", "text args of floats", 4_600_000),
]

pytestmark = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")


def cost(operation: str, kind: str, size: int, encoding: str = "") -> tuple[int, float, float]:
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "COV"))},
        **CREDENTIALS,
        "MESSAGELOG_TABLE": "MessageTable",
        "MESSAGELOG_TENANT_CLAIM": "",
        "POWERTOOLS_METRICS_DISABLED": "true",
        "POWERTOOLS_LOG_LEVEL": "CRITICAL",
        "PYTHONPATH": f"{ROOT}/layers/messagelog:{ROOT}/functions:{ROOT}",
    }
    command = [sys.executable, "-m", "tests.support.cost", operation, kind, str(size), encoding]
    ended = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr[-2_000:]
    measures = json.loads(ended.stdout)
    return measures["status"], measures["seconds"], measures["megabytes"]


def check_cost(seconds: float, megabytes: float) -> None:
    assert seconds <= CPU_SECONDS * SLOWNESS
    assert megabytes <= MEMORY_MEGABYTES


@pytest.mark.parametrize(("operation", "kind", "size"), LARGEST, ids=str)
def test_the_largest_bodies_are_answered_cheaply(operation: str, kind: str, size: int) -> None:
    status, seconds, megabytes = cost(operation, kind, size)
    assert status in (201, 400, 413, 422)
    check_cost(seconds, megabytes)


@pytest.mark.parametrize(("operation", "kind", "size"), STORED, ids=str)
def test_storing_a_message_that_fits_a_reply_is_cheap(operation: str, kind: str, size: int) -> None:
    status, seconds, megabytes = cost(operation, kind, size)
    assert status == 201
    check_cost(seconds, megabytes)


@pytest.mark.parametrize("kind", ["text with an emoji", "lists of one"])
def test_base64_bodies_are_answered_cheaply(kind: str) -> None:
    """Lambda's event has room for 4.7 MB of a body in base64."""
    status, seconds, megabytes = cost("append", kind, 4_700_000, "base64")
    assert status in (201, 413)
    check_cost(seconds, megabytes)
