"""How the pack perceives: the environment is read, and a picture taken now and then."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from bt_exec_skills.tabletop.environment import Environment
from bt_exec_skills.tabletop.perception.observation import TableObservation

__all__ = ["Picture", "Pictures", "TablePerception"]


class Picture(NamedTuple):
    """What a head camera sees.

    Attributes:
        rgb: uint8 of shape (height, width, 3).
        depth: Distance along the view [m], float32 of shape (height, width); 0 where unknown.
        boxes: Where objects are in it [px], by name.
    """

    rgb: npt.NDArray[np.uint8]
    depth: npt.NDArray[np.float32]
    boxes: dict[str, tuple[int, int, int, int]]


class Pictures(Protocol):
    """A camera: what a picture needs is taken quickly, the picture is made on a worker."""

    def capture(self) -> Any:
        """Return what the picture needs."""

    def view(self, capture: Any) -> Picture:
        """Return the picture."""

    def close(self) -> None:
        """Release its resources."""


class TablePerception:
    """The perception of a table; implements `bt_exec.robot.Perception`.

    Args:
        read: Returns the environment, quickly.
        camera: Takes pictures; None for none.
        every_s: A picture is taken at most this often [s]; the observations between have none.
    """

    def __init__(
        self, read: Callable[[], Environment], camera: Pictures | None, every_s: float
    ) -> None:
        self._read = read
        self._camera = camera
        self._every_s = every_s
        self._last = float("-inf")

    def capture(self) -> tuple[Environment, Any]:
        """Take what an observation needs."""
        now = self._read()
        if self._camera is None or now.t - self._last < self._every_s:
            return now, None
        self._last = now.t
        return now, self._camera.capture()

    def interpret(self, capture: tuple[Environment, Any]) -> TableObservation:
        """Return the observation of a capture; on a worker thread."""
        now, picture = capture
        if picture is None or self._camera is None:
            return TableObservation(now.t, now)
        view = self._camera.view(picture)
        return TableObservation(now.t, now, view.rgb, view.boxes)
