"""Shared state of a plan's nodes: clock, rigs, observations, saved results, listeners."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Mapping, MutableMapping
from typing import Any, ParamSpec, Protocol, TypeVar
from weakref import WeakValueDictionary

from bt_exec.events import Event
from bt_exec.failure import PartBroken
from bt_exec.nodes.fault_injection import Faults
from bt_exec.observation import ObservationBuffer, World
from bt_exec.pack import Catalogue
from bt_exec.rig import Rig, stop_all
from bt_exec.robot import RemoteSimulation
from bt_exec.skill import Signature
from bt_exec.spec.expand import is_reference, reference_name
from bt_exec.spec.text_template import fill_template, is_template

__all__ = ["Present", "Runtime", "Unwatched", "Watch"]

P = ParamSpec("P")
R = TypeVar("R")

_log = logging.getLogger("bt_exec")


class Present:
    """The call of pack code that a tick makes at present.

    One object serves all calls of a tick, so that watching a call costs two assignments. The
    watchdog reads it from its own thread.

    Attributes:
        part: Name of what is called; empty for code of ours, which is not watched.
        began: When the call began [s, of `clock`]; infinite while nothing is called.
        clock: The clock of the watchdog.
        limit_s: How long a call may take [s].
        again: Whether the part is waited for and may be called again: never.
        hangs: Whether the call took too long; set by the watchdog.
        hung: Name of the part that took too long; empty if none did.
        polls: How often the watchdog has found it hanging.
        slow: The last part that took longer than its limit, also if it was not interrupted.
    """

    __slots__ = ("began", "clock", "hangs", "hung", "limit_s", "part", "polls", "slow")
    again = False

    def __init__(self, limit_s: float, clock: Callable[[], float]) -> None:
        self.limit_s = limit_s
        self.clock = clock
        self.slow = ""
        self.reset()

    def reset(self) -> None:
        """Forget the call."""
        self.began = math.inf
        self.part = ""
        self.hangs = False
        self.hung = ""
        self.polls = 0

    def begin(self, part: str) -> None:
        """Begin a call."""
        self.began = self.clock()  # first, so that a name never stands beside an earlier time
        self.part = part

    def end(self) -> float:
        """End a call that returned or raised; return how long it took [s], 0 if it ended before.

        Raises:
            PartBroken: If it hung.
        """
        if self.began == math.inf:
            return 0.0
        took, self.began = self.clock() - self.began, math.inf
        if took > self.limit_s:
            self.slow = self.part
        if self.hangs:
            broken = self.broken()
            self.reset()
            raise broken
        return took

    @property
    def is_active(self) -> bool:
        """Whether pack code is being called."""
        return bool(self.part) and self.began < math.inf

    def is_late(self, now: float) -> bool:
        """Return True if the call takes too long; called by the watchdog's thread."""
        began, part = self.began, self.part
        if not part or now <= began + self.limit_s or self.began != began:
            return False
        self.hung = self.hung or part
        return True

    def broken(self) -> PartBroken:
        """Return the error of a call that hangs."""
        part = self.hung or self.part
        return PartBroken(part, f"did not return within {self.limit_s:g} s", "STEP_HUNG")


class Watch(Protocol):
    """Watchdog interface for calls of pack code: `bt_exec.mission.watchdog.Watchdog`."""

    limit_s: float  # how long a call may take [s]
    present: Present

    def call(self, part: str, function: Callable[P, R], /, *args: P.args, **more: P.kwargs) -> R:
        """Call `function` as the work of `part`; raises `PartBroken` if it hangs."""

    def within(
        self,
        limit_s: float,
        part: str,
        function: Callable[P, R],
        /,
        *args: P.args,
        **more: P.kwargs,
    ) -> R:
        """Do as `call`, with a limit of its own [s]."""


class Unwatched:
    """Calls, and watches nothing: for nodes outside a mission."""

    limit_s = 30.0

    def __init__(self) -> None:
        self.present = Present(self.limit_s, time.monotonic)

    def call(self, _: str, function: Callable[P, R], /, *args: P.args, **more: P.kwargs) -> R:
        """Call `function`."""
        return function(*args, **more)

    def within(
        self, _: float, __: str, function: Callable[P, R], /, *args: P.args, **more: P.kwargs
    ) -> R:
        """Call `function`."""
        return function(*args, **more)


