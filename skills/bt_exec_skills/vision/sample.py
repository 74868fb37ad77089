"""What a labelled picture is, and where labelled pictures come from.

A box is ``(x1, y1, x2, y2)`` in integer pixels from the top left corner; x2 and y2 are the first
column and row outside of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

__all__ = ["Box", "Frame", "Mark", "Sample", "SceneSource", "box_of"]

Frame = npt.NDArray[np.uint8]
"""A picture, RGB, shape (height, width, 3)."""
Box = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Mark:
    """One thing in a picture: what it is and where."""

    label: str
    bbox: Box


@dataclass(frozen=True)
class Sample:
    """One labelled picture.

    Attributes:
        image: The picture.
        marks: What is in it.
        facts: What else is known about it, as plain data: ``{"angle_rad": 0.3}``.
    """

    image: Frame
    marks: tuple[Mark, ...]
    facts: Mapping[str, Any] = field(default_factory=dict)


class SceneSource(Protocol):
    """Makes labelled pictures, scene by scene; the same seed makes the same scene."""

    name: str
    """What ``bt-exec vision dataset`` calls it."""
    classes: tuple[str, ...]
    """The labels, in the order of their numbers."""

    def scene(self, seed: int) -> Iterator[Sample]:
        """Yield the pictures of one scene."""


def box_of(mask: npt.NDArray[np.bool_]) -> Box:
    """Return the smallest box around the true pixels of `mask`, which has some."""
    rows = np.flatnonzero(mask.any(axis=1))
    columns = np.flatnonzero(mask.any(axis=0))
    return int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1
