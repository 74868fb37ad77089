"""Robots of a site in one world: opened together, guarded, observed and closed together.

The life cycle of the robots between missions is in `bt_exec.mission.robot_life_cycle`.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import logging
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal

from bt_exec.failure import UsageError, describe_exception
from bt_exec.guardian.client import Guardian, take_report
from bt_exec.mission.clock import Clock
from bt_exec.mission.perception_worker import PerceptionWorker
from bt_exec.mission.rig_construction import make_rig, robot_identity
from bt_exec.mission.robot_life_cycle import LifeCycle
from bt_exec.mission.robot_lock import RobotLock, report_file
from bt_exec.mission.watchdog import Watchdog
from bt_exec.nodes.runtime import Unwatched, Watch, known_facts
from bt_exec.observation import ObservationBuffer
from bt_exec.rig import Rig, stop_all_in_background
from bt_exec.robot import Observation
from bt_exec.site.site import Site

if TYPE_CHECKING:
    from bt_exec.pack import Pack

__all__ = ["GUARDIAN_STOPPED", "MOVED_WHILE_IDLE", "SiteRobots"]

MOVED_WHILE_IDLE, GUARDIAN_STOPPED = "MOVED_WHILE_IDLE", "GUARDIAN_STOPPED"
"""Codes of events that do not belong to a mission."""

_BEATS = 3  # minimum number of heartbeats within the limit of a guard
_CLOSE_S = 10.0  # time limit for closing a robot, or for a query outside a mission [s]

_log = logging.getLogger("bt_exec")


class SiteRobots:
    """The rigs of a site with their cameras, clock, locks and guardian; opened at most once.

    Args:
        site: The site.
        world: Initial state of the simulated worlds.
        fast: Whether simulations run as fast as possible instead of in real time.
        guard: Whether a guardian is started even if everything is simulated.
        report: Records an event outside a mission, with its code and a description.
        runaway: Called on another thread if a motion outside a mission cannot be stopped, with the
            description. The program should exit then.

    Attributes:
        state: Whether the robots are not open yet, open, or closed.
        rigs: The rigs by pack.
        perception_workers: Perception workers, by pack.
        clock: The mission clock.
        life: The life cycle of the robots.
        guardian: The process that stops the robots if this one cannot, or None.
    """

    def __init__(
        self,
        site: Site,
        world: Mapping[str, str],
        *,
        fast: bool,
        guard: bool,
        report: Callable[[str, str], None],
        runaway: Callable[[str], None],
    ) -> None:
        self._site = site
        self._world = world
        self._fast = fast
        self._guard = guard
        self._report = report
        self._runaway = runaway
        self._locks: list[RobotLock] = []
        self.state: Literal["deferred", "open", "closed"] = "deferred"
        self.rigs: dict[str, Rig] = {}
        self.perception_workers: dict[str, PerceptionWorker] = {}
        self.clock = Clock([_NoWorld()], 1 / site.rates.tick_hz, step_s=site.limits.step_s)
        self.life = LifeCycle({}, [], self._report_motion)
        self.guardian: Guardian | None = None

    def open(self) -> None:
        """Open the robots.

        Raises:
            BtExecError: If one of them is unavailable; those already open are closed again.
        """
        try:
            self._make_rigs()
            self.life = LifeCycle(
                self.rigs, self._locks, self._report_motion, self._report_unstoppable_motion
            )
            self.start_guardian()
        except BaseException:
            self.close()
            raise
        self.state = "open"

    def close(self) -> None:
        """Stop the robots and close everything; errors of parts are logged."""
        rigs, workers, locks = self.rigs, self.perception_workers, self._locks
        self.perception_workers, self.rigs, self._locks = {}, {}, []
        self.state = "closed"
        self.life.detach()
        with self.life.paused_monitor(), _watchdog_outside_mission(rigs) as watchdog:
            for name, worker in reversed(workers.items()):
                _close_and_log(watchdog, f"the camera of {name}", worker.close)
            for name, rig in reversed(rigs.items()):
                _close_and_log(watchdog, f"the rig of {name}", rig.stop_and_close)
        if self.guardian is not None:
            self.guardian.release()
            self.guardian = None
        for lock in locks:
            lock.release()

    def facts(self) -> dict[str, str]:
        """Return the facts reported by robots and established by the newest observations.

        Raises:
            UsageError: If one of them fails, or does not answer in time.
        """
        with self.life.paused_monitor(), _watchdog_outside_mission(self.rigs) as watchdog:
            try:
                return watchdog.call(
                    "the facts",
                    known_facts,
                    self._site.catalogue,
                    self.rigs,
                    {name: one.buffer for name, one in self.perception_workers.items()},
                )
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                raise UsageError(
                    f"cannot read the known facts: {describe_exception(error)}"
                ) from error

    def observe(self) -> dict[str, Observation]:
        """Make one observation with every camera, outside a mission; return them by pack.

        Raises:
            UsageError: If a camera fails or does not answer in time.
        """
        found: dict[str, Observation] = {}
        with self.life.paused_monitor(), _watchdog_outside_mission(self.rigs) as watchdog:
            for name, rig in self.rigs.items():
                if rig.perception is None:
                    continue
                see = rig.perception
                try:
                    capture = watchdog.call(f"the camera of {name}", see.capture)
                    found[name] = watchdog.call(f"the perception of {name}", see.interpret, capture)
                except KeyboardInterrupt:
                    raise
                except BaseException as error:
                    raise UsageError(
                        f"{name} failed to observe: {describe_exception(error)}"
                    ) from error
        return found

    def describe_last_observations(self, language: str) -> str:
        """Return the last observation of each camera as one line; empty if there is none."""
        seen = (
            self._site.messages.sentence_for_robot(
                robot, worker.buffer.observations[-1].describe(language), language
            )
            for robot, worker in self.perception_workers.items()
            if worker.buffer.observations
        )
        return " · ".join(filter(None, seen))

    def start_guardian(self) -> None:
        """Start the guardian of the robots, and read the report of an earlier guardian.

        Raises:
            UsageError: If a guardian is required and the site or the rigs do not allow one.
        """
        driven = {name: rig for name, rig in self.rigs.items() if rig.robot is not None}
        robots = ", ".join(lock.identity for lock in self._locks) or ", ".join(driven)
        report = report_file(robots)
        found = take_report(report)
        if found is not None:
            did = "stopped the robot" if found["ok"] else "COULD NOT STOP THE ROBOT"
            when = dt.datetime.fromtimestamp(found["at"]).strftime("%Y-%m-%d %H:%M:%S")
            said = f"the guardian {did} at {when}: {found['why']}"
            _log.warning("%s", said)
            self._report(GUARDIAN_STOPPED, said)
            if not found["ok"]:
                self.life.require_inspection(said)
        wanted = self._guard or any(rig.is_real_time for rig in driven.values())
        guards = [rig.guard for rig in driven.values() if rig.guard is not None]
        guards = [self._site.guard] if self._site.guard is not None else guards
        if wanted and guards:
            shortest_s = min(guard.within_s for guard in guards)
            if shortest_s * self._site.rates.tick_hz < _BEATS:
                raise UsageError(
                    f"guard: `within` ({shortest_s:g} s) must be at least {_BEATS} ticks "
                    f"(tick_hz: {self._site.rates.tick_hz:g}); make it longer"
                )
            self.guardian = Guardian(robots, guards, report, [lock.path for lock in self._locks])
        elif self._guard:
            raise UsageError(
                "--guard needs a way to stop the robot: write 'guard: {stop: …}' into the site "
                "file, or give the rig of the driver a guard; see docs/safety.md"
            )

    def _make_rigs(self) -> None:
        for pack in self._site.catalogue.packs:
            if pack.robots:
                self.rigs[pack.name] = self._make_rig(pack)
        rigs = self.rigs.values()
        simulations = list(
            {
                id(rig.simulation): rig.simulation for rig in rigs if rig.simulation is not None
            }.values()
        )  # robots may share one world
        if self._fast and any(rig.robot is not None and rig.simulation is None for rig in rigs):
            raise UsageError("only simulated robots run faster than real time")
        period_s, step_s = 1 / self._site.rates.tick_hz, self._site.limits.step_s
        self.clock = Clock(simulations, period_s, fast=self._fast, step_s=step_s)
        self.clock.align()
        for name, rig in self.rigs.items():
            if rig.perception is not None:
                buffer: ObservationBuffer[Any] = ObservationBuffer(self.clock.now)
                wait = rig.simulation is not None
                self.perception_workers[name] = PerceptionWorker(
                    name, rig.perception, buffer, self._site.rates, wait=wait
                )

    def _make_rig(self, pack: Pack) -> Rig:
        """Lock the robot of a pack, then open it.

        Without a declared identity, it is known only after opening whether the robot is real. Such
        a robot is not opened while another process drives a robot with the same name.
        """
        settings = self._site.packs[pack.name]
        robot = settings.robot or next(iter(pack.robots))
        identity = pack.identities.get(robot)
        if identity is not None:
            self._locks.append(RobotLock(robot_identity(pack, robot, settings), self._site.name))
            return make_rig(pack, settings, self._world)
        lock = RobotLock(f"{pack.kind}.{robot}", self._site.name, shared=True)
        try:
            rig = make_rig(pack, settings, self._world)
        except BaseException:
            lock.release()
            raise
        if rig.robot is None or rig.simulation is not None:
            lock.release()
            return rig
        self._locks.append(lock)
        try:
            lock.take()
        except UsageError:
            if rig.close is not None:
                rig.close()  # does not stop the robot, because another process drives it
            raise
        return rig

    def _report_motion(self, moved: Mapping[str, str]) -> None:
        self._report(MOVED_WHILE_IDLE, _motions_text(moved))

    def _report_unstoppable_motion(self, moved: Mapping[str, str]) -> None:
        message = _motions_text(moved)
        self.life.require_inspection(message)
        self._runaway(message)


def _motions_text(moved: Mapping[str, str]) -> str:
    return "; ".join(f"the robot of {name}: {why}" for name, why in moved.items())


class _NoWorld:
    """The world of robots that are not open; its time does not advance."""

    time = 0.0

    def step(self, seconds: float) -> None:
        """Do nothing."""


@contextlib.contextmanager
def _watchdog_outside_mission(rigs: Mapping[str, Rig]) -> Iterator[Watch]:
    """Provide a watchdog for calls outside a mission, or none if no thread can be started."""
    with contextlib.ExitStack() as stack:
        watch: Watch = Unwatched()
        try:
            watch = stack.enter_context(Watchdog(_CLOSE_S, lambda: stop_all_in_background(rigs)))
        except RuntimeError as error:
            _log.error("the robots are not monitored: %s", error)
        yield watch


def _close_and_log(watchdog: Watch, part: str, close: Callable[[], None]) -> None:
    """Close a part; errors are only logged, because the outcome is already final."""
    try:
        watchdog.call(part, close)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - the other parts must be closed, too
        _log.error("%s could not be closed: %s", part, describe_exception(error))
