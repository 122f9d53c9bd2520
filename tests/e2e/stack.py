"""The template deployed with `sam deploy` on an emulated AWS."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import boto3
import pytest

from local.dynamodb import CREDENTIALS, embedded_dynamodb
from local.template import ROOT, Template
from tests.e2e.sam import MACHINE, sam

NAME = "messagelog"


class Stack:
    """The stack as its user sees it: functions by operation, outputs, and a client for each service."""

    def __init__(self, endpoint: str, template: Template) -> None:
        self._variables = {**CREDENTIALS, "AWS_ENDPOINT_URL": endpoint}
        self._session = boto3.Session(
            CREDENTIALS["AWS_ACCESS_KEY_ID"],
            CREDENTIALS["AWS_SECRET_ACCESS_KEY"],
            region_name=CREDENTIALS["AWS_DEFAULT_REGION"],
        )
        self._endpoint = endpoint
        self._operations = {function.logical_id: function.module for function in template.functions}

    def deploy(self, build: Path, **parameters: str) -> None:
        """Deploy the build, with the settings of samconfig.toml."""
        settings = ("--template-file", str(build / "template.yaml"), "--config-file", str(ROOT / "samconfig.toml"))
        overrides = [f"{name}={value}" for name, value in {"Architecture": MACHINE, **parameters}.items()]
        answers = ("--no-confirm-changeset", "--parameter-overrides", *overrides)
        sam("deploy", *settings, *answers, variables=self._variables)

    def delete(self) -> None:
        sam("delete", "--no-prompts", "--stack-name", NAME, "--region", "us-east-1", variables=self._variables)

    def client(self, service: str) -> Any:
        return self._session.client(service, endpoint_url=self._endpoint)

    def functions(self) -> dict[str, str]:
        """Return the names of the functions, by operation."""
        resources = self.client("cloudformation").describe_stack_resources(StackName=NAME)["StackResources"]
        named = {it["LogicalResourceId"]: it["PhysicalResourceId"] for it in resources}
        return {operation: named[logical_id] for logical_id, operation in self._operations.items()}

    def outputs(self) -> dict[str, str]:
        (stack,) = self.client("cloudformation").describe_stacks(StackName=NAME)["Stacks"]
        return {it["OutputKey"]: it["OutputValue"] for it in stack["Outputs"]}

    def invoke(self, name: str, event: bytes) -> Any:
        """Return the reply of the function of this name. Fail if it raises."""
        invoked = self.client("lambda").invoke(FunctionName=name, Payload=event)
        payload = invoked["Payload"].read()
        assert "FunctionError" not in invoked, payload
        return json.loads(payload)


@contextmanager
def emulated_aws(template: Template) -> Iterator[Stack]:
    """An AWS without the stack. Its functions run in processes of their own, with the developer's Python."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [it for it in os.environ if it.startswith(("AWS_", "PYTHON"))]:
            patch.delenv(name)
        with embedded_dynamodb(services="") as endpoint:
            yield Stack(endpoint, template)
