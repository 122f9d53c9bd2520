"""What the parameters of template.yaml change, and that every choice is a template without a fault."""

from __future__ import annotations

import json
from typing import Any

import pytest
from cfnlint.api import lint  # type: ignore[import-untyped]
from cfnlint.config import ManualArgs  # type: ignore[import-untyped]

from tests.sam_template import TEMPLATE, deployed, of_type, routes

JWT = {"JwtIssuer": "https://login.example.com/", "JwtAudience": "messagelog", "JwtTenantClaim": "tenant"}
CHOICES: dict[str, dict[str, str]] = {
    "nothing": {},
    "jwt": JWT,
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


def test_every_function_knows_the_claim() -> None:
    for function in of_type("AWS::Lambda::Function").values():
        assert function["Environment"]["Variables"]["MESSAGELOG_TENANT_CLAIM"] == {"Ref": "JwtTenantClaim"}
