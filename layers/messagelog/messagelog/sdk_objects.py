"""Objects of the providers' SDKs, read without importing any SDK."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def fields_of(value: object) -> Mapping[str, Any] | None:
    """The fields of an object of an SDK, all of them pydantic models, also where a tracer wraps it; of others None.

    What only seems to have `model_dump`, as a mock, or is the class of a model, is none.
    """
    dump = None if isinstance(value, type) else getattr(value, "model_dump", None)
    fields = dump(warnings=False) if callable(dump) else None
    return fields if isinstance(fields, Mapping) else None
