"""Random arrangements of objects: apart, touching, in bowls, on plates or stacked."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bt_exec_skills.things.dataset.mesh_primitives import Rng
from bt_exec_skills.things.dataset.stage_model import Prop

__all__ = ["Pose", "arrange_props"]

_HOLD_Z = {"bowl": 0.01, "plate": 0.008}  # height of the contents above the table [m]
_HOLD_SHARE = {
    "bowl": 0.45,
    "plate": 0.6,
}  # share of the radius that the centres of contents may occupy
_SMALL_M = 0.06


class Pose(NamedTuple):
    """Pose of a prop: x, y and height of its lowest point [m], and yaw [rad]."""

    x: float
    y: float
    z: float
    yaw: float


def arrange_props(props: list[Prop], spread: float, rng: Rng) -> dict[str, Pose]:
    """Return the pose of each prop, by the name of its body; props without room are left out.

    Args:
        props: Props to place.
        spread: Half the side of the square in which the centres are placed [m].
        rng: Random generator.
    """
    touching, held = rng.uniform(0, 0.5), rng.uniform(0, 0.6)
    placed: list[tuple[Prop, Pose]] = []
    found: dict[str, Pose] = {}
    inside: list[tuple[Prop, Pose]] = []
    for prop in sorted(props, key=lambda one: one.label not in _HOLD_Z):
        holders = [pair for pair in placed if pair[0].label in _HOLD_Z]
        pose = None
        if holders and prop.radius < _SMALL_M and rng.random() < held:
            pose = _place_inside(prop, holders, inside, rng)
            if pose is not None:
                inside.append((prop, pose))
        elif placed and rng.random() < touching:
            pose = _place_touching(prop, placed, spread, rng)
        if pose is None:
            pose = _place_apart(prop, placed, spread, rng)
        if pose is None:
            continue
        found[prop.body] = pose
        if all(prop is not one for one, _ in inside):
            placed.append((prop, pose))
    return found


def _is_free(prop: Prop, x: float, y: float, others: list[tuple[Prop, Pose]], gap: float) -> bool:
    return all(
        np.hypot(x - pose.x, y - pose.y) >= gap * (prop.radius + other.radius)
        for other, pose in others
    )


def _place_apart(
    prop: Prop, placed: list[tuple[Prop, Pose]], spread: float, rng: Rng
) -> Pose | None:
    for attempt in range(60):
        x, y = rng.uniform(-spread, spread, 2)
        if _is_free(prop, x, y, placed, 1.1 if attempt < 40 else 1.0):
            return Pose(float(x), float(y), 0.0, rng.uniform(0, 2 * np.pi))
    return None


def _place_touching(
    prop: Prop, placed: list[tuple[Prop, Pose]], spread: float, rng: Rng
) -> Pose | None:
    """Return a pose at which the prop touches a placed prop, or None."""
    for _ in range(20):
        other, pose = placed[int(rng.integers(len(placed)))]
        way, far = rng.uniform(0, 2 * np.pi), prop.radius + other.radius
        x, y = pose.x + far * np.cos(way), pose.y + far * np.sin(way)
        if abs(x) < 1.2 * spread and abs(y) < 1.2 * spread and _is_free(prop, x, y, placed, 0.99):
            return Pose(float(x), float(y), 0.0, rng.uniform(0, 2 * np.pi))
    return None


def _place_inside(
    prop: Prop,
    holders: list[tuple[Prop, Pose]],
    inside: list[tuple[Prop, Pose]],
    rng: Rng,
) -> Pose | None:
    """Return a pose of the prop in a bowl or on a plate, or None."""
    for _ in range(12):
        holder, pose = holders[int(rng.integers(len(holders)))]
        room = holder.radius * _HOLD_SHARE[holder.label]
        if prop.radius > holder.radius * 0.75:
            continue
        way, far = rng.uniform(0, 2 * np.pi), rng.uniform(0, room)
        x, y = pose.x + far * np.cos(way), pose.y + far * np.sin(way)
        if _is_free(prop, x, y, inside, 1.0):
            rise = 0.3 * far * far / holder.radius if holder.label == "bowl" else 0.0
            z = _HOLD_Z[holder.label] + rise
            return Pose(float(x), float(y), z, rng.uniform(0, 2 * np.pi))
    return None
