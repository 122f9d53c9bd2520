"""Each choice of parameters is a template without a fault, and the settings of samconfig.toml exist."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from cfnlint.api import lint, lint_file  # type: ignore[import-untyped]
from cfnlint.config import ManualArgs  # type: ignore[import-untyped]

from local.template import ROOT
from tests.support.sam_template import TEMPLATE, deployed

KEY = "arn:aws:kms:us-east-1:123456789012:key/0c4f2a3e-5d1b-4a6f-9c8e-7b6a5d4c3b2a"
BUS = "arn:aws:events:us-east-1:123456789012:event-bus/default"
CHOICES: dict[str, dict[str, str]] = {
    "nothing": {},
    "jwt": {"JwtIssuer": "https://login.example.com/", "JwtAudience": "messagelog", "JwtTenantClaim": "tenant"},
    "snapshots": {"SnapStart": "PublishedVersions"},
    "key": {"KmsKeyArn": KEY},
    "topic": {"AlarmTopicArn": "arn:aws:sns:us-east-1:123456789012:alarms"},
    "events": {"EventBusArn": BUS},
    "events and key": {"EventBusArn": BUS, "KmsKeyArn": KEY},
    "x86": {"Architecture": "x86_64", "LogLevel": "ERROR"},
    "origins": {"CorsOrigins": "https://app.example.com"},
    "concurrency": {"SendConcurrency": "20", "SendWorkerConcurrency": "50"},
    "bedrock": {"ChatProvider": "bedrock", "ChatModel": "a-model"},
    "bedrock profile": {"ChatProvider": "bedrock", "ChatModel": "p", "ChatModelArns": "arn:aws:bedrock:us-east-1::m"},
    "openai": {
        "ChatProvider": "openai",
        "ChatModel": "gpt",
        "ChatApiKeySecretArn": "arn:aws:secretsmanager:us-east-1:123456789012:secret:key",
        "ChatApiKeySecretKmsKeyArn": KEY,
        "ChatSetup": "module:function",
        "ChatSetupLayerArn": "arn:aws:lambda:us-east-1:123456789012:layer:setup:1",
    },
}
CHOICES["everything"] = {name: value for choice in CHOICES.values() for name, value in choice.items()}


@pytest.mark.parametrize("choice", CHOICES.values(), ids=CHOICES)
def test_each_choice_is_a_template_without_a_fault(choice: dict[str, str]) -> None:
    assert set(choice) <= set(TEMPLATE["Parameters"])
    template = deployed(**choice)
    del template["Rules"]
    for name, value in choice.items():
        template["Parameters"][name]["Default"] = value
    # Some parameters are not used after their conditions are decided.
    unused = ManualArgs(regions=["us-east-1"], ignore_checks=["W2001"])
    assert lint(json.dumps(template), config=unused) == []


def test_cfn_lint_finds_nothing() -> None:
    assert lint_file(ROOT / "template.yaml") == []


def test_sam_validate_finds_nothing() -> None:
    environment = os.environ | {"AWS_DEFAULT_REGION": "us-east-1", "SAM_CLI_TELEMETRY": "0"}
    command = [sys.executable, "-m", "samcli", "validate", "--lint"]
    result = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stdout + result.stderr
