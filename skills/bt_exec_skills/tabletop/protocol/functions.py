"""Functions, methods and modules that clients of the simulator may use in their code."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["FUNCTIONS", "LARGEST", "METHODS", "MODULES", "TYPES", "CodeRefused"]

LARGEST = 1e12
"""Largest number of a program."""
_MOST_ROUNDS = 1000


class CodeRefused(Exception):  # noqa: N818 - a response to the client that sent the code
    """Raised for code that is not allowed, or that exceeds a limit."""


def _float(value: Any) -> float:
    """Return a number; infinity becomes the largest allowed number."""
    number = float(value)
    return math.copysign(LARGEST, number) if math.isinf(number) else number


def _range(*bounds: Any) -> list[int]:
    if not 1 <= len(bounds) <= 3 or not all(type(bound) is int for bound in bounds):
        raise CodeRefused("range takes 1 to 3 integers")
    if len(found := range(*bounds)) > _MOST_ROUNDS:
        raise CodeRefused(f"range has at most {_MOST_ROUNDS} items; found {len(found)}")
    return list(found)


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "abs": abs,
    "bool": bool,
    "dict": dict,
    "enumerate": lambda items, start=0: [list(pair) for pair in enumerate(items, start)],
    "float": _float,
    "int": int,
    "isinstance": isinstance,
    "len": len,
    "list": list,
    "max": max,
    "min": min,
    "print": lambda *parts, **ignored: None,  # noqa: ARG005 - the server prints nothing
    "range": _range,
    "round": round,
    "sorted": lambda items: sorted(items),
    "str": str,
    "sum": sum,
    "tuple": tuple,
    "zip": lambda *lists: [list(row) for row in zip(*lists, strict=False)],
}
"""Functions without side effects that code may call."""

METHODS: Mapping[str, tuple[type, ...]] = {
    "append": (list,),
    "copy": (list, dict),
    "count": (list, str),
    "endswith": (str,),
    "get": (dict,),
    "index": (list,),
    "items": (dict,),
    "keys": (dict,),
    "lower": (str,),
    "replace": (str,),
    "split": (str,),
    "startswith": (str,),
    "strip": (str,),
    "tolist": (list,),
    "values": (dict,),
}
"""Methods that code may call, with the types that have them."""

MODULES: Mapping[str, Mapping[str, Any]] = {
    "json": {"dumps": lambda value: json.dumps(value)},
    "math": {
        name: getattr(math, name)
        for name in (
            "acos",
            "asin",
            "atan",
            "atan2",
            "ceil",
            "cos",
            "degrees",
            "dist",
            "floor",
            "hypot",
            "pi",
            "radians",
            "sin",
            "sqrt",
            "tan",
        )
    },
    "time": {"sleep": "wait"},
}
"""Modules that code may import: functions by name; a text is the name of a robot call."""

TYPES = {
    "bool": bool,
    "dict": dict,
    "float": float,
    "int": int,
    "list": list,
    "str": str,
    "tuple": list,  # tuples are represented as lists
}
"""Types allowed as the second argument of `isinstance`."""
