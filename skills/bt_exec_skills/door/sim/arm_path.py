"""Paths of an arm, planned as joint angles along poses and followed with smooth timing."""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence

import numpy as np

from bt_exec.failure import Failed
from bt_exec_skills.door.sim.ik import ArmIK, Pose, Vector
from bt_exec_skills.door.sim.simulated_arm import SimulatedArm

__all__ = ["follow_joint_path", "plan_joint_path", "straight_line", "wait"]

_PERIOD_S = 0.02
_JOINT_SPEED = 1.1  # mean speed of the fastest joint over a path [rad/s]
_STEP_M = 0.04
_STUCK_RAD = 0.14
_STUCK_S = 0.4
_SETTLED_RAD = 0.015


def straight_line(start: Pose, end: Pose) -> list[Pose]:
    """Return poses every few centimetres on the straight line to `end`, without `start`."""
    count = max(1, math.ceil(float(np.linalg.norm(end.position - start.position)) / _STEP_M))
    return [
        Pose(
            start.position + (end.position - start.position) * f,
            start.yaw + (end.yaw - start.yaw) * f,
            start.pitch + (end.pitch - start.pitch) * f,
            end.turn_cost,
            end.tolerance,
            end.turn_tolerance,
        )
        for f in (k / count for k in range(1, count + 1))
    ]


def plan_joint_path(
    ik: ArmIK,
    limb: SimulatedArm,
    start: Vector,
    poses: Sequence[Pose],
    posture: Vector | None = None,
) -> list[Vector]:
    """Return joint angles for each of `poses`, each solved from the one before.

    Raises:
        Failed: UNREACHABLE, if a pose is out of reach; nothing has moved then.
    """
    path: list[Vector] = []
    q = start
    for pose in poses:
        solved = ik.solve(pose, q, posture)
        if solved is None:
            x, y, z = pose.position
            raise Failed(
                "UNREACHABLE", f"the {limb.arm} arm does not reach ({x:.2f}, {y:.2f}, {z:.2f}) m"
            )
        path.append(solved)
        q = solved
    return path


def follow_joint_path(
    limb: SimulatedArm, path: Sequence[Vector], speed: float = 1.0
) -> Generator[float, None, None]:
    """Move `limb` through `path` from its current target; yields progress 0..1 each period.

    Timing is a smoothstep over the whole path.

    Args:
        limb: The arm.
        path: Joint angles to pass through [rad], each of shape (7,).
        speed: Factor on the usual joint speed.

    Raises:
        Failed: STUCK, if the arm lags behind its targets.
    """
    points = np.array([limb.target, *path])
    steps = np.abs(np.diff(points, axis=0)).max(axis=1)
    marks = np.concatenate([[0.0], np.cumsum(steps)])
    if marks[-1] < 1e-6:
        return
    periods = max(10, math.ceil(marks[-1] / (_JOINT_SPEED * speed) / _PERIOD_S))
    behind_s = 0.0
    for period in range(1, periods + 1):
        f = period / periods
        at = marks[-1] * f * f * (3.0 - 2.0 * f)
        k = min(int(np.searchsorted(marks, at)), len(points) - 1)
        part = (at - marks[k - 1]) / max(steps[k - 1], 1e-9)
        limb.command(points[k - 1] + (points[k] - points[k - 1]) * part)
        yield f
        behind_s = behind_s + _PERIOD_S if limb.lag > _STUCK_RAD else 0.0
        if behind_s > _STUCK_S:
            raise Failed("STUCK", f"the {limb.arm} arm is {limb.lag:.2f} rad behind its target")
    for _ in range(10):
        if limb.lag < _SETTLED_RAD:
            return
        yield 1.0


def wait(seconds: float) -> Generator[float, None, None]:
    """Let `seconds` of simulated time pass."""
    for _ in range(max(1, round(seconds / _PERIOD_S))):
        yield 1.0