class Runtime:
    """The surroundings of a plan while it is ticked.

    Args:
        catalogue: Skills and conditions of the site.
        rigs: Rigs by pack.
        buffers: Observations by pack.
        clock: Gives the mission's time [s].
        emit: Takes every event, at once.
        faults: Faults on purpose.
        cancel_s: How long a skill's clean-up may take before the robot itself is stopped [s].
        unrecorded: Says why the record cannot be written at the moment; empty if it can.
        watch: Watches the calls of somebody's code.

    Attributes:
        tick: The number of the present tick.
        moment: Changes with each tick of the frontier.
        in_tick: Whether the frontier ticks now, so that answers hold for the rest of its tick.
        answers: Answers to questions, shared by the nodes that ask them; see `bt_exec.nodes.ask`.
        results: What skills saved, by name.
        calls: How often each skill was started in this mission.
        acted: When an action ended last [s, mission clock].
        working: Pack and path of the skills that run.
        broken: A part that hung where the mission could not end at once.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        rigs: Mapping[str, Rig],
        buffers: Mapping[str, ObservationBuffer[Any]],
        clock: Callable[[], float],
        emit: Callable[[Event], None],
        faults: Faults | None = None,
        cancel_s: float = 1.0,
        unrecorded: Callable[[], str] | None = None,
        watch: Watch | None = None,
    ) -> None:
        self.catalogue = catalogue
        self.rigs = rigs
        self.buffers = buffers
        self.now = clock
        self.emit = emit
        self.faults = faults or Faults()
        self.cancel_s = cancel_s
        self.unrecorded = unrecorded or str  # nothing is wrong: an empty string
        self.tick = 0
        self.moment = 0
        self.in_tick = False
        self.answers: MutableMapping[Any, Any] = WeakValueDictionary()
        self.results: dict[str, Any] = {}
        self.calls: dict[str, int] = {}
        self.acted = float("-inf")
        self.watch: Watch = watch or Unwatched()
        self.working: set[tuple[str, str]] = set()
        self.broken: PartBroken | None = None

    def injected(self, part: Signature, since: float) -> dict[str, Any]:
        """Return what a skill or condition is given besides its arguments.

        Args:
            part: The skill or condition.
            since: When its node began [s]; what is observed later is fresh.
        """
        pack = self.catalogue.owner(part.name)
        rig = self.rigs.get(pack) or Rig()
        buffer = self.buffers.get(pack) or ObservationBuffer(self.now)
        return part.inject(rig.robot, World(buffer, since), rig.services)

    def may_move(self, pack: str) -> bool:
        """Return whether the robot of `pack` moves, or cannot say that it does not."""
        try:
            still = self.watch.call(f"still of the robot of {pack}", self.rigs[pack].still_now)
        except PartBroken as error:
            self.broken = error
            return True
        except Exception as error:  # noqa: BLE001 - a robot that cannot be asked may be moving
            _log.error("the robot of %s does not say whether it is still", pack, exc_info=error)
            return True
        return not still

    def stop(self, pack: str) -> None:
        """Stop the robot of `pack` before anything else is asked of it.

        A simulated robot stops when time passes; no time does now, so that the stop does not hit
        the motion that a next skill begins in this tick.
        """
        rig = self.rigs[pack]
        stop_all({pack: rig})
        try:
            if isinstance(rig.simulation, RemoteSimulation):
                rig.simulation.start_step(0.0).result(timeout=self.cancel_s)
            elif rig.simulation is not None:
                rig.simulation.step(0.0)
        except Exception as error:  # noqa: BLE001 - the clock tells that a simulation is lost
            _log.error("the simulation of %s did not carry out a stop", pack, exc_info=error)

    def resolve(self, args: Mapping[str, Any]) -> dict[str, Any]:
        """Return arguments with every ``$name`` replaced by the saved result."""
        return {name: self._value(value) for name, value in args.items()}

    def _value(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._value(item) for item in value]
        if is_template(value):
            return fill_template(value, self.results.__getitem__).removeprefix("$")
        if is_reference(value):
            return self.results[reference_name(value)]
        if isinstance(value, str) and value.startswith("$$"):
            return value[1:]
        return value
