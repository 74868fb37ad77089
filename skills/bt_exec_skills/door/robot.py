"""The robot interface of the door pack: everything that its skills may ask of a robot.

A simulator and a real robot implement `DoorRobot`; skills never know which. Labels name things
("door-handle"); the robot knows where they are. Angles are in radians; the door's
angle is 0 when closed and grows as it opens.
"""

from __future__ import annotations

from typing import Annotated, Literal, Protocol, TypeAlias, get_args, runtime_checkable

from bt_exec.robot import Motion, Robot
from bt_exec.skill import Label

__all__ = [
    "ARMS",
    "CLOSED_RAD",
    "OPEN_RAD",
    "Arm",
    "DoorLabel",
    "DoorRobot",
    "DoorState",
    "MaterialLabel",
    "Motion",
    "state_at",
]

Arm: TypeAlias = Literal["left", "right"]
DoorLabel: TypeAlias = Annotated[Literal["door", "door-handle"], Label()]
MaterialLabel: TypeAlias = Annotated[Literal["material"], Label()]
DoorState: TypeAlias = Literal["open", "ajar", "closed", "uncertain"]

ARMS: tuple[Arm, ...] = get_args(Arm)

CLOSED_RAD = 0.04
"""A door at this angle or below is closed: no gap is left [rad]."""
OPEN_RAD = 1.0
"""A door at this angle or above is open: its inside is in view and in reach [rad]."""


def state_at(angle_rad: float) -> Literal["open", "ajar", "closed"]:
    """Return the state of a door whose hinge stands at an angle [rad]."""
    if angle_rad <= CLOSED_RAD:
        return "closed"
    return "ajar" if angle_rad < OPEN_RAD else "open"


@runtime_checkable
class DoorRobot(Robot, Protocol):
    """Two arms on a fixed base, facing a door.

    A motion starts at once and ends by itself. If it misses its goal, `Motion.failure` has one of
    the codes ``UNREACHABLE``, ``STUCK``, ``MISSED``, ``SLIPPED``, ``NO_GRIP``,
    ``STOPPED``. Starting a motion of an arm stops that arm's earlier one. Arms of metal need a
    heartbeat of their driver: see `bt_exec.robot.Robot`.
    """

    def reach(self, arm: Arm, label: str) -> Motion:
        """Bring the open hand in front of what `label` names, a few centimetres away."""

    def close_gripper(self, arm: Arm, label: str) -> Motion:
        """Advance onto what `label` names, close the hand on it and lift it clear."""

    def open_gripper(self, arm: Arm) -> Motion:
        """Open the hand; what it held stays where it is put."""

    def pull_open(self, arm: Arm, label: str) -> Motion:
        """Open the door by its handle or, when it is ajar, by its edge; release it; draw back."""

    def push_shut(self, arm: Arm, label: str) -> Motion:
        """Push the door shut with the hand, or with what it holds; draw back."""

    def go_home(self) -> Motion:
        """Bring both arms to their rest posture, out of the camera's view."""

    def holding(self, arm: Arm) -> str | None:
        """Return the label of what the hand holds, by touch; None if it is empty."""

    def at_label(self, arm: Arm, label: str) -> bool:
        """Return whether the hand is in front of what `label` names, as `reach` leaves it."""

    def in_doorway(self, arm: Arm) -> bool:
        """Return whether any part of the arm is where the door swings, or behind it."""

    @property
    def door_angle_rad(self) -> float:
        """Reading of the hinge encoder [rad]."""

    @property
    def at_home(self) -> bool:
        """Whether both arms are at rest at home."""

    @property
    def doing(self) -> str:
        """The present phase of the motion in a word or two: "pulling"; empty at rest."""
