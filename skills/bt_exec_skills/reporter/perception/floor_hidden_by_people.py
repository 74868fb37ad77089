"""Floor of a place that no picture has shown yet, because people occluded it."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from bt_exec_skills.navigation.plane_geometry import Area, Pose

__all__ = ["Occlusion"]

Spots = npt.NDArray[np.float64]
_SPOT_M = 0.4  # side of a spot, less than the width of a person
_RIM_M = 0.3  # minimum distance between the centre of a person and a wall
_HALF_VIEW_RAD = math.radians(35.0)  # assumed half field of view
_BODY_M, _SLIM_M = 0.25, 0.15  # half the width of the occluding and of the hidden person
_SURE_M = 0.4  # half width used when deciding whether a drive is worthwhile
_DEEP_M = 0.2  # distance from the measured near side of a person to their centre
_APART_M = 0.6  # minimum distance between the centres of two persons
_STAND_OFF_M = 0.7  # minimum distance of a viewpoint from any person
_NEAR_M = 8.0  # maximum distance of a drive to a viewpoint past a person
_ELSEWHERE_M = 0.5  # minimum distance of a viewpoint from earlier ones


class Occlusion:
    """Floor spots of a place that no picture has shown.

    A spot is a square of floor. A picture shows the spots in the field of view that no person
    occludes. After pictures in all directions, a person who was not seen must stand on one of the
    remaining spots. Walls and furniture are not considered: places are rectangles without inner
    rooms.

    Args:
        area: Floor of the place.
    """

    def __init__(self, area: Area) -> None:
        inner = area.without_border(
            min(_RIM_M, (area.right - area.left) / 2, (area.top - area.bottom) / 2)
        )
        x = np.linspace(
            inner.left, inner.right, 1 + math.ceil((inner.right - inner.left) / _SPOT_M)
        )
        y = np.linspace(
            inner.bottom, inner.top, 1 + math.ceil((inner.top - inner.bottom) / _SPOT_M)
        )
        self._all: Spots = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
        self._seen = np.zeros(len(self._all), np.bool_)
        self._tried: list[tuple[float, float]] = []

    @property
    def spots(self) -> Spots:
        """Centres of the remaining spots [m], shape (n, 2)."""
        return self._all[~self._seen]

    def add(self, pose: Pose, people: Iterable[tuple[float, float]]) -> None:
        """Add a picture: the camera's pose and the positions of people in it [m]."""
        deep = [_body_centre(pose, at) for at in people]
        self._seen |= _shown_spots(self._all, pose, deep, _BODY_M)
        for at in deep:  # the visible person occupies that spot
            self._seen |= np.hypot(*(self._all - at).T) < _APART_M

    def best_next_view(self, pose: Pose, people: Iterable[tuple[float, float]]) -> Pose | None:
        """Return a pose from which many remaining spots are visible after a short drive, or None.

        A position is not returned twice, since it may be unreachable.

        Args:
            pose: Pose of the robot; a view from there needs no drive.
            people: Last positions of people [m].
        """
        people, rest = list(people), self.spots
        if not len(rest):
            return None
        middle_x, middle_y = rest.mean(axis=0)
        best, view = 0.0, None
        for x, y in self._possible_viewpoints(pose, people):
            there = Pose(x, y, math.atan2(middle_y - y, middle_x - x))
            shown = np.count_nonzero(_shown_spots(rest, there, people, _SURE_M))
            worth = shown - pose.distance_to(x, y) / _NEAR_M
            if worth > best:
                best, view = worth, there
        if view is not None:
            self._tried.append((view.x, view.y))
        return view

    def _possible_viewpoints(
        self, pose: Pose, people: list[tuple[float, float]]
    ) -> list[tuple[float, float]]:
        """Return the position of the robot and untried positions nearby, all clear of people."""
        nearby = [(float(x), float(y)) for x, y in self._all if pose.distance_to(x, y) < _NEAR_M]
        clear = [at for at in nearby if all(math.dist(at, one) > _STAND_OFF_M for one in people)]
        return [
            at
            for at in [(pose.x, pose.y), *clear]
            if all(math.dist(at, one) > _ELSEWHERE_M for one in self._tried)
        ]


def _body_centre(pose: Pose, at: tuple[float, float]) -> tuple[float, float]:
    """Return the centre of a person whose near side was measured."""
    more = 1.0 + _DEEP_M / max(pose.distance_to(*at), _DEEP_M)
    return pose.x + (at[0] - pose.x) * more, pose.y + (at[1] - pose.y) * more


def _shown_spots(
    spots: Spots, pose: Pose, people: list[tuple[float, float]], body_m: float
) -> npt.NDArray[np.bool_]:
    """Return a mask of the spots that a picture shows: in the field of view and not occluded."""
    away, bearing = _polar_coordinates(spots, pose)
    shown = np.abs(bearing) <= _HALF_VIEW_RAD
    for at in people:
        near = pose.distance_to(*at)
        half = math.asin(body_m / max(near, body_m)) - np.arcsin(_SLIM_M / np.maximum(away, near))
        between = np.abs(np.remainder(bearing - pose.bearing(*at) + math.pi, math.tau) - math.pi)
        shown &= ~((between < half) & (away > near + _APART_M))
    return shown


def _polar_coordinates(spots: Spots, pose: Pose) -> tuple[Spots, Spots]:
    """Return the distances of spots [m] and their angles to the left of the view [rad]."""
    x, y = (spots - (pose.x, pose.y)).T
    turn = np.arctan2(y, x) - pose.yaw
    return np.hypot(x, y), np.remainder(turn + math.pi, math.tau) - math.pi
