"""Reports of a pack: turn reports, and the robot's messages to the operator.

The executive's outcome is independent of domains. A pack may provide a `MissionReporter`; an
instance is created for each mission, with the services of the pack's rig.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Protocol

from bt_exec.events import Event
from bt_exec.failure import Failure
from bt_exec.mission_outcome import MissionStatus
from bt_exec.rig import PackSettings
from bt_exec.skill import Verdict
from bt_exec.spec.model import MissionSpec

__all__ = ["Action", "EarlierMission", "FinishedStep", "MissionReporter", "MissionView", "Skip"]


@dataclass(frozen=True, slots=True)
class Action:
    """A skill with its arguments."""

    name: str
    args: Mapping[str, Any]
    path: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return ``{"name": …, "args": {…}}``."""
        return {"name": self.name, "args": dict(self.args)}


@dataclass(frozen=True, slots=True)
class Skip:
    """A skipped action with the reason; `t` is the time of the skip [s, mission clock]."""

    name: str
    reason: str
    path: str = ""
    t: float = field(default=0.0, compare=False)


@dataclass(frozen=True)
class MissionView:
    """Data for a turn reporter.

    Attributes:
        command: The command as typed.
        language: ``en`` or ``ko``.
        spec: The plan in force, expanded.
        observation: The newest observation of the pack, or None.
        next_action: The skill about to start, or None at the end or during perception.
        remaining: Remaining actions in order, the next one first; without skipped and kept ones.
        done: Finished actions, in order.
        skipped: Skipped actions, in order.
        verdicts: The last verdict of every evaluated condition, by the condition's text.
        status: Status of the mission.
        reason_code: ``OK`` while it runs; the outcome's code at the end.
        message: One sentence about the status.
        failure: The failure that ended it, if any.
        settings: The pack's settings of the site.
    """

    command: str
    language: str
    spec: MissionSpec
    observation: Any
    next_action: Action | None
    remaining: tuple[Action, ...]
    done: tuple[Action, ...]
    skipped: tuple[Skip, ...]
    verdicts: Mapping[str, Verdict]
    status: Literal["in_progress"] | MissionStatus
    reason_code: str
    message: str
    failure: Failure | None = None
    settings: Any = field(default_factory=PackSettings)


class EarlierMission(Protocol):
    """A recorded mission that has ended or was interrupted."""

    @property
    def command(self) -> str:
        """The command as typed."""

    @property
    def status(self) -> str:
        """Final status, or ``interrupted``."""

    @property
    def message(self) -> str:
        """Summary for the operator."""

    @property
    def started_at(self) -> datetime:
        """Start, in local time."""


class FinishedStep(Protocol):
    """Finished step of a mission: its skill, arguments and result.

    `MissionReporter.load_finished_steps` receives such steps.
    """

    @property
    def skill(self) -> str:
        """Name of the skill."""

    @property
    def args(self) -> Mapping[str, Any]:
        """Arguments with which the skill was called."""

    @property
    def skipped(self) -> str:
        """Reason for skipping the step; empty if it was not skipped."""

    @property
    def result(self) -> Mapping[str, Any]:
        """Fields of the result."""

    @property
    def t(self) -> float:
        """Time of the end [s, mission clock]."""


class MissionReporter:
    """Reporter of one mission for a pack; by default, every method does nothing.

    Args:
        services: The services of the pack's rig, by name.
    """

    def __init__(self, services: Mapping[str, Any]) -> None:
        self.services = services

    def load_earlier_missions(self, today: Callable[[], Sequence[EarlierMission]]) -> None:
        """Load earlier missions; called before the mission begins.

        Args:
            today: Function that reads today's finished missions from the journal, oldest first.
        """

    def load_finished_steps(self, done: Sequence[FinishedStep]) -> None:
        """Load the finished steps of the mission that this one continues; called after its start.

        Args:
            done: Steps of the pack's skills, in the order of the plan, with times on the clock of
                this mission.
        """

    def on(self, event: Event) -> None:
        """Handle `event` after it has been recorded; called on the thread of the tick loop."""

    def turn_report(self, view: MissionView) -> Mapping[str, Any] | None:
        """Return the report of this turn, before an action and at the end; None for no report."""
        del view
        return None

    def operator_messages(self) -> str:
        """Return the robot's messages to the operator, which begin the final message."""
        return ""

    def achieved(self, done: Sequence[Action]) -> bool:
        """Return True if any requested action is done; called if the mission is incomplete.

        Args:
            done: Actions of the pack's skills, in order, except actions that only prepared a part
                that was not done. A mission in which the robot only returns home and reports a
                failure has achieved nothing.
        """
        return bool(done)
