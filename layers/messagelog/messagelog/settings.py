"""What the environment says: the only reader of `os.environ`."""

from __future__ import annotations

import os
from dataclasses import dataclass

from messagelog.errors import StorageUnavailableError


@dataclass(frozen=True, slots=True)
class Settings:
    """`table` is the name of MessageTable. `endpoint` and `region`, which boto3 reads by itself, only tell whether a
    client made earlier still fits."""

    table: str
    endpoint: str | None
    region: str | None


def settings() -> Settings:
    """The settings of this process. Raises StorageUnavailableError if the table's name is missing."""
    table = os.environ.get("MESSAGELOG_TABLE")
    if not table:
        raise StorageUnavailableError("set MESSAGELOG_TABLE to the name of the messages' table")
    return Settings(
        table=table,
        endpoint=os.environ.get("AWS_ENDPOINT_URL_DYNAMODB") or os.environ.get("AWS_ENDPOINT_URL"),
        region=os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION"),
    )
