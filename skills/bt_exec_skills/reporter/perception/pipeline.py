"""Perception pipeline of the reporter: people and objects with positions, and light by section."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass, replace
from typing import Generic, NamedTuple, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from bt_exec_skills.navigation.plane_geometry import Pose
from bt_exec_skills.perception.contracts import Camera, Detector, View
from bt_exec_skills.perception.oracle import Thing, things_in_view, truth_of
from bt_exec_skills.perception.pictures_and_boxes import Mask
from bt_exec_skills.reporter.perception.observation import (
    PERSON,
    PlacedDetection,
    ReporterObservation,
)
from bt_exec_skills.reporter.places_and_people import SiteMap

__all__ = ["GroundTruth", "PeopleDetector", "PeopleOracle", "PositionedView", "ReporterPerception"]


class GroundTruth(NamedTuple):
    """Ground truth of a simulated view; implements `bt_exec_skills.perception.oracle.Truth`.

    Attributes:
        shows: Index in `things` of the object at each pixel, int16 of shape (height, width); -1
            for no object.
        things: Visible objects.
    """

    shows: npt.NDArray[np.int16]
    things: tuple[Thing, ...]

    def object_masks(self) -> Iterator[tuple[Thing, Mask]]:
        """Implement `Truth.object_masks`."""
        for number in np.unique(self.shows[self.shows >= 0]):
            yield self.things[number], self.shows == number


@dataclass(frozen=True)
class PositionedView(View[GroundTruth]):
    """One picture of a camera that also measures distances.

    Attributes:
        pose: Position and direction of the camera.
        ground: East and north of the point that each pixel shows [m], float32 of shape (height,
            width, 2); NaN if the point is out of range.
    """

    _: KW_ONLY
    pose: Pose
    ground: npt.NDArray[np.float32]


class PeopleDetector(Detector[PositionedView, PlacedDetection], Protocol):
    """Detector of people and unusual objects in a picture, nearest first.

    Every person has one detection with the label ``person``. `PlacedDetection.who` identifies a
    person across pictures: the id of the person in the site's map if the detector recognises the
    person, otherwise the id of a track. `PlacedDetection.at` may be None; the caller then uses
    `PositionedView.ground`.
    """


_LEAST_PERSON, _LEAST_THING = 10, 5  # [px]; size of a spill nine metres away


def _is_visible_enough(label: str, mask: Mask) -> bool:
    least = _LEAST_PERSON if label == PERSON else _LEAST_THING
    return int(np.count_nonzero(mask)) >= least


class PeopleOracle:
    """Oracle that detects each person and object in view, with its position, by ground truth."""

    def detect(self, view: PositionedView) -> tuple[PlacedDetection, ...]:
        """Implement `PeopleDetector.detect`.

        Raises:
            UsageError: If the camera is not simulated.
        """
        found = []
        for thing, mask, box in things_in_view(truth_of(view), _is_visible_enough):
            x, y = (float(value) for value in np.median(view.ground[mask], axis=0))
            found.append(PlacedDetection(thing.label, box.bbox, box.score, thing.who, (x, y)))
        found.sort(key=lambda one: view.pose.distance_to(*(one.at or (0.0, 0.0))))
        return tuple(found)


C = TypeVar("C")

_BLACK_LEVEL = 2.0  # a picture with a lower mean luminance shows nothing
_STRIDE = 2  # only every second row and column is used to measure the light
_LEAST_PIXELS = 60  # minimum number of used pixels to measure the light of a section


class ReporterPerception(Generic[C]):
    """Perception of the reporter; implements `bt_exec.robot.Perception`.

    Args:
        camera: The camera.
        detector: Detector of people and objects.
        site: Map with the areas of the places.
    """

    def __init__(
        self, camera: Camera[C, PositionedView], detector: PeopleDetector, site: SiteMap
    ) -> None:
        self.camera = camera
        self.detector = detector
        self._areas = {name: tuple(place.area) for name, place in site.places.items()}
        self._parts = [
            ((name, number), part.area)
            for name, place in site.places.items()
            for number, part in enumerate(place.sections_or_whole)
        ]

    def capture(self) -> C:
        """Capture the raw data of an observation; fast, on the loop's thread."""
        return self.camera.capture()

    def interpret(self, capture: C) -> ReporterObservation:
        """Return the observation of a capture; on a worker thread."""
        view = self.camera.view(capture)
        if float(view.frame.mean()) < _BLACK_LEVEL:
            return ReporterObservation(view.t, view.pose, (), {}, view.frame, "dark", self._areas)
        found = tuple(_add_position(one, view) for one in self.detector.detect(view))
        light = self._luminance_by_section(view)
        return ReporterObservation(view.t, view.pose, found, light, view.frame, areas=self._areas)

    def _luminance_by_section(self, view: PositionedView) -> dict[tuple[str, int], float]:
        """Return the mean luminance of the visible part of each section, by place and number."""
        ground = view.ground[::_STRIDE, ::_STRIDE].reshape(-1, 2)
        bright = view.frame[::_STRIDE, ::_STRIDE].reshape(-1, 3) @ (0.299, 0.587, 0.114)
        x, y = ground.T
        light = {}
        for key, area in self._parts:
            inside = (x >= area.left) & (x < area.right) & (y >= area.bottom) & (y < area.top)
            if np.count_nonzero(inside) >= _LEAST_PIXELS:
                light[key] = float(bright[inside].mean())
        return light


def _add_position(found: PlacedDetection, view: PositionedView) -> PlacedDetection:
    """Return the detection with a position; by default, the point at the centre of its box."""
    if found.at is not None:
        return found
    x1, y1, x2, y2 = found.bbox
    wide, high = (x2 - x1) // 4, (y2 - y1) // 4
    patch = view.ground[y1 + high : y2 - high, x1 + wide : x2 - wide].reshape(-1, 2)
    patch = patch[~np.isnan(patch).any(axis=1)]
    if not len(patch):
        return found
    x, y = (float(value) for value in np.median(patch, axis=0))
    return replace(found, at=(x, y))
