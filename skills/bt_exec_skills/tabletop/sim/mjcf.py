"""MuJoCo model of the world, made with MjSpec: room, tables, objects, base, arm and gripper.

Bodies of items have the names of the items; those of the robot are ``base`` to ``hand``. Only hull,
hand and fingers of the robot collide with the world, because the arm moves above all objects.
"""

from __future__ import annotations

import math
from typing import Any

import mujoco
import numpy as np

from bt_exec_skills.tabletop.sim.arm import HAND_DROP, add_arm
from bt_exec_skills.tabletop.sim.layout import ROOM, Item, Layout

__all__ = ["BASE_RADIUS", "TIMESTEP", "build_world"]

TIMESTEP = 0.0025
"""Physics step [s]."""
BASE_RADIUS = 0.22
"""Radius of the robot's hull [m]."""
_WALL_M = 1.2
_SEGMENTS = 12
_RIM: dict[str, float] = {"bowl": 0.05, "basket": 0.08, "box": 0.05, "plate": 0.018, "tray": 0.025}
RGB: dict[str, tuple[float, float, float]] = {
    "red": (0.85, 0.12, 0.12),
    "green": (0.15, 0.65, 0.2),
    "blue": (0.15, 0.3, 0.85),
    "yellow": (0.95, 0.85, 0.15),
    "orange": (0.95, 0.5, 0.1),
    "purple": (0.55, 0.2, 0.7),
    "white": (0.92, 0.92, 0.9),
    "tray": (0.6, 0.45, 0.3),
}
# collision groups: objects collide with everything, the robot not with itself
_ROBOT, _WORLD = 2, 1


def build_world(layout: Layout) -> Any:
    """Return the spec of the world; equal layouts give equal specs."""
    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    spec.option.timestep = TIMESTEP
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.impratio = 10
    spec.option.enableflags |= mujoco.mjtEnableBit.mjENBL_SLEEP
    world = spec.worldbody
    world.add_geom(
        name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[6, 6, 0.1], rgba=[0.6, 0.58, 0.55, 1]
    )
    for k, (x, y, half_x, half_y) in enumerate(
        (
            (ROOM[0] + 0.05, 0, 0.05, ROOM[1]),
            (-ROOM[0] - 0.05, 0, 0.05, ROOM[1]),
            (0, ROOM[1] + 0.05, ROOM[0], 0.05),
            (0, -ROOM[1] - 0.05, ROOM[0], 0.05),
        )
    ):
        _box(
            world, f"wall/{k}", (x, y, _WALL_M / 2), (half_x, half_y, _WALL_M / 2), (0.8, 0.8, 0.78)
        )
    for k, table in enumerate(layout.tables):
        half = (table.half_x, table.half_y, table.height / 2)
        _box(world, f"table/{k}", (table.x, table.y, half[2]), half, (0.5, 0.4, 0.3))
    for k, slab in enumerate(layout.obstacles):
        half = (slab.half_x, slab.half_y, 0.3)
        _box(world, f"obstacle/{k}", (slab.x, slab.y, 0.3), half, (0.35, 0.35, 0.4))
    for item in layout.items:
        _add_item(world, item)
    _add_robot(spec)
    return spec


def _box(parent: Any, name: str, at: Any, half: Any, rgb: Any, **more: Any) -> None:
    parent.add_geom(
        name=name, type=mujoco.mjtGeom.mjGEOM_BOX, pos=at, size=half, rgba=[*rgb, 1], **more
    )


def _add_item(world: Any, item: Item) -> None:
    holds = item.form in _RIM
    lift = 0.0 if holds else item.half
    body = world.add_body(
        name=item.name,
        pos=[item.x, item.y, item.z + lift + 0.001],
        quat=[math.cos(item.yaw / 2), 0, 0, math.sin(item.yaw / 2)],
    )
    body.add_freejoint()
    if holds:
        _add_container(body, item)
        return
    forms = {
        "cube": (mujoco.mjtGeom.mjGEOM_BOX, [item.half] * 3),
        "cylinder": (mujoco.mjtGeom.mjGEOM_CYLINDER, [item.half, item.half, 0]),
        "ball": (mujoco.mjtGeom.mjGEOM_SPHERE, [item.half, 0, 0]),
    }
    kind, size = forms[item.form]
    body.add_geom(
        name=f"{item.name}/body",
        type=kind,
        size=size,
        rgba=[*RGB.get(item.colour, (0.5, 0.5, 0.5)), 1],
        mass=0.06 + 2.0 * item.half,
        condim=6 if item.form != "cube" else 4,
        friction=[1.0, 0.02, 0.004],
    )


