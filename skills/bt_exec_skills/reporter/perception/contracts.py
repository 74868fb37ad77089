"""Contracts of seeing: a camera gives views, a detector finds people and things in them.

A site chooses the detector by name. ``oracle`` is told by the simulator what each pixel shows; a
learned detector looks at the frame alone and drops in by the same contract.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from bt_exec_skills.navigation.geometry import Pose
from bt_exec_skills.reporter.perception.observation import Detection, Frame

__all__ = ["Camera", "Detector", "Truth", "View"]

C = TypeVar("C")


class Truth(NamedTuple):
    """What a simulator knows about a view.

    Attributes:
        shows: Which of `things` each pixel shows, int16 of shape (height, width); -1 is none.
        things: What can be shown: label and, of people, who it is.
    """

    shows: npt.NDArray[np.int16]
    things: tuple[tuple[str, str | None], ...]


@dataclass(frozen=True)
class View:
    """One look of a camera that measures distance, too.

    Attributes:
        t: When it was taken [s, mission clock].
        pose: Where the camera was and which way it looked.
        frame: The picture.
        ground: East and north of what each pixel shows [m], float32 of shape (height, width, 2);
            NaN where it shows nothing in reach.
        truth: What a simulator knows about it; None with a real camera.
    """

    t: float
    pose: Pose
    frame: Frame
    ground: npt.NDArray[np.float32]
    truth: Truth | None = None


class Camera(Protocol[C]):
    """Takes pictures in two parts, so that the costly one can run on a worker."""

    def capture(self) -> C:
        """Take what a picture needs; quick, on the loop's thread."""

    def view(self, capture: C) -> View:
        """Make the picture; on a worker thread."""

    def close(self) -> None:
        """Give back what it holds."""


class Detector(Protocol):
    """Finds people and unusual things in a picture.

    Every person has one detection with the label ``person``. `Detection.who` tells one person from
    another across pictures; a name of the site's map, if the detector knows it, else a track.
    `Detection.at` may be left to the caller, who reads it off `View.ground`.
    """

    def detect(self, view: View) -> tuple[Detection, ...]:
        """Return what is seen, nearest first."""
