"""What the parameters of template.yaml change, and that every choice is a template without a fault."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from cfnlint.api import lint  # type: ignore[import-untyped]
from cfnlint.config import ManualArgs  # type: ignore[import-untyped]
from messagelog.dynamodb import keys

from tests.support.sam_template import TEMPLATE, deployed, of_type, routes, translate

JWT = {"JwtIssuer": "https://login.example.com/", "JwtAudience": "messagelog", "JwtTenantClaim": "tenant"}
KEY = "arn:aws:kms:us-east-1:123456789012:key/0c4f2a3e-5d1b-4a6f-9c8e-7b6a5d4c3b2a"
BUS = "arn:aws:events:us-east-1:123456789012:event-bus/default"
CHOICES: dict[str, dict[str, str]] = {
    "nothing": {},
    "jwt": JWT,
    "snapshots": {"SnapStart": "PublishedVersions"},
    "key": {"KmsKeyArn": KEY},
    "topic": {"AlarmTopicArn": "arn:aws:sns:us-east-1:123456789012:alarms"},
    "events": {"EventBusArn": BUS},
    "events and key": {"EventBusArn": BUS, "KmsKeyArn": KEY},
    "x86": {"Architecture": "x86_64", "LogLevel": "ERROR"},
    "origins": {"CorsOrigins": "https://app.example.com"},
    "bedrock": {"ChatProvider": "bedrock", "ChatModel": "a-model"},
    "bedrock profile": {"ChatProvider": "bedrock", "ChatModel": "p", "ChatModelArns": "arn:aws:bedrock:us-east-1::m"},
    "openai": {
        "ChatProvider": "openai",
        "ChatModel": "gpt",
        "ChatApiKeySecretArn": "arn:aws:secretsmanager:us-east-1:123456789012:secret:key",
        "ChatSetup": "module:function",
        "ChatSetupLayerArn": "arn:aws:lambda:us-east-1:123456789012:layer:setup:1",
    },
}
CHOICES["everything"] = {name: value for choice in CHOICES.values() for name, value in choice.items()}


@pytest.mark.parametrize("choice", CHOICES.values(), ids=CHOICES)
def test_every_choice_is_a_template_without_a_fault(choice: dict[str, str]) -> None:
    assert set(choice) <= set(TEMPLATE["Parameters"])
    template = deployed(**choice)
    del template["Rules"]
    for name, value in choice.items():
        template["Parameters"][name]["Default"] = value
    # Some parameters are left without a use, once their conditions are decided.
    unused = ManualArgs(regions=["us-east-1"], ignore_checks=["W2001"])
    assert lint(json.dumps(template), config=unused) == []


def resources(**parameters: str) -> dict[str, Any]:
    found: dict[str, Any] = deployed(**parameters)["Resources"]
    return found


def test_with_an_issuer_every_route_asks_for_its_tokens_and_nothing_else() -> None:
    found = resources(**JWT)
    assert {json.dumps(route["security"]) for route in routes(found).values()} == {'[{"Jwt": []}]'}
    scheme = found["Api"]["Properties"]["Body"]["components"]["securitySchemes"]["Jwt"]
    assert scheme["x-amazon-apigateway-authorizer"] == {
        "type": "jwt",
        "identitySource": "$request.header.Authorization",
        "jwtConfiguration": {"issuer": {"Ref": "JwtIssuer"}, "audience": {"Ref": "JwtAudience"}},
    }


def test_without_an_issuer_there_is_no_such_authorizer() -> None:
    assert "Jwt" not in resources()["Api"]["Properties"]["Body"]["components"]["securitySchemes"]


def test_an_issuer_without_a_tenant_is_refused_and_a_tenant_without_an_issuer() -> None:
    """Else every caller with a token would see every conversation, or none."""
    rules = TEMPLATE["Rules"]
    needs = [it["Assert"] for it in rules["IssuerNeedsAudienceAndTenant"]["Assertions"]]
    assert {"Fn::Not": [{"Fn::Equals": [{"Ref": "JwtTenantClaim"}, ""]}]} in needs
    assert {"Fn::Not": [{"Fn::Contains": [{"Ref": "JwtAudience"}, ""]}]} in needs
    (without,) = rules["TenantNeedsIssuer"]["Assertions"]
    assert without["Assert"] == {"Fn::Equals": [{"Ref": "JwtTenantClaim"}, ""]}


@pytest.mark.parametrize("table", ["MessageTable", "ChatTable"])
def test_with_a_key_each_table_is_encrypted_with_it(table: str) -> None:
    encryption = {"SSEEnabled": True, "SSEType": "KMS", "KMSMasterKeyId": {"Ref": "KmsKeyArn"}}
    assert resources(KmsKeyArn=KEY)[table]["Properties"]["SSESpecification"] == encryption
    assert "SSESpecification" not in resources()[table]["Properties"], "the default costs nothing"


def test_with_a_key_each_role_may_use_it_through_dynamodb_and_for_nothing_else() -> None:
    found = resources(KmsKeyArn=KEY, EventBusArn=BUS)
    for role in of_type("AWS::IAM::Role", found).values():
        assert {"Ref": "TableKeyPolicy"} in role["ManagedPolicyArns"]
    (statement,) = found["TableKeyPolicy"]["Properties"]["PolicyDocument"]["Statement"]
    via_dynamodb = {"StringEquals": {"kms:ViaService": {"Fn::Sub": "dynamodb.${AWS::Region}.${AWS::URLSuffix}"}}}
    assert statement == {
        "Effect": "Allow",
        "Action": ["kms:Decrypt"],
        "Resource": {"Ref": "KmsKeyArn"},
        "Condition": via_dynamodb,
    }
    assert "TableKeyPolicy" not in resources()


def test_every_alarm_reaches_the_topic_if_there_is_one() -> None:
    topic = "arn:aws:sns:us-east-1:123456789012:alarms"
    with_topic = of_type("AWS::CloudWatch::Alarm", resources(AlarmTopicArn=topic, EventBusArn=BUS))
    assert all(alarm["AlarmActions"] == [{"Ref": "AlarmTopicArn"}] for alarm in with_topic.values())
    without = of_type("AWS::CloudWatch::Alarm", resources(EventBusArn=BUS))
    assert set(without) == set(with_topic)
    assert not any("AlarmActions" in alarm for alarm in without.values())


def test_the_alarms_watch_what_goes_wrong() -> None:
    alarms = of_type("AWS::CloudWatch::Alarm", resources(EventBusArn=BUS)).values()
    watched = {
        (alarm["Namespace"], alarm["MetricName"], json.dumps(alarm["Dimensions"][0]["Value"])) for alarm in alarms
    }
    tables = [(f"{kind}ThrottleEvents", table) for kind in ("Read", "Write") for table in ("MessageTable", "ChatTable")]
    queues = ["FailedSendQueue", "FailedEventQueue"]
    assert watched == {
        ("AWS/ApiGateway", "5xx", '{"Ref": "Api"}'),
        ("AWS/Lambda", "Errors", '{"Ref": "SendWorkerFunction"}'),
        ("AWS/Lambda", "Throttles", '{"Ref": "SendWorkerFunction"}'),
        ("MessageLog", "UnknownOutcomes", '{"Ref": "AWS::StackName"}'),
        *(("AWS/DynamoDB", metric, f'{{"Ref": "{table}"}}') for metric, table in tables),
        *(
            ("AWS/SQS", "ApproximateNumberOfMessagesVisible", f'{{"Fn::GetAtt": ["{queue}", "QueueName"]}}')
            for queue in queues
        ),
    }
    assert {(alarm["Threshold"], alarm["TreatMissingData"]) for alarm in alarms} == {(0, "notBreaching")}


def test_the_metrics_that_are_watched_are_those_that_the_functions_tell() -> None:
    for function in of_type("AWS::Lambda::Function").values():
        assert function["Environment"]["Variables"]["POWERTOOLS_SERVICE_NAME"] == {"Ref": "AWS::StackName"}
    dashboard = resources()["Dashboard"]["Properties"]["DashboardBody"]["Fn::Sub"]
    shown = {
        metric[1]
        for widget in json.loads(dashboard)["widgets"]
        for metric in widget["properties"]["metrics"]
        if metric[0] == "MessageLog"
    }
    assert shown == {"Appends", "Messages", "Bytes", "Conflicts", "Retries", "UnknownOutcomes"}


@pytest.mark.parametrize(("level", "kept"), [("DEBUG", "DEBUG"), ("INFO", "INFO"), ("WARN", "INFO"), ("ERROR", "INFO")])
def test_lambda_drops_no_metric(level: str, kept: str) -> None:
    """It takes a line without a level for one of INFO ("Log-level filtering", Lambda Developer Guide)."""
    for function in of_type("AWS::Lambda::Function", resources(LogLevel=level)).values():
        assert function["LoggingConfig"]["ApplicationLogLevel"] == kept
        assert function["Environment"]["Variables"]["POWERTOOLS_LOG_LEVEL"] == {"Ref": "LogLevel"}


def test_events_are_off_by_default() -> None:
    found = resources()
    assert not of_type("AWS::Pipes::Pipe", found)
    assert not {"LogAdvancedPipeRole", "FailedEventQueue"} & set(found)
    assert "StreamSpecification" not in found["MessageTable"]["Properties"]


def test_events_tell_conversation_and_entry_and_no_content() -> None:
    found = resources(EventBusArn=BUS)
    assert found["MessageTable"]["Properties"]["StreamSpecification"] == {"StreamViewType": "KEYS_ONLY"}
    assert "StreamSpecification" not in found["ChatTable"]["Properties"]
    (pipe,) = of_type("AWS::Pipes::Pipe", found).values()
    target = pipe["TargetParameters"]
    assert target["EventBridgeEventBusParameters"] == {"Source": "messagelog", "DetailType": "LogAdvanced"}
    paths = dict(re.findall(r'"(\w+)": <\$\.([\w.]+)>', target["InputTemplate"]))
    assert paths == {"conversation": "dynamodb.Keys.conversation.S", "entry": "dynamodb.Keys.entry.S"}


def test_an_event_is_told_of_each_new_message_and_of_nothing_else() -> None:
    (pipe,) = of_type("AWS::Pipes::Pipe", resources(EventBusArn=BUS)).values()
    (pattern,) = (json.loads(it["Pattern"]) for it in pipe["SourceParameters"]["FilterCriteria"]["Filters"])
    assert pattern["eventName"] == ["INSERT"]
    ((prefix,),) = (it.values() for it in pattern["dynamodb"]["Keys"]["entry"]["S"])
    others = (keys.HEAD, keys.idempotency_entry("k"), keys.part_entry("s", 1))
    assert keys.message_entry(7).startswith(prefix)
    assert not any(entry.startswith(prefix) for entry in others)


def test_no_event_is_lost_unseen() -> None:
    found = resources(EventBusArn=BUS)
    (pipe,) = of_type("AWS::Pipes::Pipe", found).values()
    source = pipe["SourceParameters"]["DynamoDBStreamParameters"]
    assert source["StartingPosition"] == "TRIM_HORIZON"
    assert source["DeadLetterConfig"] == {"Arn": {"Fn::GetAtt": ["FailedEventQueue", "Arn"]}}
    assert found["FailedEventQueue"]["Properties"]["MessageRetentionPeriod"] == 14 * 24 * 3600


def test_the_pipe_reads_keys_and_does_nothing_else() -> None:
    role = resources(EventBusArn=BUS)["LogAdvancedPipeRole"]["Properties"]
    (policy,) = role["Policies"]
    granted = {action: it["Resource"] for it in policy["PolicyDocument"]["Statement"] for action in it["Action"]}
    stream = {"Fn::GetAtt": ["MessageTable", "StreamArn"]}
    reading = ("DescribeStream", "GetRecords", "GetShardIterator", "ListStreams")
    assert granted == {
        **{f"dynamodb:{action}": stream for action in reading},
        "events:PutEvents": {"Ref": "EventBusArn"},
        "sqs:SendMessage": {"Fn::GetAtt": ["FailedEventQueue", "Arn"]},
    }


def test_all_functions_but_those_of_a_send_start_from_a_snapshot_if_asked_to() -> None:
    found = resources()
    published = {name.removesuffix("Aliaslive") for name in of_type("AWS::Lambda::Alias", found)}
    assert set(of_type("AWS::Lambda::Function", found)) - published == {"SendFunction", "SendWorkerFunction"}
    for name, function in of_type("AWS::Lambda::Function", found).items():
        assert function["SnapStart"] == {"ApplyOn": {"Ref": "SnapStart"} if name in published else "None"}
    assert TEMPLATE["Parameters"]["SnapStart"]["Default"] == "None"


def test_a_changed_parameter_is_published() -> None:
    """An alias shows a function as it was when its version was published. SAM publishes one when the template's text
    changes; CloudFormation replaces a version whose description does."""
    template = translate()
    versions = {it["FunctionName"]["Ref"]: it for it in of_type("AWS::Lambda::Version", template["Resources"]).values()}
    assert len(versions) == 15
    for name, version in versions.items():
        described = set(re.findall(r"\$\{(\w+)\}", version["Description"]["Fn::Sub"]))
        assert parameters_in(template["Resources"][name]["Properties"], template) <= described


def parameters_in(part: Any, template: dict[str, Any]) -> set[str]:
    """The parameters that decide what this part of the template becomes."""
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


def test_a_changed_layer_is_published() -> None:
    one, other = translate(), translate(layer="s3://bucket/another")
    names = [set(of_type("AWS::Lambda::Version", it["Resources"])) for it in (one, other)]
    assert not names[0] & names[1]


def test_every_function_knows_the_claim() -> None:
    for function in of_type("AWS::Lambda::Function").values():
        assert function["Environment"]["Variables"]["MESSAGELOG_TENANT_CLAIM"] == {"Ref": "JwtTenantClaim"}