def _add_container(body: Any, item: Item) -> None:
    """Add the floor and the rim of a container: a ring of segments, or four sides for a box."""
    rgb = RGB.get(item.colour, (0.6, 0.5, 0.4))
    rim, wall, thick = _RIM[item.form], 0.006, 0.004
    shared = {"mass": 0.08, "friction": [0.8, 0.01, 0.002]}
    square = item.form in ("box", "tray", "basket")
    floor = mujoco.mjtGeom.mjGEOM_BOX if square else mujoco.mjtGeom.mjGEOM_CYLINDER
    size = [item.half, item.half, thick] if square else [item.half, thick, 0]
    body.add_geom(
        name=f"{item.name}/floor",
        type=floor,
        pos=[0, 0, thick],
        size=size,
        rgba=[*rgb, 1],
        mass=0.8,
        friction=[0.8, 0.01, 0.002],
    )
    count = 4 if square else _SEGMENTS
    half = item.half * math.tan(math.pi / count) + wall
    for k in range(count):
        turn = k * math.tau / count
        at = (math.cos(turn) * item.half, math.sin(turn) * item.half, rim / 2)
        quat = [math.cos(turn / 2), 0, 0, math.sin(turn / 2)]
        _box(body, f"{item.name}/rim{k}", at, (wall, half, rim / 2), rgb, quat=quat, **shared)


def _add_robot(spec: Any) -> None:
    base = spec.worldbody.add_body(name="base")
    for name, axis, kind in (
        ("x", (1, 0, 0), mujoco.mjtJoint.mjJNT_SLIDE),
        ("y", (0, 1, 0), mujoco.mjtJoint.mjJNT_SLIDE),
        ("yaw", (0, 0, 1), mujoco.mjtJoint.mjJNT_HINGE),
    ):
        base.add_joint(name=f"base/{name}", type=kind, axis=axis)
        actuator = spec.add_actuator(
            name=f"base/{name}", target=f"base/{name}", trntype=mujoco.mjtTrn.mjTRN_JOINT
        )
        actuator.set_to_position(kp=4000 if name == "yaw" else 40000, dampratio=1.0)
        force = 60 if name == "yaw" else 400
        actuator.forcerange = [-force, force]
        actuator.forcelimited = True
    base.add_geom(
        name="base/hull",
        type=mujoco.mjtGeom.mjGEOM_CYLINDER,
        size=[BASE_RADIUS, 0.12, 0],
        pos=[0, 0, 0.16],
        mass=40,
        rgba=[0.9, 0.9, 0.92, 1],
        friction=[0.1, 0.01, 0.001],
    )
    base.add_geom(
        name="base/mast",
        type=mujoco.mjtGeom.mjGEOM_CAPSULE,
        fromto=[-0.1, 0, 0.28, -0.1, 0, 1.3],
        size=[0.04, 0, 0],
        mass=1,
        rgba=[0.75, 0.75, 0.78, 1],
        contype=0,
        conaffinity=0,
    )
    pitch = 0.75
    base.add_camera(
        name="head",
        pos=[-0.05, 0, 1.35],
        xyaxes=np.array([0, -1, 0, math.sin(pitch), 0, math.cos(pitch)]),
        fovy=70,
    )
    add_arm(spec, base, actuators=True)
    for geom in spec.geoms:
        if geom.name.startswith(("base/", "hand/", "finger/")) and geom.contype:
            geom.contype, geom.conaffinity = 2, 1
        elif geom.contype:
            geom.contype, geom.conaffinity = 1, 3
    assert HAND_DROP > 0
