"""Attempt of one arm at a motion, and the motions that all attempts share, such as going home."""

from __future__ import annotations

import contextlib
import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from bt_exec.failure import Failed
from bt_exec_skills.door.sim.arm_mjcf import FINGER_OPEN, HOME, side_of
from bt_exec_skills.door.sim.arm_path import follow_joint_path, plan_joint_path, straight_line, wait
from bt_exec_skills.door.sim.ik import ArmIK, Pose, Vector
from bt_exec_skills.door.sim.layout import DOOR_HEIGHT
from bt_exec_skills.door.sim.simulated_arm import SimulatedArm
from bt_exec_skills.door.sim.world import DoorWorld
from bt_exec_skills.motion.stepped_motion import MotionSteps

__all__ = ["ArmAttempt", "Variant", "with_phase"]

_STANDS_OUT_RAD = 0.4  # minimum angle of a door that blocks a passing hand
_BESIDE_M = 0.05  # half the width of a hand, with a margin: closer motions may hit the door
_SAMPLE_RAD = 0.05
_CLEAR_M = 0.16  # distance from the closed door's plane at which a hand is outside the cabinet
_FINGERS_APART_M = 2 * FINGER_OPEN - 0.004  # minimum gap of open fingers


@dataclass(frozen=True)
class Variant:
    """Variation between attempts: the physics is deterministic, so a retry must differ.

    Attributes:
        yaw: Offset of the hand's yaw [rad].
        up: Offset of the hand's height [m].
        elbow: Offset of the upper arm's roll in the preferred posture [rad].
    """

    yaw: float = 0.0
    up: float = 0.0
    elbow: float = 0.0


VARIANTS = (
    Variant(),
    Variant(yaw=0.15, up=0.012, elbow=0.4),
    Variant(yaw=-0.15, up=-0.012, elbow=-0.3),
    Variant(yaw=0.0, up=0.02, elbow=0.7),
)


