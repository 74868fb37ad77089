"""Robot interface of the door pack: all operations that its skills use.

A simulator and a real robot implement `DoorRobot`, so skills work with both. Labels name objects
("door-handle"); the robot locates them. Angles are in radians; the door's angle is 0 when closed
and increases as it opens.
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
    """Return the state of a door at a hinge angle [rad]."""
    if angle_rad <= CLOSED_RAD:
        return "closed"
    return "ajar" if angle_rad < OPEN_RAD else "open"


@runtime_checkable
class DoorRobot(Robot, Protocol):
    """Two arms on a fixed base, facing a door.

    A motion starts at once and ends by itself. If it misses its goal, `Motion.failure` has one of
    the codes ``UNREACHABLE``, ``STUCK``, ``MISSED``, ``SLIPPED``, ``NO_GRIP``, ``STOPPED``.
    Starting a motion of an arm stops that arm's earlier one. The driver of a real robot needs a
    heartbeat: see `bt_exec.robot.Robot`.
    """

    def reach(self, arm: Arm, label: str) -> Motion:
        """Bring the open hand in front of the object `label`, a few centimetres away."""

    def close_gripper(self, arm: Arm, label: str) -> Motion:
        """Advance onto the object `label`, close the hand on it and lift it clear."""

    def open_gripper(self, arm: Arm) -> Motion:
        """Open the hand; the released object stays in place if something supports it."""

    def pull_open(self, arm: Arm, label: str) -> Motion:
        """Open the door by its handle or, when it is ajar, by its edge; release it; draw back."""

    def push_shut(self, arm: Arm, label: str) -> Motion:
        """Push the door shut with the hand or the held object; draw back."""

    def go_home(self) -> Motion:
        """Bring both arms to their rest posture, out of the camera's view."""

    def return_arm(self, arm: Arm) -> Motion:
        """Bring one arm to its rest posture; the other one stays where it is."""

    def holding(self, arm: Arm) -> str | None:
        """Return the label of the held object, by touch; None if the hand is empty."""

    def at_label(self, arm: Arm, label: str) -> bool:
        """Return True if the hand is in front of the object `label`, as after `reach`."""

    def arm_at_home(self, arm: Arm) -> bool:
        """Return True if the arm is at rest in its home posture."""

    def in_doorway(self, arm: Arm) -> bool:
        """Return True if any part of the arm is in the swing area of the door, or behind it."""

    @property
    def door_angle_rad(self) -> float:
        """Reading of the hinge encoder [rad]."""

    @property
    def at_home(self) -> bool:
        """Whether both arms are at rest in their home posture."""

    @property
    def doing(self) -> str:
        """Phase of the motion in a word or two, such as "pulling"; empty at rest."""
