"""Motions of the door: pull it open by the handle or by its edge, push it shut."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Iterator, Sequence

from bt_exec.failure import Failed
from bt_exec_skills.door.robot import CLOSED_RAD, OPEN_RAD
from bt_exec_skills.door.sim.arm_mjcf import FINGER_OPEN
from bt_exec_skills.door.sim.arm_path import follow_joint_path, straight_line, wait
from bt_exec_skills.door.sim.arm_retreat_motions import ArmAttempt, with_phase
from bt_exec_skills.door.sim.ik import Pose, Vector
from bt_exec_skills.door.sim.layout import DOOR_WIDTH
from bt_exec_skills.motion.stepped_motion import MotionSteps

__all__ = [
    "OPEN_TO_RAD",
    "home_if_failed",
    "pull_by_edge",
    "pull_by_handle",
    "push_shut",
    "release_handle",
]

OPEN_TO_RAD = 1.32
"""Target angle of an opened door [rad]."""
_WIDE_RAD = 1.28  # a door that is open at least this far is not opened further
_ARC_STEP = 0.08
_GAP_RAD = 0.215  # smaller gaps are too narrow for a hand
_PUSH_R = 0.22
_SHUT_RAD = 0.004


def _hinge_angles(start: float, end: float) -> list[float]:
    """Return hinge angles from `start` to `end`, without `start`."""
    count = max(1, math.ceil(abs(end - start) / _ARC_STEP))
    return [start + (end - start) * k / count for k in range(1, count + 1)]


def release_handle(others: Sequence[ArmAttempt]) -> MotionSteps:
    """Make the other hands release the handle, which they may hold after an interruption."""
    for job in others:
        if job.limb.holds_handle:
            yield from job.clear_hand()
            yield from job.home()


def home_if_failed(job: ArmAttempt, steps: MotionSteps) -> MotionSteps:
    """Forward `steps`; if the hand misses or gets stuck, bring it home.

    The next motion of either arm would otherwise collide with the hand or the door.

    Raises:
        Failed: The failure of `steps`, after the arm has retracted as far as possible.
    """
    try:
        yield from steps
    except Failed as failed:
        if failed.code in ("MISSED", "STUCK"):
            job.limb.freeze()
            with contextlib.suppress(Failed):
                yield from job.clear_hand()
                yield from job.home()
        raise


def pull_by_handle(job: ArmAttempt) -> MotionSteps:
    """Grip the handle, swing the door open along its arc, release it, draw back, go home.

    Raises:
        Failed: UNREACHABLE if a pose is out of reach; MISSED if the hand closes beside the handle;
            STUCK if the door does not follow.
    """
    world, limb, door = job.world, job.limb, job.world.geometry
    yield from job.clear_hand()
    start = world.angle
    if start >= _WIDE_RAD:
        return
    lift, yaw = job.variant.up, -start + job.variant.yaw
    grip = Pose(door.handle_centre(start, lift), yaw, turn_cost=0.1)
    before = Pose(grip.position + 0.12 * door.outward_normal(start), yaw, turn_cost=0.1)
    way = job.path_past_door(before)
    approach = job.plan_joint_path(straight_line(before, grip), way[-1])
    yield 0.0, "planning"
    swing = job.plan_joint_path(
        [
            Pose(door.handle_centre(a, lift), yaw - (a - start) / 2, turn_cost=0.02, tolerance=0.02)
            for a in _hinge_angles(start, OPEN_TO_RAD)
        ],
        approach[-1],
    )
    yield 0.0, "planning"
    limb.command_fingers(FINGER_OPEN)
    yield from with_phase(follow_joint_path(limb, way), "reaching for the handle")
    yield from with_phase(follow_joint_path(limb, approach, 0.7), "reaching for the handle")
    limb.command_fingers(0.0)
    yield from with_phase(wait(0.4), "gripping the handle")
    if door.distance_to_handle(world.angle, limb.grip) > 0.025:
        raise Failed("MISSED", "the hand closed beside the handle")
    limb.attach_handle()
    yield from _move_door(follow_joint_path(limb, swing, 0.8), "pulling")
    reached = world.angle
    limb.freeze()
    limb.detach()
    limb.command_fingers(FINGER_OPEN)
    yield from with_phase(wait(0.3), "letting go")
    yield from job.back_off(0.09)
    yield from _retract_hand(job)
    _check_open(job, reached)


def pull_by_edge(job: ArmAttempt) -> MotionSteps:
    """Pull open a door that is ajar; the hand hooks its free edge from behind.

    Raises:
        Failed: NO_GRIP if the gap is too small for a hand; UNREACHABLE; STUCK.
    """
    world, limb, door = job.world, job.limb, job.world.geometry
    yield from job.clear_hand()
    start = world.angle
    if start >= _WIDE_RAD:
        return
    if start < _GAP_RAD:
        raise Failed("NO_GRIP", f"at {start:.2f} rad no hand gets behind the door's edge")

    def hooking_pose(angle: float, r: float, gap: float) -> Pose:
        place = door.point(angle, r, -gap, 0.02 + job.variant.up)
        return Pose(place, math.pi / 2 - angle, turn_cost=0.2, tolerance=0.02, turn_tolerance=0.6)

    gap = 0.035
    outside = hooking_pose(start, DOOR_WIDTH + 0.12, gap)
    behind = hooking_pose(start, DOOR_WIDTH - 0.045, gap)
    approach = job.plan_joint_path([outside, *straight_line(outside, behind)])
    yield 0.0, "planning"
    swing = job.plan_joint_path(
        [
            hooking_pose(a + 0.06, DOOR_WIDTH - 0.045, gap * 0.6)
            for a in _hinge_angles(start, OPEN_TO_RAD)
        ],
        approach[-1],
    )
    yield 0.0, "planning"
    limb.command_fingers(0.0)
    yield from with_phase(follow_joint_path(limb, approach[:1]), "reaching for the edge")
    yield from with_phase(follow_joint_path(limb, approach[1:], 0.7), "reaching for the edge")
    yield from _move_door(follow_joint_path(limb, swing, 0.7), "pulling")
    reached = world.angle
    limb.freeze()
    yield from job.back_off(0.10)
    yield from job.home()
    _check_open(job, reached)


def push_shut(job: ArmAttempt) -> MotionSteps:
    """Push the door shut on its outer face with the hand or the held object; go home.

    Raises:
        Failed: UNREACHABLE if a pose is out of reach; STUCK if the door does not close.
    """
    world, limb, door = job.world, job.limb, job.world.geometry
    yield from job.clear_hand()
    start = world.angle
    if start <= CLOSED_RAD / 2:
        return
    up = door.handle_z + door.handle_half + 0.055 + job.variant.up

    def pushing_pose(angle: float, out: float) -> Pose:
        place = door.point(angle, _PUSH_R, out, up)
        return Pose(place, -angle / 2 + job.variant.yaw, turn_cost=0.03, tolerance=0.025)

    beside = pushing_pose(start, 0.16)
    touch = pushing_pose(start, 0.05)
    way = job.path_past_door(beside)
    approach = job.plan_joint_path(straight_line(beside, touch), way[-1])
    yield 0.0, "planning"
    push = job.plan_joint_path(
        [pushing_pose(a, 0.02) for a in _hinge_angles(start, -0.06)], approach[-1]
    )
    yield 0.0, "planning"
    if not limb.holds_material:
        limb.command_fingers(0.0)
    yield from with_phase(follow_joint_path(limb, way), "going round the door")
    yield from with_phase(follow_joint_path(limb, approach, 0.7), "going to the door")
    yield from _move_door(_until_shut(job, follow_joint_path(limb, push, 0.8)), "pushing")
    reached = world.angle
    limb.freeze()
    yield from job.back_off(0.10)
    yield from job.home()
    if reached > CLOSED_RAD:
        raise Failed("STUCK", f"the door stopped at {reached:.2f} rad")


def _move_door(steps: Iterable[float], name: str) -> MotionSteps:
    """Forward `steps` as a phase; if the hand gets stuck, the phase ends without a failure.

    The caller checks the angle of the door.
    """
    with contextlib.suppress(Failed):
        for progress in steps:
            yield 0.2 + 0.6 * progress, name
    yield from with_phase(wait(0.2), name)


def _until_shut(job: ArmAttempt, steps: Iterable[float]) -> Iterator[float]:
    """Forward `steps` until the door is shut."""
    for progress in steps:
        yield progress
        if job.world.angle < _SHUT_RAD:
            return


def _check_open(job: ArmAttempt, reached: float) -> None:
    """Raise STUCK unless the door is open far enough and stays there."""
    if reached < OPEN_RAD:
        raise Failed("STUCK", f"the door stopped at {reached:.2f} rad of {OPEN_TO_RAD:.2f}")
    if job.world.angle < OPEN_RAD:
        raise Failed("STUCK", f"the door fell back to {job.world.angle:.2f} rad")


def _retract_hand(job: ArmAttempt) -> MotionSteps:
    """Draw the hand away from the outer face, then bring it home around the edge."""
    door, angle = job.world.geometry, job.world.angle
    away: Vector = job.limb.grip + 0.06 * door.outward_normal(angle)
    away[0] = min(away[0], door.edge_centre(angle)[0] - 0.10)
    out = Pose(away, turn_cost=0.02, tolerance=0.05)
    yield from with_phase(follow_joint_path(job.limb, job.plan_joint_path([out])), "drawing back")
    yield from job.home()
