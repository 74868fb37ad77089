"""Modifiers with parameters: ``repeat: $n`` and ``timeout: $t`` in a tree.

A tree says the name, the node of a mission has the value.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Self

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

__all__ = ["Filled", "SpecModel"]

_FILLED = ("repeat", "timeout")
"""Modifiers that may be ``$name`` of a parameter; a tree says so, a mission has the value."""


class SpecModel(BaseModel):
    """Part of a tree or a mission: never changed, and nothing in it that is not known."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=False)


class Filled(SpecModel):
    """A node whose modifiers may wait for the parameters of its tree."""

    _filled: dict[str, str] = PrivateAttr(default_factory=dict)

    @model_validator(mode="wrap")
    @classmethod
    def _take_references(cls, value: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        if not isinstance(value, dict):
            return handler(value)
        if value.get("until") is not None and value.get("repeat") is None:
            message = "'until' ends a 'repeat'; say how often at most: repeat: 10"
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
    def filled(self) -> Mapping[str, str]:
        """The modifiers that a parameter of the tree fills when it is expanded: ``repeat: $n``."""
        return self._filled

    def with_filled(self, values: Mapping[str, Any]) -> Self:
        """Return the node with `values` in the place of the modifiers that parameters fill."""
        node = self.model_copy(update=dict(values))
        node._filled = {}
        return node


def _is_reference(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch(r"\$[A-Za-z_][A-Za-z0-9_]*", value) is not None
