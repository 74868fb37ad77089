"""Types of the fields of a document: names, codes, texts, counts, times."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BeforeValidator, Field, PlainSerializer, WithJsonSchema
from pydantic_core import PydanticCustomError

__all__ = [
    "DURATION",
    "Args",
    "Bound",
    "Choices",
    "Code",
    "Count",
    "Duration",
    "FullName",
    "Name",
    "Needed",
    "Text",
    "choice_type",
]

_UNITS_S = {"ms": 0.001, "s": 1.0, "min": 60.0, "h": 3600.0}
DURATION = r"([0-9]{1,9}(?:\.[0-9]{1,9})?)\s*(ms|s|min|h)"
"""Pattern of a duration in a document, such as ``500ms``, ``20s`` or ``1.5min``."""

Name: TypeAlias = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=64)]
FullName: TypeAlias = Annotated[
    str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)?$", max_length=129)
]
"""A name, or ``pack.name`` if two packs of a site define the same name."""
Code: TypeAlias = Annotated[str, Field(pattern=r"^[A-Z][A-Z0-9_]*$", max_length=64)]
Text: TypeAlias = Annotated[str, Field(max_length=500)]
Count: TypeAlias = Annotated[int, Field(ge=1, le=1000, strict=True)]
Args: TypeAlias = Mapping[str, Any]


def _convert_duration(value: Any) -> Any:
    """Convert a duration such as ``20s`` to seconds; a number without a unit is an error."""
    match = re.fullmatch(DURATION, value) if isinstance(value, str) else None
    seconds = round(float(match[1]) * _UNITS_S[match[2]], 3) if match else 0.0
    if not 0 < seconds <= 24 * 3600:
        raise PydanticCustomError(
            "duration", "a time must be a number with a unit, 1ms to 24h: 500ms, 20s, 2min"
        )
    return seconds


def _write_duration(seconds: float) -> str:
    return f"{seconds:.3f}".rstrip("0").rstrip(".") + "s"


Duration: TypeAlias = Annotated[
    float, BeforeValidator(_convert_duration), PlainSerializer(_write_duration)
]
"""Duration: seconds in Python, a number with a unit such as ``20s`` in YAML."""


def _validate_needed(value: Any) -> Any:
    """Validate ``succeed_when`` with one error, where the union would report one for each type."""
    if value in ("all", "any") or (type(value) is int and value >= 1):
        return value
    message = "must be all, any, or how many children must succeed: 1 or more"
    raise PydanticCustomError("needed", message)


Needed: TypeAlias = Annotated[
    Literal["all", "any"] | Annotated[int, Field(ge=1)], BeforeValidator(_validate_needed)
]


def choice_type(values: Any) -> str:
    """Return the name of the type of choices, ``integer`` or ``text``."""
    items = values if isinstance(values, list | tuple) else ()
    return "integer" if items and all(type(item) is int for item in items) else "text"


def _read_choices(value: Any) -> Any:
    """Validate choices: at least two distinct strings, or at least two distinct integers."""
    items = tuple(value) if isinstance(value, list | tuple) else ()
    alike = {type(item) for item in items} in ({str}, {int})
    if not alike or len(items) < 2 or len(set(items)) < len(items):
        message = "choices must be two or more different words, or whole numbers: [fast, slow]"
        raise PydanticCustomError("choices", message)
    return items


Choices: TypeAlias = Annotated[
    tuple[Any, ...],
    BeforeValidator(_read_choices),
    WithJsonSchema(
        {
            "type": "array",
            "items": {"type": ["string", "integer"]},
            "minItems": 2,
            "uniqueItems": True,
        }
    ),
]


def _validate_bound(value: Any) -> Any:
    """Validate a bound, which is a finite number and not a boolean."""
    if type(value) not in (int, float) or not abs(value) <= 1e15:
        raise PydanticCustomError("bound", "a bound must be a number: min: 1")
    return value


Bound: TypeAlias = Annotated[
    Any, BeforeValidator(_validate_bound), WithJsonSchema({"type": "number"})
]
