"""A session: a site's robots, ready for one command after another in the same world."""

from __future__ import annotations

import datetime as dt
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bt_exec.events import Listener
from bt_exec.failure import (
    BtExecError,
    UsageError,
    in_words,
)
from bt_exec.language.messages import language_of
from bt_exec.mission.clock import Clock
from bt_exec.mission.conversation import Conversation
from bt_exec.mission.executive import Executive
from bt_exec.mission.perception_loop import PerceptionWorker, known_facts
from bt_exec.mission.rigs import check_world, make_rig
from bt_exec.mission.robot_lock import RobotLock
from bt_exec.mission.watchdog import Watchdog
from bt_exec.nodes.fault_injection import Faults
from bt_exec.observation import ObservationBuffer
from bt_exec.outcome import Outcome
from bt_exec.planning.compiler import REPLIES, Compiler, Warming
from bt_exec.planning.confirmation import Confirm
from bt_exec.planning.fixed_plan import FixedPlan
from bt_exec.rig import Rig, stop_all_apart
from bt_exec.robot import Observation
from bt_exec.site.compile_command import make_compiler
from bt_exec.site.site import Site, load_site
from bt_exec.spec.model import MissionSpec

if TYPE_CHECKING:
    from bt_exec.journal import Booking, Journal, Recorder
    from bt_exec.journal.record import MissionLine
    from bt_exec.pack import Pack

__all__ = ["Session"]

_CLOSE_S = 10.0  # how long putting one part away, or a question outside a mission, may take [s]

_log = logging.getLogger("bt_exec")


