"""Physics of a MuJoCo model, and functions that write MJCF text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import mujoco
import numpy as np
import numpy.typing as npt

__all__ = ["Physics", "activate_weld", "mjcf_box", "mjcf_colour", "mjcf_numbers"]


def mjcf_numbers(*values: float, digits: int = 9) -> str:
    """Return numbers in MJCF format, with `digits` significant digits."""
    return " ".join(f"{value:.{digits}g}" for value in values)


def mjcf_colour(colour: Iterable[float], opacity: float = 1.0) -> str:
    """Return a colour (red, green, blue in 0..1) and its opacity in MJCF format."""
    return mjcf_numbers(*colour, opacity)


def mjcf_box(
    name: str, middle: Iterable[float], half: Iterable[float], look: str, *, digits: int = 9
) -> str:
    """Return a box geom as MJCF text.

    Args:
        name: Name of the geom.
        middle: Centre, in the frame of its body [m], shape (3,).
        half: Half lengths along the axes [m], shape (3,).
        look: Further attributes as text, such as class, colour or mass.
        digits: Significant digits of the numbers.
    """
    at, size = mjcf_numbers(*middle, digits=digits), mjcf_numbers(*half, digits=digits)
    return f'<geom name="{name}" type="box" size="{size}" pos="{at}" {look}/>'


class Physics:
    """Physics of one world. Time passes only in `advance`.

    Args:
        model: The compiled model, or its MJCF text.
        period_s: Control period [s], a multiple of the model's time step.

    Attributes:
        model: The compiled model.
        data: State of the model.
        period_s: Control period [s].
    """

    def __init__(self, model: Any, period_s: float) -> None:
        if isinstance(model, str):
            model = mujoco.MjModel.from_xml_string(model)
        self.model: Any = model
        self.data: Any = mujoco.MjData(model)
        self.period_s = period_s
        self._steps = round(period_s / model.opt.timestep)
        mujoco.mj_kinematics(model, self.data)

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return float(self.data.time)

    def advance(self) -> None:
        """Advance by one control period."""
        mujoco.mj_step(self.model, self.data, self._steps)

    def body_position(self, body: str) -> npt.NDArray[np.float64]:
        """Return the position of a body [m], shape (3,)."""
        at: npt.NDArray[np.float64] = self.data.body(body).xpos.copy()
        return at

    def move_body(self, body: str, at: npt.ArrayLike) -> None:
        """Move a free body to another position [m], shape (3,), and stop it."""
        joint = self.model.body(body).jntadr[0]
        place, speed = self.model.jnt_qposadr[joint], self.model.jnt_dofadr[joint]
        self.data.qpos[place : place + 3] = at
        self.data.qvel[speed : speed + 6] = 0.0
        self.data.qvel[speed + 2] = -0.05  # a small speed wakes a sleeping body
        mujoco.mj_forward(self.model, self.data)

    def attach(self, equality: str) -> None:
        """Attach the second body of the ``weld`` of this name to the first, in its present pose."""
        activate_weld(self.model, self.data, self.model.equality(equality).id)

    def detach(self, equality: str) -> None:
        """Deactivate the ``weld`` of this name, which `attach` has activated."""
        self.data.eq_active[self.model.equality(equality).id] = 0


def activate_weld(model: Any, data: Any, equality: int) -> None:
    """Activate an equality of type ``weld`` with the present relative pose of its bodies."""
    holder, held = int(model.eq_obj1id[equality]), int(model.eq_obj2id[equality])
    turn = data.xmat[holder].reshape(3, 3)
    back, relative = np.zeros(4), np.zeros(4)
    mujoco.mju_negQuat(back, data.xquat[holder])
    mujoco.mju_mulQuat(relative, back, data.xquat[held])
    pose = model.eq_data[equality]
    pose[0:3] = 0.0  # anchor, in the frame of the held body
    pose[3:6] = turn.T @ (data.xpos[held] - data.xpos[holder])
    pose[6:10] = relative
    data.eq_active[equality] = 1
