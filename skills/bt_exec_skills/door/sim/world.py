"""Simulated door world: the compiled model, its state, its moving parts, its calibration."""

from __future__ import annotations

import math

import mujoco
import numpy as np

from bt_exec_skills.door.perception.camera_door_calibration import (
    Calibration,
    CameraPose,
    DoorShape,
)
from bt_exec_skills.door.robot import ARMS
from bt_exec_skills.door.sim.arm_mjcf import FINGER_OPEN, HOME
from bt_exec_skills.door.sim.door_kinematics import DoorGeometry
from bt_exec_skills.door.sim.ik import Vector
from bt_exec_skills.door.sim.layout import Layout, WorldOptions, draw_layout
from bt_exec_skills.door.sim.mjcf import world_xml
from bt_exec_skills.door.sim.simulated_arm import SimulatedArm
from bt_exec_skills.simulation.physics import Physics

__all__ = ["CONTROL_S", "DoorWorld", "calibration_of"]

CONTROL_S = 0.02
"""Control period of motions [s, simulated]."""


class DoorWorld(Physics):
    """Simulated world and its physics. Time advances only in `advance`.

    Args:
        options: Chosen options; the same options give the same world, bit for bit.

    Attributes:
        options: Chosen options.
        layout: Layout drawn from the seed.
        model: The compiled MuJoCo model.
        data: State.
        geometry: Kinematics of the door.
        limbs: The arms by name.
    """

    def __init__(self, options: WorldOptions) -> None:
        self.options = options
        self.layout: Layout = draw_layout(options)
        super().__init__(world_xml(self.layout), CONTROL_S)
        self.geometry = DoorGeometry(self.layout)
        self.limbs = {arm: SimulatedArm(self.model, self.data, arm) for arm in ARMS}
        self._hinge = int(self.model.joint("door").qposadr[0])
        self._material = self.model.body("material").id if self.layout.material else None
        for arm, limb in self.limbs.items():
            limb.place(np.array(HOME[arm]), FINGER_OPEN)
        self.data.qpos[self._hinge] = self.layout.angle
        mujoco.mj_forward(self.model, self.data)

    @property
    def angle(self) -> float:
        """The hinge angle [rad]; 0 is closed."""
        return float(self.data.qpos[self._hinge])

    def material_pose(self) -> tuple[Vector, float] | None:
        """Return the material's centre [m] and its yaw [rad], or None without material."""
        if self._material is None:
            return None
        turn = self.data.xmat[self._material].reshape(3, 3)
        return self.data.xpos[self._material].copy(), math.atan2(turn[1, 0], turn[0, 0])


def calibration_of(world: DoorWorld, width: int = 320, height: int = 240) -> Calibration:
    """Return the calibration of the camera and the door of `world`.

    Args:
        world: The simulated world.
        width: Width of the camera's pictures [px].
        height: Height of the camera's pictures [px].
    """
    layout, model = world.layout, world.model
    panel, bar = model.geom("door/panel"), model.geom("door/handle")
    eye, target = layout.camera
    thick, half_width, half_height = (float(side) for side in panel.size)
    shape = DoorShape(
        hinge=layout.hinge,
        width=2 * half_width,
        height=2 * half_height,
        thick=thick,
        handle_r=layout.handle_r,
        handle_z=layout.handle_z,
        handle_half=layout.handle_half,
        handle_out=abs(float(bar.pos[0])),
        handle_radius=float(bar.size[0]),
        max_rad=_MAX_RAD,
    )
    return Calibration(CameraPose(eye, target, layout.fovy, width, height), shape)


_MAX_RAD = 1.75  # larger than the opening angle of any door