class Session:
    """Rigs, perception, clock and compiler of a site. Use it as a context manager.

    Args:
        site: A loaded site, or its name or file; the default site if empty.
        world: ``{"door": "closed"}``; the packs say which keys they know.
        fast: Run the simulation as fast as it goes instead of in real time.
        faults: ``SKILL[:N]=CODE`` texts: which calls are made to fail.
        listeners: Who is told of every event.
        journal: Where missions are recorded, or None to keep no record.
        frames: Whether the journal keeps the pictures, too.
        compiler: Overrides the site's compiler by name.
        confirm: Asks a person whether a plan may run; None where nobody can be asked.
        languages: What commands will be in, as far as that is known: a compiler loads what it needs
            for them while the robots are made ready.

    Attributes:
        missions: How many were begun.
        conversation: What was said so far.

    Raises:
        BtExecError: If the site, the world or the faults are wrong; nothing was started.
    """

    def __init__(
        self,
        site: Site | str = "",
        *,
        world: Mapping[str, str] | None = None,
        fast: bool = False,
        faults: Iterable[str] = (),
        listeners: Sequence[Listener] = (),
        journal: Journal | None = None,
        frames: bool = False,
        compiler: str | None = None,
        confirm: Confirm | None = None,
        languages: Iterable[str] = (),
    ) -> None:
        self.site = load_site(site) if isinstance(site, str) else site
        self.world = dict(world or {})
        self.fast = fast
        self.listeners = list(listeners)
        self.journal = journal
        self.frames = frames
        self.faults = Faults.parse(faults, self.site.catalogue.skills)
        self.compiler = make_compiler(self.site, compiler)
        if isinstance(self.compiler, Warming):
            for language in languages:
                self.compiler.warm_up(language)
        check_world(self.site, self.world)
        self.confirm = confirm
        self.missions = 0
        self.conversation = Conversation(journal, self.site.name)
        self._running: Executive | None = None
        self._preparing = False
        self._asked = ""  # why to stop, if that was asked while a mission was being prepared
        self.rigs: dict[str, Rig] = {}
        self._locks: list[RobotLock] = []
        self.perception_workers: dict[str, PerceptionWorker] = {}
        self._open()

    def book(self, command: str) -> Booking:
        """Put a command on record that will be run later, with its name; from any thread.

        Raises:
            UsageError: If the session keeps no journal, or the journal cannot be written.
        """
        if self.journal is None:
            raise UsageError("this session keeps no journal, so nothing can be booked in it")
        return self.journal.book(**self._facts_of(command))

    def run(
        self, command: str, plan: MissionSpec | None = None, *, booking: Booking | None = None
    ) -> Outcome:
        """Run one command to its end in this session's world.

        Args:
            command: What the person typed.
            plan: The plan to run for it, instead of one of the compiler's.
            booking: Its line on record, if it was booked.

        Raises:
            UsageError: If the session is closed, or runs a mission.
        """
        if self._running is not None:
            raise UsageError("this session runs a mission already; wait for its end, or abort it")
        if not self.rigs and any(pack.robots for pack in self.site.catalogue.packs):
            raise UsageError("this session is closed; make another")
        self._preparing, self._asked = True, ""
        self.missions += 1
        try:
            outcome = self._recorded(command, plan, booking)
        finally:
            self._preparing = False
        self.conversation.heard(outcome)
        return outcome

    def _recorded(self, command: str, plan: MissionSpec | None, booking: Booking | None) -> Outcome:
        compiler = self.compiler if plan is None else FixedPlan(plan)
        language = plan.mission.language if plan is not None and not command else ""
        if self.journal is None:
            name = f"{dt.date.today():%Y-%m-%d}-{self.missions:04d}"
            return self._run(command, name, compiler, language=language)
        how: dict[str, Any] = {"frames": self.frames, "tell": _log.warning}
        if booking is None:
            recorder = self.journal.begin(**self._facts_of(command, language), **how)
        else:
            recorder = self.journal.record(booking, **how)
        with recorder:  # on record first, shown after
            outcome = self._run(command, recorder.mission_id, compiler, recorder, language=language)
        return replace(outcome, record_problem=recorder.incomplete)

    def _facts_of(self, command: str, language: str = "") -> dict[str, Any]:
        """Return what the record says of a mission from its first moment on."""
        return {
            "command": command,
            "language": language or language_of(command),
            "site": self.site.name,
            "settings": {
                "packs": self.site.settings(),
                "world": self.world,
                "fast": self.fast,
                "faults": self.faults.texts(),
            },
            "seeds": {key: int(value) for key, value in self.world.items() if key == "seed"},
        }

    def _today(self) -> Sequence[MissionLine]:
        """Return the finished missions of today at this site, oldest first."""
        if self.journal is None:
            return ()
        today = self.journal.missions(None, site=self.site.name, day=dt.date.today())
        ended = [line for line in reversed(today) if line.ended_at is not None]
        return [line for line in ended if line.reason_code not in REPLIES]

    def _run(
        self,
        command: str,
        mission_id: str,
        compiler: Compiler,
        recorder: Recorder | None = None,
        *,
        language: str = "",
    ) -> Outcome:
        executive = Executive(
            self.site,
            self.rigs,
            self.perception_workers,
            self.clock,
            compiler,
            recorder=recorder,
            listeners=self.listeners,
            faults=self.faults,
            mission_id=mission_id,
            journal=str(self.journal.path) if self.journal is not None else None,
            unrecorded=(lambda: recorder.problem) if recorder is not None else None,
            record=recorder.exchange if recorder is not None else None,
            today=self._today,
            confirm=self.confirm,
            context=self.conversation.context(),
        )
        self._running = executive
        if self._asked:
            executive.abort(self._asked)
        try:
            return executive.run(command, language)
        finally:
            self._running = None

    def abort(self, reason: str = "operator") -> bool:
        """Stop the running mission cleanly; a second call stops the robot at once.

        Safe from signal handlers. Returns whether there was a mission to stop.
        """
        running = self._running
        if running is None:
            stop_all_apart(self.rigs)
            self._asked = (reason or "operator") if self._preparing else ""
            return self._preparing
        running.abort(reason)
        return True

    def facts(self) -> dict[str, str]:
        """Return what robots know of themselves and what the newest observations establish.

        Raises:
            UsageError: If one of them cannot say it, or does not within a while.
        """
        with Watchdog(_CLOSE_S, lambda: stop_all_apart(self.rigs)) as watchdog:
            try:
                return watchdog.call("the facts", known_facts, self.rigs, self.perception_workers)
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                raise UsageError(f"what is known cannot be told: {in_words(error)}") from error

    def look(self) -> dict[str, Observation]:
        """Look once with every camera, outside a mission; return what is seen, by pack.

        Raises:
            UsageError: If a mission runs, or one of them cannot see, or does not within a while.
        """
        if self._running is not None:
            raise UsageError("this session runs a mission, which looks by itself")
        found: dict[str, Observation] = {}
        with Watchdog(_CLOSE_S, lambda: stop_all_apart(self.rigs)) as watchdog:
            for name, rig in self.rigs.items():
                if rig.perception is None:
                    continue
                see = rig.perception
                try:
                    capture = watchdog.call(f"the camera of {name}", see.capture)
                    found[name] = watchdog.call(f"the eyes of {name}", see.interpret, capture)
                except KeyboardInterrupt:
                    raise
                except BaseException as error:
                    raise UsageError(f"{name} does not see: {in_words(error)}") from error
        return found

    def reset(self, world: Mapping[str, str] | None = None) -> None:
        """Make the world anew: as at the start, or as `world` says.

        Raises:
            UsageError: If no such world can be made; the old one is there again.
        """
        before, wanted = self.world, self.world if world is None else dict(world)
        check_world(self.site, wanted)
        self.close()
        self.world = wanted
        self.conversation.forget()
        try:
            self._open()
        except BtExecError:
            self.world = before  # the old world can be made again: the session stays usable
            self._open()
            raise

    def close(self) -> None:
        """Stop the robots and put everything away; whoever cannot be put away is told of."""
        rigs, workers, locks = self.rigs, self.perception_workers, self._locks
        self.perception_workers, self.rigs, self._locks = {}, {}, []
        with Watchdog(_CLOSE_S, lambda: stop_all_apart(rigs)) as watchdog:
            for name, worker in reversed(workers.items()):
                _put_away(watchdog, f"the camera of {name}", worker.close)
            for name, rig in reversed(rigs.items()):
                _put_away(watchdog, f"the rig of {name}", rig.shut)
        for lock in locks:
            lock.release()

    def __enter__(self) -> Session:
        """Return itself."""
        return self

    def __exit__(self, *exc: object) -> None:
        """Close it."""
        self.close()

    def _open(self) -> None:
        try:
            self._make_rigs()
        except BaseException:  # a robot that is already up is not left behind
            self.close()
            raise

    def _lock(self, pack: Pack, rig: Rig) -> None:
        """Take a real robot for this session, or let go of it without touching it."""
        if rig.robot is None or rig.simulation is not None:
            return
        robot = self.site.packs[pack.name].robot or next(iter(pack.robots))
        try:
            self._locks.append(RobotLock(self.site.name, f"{pack.name}.{robot}"))
        except UsageError:
            if rig.close is not None:
                rig.close()  # no stop: who drives it goes on
            raise

    def _make_rigs(self) -> None:
        for pack in self.site.catalogue.packs:
            if pack.robots:
                rig = make_rig(pack, self.site.packs[pack.name], self.world)
                self._lock(pack, rig)
                self.rigs[pack.name] = rig
        rigs = self.rigs.values()
        simulations = [rig.simulation for rig in rigs if rig.simulation is not None]
        if self.fast and any(rig.robot is not None and rig.simulation is None for rig in rigs):
            raise UsageError("only simulated robots run faster than real time")
        period_s, step_s = 1 / self.site.rates.tick_hz, self.site.limits.step_s
        self.clock = Clock(simulations, period_s, fast=self.fast, step_s=step_s)
        for name, rig in self.rigs.items():
            if rig.perception is not None:
                buffer: ObservationBuffer[Any] = ObservationBuffer(self.clock.now)
                wait = rig.simulation is not None
                self.perception_workers[name] = PerceptionWorker(
                    name, rig.perception, buffer, self.site.rates, wait=wait
                )


def _put_away(watchdog: Watchdog, part: str, close: Callable[[], None]) -> None:
    """Close something of somebody's; the outcome is out, so whatever goes wrong is only told."""
    try:
        watchdog.call(part, close)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - the others are put away all the same
        _log.error("%s could not be put away: %s", part, in_words(error))
