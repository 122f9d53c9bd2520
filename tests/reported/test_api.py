"""Faults of other HTTP APIs on Lambda that people have reported in public, and what is right here.

Where a report is of a REST API's event (payload 1.0), the same is sent as an HTTP API sends it (payload 2.0).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from samtranslator.yaml_helper import yaml_parse  # type: ignore[import-untyped]

from local.template import ROOT
from tests.support.http_api import HttpApi, empty, functions_on_moto

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


@pytest.fixture(scope="module")
def table() -> Iterator[DynamoDBClient]:
    with functions_on_moto() as client:
        yield client


@pytest.fixture
def api(table: DynamoDBClient, event: Any) -> HttpApi:
    empty(table)
    return HttpApi(event)


def call(args: str) -> str:
    return f'{{"role":"assistant","content":"","toolCalls":[{{"id":"t","name":"f","args":{args}}}]}}'


def test_a_base64_body_is_decoded_before_it_is_read(api: HttpApi) -> None:
    """isBase64Encoded says how to read a body; the body may be neither base64 nor UTF-8.

    https://github.com/MionKit/mion/pull/269
    https://github.com/apollo-server-integrations/apollo-server-integration-aws-lambda/issues/64
    https://github.com/pulumi/pulumi-awsx/issues/518
    """
    bodies = ["eyJyb2xlIjoidXNlciIsImNvbnRlbnQiOiJow6lsbG8ifQ==", "!!!not-base64", "gICA"]
    replies = [api.send("append", body=body, isBase64Encoded=True).status for body in bodies]
    assert replies == [201, 400, 400]
    assert api.contents() == ["héllo"]


def test_fields_of_an_event_that_are_null_are_as_good_as_missing(api: HttpApi) -> None:
    """The key is there with null, so a default for a missing key is not enough.

    https://github.com/aws-powertools/powertools-lambda-python/issues/1359
    https://github.com/aws-powertools/powertools-lambda-python/pull/820
    https://github.com/Netflix-Skunkworks/raven-python-lambda/pull/37
    """
    null = dict.fromkeys(["headers", "queryStringParameters", "stageVariables", "cookies", "body", "isBase64Encoded"])
    assert api.send("all", **null).status == 200
    assert api.send("append", **null).status == 400
    assert api.send("append", **null | {"body": ""}).status == 400
    assert api.send("all", **null, pathParameters=None).status == 400


def test_a_body_of_many_brackets_does_not_exhaust_the_stack(api: HttpApi) -> None:
    """json.loads raises RecursionError, which is not a ValueError.

    https://github.com/flop-labs/technocore-chat/issues/130
    https://github.com/influxdata/influxdb3_plugins/pull/169
    """
    assert api.post("append", call("[" * 100_000 + "]" * 100_000)).status == 400
    assert api.get("all").json == {"messages": [], "next": None}
    assert api.get("count").json == {"count": 0}


def test_an_integer_too_long_to_read_again_is_not_stored(api: HttpApi) -> None:
    """It is JSON, so it is 422 and not 400. Python refuses more than 4,300 digits with a plain ValueError.

    https://github.com/aleph-im/pyaleph/issues/476
    """
    reply = api.post("append", call(f'{{"n":{"1" * 5_000}}}'))
    assert (reply.status, reply.paths) == (422, ["toolCalls[0].args.n"])
    assert api.get("all").status == 200
    assert api.get("count").json == {"count": 0}


def test_a_header_is_found_whatever_its_spelling(api: HttpApi) -> None:
    """HTTP APIs send names in lower case, other gateways as the client wrote them.

    https://github.com/slackapi/bolt-js/issues/937
    https://github.com/grammyjs/grammY/pull/900
    https://github.com/aws-powertools/powertools-lambda-python/issues/3142
    """
    headers = [
        {"Content-Type": "application/json"},
        {"content-type": "application/json"},
        {"CONTENT-TYPE": "application/json; charset=utf-8"},
        {"Content-type": "Application/JSON"},
    ]
    for number, spelling in enumerate(headers, 1):
        assert api.post("append", {"role": "user", "content": str(number)}, headers=spelling).status == 201
    assert api.contents() == ["1", "2", "3", "4"]
    for name in ("Idempotency-Key", "IDEMPOTENCY-KEY", "idempotency-key"):
        assert api.post("append", {"role": "user", "content": "5"}, headers={name: "once"}).json == {"seq": 5}


def test_cors_is_the_gateways_and_covers_every_reply(api: HttpApi) -> None:
    """An HTTP API adds the headers to every reply, its own included, and drops those of a function.

    https://github.com/aws/serverless-application-model/issues/1178
    https://github.com/serverless/serverless/issues/2099
    https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-cors.html
    """
    origin = {"origin": "https://app.example", "content-type": "application/json"}
    replies = [api.post("append", "{", headers=origin), api.get("all"), api.send("all", headers=origin)]
    assert [reply.status for reply in replies] == [400, 200, 200]
    assert not any(name.startswith("access-control-") for reply in replies for name in reply.headers)
    assert api.send("append", routeKey="DELETE /conversations/{conversation}/messages").status == 404
    resources = yaml_parse((ROOT / "template.yaml").read_text())["Resources"]
    _, cors, none = resources["Api"]["Properties"]["DefinitionBody"]["x-amazon-apigateway-cors"]["Fn::If"]
    assert {"GET", "POST"} <= set(cors["allowMethods"])
    assert {"Content-Type", "Idempotency-Key", "If-Match"} <= set(cors["allowHeaders"])
    assert {"ETag", "Retry-After"} <= set(cors["exposeHeaders"])
    assert none == {"Ref": "AWS::NoValue"}, "none by default"


@pytest.mark.parametrize(
    "text", ["1,2", "abc", "", "-1", "1.5", "1_0", "٣", " 2", "99999999999999999999"], ids=lambda it: it or "empty"
)
def test_an_odd_number_in_a_query_is_refused(api: HttpApi, text: str) -> None:
    """A parameter given twice arrives as "1,2"; int() takes "1_0" for 10 and "٣" for 3.

    https://github.com/http4k/http4k/issues/1013
    https://github.com/jeremydaly/lambda-api/issues/277
    https://github.com/dherault/serverless-offline/pull/1525
    """
    api.post("append_many", {"messages": [{"role": "user", "content": f"m{number}"} for number in (1, 2, 3)]})
    reply = api.get("last", n=text)
    assert (reply.status, reply.paths) == (400, ["n"])
    assert [message["content"] for message in api.get("last", n=2).json["messages"]] == ["m2", "m3"]
