"""Simulated robot: base, tray and microphone, one motion at a time; it also is the simulation."""

from __future__ import annotations

import math
from collections.abc import Generator
from typing import Any

import mujoco
import numpy as np
import numpy.typing as npt

from bt_exec.failure import Failed
from bt_exec_skills.motion.abstract_simulated_robot import SimulatedBody
from bt_exec_skills.motion.stepped_motion import SteppedMotion
from bt_exec_skills.navigation.drive import Command, Commands, drive_to, turn_by
from bt_exec_skills.navigation.global_planner import Planner
from bt_exec_skills.navigation.local_planner import Limits
from bt_exec_skills.navigation.occupancy_grid import Grid, Obstacles, Slab
from bt_exec_skills.navigation.plane_geometry import Pose
from bt_exec_skills.reporter.places_and_people import SiteMap
from bt_exec_skills.reporter.sim.mjcf import BASE_RADIUS
from bt_exec_skills.reporter.sim.world import CONTROL_S, BuildingWorld

__all__ = ["SimReporterRobot", "map_static_geometry"]

_HAND_S = 2.0  # time that a person needs to take an object or put it down
_PATIENCE_S = 15.0
_REACH_M = 2.5
_STILL = 1e-3


class SimReporterRobot(SimulatedBody[Command]):
    """Simulated reporter robot, as `ReporterRobot` and as `bt_exec.robot.Simulation`.

    Args:
        world: The building.
        site: The map.

    Attributes:
        world: The building.
        site: The map.
    """

    world: BuildingWorld

    def __init__(self, world: BuildingWorld, site: SiteMap) -> None:
        self.site = site
        self.limits = Limits(radius=BASE_RADIUS)
        grid = map_static_geometry(world.model)
        self.planner = Planner(grid, Obstacles(grid), BASE_RADIUS)
        self._tray: str | None = None
        super().__init__(world, CONTROL_S)

    def advance_world(self, step: Command | None) -> None:
        """Advance people and physics by one control period with the motion's wheel command."""
        speed, turn = (step.speed, step.turn) if step is not None else (0.0, 0.0)
        self.world.advance(speed, turn)

    def freeze(self) -> None:
        """Stop the base and its wheels at once."""
        self.world.data.qvel[:] = 0.0

    @property
    def moving(self) -> bool:
        """Whether a wheel turns."""
        return float(np.abs(self.world.data.qvel).max()) >= _STILL

    # -- readings

    @property
    def pose(self) -> Pose:
        """Implement `ReporterRobot.pose`."""
        return self.world.pose

    @property
    def place(self) -> str | None:
        """Implement `ReporterRobot.place`."""
        return self.site.place_at(self.pose.x, self.pose.y)

    @property
    def tray(self) -> str | None:
        """Implement `ReporterRobot.tray`."""
        return self._tray

    def ranges(self) -> npt.NDArray[np.float64]:
        """Return the distances that the range finder measures in all directions [m]."""
        return self.world.ranges()

    def noise_db(self) -> float:
        """Implement `ReporterRobot.noise_db`."""
        return self.world.noise_db()

    def can_talk_with(self, who: str) -> bool:
        """Return True if a person is near enough to talk with the robot, or connected remotely."""
        known = self.site.people.get(who)
        return (known is not None and known.remote) or self._is_beside(who)

    def _is_beside(self, who: str) -> bool:
        """Return True if the person `who`, or any person at the place `who`, is within reach."""
        place = self.site.places.get(who)
        if place is not None:
            people = ((one.x, one.y) for one in self.world.walkers)
            return any(self._is_near(*at) for at in people if place.area.contains(*at))
        where = self.world.person_position(who)
        return where is not None and self._is_near(*where)

    def _is_near(self, x: float, y: float) -> bool:
        return self.pose.distance_to(x, y) <= _REACH_M

    # -- motions

    def goto(self, pose: Pose) -> SteppedMotion[Command]:
        """Implement `ReporterRobot.goto`."""
        return self.start(drive_to(self, self.planner, pose, self.limits, CONTROL_S), brake=True)

    def turn(self, angle: float) -> SteppedMotion[Command]:
        """Implement `ReporterRobot.turn`."""
        return self.start(turn_by(self, angle, self.limits, CONTROL_S), brake=True)

    def load(self, item: str) -> SteppedMotion[Command]:
        """Implement `ReporterRobot.load`. Away from the base, a person must be within reach."""
        return self.start(self._load(item), brake=True)

    def hand_over(self, person: str) -> SteppedMotion[Command]:
        """Implement `ReporterRobot.hand_over`."""
        return self.start(self._hand_over(person), brake=True)

    def _load(self, item: str) -> Commands:
        options = self.world.options
        helped = self.place == self.site.base or (
            options.answer not in ("none", "refuse")
            and any(self._is_near(one.x, one.y) for one in self.world.walkers)
        )
        ready = options.load and helped
        yield from _wait(_HAND_S if ready else _PATIENCE_S, "waiting for the load")
        if not ready:
            raise Failed("NOTHING_TO_DELIVER", f"{item} was not put on the tray")
        self._tray = item

    def _hand_over(self, person: str) -> Commands:
        answer = self.world.options.answer
        there = self._is_beside(person)
        takes = there and answer not in ("none", "refuse")
        wait = _HAND_S if takes or (there and answer == "refuse") else _PATIENCE_S
        yield from _wait(wait, "handing over")
        if there and answer == "refuse":
            raise Failed("REFUSED", f"{person} does not want {self._tray}")
        if not takes:
            raise Failed("NO_ANSWER", f"{person} did not take {self._tray}")
        self._tray = None


def _wait(seconds: float, doing: str) -> Generator[Command, None, None]:
    """Stand still for the given time."""
    count = math.ceil(seconds / CONTROL_S)
    for step in range(count):
        yield Command(step / count, doing)


_UNMAPPED = ("person/", "thing/", "barrier/", "base/")
_LOW_M, _HIGH_M = 0.05, 1.2  # height range of obstacles for the robot


def map_static_geometry(model: Any) -> Grid:
    """Return the map of the static geometry of a compiled building."""
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    slabs = []
    for geom in range(model.ngeom):
        name, box = model.geom(geom).name, model.geom_type[geom] == mujoco.mjtGeom.mjGEOM_BOX
        if name.startswith(_UNMAPPED) or not box or not model.geom_conaffinity[geom]:
            continue
        x, y, z = data.geom_xpos[geom]
        half_x, half_y, half_z = model.geom_size[geom]
        if z + half_z < _LOW_M or z - half_z > _HIGH_M:
            continue
        turn = data.geom_xmat[geom].reshape(3, 3)
        slabs.append(Slab(float(x), float(y), half_x, half_y, math.atan2(turn[1, 0], turn[0, 0])))
    return Grid.of_slabs(slabs, cell_m=0.1)
