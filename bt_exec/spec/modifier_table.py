"""Names, meanings and timing of the modifiers of a node, in evaluation order.

The table is used by models, JSON Schema, documentation and prompts. `bt_exec.nodes.modifiers`
implements the modifiers. In a tree, the value of ``repeat`` and ``timeout`` may be a parameter, as
in ``repeat: $n``; the expanded mission contains the value of the parameter.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    ModelWrapValidatorHandler,
    PrivateAttr,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)
from pydantic_core import PydanticCustomError

__all__ = ["MODIFIERS", "Fillable", "Modifier", "SpecModel", "modifier_table"]


class Modifier(NamedTuple):
    """A modifier of a node, such as ``retry``.

    Attributes:
        name: Name of the field in a document.
        meaning: Description in a sentence or two.
        timing: When the modifier is evaluated.
    """

    name: str
    meaning: str
    timing: str


MODIFIERS = (
    Modifier(
        "for_each",
        "The node once per item of a list, in order: {item: $items} names the item, at_most bounds "
        "the list. Any failure ends it.",
        "once on entry; a list known in advance is expanded before the mission runs",
    ),
    Modifier(
        "skip_if",
        "If the condition holds, the node is done without doing anything.",
        "once on entry, for each item",
    ),
    Modifier(
        "repeat",
        "The node N times in a row, one round per tick. Any failure ends it.",
        "after each success",
    ),
    Modifier(
        "until",
        "With repeat: the rounds end with success once the condition holds; N rounds without it "
        "fail with NOT_REACHED, or with the code in 'else' beside the condition.",
        "after each round, until it is known",
    ),
    Modifier(
        "retry",
        "Up to N attempts in all, one per tick, while another attempt may mend the failure.",
        "after each failure",
    ),
    Modifier(
        "timeout",
        "An attempt that takes longer fails with TIMEOUT and is stopped: 500ms, 20s, 2min.",
        "each tick of an attempt, before the node",
    ),
    Modifier(
        "while",
        "A guard: when the condition does not hold, the node is stopped and fails with "
        "GUARD_BROKEN, or with the code in 'else' beside the condition.",
        "each tick, before the node",
    ),
)
"""The modifiers, the outermost first."""


def modifier_table() -> str:
    """Return the modifiers as a Markdown table."""
    rows = [("Modifier", "Meaning", "When"), ("---", "---", "---")]
    rows += [(f"`{one.name}`", one.meaning, one.timing) for one in MODIFIERS]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows) + "\n"


_FILLED = ("repeat", "timeout")
"""Modifiers whose value in a tree may be a parameter, ``$name``."""


class SpecModel(BaseModel):
    """Base of the models of trees and missions; immutable, and unknown fields are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=False)


class Fillable(SpecModel):
    """Base of nodes; modifiers may be references to parameters, which expansion replaces."""

    _filled: dict[str, str] = PrivateAttr(default_factory=dict)

    @model_validator(mode="wrap")
    @classmethod
    def _take_references(cls, value: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        if not isinstance(value, dict):
            return handler(value)
        if value.get("until") is not None and value.get("repeat") is None:
            message = "'until' needs a 'repeat' with the maximum number of rounds: repeat: 10"
            raise PydanticCustomError("until", message)
        given = {name: value[name] for name in _FILLED if _is_reference(value.get(name))}
        node = handler({key: part for key, part in value.items() if key not in given})
        if given:
            node._filled = given
        return node

    @model_serializer(mode="wrap")
    def _give_references(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {**handler(self), **self._filled}

    @property
    def open_modifiers(self) -> Mapping[str, str]:
        """Modifiers that still refer to a parameter, such as ``repeat: $n``, by name."""
        return self._filled

    def with_modifier_values(self, values: Mapping[str, Any]) -> Self:
        """Return the node with `values` for the modifiers that refer to parameters."""
        node = self.model_copy(update=dict(values))
        node._filled = {}
        return node


def _is_reference(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch(r"\$[A-Za-z_][A-Za-z0-9_]*", value) is not None
