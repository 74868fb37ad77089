"""Assignment of the numbers in a command (repetitions, counts, durations) to parameters.

The tree determines what a parameter is for: a parameter used in ``repeat`` takes "three times", and
one used in ``timeout`` takes "for a minute". For other parameters, the numbers in the tree's
utterances show the kind. Durations are passed in seconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pydantic import TypeAdapter
from pydantic.errors import PydanticSchemaGenerationError

from bt_exec.spec.library import Library
from bt_exec.spec.model import TreeSpec, walk
from bt_exec.verify.type_checks import type_mismatch
from bt_exec_llm.offline.command_part import Part
from bt_exec_llm.offline.refusal_codes import RefusalReason
from bt_exec_llm.offline.step import Step
from bt_exec_llm.offline.step_piece import Piece

__all__ = [
    "KINDS",
    "Number",
    "check_all_numbers_used",
    "fill_numbers",
    "number_parameters",
    "parse_number_range",
]

KINDS = ("COUNT", "TIMES", "TIME")
"""Kinds of numbers, as in "three cups", "three times" and "for three minutes"."""


@dataclass(frozen=True)
class Number:
    """Parameter of a tree for a number.

    Attributes:
        param: Name of the parameter.
        type: Name of its type.
        hint: Type, with the bounds of the parameter.
        kind: ``TIMES`` if used in ``repeat``, ``TIME`` if used in ``timeout``; otherwise empty.
        least: Minimum; None if there is none.
        most: Maximum; None if there is none.
    """

    param: str
    type: str
    hint: Any
    kind: str = ""
    least: float | None = None
    most: float | None = None


def number_parameters(library: Library, types: Mapping[str, Any]) -> dict[str, tuple[Number, ...]]:
    """Return the parameters for numbers, by name of the tree; trees without any are left out."""
    found = {
        tree.tree: tuple(_tree_number_parameters(tree, types)) for tree in library if tree.params
    }
    return {tree: numbers for tree, numbers in found.items() if numbers}


def _tree_number_parameters(tree: TreeSpec, types: Mapping[str, Any]) -> Iterable[Number]:
    used = {
        value.removeprefix("$"): "TIMES" if name == "repeat" else "TIME"
        for node in walk(tree.root)
        for name, value in node.open_modifiers.items()
    }
    for name, param in tree.params.items():
        hint = param.value_type(types)
        is_range, least, most = parse_number_range(hint)
        if used.get(name) == "TIME" or (hint is not None and is_range):
            yield Number(name, param.type, hint, used.get(name, ""), least, most)


def parse_number_range(hint: Any) -> tuple[bool, float | None, float | None]:
    """Return whether a type is numeric, and its minimum and maximum."""
    try:
        schema = _json_schema(hint)
    except TypeError:  # unhashable metadata
        schema = _json_schema.__wrapped__(hint)
    choices = schema.get("enum", [])
    if choices and all(type(one) is int for one in choices):
        return True, min(choices), max(choices)
    if schema.get("type") not in ("integer", "number"):
        return False, None, None
    least, most = schema.get("minimum"), schema.get("maximum")
    if schema["type"] == "number":
        return True, least, most
    least = schema["exclusiveMinimum"] + 1 if "exclusiveMinimum" in schema else least
    most = schema["exclusiveMaximum"] - 1 if "exclusiveMaximum" in schema else most
    return True, least, most


@lru_cache(maxsize=256)
def _json_schema(hint: Any) -> Mapping[str, Any]:
    try:
        return TypeAdapter(hint).json_schema()
    except (PydanticSchemaGenerationError, ValueError):
        return {}


def fill_numbers(
    numbers: Iterable[Number],
    said: Mapping[str, list[Piece]],
    kinds: Iterable[str],
) -> dict[str, Any] | RefusalReason:
    """Return the arguments for the numbers of a step, or a refusal reason if they do not fit.

    Args:
        numbers: Number parameters of the tree.
        said: Numbers of the step, by kind.
        kinds: Kinds of numbers in the utterances of the tree.
    """
    args: dict[str, Any] = {}
    for kind, pieces in said.items():
        fits = [n for n in numbers if n.kind == kind or (not n.kind and kind in kinds)]
        if not pieces:
            continue
        text = pieces[0].text
        if len(fits) != 1 or len(pieces) != 1 or not pieces[0].value:
            return RefusalReason(kind if kind != "TIMES" else "COUNT", text)
        number = fits[0]
        value: Any = pieces[0].value if number.kind == "TIME" else int(pieces[0].value.rstrip("s"))
        if type_mismatch(number.hint, value) is not None:
            return RefusalReason("OUT_OF_RANGE", text, (number.type,), hint=number.hint)
        args[number.param] = value
    return args


def check_all_numbers_used(parts: list[Part], steps: list[Step]) -> list[Part] | RefusalReason:
    """Return the parts if they use every number in the steps, otherwise a refusal reason."""
    taken = {
        (piece.start, piece.end)
        for part in parts
        if part.step is not None
        for piece in part.step.pieces
        if piece.kind == "limit"
    }
    asked = [step.condition[0] for step in steps if step.condition is not None]
    for step in (*steps, *asked):
        for piece in step.pieces:
            if piece.kind == "limit" and (piece.start, piece.end) not in taken:
                return RefusalReason(piece.name, piece.text)
    return parts
