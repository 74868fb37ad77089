"""Replacement of ``$found_2`` by the value of the saved result."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from bt_exec.spec.model import MissionSpec, saved_names
from bt_exec.tui.text import clean

__all__ = ["names_of", "with_values"]

_NAME = re.compile(r"(?<!\$)\$([A-Za-z_][A-Za-z0-9_]*)")
_COUNT = re.compile(r"_\d+\Z")  # suffix added by the expansion if two subtrees save the same name
_LONGEST = 40


def names_of(spec: MissionSpec) -> frozenset[str]:
    """Return the names of the results that a plan saves."""
    return frozenset(saved_names(spec.root))


def with_values(text: str, names: frozenset[str], values: Mapping[str, Any]) -> str:
    """Return `text` with every ``$name`` of a saved result replaced by its value.

    A missing result is shown as its name in parentheses: ``(found)``. Other words that start with a
    dollar sign are plain text.
    """

    def shown(match: re.Match[str]) -> str:
        name = match[1]
        if name not in names:
            return match[0]
        return _value_text(values[name]) if name in values else f"({_COUNT.sub('', name)})"

    return _NAME.sub(shown, text) if "$" in text else text


def _value_text(value: Any) -> str:
    """Return a value as a short text."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, list | tuple):
        return " + ".join(map(_value_text, value)) or "nothing"
    text = clean(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
