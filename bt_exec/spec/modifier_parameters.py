"""Modifiers with parameters: ``repeat: $n`` and ``timeout: $t`` in a tree.

A tree refers to the parameter; the expanded mission contains the value.
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
"""Modifiers that may be ``$name`` of a parameter in a tree."""


class SpecModel(BaseModel):
    """Immutable part of a tree or a mission; unknown fields are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=False)


class Filled(SpecModel):
    """A node whose modifiers may refer to parameters of its tree."""

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
        """Modifiers that refer to a parameter until the tree is expanded: ``repeat: $n``."""
        return self._filled

    def with_filled(self, values: Mapping[str, Any]) -> Self:
        """Return the node with `values` for the modifiers that refer to parameters."""
        node = self.model_copy(update=dict(values))
        node._filled = {}
        return node


def _is_reference(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch(r"\$[A-Za-z_][A-Za-z0-9_]*", value) is not None
