"""Events of a mission as values, for the journal, the terminal and listeners.

Events are created by the tick loop and passed to listeners between ticks, in order. `SkillStarting`
is the exception: its listeners return before the skill is started, so that every motion is recorded
before it begins.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from bt_exec.failure import Failure, Problem, Refusal
from bt_exec.robot import Observation
from bt_exec.skill import Verdict
from bt_exec.spec.model import MissionSpec

if TYPE_CHECKING:
    from bt_exec.mission_outcome import Outcome

__all__ = [
    "Aborting",
    "Asked",
    "Event",
    "FactsKnown",
    "Finished",
    "Listener",
    "MissionStarted",
    "NodeChanged",
    "NodeState",
    "Observed",
    "PerceptionFailed",
    "Planned",
    "Planning",
    "Progress",
    "Refused",
    "Rejected",
    "SkillEnded",
    "SkillStarting",
    "Turn",
]

NodeState: TypeAlias = Literal["running", "done", "failed", "skipped", "kept", "stopped"]
"""State of a node as displayed. A node without an event has not been reached yet."""


@dataclass(frozen=True, slots=True)
class _At:
    t: float  # mission clock [s]
    tick: int


@dataclass(frozen=True, slots=True)
class MissionStarted(_At):
    """A mission started with a command."""

    mission_id: str
    command: str
    language: str
    site: str
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Observed(_At):
    """An observation arrived from the perception of `pack`."""

    pack: str
    observation: Observation


@dataclass(frozen=True, slots=True)
class PerceptionFailed(_At):
    """The perception of `pack` raised an exception instead of returning an observation."""

    pack: str
    message: str


@dataclass(frozen=True, slots=True)
class FactsKnown(_At):
    """Known facts at the start or the end of a mission.

    Attributes:
        moment: Whether the mission starts or ends.
        facts: The known facts: reports of robots, and facts of the newest observations.
        saved: The results that skills saved so far, by name.
    """

    moment: Literal["start", "end"]
    facts: Mapping[str, str]
    saved: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Planning(_At):
    """A plan was requested from a compiler: the first one, or another one after `failure`."""

    compiler: str
    failure: Failure | None = None


@dataclass(frozen=True, slots=True)
class Planned(_At):
    """A plan was verified and replaces the previous one; `spec` is expanded."""

    spec: MissionSpec
    calls: int
    usage: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Refused(_At):
    """The compiler refused to make a plan."""

    refusal: Refusal


@dataclass(frozen=True, slots=True)
class Rejected(_At):
    """A plan did not pass verification; nothing moved."""

    spec: MissionSpec | None
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class NodeChanged(_At):
    """A node has a new state. `detail` is a brief reason for a failure or skip.

    A node that is ``running`` and has a `failure` will be retried.
    """

    path: str
    state: NodeState
    detail: str = ""
    failure: Failure | None = None

    @property
    def will_retry(self) -> bool:
        """Whether an attempt failed and another attempt follows (``retry``)."""
        return self.state == "running" and self.failure is not None


@dataclass(frozen=True, slots=True)
class SkillStarting(_At):
    """A skill is about to run. The event is recorded before anything moves."""

    path: str
    skill: str
    args: Mapping[str, Any]
    call: int


@dataclass(frozen=True, slots=True)
class SkillEnded(_At):
    """A skill ended: with success, with a failure, or stopped (neither result nor failure).

    `held_s` is the duration of the longest step [s, wall] if it delayed the mission; otherwise 0.
    """

    path: str
    skill: str
    call: int
    state: Literal["done", "failed", "stopped"]
    seconds: float
    result: Mapping[str, Any] = field(default_factory=dict)
    failure: Failure | None = None
    held_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Progress(_At):
    """A running skill reports its progress. The journal keeps it at a bounded rate."""

    path: str
    progress: float | None
    doing: str


@dataclass(frozen=True, slots=True)
class Asked(_At):
    """A check, guard, skip condition or loop condition evaluated to a new verdict.

    The last field is True if the check answers a question of the operator.
    """

    path: str
    role: Literal["check", "while", "skip_if", "until"]
    question: str
    verdict: Verdict
    told: bool = False


@dataclass(frozen=True, slots=True)
class Turn(_At):
    """A turn report of a pack, made before each action and at the end: plain, serializable data."""

    report: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Aborting(_At):
    """The mission is being stopped, cleanly or by the `stop` method of the robots."""

    how: Literal["clean", "robot stop"]
    reason: str


@dataclass(frozen=True, slots=True)
class Finished(_At):
    """The mission ended."""

    outcome: Outcome


Event: TypeAlias = (
    MissionStarted
    | Observed
    | PerceptionFailed
    | FactsKnown
    | Planning
    | Planned
    | Refused
    | Rejected
    | NodeChanged
    | SkillStarting
    | SkillEnded
    | Progress
    | Asked
    | Turn
    | Aborting
    | Finished
)


class Listener(Protocol):
    """Receiver of events. An error in a listener never stops a mission; it is logged once."""

    def on(self, event: Event) -> None:
        """Handle `event`. Called on the loop's thread, so it must return quickly."""
