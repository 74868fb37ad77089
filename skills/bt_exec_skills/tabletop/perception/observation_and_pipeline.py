"""Observation of the tables, and the pipeline that makes it from readings and pictures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from bt_exec_skills.tabletop.environment_state import Environment
from bt_exec_skills.tabletop.held_object_tracker import NEAR_M
from bt_exec_skills.tabletop.name_attributes import attributes_in_name
from bt_exec_skills.tabletop.output_sentences import sentence
from bt_exec_skills.tabletop.perception.head_camera_model import Pictures
from bt_exec_skills.tabletop.perception.object_detectors import Finder

__all__ = ["TableObservation", "TablePerception"]


@dataclass(frozen=True)
class TableObservation:
    """Observation of the tables at one time; implements `bt_exec.robot.Observation`.

    Attributes:
        t: Time of the capture [s, mission clock].
        environment: Objects and their poses.
        frame: Picture of the head camera, uint8 of shape (height, width, 3) RGB, or None.
        boxes: Boxes of objects in the picture [px], by name.
    """

    t: float
    environment: Environment
    frame: npt.NDArray[np.uint8] | None = None
    boxes: dict[str, tuple[int, int, int, int]] = field(default_factory=dict)

    def labels(self) -> tuple[str, ...]:
        """Return the names of the objects and the tables."""
        return (*self.environment.objects, *self.environment.tables)

    def facts(self) -> dict[str, str]:
        """Return the positions and containers of all objects, and the table tops, as facts."""
        now, found = self.environment, {}
        for name, placed in now.objects.items():
            found[f"pos.{name}"] = " ".join(f"{value:.2f}" for value in placed.pos)
            if name == now.taken:  # the object is in the hand, or about to be taken
                continue
            place = now.place_of(name)
            if place is not None and not attributes_in_name(name).is_container:
                found[f"spot.{name}"] = f"in {place}"
            elif now.is_on_floor(name) and not attributes_in_name(name).is_container:
                found[f"spot.{name}"] = "floor"
        for name, table in now.tables.items():
            found[f"table.{name}"] = " ".join(f"{value:.2f}" for value in table)
        if now.base is not None:
            found["pos.robot"] = " ".join(f"{value:.2f}" for value in now.base)
            away = {name: table.distance_to(*now.base[:2]) for name, table in now.tables.items()}
            nearest = min(away, key=away.__getitem__, default="")
            if nearest:
                found["at.table"] = nearest if away[nearest] <= NEAR_M else "none"
        return found

    def describe(self, language: str) -> str:
        """Return a line for the operator with the number of objects and of those in containers."""
        things = [one for one in self.environment.object_attributes() if not one.is_container]
        placed = sum(self.environment.container_of(one.name) is not None for one in things)
        return sentence("seen", language, count=len(things), placed=placed)

    def record(self) -> dict[str, Any]:
        """Return plain data for the journal."""
        objects = {
            name: [round(value, 3) for value in placed.pos]
            for name, placed in self.environment.objects.items()
        }
        base = self.environment.base
        return {
            "objects": objects,
            "areas": {
                name: [round(value, 2) for value in table.bounds]
                for name, table in self.environment.tables.items()
            },
            "base": None if base is None else [round(value, 3) for value in base],
            "boxes": {name: list(box) for name, box in self.boxes.items()},
        }


class TablePerception:
    """Perception of the tables; implements `bt_exec.robot.Perception`.

    Args:
        read: Function that returns the environment; must be fast.
        camera: Camera, or None.
        finder: Object finder for the camera's pictures.
        every_s: Minimum interval between pictures [s]. Observations in between have no picture.
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
        """Return the observation of a capture; on a worker thread."""
        now, picture = capture
        if picture is None or self._camera is None:
            return TableObservation(now.t, now)
        view = self._camera.view(picture)
        return TableObservation(now.t, now, view.rgb, self._finder.boxes(view, now))
