"""The local API as a WSGI application: API Gateway and Lambda in one process."""

from __future__ import annotations

import re
import sys
import time
import traceback
from collections.abc import Iterable
from typing import TYPE_CHECKING, TextIO

from werkzeug.wrappers import Request, Response

from local import gateway, runtime
from local.template import Route

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

_HERE = re.compile(r"(https?://)?(127\.0\.0\.1|localhost|\[::1\])(:\d+)?", re.IGNORECASE)
_ONLY_HERE = "This API is only for this machine: send requests to 127.0.0.1 or localhost, and not from other web pages."


class LocalApi:
    """Serves `routes` with the real handlers, in a process that `runtime.prepare` has made ready.

    Requests of other web pages are refused. The API does not check signatures, and any page in the developer's browser
    can reach it, by its address or by the page's own host name (DNS rebinding). `log` gets a line for each request.
    """

    def __init__(self, routes: Iterable[Route], log: TextIO | None = sys.stdout) -> None:
        self._router = gateway.Router(routes)
        self._log = log

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        start = time.monotonic()
        request = Request(environ)
        response = self._respond(request)
        if self._log:
            milliseconds = int((time.monotonic() - start) * 1000)
            line = f"{request.method} {gateway.raw_path(request)} {response.status_code} {milliseconds} ms"
            print(line, file=self._log, flush=True)
        return response(environ, start_response)

    def _respond(self, request: Request) -> Response:
        if not (_HERE.fullmatch(request.host) and _HERE.fullmatch(request.headers.get("Origin", request.host))):
            return gateway.refusal(403, _ONLY_HERE)
        try:
            found = self._router.match(request.method, gateway.raw_path(request))
        except UnicodeDecodeError:
            return gateway.refusal(400, "Bad Request")
        if found is None:
            return gateway.refusal(404, "Not Found")
        route, path_parameters = found
        try:
            event = gateway.to_event(request, route, path_parameters)
            request_id = event["requestContext"]["requestId"]
            response = gateway.to_response(runtime.invoke(route.function, event, request_id))
            response.headers["apigw-requestid"] = request_id
            return response
        except runtime.EventTooLargeError:
            return gateway.refusal(413, "Request Entity Too Large")
        except Exception:
            traceback.print_exc(file=sys.stderr)
            return gateway.refusal(500, "Internal Server Error")


@Request.application
def broken(request: Request) -> Response:
    """Answer 500 to every request, while template.yaml cannot be read."""
    request.get_data()
    return gateway.refusal(500, "Internal Server Error")
