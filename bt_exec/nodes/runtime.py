"""What the nodes of one plan share: clock, rigs, observations, saved results, event listeners."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any, ParamSpec, Protocol, TypeVar

from bt_exec.events import Event
from bt_exec.failure import PartBroken
from bt_exec.nodes.fault_injection import Faults
from bt_exec.observation import ObservationBuffer, World
from bt_exec.pack import Catalogue
from bt_exec.rig import Rig, stop_all
from bt_exec.robot import RemoteSimulation
from bt_exec.skill import Signature
from bt_exec.spec.expand import is_reference, reference_name

__all__ = ["Runtime", "Unwatched", "Watch"]

P = ParamSpec("P")
R = TypeVar("R")

_log = logging.getLogger("bt_exec")


class Watch(Protocol):
    """Who watches the calls of somebody's code: `bt_exec.mission.watchdog.Watchdog`."""

    limit_s: float  # how long a call may take [s]

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
        faults: Which calls of skills are made to fail.
        cancel_s: How long a skill's clean-up may take before the robot itself is stopped [s].
        unrecorded: Says why the record cannot be written at the moment; empty if it can.
        watch: Watches the calls of somebody's code.

    Attributes:
        tick: The number of the present tick.
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
        if is_reference(value):
            return self.results[reference_name(value)]
        if isinstance(value, str) and value.startswith("$$"):
            return value[1:]
        return value
