"""Does the work of API Gateway: makes events (payload 2.0) from HTTP requests, and HTTP responses from replies.

Format: https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
Encoding of bodies: https://aws.amazon.com/blogs/compute/handling-binary-data-using-amazon-api-gateway-http-apis/
Decoding of paths: see `messagelog.names`.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import time
import uuid
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl, unquote

from werkzeug.datastructures import Headers
from werkzeug.wrappers import Request, Response

from local.template import Route

_TEXT_TYPES = re.compile(r"text/|application/(json|javascript|xml)\s*(;|$)", re.IGNORECASE)
_PARAMETER = re.compile(r"\{(\w+)(\+?)\}")
_CALLER = {
    "accessKey": "AKIALOCAL",
    "accountId": "000000000000",
    "callerId": "AIDALOCAL",
    "cognitoIdentity": None,
    "principalOrgId": None,
    "userArn": "arn:aws:iam::000000000000:user/local",
    "userId": "AIDALOCAL",
}


class BadReplyError(Exception):
    """A function returned a reply that API Gateway cannot send."""


class Router:
    """Finds the route of a request. If several routes match, it is the route with the longest fixed beginning."""

    def __init__(self, routes: Iterable[Route]) -> None:
        self._routes = [(_pattern(route.path), route) for route in sorted(routes, key=_openness)]

    def match(self, method: str, raw_path: str) -> tuple[Route, dict[str, str]] | None:
        """Returns the route and its path parameters, None if no route matches.

        Like an HTTP API, it decodes the path before it looks for a route, and cuts it at a decoded `?`.

        Raises:
            UnicodeDecodeError: The decoded path is not UTF-8.
        """
        path = decoded_path(raw_path)
        for pattern, route in self._routes:
            if route.method in (method, "ANY") and (found := pattern.fullmatch(path)):
                return route, found.groupdict()
        return None


def decoded_path(raw_path: str) -> str:
    """Returns the path of the event. Raises UnicodeDecodeError if it is not UTF-8."""
    return unquote(raw_path, errors="strict").partition("?")[0]


def to_event(request: Request, route: Route, path_parameters: Mapping[str, str]) -> dict[str, Any]:
    """Returns the payload 2.0 event of a request. Empty fields are left out, as API Gateway does."""
    raw_query = request.query_string.decode("latin-1")
    body, encoded = _body(request.get_data(), request.headers.get("Content-Type", ""))
    optional = {
        "cookies": [cookie.strip() for cookie in request.headers.get("Cookie", "").split(";") if cookie.strip()],
        "queryStringParameters": _joined(parse_qsl(raw_query, keep_blank_values=True)),
        "pathParameters": dict(path_parameters),
        "body": body,
    }
    return {
        "version": "2.0",
        "routeKey": route.key,
        "rawPath": decoded_path(raw_path(request)),
        "rawQueryString": raw_query,
        "headers": _headers(request),
        "requestContext": _context(request, route),
        **{name: value for name, value in optional.items() if value},
        "isBase64Encoded": encoded,
    }


def to_response(reply: object) -> Response:
    """Returns the HTTP response for the reply of a function. Raises BadReplyError where API Gateway answers 500."""
    if not isinstance(reply, dict) or "statusCode" not in reply:
        return Response(json.dumps(reply), 200, content_type="application/json")
    headers = Headers([(str(name), str(value)) for name, value in (reply.get("headers") or {}).items()])
    for cookie in reply.get("cookies") or []:
        headers.add("Set-Cookie", cookie)
    headers.setdefault("Content-Type", "text/plain;charset=UTF-8")
    try:
        status = int(reply["statusCode"])
    except (TypeError, ValueError):
        raise BadReplyError("statusCode is not a number") from None
    return Response(_reply_body(reply), status, headers)


def refusal(status: int, message: str) -> Response:
    """Returns an answer of API Gateway itself, such as 404 `{"message":"Not Found"}`."""
    return Response(json.dumps({"message": message}, separators=(",", ":")), status, content_type="application/json")


def raw_path(request: Request) -> str:
    """Returns the path as it was sent, still percent-encoded."""
    return str(request.environ["RAW_URI"]).partition("?")[0]


def _pattern(path: str) -> re.Pattern[str]:
    """A parameter matches one segment in `/a/{b}`, and all following segments in `/a/{b+}`."""
    parts = []
    end = 0
    for parameter in _PARAMETER.finditer(path):
        name, greedy = parameter.groups()
        parts += [re.escape(path[end : parameter.start()]), f"(?P<{name}>{'.+' if greedy else '[^/]+'})"]
        end = parameter.end()
    return re.compile("".join([*parts, re.escape(path[end:])]))


def _openness(route: Route) -> tuple[list[int], bool]:
    """A sort key: fixed segments before parameters, parameters before greedy ones, a method before ANY."""
    kinds = [(1 + segment.endswith("+}")) if segment.startswith("{") else 0 for segment in route.path.split("/")]
    return kinds, route.method == "ANY"


def _body(data: bytes, content_type: str) -> tuple[str, bool]:
    """Returns the body, and whether it is base64. It is text if its media type is a text type and it is UTF-8."""
    if _TEXT_TYPES.match(content_type.strip()) or not data:
        try:
            return data.decode(), False
        except UnicodeDecodeError:
            pass
    return base64.b64encode(data).decode(), True


def _joined(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    joined: dict[str, str] = {}
    for name, value in pairs:
        joined[name] = f"{joined[name]},{value}" if name in joined else value
    return joined


def _headers(request: Request) -> dict[str, str]:
    sent = _joined((name.lower(), value) for name, value in request.headers if name != "Cookie")
    return {
        **sent,
        "x-amzn-trace-id": f"Root=1-{int(time.time()):x}-{uuid.uuid4().hex[:24]}",
        "x-forwarded-for": request.remote_addr or "",
        "x-forwarded-port": str(request.environ["SERVER_PORT"]),
        "x-forwarded-proto": request.scheme,
    }


def _context(request: Request, route: Route) -> dict[str, Any]:
    now = time.time()
    domain = request.host.partition(":")[0]
    return {
        "accountId": "000000000000",
        "apiId": "local",
        "authorizer": {"iam": _CALLER},
        "domainName": domain,
        "domainPrefix": domain.partition(".")[0],
        "http": {
            "method": request.method,
            "path": decoded_path(raw_path(request)),
            "protocol": "HTTP/1.1",
            "sourceIp": request.remote_addr,
            "userAgent": request.headers.get("User-Agent", ""),
        },
        "requestId": str(uuid.uuid4()),
        "routeKey": route.key,
        "stage": "$default",
        "time": datetime.fromtimestamp(now, UTC).strftime("%d/%b/%Y:%H:%M:%S +0000"),
        "timeEpoch": int(now * 1000),
    }


def _reply_body(reply: Mapping[str, Any]) -> str | bytes:
    body = reply.get("body") or ""
    if not isinstance(body, str):
        raise BadReplyError("body is not text")
    if not reply.get("isBase64Encoded"):
        return body
    try:
        return base64.b64decode(body, validate=True)
    except binascii.Error:
        raise BadReplyError("isBase64Encoded is true, but body is not base64") from None
