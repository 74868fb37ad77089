"""Robot interface: stop, stand still, and (in a simulation) advance time.

A pack's own robot protocol extends `Robot` with the few methods its skills need. The executive
itself only ever stops a robot; everything that moves, moves because a skill asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future
from typing import Any, Protocol, TypeVar, runtime_checkable

from bt_exec.failure import Failed

__all__ = ["Motion", "Observation", "Perception", "RemoteSimulation", "Robot", "Simulation"]

S_co = TypeVar("S_co", bound="Observation", covariant=True)


@runtime_checkable
class Robot(Protocol):
    """The least a robot must offer.

    The executive stops a robot whenever it can. It cannot after ``kill -9``, a crash of the
    interpreter or a power cut. So a driver of a real robot keeps a heartbeat: the controller stops
    by itself when it has heard nothing for a few tenths of a second. A beat comes from a thread of
    the driver and proves only that the process lives; one that each call of a skill's step renews
    proves that the mission does, too.
    """

    def stop(self) -> None:
        """Freeze every joint where it is, now. Safe from any thread; calling twice is harmless.

        It returns within a second. Motions that it ends fail with ``STOPPED``: a skill that passes
        that on ends the mission, and nothing resumes by itself.
        """

    @property
    def still(self) -> bool:
        """Whether nothing is being moved at the moment: True or False, nothing else, and quickly.

        It is read after every stop. A robot that is not still then, or raises, fails the mission
        with ``STOP_FAILED``, and people are told to use the emergency stop.
        """


class Motion(Protocol):
    """A motion under way: started by the robot, watched and stopped by a skill."""

    @property
    def done(self) -> bool:
        """Whether the motion has ended, well or not."""

    @property
    def progress(self) -> float:
        """Completed share, 0..1."""

    @property
    def failure(self) -> Failed | None:
        """Reason why the motion ended or stopped before its goal; None otherwise."""

    def stop(self) -> None:
        """Stop within a tick; harmless when already done."""


class Simulation(Protocol):
    """A world whose time passes only when it is told to."""

    @property
    def time(self) -> float:
        """Simulated time [s]."""

    def step(self, seconds: float) -> None:
        """Advance the physics by `seconds`; 0 only carries out a stop that was asked for."""


@runtime_checkable
class RemoteSimulation(Protocol):
    """A simulation in another process or on another machine, advanced on request (lockstep).

    A remote world that cannot be advanced on request is no simulation to us: its rig has none, and
    its missions run in real time.
    """

    @property
    def time(self) -> float:
        """Simulated time [s] as of the last step that ended."""

    def start_step(self, seconds: float) -> Future[None]:
        """Ask the world to advance by `seconds`; returns at once.

        The future ends when the world has advanced and `time` says so; it raises what went wrong.
        A step of 0 only carries out a stop that was asked for.
        """


class Observation(Protocol):
    """Observation at one moment: a frozen value that packs define."""

    @property
    def t(self) -> float:
        """Capture time of the frame on the mission's clock [s]."""

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
    """Perception of a pack. Capture is quick; interpretation runs on a worker, never in a tick."""

    def capture(self) -> Any:
        """Take what is needed to see later; called on the loop's thread between two ticks."""

    def interpret(self, capture: Any) -> S_co:
        """Turn a capture into an observation; called on a worker thread."""
