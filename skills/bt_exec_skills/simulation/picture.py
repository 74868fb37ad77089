"""A picture of a simulated world, and the interface of its renderers."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

__all__ = ["Painter", "Picture"]


class Picture(NamedTuple):
    """Picture of the head camera.

    Attributes:
        rgb: Colours, uint8 of shape (height, width, 3).
        geoms: Geom id of each pixel, int32 of shape (height, width); -1 for none.
    """

    rgb: npt.NDArray[np.uint8]
    geoms: npt.NDArray[np.int32]


class Painter(Protocol):
    """Renderer of the camera ``head``."""

    name: str

    def paint(self, data: Any) -> Picture:
        """Return the picture of the state `data`, whose kinematics are up to date."""

    def colours(self, data: Any) -> npt.NDArray[np.uint8]:
        """Return only the colours of the picture that `paint` returns."""

    def close(self) -> None:
        """Release its resources; does nothing if closed already."""
