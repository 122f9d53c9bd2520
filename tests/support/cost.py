"""Measures what a function needs for one body: `python -m tests.support.cost OPERATION KIND SIZE [base64]`.

It prints a line of JSON: the status, the seconds of CPU of the handler, and the largest resident memory of the process
in MB. The process is as on Lambda: the real handler and the real client, whose requests are answered here.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from base64 import b64encode
from io import BytesIO
from pathlib import Path
from typing import Any

import urllib3
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.compat import HTTPHeaders
from messagelog.api import tables
from messagelog.settings import settings

from tests.support.hostile_bodies import APPENDED, BATCHES


def main(operation: str, kind: str, size: str, encoding: str = "") -> None:
    """Calls the handler once, and prints the measures."""
    tables.client_of(settings()).meta.events.register_first("before-send.dynamodb.*", _answer)  # type: ignore[arg-type]
    handler = importlib.import_module(operation).handler
    event = _event(operation, (BATCHES if operation == "append_many" else APPENDED)[kind](int(size)), encoding)
    start = time.process_time()
    reply = handler(event, None)
    seconds = time.process_time() - start
    print(json.dumps({"status": reply["statusCode"], "seconds": seconds, "megabytes": _peak()}))


def _event(operation: str, body: str, encoding: str) -> dict[str, Any]:
    event: dict[str, Any] = json.loads(Path(f"events/{operation}.json").read_text(encoding="utf-8"))
    event["isBase64Encoded"] = encoding == "base64"
    event["body"] = b64encode(body.encode()).decode() if encoding == "base64" else body
    return event


def _answer(request: AWSPreparedRequest, **_: object) -> AWSResponse:
    headers = HTTPHeaders()
    headers["Content-Type"] = "application/x-amz-json-1.0"
    return AWSResponse(request.url, 200, headers, urllib3.HTTPResponse(BytesIO(b"{}"), preload_content=False))


def _peak() -> float:
    """Of this program alone: `ru_maxrss` would count the parent's memory before the program was loaded."""
    (line,) = [it for it in Path("/proc/self/status").read_text().splitlines() if it.startswith("VmHWM")]
    return int(line.split()[1]) * 1024 / 1_000_000


if __name__ == "__main__":
    main(*sys.argv[1:])
