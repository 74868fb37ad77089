"""What the executive asks of a body: stop, be still, and (in a simulation) let time pass.

A pack's own robot protocol extends `Robot` with the few methods its skills need. The executive
itself only ever stops a robot; everything that moves, moves because a skill asked.
"""

from __future__ import annotations

import _thread
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, runtime_checkable

if TYPE_CHECKING:
    from bt_exec.events import Listener
    from bt_exec.journal.record import MissionLine

__all__ = [
    "Motion",
    "Perception",
    "Rig",
    "Robot",
    "Scene",
    "Simulation",
    "stop_all",
    "stop_all_apart",
]

_log = logging.getLogger("bt_exec")
S_co = TypeVar("S_co", bound="Scene", covariant=True)


@runtime_checkable
class Robot(Protocol):
    """The least a robot must offer."""

    def stop(self) -> None:
        """Freeze every joint where it is, now. Safe from any thread; calling twice is harmless."""

    @property
    def still(self) -> bool:
        """Whether nothing is being moved at the moment."""


class Motion(Protocol):
    """A motion under way: started by the robot, watched and stopped by a skill."""

    @property
    def done(self) -> bool:
        """Whether the motion has ended, well or not."""

    @property
    def progress(self) -> float:
        """How much of it is behind us, 0..1."""

    @property
    def blocked(self) -> bool:
        """Whether it ended, or cannot go on, before reaching its goal."""

    @property
    def reason(self) -> str:
        """Why it is blocked, in a few words; empty otherwise."""

    def stop(self) -> None:
        """Stop within a tick; harmless when already done."""


class Simulation(Protocol):
    """A world whose time passes only when it is told to."""

    @property
    def time(self) -> float:
        """Simulated time [s]."""

    def step(self, seconds: float) -> None:
        """Advance the physics by `seconds`."""


class Scene(Protocol):
    """What was seen at one moment: a frozen value that packs define."""

    @property
    def t(self) -> float:
        """When the frame was taken, on the mission's clock [s]."""

    @property
    def frame(self) -> Any:
        """The picture, uint8 of shape (height, width, 3) RGB, or None."""

    def labels(self) -> tuple[str, ...]:
        """Return the labels of what is detected, each once."""

    def facts(self) -> Mapping[str, str]:
        """Return what this view establishes, for the dry run: ``{"door": "open"}``."""

    def describe(self, language: str) -> str:
        """Return one line for people: "door open 0.9 · handle yes"."""

    def record(self) -> dict[str, Any]:
        """Return plain data for the journal, without the frame."""


class Perception(Protocol[S_co]):
    """How a pack sees. Capturing is quick; interpreting runs on a worker, never inside a tick."""

    def capture(self) -> Any:
        """Take what is needed to see later; called on the loop's thread between two ticks."""

    def interpret(self, capture: Any) -> S_co:
        """Turn a capture into a scene; called on a worker thread."""


@dataclass(frozen=True)
class Rig:
    """A pack's body, ready to work: robot, eyes, and the simulation that carries them if any.

    Attributes:
        robot: What skills drive.
        perception: How it sees, or None for a blind robot.
        simulation: The world to advance between ticks, or None for a real robot.
        facts: Gives what the robot knows about itself, for the dry run; see `facts_now`.
        close: Called once when the rig is put away.
        listener: Told of every event of a mission, after it is on record, or None.
        recall: Given the missions of today, oldest first, before another begins.
        told: Gives what the robot told the operator in this mission; it opens the final message.
    """

    robot: Robot
    perception: Perception[Any] | None = None
    simulation: Simulation | None = None
    facts: Callable[[], Mapping[str, str]] | None = None
    close: Callable[[], None] | None = None
    listener: Listener | None = None
    recall: Callable[[Sequence[MissionLine]], None] | None = None
    told: Callable[[], str] | None = None

    def facts_now(self) -> dict[str, str]:
        """Return what the robot knows about itself: ``{"hand.left": "empty"}``."""
        return dict(self.facts()) if self.facts is not None else {}

    def shut(self) -> None:
        """Stop the robot and let go of what it holds open (sockets, renderers)."""
        try:
            self.robot.stop()
        finally:
            if self.close is not None:
                self.close()


def stop_all(rigs: Mapping[str, Rig]) -> None:
    """Stop every robot now; one that cannot be reached does not keep the others moving."""
    for name, rig in rigs.items():
        try:
            rig.robot.stop()
        except Exception as error:  # noqa: BLE001 - the next robot must be stopped all the same
            _log.error("the robot of %s could not be stopped", name, exc_info=error)


def stop_all_apart(rigs: Mapping[str, Rig]) -> None:
    """Stop every robot from a thread of its own: for signal handlers.

    A handler interrupts the main thread anywhere, perhaps where the robot's own code holds a lock
    that `stop` wants. `threading.Thread` takes such locks too, so the thread is a bare one.
    """
    _thread.start_new_thread(stop_all, (rigs,))
