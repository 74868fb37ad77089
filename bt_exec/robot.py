"""Interfaces of robots, motions, simulations and perception.

A pack's own robot protocol extends `Robot` with the few methods its skills need. The executive
itself only stops robots; every motion is started by a skill.
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
    """Minimal interface of a robot.

    The executive cannot stop a robot after ``kill -9``, a crash of the interpreter or a power cut.
    A driver of a real robot therefore must send a heartbeat: the controller stops the robot if it
    receives none for a few tenths of a second. A heartbeat from a thread of the driver only shows
    that the process is alive; a heartbeat from each step of a skill also shows that the mission
    runs.
    """

    def stop(self) -> None:
        """Freeze every joint in place at once. Safe from any thread; repeated calls are harmless.

        It returns within a second. Motions that it ends fail with ``STOPPED``. If a skill raises
        that failure, the mission ends and does not resume by itself.
        """

    @property
    def still(self) -> bool:
        """Whether the robot is at rest. The value must be True or False and be returned quickly.

        It is read after every stop. If it is False or reading it raises, the mission fails with
        ``STOP_FAILED``, and the operator is asked to use the emergency stop.
        """


class Motion(Protocol):
    """Motion in progress: started by the robot, monitored and stopped by a skill."""

    @property
    def done(self) -> bool:
        """Whether the motion has ended, successfully or not."""

    @property
    def progress(self) -> float:
        """Fraction of the motion that is done, 0..1."""

    @property
    def failure(self) -> Failed | None:
        """Reason why the motion ended or stopped before its goal; None otherwise."""

    def stop(self) -> None:
        """Stop within a tick; no effect if the motion has ended."""


class Simulation(Protocol):
    """A simulation whose time advances only on request."""

    @property
    def time(self) -> float:
        """Simulated time [s]."""

    def step(self, seconds: float) -> None:
        """Advance the physics by `seconds`; 0 only executes a pending stop."""


@runtime_checkable
class RemoteSimulation(Protocol):
    """A simulation in another process or on another machine, advanced on request (lockstep).

    A remote world that cannot be advanced on request does not implement this: its rig has no
    simulation, and its missions run in real time.
    """

    @property
    def time(self) -> float:
        """Simulated time [s] as of the last step that ended."""

    def start_step(self, seconds: float) -> Future[None]:
        """Start advancing the world by `seconds`; return at once.

        The future completes when the world has advanced and `time` is updated, and raises errors of
        the step. A step of 0 only executes a pending stop.
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
        """Return the distinct labels of the detected objects."""

    def facts(self) -> Mapping[str, str]:
        """Return the facts that the observation establishes, such as ``{"door": "open"}``."""

    def describe(self, language: str) -> str:
        """Return a summary in one line: "door open 0.9 · handle yes"."""

    def record(self) -> dict[str, Any]:
        """Return plain data for the journal, without the frame."""


class Perception(Protocol[S_co]):
    """Perception of a pack. Capture must be quick; interpretation runs on a worker thread.

    The optional method ``set_clock(now)`` receives a function that returns the time on the
    mission's clock [s], before the first capture. The camera of a real robot needs it for
    `Observation.t`.
    """

    def capture(self) -> Any:
        """Grab the raw data for an observation; called on the loop's thread between two ticks."""

    def interpret(self, capture: Any) -> S_co:
        """Turn a capture into an observation; called on a worker thread."""
