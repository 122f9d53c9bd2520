"""Files in blocks of the Amazon Bedrock Converse API.

Source: the API reference (docs.aws.amazon.com/bedrock/latest/APIReference: `ImageBlock`, `DocumentBlock`,
`VideoBlock`, `AudioBlock`, `GuardrailConverseImageBlock` and their sources).
"""

from __future__ import annotations

from typing import Any

from messagelog.messages import File
from messagelog.readers.files import inline_file, linked_file, text_file
from messagelog.readers.reading import NOT_HELD, a_text, an_object, an_optional_text, joined, refuse
from messagelog.strictjson import below
from messagelog.views.media_types import AUDIO, DOCUMENTS, IMAGES, VIDEOS

_FORMATS = {"image": IMAGES, "document": DOCUMENTS, "video": VIDEOS, "audio": AUDIO}


def file_of(block: dict[str, Any], path: str) -> File | None:
    """Returns the file of a block, None if the block has none. The owner of an S3 bucket is left out."""
    match block:
        case {"guardContent": {"image": _} as content}:
            return file_of(content, below(path, "guardContent"))
        case {"image": _} | {"document": _} | {"video": _} | {"audio": _}:
            member = next(name for name in _FORMATS if name in block)
            path = below(path, member)
            return _file(an_object(block[member], path), path, _FORMATS[member])
    return None


def _file(fields: dict[str, Any], path: str, formats: dict[str, str]) -> File:
    kind = _media_type(fields, path, formats)
    name = an_optional_text(fields, "name", path)
    path = below(path, "source")
    match an_object(fields.get("source"), path):
        case {"bytes": data}:
            return inline_file(data, below(path, "bytes"), kind, name)
        case {"s3Location": dict(place)}:
            path = below(path, "s3Location")
            return linked_file(a_text(place, "uri", path), below(path, "uri"), kind, DOCUMENTS["pdf"], name)
        case {"text": _} as source:
            return text_file(a_text(source, "text", path), below(path, "text"), kind or "text/plain", name)
        case {"content": parts}:
            path = below(path, "content")
            return text_file(joined(parts, path, _text_of), path, kind or "text/plain", name)
    return refuse(path, NOT_HELD)


def _media_type(fields: dict[str, Any], path: str, formats: dict[str, str]) -> str | None:
    """Returns the media type of the block's format. Only a document may lack one."""
    format = an_optional_text(fields, "format", path)
    if format is None and formats is DOCUMENTS:
        return None
    return formats.get(format or "") or refuse(below(path, "format"), f"must be one of {', '.join(formats)}")


def _text_of(part: dict[str, Any], path: str) -> str:
    return a_text(part, "text", path)
