"""Validation errors of lexicon files, with position, found value and allowed values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal, get_args, get_origin

import yaml
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from bt_exec.failure import Problem, nearest_first
from bt_exec.spec.shipped_yaml import SAFE_LOADER
from bt_exec.spec.yaml_source import show_place

__all__ = ["find_mistakes", "find_positions"]

_WORDS = {
    "string": "text; put it into quotes",
    "list": "a list of phrases",
    "dict": "a mapping of names to words",
    "mapping": "a mapping of names to words",
    "bool": "true or false",
    "model": "a mapping with fields",
}
"""Message for a value of a wrong type, by the first word of pydantic's error type."""


def find_mistakes(
    error: ValidationError, model: type[BaseModel], text: str, file: str
) -> list[Problem]:
    """Return the problems of an invalid lexicon file, in the order of the text.

    Args:
        error: Error raised by pydantic.
        model: Model that the file was validated with.
        text: Content of the file.
        file: Name of the file in messages.
    """
    marks = find_positions(text)
    found = [_make_problem(one, model, marks, file) for one in error.errors(include_url=False)]
    found.sort(key=lambda one: (one.line or 0, one.column or 0))
    return found


def _make_problem(
    finding: ErrorDetails,
    model: type[BaseModel],
    marks: Mapping[tuple[str | int, ...], tuple[int, int]],
    file: str,
) -> Problem:
    place = finding["loc"]
    kind, value = finding["type"], finding["input"]
    name = str(place[-1]) if place else ""
    allowed: tuple[str, ...] = ()
    line, column = next(
        (marks[place[:end]] for end in range(len(place), -1, -1) if place[:end] in marks), (1, 1)
    )
    shown = value if isinstance(value, str) else _describe_value(value)
    if kind == "extra_forbidden":
        code, message, shown = "UNKNOWN_FIELD", f"there is no field {name!r} here", name
        fields = _field_names(_model_at(model, place[:-1]))
        allowed = nearest_first(name, fields)
    elif kind == "literal_error":
        code, message = "BAD_VALUE", f"{name!r} must be one of these"
        every = get_args(_model_at(model, place))
        allowed = nearest_first(str(value), every)
    elif kind == "missing":
        code, message, shown = "MISSING_FIELD", f"needs the field {name!r}", ""
    else:
        said = _WORDS.get(kind.split("_")[0])
        code, message = (
            "BAD_VALUE",
            f"must be {said}" if said else finding["msg"].removeprefix("Value error, "),
        )
    return Problem(code, message, show_place(place), shown, allowed, file, line, column)


def _describe_value(value: Any) -> str:
    """Return a scalar as truncated YAML text, and "a mapping" or "a list" for other values."""
    if isinstance(value, Mapping):
        return "a mapping"
    return "a list" if isinstance(value, list) else str(value).lower()[:40]


def _model_at(model: Any, place: tuple[str | int, ...]) -> Any:
    """Return the model at a location, such as the model of a verb at ``verbs.open``."""
    for part in place:
        if isinstance(model, type) and issubclass(model, BaseModel):
            field = model.model_fields.get(str(part))
            model = None if field is None else field.annotation
        elif get_origin(model) is not Literal:
            model = next(reversed(get_args(model)), None)
    return model


def _field_names(model: Any) -> tuple[str, ...]:
    is_model = isinstance(model, type) and issubclass(model, BaseModel)
    return tuple(model.model_fields) if is_model else ()


def find_positions(text: str) -> dict[tuple[str | int, ...], tuple[int, int]]:
    """Return the line and column, counted from 1, of each key and list entry, by its path."""
    root = yaml.compose(text, SAFE_LOADER)
    return dict(_positions(root, ())) if root is not None else {}


def _positions(
    node: yaml.Node, place: tuple[str | int, ...]
) -> Iterator[tuple[tuple[str | int, ...], tuple[int, int]]]:
    if not place:
        yield place, (node.start_mark.line + 1, node.start_mark.column + 1)
    inner: list[tuple[str | int, yaml.Node, yaml.Node]] = []
    if isinstance(node, yaml.MappingNode):
        inner = [(key.value, key, value) for key, value in node.value]
    elif isinstance(node, yaml.SequenceNode):
        inner = [(at, one, one) for at, one in enumerate(node.value)]
    for name, shown, value in inner:
        here = (*place, name)
        yield here, (shown.start_mark.line + 1, shown.start_mark.column + 1)
        yield from _positions(value, here)
