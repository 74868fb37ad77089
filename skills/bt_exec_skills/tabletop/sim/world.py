"""Simulated kitchen: the compiled model, its state, and disturbances of its objects."""

from __future__ import annotations

import math

import mujoco
import numpy as np

from bt_exec_skills.navigation.plane_geometry import Pose
from bt_exec_skills.simulation.physics import Physics
from bt_exec_skills.tabletop.environment_state import Environment, Placed, Point
from bt_exec_skills.tabletop.sim.arm import FINGER_OPEN, HOME, JOINTS, Vector
from bt_exec_skills.tabletop.sim.layout import Item, Layout, WorldOptions, draw_layout
from bt_exec_skills.tabletop.sim.mjcf import build_world

__all__ = ["CONTROL_S", "TableWorld"]

CONTROL_S = 0.02
"""Control period of motions [s, simulated]."""
_FINGERS = ("finger/left", "finger/right")
_BASE = ("base/x", "base/y", "base/yaw")


class TableWorld(Physics):
    """Simulated world and its physics. Time advances only in `advance`.

    Args:
        options: Chosen options; the same options give the same world, bit for bit.

    Attributes:
        options: Chosen options.
        layout: Layout drawn from the seed.
        model: Compiled MuJoCo model.
        data: MuJoCo state.
        items: Present objects and containers, by name.
    """

    def __init__(self, options: WorldOptions) -> None:
        self.options = options
        self.layout: Layout = draw_layout(options)
        super().__init__(build_world(self.layout).compile(), CONTROL_S)
        self.items: dict[str, Item] = {item.name: item for item in self.layout.items}
        self._slippery = 0
        model = self.model
        self._joints = np.array([model.joint(name).qposadr[0] for name in JOINTS])
        self._motors = np.array([model.actuator(name).id for name in JOINTS])
        self._finger_q = np.array([model.joint(name).qposadr[0] for name in _FINGERS])
        self._finger_u = np.array([model.actuator(name).id for name in _FINGERS])
        self._base_q = np.array([model.joint(name).qposadr[0] for name in _BASE])
        self._base_u = np.array([model.actuator(name).id for name in _BASE])
        self._grip = model.site("grip").id
        self._fingers = {model.geom(name).id for name in _FINGERS}
        self._hand = {*self._fingers, model.geom("hand/palm").id}
        self._owner = [model.body(model.geom(g).bodyid[0]).name for g in range(model.ngeom)]
        self.data.qpos[self._joints] = HOME
        self.data.qpos[self._finger_q] = FINGER_OPEN
        self.command_arm(np.array(HOME))
        self.command_fingers(FINGER_OPEN)
        mujoco.mj_forward(model, self.data)

    # -- readings

    @property
    def pose(self) -> Pose:
        """Pose of the base."""
        x, y, yaw = self.data.qpos[self._base_q]
        return Pose(float(x), float(y), math.remainder(float(yaw), math.tau))

    @property
    def joints(self) -> Vector:
        """Joint values of the arm, shape (4,)."""
        return np.asarray(self.data.qpos[self._joints]).copy()

    @property
    def joint_limits(self) -> tuple[Vector, Vector]:
        """Lower and upper limits of the arm's joints, each of shape (4,)."""
        ranges = np.array([self.model.joint(name).range for name in JOINTS])
        return ranges[:, 0], ranges[:, 1]

    @property
    def targets(self) -> Vector:
        """Last commanded arm targets, shape (4,)."""
        return np.asarray(self.data.ctrl[self._motors]).copy()

    @property
    def grip(self) -> Point:
        """Position of the grip between the fingers, room frame [m]."""
        return Point(*(float(value) for value in self.data.site_xpos[self._grip]))

    @property
    def half_gap(self) -> float:
        """Half the distance between the fingers [m]."""
        return float(self.data.qpos[self._finger_q].mean())

    @property
    def greatest_joint_speed(self) -> float:
        """Speed of the robot's fastest joint [m/s or rad/s]."""
        robot = self.data.qvel[-9:]  # the robot is the last body of the scene
        return float(np.abs(robot).max())

    def environment(self) -> Environment:
        """Return the ground truth of the world."""
        objects = {}
        for name in self.items:
            body = self.data.body(name)
            w, x, y, z = (float(value) for value in body.xquat)
            roll = math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y))
            pitch = math.asin(max(-1.0, min(1.0, 2 * (w * y - z * x))))
            yaw = math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
            at = Point(*(float(value) for value in body.xpos))
            objects[name] = Placed(int(body.id), at, (roll, pitch, yaw))
        tables = {f"table_{number}": table for number, table in enumerate(self.layout.tables)}
        return Environment(self.time, objects, self.pose, tables)

    def hand_contacts(self) -> dict[str, set[str]]:
        """Return the parts of the hand (``left``, ``right``, ``palm``) that touch each item."""
        found: dict[str, set[str]] = {}
        for contact in self.data.contact[: self.data.ncon]:
            for mine, other in (contact.geom, contact.geom[::-1]):
                if int(mine) in self._hand:
                    part = self.model.geom(int(mine)).name.split("/")[-1]
                    found.setdefault(self._owner[int(other)], set()).add(part)
        return found

    def held_item(self) -> str | None:
        """Return the item that is between both fingers and touches them, or None."""
        for name, parts in self.hand_contacts().items():
            if name in self.items and {"left", "right"} <= parts:
                return name
        return None

    def is_colliding(self, held: str | None) -> bool:
        """Return True if the hand or the object `held` touches anything else."""
        ours = {held} if held is not None else set()
        for contact in self.data.contact[: self.data.ncon]:
            first, second = (int(geom) for geom in contact.geom)
            one = first in self._hand or self._owner[first] in ours
            two = second in self._hand or self._owner[second] in ours
            if one != two:
                return True
        return False

    # -- commands

    def command_arm(self, joints: Vector) -> None:
        """Set the arm's targets, shape (4,)."""
        self.data.ctrl[self._motors] = joints

    def command_fingers(self, gap: float) -> None:
        """Set the target of both fingers: half the gap [m]; a negative target presses."""
        self.data.ctrl[self._finger_u] = FINGER_OPEN if self._slippery else gap

    def command_base(self, x: float, y: float, yaw: float) -> None:
        """Set the target pose of the base [m, m, rad]; `yaw` is not wrapped to a full turn."""
        self.data.ctrl[self._base_u] = (x, y, yaw)

    @property
    def unwrapped_yaw(self) -> float:
        """Yaw of the base [rad], not wrapped to a full turn."""
        return float(self.data.qpos[self._base_q[2]])

    def freeze(self) -> None:
        """Hold every joint of base and arm at its position."""
        self.data.qvel[-9:-2] = 0.0
        self.command_base(*(float(value) for value in self.data.qpos[self._base_q]))
        self.command_arm(self.joints)

    def advance(self) -> None:
        """Advance the physics by one control period."""
        if self._slippery:
            self._slippery -= 1
            self.data.ctrl[self._finger_u] = FINGER_OPEN
        super().advance()

    # -- disturbances

    def drop_held_object(self, seconds: float = 0.3) -> None:
        """Make the fingers open for `seconds`, so that the held object falls."""
        self._slippery = round(seconds / CONTROL_S)

    def move_item(self, name: str, x: float, y: float, z: float) -> None:
        """Move an item to another position, as a person would."""
        self.move_body(name, (x, y, z))

    def remove_item(self, name: str) -> None:
        """Remove an item from the environment."""
        self.move_item(name, 50.0 + len(self.items), 50.0, 0.1)
        del self.items[name]
