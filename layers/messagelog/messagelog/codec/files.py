"""Converts the files of a message to JSON and back. Errors never quote the name, the URL or the bytes."""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from typing import Any

from messagelog.codec.fields import optional_text, text
from messagelog.errors import CodecError
from messagelog.messages import File
from messagelog.strictjson import below, kind_of, refuse_kind, require, require_object

_FIELDS = ("mediaType", "data", "url", "name", "offset")
# The names of a type and of a subtype: RFC 6838, section 4.2. Their case has no meaning, so only lower case is
# accepted.
_NAME = r"[a-z0-9][a-z0-9!#$&^_.+-]{0,126}"
_MEDIA_TYPE = re.compile(f"{_NAME}/{_NAME}")
_URL = re.compile(r"(?:(?:https|s3|gs)://|(?:openai|anthropic)-file:)[^\x00-\x1f\x7f]+")


def parse_files(value: object, path: str, content: str) -> tuple[File, ...]:
    """Checks the files of a message in the JSON form. Null is the same as none."""
    if value is None:
        return ()
    forms = require(value, path, list)
    return tuple(
        _file(require_object(form, f"{path}[{index}]", _FIELDS), f"{path}[{index}]", content, _decoded)
        for index, form in enumerate(forms)
    )


def check_files(value: object, path: str, content: str) -> tuple[File, ...]:
    """Checks the files of a message that is given as a value."""
    if type(value) is not tuple:
        refuse_kind(value, path, "a tuple of File")
    for index, file in enumerate(value):
        if type(file) is not File:
            refuse_kind(file, f"{path}[{index}]", "a File")
    return tuple(_file(_fields_of(file), f"{path}[{index}]", content, _bytes) for index, file in enumerate(value))


def file_to_json(file: File, *, with_data: bool = True) -> dict[str, Any]:
    """Returns the JSON form of a file, with its bytes as base64 unless `with_data` is false."""
    form = {name: value for name, value in _fields_of(file).items() if value is not None}
    if file.data is not None:
        if with_data:
            form["data"] = b64encode(file.data).decode()
        else:
            del form["data"]
    return form


def file_from_json(form: Mapping[str, Any], data: bytes | None = None) -> File:
    """Returns the file that `file_to_json` wrote.

    Args:
        form: The JSON form.
        data: The bytes of the file, if the form was written without them.
    """
    if "data" in form:
        data = b64decode(form["data"])
    return File(form["mediaType"], data, form.get("url"), form.get("name"), form.get("offset"))


def _fields_of(file: File) -> dict[str, Any]:
    return dict(zip(_FIELDS, (file.media_type, file.data, file.url, file.name, file.offset), strict=True))


def _file(fields: Mapping[str, object], path: str, content: str, read_data: Callable[[object, str], bytes]) -> File:
    data, url = fields.get("data"), optional_text(fields, path, "url")
    if (data is None) == (url is None):
        raise CodecError(path, "must have either data or url")
    if url is not None and not _URL.fullmatch(url):
        schemes = "https://, s3://, gs://, openai-file: or anthropic-file:"
        raise CodecError(below(path, "url"), f"must begin with {schemes}, go on, and have no control characters")
    return File(
        media_type=_media_type(fields, path),
        data=None if data is None else read_data(data, below(path, "data")),
        url=url,
        name=optional_text(fields, path, "name"),
        offset=_offset(fields.get("offset"), below(path, "offset"), len(content)),
    )


def _media_type(fields: Mapping[str, object], path: str) -> str:
    media_type = text(fields, path, "mediaType")
    if not _MEDIA_TYPE.fullmatch(media_type):
        raise CodecError(below(path, "mediaType"), "must be a media type in lower case without parameters: image/png")
    return media_type


def _decoded(value: object, path: str) -> bytes:
    """Decodes base64 (RFC 4648, section 4). Accepts only a text that encoding the bytes would give again."""
    encoded = require(value, path, str)
    try:
        data = b64decode(encoded, validate=True)
    except ValueError:
        data = b""
    if not data or b64encode(data).decode() != encoded:
        raise CodecError(path, "must be bytes in base64 (RFC 4648, section 4), with padding, and not empty")
    return data


def _bytes(value: object, path: str) -> bytes:
    if type(value) is not bytes:
        raise CodecError(path, f"must be bytes, not {kind_of(value)}")
    if not value:
        raise CodecError(path, "must not be empty")
    return value


def _offset(value: object, path: str, length: int) -> int | None:
    if value is None:
        return None
    if type(value) is not int:
        refuse_kind(value, path, "a whole number without a decimal point")
    if not 0 <= value <= length:
        raise CodecError(path, f"must be from 0 to {length}, the number of characters of the content")
    return value