@dataclass(frozen=True)
class ArmAttempt:
    """One attempt of one arm.

    Attributes:
        world: The simulated world.
        limb: The arm.
        ik: Inverse kinematics.
        attempt: Number of earlier attempts at the same object.
    """

    world: DoorWorld
    limb: SimulatedArm
    ik: ArmIK
    attempt: int = 0

    @property
    def variant(self) -> Variant:
        """Variation of this attempt."""
        return VARIANTS[self.attempt % len(VARIANTS)]

    @property
    def posture(self) -> Vector:
        """Preferred posture for the null-space motion [rad], shape (7,)."""
        posture = np.array(HOME[self.limb.arm])
        posture[2] += side_of(self.limb.arm) * self.variant.elbow
        return posture

    def plan_joint_path(self, poses: Sequence[Pose], start: Vector | None = None) -> list[Vector]:
        """Return joint angles through `poses`, from `start` or the current target."""
        begin = self.limb.target if start is None else start
        return plan_joint_path(self.ik, self.limb, begin, poses, self.posture)

    def pose_here(self, like: Pose) -> Pose:
        """Return a pose with the current position of the hand and the orientation of `like`."""
        return Pose(self.limb.grip, like.yaw, like.pitch, like.turn_cost, like.tolerance)

    def clear_hand(self) -> MotionSteps:
        """Release the handle, and draw the hand out of the cabinet if it is inside.

        Fingers that closed without a hold, in an interrupted grasp, open first; otherwise they
        would drag the material out and drop it.
        """
        limb, door = self.limb, self.world.geometry
        inside = door.signed_distance(self.world.angle, limb.grip) < 0
        if limb.holds_handle:
            limb.detach()
            yield from self._release_handle()
            yield from self.back_off(0.09)
        elif inside and limb.grip[0] > door.front_x - 0.10:
            if not limb.holds_material and limb.opening < _FINGERS_APART_M:
                yield from self._release_handle()
            yield from self.withdraw()

    def _release_handle(self) -> MotionSteps:
        self.limb.command_fingers(FINGER_OPEN)
        yield from with_phase(wait(0.3), "letting go")

    def withdraw(self) -> MotionSteps:
        """Draw the hand straight back out of the cabinet, then aside in front of the door's edge.

        The height of the hand does not change.
        """
        door, angle, place = self.world.geometry, self.world.angle, self.limb.grip
        out = Pose(place.copy(), turn_cost=0.05)
        out.position[0] = door.front_x - _CLEAR_M
        edge = door.edge_centre(angle)
        aside = Pose(out.position.copy(), turn_cost=0.03, tolerance=0.04)
        aside.position[:2] = edge[0] - 0.10, min(place[1], edge[1] - 0.10)
        path = self.plan_joint_path([*straight_line(Pose(place), out), *straight_line(out, aside)])
        yield from with_phase(follow_joint_path(self.limb, path, 0.8), "drawing back")

    def path_around_edge(self, *, outwards: bool) -> list[Pose]:
        """Return the path from one side of an open door to the other, around its free edge.

        Args:
            outwards: Whether the path leads to the outer side of the door.
        """
        edge = self.world.geometry.edge_centre(self.world.angle)
        inner, before, outer = (
            Pose(edge + offset, turn_cost=0.03, tolerance=0.04)
            for offset in ([-0.10, -0.13, 0.0], [-0.16, 0.0, 0.0], [-0.10, 0.14, 0.0])
        )
        if outwards:
            return [inner, *straight_line(inner, before), *straight_line(before, outer)]
        return [outer, *straight_line(outer, before), *straight_line(before, inner)]

    def path_past_door(self, goal: Pose) -> list[Vector]:
        """Return joint angles that lead around the door to `goal` in front of its outer face.

        The path is the straight joint motion if that is free of collision, otherwise the shortest
        free path around the free edge of the door. If no path is free, it is the one with the
        largest clearance.

        Raises:
            Failed: UNREACHABLE, if the goal is out of reach; nothing has moved then.
        """
        best = self.plan_joint_path([goal])
        room = self._clearance_along(best)
        round_edge = self.path_around_edge(outwards=True)
        for first in reversed(range(len(round_edge))):
            if room >= _BESIDE_M:
                break
            with contextlib.suppress(Failed):  # only this detour is out of reach
                path = self.plan_joint_path([*round_edge[first:], goal])
                kept = self._clearance_along(path)
                if kept > room:
                    best, room = path, kept
        return best

    def _clearance_along(self, path: Sequence[Vector]) -> float:
        """Return the smallest distance of the arm from the panel along `path` [m]."""
        world, room = self.world, math.inf
        for start, end in itertools.pairwise([self.limb.target, *path]):
            count = max(1, math.ceil(float(np.abs(end - start).max()) / _SAMPLE_RAD))
            for k in range(1, count + 1):
                arm = self.ik.arm_points(start + (end - start) * k / count)
                room = min(room, world.geometry.distance_to_panel(world.angle, arm))
        return room

    def back_off(self, distance: float) -> MotionSteps:
        """Draw the hand back along its fingers by `distance` [m]."""
        fingers = self.limb.finger_direction
        yaw = float(np.arctan2(fingers[1], fingers[0]))
        start = Pose(self.limb.grip, yaw)
        end = Pose(start.position - distance * fingers, yaw, turn_cost=0.1, tolerance=0.04)
        yield from with_phase(
            follow_joint_path(self.limb, self.plan_joint_path(straight_line(start, end)), 0.7),
            "backing off",
        )

    def home(self) -> MotionSteps:
        """Bring the arm to its rest posture, around the edge of an open door."""
        door, angle, grip = self.world.geometry, self.world.angle, self.limb.grip
        side = side_of(self.limb.arm)
        way: list[Pose] = []
        if (
            angle > _STANDS_OUT_RAD
            and grip[2] > door.edge_centre(angle)[2] - DOOR_HEIGHT / 2 - 0.05
        ):
            if side * door.signed_distance(angle, grip) < 0.03:
                way += self.path_around_edge(outwards=side > 0)
            beside = np.array([0.26, side * 0.24, 0.85])
            way.append(Pose(beside, turn_cost=0.03, tolerance=0.05))
        path = [*self.plan_joint_path(way), np.array(HOME[self.limb.arm])]
        yield from with_phase(follow_joint_path(self.limb, path), "returning home")


def with_phase(steps: Iterable[float], name: str) -> MotionSteps:
    """Add a phase name to `steps`, which yields only progress."""
    for progress in steps:
        yield progress, name
