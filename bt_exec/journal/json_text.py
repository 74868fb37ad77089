"""Conversion of any value into JSON text that SQLite can store; never raises."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

import numpy as np
from pydantic import BaseModel

__all__ = ["clean", "shortened", "to_json"]

_DEPTH = 48  # nesting of containers; deeper values are cut
_ARRAY = 64  # numbers; a larger array is described instead
_VALUES = 100_000  # values within one value that needs conversion; the rest is cut
_TEXT = 4_000_000  # characters of one value; longer texts are cut
_CUTS = ((100_000, 10**9), (1_000, 10_000), (100, 100), (20, 10))
"""Limits of text length and container size when cutting a value, tried in this order."""


def clean(text: str) -> str:
    """Return `text` with lone surrogates, which UTF-8 cannot encode, replaced by ``?``."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def to_json(value: Any) -> str:
    """Return JSON text. Tuples become lists, keys texts, and NaN and infinities their names.

    Other values are converted (data classes, models, enumerations, small arrays) or described by
    their `repr`. Values that are too large are shortened with their structure kept; see
    `shortened`.
    """
    text = _encoded(value)
    return json.dumps(_left_out(text)) if len(text) > _TEXT else clean(text)


def shortened(value: Any) -> tuple[str, bool]:
    """Return JSON text and whether something was cut: long texts, then long lists and mappings.

    The structure of the value is kept, so that the rest of it can be read.
    """
    text = _encoded(value)
    if len(text) <= _TEXT:
        return clean(text), False
    plain = json.loads(text)
    for longest, most in _CUTS:
        text = _ENCODER.encode(_cut(plain, longest, most))
        if len(text) <= _TEXT:
            return clean(text), True
    return json.dumps(_left_out(text)), True


def _encoded(value: Any) -> str:
    try:
        return _ENCODER.encode(value)
    except (TypeError, ValueError, RecursionError):
        return _ENCODER.encode(_plain(value, 0, [_VALUES]))


def _left_out(text: str) -> dict[str, str]:
    return {"left_out": f"{len(text)} characters"}


def _cut(value: Any, longest: int, most: int) -> Any:
    """Return plain data with texts cut to `longest` characters and containers to `most` items."""
    if isinstance(value, str) and len(value) > longest:
        return f"{value[:longest]}… ({len(value)} characters)"
    if isinstance(value, dict):
        kept = list(value.items())[:most]
        return {key[:longest]: _cut(item, longest, most) for key, item in kept}
    if isinstance(value, list):
        return [_cut(item, longest, most) for item in value[:most]]
    return value


def _plain(value: Any, depth: int, budget: list[int]) -> Any:
    """Return `value` converted to JSON types recursively; `budget` counts the values left."""
    budget[0] -= 1
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, int):
        return value if value.bit_length() < 1024 else f"a number of {value.bit_length()} bits"
    if isinstance(value, float):
        return value if math.isfinite(value) else _name_of(value)
    if depth > _DEPTH or budget[0] < 0:
        return "…"
    if isinstance(value, Mapping):
        return {str(key): _plain(item, depth + 1, budget) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item, depth + 1, budget) for item in value]
    return _plain(_apart(value), depth + 1, budget)


def _apart(value: Any) -> Any:
    """Return a value closer to JSON than `value`; its `repr` if there is no conversion."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        if value.size <= _ARRAY:
            return value.tolist()
        return f"array of shape {value.shape}, {value.dtype}"
    if isinstance(value, BaseModel):
        return value.model_dump(by_alias=True, exclude_defaults=True)
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, set | frozenset):
        return sorted(value, key=repr)
    if isinstance(value, Iterable) and hasattr(value, "__len__") and not isinstance(value, bytes):
        return list(value)
    try:
        return str(value) if hasattr(value, "__fspath__") else repr(value)
    except Exception as error:  # noqa: BLE001 - a broken __repr__ of a pack must not cost the row
        return f"<{type(value).__name__}: {type(error).__name__}>"


def _name_of(number: float) -> str:
    """Return the name of a float that JSON cannot represent."""
    return "NaN" if math.isnan(number) else "Infinity" if number > 0 else "-Infinity"


_ENCODER = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_apart
)
