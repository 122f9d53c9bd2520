"""How the functions of template.yaml run: layers, memory, time, logs, versions and concurrency."""

from __future__ import annotations

import re
import tomllib
from typing import Any

import pytest

from local.template import ROOT
from tests.support.sam_template import (
    NOTHING,
    OPERATIONS,
    RESOURCES,
    ROUTES,
    TEMPLATE,
    each_operation,
    function,
    of_type,
    resources,
    translate,
)

FULL_CPU_MB = 1769  # "At 1,769 MB, a function has the equivalent of one vCPU" (Lambda Developer Guide)


@each_operation
def test_each_function_has_its_code_and_tables(operation: str) -> None:
    properties = function(operation)
    assert properties["Architectures"] == [{"Ref": "Architecture"}]
    assert properties["Layers"][0]["Ref"].startswith("MessageLogLayer")
    assert len(properties["Layers"]) == (3 if operation == "send_worker" else 1)
    assert properties["Environment"]["Variables"]["MESSAGELOG_TABLE"] == {"Ref": "MessageTable"}
    assert properties["Environment"]["Variables"]["MESSAGELOG_CHAT_TABLE"] == {"Ref": "ChatTable"}


@pytest.mark.parametrize("operation", ROUTES)
def test_each_route_has_a_vcpu_and_the_time_of_the_api(operation: str) -> None:
    """A body of 6 MB takes up to 5 seconds of CPU, and the storage retries for 5; API Gateway waits for 30."""
    assert function(operation)["MemorySize"] >= FULL_CPU_MB
    assert 20 <= function(operation)["Timeout"] < 30


def test_the_worker_has_the_time_of_a_turn() -> None:
    worker = function("send_worker")
    assert (worker["Timeout"], worker["MemorySize"]) == ({"Ref": "SendTimeout"}, {"Ref": "SendMemorySize"})
    assert TEMPLATE["Parameters"]["SendTimeout"]["Default"] == 15 * 60


def test_only_the_worker_has_openai_and_the_setup_layer() -> None:
    others = [{"Ref": "OpenaiLayer"}, {"Fn::If": ["HasChatSetupLayer", {"Ref": "ChatSetupLayerArn"}, NOTHING]}]
    assert TEMPLATE["Resources"]["SendWorkerFunction"]["Properties"]["Layers"] == others


@pytest.mark.parametrize("name", ["MessageLogLayer", "OpenaiLayer"])
def test_each_layer_is_built_for_the_functions(name: str) -> None:
    layer = TEMPLATE["Resources"][name]
    assert layer["Metadata"] == {"BuildMethod": "python3.13", "BuildArchitecture": {"Ref": "Architecture"}}
    assert TEMPLATE["Parameters"]["Architecture"]["Default"] == "arm64"


def test_the_openai_layer_is_the_extra_of_the_package() -> None:
    package = tomllib.loads((ROOT / "layers/messagelog/pyproject.toml").read_text())["project"]
    layer = (ROOT / "layers/openai/requirements.txt").read_text().split()
    assert layer == package["optional-dependencies"]["openai"]


@each_operation
def test_each_function_logs_json_to_a_group_of_the_stack(operation: str) -> None:
    logging = function(operation)["LoggingConfig"]
    assert logging["LogFormat"] == "JSON"
    assert logging["LogGroup"] == {"Ref": "SendWorkerLogGroup" if operation == "send_worker" else "FunctionLogGroup"}, (
        "code of the user runs in the worker, and may log content"
    )


def test_each_log_group_is_used_and_expires() -> None:
    groups = of_type("AWS::Logs::LogGroup")
    used = {function(operation)["LoggingConfig"]["LogGroup"]["Ref"] for operation in OPERATIONS}
    assert set(groups) == used | {"AccessLogGroup"}
    assert all(group["RetentionInDays"] == {"Ref": "LogRetentionDays"} for group in groups.values())


@pytest.mark.parametrize(("level", "kept"), [("DEBUG", "DEBUG"), ("INFO", "INFO"), ("WARN", "INFO"), ("ERROR", "INFO")])
def test_lambda_drops_no_metric(level: str, kept: str) -> None:
    """Lambda takes a line without a level for an INFO line ("Log-level filtering", Lambda Developer Guide)."""
    for properties in of_type("AWS::Lambda::Function", resources(LogLevel=level)).values():
        assert properties["LoggingConfig"]["ApplicationLogLevel"] == kept
        assert properties["Environment"]["Variables"]["POWERTOOLS_LOG_LEVEL"] == {"Ref": "LogLevel"}


