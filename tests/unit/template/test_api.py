"""The API of template.yaml: its callers, origins and limits, and its access log."""

from __future__ import annotations

import json
import re

from tests.support.sam_template import RESOURCES, ROUTES, TEMPLATE, logical_id, of_type, resources, routes

JWT = {"JwtIssuer": "https://login.example.com/", "JwtAudience": "messagelog", "JwtTenantClaim": "tenant"}


def test_each_route_calls_its_function() -> None:
    for operation, route in ROUTES.items():
        uri = routes()[route]["x-amazon-apigateway-integration"]["uri"]["Fn::Sub"]
        alias = f"{logical_id(operation)}Aliaslive"
        assert f"${{{alias}}}" in uri if alias in RESOURCES else f"${{{logical_id(operation)}.Arn}}" in uri


def test_the_api_has_no_other_route() -> None:
    assert sorted(routes()) == sorted(ROUTES.values())


def test_the_api_is_closed_by_default() -> None:
    assert all(route["security"] == [{"AWS_IAM": []}] for route in routes(resources()).values())
    schemes = RESOURCES["Api"]["Properties"]["Body"]["components"]["securitySchemes"]
    assert schemes["AWS_IAM"]["x-amazon-apigateway-authtype"] == "awsSigv4"


def test_with_an_issuer_each_route_requires_its_tokens() -> None:
    found = resources(**JWT)
    assert all(route["security"] == [{"Jwt": []}] for route in routes(found).values())
    scheme = found["Api"]["Properties"]["Body"]["components"]["securitySchemes"]["Jwt"]
    assert scheme["x-amazon-apigateway-authorizer"] == {
        "type": "jwt",
        "identitySource": "$request.header.Authorization",
        "jwtConfiguration": {"issuer": {"Ref": "JwtIssuer"}, "audience": {"Ref": "JwtAudience"}},
    }


def test_without_an_issuer_the_api_has_no_jwt_authorizer() -> None:
    assert "Jwt" not in resources()["Api"]["Properties"]["Body"]["components"]["securitySchemes"]


def test_an_issuer_and_a_tenant_claim_need_each_other() -> None:
    """Otherwise each caller with a token would see every conversation, or none."""
    rules = TEMPLATE["Rules"]
    needs = [it["Assert"] for it in rules["IssuerNeedsAudienceAndTenant"]["Assertions"]]
    assert {"Fn::Not": [{"Fn::Equals": [{"Ref": "JwtTenantClaim"}, ""]}]} in needs
    assert {"Fn::Not": [{"Fn::Contains": [{"Ref": "JwtAudience"}, ""]}]} in needs
    (without,) = rules["TenantNeedsIssuer"]["Assertions"]
    assert without["Assert"] == {"Fn::Equals": [{"Ref": "JwtTenantClaim"}, ""]}


def test_each_function_knows_the_tenant_claim() -> None:
    for function in of_type("AWS::Lambda::Function").values():
        assert function["Environment"]["Variables"]["MESSAGELOG_TENANT_CLAIM"] == {"Ref": "JwtTenantClaim"}


def test_only_the_api_may_invoke_a_function() -> None:
    assert not of_type("AWS::Lambda::Url")
    permissions = of_type("AWS::Lambda::Permission").values()
    assert len(permissions) == len(ROUTES)
    assert {"Ref": logical_id("send_worker")} not in [permission["FunctionName"] for permission in permissions]
    assert {permission["Principal"] for permission in permissions} == {"apigateway.amazonaws.com"}


def test_no_web_origin_may_call_by_default() -> None:
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


def test_access_logs_are_json_without_names() -> None:
    """A claim could be shown in plain text only, so the tenant is not there either."""
    (stage,) = of_type("AWS::ApiGatewayV2::Stage").values()
    logged = json.loads(stage["AccessLogSettings"]["Format"])
    assert logged["routeKey"] == "$context.routeKey"
    assert logged["integrationRequestId"] == "$context.integration.requestId", "the request_id of the function's line"
    assert not [variable for variable in logged.values() if re.search("path|query|body|header|claims", variable, re.I)]
