"""Values of the types that the providers' SDKs declare, for property tests."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal, get_args, get_origin

import botocore.session
from hypothesis import strategies as st
from pydantic import BaseModel

_words = st.sampled_from(["a", "Oslo", " ü ", "", "1e5", "line\nline"])
_scalars = st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from([1.0, -0.5, 1e300]) | _words
_objects = st.dictionaries(st.sampled_from(["a", "b ü"]), _scalars | st.lists(_scalars, max_size=2), max_size=2)
_simple: dict[Any, st.SearchStrategy[Any]] = {
    str: _words,
    int: st.integers(0, 99),
    float: st.sampled_from([0.5, 1.0]),
    bool: st.booleans(),
    object: _objects,
    Any: _objects,
    type(None): st.none(),
}


def values_of(annotation: Any) -> st.SearchStrategy[Any]:
    """Returns JSON of a type of OpenAI's or Anthropic's SDK. Optional fields are also missing or null."""
    origin, parts = get_origin(annotation), get_args(annotation)
    if annotation in _simple:
        return _simple[annotation]
    if origin is Literal:
        return st.sampled_from(parts)
    if origin is Annotated:
        return values_of(parts[0])
    if origin is list:
        return st.lists(values_of(parts[0]), max_size=2)
    if origin is dict:
        return _objects
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return _models(annotation)
    return st.one_of([values_of(part) for part in parts])


def _models(model: type[BaseModel]) -> st.SearchStrategy[dict[str, Any]]:
    fields = {field.alias or name: field for name, field in model.model_fields.items()}
    values = {key: st.deferred(lambda field=field: values_of(field.annotation)) for key, field in fields.items()}
    required = {key: values.pop(key) for key, field in fields.items() if field.is_required()}
    return st.fixed_dictionaries(required, optional=values)


def converse_values(shape_name: str) -> st.SearchStrategy[Any]:
    """Returns values of a shape of the Converse API, as botocore gives and takes them."""
    return _shaped(botocore.session.get_session().get_service_model("bedrock-runtime").shape_for(shape_name))


def _shaped(shape: Any) -> st.SearchStrategy[Any]:
    match shape.type_name:
        case "structure" if getattr(shape, "is_document_type", False):
            return _objects
        case "structure":
            members = {name: st.deferred(lambda m=m: _shaped(m)) for name, m in shape.members.items()}
            if getattr(shape, "is_tagged_union", False):
                return st.one_of([st.fixed_dictionaries({name: value}) for name, value in members.items()])
            required = {name: members.pop(name) for name in shape.required_members}
            return st.fixed_dictionaries(required, optional=members)
        case "list":
            return st.lists(st.deferred(lambda: _shaped(shape.member)), max_size=2)
        case "string":
            return st.sampled_from(shape.enum) if shape.enum else _words
        case "blob":
            return st.binary(min_size=1, max_size=9)
        case "boolean":
            return st.booleans()
        case "integer" | "long":
            return st.integers(0, 9)
    return st.sampled_from([0.5, 1.0])


def arguments() -> st.SearchStrategy[str]:
    """Returns arguments of a call as a model writes them, in several spacings."""
    return st.builds(json.dumps, _objects, indent=st.sampled_from([None, 1]), ensure_ascii=st.just(False))
