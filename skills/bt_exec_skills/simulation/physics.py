"""A MuJoCo model with its state; imports `mujoco`."""

from __future__ import annotations

from typing import Any

import mujoco

__all__ = ["Physics"]


class Physics:
    """The physics of one world.

    Args:
        model: The compiled model.
        period_s: One control period [s], a multiple of the model's time step.

    Attributes:
        model: The compiled model.
        data: Its state.
    """

    def __init__(self, model: Any, period_s: float) -> None:
        self.model: Any = model
        self.data: Any = mujoco.MjData(model)
        self._steps = round(period_s / model.opt.timestep)

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return float(self.data.time)

    def advance(self) -> None:
        """Advance by one control period."""
        mujoco.mj_step(self.model, self.data, self._steps)
