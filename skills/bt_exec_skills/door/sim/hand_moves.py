"""Motions of a hand: reach for the material, grasp it, release it, go home."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from bt_exec.failure import Failed
from bt_exec_skills.door.robot import OPEN_RAD
from bt_exec_skills.door.sim.arm_mjcf import FINGER_OPEN
from bt_exec_skills.door.sim.arm_path import follow_joint_path, straight_line, wait
from bt_exec_skills.door.sim.arm_retreat_motions import ArmAttempt, with_phase
from bt_exec_skills.door.sim.ik import Pose
from bt_exec_skills.motion.stepped_motion import MotionSteps

__all__ = ["REACH_M", "go_home", "grasp", "open_hand", "reach"]

REACH_M = 0.11
"""Distance of the grip from the material after `reach`, along the fingers [m]."""
_LIFT_M = 0.03
_NEAR_M = 0.05
_SLIP_AT = 0.5  # fraction of the lift at which a slippery material slips


def _approach_poses(job: ArmAttempt) -> tuple[Pose, Pose]:
    """Return the poses in front of the material and at it; the hand is perpendicular to the box.

    Raises:
        Failed: UNREACHABLE if the material is missing or the door blocks it.
    """
    world = job.world
    found = world.material_pose()
    if found is None:
        raise Failed("UNREACHABLE", "there is nothing to reach for")
    if world.angle < OPEN_RAD - 0.1:
        raise Failed("UNREACHABLE", f"the door is in the way at {world.angle:.2f} rad")
    place, turn = found
    square = (turn + math.pi / 4) % (math.pi / 2) - math.pi / 4
    on = Pose(place, square + job.variant.yaw / 2, turn_cost=0.2, tolerance=0.008)
    before = Pose(on.position - REACH_M * on.finger_direction(), on.yaw, turn_cost=0.2)
    return before, on


def reach(job: ArmAttempt) -> MotionSteps:
    """Bring the open hand in front of the material.

    Raises:
        Failed: UNREACHABLE; STUCK if something is in the way.
    """
    yield from job.clear_hand()
    before, _ = _approach_poses(job)
    outside = Pose(before.position.copy(), before.yaw / 2, turn_cost=0.1)
    outside.position[0] = job.world.geometry.front_x - 0.22
    outside.position[2] += 0.02
    world, grip = job.world, job.limb.grip
    way: list[Pose] = []
    if world.geometry.signed_distance(world.angle, grip) > -0.05:
        way += job.path_around_edge(outwards=False)
    path = job.plan_joint_path([*way, outside, *straight_line(outside, before)])
    yield 0.0, "planning"
    job.limb.command_fingers(FINGER_OPEN)
    far = len(way) + 1
    yield from with_phase(follow_joint_path(job.limb, path[:far]), "reaching")
    yield from with_phase(follow_joint_path(job.limb, path[far:], 0.8), "reaching")


def grasp(job: ArmAttempt, *, slips: bool = False) -> MotionSteps:
    """Advance onto the material, close the hand, lift it clear and draw it out of the cabinet.

    A hand that is not in front of the material is brought there first.

    Args:
        job: The attempt.
        slips: Whether the material slips out of the hand during the lift.

    Raises:
        Failed: UNREACHABLE; MISSED if the fingers close on nothing; SLIPPED if the material is lost
            on the way; STUCK.
    """
    limb = job.limb
    before, on = _approach_poses(job)
    if float(np.linalg.norm(before.position - limb.grip)) > _NEAR_M:
        yield from reach(job)
    path = job.plan_joint_path(straight_line(job.pose_here(before), on))
    yield 0.0, "planning"
    limb.command_fingers(FINGER_OPEN)
    yield from with_phase(follow_joint_path(limb, path, 0.6), "advancing")
    limb.command_fingers(0.0)
    for _ in wait(0.8):
        yield 0.4, "closing the hand"
        if limb.is_touching("material"):
            break
    else:
        raise Failed(
            "MISSED", f"the fingers closed to {max(0.0, 1000 * limb.opening):.0f} mm on nothing"
        )
    yield from with_phase(wait(0.1), "closing the hand")
    limb.attach_material()
    up = Pose(np.add(limb.grip, (0.0, 0.0, _LIFT_M)), on.yaw, turn_cost=0.1)
    for progress in follow_joint_path(limb, job.plan_joint_path([up]), 0.5):
        yield 0.5 + 0.1 * progress, "lifting"
        if slips and progress > _SLIP_AT:
            limb.detach()
            limb.command_fingers(FINGER_OPEN)
    for progress, name in job.withdraw():
        yield 0.6 + 0.4 * progress, name
    if not limb.holds_material:
        raise Failed("SLIPPED", "the material slipped out of the hand")


def open_hand(job: ArmAttempt) -> MotionSteps:
    """Open the hand and release the held object."""
    job.limb.detach()
    job.limb.command_fingers(FINGER_OPEN)
    for progress in wait(0.5):
        yield progress, "opening the hand"


def go_home(jobs: Sequence[ArmAttempt]) -> MotionSteps:
    """Bring each arm home, one after the other.

    Raises:
        Failed: STUCK if something is in the way.
    """
    for count, job in enumerate(jobs):
        for part in (job.clear_hand(), job.home()):
            for progress, name in part:
                yield (count + progress) / len(jobs), name
