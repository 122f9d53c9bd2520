"""Converts messages to JSON and back, exactly. Input that would not come back equal is refused.

`fields` checks single fields; `files`, `originals` and `messages` build on it.
"""

from messagelog.codec.fields import to_timestamp
from messagelog.codec.files import file_from_json, file_to_json
from messagelog.codec.messages import calls_to_json, digest, each, from_line, parse, to_json, to_line
from messagelog.codec.originals import original_from_json, original_to_json

__all__ = [
    "calls_to_json",
    "digest",
    "each",
    "file_from_json",
    "file_to_json",
    "from_line",
    "original_from_json",
    "original_to_json",
    "parse",
    "to_json",
    "to_line",
    "to_timestamp",
]
