"""Missions with faults under a seeded interleaving, and invariants checked at every step.

The session, executive, watchdog, life cycle, planner, perception and journal are the real ones.
Only the parts of a site are scripted: skills, a condition, a camera, a compiler and a robot. The
seed chooses their faults, the moment of the operator's stop and the order in which the threads run
(`simulated_threads`).
"""

from __future__ import annotations

import contextlib
import dataclasses
import gc
import logging
import shutil
import signal
import sqlite3
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from bt_exec import rig as rig_module
from bt_exec import standby_threads
from bt_exec.events import Aborting, Event, Finished, Planned, Planning, SkillStarting
from bt_exec.failure import BtExecError, Failed
from bt_exec.journal import Journal, write
from bt_exec.mission import executive, motion_stop_and_endings, robot_life_cycle, watchdog
from bt_exec.mission.session import Session
from bt_exec.mission_outcome import EXIT_CODES, Outcome
from bt_exec.nodes import runtime, skill_node
from bt_exec.pack import Catalogue
from bt_exec.rig import PackSettings, Rig
from bt_exec.site.site import Limits, Rates, Site
from bt_exec.skill import Running, Steps, Verdict, condition, skill
from bt_exec.spec.load import load_text
from bt_exec.testing import FakeClock
from bt_exec.testing.tree_run import scripted_site
from tests.bt_exec.mission.faulty_parts import Arm, Camera, Compiler, Connection, Script
from tests.bt_exec.mission.simulated_threads import Schedule

__all__ = ["BrokenError", "Stage"]

HANG_S, CANCEL_S, STILL_S, PERIOD_S = 0.2, 0.3, 0.4, 0.1
SLACK_S = 0.5  # exceeds the limit of the site
BURST_S = 0.6  # longest motion in short bursts: the robot is stopped again after each one


class BrokenError(AssertionError):
    """Raised when an invariant is violated."""


class Idle(deque[Any]):
    """Idle standby threads of a run. They end with the run."""

    def __init__(self, schedule: Schedule) -> None:
        super().__init__()
        self._schedule = schedule

    def append(self, worker: Any) -> None:
        """Return a worker to the pool."""
        self._schedule.leave_if_over()
        super().append(worker)


