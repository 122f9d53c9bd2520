"""The functions in containers, as `sam local` runs them, with an emulated DynamoDB and a model beside them.

A container reaches this machine at the gateway of the engine's default network, so both listen there.
"""

import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import docker
import pytest
from docker.errors import DockerException
from samtranslator.yaml_helper import yaml_parse  # type: ignore[import-untyped]

from local.dynamodb import HOST, free_port
from tests.e2e.sam import COMMAND, ENVIRONMENT, MACHINE, ROOT, sam

IMAGE = f"public.ecr.aws/lambda/python:3.13-{MACHINE}"
_START_SECONDS = 120
_STOP_SECONDS = 120


def gateway() -> str:
    """Return the address at which containers reach this machine. Without a container engine, skip the test."""
    # In a process of its own: if nothing answers, the client leaves sockets open.
    asked = [sys.executable, "-c", "import docker; docker.from_env().ping()"]
    if subprocess.run(asked, capture_output=True).returncode:
        pytest.skip("no container engine answers: start Docker or Podman, and set DOCKER_HOST to its socket")
    engine = docker.from_env()
    try:
        if not engine.images.list(IMAGE):
            engine.images.pull(IMAGE)
        # The network may have no address of its own until it has a container.
        engine.containers.run(IMAGE, entrypoint="/bin/sh", command=["-c", ":"], remove=True)
        (network,) = (it for it in engine.networks.list() if it.name == "bridge")
        address: str = network.attrs["IPAM"]["Config"][0]["Gateway"]
        free_port(address)
    except (DockerException, OSError) as error:
        pytest.skip(f"the container engine cannot run the functions: {error}")
    finally:
        engine.close()
    return address


class Containers:
    """`sam local` on the result of `sam build`. Each function has these variables and its own."""

    def __init__(self, build: Path, variables: dict[str, str], **parameters: str) -> None:
        document = yaml_parse((build / "template.yaml").read_text())
        # `--env-vars` sets only variables that the template declares.
        document["Globals"]["Function"]["Environment"]["Variables"] |= variables
        template = build / "containers.json"
        template.write_text(json.dumps(document))
        overrides = [f"{name}={value}" for name, value in {"Architecture": MACHINE, **parameters}.items()]
        self._options = ["--template", str(template), "--skip-pull-image", "--parameter-overrides", *overrides]

    def invoke(self, function: str, event: Path) -> Any:
        """Return the reply of the function, as `sam local invoke` prints it."""
        return json.loads(sam("local", "invoke", function, "--event", str(event), *self._options))

    @contextmanager
    def serving(self, command: str, host: str = HOST, port: int | None = None) -> Iterator[str]:
        """Run `sam local start-api` or `sam local start-lambda`, and yield its address."""
        port = port or free_port(host)
        options = ["--host", host, "--port", str(port), "--warm-containers", "LAZY", *self._options]
        process = subprocess.Popen(
            [*COMMAND, "local", command, *options],
            cwd=ROOT,
            env=ENVIRONMENT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            _await(process, host, port)
            yield f"http://{host}:{port}"
        finally:
            process.terminate()  # so that it removes its containers
            try:
                process.wait(_STOP_SECONDS)
            finally:
                process.kill()


def _await(process: "subprocess.Popen[bytes]", host: str, port: int) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while True:
        try:
            socket.create_connection((host, port), timeout=1).close()
            return
        except OSError:
            assert process.poll() is None, "sam local has ended"
            assert time.monotonic() < deadline, "sam local does not listen"
            time.sleep(0.1)
