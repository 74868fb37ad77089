"""Picture of a head camera."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from bt_exec_skills.perception.picture import Box
from bt_exec_skills.tabletop.perception.viewpoint import Viewpoint

__all__ = ["Picture", "Pictures"]


class Picture(NamedTuple):
    """Picture of a head camera.

    Attributes:
        rgb: uint8 of shape (height, width, 3).
        depth: Distance along the view [m], float32 of shape (height, width); 0 where unknown.
        boxes: Where objects truly are in it [px], by name.
        viewpoint: Where it was taken from; None if that is unknown.
    """

    rgb: npt.NDArray[np.uint8]
    depth: npt.NDArray[np.float32]
    boxes: dict[str, Box]
    viewpoint: Viewpoint | None = None


class Pictures(Protocol):
    """A camera: what a picture needs is taken quickly, the picture is made on a worker."""

    def capture(self) -> Any:
        """Return what the picture needs."""

    def view(self, capture: Any) -> Picture:
        """Return the picture."""

    def close(self) -> None:
        """Release its resources."""
