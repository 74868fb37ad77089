"""Tactile state of the material: whether a hand holds it, and where it was lost."""

from __future__ import annotations

from typing import Literal, TypeAlias

from bt_exec_skills.door.robot import ARMS, DoorRobot

__all__ = ["Touch", "Touched"]

Touched: TypeAlias = Literal["held", "in_front", "lost"]
"""A hand holds the material; lost it before the door, where it falls to the floor; or lost it
anywhere else."""


class Touch:
    """Records whether a hand held the material, and where that hand was.

    Args:
        robot: The robot.
    """

    def __init__(self, robot: DoorRobot) -> None:
        self._robot = robot
        self._last: Touched | None = None

    def feel(self) -> Touched | None:
        """Return the tactile state of the material; None if no hand ever held it.

        Must be called with every picture, because changes in between are missed.
        """
        holding = [arm for arm in ARMS if self._robot.holding(arm) == "material"]
        if not holding:
            return self._last
        self._last = "lost" if any(map(self._robot.in_doorway, holding)) else "in_front"
        return "held"
