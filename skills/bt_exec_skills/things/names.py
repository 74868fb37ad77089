"""Classes of objects on tables, in the order of their numbers.

Objects that differ only in an attribute share a class: red and green apples, cubes of every colour.
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
