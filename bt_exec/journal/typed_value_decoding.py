"""Decoding of recorded values against the declared types of their fields.

A journal file can be edited or damaged, and SQLite stores any value in any column. Values are
checked on reading, so that later code can rely on the types of events.
"""

from __future__ import annotations

import math
import types
from collections.abc import Callable, Mapping
from collections.abc import Sequence as AbstractSequence
from dataclasses import fields, is_dataclass
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from bt_exec.failure import Failure
from bt_exec.mission_outcome import Outcome

__all__ = ["build_checked", "checked_value"]

_NAMES = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
"""Names of floats that JSON cannot represent; see `bt_exec.journal.json_text`."""


def build_checked(cls: type[Any], values: Mapping[str, Any]) -> Any:
    """Return ``cls(**values)`` after checking each field against its declared type.

    Raises:
        ValueError: If a value does not have its declared type.
        TypeError: If a field is missing or unknown.
    """
    hints = _field_types(cls)
    return cls(
        **{
            name: checked_value(value, hints[name], name) if name in hints else value
            for name, value in values.items()
        }
    )


def checked_value(value: Any, hint: Any, name: str) -> Any:
    """Return a value checked against its type hint; lists become tuples where declared.

    Values inside mappings are plain data of any kind and are not checked.

    Raises:
        ValueError: If it does not have that type.
    """
    origin, args = get_origin(hint), get_args(hint)
    if hint is Any:
        return value
    if origin in (Union, types.UnionType):
        return _one_of(value, args, name)
    if origin is Literal:
        return _require_fit(value, any(value == word for word in args), name)
    if origin is tuple:
        _require_fit(value, isinstance(value, list | tuple), name)
        if args[0] is str:  # a wrong element from a pack must not discard the rest
            return tuple(item if isinstance(item, str) else str(item) for item in value)
        return tuple(checked_value(item, args[0], name) for item in value)
    if origin in (dict, Mapping):
        return _require_fit(value, isinstance(value, Mapping), name)
    if origin in (list, AbstractSequence):
        return _require_fit(value, isinstance(value, list | tuple), name)
    if hint in _PLAIN:
        return _PLAIN[hint](value, name)
    return _checked_instance(value, hint, name)


def _one_of(value: Any, hints: tuple[Any, ...], name: str) -> Any:
    for hint in hints:
        try:
            return checked_value(value, hint, name)
        except ValueError:
            continue
    raise _type_error(value, name)


def _checked_instance(value: Any, hint: Any, name: str) -> Any:
    """Return `value` after checking that it is an instance of `hint`.

    The fields of a dataclass are checked, too.
    """
    if hint is types.NoneType:
        return _require_fit(value, value is None, name)
    if not isinstance(hint, type) or getattr(hint, "_is_protocol", False):
        return value
    if is_dataclass(hint) and isinstance(value, hint):
        hints = _field_types(hint)
        for field in fields(hint):
            checked_value(getattr(value, field.name), hints[field.name], f"{name}.{field.name}")
    return _require_fit(value, isinstance(value, hint), name)


def _float(value: Any, name: str) -> float:
    if isinstance(value, str) and value in _NAMES:
        return _NAMES[value]
    _require_fit(value, isinstance(value, int | float) and not isinstance(value, bool), name)
    number: float = value
    if isinstance(value, int) and value.bit_length() > 1023:
        raise _type_error(value, name)
    return number


def _int(value: Any, name: str) -> int:
    number: int = _require_fit(value, isinstance(value, int) and not isinstance(value, bool), name)
    return number


def _instance_decoder(kind: type[Any]) -> Callable[[Any, str], Any]:
    return lambda value, name: _require_fit(value, isinstance(value, kind), name)


_PLAIN: Mapping[Any, Callable[[Any, str], Any]] = {
    float: _float,
    int: _int,
    str: _instance_decoder(str),
    bool: _instance_decoder(bool),
}


def _require_fit(value: Any, fits: bool, name: str) -> Any:
    if not fits:
        raise _type_error(value, name)
    return value


def _type_error(value: Any, name: str) -> ValueError:
    return ValueError(f"{name} is {repr(value)[:40]}")


_HINTS: dict[str, dict[str, Any]] = {}


def _field_types(cls: type[Any]) -> dict[str, Any]:
    """Return the types of a class's fields (cached)."""
    name = f"{cls.__module__}.{cls.__qualname__}"
    if name not in _HINTS:
        known = {"Outcome": Outcome, "Failure": Failure}
        _HINTS[name] = get_type_hints(cls, localns=known)
    return _HINTS[name]
