"""Run all benchmarks, and write benchmarks/results/ and the figures in the README: `python -m benchmarks`.

`--quick` measures less of everything. Incomplete results go into files of their own, `partial.*`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import memory, report, speed, summary, trial
from benchmarks.bare import BareStore
from benchmarks.meter import Meter
from benchmarks.ours import OurStore
from benchmarks.trial import Plan, Trial
from local.dynamodb import CREDENTIALS, connect, embedded_dynamodb
from local.template import ROOT, read_template

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

RESULTS = ROOT / "benchmarks" / "results"
# The peers that run in each environment.
ENVIRONMENTS = {
    "peers": [
        "langchain-community",
        "openai-agents-session",
        "strands-dynamodb-storage",
        "langgraph-checkpoint-aws",
        "adk-dynamodb-session",
        "SQLiteSession (local file)",
    ],
    "peers-llama-index": ["llama-index chat store"],
    "peers-pya-memory": ["pya-memory"],
}
_PEERS_SECONDS = 400


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="shorter conversations, fewer pairs, fewer writers")
    quick: bool = parser.parse_args().quick
    plan = trial.QUICK if quick else Plan()
    with embedded_dynamodb() as endpoint:
        table = "messages"
        connect(endpoint).create_table(**{**read_template().tables["MessageTable"], "TableName": table})
        _say("the log")
        trials = list(_own(endpoint, table, plan))
        trials += _peers(endpoint, quick)
        _say("speed")
        client = connect(endpoint)
        ratios = list(speed.measure(client, table, length=1_000 if quick else 10_000, pairs=5 if quick else 9))
        _say("memory")
        used = memory.measure(client, table, length=10_000 if quick else 100_000)
    for each in (each for each in trials if each.unavailable):
        _say(f"{each.store} was not run: {each.unavailable}")
    whole = not quick and not any(each.unavailable for each in trials)
    _write(RESULTS / ("results.md" if whole else "partial.md"), report.markdown(trials, ratios, used))
    _write(RESULTS / ("append-cost.svg" if whole else "partial.svg"), report.chart(trials))
    if whole:
        readme = ROOT / "README.md"
        _write(readme, summary.quoted(readme.read_text(encoding="utf-8"), trials, ratios, used))


def _own(endpoint: str, table: str, plan: Plan) -> Iterator[Trial]:
    """Yield the trials of MessageLog and of boto3 alone."""
    meter = Meter(connect(endpoint))

    def metered() -> DynamoDBClient:
        client = connect(endpoint)
        meter.attach(client)
        return client

    yield trial.run(lambda: OurStore(table, metered), OurStore.name, meter, plan)
    yield trial.run(lambda: BareStore(table, metered), BareStore.name, meter, plan)


def _peers(endpoint: str, quick: bool) -> Iterator[Trial]:
    """Yield the trial of each peer, in a process of its environment.

    They run one after the other, to be fair to each. With `quick`, two run at the same time.
    """
    environment = {**os.environ, **CREDENTIALS, "AWS_ENDPOINT_URL_DYNAMODB": endpoint, "PYTHONPATH": str(ROOT)}

    def run(folder: str, peer: str) -> Trial:
        _say(peer)
        python = ROOT / ".local" / folder / "bin" / "python"
        if not python.exists():
            return Trial(peer, unavailable="its environment could not be made")
        return _run(peer, [str(python), "-m", "benchmarks.peers", peer, *(["--quick"] if quick else [])], environment)

    with ThreadPoolExecutor(2 if quick else 1) as pool:
        places = [(folder, peer) for folder, peers in ENVIRONMENTS.items() for peer in peers]
        yield from pool.map(run, *zip(*places, strict=True))


def _run(peer: str, command: list[str], environment: dict[str, str]) -> Trial:
    with tempfile.TemporaryDirectory() as folder:
        try:
            done = subprocess.run(
                command, cwd=folder, env=environment, capture_output=True, timeout=_PEERS_SECONDS, check=True
            )
        except subprocess.SubprocessError as error:
            return Trial(peer, unavailable=type(error).__name__)
    return Trial.from_json(json.loads(done.stdout))


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    print(f"written: {path.relative_to(ROOT)}")


_begun = time.monotonic()


def _say(what: str) -> None:
    print(f"{time.monotonic() - _begun:4.0f} s  {what}", flush=True)


if __name__ == "__main__":
    main()
