"""Conversion of any value into JSON text that SQLite can store; never raises."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from itertools import islice
from typing import Any

import numpy as np
from pydantic import BaseModel

__all__ = ["replace_surrogates", "to_bounded_json", "to_json"]

_DEPTH = 48  # maximum nesting of containers; deeper values are cut
_ARRAY = 64  # maximum number of elements of an array; a larger one is only described
_VALUES = 100_000  # maximum number of values within a converted value; the rest is cut
_TEXT = 4_000_000  # maximum number of characters of a value; longer strings are cut
_PART = 8  # estimated number of characters per key or item, in addition to strings
_CUTS = ((100_000, 100_000), (1_000, 10_000), (100, 100), (20, 10))
"""Limits of text length and container size for cutting a value, tried in this order."""


def replace_surrogates(text: str) -> str:
    """Return `text` with lone surrogates, which UTF-8 cannot encode, replaced by ``?``."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def to_json(value: Any) -> str:
    """Return a value as JSON text. Tuples become lists; keys, NaN and infinities become strings.

    Other values are converted (data classes, models, enumerations, small arrays) or described by
    their `repr`. Values that are too large are shortened with their structure kept; see
    `to_bounded_json`.
    """
    return to_bounded_json(value)[0]


def to_bounded_json(value: Any) -> tuple[str, bool]:
    """Return a value as JSON text, and whether it was cut to fit.

    Long strings and containers are cut with ever smaller limits. The value keeps its structure,
    so that the remaining data can be read. A value that is still too large is replaced by a note
    with its length.
    """
    if _is_small(value):
        text = _encoded(value)
        if len(text) <= _TEXT:
            return replace_surrogates(text), False
    for longest, most in _CUTS:
        text = _ENCODER.encode(_PlainConverter(longest, most).convert(value))
        if len(text) <= _TEXT:
            return replace_surrogates(text), True
    return json.dumps({"left_out": f"{len(text)} characters"}), True


def _is_small(value: Any) -> bool:
    """Return False if the JSON text of plain data is estimated to exceed the size limit."""
    left, stack = _TEXT, [value]
    while stack and left >= 0:
        one = stack.pop()
        if isinstance(one, str):
            left -= len(one)
        elif isinstance(one, dict | list | tuple):
            left -= _PART * len(one) * (2 if isinstance(one, dict) else 1)
            if left >= 0:
                stack.extend(dict.values(one) if isinstance(one, dict) else one)
    return left >= 0


def _encoded(value: Any) -> str:
    try:
        return _ENCODER.encode(value)
    except BaseException:  # noqa: BLE001 - an object of a pack
        return _ENCODER.encode(_PlainConverter(_TEXT, _TEXT).convert(value))


class _PlainConverter:
    """Converter of any value to JSON types.

    Args:
        longest: Maximum length of a text; longer ones are cut.
        most: Maximum size of a container; larger ones are cut.
    """

    def __init__(self, longest: int, most: int) -> None:
        self._longest = longest
        self._most = most
        self._left = _VALUES

    def convert(self, value: Any, depth: int = 0) -> Any:
        """Return a value as plain data, recursively."""
        self._left -= 1
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, str):
            long = len(value) > self._longest
            return f"{value[: self._longest]}… ({len(value)} characters)" if long else value
        if isinstance(value, int):
            return value if value.bit_length() < 1024 else f"a number of {value.bit_length()} bits"
        if isinstance(value, float):
            return value if math.isfinite(value) else _float_name(value)
        if depth > _DEPTH or self._left < 0:
            return "…"
        try:
            return self._container(value, depth + 1)
        except BaseException as error:  # noqa: BLE001 - an object of a pack must not prevent the row
            return f"<{type(value).__name__}: {type(error).__name__}>"

    def _container(self, value: Any, depth: int) -> Any:
        if isinstance(value, Mapping):
            kept = islice(value.items(), min(self._most, self._left + 1))
            return {str(key)[: self._longest]: self.convert(item, depth) for key, item in kept}
        if isinstance(value, list | tuple):
            kept = islice(value, min(self._most, self._left + 1))
            return [self.convert(item, depth) for item in kept]
        return self.convert(_closer_to_json(value), depth)


def _closer_to_json(value: Any) -> Any:
    """Return `value` converted one step towards JSON types; its `repr` if it cannot be."""
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
    except Exception as error:  # noqa: BLE001 - a broken __repr__ of a pack must not prevent the row
        return f"<{type(value).__name__}: {type(error).__name__}>"


def _float_name(number: float) -> str:
    """Return the name of a float that JSON cannot represent."""
    return "NaN" if math.isnan(number) else "Infinity" if number > 0 else "-Infinity"


_ENCODER = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_closer_to_json
)
