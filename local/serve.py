"""`make run`: the embedded DynamoDB and the API of template.yaml, until Ctrl-C.

One process holds the run: it starts MiniStack and Werkzeug's reloader, which serves from a second process and starts
that process again when the code changes. PORT and STATE set the port and the folder that keeps the data. DynamoDB gets
the next port, so that the variables exported for one run also work for the next one.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from werkzeug.serving import is_running_from_reloader, run_simple

from local import lifeline, runtime
from local.api import LocalApi, broken
from local.dynamodb import CREDENTIALS, HOST, DynamoDBError, connect, create_tables, embedded_dynamodb
from local.lambda_api import LambdaApi
from local.template import ROOT, TemplateError, read_template

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

_BANNER = """\
MessageLog listens on {url} (Ctrl-C stops it; data stays in {state}). Try:

  curl -s {url}/conversations/demo/messages -H 'content-type: application/json' -d '{{"role": "user", "content": "Hi"}}'
  curl -s {url}/conversations/demo/messages
  curl -s {url}/conversations/demo/messages/anthropic

The same tables in Python, as DynamoDBStorage("demo", table="MessageTable"), after

  export {environment}
"""

_NO_BEDROCK = (
    "make run ignores your AWS credentials, so it cannot use a model on Bedrock: set CHAT_PROVIDER=openai, or use "
    "BedrockProvider in Python."
)


def main() -> int:
    """Serve until stopped; returns the exit code."""
    port = _port(os.environ.get("PORT") or "3000")
    if os.environ.get("CHAT_PROVIDER") == "bedrock":
        sys.exit(_NO_BEDROCK)
    if is_running_from_reloader():
        lifeline.follow(lambda: os._exit(0))
        _serve(_application(os.environ["AWS_ENDPOINT_URL_DYNAMODB"]), port)
        return 0
    try:
        _run(port, Path(os.environ.get("STATE") or ROOT / ".local"))
    except KeyboardInterrupt:
        pass
    except (DynamoDBError, TemplateError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _run(port: int, state: Path) -> None:
    _check_free(port)
    template = read_template()
    with embedded_dynamodb(state, port=port + 1) as endpoint:
        create_tables(connect(endpoint), template.tables)
        line = lifeline.Lifeline()
        os.environ.update({**line.environment, "AWS_ENDPOINT_URL_DYNAMODB": endpoint})
        names = {"AWS_ENDPOINT_URL_DYNAMODB": endpoint, **CREDENTIALS}
        environment = " ".join(f"{name}={value}" for name, value in names.items())
        banner = _BANNER.format(url=f"http://{HOST}:{port}", state=_short(state), environment=environment)
        _serve(broken, port, banner)


def _serve(application: WSGIApplication, port: int, banner: str = "") -> None:
    logger = logging.getLogger("werkzeug")
    logger.setLevel(logging.INFO)
    logger.addFilter(lambda record: _is_news(record, banner))
    watched = [str(path) for folder in ("functions", "layers") for path in (ROOT / folder).rglob("*.py")]
    run_simple(
        HOST,
        port,
        application,
        threaded=True,
        use_reloader=True,
        reloader_type="stat",
        extra_files=[str(ROOT / "template.yaml"), *watched],
        exclude_patterns=[f"{ROOT}/tests/*", f"{ROOT}/.aws-sam/*"],
    )


def _is_news(record: logging.LogRecord, banner: str) -> bool:
    """Keep the lines of Werkzeug's log that help a developer, and print our own text when the server listens."""
    if "Running on" in record.getMessage():
        print(banner, flush=True)
    return record.levelno > logging.INFO or "Detected change" in record.getMessage()


def _application(endpoint: str) -> WSGIApplication:
    """Return the API, or an app that answers 500 until template.yaml is fixed and saved."""
    try:
        template = read_template()
        runtime.prepare(template, endpoint, AWS_ENDPOINT_URL_LAMBDA=LambdaApi(template.functions).endpoint)
        return LocalApi(template.routes)
    except TemplateError as error:
        print(error, file=sys.stderr)
        return broken


def _port(text: str) -> int:
    if not (text.isdecimal() and 0 < int(text) < 65536):
        sys.exit(f"PORT is {text!r}; it must be a number from 1 to 65535.")
    return int(text)


def _check_free(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            reason = f"Port {port} cannot be used ({error.strerror})"
            other = (
                "stop the other `make run`, or choose another port and folder: make run PORT=3010 STATE=.local/other"
            )
            raise OSError(f"{reason}: {other}") from None


def _short(path: Path) -> Path:
    with suppress(ValueError):
        return path.resolve().relative_to(Path.cwd())
    return path


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    sys.exit(main())
