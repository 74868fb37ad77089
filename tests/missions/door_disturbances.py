"""Disturbances of the door by a person during a mission."""

from __future__ import annotations

from typing import Any

__all__ = ["Somebody"]

_PUSH_NM = 6.0
"""Torque on the door [Nm]; small enough that a hand does not lose the handle."""
_STIFF, _DAMP = 12.0, 2.0


class Somebody:
    """Person who moves the door to an angle for some time.

    Args:
        robot: Simulated robot in front of the door.
        when: Phase of the robot's motion, or a time [s].
        target: Target angle [rad].
        seconds: Duration [s].
    """

    def __init__(self, robot: Any, when: str | float, target: float, seconds: float = 1.5) -> None:
        self._robot, self._world = robot, robot.world
        self._when, self._target, self._seconds = when, target, seconds
        self._dof = int(self._world.model.joint("door").dofadr[0])
        self._advance = self._world.advance
        self.began: float | None = None
        """Start time [s]; None if the moment did not occur."""
        self._world.advance = self._push

    def _push(self) -> None:
        data = self._world.data
        due = self._robot.doing == self._when or (
            isinstance(self._when, float) and data.time >= self._when
        )
        if self.began is None and due:
            self.began = float(data.time)
        torque = 0.0
        if self.began is not None and data.time < self.began + self._seconds:
            away = self._target - self._world.angle
            torque = _STIFF * away - _DAMP * float(data.qvel[self._dof])
        data.qfrc_applied[self._dof] = max(-_PUSH_NM, min(_PUSH_NM, torque))
        self._advance()
