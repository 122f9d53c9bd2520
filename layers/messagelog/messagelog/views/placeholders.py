"""The text of a message in a view, with a placeholder for each file: no view shows files yet, and none drops one."""

from __future__ import annotations

from messagelog.messages import AgentMessage, File
from messagelog.strictjson import dumps

_REASON = "not shown, since this view shows no files"


def text_of(message: AgentMessage) -> str:
    """Returns the content with a placeholder in the place of each file."""
    if not message.files:
        return message.content
    pieces, end = [], 0
    for file in sorted(message.files, key=_place):
        pieces += [message.content[end : _place(file)], _placeholder(file)]
        end = _place(file)
    return "".join([*pieces, message.content[end:]])


def _place(file: File) -> int:
    return file.offset or 0


def _placeholder(file: File) -> str:
    name = "" if file.name is None else f" {dumps(file.name)}"
    where = "" if file.data is None else f", {len(file.data)} bytes"
    if file.url is not None and "?" not in file.url:  # one with a query may be signed
        where = f", at {file.url}"
    return f"[{file.media_type}{name}{where}: {_REASON}]"
