"""Motions of a mobile base: generators that advance one control period a step.

Obstacles are updated twice a second. A blocked path is replanned. If there is no path, the robot
waits for persons to move on, then fails with ``BLOCKED_PATH``. If there is no path on the static
map either, the goal is ``UNREACHABLE``.
"""

from __future__ import annotations

import math
from collections.abc import Generator
from typing import NamedTuple, Protocol, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from bt_exec.failure import Failed
from bt_exec_skills.navigation.global_planner import Planner, Route, braking_speed_limit
from bt_exec_skills.navigation.local_planner import Limits, Steering, limit_change
from bt_exec_skills.navigation.occupancy_grid import hit_points
from bt_exec_skills.navigation.plane_geometry import Pose, turn_between

__all__ = ["Command", "Commands", "MobileBase", "drive_to", "turn_by"]

_ARRIVED_M, _ARRIVED_RAD = 0.15, 0.04
_CLOSE_M = 0.5  # a base that makes no progress has arrived if the goal is nearer than this
_AHEAD_M = (0.8, 0.55, 0.35)  # lookahead distances of the path follower
_BACK_STEPS = 20
_LOOK_EVERY = 10  # control periods between two obstacle updates
_STEER_EVERY = 2
_STUCK_S = 4.0
_PATIENCE_S = 6.0
_MOST_PLANS = 12


class Command(NamedTuple):
    """Command to the base for the next control period.

    Attributes:
        progress: Completed fraction, 0..1.
        doing: Phase of the motion in a word or two.
        speed: Forward speed [m/s].
        turn: Yaw rate, positive to the left [rad/s].
    """

    progress: float
    doing: str
    speed: float = 0.0
    turn: float = 0.0


Commands: TypeAlias = Generator[Command, None, None]
R = TypeVar("R")


class MobileBase(Protocol):
    """Interface of a mobile base."""

    @property
    def pose(self) -> Pose:
        """Pose of the base."""

    @property
    def time(self) -> float:
        """Current time [s]."""

    def ranges(self) -> npt.NDArray[np.float64]:
        """Return the measured distances in all directions [m]; see `occupancy_grid.hit_points`."""


def drive_to(
    base: MobileBase, planner: Planner, goal: Pose, limits: Limits, period_s: float
) -> Commands:
    """Drive to a pose and turn to its heading.

    Args:
        base: The base.
        planner: Path planner.
        goal: Target pose.
        limits: Limits of the base.
        period_s: Control period [s].

    Raises:
        Failed: UNREACHABLE if the map has no path; BLOCKED_PATH if obstacles block every path.
    """
    trip = _Trip(base, planner, goal, limits, period_s)
    if not (yield from _wait_for_plan(planner.has_path(base.pose, goal), 0.0)):
        raise Failed("UNREACHABLE", f"no path on the map leads to ({goal.x:.1f}, {goal.y:.1f})")
    plans = 0
    while not (yield from trip.follow((yield from trip.plan_route()))):
        plans += 1
        if plans >= _MOST_PLANS:
            raise Failed("BLOCKED_PATH", f"gave up after {plans} other paths")
    yield from turn_by(base, turn_between(base.pose.yaw, goal.yaw), limits, period_s, 1.0)


def turn_by(
    base: MobileBase, angle: float, limits: Limits, period_s: float, progress: float = 0.0
) -> Commands:
    """Turn on the spot by `angle` [rad], positive to the left."""
    total, last = angle, base.pose.yaw
    turn = 0.0
    while abs(angle) > _ARRIVED_RAD:
        wanted = math.copysign(min(limits.turn, math.sqrt(1.6 * limits.swing * abs(angle))), angle)
        wanted = math.copysign(min(abs(wanted), abs(angle) / period_s * 0.6), angle)
        turn = limit_change(turn, wanted, limits.swing * period_s)
        behind = max(progress, 1 - abs(angle) / max(abs(total), 1e-6))
        yield Command(behind, "turning", 0.0, turn)
        now = base.pose.yaw
        angle -= turn_between(last, now)
        last = now


