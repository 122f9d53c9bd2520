"""The event of an HTTP API, payload 2.0."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeGuard

from aws_lambda_powertools.utilities.data_classes import APIGatewayProxyEventV2


def read_event(event: object) -> APIGatewayProxyEventV2:
    """Returns the event. Anything that is not an HTTP API event is treated as an empty event."""
    return APIGatewayProxyEventV2(dict(event) if _is_event(event) else {})


def _is_event(event: object) -> TypeGuard[Mapping[str, Any]]:
    """Whether each field that is read here has its type or is null."""
    return (
        isinstance(event, Mapping)
        and isinstance(event.get("body"), str | None)
        and all(_are_texts(event.get(field)) for field in ("headers", "pathParameters", "queryStringParameters"))
    )


def _are_texts(field: object) -> bool:
    return field is None or (isinstance(field, Mapping) and all(isinstance(it, str | None) for it in field.values()))
