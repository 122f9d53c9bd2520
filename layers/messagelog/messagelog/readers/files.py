"""Files of other libraries as files of a message. Errors never quote a name, a URL or bytes."""

from __future__ import annotations

from base64 import b64decode
from urllib.parse import urlsplit

from messagelog.codec.files import check_files
from messagelog.errors import CodecError
from messagelog.messages import File
from messagelog.readers.reading import refuse
from messagelog.strictjson import kind_of
from messagelog.views.media_types import EXTENSIONS

IMAGE, PDF, AUDIO, VIDEO = "image/png", "application/pdf", "audio/wav", "video/mp4"
"""The media type of a linked file of this kind, if neither its name nor its URL tells another one."""


def inline_file(data: object, path: str, media_type: str | None, name: str | None = None) -> File:
    """Returns the file with these bytes.

    Args:
        data: Its bytes, or their base64.
        path: The path of the data.
        media_type: Its media type, maybe with parameters. Without one, the name tells it.
        name: Its name.
    """
    kind = media_type or _told_by(name)
    if kind is None:
        refuse(path, "needs a media type in the same block")
    return _checked(File(_plain_type(kind), _bytes(data, path), name=name), path)


def text_file(text: str, path: str, media_type: str = "text/plain", name: str | None = None) -> File:
    """Returns the file that holds a text, in UTF-8."""
    try:
        return inline_file(text.encode(), path, media_type, name)
    except UnicodeEncodeError:
        refuse(path, "has a lone surrogate, which is not Unicode text")


def linked_file(url: str, path: str, media_type: str | None, default: str, name: str | None = None) -> File:
    """Returns the file at a URL, or the file in a `data:` URL.

    Args:
        url: The URL.
        path: The path of the URL.
        media_type: Its media type, if it is known.
        default: Its media type, if neither its name nor its URL tells one.
        name: Its name.
    """
    if url[:5].lower() == "data:":
        header, _, data = url[5:].partition(",")
        *kinds, encoding = header.split(";")
        if encoding.strip().lower() != "base64":
            refuse(path, "must hold base64, if it is a data URL")
        return inline_file(data, path, "".join(kinds[:1]) or media_type or default, name)
    kind = media_type or _told_by(name) or _told_by(_path_of(url)) or default
    return _checked(File(_plain_type(kind), url=url, name=name), path)


def stored_file(scheme: str, id: str, path: str, default: str, name: str | None = None) -> File:
    """Returns the file that a provider stores under an id. `scheme` is `openai-file` or `anthropic-file`."""
    return _checked(File(_told_by(name) or default, url=f"{scheme}:{id}", name=name), path)


def _checked(file: File, path: str) -> File:
    """Returns the file, if a message can hold it. A fault has the path of the source in the caller's value."""
    try:
        return check_files((file,), "", "")[0]
    except CodecError as error:
        refuse(path, error.reason)


def _plain_type(media_type: str) -> str:
    return media_type.partition(";")[0].strip().lower()


def _told_by(name: str | None) -> str | None:
    """Returns the media type that the extension of a name tells."""
    return EXTENSIONS.get(name.rpartition(".")[2].lower()) if name and "." in name else None


def _path_of(url: str) -> str | None:
    try:
        return urlsplit(url).path
    except ValueError:
        return None


def _bytes(data: object, path: str) -> bytes:
    if isinstance(data, bytes | bytearray):
        return bytes(data)
    if not isinstance(data, str):
        refuse(path, f"must be bytes or their base64, not {kind_of(data)}")
    try:
        return b64decode(data, validate=True)
    except ValueError:
        refuse(path, "must be bytes in base64 (RFC 4648, section 4), with padding")
