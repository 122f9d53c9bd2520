"""template.yaml is the truth about what is deployed. These tests hold what it must never lose.

They look at what SAM makes of it, so that what counts is what CloudFormation would be given.
"""

import json
import os
import re
import subprocess
import sys
import tomllib

import pytest
from cfnlint.api import lint_file  # type: ignore[import-untyped]

from local.template import ROOT
from tests.support.sam_template import NOTHING, RESOURCES, TEMPLATE, deployed, function, logical_id, of_type, routes

MESSAGES = "/conversations/{conversation}/messages"
CHAT = "/conversations/{conversation}"


ROUTES = {
    "append": f"POST {MESSAGES}",
    "add": f"POST {MESSAGES}/{{role}}",
    "append_many": f"POST {MESSAGES}/batch",
    "all": f"GET {MESSAGES}",
    "last": f"GET {MESSAGES}/last",
    "count": f"GET {MESSAGES}/count",
    "to_openai": f"GET {MESSAGES}/openai",
    "to_anthropic": f"GET {MESSAGES}/anthropic",
    "to_langchain": f"GET {MESSAGES}/langchain",
    "to_bedrock": f"GET {MESSAGES}/bedrock",
    "enqueue": f"POST {CHAT}/queue",
    "send": f"POST {CHAT}/send",
    "get_system": f"GET {CHAT}/system",
    "put_system": f"PUT {CHAT}/system",
    "chat_messages": f"GET {CHAT}/chat",
    "clear": f"POST {CHAT}/clear",
}
OPERATIONS = (*ROUTES, "send_worker")
each_operation = pytest.mark.parametrize("operation", OPERATIONS)


def test_each_file_is_one_function_with_one_event() -> None:
    files = sorted(path.stem for path in (ROOT / "functions").glob("*.py"))
    assert sorted(properties["Handler"] for properties in of_type("AWS::Lambda::Function").values()) == [
        f"{name}.handler" for name in files
    ]
    assert sorted(path.stem for path in (ROOT / "events").iterdir()) == files
    assert sorted(OPERATIONS) == files


@each_operation
def test_the_function_is_named_after_its_operation(operation: str) -> None:
    assert function(operation)["Handler"] == f"{operation}.handler"


def test_no_file_hides_a_module_of_the_standard_library() -> None:
    assert not {path.stem for path in (ROOT / "functions").iterdir()} & sys.stdlib_module_names


@each_operation
def test_a_test_names_the_operation(operation: str) -> None:
    others = (path for path in (ROOT / "tests").rglob("*.py") if not path.name.startswith("test_template"))
    tests = (path.read_text() for path in others)
    assert any(re.search(rf"""\bfunctions[./]{operation}\b|["']{operation}["']""", test) for test in tests)


@pytest.mark.parametrize("operation", ROUTES)
def test_each_operation_has_its_route(operation: str) -> None:
    uri = routes()[ROUTES[operation]]["x-amazon-apigateway-integration"]["uri"]["Fn::Sub"]
    alias = f"{logical_id(operation)}Aliaslive"
    assert f"${{{alias}}}" in uri if alias in RESOURCES else f"${{{logical_id(operation)}.Arn}}" in uri


def test_the_api_has_no_other_route() -> None:
    assert sorted(routes()) == sorted(ROUTES.values())


def test_the_api_is_closed_by_default() -> None:
    assert all(route["security"] == [{"AWS_IAM": []}] for route in routes(deployed()["Resources"]).values())
    schemes = RESOURCES["Api"]["Properties"]["Body"]["components"]["securitySchemes"]
    assert schemes["AWS_IAM"]["x-amazon-apigateway-authtype"] == "awsSigv4"


def test_nothing_but_the_api_invokes_a_function_and_nobody_but_send_the_worker() -> None:
    assert not of_type("AWS::Lambda::Url")
    permissions = of_type("AWS::Lambda::Permission").values()
    assert len(permissions) == len(ROUTES)
    assert {"Ref": logical_id("send_worker")} not in [permission["FunctionName"] for permission in permissions]
    assert {permission["Principal"] for permission in permissions} == {"apigateway.amazonaws.com"}


def test_browsers_of_other_origins_are_kept_out_by_default() -> None:
    condition, cors, otherwise = RESOURCES["Api"]["Properties"]["Body"]["x-amazon-apigateway-cors"]["Fn::If"]
    assert (condition, otherwise) == ("HasCorsOrigins", {"Ref": "AWS::NoValue"})
    assert TEMPLATE["Parameters"]["CorsOrigins"]["Default"] == ""
    assert cors["allowOrigins"] == {"Ref": "CorsOrigins"}
    assert {"Content-Type", "Authorization", "If-Match", "Idempotency-Key"} <= set(cors["allowHeaders"])
    assert set(cors["allowMethods"]) == {route.split()[0] for route in ROUTES.values()}
    assert set(cors["exposeHeaders"]) == {"ETag", "Retry-After"}


def test_the_api_is_throttled() -> None:
    (stage,) = of_type("AWS::ApiGatewayV2::Stage").values()
    assert stage["DefaultRouteSettings"] == {
        "ThrottlingRateLimit": {"Ref": "ThrottleRate"},
        "ThrottlingBurstLimit": {"Ref": "ThrottleBurst"},
    }


def test_access_logs_are_json_and_name_no_conversation() -> None:
    (stage,) = of_type("AWS::ApiGatewayV2::Stage").values()
    logged = json.loads(stage["AccessLogSettings"]["Format"])
    assert logged["routeKey"] == "$context.routeKey"
    assert logged["integrationRequestId"] == "$context.integration.requestId", "the request_id of the function's line"
    assert not [variable for variable in logged.values() if re.search("path|query|body|header", variable, re.I)]


