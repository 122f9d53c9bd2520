"""Converts the original of a message to JSON and back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from messagelog.codec.fields import optional_text, text
from messagelog.errors import CodecError
from messagelog.messages import JSONValue, Original
from messagelog.strictjson import Take, below, copied, refuse_kind, require, require_object

_FIELDS = ("api", "model", "blocks")
_API = re.compile("[a-z][a-z0-9-]{0,31}")


def parse_original(value: object, path: str, take: Take = copied) -> Original | None:
    """Checks an original in the JSON form, and returns it as a value that shares nothing with it; None for null."""
    if value is None:
        return None
    fields = require_object(value, path, _FIELDS)
    api = text(fields, path, "api")
    if not _API.fullmatch(api):
        raise CodecError(below(path, "api"), "must be 1 to 32 of a-z, 0-9 and -, and begin with a letter")
    return Original(api, _blocks(fields, path, take), optional_text(fields, path, "model"))


def check_original(value: object, path: str, take: Take = copied) -> Original | None:
    """Checks an original that is given as a value, and returns a value that shares nothing with it; None for None."""
    if value is None:
        return None
    if type(value) is not Original:
        refuse_kind(value, path, "an Original")
    return parse_original({"api": value.api, "model": value.model, "blocks": value.blocks}, path, take)


def original_to_json(original: Original) -> dict[str, Any]:
    """Returns the JSON form. The blocks are the original's own, not a copy."""
    form: dict[str, Any] = {"api": original.api}
    if original.model is not None:
        form["model"] = original.model
    form["blocks"] = original.blocks
    return form


def original_from_json(form: Mapping[str, Any]) -> Original:
    """Returns the original that `original_to_json` wrote."""
    return Original(form["api"], form["blocks"], form.get("model"))


def _blocks(fields: Mapping[str, object], path: str, take: Take) -> list[JSONValue]:
    if "blocks" not in fields:
        raise CodecError(below(path, "blocks"), "is missing")
    blocks: list[Any] = require(fields["blocks"], below(path, "blocks"), list)
    taken = take(blocks, (path, "blocks"))
    assert isinstance(taken, list)  # noqa: S101 - a list or its copy
    return taken