def test_no_model_is_asked_by_default() -> None:
    chat = [name for name in TEMPLATE["Parameters"] if "Chat" in name]
    assert all(TEMPLATE["Parameters"][name]["Default"] == "" for name in chat)
    assert set(function("send")["Environment"]["Variables"]) >= {"CHAT_PROVIDER", "CHAT_WORKER_FUNCTION"}


def test_a_failed_turn_is_tried_again_and_then_kept() -> None:
    tries = RESOURCES["SendWorkerFunctionEventInvokeConfig"]["Properties"]
    assert (tries["MaximumRetryAttempts"], tries["FunctionName"]) == (2, {"Ref": "SendWorkerFunction"})
    assert function("send_worker")["DeadLetterConfig"] == {"TargetArn": {"Fn::GetAtt": ["FailedSendQueue", "Arn"]}}
    assert RESOURCES["FailedSendQueue"]["Properties"]["MessageRetentionPeriod"] == 14 * 24 * 3600, "as long as SQS can"


def test_no_concurrency_is_reserved_by_default() -> None:
    """A new account cannot reserve any: 100 must stay unreserved ("Reserved concurrency", Lambda Developer Guide)."""
    functions = of_type("AWS::Lambda::Function", resources())
    assert not any("ReservedConcurrentExecutions" in properties for properties in functions.values())


@pytest.mark.parametrize(
    ("parameter", "name"), [("SendConcurrency", "SendFunction"), ("SendWorkerConcurrency", "SendWorkerFunction")]
)
def test_concurrency_is_reserved_for_what_waits(parameter: str, name: str) -> None:
    functions = of_type("AWS::Lambda::Function", resources(**{parameter: "20"}))
    reserved = {it: properties.get("ReservedConcurrentExecutions") for it, properties in functions.items()}
    assert {it: value for it, value in reserved.items() if value} == {name: {"Ref": parameter}}


@pytest.mark.parametrize("parameter", ["SendConcurrency", "SendWorkerConcurrency"])
def test_a_reservation_of_zero_is_refused(parameter: str) -> None:
    """It would stop the function."""
    allowed = re.compile(TEMPLATE["Parameters"][parameter]["AllowedPattern"])
    assert [text for text in ("", "0", "1", "20", "-1", "2.5", "many") if allowed.search(text)] == ["", "1", "20"]


def test_all_functions_but_those_of_a_send_use_snapshots() -> None:
    functions = of_type("AWS::Lambda::Function", resources())
    published = {name.removesuffix("Aliaslive") for name in of_type("AWS::Lambda::Alias", resources())}
    assert set(functions) - published == {"SendFunction", "SendWorkerFunction"}
    for name, properties in functions.items():
        assert properties["SnapStart"] == {"ApplyOn": {"Ref": "SnapStart"} if name in published else "None"}
    assert TEMPLATE["Parameters"]["SnapStart"]["Default"] == "None"


def test_a_changed_parameter_publishes_a_version() -> None:
    """An alias shows a function as it was when its version was published. SAM publishes one when the text of the
    template changes; CloudFormation replaces a version whose description changes."""
    template = translate()
    versions = {it["FunctionName"]["Ref"]: it for it in of_type("AWS::Lambda::Version", template["Resources"]).values()}
    assert len(versions) == len(OPERATIONS) - 2
    for name, version in versions.items():
        described = set(re.findall(r"\$\{(\w+)\}", version.get("Description", {}).get("Fn::Sub", "")))
        missing = parameters_in(template["Resources"][name]["Properties"], template) - described
        assert not missing, f"name {', '.join(sorted(missing))} in the VersionDescription of {name}"


def parameters_in(part: Any, template: dict[str, Any]) -> set[str]:
    """Return the parameters that this part of the template depends on."""
    if isinstance(part, list):
        return {found for each in part for found in parameters_in(each, template)}
    if not isinstance(part, dict):
        return set()
    if "Ref" in part:
        return {part["Ref"]} & set(template["Parameters"])
    followed = parameters_in(list(part.values()), template)
    if "Fn::If" in part:
        followed |= parameters_in(TEMPLATE["Conditions"][part["Fn::If"][0]], template)
    return followed


def test_a_changed_layer_publishes_a_version() -> None:
    one, other = translate(), translate(layer="s3://bucket/another")
    names = [set(of_type("AWS::Lambda::Version", it["Resources"])) for it in (one, other)]
    assert not names[0] & names[1]
