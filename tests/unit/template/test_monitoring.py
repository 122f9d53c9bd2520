"""The alarms and the dashboard of template.yaml watch what the stack really reports."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.support.sam_template import of_type, resources

BUS = "arn:aws:events:us-east-1:123456789012:event-bus/default"
TOPIC = "arn:aws:sns:us-east-1:123456789012:alarms"


def test_each_alarm_reaches_the_topic_if_there_is_one() -> None:
    with_topic = of_type("AWS::CloudWatch::Alarm", resources(AlarmTopicArn=TOPIC, EventBusArn=BUS))
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
    queues = [f'{{"Fn::GetAtt": ["{queue}", "QueueName"]}}' for queue in ("FailedSendQueue", "FailedEventQueue")]
    assert watched == {
        ("AWS/ApiGateway", "5xx", '{"Ref": "Api"}'),
        ("AWS/Lambda", "Errors", '{"Ref": "SendWorkerFunction"}'),
        ("AWS/Lambda", "Throttles", '{"Ref": "SendWorkerFunction"}'),
        ("MessageLog", "UnknownOutcomes", '{"Ref": "AWS::StackName"}'),
        *(("AWS/DynamoDB", metric, f'{{"Ref": "{table}"}}') for metric, table in tables),
        *(("AWS/SQS", "ApproximateNumberOfMessagesVisible", queue) for queue in queues),
    }
    assert {(alarm["Threshold"], alarm["TreatMissingData"]) for alarm in alarms} == {(0, "notBreaching")}


def widgets(stack: str = "messagelog-prod") -> list[dict[str, Any]]:
    """The properties of the dashboard's widgets in a stack of this name."""
    text, variables = resources()["Dashboard"]["Properties"]["DashboardBody"]["Fn::Sub"]
    assert variables == {"Words": {"Fn::Join": [" ", {"Fn::Split": ["-", {"Ref": "AWS::StackName"}]}]}}
    text = text.replace("${AWS::StackName}", stack).replace("${Words}", " ".join(stack.split("-")))
    return [widget["properties"] for widget in json.loads(text)["widgets"]]


def test_the_dashboard_shows_the_metrics_of_the_functions() -> None:
    for function in of_type("AWS::Lambda::Function").values():
        assert function["Environment"]["Variables"]["POWERTOOLS_SERVICE_NAME"] == {"Ref": "AWS::StackName"}
    metrics = [metric for widget in widgets() for metric in widget["metrics"]]
    shown = {metric[1] for metric in metrics if metric[0] == "MessageLog"}
    assert shown == {"Appends", "Messages", "Bytes", "Conflicts", "Retries", "UnknownOutcomes"}


def finds(search: str, *names: str) -> bool:
    """Whether a SEARCH term finds a metric whose metric name and dimension values are `names`.

    A quoted text matches a whole name, a word without quotes a word of a name, and terms beside each other must all
    match ("CloudWatch search expression syntax" in the CloudWatch User Guide).
    """
    words = {word.lower() for name in names for word in re.findall("[A-Z]?[a-z]+|[0-9]+|[A-Z]+", name)}
    term = search.partition("} ")[2]
    for choices in re.findall(r"MetricName=\(([^)]*)\)", term):
        if names[0] not in re.findall('"([^"]*)"', choices):
            return False
    rest = re.sub(r"MetricName=\([^)]*\)", "", term)
    quoted, plain = re.findall('"([^"]*)"', rest), re.sub('"[^"]*"', "", rest).split()
    return set(quoted) <= set(names) and {word.lower() for word in plain} <= words


@pytest.mark.parametrize("metric", ["Errors", "Throttles"])
def test_the_dashboard_finds_the_errors_of_the_functions(metric: str) -> None:
    (widget,) = (it for it in widgets() if it["title"] == "Functions: errors and throttles")
    search = re.findall(r"SEARCH\('(.*)', 'Sum', 300\)", widget["metrics"][0][0]["expression"])[0]
    assert search.startswith("{AWS/Lambda,FunctionName} ")
    assert finds(search, metric, "messagelog-prod-AppendFunction-1A2b3C4d5E6f")
    assert not finds(search, "Invocations", "messagelog-prod-AppendFunction-1A2b3C4d5E6f")
    assert not finds(search, metric, "billing-prod-AppendFunction-1A2b3C4d5E6f")
