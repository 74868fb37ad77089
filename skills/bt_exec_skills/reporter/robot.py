"""Robot interface of the reporter pack.

A simulator and a real robot implement `ReporterRobot`; skills work with both. Places and people
are named by the ids of the site's map. Map, notebook, voice and vision model are services of the
pack, not parts of the robot.
"""

from __future__ import annotations

from typing import Annotated, Protocol, TypeAlias, runtime_checkable

from pydantic import Field, StringConstraints

from bt_exec.robot import Motion, Robot
from bt_exec.skill import Said
from bt_exec_skills.navigation.plane_geometry import Pose

__all__ = [
    "EMPTY",
    "Count",
    "Motion",
    "PersonName",
    "PlaceName",
    "ReporterRobot",
    "SaidWords",
    "Words",
]

_Name = StringConstraints(pattern=r"^[^\W\d]\w*$", max_length=60)
PlaceName: TypeAlias = Annotated[str, _Name]
"""Id of a place on the site's map. A checker and the skills check that the place exists."""
PersonName: TypeAlias = Annotated[str, _Name]
"""Id of a person on the site's map. A checker and the skills check that the person exists."""
Words: TypeAlias = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500)
]
"""Free text from the command, such as a topic, a question or the name of an object."""
SaidWords: TypeAlias = Annotated[Words, Said()]
"""Text that the robot speaks, such as a question, a message or a report."""

Count: TypeAlias = Annotated[int, Field(ge=0, le=99)]
"""Number of people."""

EMPTY = "empty"


@runtime_checkable
class ReporterRobot(Robot, Protocol):
    """Mobile base with a tray and a microphone.

    A motion starts at once and ends by itself. Starting one stops the previous one. If a motion
    misses its goal, `Motion.failure` has one of the codes ``UNREACHABLE``, ``BLOCKED_PATH``,
    ``NOTHING_TO_DELIVER``, ``NO_ANSWER``, ``REFUSED``, ``STOPPED``. The driver of a real robot
    needs a heartbeat: see `bt_exec.robot.Robot`.
    """

    @property
    def pose(self) -> Pose:
        """Pose of the base, building frame."""

    @property
    def place(self) -> str | None:
        """Id of the place of the map at which the base is; None between places."""

    @property
    def tray(self) -> str | None:
        """Name of the object on the tray, or None."""

    @property
    def doing(self) -> str:
        """Phase of the motion in a word or two, such as "driving"; empty at rest."""

    def noise_db(self) -> float:
        """Return the ambient sound level [dB]."""

    def goto(self, pose: Pose) -> Motion:
        """Drive to a pose, around obstacles."""

    def turn(self, angle: float) -> Motion:
        """Turn on the spot by `angle` [rad], positive to the left."""

    def load(self, item: str) -> Motion:
        """Wait until a person at the place of the robot has put `item` on the tray."""

    def hand_over(self, person: str) -> Motion:
        """Extend the tray to `person`, until it is empty; `person` may be a place with persons."""
