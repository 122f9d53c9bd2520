"""Measure each peer and print the results as lines of JSON. `--quick` measures less.

AWS_ENDPOINT_URL_DYNAMODB names the DynamoDB. The meter is attached to each client that a library makes.
"""

from __future__ import annotations

import argparse
import importlib
import json
import logging
import sys
import warnings
from functools import wraps
from typing import Any

import boto3
import botocore.session

from benchmarks import trial
from benchmarks.meter import Meter
from benchmarks.peers.support import Peer

PEERS = {
    "langchain-community": "langchain:LangChain",
    "llama-index chat store": "llama_index:LlamaIndex",
    "openai-agents-session": "openai_agents:OpenAIAgents",
    "strands-dynamodb-storage": "strands:Strands",
    "langgraph-checkpoint-aws": "langgraph:LangGraph",
    "adk-dynamodb-session": "adk:ADK",
    "pya-memory": "pya_memory:PyaMemory",
    "SQLiteSession (local file)": "openai_agents:SQLite",
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("peers", nargs="*", default=list(PEERS), help="their names; all of them by default")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    meter = Meter(boto3.client("dynamodb"))
    attach_to_all(meter)
    Peer.meter = meter
    plan = trial.QUICK if arguments.quick else trial.Plan()
    for name in arguments.peers:
        metered = "SQLite" not in name
        result = trial.run(lambda name=name: load(name), name, meter, plan, metered=metered)  # type: ignore[misc]
        sys.stdout.write(json.dumps(result.to_json()) + "\n")
        sys.stdout.flush()


def load(name: str) -> Any:
    """Return the peer. Raises ImportError if its library is not installed."""
    module, _, peer = PEERS[name].partition(":")
    return getattr(importlib.import_module(f"benchmarks.peers.{module}"), peer)()


def attach_to_all(meter: Meter) -> None:
    """Attach the meter to each DynamoDB client that is made after this call."""
    create_client = botocore.session.Session.create_client

    @wraps(create_client)
    def create(self: Any, *arguments: Any, **options: Any) -> Any:
        client = create_client(self, *arguments, **options)
        if client.meta.service_model.service_name == "dynamodb":
            meter.attach(client)
        return client

    botocore.session.Session.create_client = create  # type: ignore[method-assign]


if __name__ == "__main__":
    main()