class Run:
    """One run: its script, its robot and its events so far."""

    def __init__(self, stage: Stage, seed: int) -> None:
        self.seed = seed
        self.script = Script.of(seed)
        self.schedule = stage.schedule
        self.stage = stage
        self.arm = Arm(self)
        self.asked = 0
        self.running: Any = None  # set while a mission runs
        self.outcomes: list[Outcome] = []
        self.abandoned: Outcome | None = None
        self.refused = ""
        self.trouble = ""
        self.trace: list[tuple[float, str]] = []
        self.locks: list[Any] = []
        self._idle_since = self.schedule.now
        self._begin_mission()

    def _begin_mission(self) -> None:
        self.verified = self.clean = False
        self.finished = self.calls = 0
        self.heeded = -1  # tick in which the loop last checked for a stop
        self.stop_asked = self.hung = self.planning = float("inf")
        self.last_tick = sys.maxsize  # skills may begin in this tick, but not later

    # -- invariants --------------------------------------------------------------------------------

    def broken(self, what: str) -> None:
        """Record a violated invariant and raise it. The first one is kept."""
        self.trouble = self.trouble or f"{what} at {self.schedule.now - 1000:.3f} s"

    def check(self) -> None:
        """Check the invariants that hold at each step."""
        if self.trouble:
            raise BrokenError(f"seed {self.seed}: {self.trouble}; {self.script}")
        now = self.schedule.now
        if self.running is not None and self.running.watchdog.first is not None:
            self._stops_at(now, self.running.runtime.tick + 1)
            self.hung = min(self.hung, now)
        if self.script.stop == "dead" or not self.arm.moving_now():
            return
        slow_s = {"slow": 0.3, "coast": 0.2, "raise once": 0.3}.get(self.script.stop, 0.0)
        bound_s = PERIOD_S + CANCEL_S + HANG_S + slow_s + SLACK_S
        at_rest = self.planning if self.running else self._idle_since
        stopped = min(self.stop_asked, self.hung, at_rest, now)
        # the motion may have ended by itself
        burst_s = BURST_S + (STILL_S if self.running else 0.0)
        if now > max(stopped + bound_s, self.arm.since + burst_s + slow_s):
            why = "outside a mission" if not self.running else "after a stop"
            if self.script.real or self.running:
                self.broken(f"the robot moves {why}, for {now - self.arm.since:.2f} s")

    def _stops_at(self, now: float, tick: int) -> None:
        self.last_tick = min(self.last_tick, tick)
        self.stop_asked = min(self.stop_asked, now)

    def check_start(self) -> None:
        """Check the invariants that hold when a skill moves the robot."""
        if self.running is None or self.finished:
            self.broken("a skill moves the robot outside its mission")
        if not self.verified:
            self.broken("a skill moves the robot without a verified plan")
        rows = (
            "SELECT count(*) FROM events JOIN missions ON no = mission"
            " WHERE kind = 'SkillStarting' AND id = ?"
        )
        if self.reader.execute(rows, (self.running.mission_id,)).fetchone()[0] < self.calls:
            self.broken("a skill moves the robot before its start is on record")

    def on(self, event: Event) -> None:
        """Record an event."""
        self.trace.append((self.schedule.now, type(event).__name__))
        for number, points, kind in self.script.aborts:
            if number == len(self.trace):
                self.schedule.after(points, partial(self._stop_by, kind))
        if isinstance(event, Planning):
            self.verified, self.planning = False, self.schedule.now
        elif isinstance(event, Planned):
            self.verified, self.heeded, self.planning = True, -1, float("inf")
        elif isinstance(event, SkillStarting):
            self.calls += 1
            if event.skill == "never":
                self.broken("a plan that claims the arm twice was started")
            if event.tick > self.last_tick:
                self.broken(f"{event.skill} starts in tick {event.tick} after a stop")
        elif isinstance(event, Aborting):
            self.clean = self.clean or event.how == "clean"
        elif isinstance(event, Finished):
            self.finished += 1

    # -- parts -------------------------------------------------------------------------------------

    def fault(self) -> None:
        """Hang, as an injected fault."""
        threading.Event().wait()

    def steps(self) -> Steps:
        """Run a scripted skill."""
        how = self.script.skills[min(self.asked, len(self.script.skills) - 1)]
        self.asked += 1
        arm = self.arm
        arm.go()
        try:
            yield Running()
            yield from getattr(self, f"_{how.replace(' ', '_')}", self._well)()
        finally:
            if how == "block again":
                self.fault()
            if how not in ("leave", "hang", "swallow", "resist", "insist"):
                arm.stop()

    def _well(self) -> Steps:
        yield Running()

    def _fail(self) -> Steps:
        yield Running()
        raise Failed("SLIPPED", "it slipped")

    def _crash(self) -> Steps:
        yield Running()
        raise RuntimeError("oh")

    def _forever(self) -> Steps:
        for _ in range(200):
            yield Running()

    def _slow(self) -> Steps:
        for _ in range(4):
            time.sleep(self.schedule.random.choice((0.05, 0.15, HANG_S, 0.25)))
            yield Running()

    def _hang(self) -> Steps:
        self.fault()
        yield Running()

    def _swallow(self) -> Steps:
        with contextlib.suppress(BaseException):
            self.fault()
        yield Running()

    def _resist(self) -> Steps:
        for _ in range(3):
            with contextlib.suppress(BaseException):
                self.fault()
        yield Running()

    def _insist(self) -> Steps:
        for _ in range(6):
            with contextlib.suppress(BaseException):
                time.sleep(0.3)
            self.arm.go(stray=True)
        yield Running()

    def _exit(self) -> Steps:
        yield Running()
        sys.exit(0)

    def _stray(self) -> Steps:
        def later() -> None:
            for _ in range(3):
                time.sleep(self.schedule.random.choice((0.05, 0.3, 1.0)))
                if self.script.real:
                    self.arm.go(stray=True)

        thread = threading.Thread(target=later, daemon=True)
        with contextlib.suppress(RuntimeError):
            thread.start()
        yield Running()

    def holds(self) -> bool:
        """Evaluate a scripted condition."""
        how = self.script.condition
        if how == "slow":
            time.sleep(0.1)
        elif how == "hang" and self.schedule.random.random() < 0.2:
            self.fault()
        elif how == "raise" and self.schedule.random.random() < 0.2:
            raise RuntimeError("unknown")
        return how != "changes" or self.schedule.random.random() < 0.8

    def rig(self) -> Rig:
        """Return the rig of the run."""
        simulation = None if self.script.real else FakeClock()
        camera = Camera(self) if self.script.camera else None
        return Rig(self.arm, camera, simulation, lambda: {"hand": "full"})

    # -- the run -----------------------------------------------------------------------------------

    def __call__(self) -> None:
        """Run the missions of the script."""
        self.reader = sqlite3.connect(self.stage.journal, check_same_thread=False)
        try:
            self._session()
        finally:
            self.reader.close()

    def _session(self) -> None:
        tree = load_text(f"tree: t\nroot: {self.script.tree}").document
        journal = Journal(self.stage.journal)
        with self._refusals():
            session = Session(
                self.stage.site, journal=journal, fast=not self.script.real, listeners=[self]
            )
            self.clock, self.locks = session.clock, session.robots._locks
            session.abandoned = self._abandon
            compiler = Compiler(tree)
            compiler.run = self
            session.compiler = compiler
            self.session = session
            for number, points, kind in self.script.aborts:
                if number == 0:
                    self.schedule.after(points, partial(self._stop_by, kind))
            signal.signal(signal.SIGINT, lambda *_: self._abort(session))
            if self.script.suspend is not None:
                self.schedule.after(self.script.suspend, self._suspend)
            self.schedule.refused = self.script.threads
            for _ in range(self.script.missions):
                self._mission(session)
                time.sleep(1.0)
            session.close()
            time.sleep(1.5)

    @contextlib.contextmanager
    def _refusals(self) -> Iterator[None]:
        try:
            yield
        except BtExecError as error:
            self.refused = str(error)

    def _mission(self, session: Session) -> None:
        self._begin_mission()
        run_executive = executive.Executive.run

        def note(mission: Any, *args: Any) -> Outcome:
            self.running = mission
            mission._check_stop = lambda: self._check_stop(mission)
            return run_executive(mission, *args)

        executive.Executive.run = note  # type: ignore[assignment, method-assign]
        try:
            outcome = session.run("go")
        except BtExecError as error:
            self.refused = str(error)
            return
        finally:
            executive.Executive.run = run_executive  # type: ignore[method-assign]
            self.running, self._idle_since = None, self.schedule.now
        self.outcomes.append(outcome)
        self.check_outcome(outcome)

    def _suspend(self) -> None:
        """Suspend the process. Only a guardian could stop a real robot meanwhile."""
        seconds = 9.0
        self.schedule.suspend(seconds)
        self.stop_asked += seconds
        self.hung += seconds
        self.planning += seconds
        self._idle_since += seconds
        self.arm.since += seconds

    def _check_stop(self, mission: Any) -> None:
        tick = mission.runtime.tick
        executive.Executive._check_stop(mission)
        self.heeded = tick

    def _abort(self, session: Session) -> None:
        running = session._running
        if running is not None:
            self._stops_at(
                self.schedule.now, running.runtime.tick + (self.heeded == running.runtime.tick)
            )
        session.abort()

    def _stop_by(self, kind: str) -> None:
        if kind == "signal":
            self.schedule.signal_main(signal.SIGINT)
        else:
            self.schedule.spawn(lambda: self._abort(self.session))

    def _abandon(self, outcome: Outcome) -> None:
        self.abandoned = outcome
        self.schedule.quit()

    def check_outcome(self, outcome: Outcome) -> None:
        """Compare the outcome with the robot and the journal."""
        code = outcome.reason_code
        if outcome.status not in EXIT_CODES or code == "EXECUTIVE_CRASHED":
            self.broken(f"the mission ended as {outcome.status} {code} {outcome.failures}")
        if self.finished != 1:
            self.broken(f"the mission has {self.finished} outcomes")
        if self.clean and outcome.status not in ("aborted", "failed"):
            self.broken(f"a stopped mission ended as {outcome.status} {code}")
        if self.arm.moving_now() and code != "STOP_FAILED" and "stray" not in self.script.skills:
            self.broken(f"the robot moves after a mission that ended as {outcome.status} {code}")
        if not outcome.record_problem:
            ends = self.reader.execute(
                "SELECT status, reason_code FROM missions WHERE id = ?", (outcome.mission_id,)
            ).fetchall()
            if ends != [(outcome.status, code)]:
                self.broken(f"the record says {ends}, the outcome {outcome.status} {code}")
        self.check()


