"""`make invoke OP=append`: runs one function on its sample event and prints the reply.

It works on the data of `make run`: in the DynamoDB of a running `make run`, or in one that it starts and stops.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path

from local import runtime
from local.dynamodb import DynamoDBError, InUseError, connect, create_tables, embedded_dynamodb
from local.lambda_api import LambdaApi
from local.template import ROOT, Function, Template, TemplateError, read_template


class UsageError(Exception):
    """The operation does not exist. The text lists the operations that exist."""


def main(arguments: list[str]) -> int:
    """Invoke the operation named in `arguments`; returns the exit code."""
    try:
        template = read_template()
        operation = arguments[0] if arguments else ""
        function = _find(template, operation)
        event = json.loads((ROOT / "events" / f"{operation}.json").read_text(encoding="utf-8"))
        with _dynamodb() as endpoint:
            create_tables(connect(endpoint), template.tables)
            in_background = LambdaApi(template.functions, waits=())
            runtime.prepare(template, endpoint, AWS_ENDPOINT_URL_LAMBDA=in_background.endpoint)
            # Only the reply goes to the standard output. The function's log lines go elsewhere.
            with redirect_stdout(sys.stderr):
                reply = runtime.invoke(function, event)
                in_background.join()
            print(json.dumps(reply, indent=2, ensure_ascii=False))
    except (UsageError, DynamoDBError, TemplateError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _find(template: Template, operation: str) -> Function:
    functions = {function.module: function for function in template.functions}
    if operation not in functions:
        wrong = f"There is no function {operation!r}. " if operation else ""
        raise UsageError(f"{wrong}Name one: `make invoke OP=<name>`, where <name> is one of {', '.join(functions)}.")
    return functions[operation]


@contextmanager
def _dynamodb() -> Iterator[str]:
    try:
        with embedded_dynamodb(Path(os.environ.get("STATE") or ROOT / ".local")) as endpoint:
            yield endpoint
    except InUseError as running:
        yield running.endpoint


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
