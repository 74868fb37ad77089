"""One arm in a world: its readings, its servo targets, and attached objects.

A grasp is only partly held by friction: on contact, an equality constraint carries the load. The
handle is attached at a point (the hand may turn about the bar), the material rigidly.
"""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

from bt_exec_skills.door.robot import Arm
from bt_exec_skills.door.sim.arm_mjcf import FINGER_OPEN, JOINTS
from bt_exec_skills.door.sim.ik import Vector, arm_points
from bt_exec_skills.simulation.physics import activate_weld

__all__ = ["SimulatedArm"]


class SimulatedArm:
    """Access to one arm through MuJoCo's arrays.

    Args:
        model: The compiled world.
        data: State of the world; this object keeps views of its arrays.
        arm: ``left`` or ``right``.
    """

    def __init__(self, model: Any, data: Any, arm: Arm) -> None:
        self.arm: Arm = arm
        self._model, self._data = model, data
        first = model.joint(f"{arm}/j1")
        at, dof, servo = int(first.qposadr[0]), int(first.dofadr[0]), model.actuator(f"{arm}/j1").id
        self._q = data.qpos[at : at + JOINTS + 2]
        self._v = data.qvel[dof : dof + JOINTS + 2]
        self._ctrl = data.ctrl[servo : servo + JOINTS + 2]
        self._grip = model.site(f"{arm}/grip").id
        self._fore, self._hand = model.body(f"{arm}/fore").id, model.body(f"{arm}/hand").id
        self._pads = {model.geom(f"{arm}/{name}").id: name for name in ("thumb", "finger")}
        self._pull = model.equality(f"{arm}/pull").id
        material = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, "material")
        self._hold = None if material < 0 else model.equality(f"{arm}/hold").id

    # -- readings

    @property
    def target(self) -> Vector:
        """The commanded joint angles [rad], shape (7,)."""
        angles: Vector = self._ctrl[:JOINTS].copy()
        return angles

    @property
    def lag(self) -> float:
        """The largest difference between commanded and real joint angle [rad]."""
        return float(np.abs(self._ctrl[:JOINTS] - self._q[:JOINTS]).max())

    @property
    def q(self) -> Vector:
        """The real joint angles [rad], shape (7,)."""
        angles: Vector = self._q[:JOINTS].copy()
        return angles

    @property
    def speed(self) -> float:
        """The largest joint speed [rad/s]."""
        return float(np.abs(self._v[:JOINTS]).max())

    @property
    def grip(self) -> Vector:
        """Position of the grip, world frame [m], shape (3,)."""
        place: Vector = self._data.site_xpos[self._grip].copy()
        return place

    def arm_points(self) -> Vector:
        """Return points from the elbow to the finger tips, world frame [m], shape (n, 3)."""
        elbow, wrist = self._data.xpos[self._fore], self._data.xpos[self._hand]
        return arm_points(elbow, wrist, self.grip, self.finger_direction)

    @property
    def finger_direction(self) -> Vector:
        """Direction of the fingers, a unit vector of shape (3,)."""
        turn: Vector = self._data.site_xmat[self._grip].reshape(3, 3)
        return turn[:, 0].copy()

    @property
    def opening(self) -> float:
        """The distance between the fingers [m]."""
        return float(self._q[JOINTS:].sum())

    def is_touching(self, geom: str) -> bool:
        """Return True if both finger pads touch the geom with this name."""
        wanted = self._model.geom(geom).id
        touched = set()
        for pair in self._data.contact.geom:
            if wanted in pair:
                touched |= {self._pads[other] for other in pair if other in self._pads}
        return len(touched) == len(self._pads)

    # -- commands

    def place(self, q: Vector, opening: float) -> None:
        """Set the state of the arm: joints at `q` [rad], fingers `opening` [m] from the middle."""
        self._q[:JOINTS] = self._ctrl[:JOINTS] = q
        self._q[JOINTS:] = self._ctrl[JOINTS:] = opening

    def command(self, q: Vector) -> None:
        """Set the targets of the joints [rad], shape (7,)."""
        self._ctrl[:JOINTS] = q

    def command_fingers(self, opening: float) -> None:
        """Set the target of each finger [m] from the middle, 0 to `FINGER_OPEN`."""
        self._ctrl[JOINTS:] = min(max(opening, 0.0), FINGER_OPEN)

    def freeze(self) -> None:
        """Set the current posture as target; finger targets stay, so a held object stays held."""
        self._ctrl[:JOINTS] = self._q[:JOINTS]

    # -- attachments

    @property
    def holds_handle(self) -> bool:
        """Whether the hand holds the door's handle."""
        return bool(self._data.eq_active[self._pull])

    @property
    def holds_material(self) -> bool:
        """Whether the hand holds the material."""
        return self._hold is not None and bool(self._data.eq_active[self._hold])

    def attach_handle(self) -> None:
        """Attach the hand to the handle at a point, about which the hand may turn."""
        self._data.eq_active[self._pull] = 1

    def attach_material(self) -> None:
        """Attach the material to the hand in its present pose."""
        assert self._hold is not None, "this world has no material"
        activate_weld(self._model, self._data, self._hold)

    def detach(self) -> None:
        """Release the attached object."""
        self._data.eq_active[self._pull] = 0
        if self._hold is not None:
            self._data.eq_active[self._hold] = 0
