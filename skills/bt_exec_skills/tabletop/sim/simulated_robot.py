"""Simulated robot, also the simulation of its world; runs one motion at a time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from bt_exec.failure import Failed
from bt_exec_skills.motion.abstract_simulated_robot import SimulatedBody
from bt_exec_skills.motion.stepped_motion import MotionSteps, SteppedMotion
from bt_exec_skills.navigation.occupancy_grid import Grid
from bt_exec_skills.navigation.plane_geometry import Pose
from bt_exec_skills.tabletop.environment_state import Environment, Point
from bt_exec_skills.tabletop.sim.arm import ArmIK
from bt_exec_skills.tabletop.sim.layout import ROOM
from bt_exec_skills.tabletop.sim.motions import (
    drive,
    move_fingers,
    move_hand,
    move_joints,
    pick,
    place,
    wait,
)
from bt_exec_skills.tabletop.sim.path_planning import PathPlanner, Way
from bt_exec_skills.tabletop.sim.world import CONTROL_S, TableWorld

__all__ = ["ImmediateReading", "SimTableRobot"]

_STILL = 0.02


@dataclass(frozen=True)
class ImmediateReading:
    """Immediate reading; implements `bt_exec_skills.tabletop.robot.Reading`."""

    environment: Environment
    done: bool = True
    failure: None = None


class SimTableRobot(SimulatedBody[tuple[float, str]]):
    """Simulated tabletop robot, as `TableRobot` and as `bt_exec.robot.Simulation`.

    Args:
        world: The kitchen.

    Attributes:
        world: The kitchen.
    """

    world: TableWorld

    def __init__(self, world: TableWorld) -> None:
        super().__init__(world, CONTROL_S)
        self._map = PathPlanner(world.layout)
        self._ik = ArmIK()
        self._picks = 0

    def freeze(self) -> None:
        """Hold every joint at its present position."""
        self.world.freeze()

    @property
    def moving(self) -> bool:
        """Whether a joint of the robot moves."""
        return self.world.greatest_joint_speed >= _STILL

    # -- readings

    def read(self) -> ImmediateReading:
        """Implement `TableRobot.read`."""
        return ImmediateReading(self._sensed_environment())

    def world_since(self, since: float, now: float) -> Environment:  # noqa: ARG002 - read at once
        """Implement `TableRobot.world_since`; a reading of the simulation takes no time."""
        return self._sensed_environment()

    def _sensed_environment(self) -> Environment:
        """Return the environment with the state of the fingers' contact sensors."""
        return replace(self.world.environment(), grips=self.world.held_item() is not None)

    # -- motions

    def goto(self, at: Point) -> SteppedMotion[tuple[float, str]]:
        """Implement `TableRobot.goto`."""
        return self.start(self._goto(at))

    def follow_path(self, way: Way, faces: Point | None) -> SteppedMotion[tuple[float, str]]:
        """Follow the corners of a path, and face the point `faces` at the end, if given."""
        return self.start(self._follow(way, faces))

    def pick(self, at: Point, lift: float = 0.2) -> SteppedMotion[tuple[float, str]]:
        """Implement `TableRobot.pick`."""
        self._picks += 1
        return self.start(pick(self.world, self._ik, at, lift, self._picks - 1), 6)

    def place(self, at: Point, retract: float = 0.3) -> SteppedMotion[tuple[float, str]]:
        """Implement `TableRobot.place`."""
        return self.start(place(self.world, self._ik, at, retract), 5)

    def drive_to(self, goal: Pose) -> SteppedMotion[tuple[float, str]]:
        """Drive to a pose of the base around obstacles; fails with NO_PATH or UNREACHABLE."""
        return self.start(self._drive_to(goal))

    def move_joints(self, joints: Sequence[float]) -> SteppedMotion[tuple[float, str]]:
        """Move the arm to joint values [m, rad, rad, rad]; fails with UNREACHABLE or STUCK."""
        return self.start(move_joints(self.world, joints))

    def move_hand(self, at: Point) -> SteppedMotion[tuple[float, str]]:
        """Move the grip to a point of the room from above; fails with UNREACHABLE or STUCK."""
        return self.start(move_hand(self.world, self._ik, at))

    def move_fingers(self, width: float) -> SteppedMotion[tuple[float, str]]:
        """Open or close the fingers to a distance between them [m]; fails with UNREACHABLE."""
        return self.start(move_fingers(self.world, width))

    def wait(self, seconds: float) -> SteppedMotion[tuple[float, str]]:
        """Wait for `seconds` of simulated time [s]."""
        return self.start(wait(seconds))

    def floor_map(self) -> Grid:
        """Return the occupancy grid of the floor on which paths are planned."""
        pose = self.world.pose
        return self._map.free_cells(self.world.environment(), Point(pose.x, pose.y, 0.0))[0]

    def plan_path(self, at: Point) -> Way | None:
        """Return the corners of a path to a pose from which the arm reaches `at`, or None."""
        world = self.world
        try:
            goal, grid, free = self._map.find_base_pose(world.environment(), world.pose, at)
            found = list(self._map.find_path(world.pose, goal, grid, free))
        except Failed:
            return None
        return found[-1]

    def _goto(self, at: Point) -> MotionSteps:
        world = self.world
        goal, grid, free = self._map.find_base_pose(world.environment(), world.pose, at)
        way = None
        for way in self._map.find_path(world.pose, goal, grid, free):
            if way is None:
                yield 0.0, "planning"
        assert way is not None
        yield from drive(world, way, goal)

    def _drive_to(self, goal: Pose) -> MotionSteps:
        world = self.world
        grid, free = self._map.free_cells(world.environment(), Point(goal.x, goal.y, 0.0))
        if (
            not (abs(goal.x) <= ROOM[0] and abs(goal.y) <= ROOM[1])
            or not free[grid.cell_at(goal.x, goal.y)]
        ):
            raise Failed("UNREACHABLE", f"the base does not fit at ({goal.x:.2f}, {goal.y:.2f})")
        way = None
        for way in self._map.find_path(world.pose, goal, grid, free):
            if way is None:
                yield 0.0, "planning"
        assert way is not None
        yield from drive(world, way, goal)

    def _follow(self, way: Way, faces: Point | None) -> MotionSteps:
        pose, (x, y) = self.world.pose, way[-1]
        towards = (faces.x, faces.y) if faces is not None else (x, y)
        turned = math.dist(towards, (x, y)) > 1e-6
        yaw = math.atan2(towards[1] - y, towards[0] - x) if turned else pose.yaw
        yield from drive(self.world, [(pose.x, pose.y), *way], Pose(x, y, yaw))
