"""Attributes in object names, such as small, blue and cube in ``object_small_blue_cube_1``.

Names come from a simulator and may be malformed. A word of a name that is not a known attribute is
the kind of the object, so that ``object_apple_0`` is an apple.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Annotated, Literal, TypeAlias

from pydantic import StringConstraints

from bt_exec.skill import Label

__all__ = [
    "ATTRIBUTES",
    "COLOURS",
    "CONTAINERS",
    "SHAPES",
    "SIZES",
    "Attribute",
    "NameAttributes",
    "ObjectName",
    "attributes_in_name",
]

ObjectName: TypeAlias = Annotated[
    str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_\-]{0,59}$"), Label()
]
"""Name of an object that is in the environment now."""

Attribute: TypeAlias = Literal["colour", "size", "shape", "material"]
ATTRIBUTES: tuple[Attribute, ...] = ("colour", "size", "shape")
"""Attributes by which objects can be sorted."""

COLOURS = (
    "red",
    "green",
    "blue",
    "yellow",
    "orange",
    "purple",
    "pink",
    "white",
    "black",
    "brown",
    "grey",
)
SIZES = ("small", "medium", "big")
SHAPES = ("cube", "cylinder", "ball")
MATERIALS = ("wooden", "metal", "plastic", "glass", "paper", "steel", "ceramic")
CONTAINERS = ("bowl", "plate", "tray", "box", "basket")
"""Kinds of objects that are containers."""

_SAME: Mapping[str, str] = MappingProxyType(
    {
        "large": "big",
        "tiny": "small",
        "little": "small",
        "huge": "big",
        "mid": "medium",
        "gray": "grey",
        "violet": "purple",
        "block": "cube",
        "sphere": "ball",
        "can": "cylinder",
        "dish": "plate",
        "bin": "basket",
    }
)
"""Synonyms in the names of other simulators, with the words used here."""
_NATURE: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "apple": {"shape": "ball"},
        "orange": {"shape": "ball"},
        "cup": {"shape": "cylinder"},
    }
)
_PREFIX = ("object", "obj")
_NUMBER = re.compile("[0-9]{1,9}")


@dataclass(frozen=True)
class NameAttributes:
    """Attributes in the name of an object.

    Attributes:
        name: The whole name.
        kind: Kind, such as ``cube``, ``apple`` or ``bowl``; ``object`` if the name has none.
        colour: Colour; empty if the name has none.
        size: Size; empty if the name has none.
        shape: Shape; empty if the name has none.
        material: Material; empty if the name has none.
        number: Number at the end of the name, which distinguishes similar objects; None if the
            name has none.
    """

    name: str
    kind: str = "object"
    colour: str = ""
    size: str = ""
    shape: str = ""
    material: str = ""
    number: int | None = None

    @property
    def is_container(self) -> bool:
        """Whether the object is a container."""
        return self.kind in CONTAINERS

    def value(self, attribute: Attribute) -> str:
        """Return the value of an attribute; empty if the name has none."""
        found: str = getattr(self, attribute)
        return found


@lru_cache(maxsize=4096)
def attributes_in_name(name: str) -> NameAttributes:
    """Return the attributes in `name`."""
    words = [_SAME.get(word, word) for word in re.split(r"[_\-\s]+", name.casefold()) if word]
    number = int(words[-1]) if words and _NUMBER.fullmatch(words[-1]) else None
    words = [word for word in words if not word.isdigit()]
    if words and words[0] in _PREFIX:
        words = words[1:]
    found: dict[str, str] = {}
    kinds: list[str] = []
    for place, word in enumerate(words):
        last = place == len(words) - 1
        if word in SIZES and "size" not in found:
            found["size"] = word
        elif word in COLOURS and "colour" not in found and not (last and word in _NATURE and found):
            found["colour"] = word
        elif word in MATERIALS and not last:
            found["material"] = word
        elif word in SHAPES:
            found["shape"] = word
        else:
            kinds.append(word)
    kind = "_".join(kinds) or found.get("shape", "object")
    return NameAttributes(name, kind, number=number, **{**_NATURE.get(kind, {}), **found})
