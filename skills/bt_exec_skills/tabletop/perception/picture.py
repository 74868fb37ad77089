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
        depth: Distance along the view [m], float32 of shape (height, width); 0 if unknown.
        boxes: True boxes of objects [px], by name.
        viewpoint: Pose of the camera; None if unknown.
    """

    rgb: npt.NDArray[np.uint8]
    depth: npt.NDArray[np.float32]
    boxes: dict[str, Box]
    viewpoint: Viewpoint | None = None


class Pictures(Protocol):
    """Camera: the state is captured quickly, and the picture is rendered on a worker thread."""

    def capture(self) -> Any:
        """Return the state needed for a picture."""

    def view(self, capture: Any) -> Picture:
        """Return the picture."""

    def close(self) -> None:
        """Release the resources."""
