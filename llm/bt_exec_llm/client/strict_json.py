"""Strict JSON parsing: duplicate keys and NaN are errors."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["KeyTwiceError", "keys_once", "strict_json"]


class KeyTwiceError(ValueError):
    """Raised when an object has a duplicate key; the message names it."""


def keys_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return pairs as a dictionary; used as ``object_pairs_hook`` of `json.loads`.

    Raises:
        KeyTwiceError: If a key is duplicated.
    """
    data: dict[str, Any] = {}
    for key, value in pairs:
        if key in data:
            raise KeyTwiceError(key)
        data[key] = value
    return data


def strict_json(text: str) -> Any:
    """Return the data of a JSON text as defined by RFC 8259.

    Raises:
        KeyTwiceError: If an object has a duplicate key.
        ValueError: If the text is not JSON; ``NaN`` and ``Infinity`` are not JSON.
        RecursionError: If the data is nested too deeply to be read.
    """
    return json.loads(text, object_pairs_hook=keys_once, parse_constant=_reject_constant)


def _reject_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number")
