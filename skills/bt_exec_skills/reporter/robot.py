"""Robot interface of the reporter pack.

A simulator and a real robot implement `ReporterRobot`; skills work with both. Places and people
are named by the ids of the site's map. Map, notebook, voice and vision model are services of the
pack, not parts of the robot.
"""

from __future__ import annotations

from typing import Annotated, Protocol, TypeAlias, runtime_checkable

from pydantic import StringConstraints

from bt_exec.robot import Motion, Robot
from bt_exec.skill import Said
from bt_exec_skills.navigation.geometry import Pose

__all__ = ["EMPTY", "Motion", "PersonName", "PlaceName", "ReporterRobot", "SaidWords", "Words"]

_Name = StringConstraints(pattern=r"^[^\W\d]\w*$", max_length=60)
PlaceName: TypeAlias = Annotated[str, _Name]
"""Id of a place of the site's map. A checker and the skills check that it exists."""
PersonName: TypeAlias = Annotated[str, _Name]
"""Id of a person of the site's map; checked likewise."""
Words: TypeAlias = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500)
]
"""Text of the user: a topic, a question, the name of an object."""
SaidWords: TypeAlias = Annotated[Words, Said()]
"""Spoken text: a question, a message, a report."""

EMPTY = "empty"


@runtime_checkable
class ReporterRobot(Robot, Protocol):
    """A base that drives, with a tray and a microphone.

    A motion starts at once and ends by itself; starting one stops the one before. If it misses its
    goal, `Motion.failure` has one of the codes ``UNREACHABLE``, ``BLOCKED_PATH``,
    ``NOTHING_TO_DELIVER``, ``NO_ANSWER``, ``REFUSED``, ``STOPPED``. A base on real wheels needs a
    heartbeat of its driver: see `bt_exec.robot.Robot`.
    """

    @property
    def pose(self) -> Pose:
        """Pose of the base, building frame."""

    @property
    def place(self) -> str | None:
        """The place of the map where it is; None between places."""

    @property
    def tray(self) -> str | None:
        """Name of the object on its tray, or None."""

    @property
    def doing(self) -> str:
        """The present phase of the motion in a word or two: "driving"; empty at rest."""

    def noise_db(self) -> float:
        """Return the sound level around it [dB]."""

    def goto(self, pose: Pose) -> Motion:
        """Drive to a pose, round what is in the way."""

    def turn(self, angle: float) -> Motion:
        """Turn on the spot by `angle` [rad], to the left if positive."""

    def load(self, item: str) -> Motion:
        """Wait with the tray held out until `item` lies on it."""

    def hand_over(self, person: str) -> Motion:
        """Hold the tray out to `person` until it is empty."""
