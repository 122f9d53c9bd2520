"""With EventBusArn, the pipe of template.yaml publishes each new message by its key, and nothing else."""

from __future__ import annotations

import json
import re

from messagelog.dynamodb import keys

from tests.support.sam_template import of_type, resources

BUS = "arn:aws:events:us-east-1:123456789012:event-bus/default"


def test_events_are_off_by_default() -> None:
    found = resources()
    assert not of_type("AWS::Pipes::Pipe", found)
    assert not {"LogAdvancedPipeRole", "FailedEventQueue"} & set(found)
    assert "StreamSpecification" not in found["MessageTable"]["Properties"]


def test_events_hold_conversation_and_entry_but_no_content() -> None:
    found = resources(EventBusArn=BUS)
    assert found["MessageTable"]["Properties"]["StreamSpecification"] == {"StreamViewType": "KEYS_ONLY"}
    assert "StreamSpecification" not in found["ChatTable"]["Properties"]
    (pipe,) = of_type("AWS::Pipes::Pipe", found).values()
    target = pipe["TargetParameters"]
    assert target["EventBridgeEventBusParameters"] == {"Source": "messagelog", "DetailType": "LogAdvanced"}
    paths = dict(re.findall(r'"(\w+)": <\$\.([\w.]+)>', target["InputTemplate"]))
    assert paths == {"conversation": "dynamodb.Keys.conversation.S", "entry": "dynamodb.Keys.entry.S"}


def test_only_a_new_message_is_an_event() -> None:
    (pipe,) = of_type("AWS::Pipes::Pipe", resources(EventBusArn=BUS)).values()
    (pattern,) = (json.loads(it["Pattern"]) for it in pipe["SourceParameters"]["FilterCriteria"]["Filters"])
    assert pattern["eventName"] == ["INSERT"]
    ((prefix,),) = (it.values() for it in pattern["dynamodb"]["Keys"]["entry"]["S"])
    others = (keys.HEAD, keys.idempotency_entry("k"), keys.part_entry("s", 1))
    assert keys.message_entry(7).startswith(prefix)
    assert not any(entry.startswith(prefix) for entry in others)


def test_an_event_that_is_lost_is_seen() -> None:
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
