"""The classes of things on tables, in the order of their numbers.

What differs only in an attribute is one class: a red and a green apple, cubes of every colour.
"""

from __future__ import annotations

__all__ = ["THINGS"]

THINGS: tuple[str, ...] = (
    "tomato",
    "apple",
    "orange",
    "lemon",
    "egg",
    "cup",
    "bowl",
    "plate",
    "bottle",
    "cube",
    "ball",
    "cylinder",
    "chair",
    "person",
)
