"""Objects of the providers' SDKs, read without importing an SDK."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def fields_of(value: object) -> Mapping[str, Any] | None:
    """Returns the fields of an object of an SDK, also if a tracer wraps it. None for anything else.

    The objects of all SDKs are pydantic models. The class of a model is not one, and neither is an object that only
    seems to have `model_dump`, such as a mock.
    """
    dump = None if isinstance(value, type) else getattr(value, "model_dump", None)
    fields = dump(warnings=False) if callable(dump) else None
    return fields if isinstance(fields, Mapping) else None
