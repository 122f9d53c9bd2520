"""Files in blocks of the Anthropic Messages API.

Source: the types of the SDK (`ImageBlockParam`, `DocumentBlockParam` and their sources in `anthropic.types`).
"""

from __future__ import annotations

from typing import Any

from messagelog.messages import File
from messagelog.readers.files import IMAGE, PDF, inline_file, linked_file, stored_file, text_file
from messagelog.readers.reading import NOT_HELD, a_text, an_object, an_optional_text, joined, refuse
from messagelog.strictjson import below


def file_of(block: dict[str, Any], path: str) -> File | None:
    """Returns the file of an `image` or a `document`, None for any other block. The title is the file's name."""
    if block.get("type") not in ("image", "document"):
        return None
    default = IMAGE if block["type"] == "image" else PDF
    name = an_optional_text(block, "title", path)
    path = below(path, "source")
    source = an_object(block.get("source"), path)
    match source.get("type"):
        case "base64":
            kind = a_text(source, "media_type", path)
            return inline_file(source.get("data"), below(path, "data"), kind, name)
        case "url":
            return linked_file(a_text(source, "url", path), below(path, "url"), None, default, name)
        case "file":
            return stored_file("anthropic-file", a_text(source, "file_id", path), below(path, "file_id"), default, name)
        case "text":
            kind = an_optional_text(source, "media_type", path) or "text/plain"
            return text_file(a_text(source, "data", path), below(path, "data"), kind, name)
        case "content":
            where = below(path, "content")
            return text_file(joined(source.get("content"), where, text_of), where, name=name)
    return refuse(path, NOT_HELD)


def text_of(block: dict[str, Any], path: str) -> str:
    """Returns the text of a block. Raises CodecError if it is something else."""
    return a_text(block, "text", path) if block.get("type") == "text" else refuse(path, NOT_HELD)
