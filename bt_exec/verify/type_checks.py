"""Type checks of literals, assignability of types, and display names of types."""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

from pydantic import TypeAdapter, ValidationError
from pydantic.errors import PydanticSchemaGenerationError
from pydantic_core import to_json

from bt_exec.spec.yaml_source import Place, parse_scalar

__all__ = [
    "Unfit",
    "convert_word",
    "is_assignable",
    "item_types",
    "listed_values",
    "type_mismatch",
    "type_name",
    "without_metadata",
]

_WORDS: Mapping[Any, str] = {
    str: "text",
    float: "number",
    int: "integer",
    bool: "boolean",
    type(None): "nothing",
    list: "list",
    tuple: "list",
    dict: "mapping",
}


_UNIONS = (Union, types.UnionType)


class Unfit(NamedTuple):
    """Reason why a value in a document does not match the declared type.

    Attributes:
        reason: A few words; empty if the name of the type is sufficient.
        place: Place of the mismatch inside the value.
    """

    reason: str = ""
    place: Place = ()


def type_mismatch(hint: Any, value: Any) -> Unfit | None:
    """Return why a value in a document does not match type `hint`; None if it matches.

    Values are not converted: ``no`` is not a boolean and ``"5"`` is not a number.
    """
    if hint is None or hint is Any:
        return None
    try:
        _adapter(hint).validate_json(to_json(_unescaped(value)), strict=True)
    except PydanticSchemaGenerationError:
        return Unfit("only a skill can make one; give a saved result as $name")
    except ValidationError as error:
        first = error.errors()[0]
        if listed_values(hint) or (isinstance(hint, type) and hint in _WORDS):
            return Unfit()
        place = _inner_location(value, first["loc"])
        return Unfit(str(first["msg"]).replace("Input should", "must").lower(), place)
    except ValueError as error:  # the value is not plain data but a Python object
        return Unfit(str(error))
    return None


def convert_word(hint: Any, word: Any) -> Any:
    """Return a word converted to type `hint`, if possible: ``"3"`` becomes 3 for an integer.

    It must be used only for values that a compiler took from a command, not for values in files.
    Words that cannot be converted are returned unchanged, so that verification rejects them.
    """
    if not isinstance(word, str) or hint is None or type_mismatch(hint, word) is None:
        return word
    value = parse_scalar(word)
    return value if type_mismatch(hint, value) is None else word


def _inner_location(value: Any, loc: Place) -> Place:
    """Return pydantic's error location as a place in the value, without names of types."""
    place: list[str | int] = []
    for part in loc:
        try:
            value = value[part]
        except (KeyError, IndexError, TypeError):
            continue
        place.append(part)
    return tuple(place)


def listed_values(hint: Any) -> tuple[str, ...]:
    """Return the allowed values of a literal type or boolean; empty for other types."""
    bare = without_metadata(hint)
    if bare is bool:
        return ("true", "false")
    return tuple(map(str, get_args(bare))) if get_origin(bare) is Literal else ()


def _adapter(hint: Any) -> TypeAdapter[Any]:
    try:
        return _made_adapter(hint)
    except TypeError:  # the type has metadata that cannot be hashed, so skip the cache
        return _made_adapter.__wrapped__(hint)


@lru_cache(maxsize=256)
def _made_adapter(hint: Any) -> TypeAdapter[Any]:
    return TypeAdapter(hint)


def _unescaped(value: Any) -> Any:
    """Return a literal as it is passed to the skill: ``$$text`` becomes ``$text``."""
    if isinstance(value, list):
        return [_unescaped(item) for item in value]
    return value[1:] if isinstance(value, str) and value.startswith("$$") else value


def item_types(hint: Any, count: int) -> list[Any] | None:
    """Return the types of the items in a list of type `hint` with `count` items.

    The result is None if `hint` is not a list type, or a tuple type with another number of items.
    """
    bare = without_metadata(hint)
    if bare in (None, Any):
        return [Any] * count
    kind, inner = get_origin(bare) or bare, get_args(bare)
    if kind is tuple and inner and inner[-1] is not Ellipsis:
        return list(inner) if len(inner) == count else None
    if kind in (list, tuple, Sequence):
        return [inner[0] if inner else Any] * count
    return None


def without_metadata(hint: Any) -> Any:
    """Return a type without the metadata of `Annotated`."""
    return get_args(hint)[0] if get_origin(hint) is Annotated else hint


def is_assignable(target: Any, source: Any) -> bool:
    """Return True if every value of type `source` also has type `target`.

    Unknown types (None) and Any are assignable to and from all types.
    """
    target, source = without_metadata(target), without_metadata(source)
    if target == source or Any in (target, source) or None in (target, source):
        return True
    if get_origin(source) in _UNIONS:
        return all(is_assignable(target, part) for part in get_args(source))
    if get_origin(source) is Literal:
        return all(_accepts_value(target, value) for value in get_args(source))
    if get_origin(target) in _UNIONS:
        return any(is_assignable(part, source) for part in get_args(target))
    if get_origin(source) is not None:
        return _accepts_items(target, source)
    if target is float and source is int:
        return True
    try:
        return issubclass(source, target)
    except TypeError:  # one of them is not a class, or a protocol without run-time checks
        return False


def _accepts_value(target: Any, value: Any) -> bool:
    """Return True if a value of a literal type has type `target`."""
    target = without_metadata(target)
    if get_origin(target) in _UNIONS:
        return any(_accepts_value(part, value) for part in get_args(target))
    if get_origin(target) is Literal:
        return value in get_args(target)
    return is_assignable(target, type(value))


def _accepts_items(target: Any, source: Any) -> bool:
    """Return True if a generic type such as ``list[int]`` is assignable to another one."""
    if get_origin(target) is None:
        return target is get_origin(source)
    items, found = get_args(target), get_args(source)
    if get_origin(target) is not get_origin(source) or len(items) != len(found):
        return False
    return all(map(is_assignable, items, found))


def type_name(hint: Any) -> str:
    """Return the display name of a type, such as ``left|right``, ``number`` or ``text``."""
    bare = without_metadata(hint)
    if get_origin(bare) is Literal:
        return "|".join(map(str, get_args(bare)))
    if get_origin(bare) in _UNIONS:
        parts = get_args(bare)
        words = all(get_origin(without_metadata(part)) is Literal for part in parts)
        return ("|" if words else " or ").join(map(type_name, parts))
    if get_origin(bare) in (list, Sequence) and get_args(bare):
        return f"list of {type_name(get_args(bare)[0])}"
    return _WORDS.get(get_origin(bare) or bare) or str(getattr(bare, "__name__", bare))
