"""Version 0.1.0 of the library, from the wheel in tests/data, in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

WHEEL = Path(__file__).parents[1] / "data" / "messagelog-0.1.0-py3-none-any.whl"

_CHILD = """
import json, sys
import messagelog
from messagelog import MessageLog, codec
from messagelog.dynamodb import DynamoDBStorage

assert messagelog.__file__.startswith(sys.argv[1]), messagelog.__file__
task = json.load(sys.stdin)
log = MessageLog(DynamoDBStorage(task["conversation"], table=task["table"]))
for batch in task["batches"]:
    log.append_many(batch)
json.dump([codec.to_json(message) for message in log.all()], sys.stdout)
"""


def append_and_read(table: str, conversation: str, *batches: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Appends batches of messages with version 0.1.0.

    Args:
        table: The name of the table. The environment says where it is.
        conversation: The conversation.
        batches: Messages in their JSON form.

    Returns:
        The messages of the whole log in their JSON form, as version 0.1.0 reads them.
    """
    task = {"table": table, "conversation": conversation, "batches": batches}
    command = [sys.executable, "-c", _CHILD, str(WHEEL)]
    environment = {**os.environ, "PYTHONPATH": str(WHEEL)}
    child = subprocess.run(command, input=json.dumps(task), env=environment, capture_output=True, text=True)
    assert child.returncode == 0, child.stderr
    found: list[dict[str, Any]] = json.loads(child.stdout)
    return found