def _wait_for_plan(steps: Generator[None, None, R], progress: float) -> Generator[Command, None, R]:
    """Stand still during the planning `steps`, and return their result."""
    try:
        while True:
            next(steps)
            yield Command(progress, "planning")
    except StopIteration as stop:
        found: R = stop.value
        return found


class _Trip:
    """State of one drive."""

    def __init__(
        self, base: MobileBase, planner: Planner, goal: Pose, limits: Limits, period_s: float
    ) -> None:
        self._base, self._planner, self._goal = base, planner, goal
        self._limits, self._period_s = limits, period_s
        self._steering = Steering(limits)
        self._length = max(0.5, base.pose.distance_to(goal.x, goal.y))
        self._behind = 0.0
        self._forgot = False

    def plan_route(self) -> Generator[Command, None, Route]:
        """Return a path; without one, wait for persons to move on, then fail with BLOCKED_PATH."""
        waited = 0.0
        while True:
            steps = self._planner.plan_route(self._base.pose, self._goal)
            route = yield from _wait_for_plan(steps, self._behind)
            if route is not None:
                self._length = max(self._length, route.left_m)
                return route
            if not self._forgot:
                self._forgot = True
                self._planner.obstacles.clear_rarely_seen()
                continue
            if waited >= _PATIENCE_S:
                raise Failed("BLOCKED_PATH", "every path there is blocked")
            for _ in range(_LOOK_EVERY):
                yield Command(self._behind, "waiting")
            waited += _LOOK_EVERY * self._period_s
            self._planner.obstacles.add_reading(self._base.pose, self._base.ranges())

    def follow(self, route: Route) -> Generator[Command, None, bool]:
        """Follow a path and return True at its goal; return False if the path is blocked."""
        base, limits, period = self._base, self._limits, self._period_s
        speed = turn = 0.0
        wanted = (0.0, 0.0)
        best, since = math.inf, base.time
        count = 0
        while base.pose.distance_to(*route.goal) > _ARRIVED_M:
            pose = base.pose
            if count % _STEER_EVERY == 0:
                ranges = base.ranges()
            route.drop_passed_points(pose)
            left = max(route.left_m, pose.distance_to(*route.goal))
            if left < best - 0.15:
                best, since = left, base.time
            if count % _LOOK_EVERY == 0:
                self._planner.obstacles.add_reading(pose, ranges)
                if self._planner.blocked_ahead(route, 5.0):
                    return False
            if base.time - since > _STUCK_S:
                if pose.distance_to(*route.goal) < _CLOSE_M:
                    return True
                yield from self._back_off()
                self._planner.obstacles.accept_all_hits(pose, ranges, 1.2)
                return False
            if count % _STEER_EVERY == 0:
                points = hit_points(pose, ranges, 3.0)
                wanted = self._steering.choose_command(
                    pose, self._target_point(pose, route, points), points
                )
            count += 1
            top = min(wanted[0], braking_speed_limit(left, limits.gain))
            change = limits.gain * period * (1.0 if top > speed else 2.5)
            speed = limit_change(speed, top, change)
            turn = limit_change(turn, wanted[1], limits.swing * period)
            self._behind = max(self._behind, 0.98 * (1 - left / self._length))
            yield Command(self._behind, "driving", speed, turn)
        return True

    def _target_point(
        self, pose: Pose, route: Route, points: npt.NDArray[np.float64]
    ) -> tuple[float, float]:
        """Return a point on the path as the next target, as far ahead as the way to it is free."""
        for distance in _AHEAD_M:
            target = route.point_ahead(distance)
            if self._steering.is_path_free(pose, target, points):
                break
        return target

    def _back_off(self) -> Commands:
        """Move slowly away from near obstacles."""
        base = self._base
        for _ in range(_BACK_STEPS):
            points = hit_points(base.pose, base.ranges(), 1.5)
            speed, turn = self._steering.retreat_command(base.pose, points)
            yield Command(self._behind, "backing off", speed, turn)
