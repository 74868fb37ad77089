"""Perception interfaces of the reporter: views with distance measurement."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from bt_exec_skills.navigation.geometry import Pose
from bt_exec_skills.perception.contracts import Detector, View
from bt_exec_skills.perception.oracle import Thing
from bt_exec_skills.perception.picture import Mask
from bt_exec_skills.reporter.perception.observation import PlacedDetection

__all__ = ["GroundTruth", "GroundView", "PeopleDetector"]


class GroundTruth(NamedTuple):
    """Ground truth of a simulated view; implements `bt_exec_skills.perception.oracle.Truth`.

    Attributes:
        shows: Index in `things` of each pixel, int16 of shape (height, width); -1 for none.
        things: Visible objects.
    """

    shows: npt.NDArray[np.int16]
    things: tuple[Thing, ...]

    def shown(self) -> Iterator[tuple[Thing, Mask]]:
        """Implement `Truth.shown`."""
        for number in np.unique(self.shows[self.shows >= 0]):
            yield self.things[number], self.shows == number


@dataclass(frozen=True)
class GroundView(View[GroundTruth]):
    """One picture of a camera that measures distance, too.

    Attributes:
        pose: Where the camera was and which way it looked.
        ground: East and north of what each pixel shows [m], float32 of shape (height, width, 2);
            NaN where it shows nothing in reach.
    """

    _: KW_ONLY
    pose: Pose
    ground: npt.NDArray[np.float32]


class PeopleDetector(Detector[GroundView, PlacedDetection], Protocol):
    """Detector of people and unusual objects in a picture, nearest first.

    Every person has one detection with the label ``person``. `PlacedDetection.who` identifies a
    person across pictures: a name of the site's map, if the detector knows it, else a track.
    `PlacedDetection.at` may be None: the caller takes it from `GroundView.ground`.
    """
