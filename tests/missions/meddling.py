"""Somebody who moves the door by hand while a mission runs."""

from __future__ import annotations

from typing import Any

__all__ = ["Somebody"]

_PUSH_NM = 6.0
"""How hard the door is pushed or pulled [Nm]; less than makes a hand let go of the handle."""
_STIFF, _DAMP = 12.0, 2.0


class Somebody:
    """Takes the door to an angle, for a while, beginning at a moment of a mission.

    Args:
        robot: The simulated robot in front of the door.
        when: A phase of the robot's motion, or a time [s].
        target: Where the door is taken [rad].
        seconds: For how long.
    """

    def __init__(self, robot: Any, when: str | float, target: float, seconds: float = 1.5) -> None:
        self._robot, self._world = robot, robot.world
        self._when, self._target, self._seconds = when, target, seconds
        self._dof = int(self._world.model.joint("door").dofadr[0])
        self._advance = self._world.advance
        self.began: float | None = None
        """When it began [s]; None if that moment did not come."""
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
