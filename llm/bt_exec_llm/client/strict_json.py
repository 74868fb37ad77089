"""JSON of which nothing is lost and nothing is guessed: a key stands once, NaN is no number."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["KeyTwiceError", "keys_once", "strict_json"]


class KeyTwiceError(ValueError):
    """A key stands twice in an object, of which only one value would be left; it says which."""


def keys_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of its pairs; for `json.loads` as ``object_pairs_hook``.

    Raises:
        KeyTwiceError: If a key stands twice.
    """
    data: dict[str, Any] = {}
    for key, value in pairs:
        if key in data:
            raise KeyTwiceError(key)
        data[key] = value
    return data


def strict_json(text: str) -> Any:
    """Return the data of a text that is JSON alone, as RFC 8259 says it.

    Raises:
        KeyTwiceError: If a key stands twice in an object.
        ValueError: If it is no JSON; ``NaN`` and ``Infinity`` are none.
        RecursionError: If it is nested too deeply to be read.
    """
    return json.loads(text, object_pairs_hook=keys_once, parse_constant=_no_constant)


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number of JSON")
