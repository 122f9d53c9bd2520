"""Files in blocks of LangChain messages: LangChain's own blocks, and those of the providers.

Sources: `langchain_core.messages.content` for the blocks of version 1, `block_translators.langchain_v0` for
the older ones with `source_type`, and `langchain_google_genai` for `media`.
"""

from __future__ import annotations

from typing import Any

from messagelog.messages import File
from messagelog.readers import anthropic_files, bedrock_files, openai_files
from messagelog.readers.files import AUDIO, IMAGE, PDF, VIDEO, inline_file, linked_file, stored_file, text_file
from messagelog.readers.reading import NOT_HELD, a_text, an_optional_text, refuse
from messagelog.strictjson import below

_DEFAULTS = {"image": IMAGE, "audio": AUDIO, "video": VIDEO, "file": PDF, "text-plain": "text/plain", "media": PDF}
_ID_PREFIXES = {"file-": "openai-file", "file_": "anthropic-file"}


def file_of(block: dict[str, Any], path: str) -> File | None:
    """Returns the file of a block, None if the block has none."""
    if "source" in block:
        return anthropic_files.file_of(block, path)
    if block.get("type") in ("image_url", "input_audio") or "file" in block:
        return openai_files.file_of(block, path)
    if isinstance(block.get("type"), str) and block["type"] in _DEFAULTS:
        return _own_file(block, path, _DEFAULTS[block["type"]])
    return bedrock_files.file_of(block, path)


def _own_file(block: dict[str, Any], path: str, default: str) -> File:
    kind, name = an_optional_text(block, "mime_type", path), _name(block)
    if block.get("source_type") == "text":
        return text_file(a_text(block, "text", path), below(path, "text"), kind or "text/plain", name)
    for field in ("base64", "data"):
        if block.get(field) is not None:
            return inline_file(block[field], below(path, field), kind, name)
    for field in ("url", "file_uri"):
        if block.get(field) is not None:
            return linked_file(a_text(block, field, path), below(path, field), kind, default, name)
    field = "id" if block.get("source_type") == "id" else "file_id"
    if block.get(field) is None:
        refuse(path, NOT_HELD)
    return _stored(a_text(block, field, path), below(path, field), kind or default, name)


def _stored(id: str, path: str, kind: str, name: str | None) -> File:
    """Returns the file that OpenAI or Anthropic stores. The prefix of its id says which of them it is."""
    scheme = _ID_PREFIXES.get(id[:5])
    return stored_file(scheme, id, path, kind, name) if scheme else refuse(path, "is a file id of an unknown provider")


def _name(block: dict[str, Any]) -> str | None:
    """Returns the file's name: in the block, or in its `extras` (version 1) or `metadata` (version 0)."""
    for holder in (block, block.get("extras"), block.get("metadata")):
        for field in ("filename", "name", "title"):
            if isinstance(holder, dict) and isinstance(holder.get(field), str):
                return str(holder[field])
    return None