class Stage:
    """Runner of seeds."""

    def __init__(self, folder: Path) -> None:
        files = [
            executive,
            robot_life_cycle,
            motion_stop_and_endings,
            watchdog,
            rig_module,
            runtime,
            skill_node,
        ]
        self.schedule = Schedule(str(module.__file__) for module in files)
        self.journal = folder / "run.sqlite"
        self._empty = folder / "empty.sqlite"
        self._folder = folder
        self.run: Run
        Journal.open(self._empty)
        self.site = self._site()

    def _site(self) -> Site:
        def steps(robot: Any) -> Steps:
            """Move."""
            del robot
            yield from self.run.steps()

        def holds() -> Verdict:
            """Return a scripted verdict."""
            return Verdict(self.run.holds(), "as the script says")

        def named(name: str) -> Any:
            def function(robot: Any) -> Steps:
                """Move."""
                yield from steps(robot)

            function.__name__ = function.__qualname__ = name
            uses = ("arm",) if name == "never" else ()
            return skill(fails={"SLIPPED"}, uses=uses)(function)

        parts = [named("move"), named("again"), named("never"), condition(holds)]
        found = scripted_site(
            parts,
            [],
            limits=Limits(
                replans=1,
                cancel_s=CANCEL_S,
                still_s=STILL_S,
                look_s=0.3,
                plan_s=2.0,
                hang_s=HANG_S,
                stall_s=3.0,
            ),
            rates=Rates(tick_hz=1 / PERIOD_S, look_hz=5, idle_look_hz=2),
        )
        (pack,) = found.catalogue.packs
        pack = dataclasses.replace(
            pack, robots={"arm": lambda *_: self.run.rig()}, identities={"arm": lambda _: "arm"}
        )
        return dataclasses.replace(
            found, catalogue=Catalogue([pack]), packs={"test": PackSettings()}
        )

    @contextlib.contextmanager
    def open(self) -> Iterator[Stage]:
        """Patch the modules that a seeded run replaces."""
        connect = write.connect

        def faulty(path: Path) -> Any:
            real = connect(path)
            at = self.run.script.statement
            return real if at is None else Connection(real, at)

        idle, count = standby_threads.STANDBY._idle, gc.get_freeze_count
        write.connect = faulty  # type: ignore[assignment]
        logging.disable(logging.CRITICAL)
        try:
            with self.schedule.installed():
                gc.collect()
                gc.freeze()
                for seed in range(-4, 0):  # imported and cached once
                    self.go(seed)
                gc.collect()
                gc.freeze()  # each run collects its own garbage
                gc.get_freeze_count = lambda: 1  # counting a million objects takes 10 ms
                yield self
                gc.unfreeze()
        finally:
            logging.disable(logging.NOTSET)
            gc.get_freeze_count = count
            write.connect = connect
            standby_threads.STANDBY._idle = idle

    def go(self, seed: int) -> Run:
        """Run one seed.

        Raises:
            AssertionError: If an invariant was broken.
        """
        for file in (*self._folder.glob("run.sqlite*"), *self._folder.glob("*.inspect")):
            file.unlink(missing_ok=True)
        shutil.copyfile(self._empty, self.journal)
        standby_threads.STANDBY._idle = Idle(self.schedule)
        rig_module.allocate_reserve()
        rig_module._UNDER_WAY.clear()
        # logs of watchdog threads that other tests left behind are ignored
        robot_life_cycle._ENDED = deque()
        robot_life_cycle._WATCHED_IN.clear()
        self.run = run = Run(self, seed)
        gc.collect()
        self.schedule.check = run.check
        try:
            self.schedule.run(seed, run)
        finally:
            for lock in run.locks:  # left by a run that has ended
                lock.release()
            robot_life_cycle._OPEN.clear()
        if run.trouble:
            run.check()
        return run
