"""Files in parts of Chat Completions messages.

Source: the types of the SDK (`openai.types.chat.ChatCompletionContentPartParam`).
"""

from __future__ import annotations

from typing import Any

from messagelog.messages import File
from messagelog.readers.files import IMAGE, PDF, inline_file, linked_file, stored_file
from messagelog.readers.reading import NOT_HELD, a_text, an_object, an_optional_text, refuse
from messagelog.strictjson import below
from messagelog.views.media_types import AUDIO


def file_of(part: dict[str, Any], path: str) -> File | None:
    """Returns the file of a part, None if the part has none. An image's `detail` is left out."""
    match part:
        case {"type": "image_url", "image_url": str(url)}:  # some compatible endpoints and LangChain
            return linked_file(url, below(path, "image_url"), None, IMAGE)
        case {"type": "image_url", **rest}:
            path = below(path, "image_url")
            image = an_object(rest.get("image_url"), path)
            return linked_file(a_text(image, "url", path), below(path, "url"), None, IMAGE)
        case {"type": "input_audio", **rest}:
            path = below(path, "input_audio")
            audio = an_object(rest.get("input_audio"), path)
            kind = AUDIO.get(a_text(audio, "format", path)) or refuse(below(path, "format"), "is not a known format")
            return inline_file(audio.get("data"), below(path, "data"), kind)
        case {"type": "file", **rest}:
            path = below(path, "file")
            return _file(an_object(rest.get("file"), path), path)
    return None


def _file(fields: dict[str, Any], path: str) -> File:
    """Returns the file of the fields `file_data` (a data URL, or the base64 itself) or `file_id`, and `filename`."""
    name = an_optional_text(fields, "filename", path)
    data = an_optional_text(fields, "file_data", path)
    if data is not None and data[:5].lower() == "data:":
        return linked_file(data, below(path, "file_data"), None, PDF, name)
    if data is not None:
        return inline_file(data, below(path, "file_data"), None if name and "." in name else PDF, name)
    if fields.get("file_id") is None:
        refuse(path, NOT_HELD)
    return stored_file("openai-file", a_text(fields, "file_id", path), below(path, "file_id"), PDF, name)
