"""The part of Lambda's API that the functions need: an asynchronous invocation, which a thread of this process runs.

The request: https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html, with the invocation type Event.
The tries: https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html
"""

from __future__ import annotations

import json
import re
import sys
import threading
import time
import traceback
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from werkzeug.serving import WSGIRequestHandler, make_server
from werkzeug.wrappers import Request, Response

from local import runtime
from local.dynamodb import HOST
from local.template import Function

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

_INVOKE = re.compile(r"/2015-03-31/functions/([^/]+)/invocations")


class _Quiet(WSGIRequestHandler):
    """Does not log requests, because the sender logs the result."""

    def log_request(self, *_: object) -> None:
        pass


class LambdaApi:
    """Serves on a free port until the process ends. `waits` are the seconds before each further try."""

    def __init__(self, functions: Iterable[Function], waits: Sequence[float] = (60, 120)) -> None:
        self._functions = {function.logical_id: function for function in functions}
        self._waits = waits
        self._running: list[threading.Thread] = []
        server = make_server(HOST, 0, self, threaded=True, request_handler=_Quiet)
        self.endpoint = f"http://{HOST}:{server.server_port}"
        threading.Thread(target=server.serve_forever, daemon=True, name="lambda").start()

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        return self._respond(Request(environ))(environ, start_response)

    def join(self) -> None:
        """Waits until every function that was invoked has ended."""
        for thread in self._running:
            thread.join()

    def _respond(self, request: Request) -> Response:
        found = _INVOKE.fullmatch(request.path)
        function = self._functions.get(unquote(found[1])) if found else None
        if function is None:
            return Response('{"Message": "Function not found"}', 404, {"x-amzn-errortype": "ResourceNotFoundException"})
        if request.headers.get("X-Amz-Invocation-Type") != "Event":
            return Response('{"Message": "Only Event is served here"}', 400)
        thread = threading.Thread(
            target=self._run, args=(function, json.loads(request.get_data())), daemon=True, name=function.logical_id
        )
        self._running.append(thread)
        thread.start()
        return Response(status=202)

    def _run(self, function: Function, event: Any) -> None:
        for wait in (0, *self._waits):
            time.sleep(wait)
            try:
                runtime.invoke(function, event)
                return
            except Exception:
                traceback.print_exc(file=sys.stderr)
        print(
            f"{function.logical_id} has failed in every try: on AWS, its event goes to the dead-letter queue.",
            file=sys.stderr,
        )
