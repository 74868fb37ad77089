"""Perception pipeline: readings of the environment, with a picture at a limited rate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bt_exec_skills.tabletop.environment import Environment
from bt_exec_skills.tabletop.perception.finder import Finder
from bt_exec_skills.tabletop.perception.observation import TableObservation
from bt_exec_skills.tabletop.perception.picture import Pictures

__all__ = ["TablePerception"]


class TablePerception:
    """Perception of a table; implements `bt_exec.robot.Perception`.

    Args:
        read: Function that returns the environment, quickly.
        camera: Camera, or None.
        finder: Object finder for its pictures.
        every_s: Minimum interval of pictures [s]. Observations in between have none.
    """

    def __init__(
        self,
        read: Callable[[], Environment],
        camera: Pictures | None,
        finder: Finder,
        every_s: float,
    ) -> None:
        self._read = read
        self._camera = camera
        self._finder = finder
        self._every_s = every_s
        self._last = float("-inf")

    def capture(self) -> tuple[Environment, Any]:
        """Capture the raw data of an observation."""
        now = self._read()
        if self._camera is None or now.t - self._last < self._every_s:
            return now, None
        self._last = now.t
        return now, self._camera.capture()

    def interpret(self, capture: tuple[Environment, Any]) -> TableObservation:
        """Return the observation of a capture. Called on a worker thread."""
        now, picture = capture
        if picture is None or self._camera is None:
            return TableObservation(now.t, now)
        view = self._camera.view(picture)
        return TableObservation(now.t, now, view.rgb, self._finder.boxes(view, now))
