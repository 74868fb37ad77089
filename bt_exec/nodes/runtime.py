"""Shared state of a plan's nodes: clock, rigs, observations, saved results, listeners."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Mapping, MutableMapping
from functools import partial
from typing import Any, ParamSpec, Protocol, TypeVar
from weakref import WeakValueDictionary

from bt_exec.events import Event
from bt_exec.failure import PartBroken
from bt_exec.language.messages import OWN_MESSAGES, Messages, load_messages
from bt_exec.nodes.fault_injection import Faults
from bt_exec.observation import ObservationBuffer, World
from bt_exec.pack import Catalogue
from bt_exec.rig import Rig, checked_facts, stop_all
from bt_exec.robot import Observation, RemoteSimulation
from bt_exec.skill import Signature
from bt_exec.spec.expand import is_reference, reference_name
from bt_exec.spec.text_template import fill_template, is_template

__all__ = ["CurrentCall", "Runtime", "Unwatched", "Watch", "known_facts"]

P = ParamSpec("P")
R = TypeVar("R")

_log = logging.getLogger("bt_exec")


class CurrentCall:
    """The current call of pack code in a tick.

    One object serves all calls of a tick, so that watching a call costs two assignments. The
    watchdog reads it from its own thread.

    Attributes:
        part: Name of the called part; empty for our own code, which is not watched.
        began: Start of the call [s, on `clock`]; infinite if there is none.
        clock: The clock of the watchdog.
        limit_s: Time limit of a call [s].
        again: Whether a hung part may be called again; always False.
        hangs: Whether the call exceeded its limit; set by the watchdog.
        hung: Name of the part that exceeded its limit; empty if none did.
        polls: Number of times that the watchdog found the call hanging.
        slow: The last part that exceeded its limit, even if it was not interrupted.
    """

    __slots__ = ("began", "clock", "hangs", "hung", "limit_s", "part", "polls", "slow")
    again = False

    def __init__(self, limit_s: float, clock: Callable[[], float]) -> None:
        self.limit_s = limit_s
        self.clock = clock
        self.slow = ""
        self.reset()

    def reset(self) -> None:
        """End the current call without an error, and clear the results of the watchdog."""
        self.began = math.inf
        self.part = ""
        self.hangs = False
        self.hung = ""
        self.polls = 0

    def begin(self, part: str) -> None:
        """Begin a call."""
        self.began = self.clock()  # before `part`, so that no part is read with an earlier start
        self.part = part

    def end(self) -> float:
        """End a call; return its duration [s], or 0 if it has already ended.

        Raises:
            PartBroken: If it hung.
        """
        if self.began == math.inf:
            return 0.0
        took, self.began = self.clock() - self.began, math.inf
        if took > self.limit_s:
            self.slow = self.part
        if self.hangs:
            broken = self.hang_error()
            self.reset()
            raise broken
        return took

    @property
    def is_active(self) -> bool:
        """Whether pack code is being called."""
        return bool(self.part) and self.began < math.inf

    def is_late(self, now: float) -> bool:
        """Return True if the call exceeds its limit; called on the watchdog's thread."""
        began, part = self.began, self.part
        if not part or now <= began + self.limit_s or self.began != began:
            return False
        self.hung = self.hung or part
        return True

    def hang_error(self) -> PartBroken:
        """Return the error for a call that hangs."""
        part = self.hung or self.part
        return PartBroken(part, f"did not return within {self.limit_s:g} s", "STEP_HUNG")


class Watch(Protocol):
    """Interface for monitored calls of pack code; see `bt_exec.mission.watchdog.Watchdog`."""

    limit_s: float  # time limit of a call [s]
    present: CurrentCall

    def call(self, part: str, function: Callable[P, R], /, *args: P.args, **more: P.kwargs) -> R:
        """Call `function` on behalf of `part`; raises `PartBroken` if it hangs."""

    def call_within(
        self,
        limit_s: float,
        part: str,
        function: Callable[P, R],
        /,
        *args: P.args,
        **more: P.kwargs,
    ) -> R:
        """Like `call`, with a separate time limit [s]."""


class Unwatched:
    """`Watch` that does not monitor the calls, for nodes outside a mission."""

    limit_s = 30.0

    def __init__(self) -> None:
        self.present = CurrentCall(self.limit_s, time.monotonic)

    def call(self, _: str, function: Callable[P, R], /, *args: P.args, **more: P.kwargs) -> R:
        """Call `function`."""
        return function(*args, **more)

    def call_within(
        self, _: float, __: str, function: Callable[P, R], /, *args: P.args, **more: P.kwargs
    ) -> R:
        """Call `function`."""
        return function(*args, **more)


