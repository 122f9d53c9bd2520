"""Each sample event is one that API Gateway would send to the function of the same name."""

import json
import re
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote

import pytest
from aws_lambda_powertools.utilities.parser.models import APIGatewayProxyEventV2Model
from samtranslator.yaml_helper import yaml_parse  # type: ignore[import-untyped]

ROOT = Path(__file__).parents[2]
EVENTS = sorted(path for path in (ROOT / "events").glob("*.json") if path.stem != "send_worker")
FUNCTIONS = {
    resource["Properties"]["Handler"].removesuffix(".handler"): resource["Properties"]
    for resource in yaml_parse((ROOT / "template.yaml").read_text())["Resources"].values()
    if resource["Type"] == "AWS::Serverless::Function"
}


@pytest.fixture(params=EVENTS, ids=lambda path: path.stem)
def path(request: pytest.FixtureRequest) -> Path:
    chosen: Path = request.param
    return chosen


@pytest.fixture
def event(path: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(path.read_text())
    return loaded


def test_it_has_the_form_of_payload_2_0(event: dict[str, Any]) -> None:
    APIGatewayProxyEventV2Model.model_validate(event)
    assert event["version"] == "2.0"
    assert event["requestContext"]["authorizer"]["iam"]["userArn"]
    assert all(name == name.lower() for name in event["headers"])


def test_it_is_sent_on_the_route_of_its_function(path: Path, event: dict[str, Any]) -> None:
    (route,) = (it["Properties"] for it in FUNCTIONS[path.stem]["Events"].values())
    assert event["routeKey"] == event["requestContext"]["routeKey"] == f"{route['Method']} {route['Path']}"
    assert event["requestContext"]["http"]["method"] == route["Method"]
    assert sorted(event["pathParameters"]) == sorted(re.findall(r"{(\w+)}", route["Path"]))
    filled = route["Path"].format(**{name: quote(value, safe="") for name, value in event["pathParameters"].items()})
    assert event["rawPath"] == event["requestContext"]["http"]["path"] == filled


def test_values_that_appear_twice_agree(event: dict[str, Any]) -> None:
    context, headers = event["requestContext"], event["headers"]
    assert dict(parse_qsl(event["rawQueryString"])) == event.get("queryStringParameters", {})
    assert context["domainName"] == headers["host"]
    assert context["domainName"].split(".")[0] == context["domainPrefix"] == context["apiId"]
    assert context["http"]["sourceIp"] == headers["x-forwarded-for"]
    assert context["http"]["userAgent"] == headers["user-agent"]
    sent = datetime.strptime(context["time"], "%d/%b/%Y:%H:%M:%S %z")
    assert sent.timestamp() * 1000 == context["timeEpoch"]


def test_a_read_has_no_body_and_others_send_json(event: dict[str, Any]) -> None:
    assert event["isBase64Encoded"] is False
    if event["requestContext"]["http"]["method"] == "GET":
        assert "body" not in event
        return
    assert event["headers"]["content-type"] == "application/json"
    assert int(event["headers"]["content-length"]) == len(event["body"].encode())
    assert isinstance(json.loads(event["body"]), dict)


def test_the_worker_gets_the_event_of_a_send() -> None:
    event = json.loads((ROOT / "events" / "send_worker.json").read_text())
    assert sorted(event) == ["conversation", "holder"]
    assert re.fullmatch("[0-9a-f]{32}", event["holder"])
