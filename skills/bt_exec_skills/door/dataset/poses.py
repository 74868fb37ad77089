"""States of door, arms and material in training pictures: from missions, or random."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from bt_exec_skills.door.dataset.style import Rng
from bt_exec_skills.door.robot import OPEN_RAD
from bt_exec_skills.door.sim.body import SimDoorRobot
from bt_exec_skills.door.sim.world import DoorWorld

__all__ = ["mission_states", "posed_states", "some_angle"]

Vector = npt.NDArray[np.float64]

_MISSION_PICTURES, _POSED_PICTURES = 8, 8
_EVERY_S = 0.25


def some_angle(rng: Rng) -> float:
    """Return a hinge angle [rad]: closed, ajar and open equally often, small gaps more often."""
    kind = rng.random()
    if kind < 0.3:
        return float(rng.uniform(0.0, 0.02)) if rng.random() < 0.8 else float(rng.uniform(0, 0.04))
    if kind < 0.75:
        low, high = (0.05, 0.4) if rng.random() < 0.4 else (0.4, 1.0)
        return float(rng.uniform(low, high))
    return float(rng.uniform(1.0, 1.6))


def mission_states(world: DoorWorld, rng: Rng) -> list[Vector]:
    """Return moments of a fetch mission: open, reach, grasp, close, home."""
    robot = SimDoorRobot(world)
    puller: Any = "right" if rng.random() < 0.8 else "left"
    taker: Any = "right" if rng.random() < 0.85 else "left"
    moves: list[Callable[[], Any]] = []
    if world.angle < OPEN_RAD:
        moves.append(lambda: robot.pull_open(puller, "door-handle"))
    if world.layout.material:
        moves += [
            lambda: robot.reach(taker, "material"),
            lambda: robot.close_gripper(taker, "material"),
        ]
    moves += [lambda: robot.push_shut(taker, "door-handle"), robot.go_home]
    states = [world.data.qpos.copy()]
    for move in moves:
        motion = move()
        spent = 0.0
        while not motion.done and spent < 30.0:
            robot.step(_EVERY_S)
            spent += _EVERY_S
            states.append(world.data.qpos.copy())
    picks = np.sort(rng.choice(len(states), min(_MISSION_PICTURES, len(states)), replace=False))
    return [states[i] for i in picks]


def posed_states(world: DoorWorld, rng: Rng) -> list[Vector]:
    """Return postures that do not occur in missions."""
    home = world.data.qpos.copy()
    return [_clear_pose(world, home.copy(), rng) for _ in range(_POSED_PICTURES)]


def _clear_pose(world: DoorWorld, qpos: Vector, rng: Rng) -> Vector:
    model = world.model
    qpos[model.joint("door").qposadr[0]] = some_angle(rng)
    for arm in ("left", "right"):
        if rng.random() < 0.55:
            continue
        for index in range(1, 8):
            joint = model.joint(f"{arm}/j{index}")
            low, high = joint.range
            at = int(joint.qposadr[0])
            wide = 0.9 if index <= 4 else 1.2
            qpos[at] = np.clip(qpos[at] + rng.normal(0.0, wide), low, high)
    if world.layout.material and rng.random() < 0.5:
        at = int(model.joint("material").qposadr[0])
        x, y, z = world.layout.centre
        inside = rng.random() < 0.7
        low = (x + 0.05, y - 0.1, qpos[at + 2]) if inside else (x - 0.3, y - 0.2, z - 0.25)
        high = (x + 0.15, y + 0.1, qpos[at + 2]) if inside else (x - 0.05, y + 0.2, z + 0.1)
        qpos[at : at + 3] = rng.uniform(low, high)
        yaw = rng.uniform(-1.5, 1.5)
        qpos[at + 3 : at + 7] = np.cos(yaw / 2), 0.0, 0.0, np.sin(yaw / 2)
    return qpos