class Runtime:
    """Shared state of a plan while it is ticked.

    Args:
        catalogue: Skills and conditions of the site.
        rigs: Rigs by pack.
        buffers: Observations by pack.
        clock: Returns the mission's time [s].
        emit: Receives every event immediately.
        faults: Injected faults.
        cancel_s: Time limit of a skill's clean-up before the robot itself is stopped [s].
        unrecorded: Returns why the journal cannot be written at present; empty if it can.
        watch: Monitors calls of pack code.
        messages: Sentences of the site.

    Attributes:
        language: Language of the command.
        tick: Number of the current tick.
        moment: Number that changes with each tick of the frontier, to identify the tick.
        in_tick: Whether the frontier is ticking. Shared verdicts are reused only then.
        answers: Verdicts shared by the nodes that evaluate them; see
            `bt_exec.nodes.condition_evaluation`.
        results: Saved results of skills, by name.
        calls: Number of starts of each skill in this mission.
        acted: Time at which the last action ended [s, mission clock].
        working: Pack and path of each running skill.
        broken: Error of a part that hung while the mission could not end immediately; it is raised
            later. None if there is none.
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
        messages: Messages | None = None,
    ) -> None:
        self.language = "en"
        self._messages = messages
        self.catalogue = catalogue
        self.rigs = rigs
        self.buffers = buffers
        self.now = clock
        self.emit = emit
        self.faults = faults or Faults()
        self.cancel_s = cancel_s
        self.unrecorded = unrecorded or str  # `str()` returns the empty string
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

    def sentence(self, code: str, part: str, args: Mapping[str, Any], seconds: float) -> str:
        """Return a sentence about a skill in the language of the command.

        Args:
            code: The code of the sentence.
            part: Name of the skill.
            args: Arguments of the skill.
            seconds: Duration that the sentence mentions [s].
        """
        messages = self._messages or load_messages(OWN_MESSAGES)
        step = messages.phrase(part, self.language, args)
        return messages.say(code, self.language, step=step, seconds=f"{seconds:.1f}")

    def injected_parameters(self, part: Signature, since: float) -> dict[str, Any]:
        """Return the injected parameters of a skill or condition.

        Args:
            part: The skill or condition.
            since: Start of its node [s]; later observations are fresh.
        """
        pack = self.catalogue.owner(part.name)
        rig = self.rigs.get(pack) or Rig()
        buffer = self.buffers.get(pack) or ObservationBuffer(self.now)
        return part.injected_arguments(rig.robot, World(buffer, since), rig.services)

    def may_be_moving(self, pack: str) -> bool:
        """Return True unless the robot of `pack` reports that it is at rest."""
        try:
            still = self.watch.call(f"still of the robot of {pack}", self.rigs[pack].is_still)
        except PartBroken as error:
            self.broken = error
            return True
        except Exception as error:  # noqa: BLE001 - a robot that cannot be asked may be moving
            _log.error("the robot of %s did not report whether it is still", pack, exc_info=error)
            return True
        return not still

    def stop_robot(self, pack: str) -> None:
        """Stop the robot of `pack` at once.

        A simulated robot stops when time advances. A step of zero length executes the stop now, so
        that it does not affect a motion that another skill starts in this tick.
        """
        rig = self.rigs[pack]
        stop_all({pack: rig})
        try:
            if isinstance(rig.simulation, RemoteSimulation):
                rig.simulation.start_step(0.0).result(timeout=self.cancel_s)
            elif rig.simulation is not None:
                rig.simulation.step(0.0)
        except Exception as error:  # noqa: BLE001 - the clock reports the loss of the simulation
            _log.error("the simulation of %s did not carry out a stop", pack, exc_info=error)

    def resolve_references(self, args: Mapping[str, Any]) -> dict[str, Any]:
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


def known_facts(
    catalogue: Catalogue,
    rigs: Mapping[str, Rig],
    buffers: Mapping[str, ObservationBuffer[Any]],
    ask: Callable[[str, Callable[[], dict[str, str]]], dict[str, str]] = lambda _, facts: facts(),
    since: float = -math.inf,
) -> dict[str, str]:
    """Return the facts reported by robots, then those established by the newest observations.

    Args:
        catalogue: Catalogue of the site, for the names of facts.
        rigs: The rigs, by pack.
        buffers: Observations by pack.
        ask: Calls a function on behalf of a named part.
        since: Earlier observations are ignored [s].
    """
    facts: dict[str, str] = {}
    for pack, rig in rigs.items():
        facts.update(catalogue.facts_on_site(pack, ask(f"the facts of {pack}", rig.robot_facts)))
    for pack, buffer in buffers.items():
        for newest in tuple(buffer.observations)[-1:]:
            if newest.t >= since:
                seen = ask(f"the observation of {pack}", partial(_facts_of, newest))
                facts.update(catalogue.facts_on_site(pack, seen))
    return facts


def _facts_of(observation: Observation) -> dict[str, str]:
    return checked_facts(observation.facts())