def test_no_model_is_asked_until_one_is_chosen() -> None:
    assert all(TEMPLATE["Parameters"][name]["Default"] == "" for name in TEMPLATE["Parameters"] if "Chat" in name)
    assert set(function("send")["Environment"]["Variables"]) >= {"CHAT_PROVIDER", "CHAT_WORKER_FUNCTION"}


def test_a_turn_that_fails_is_tried_again_and_then_kept_where_it_is_seen() -> None:
    tries = RESOURCES["SendWorkerFunctionEventInvokeConfig"]["Properties"]
    assert (tries["MaximumRetryAttempts"], tries["FunctionName"]) == (2, {"Ref": "SendWorkerFunction"})
    assert function("send_worker")["DeadLetterConfig"] == {"TargetArn": {"Fn::GetAtt": ["FailedSendQueue", "Arn"]}}
    assert RESOURCES["FailedSendQueue"]["Properties"]["MessageRetentionPeriod"] == 14 * 24 * 3600, "as long as SQS can"


@each_operation
def test_each_function_is_set_up_to_run(operation: str) -> None:
    properties = function(operation)
    assert properties["Architectures"] == [{"Ref": "Architecture"}]
    assert properties["Layers"][0]["Ref"].startswith("MessageLogLayer")
    others = [{"Ref": "OpenaiLayer"}, {"Fn::If": ["HasChatSetupLayer", {"Ref": "ChatSetupLayerArn"}, NOTHING]}]
    assert TEMPLATE["Resources"]["SendWorkerFunction"]["Properties"]["Layers"] == others
    assert len(properties["Layers"]) == (3 if operation == "send_worker" else 1)
    assert properties["Environment"]["Variables"]["MESSAGELOG_TABLE"] == {"Ref": "MessageTable"}
    assert properties["Environment"]["Variables"]["MESSAGELOG_CHAT_TABLE"] == {"Ref": "ChatTable"}
    if operation == "send_worker":
        assert (properties["Timeout"], properties["MemorySize"]) == ({"Ref": "SendTimeout"}, {"Ref": "SendMemorySize"})
        assert TEMPLATE["Parameters"]["SendTimeout"]["Default"] == 15 * 60
    else:
        assert 10 <= properties["Timeout"] < 30, "storage retries must fit, and API Gateway waits for 30 seconds"


@pytest.mark.parametrize("name", ["MessageLogLayer", "OpenaiLayer"])
def test_each_layer_is_built_for_the_machine_of_the_functions(name: str) -> None:
    layer = TEMPLATE["Resources"][name]
    assert layer["Metadata"] == {"BuildMethod": "python3.13", "BuildArchitecture": {"Ref": "Architecture"}}
    assert TEMPLATE["Parameters"]["Architecture"]["Default"] == "arm64"


def test_the_layer_of_openai_is_what_the_package_asks_for() -> None:
    package = tomllib.loads((ROOT / "layers/messagelog/pyproject.toml").read_text())["project"]
    layer = (ROOT / "layers/openai/requirements.txt").read_text().split()
    assert layer == package["optional-dependencies"]["openai"]


def test_each_function_logs_json_to_a_group_of_its_own_that_forgets() -> None:
    logging = [properties["LoggingConfig"] for properties in of_type("AWS::Lambda::Function").values()]
    assert {config["LogFormat"] for config in logging} == {"JSON"}
    groups = {config["LogGroup"]["Ref"] for config in logging}
    assert groups | {"AccessLogGroup"} == set(of_type("AWS::Logs::LogGroup"))
    assert len(groups) == len(OPERATIONS)
    for group in of_type("AWS::Logs::LogGroup").values():
        assert group["RetentionInDays"] == {"Ref": "LogRetentionDays"}


@pytest.mark.parametrize("name", ["MessageTable", "ChatTable"])
def test_each_table_is_the_one_that_the_code_expects_and_is_kept(name: str) -> None:
    table = deployed()["Resources"][name]
    assert (table["DeletionPolicy"], table["UpdateReplacePolicy"]) == ("Retain", "Retain")
    expiry = {"TimeToLiveSpecification": {"AttributeName": "expires_at", "Enabled": True}}
    assert table["Properties"] == {
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in ("conversation", "entry")],
        "KeySchema": [
            {"AttributeName": "conversation", "KeyType": "HASH"},
            {"AttributeName": "entry", "KeyType": "RANGE"},
        ],
        "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True},
        **(expiry if name == "MessageTable" else {}),
    }


def test_each_environment_of_samconfig_stands_alone() -> None:
    config = tomllib.loads((ROOT / "samconfig.toml").read_text())
    default, prod = config["default"], config["prod"]
    assert default["global"]["parameters"]["stack_name"] != prod["global"]["parameters"]["stack_name"]
    overrides = prod["deploy"]["parameters"].pop("parameter_overrides")
    assert {pair.split("=")[0] for pair in overrides.split()} <= set(TEMPLATE["Parameters"])
    for command in ("validate", "build", "deploy"):
        assert default[command] == prod[command]


def test_cfn_lint_has_nothing_to_say() -> None:
    assert lint_file(ROOT / "template.yaml") == []


def test_sam_validate_has_nothing_to_say() -> None:
    environment = os.environ | {"AWS_DEFAULT_REGION": "us-east-1", "SAM_CLI_TELEMETRY": "0"}
    command = [sys.executable, "-m", "samcli", "validate", "--lint"]
    result = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stdout + result.stderr
