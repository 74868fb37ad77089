"""Simulated building: the compiled model, its people, its noise, and the robot's base."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import mujoco
import numpy as np
import numpy.typing as npt

from bt_exec_skills.navigation.plane_geometry import Pose
from bt_exec_skills.reporter.sim.floor_plan import ROOMS
from bt_exec_skills.reporter.sim.layout import Layout, Someone, draw_layout
from bt_exec_skills.reporter.sim.mjcf import world_xml
from bt_exec_skills.reporter.sim.options import WorldOptions
from bt_exec_skills.simulation.physics import Physics
from bt_exec_skills.simulation.ray_casting import cast_rays

__all__ = ["BEAMS", "CONTROL_S", "RANGE_M", "BuildingWorld", "RoomTruth"]

CONTROL_S = 0.05
"""Control period of motions and people [s, simulated]."""
BEAMS = 120
"""Number of rays of the range finder, at equal angles anticlockwise from straight ahead."""
RANGE_M = 12.0
"""Range of the range finder [m]."""
_BEAM_HEIGHT = 0.28
_PERSONAL_M = 0.62  # minimum distance between the centres of two persons, or person and robot


class RoomTruth(NamedTuple):
    """Ground truth of a room, for tests only."""

    people: int
    unusual: tuple[str, ...]
    noise_db: float


class BuildingWorld(Physics):
    """Simulated world and its physics. Time advances only in `advance`.

    Args:
        options: Chosen options; the same options give the same world, bit for bit.
        start: Initial pose of the robot.

    Attributes:
        options: Chosen options.
        layout: Layout drawn from the seed.
        model: Compiled MuJoCo model.
        data: MuJoCo state.
        walkers: People, in the order of the layout.
        lights: Whether each lamp is on; may be changed at any time.
        bumps: Number of collisions of the base.
    """

    def __init__(self, options: WorldOptions, start: Pose) -> None:
        self.options = options
        self.layout: Layout = draw_layout(options)
        self._start = start
        super().__init__(world_xml(self.layout, (start.x, start.y)), CONTROL_S)
        self.walkers = [_Walker(someone) for someone in self.layout.people]
        self.lights = dict(self.layout.lights)
        self.bumps = 0
        self._mocap = [
            int(self.model.body(f"person/{one.who}").mocapid[0]) for one in self.layout.people
        ]
        self._base = int(self.model.body("base").id)
        self.data.qpos[2] = start.yaw
        angles = np.arange(BEAMS) * math.tau / BEAMS
        self._beams = np.stack([np.cos(angles), np.sin(angles), np.zeros(BEAMS)], axis=1)
        mujoco.mj_forward(self.model, self.data)

    @property
    def pose(self) -> Pose:
        """Pose of the base."""
        x, y, yaw = (float(value) for value in self.data.qpos[:3])
        return Pose(self._start.x + x, self._start.y + y, math.remainder(yaw, math.tau))

    def advance(self, speed: float = 0.0, turn: float = 0.0) -> None:
        """Advance the physics and the persons by one control period.

        Args:
            speed: Forward speed of the base [m/s].
            turn: Turn rate of the base to the left [rad/s].
        """
        self._walk()
        for _ in range(self._steps):
            yaw = float(self.data.qpos[2])
            self.data.qvel[:3] = speed * math.cos(yaw), speed * math.sin(yaw), turn
            mujoco.mj_step(self.model, self.data)
        self.bumps += int(self.data.ncon > 0)

    def _walk(self) -> None:
        pose = self.pose
        places = [(one.x, one.y) for one in self.walkers]
        for k, walker in enumerate(self.walkers):
            others = [*places[:k], *places[k + 1 :], (pose.x, pose.y)]

            def free(x: float, y: float, others: list[tuple[float, float]] = others) -> bool:
                return all(math.dist((x, y), other) > _PERSONAL_M for other in others)

            if walker.advance(CONTROL_S, free):
                places[k] = walker.x, walker.y
                self.data.mocap_pos[self._mocap[k], :2] = places[k]

    def ranges(self) -> npt.NDArray[np.float64]:
        """Return the measured distances [m], shape (BEAMS,); RANGE_M if nothing is in range."""
        pose = self.pose
        c, s = math.cos(pose.yaw), math.sin(pose.yaw)
        rays = self._beams @ np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
        eye = np.array([pose.x, pose.y, _BEAM_HEIGHT])
        hits = cast_rays(self.model, self.data, eye, rays, RANGE_M, without_body=self._base)
        return np.where(hits.distance < 0, RANGE_M, hits.distance)

    def noise_db(self) -> float:
        """Return the sound level at the robot [dB]."""
        pose = self.pose
        room = next((n for n, area in ROOMS.items() if area.contains(pose.x, pose.y)), None)
        level = self.layout.noise_db[room] if room is not None else 40.0
        return level + 1.5 * math.sin(1.7 * self.time) + 0.8 * math.sin(5.1 * self.time)

    def person_position(self, who: str) -> tuple[float, float] | None:
        """Return the position of a person [m], or None if they are absent."""
        for walker in self.walkers:
            if walker.someone.who == who:
                return walker.x, walker.y
        return None

    def truth(self, room: str) -> RoomTruth:
        """Return the ground truth of a room."""
        area = ROOMS[room]
        return RoomTruth(
            sum(area.contains(one.x, one.y) for one in self.walkers),
            tuple(sorted(thing.kind for thing in self.layout.things if thing.room == room)),
            self.layout.noise_db[room],
        )


_GIVE_WAY_M = 0.85  # distance from an obstacle at which people stop
_PATIENCE_S = 3.0  # waiting time after which persons turn round
_EASE = 0.35  # fraction of the speed difference per step


class _Walker:
    """Person who stands, or walks back and forth between waypoints.

    Args:
        someone: Description of the person.

    Attributes:
        x: East [m].
        y: North [m].
    """

    def __init__(self, someone: Someone) -> None:
        self.someone = someone
        self.x, self.y = someone.way[0]
        self._next = 1
        self._step = 1
        self._wait = someone.pause
        self._speed = 0.0
        self._held = 0.0

    def advance(self, seconds: float, free: Callable[[float, float], bool]) -> bool:
        """Advance the person; return True if they moved.

        Args:
            seconds: Time step [s].
            free: Function that returns True if no person or robot is near a point.
        """
        way = self.someone.way
        if len(way) < 2:
            return False
        if self._wait > 0:
            self._wait -= seconds
            return False
        goal_x, goal_y = way[self._next]
        left = math.hypot(goal_x - self.x, goal_y - self.y)
        if left < 0.05:
            self._select_next_waypoint()
            return False
        to_x, to_y = (goal_x - self.x) / left, (goal_y - self.y) / left
        ahead = free(self.x + to_x * _GIVE_WAY_M / 2, self.y + to_y * _GIVE_WAY_M / 2)
        self._held = 0.0 if ahead else self._held + seconds
        if self._held > _PATIENCE_S:
            self._select_next_waypoint()
            return False
        self._speed = self._speed + _EASE * (self.someone.speed - self._speed) if ahead else 0.0
        way_m = min(left, self._speed * seconds)
        self.x += to_x * way_m
        self.y += to_y * way_m
        return way_m > 0

    def _select_next_waypoint(self) -> None:
        """Select the next waypoint; after the last one, continue in reverse order."""
        if not 0 <= self._next + self._step < len(self.someone.way):
            self._step = -self._step
        self._next += self._step
        self._wait = self.someone.pause
        self._speed = self._held = 0.0
