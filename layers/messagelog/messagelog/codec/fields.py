"""Reads the fields of a JSON object: each one is checked and returned, or refused with its path."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from messagelog.errors import CodecError
from messagelog.strictjson import below, is_unicode, refuse_kind

_TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", re.ASCII)


def text(fields: Mapping[str, object], path: str, name: str) -> str:
    """Returns the text of a field that must be there."""
    if name not in fields:
        raise CodecError(below(path, name), "is missing")
    value = fields[name]
    if type(value) is not str:
        refuse_kind(value, below(path, name), "text")
    if not is_unicode(value):
        raise CodecError(below(path, name), "has a lone surrogate, which is not Unicode text")
    return value


def optional_text(fields: Mapping[str, object], path: str, name: str) -> str | None:
    """Returns the text of a field, or None if it is absent or null."""
    return None if fields.get(name) is None else text(fields, path, name)


def choice(fields: Mapping[str, object], path: str, name: str, choices: Collection[str]) -> str:
    """Returns one of the choices as plain text. A member of a StrEnum, such as ChatRole, is accepted too."""
    value = fields.get(name)
    chosen = value.value if isinstance(value, StrEnum) else text(fields, path, name)
    if chosen not in choices:
        raise CodecError(below(path, name), f"must be one of {', '.join(choices)}")
    return chosen


def time(value: object, path: str) -> datetime | None:
    """Returns a time that is given as a datetime in UTC or as the text of `to_timestamp`, or None for null."""
    if value is None:
        return None
    if type(value) is str and _TIMESTAMP.fullmatch(value):
        try:
            return datetime.fromisoformat(value)
        except ValueError:
            raise CodecError(path, "is not a valid date and time") from None
    if type(value) is datetime and value.utcoffset() == timedelta(0):
        return value.astimezone(UTC)
    raise CodecError(path, "must be a time in UTC, such as 2026-03-01T12:00:00.000000Z")


def to_timestamp(at: datetime) -> str:
    """Writes a time as 2026-03-01T12:00:00.000000Z: always six digits, so that texts sort as times do."""
    return at.replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"
