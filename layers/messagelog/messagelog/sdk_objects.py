"""Reads objects of the providers' SDKs without importing an SDK."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def fields_of(value: object) -> Mapping[str, Any] | None:
    """Returns the fields of an object of an SDK, even if a tracer wraps it. Returns None for anything else.

    The objects of all SDKs are pydantic models. Two things do not count: the class of a model, and an object that only
    seems to have `model_dump`, such as a mock. The values in the fields may be such objects again.
    """
    dump = None if isinstance(value, type) else getattr(value, "model_dump", None)
    if not callable(dump):
        return None
    if callable(getattr(value, "to_dict", None)):
        return _sent_fields(value)
    fields = dump(warnings=False)
    return fields if isinstance(fields, Mapping) else None


def _sent_fields(value: Any) -> Mapping[str, Any] | None:
    """Returns the fields of an object of OpenAI's or Anthropic's SDK that the SDK itself would send.

    Only the models of these two SDKs have `to_dict` (`BaseModel` in `openai/_models.py` and `anthropic/_models.py`).
    A request is written without the fields that the API did not set, with the API's names, and without those in
    `__api_exclude__` (`_utils/_transform.py`, `_utils/_json.py`). Each object in a field has its own `__api_exclude__`,
    so such an object is returned as it is.
    """
    excluded = getattr(value, "__api_exclude__", None)
    sent = value.model_dump(by_alias=True, exclude_unset=True, exclude=excluded, warnings=False)
    if not isinstance(sent, Mapping):
        return None
    held = value.model_extra or {}
    names = value.model_fields_set - held.keys()
    return {key: getattr(value, key) if key in names else held.get(key, dumped) for key, dumped in sent.items()}
