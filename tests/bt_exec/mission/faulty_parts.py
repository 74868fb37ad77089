"""Fault scripts for missions under the simulated scheduler, and the parts that follow them."""

from __future__ import annotations

import dataclasses
import sqlite3
import threading
import time
from random import Random
from typing import TYPE_CHECKING, Any

from bt_exec.failure import Refusal
from bt_exec.planning.compiler import Plan
from bt_exec.testing import FakeObservation
from bt_exec.testing.tree_run import FixedCompiler

if TYPE_CHECKING:
    from tests.bt_exec.mission.interleaved_missions import Run

__all__ = ["Arm", "Camera", "Compiler", "Connection", "Script"]

TREES = (
    "{do: move}",
    "{do: move, retry: 2, timeout: 2s}",
    "{do: move, while: holds}",
    "{sequence: [{do: move}, {do: again}]}",
    "{fallback: [{do: move}, {do: again}]}",
    "{parallel: [{do: move}, {do: again}], succeed_when: any}",
    "{sequence: [{check: holds}, {do: move}, {do: again}]}",
    "{parallel: [{do: never}, {do: never}]}",
)
SKILLS = (
    "well", "well", "well", "leave", "fail", "crash", "forever", "slow", "hang", "swallow",
    "resist", "block again", "stray", "exit", "insist",
)  # fmt: skip
COMPILERS = ("quick", "quick", "quick", "slow", "hang", "crash", "refuse", "refuse later")
STOPS = ("quick", "quick", "quick", "slow", "raise once", "coast", "dead")
CAMERAS = ("", "", "quick", "slow", "hang", "raise", "capture hangs")
CONDITIONS = ("holds", "holds", "changes", "slow", "hang", "raise")


@dataclasses.dataclass
class Script:
    """Faults of one run, all chosen by the seed."""

    tree: str
    skills: list[str]
    compiler: str
    stop: str
    camera: str
    condition: str
    real: bool
    missions: int
    aborts: list[tuple[int, int, str]]  # event, scheduling points after it, source of the stop
    statement: int | None
    threads: int | None
    suspend: int | None

    @classmethod
    def of(cls, seed: int) -> Script:
        """Return the script of a seed. Most have few faults, so that missions get far."""
        random = Random(seed * 7919)
        few = random.choice((0.15, 0.4, 0.8))

        def some(of: tuple[str, ...]) -> str:
            return random.choice(of) if random.random() < few else of[0]

        aborts = [
            (
                random.choice((0, random.randrange(12))),
                int(random.expovariate(1 / random.choice((2, 10, 300)))),
                kind,
            )
            for kind in random.choice(
                ((), (), ("signal",), ("thread",), ("signal", "signal"), ("thread", "signal"))
            )
        ]
        return cls(
            tree=random.choice(TREES),
            skills=[some(SKILLS) for _ in range(4)],
            compiler=some(COMPILERS),
            stop=some(STOPS),
            camera=some(CAMERAS),
            condition=some(CONDITIONS),
            real=random.random() < 0.6,
            missions=random.choice((1, 1, 2)),
            aborts=aborts,
            statement=random.randrange(40) if random.random() < few / 4 else None,
            threads=random.randrange(10) if random.random() < few / 4 else None,
            suspend=random.randrange(400) if random.random() < few / 4 else None,
        )


class Arm:
    """Robot that records its motions and checks at each one whether it may move."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.moving = False
        self.since = 0.0
        self.stops = 0
        self._halts = float("inf")  # time at which it comes to rest [s]

    def go(self, *, stray: bool = False) -> None:
        """Start to move."""
        self.run.schedule.point()
        if not stray:
            self.run.check_start()
        if not self.moving_now() or self._halts < float("inf"):  # one entry for each stop
            self.since = self.run.schedule.now
        self.moving, self._halts = True, float("inf")

    def stop(self) -> None:
        """Stop as the script specifies."""
        self.run.schedule.point()
        self.stops += 1
        how = self.run.script.stop
        if how == "slow":
            time.sleep(0.3)
        if how == "dead" or (how == "raise once" and self.stops == 1):
            raise OSError("connection lost")
        if how != "coast":
            self.moving = False
        elif self.moving_now():
            self._halts = min(self._halts, self.run.schedule.now + 0.2)

    def moving_now(self) -> bool:
        """Return True if the robot moves now."""
        if self.moving and self.run.schedule.now >= self._halts:
            self.moving = False
        return self.moving

    @property
    def still(self) -> bool:
        """Whether the robot is still."""
        self.run.schedule.point()
        return not self.moving_now()


class Camera:
    """Camera that is slow, hangs or raises."""

    def __init__(self, run: Run) -> None:
        self.run = run

    def capture(self) -> Any:
        """Capture an empty picture."""
        if self.run.script.camera == "capture hangs":
            self.run.fault()
        return self.run.clock.now()

    def interpret(self, capture: Any) -> FakeObservation:
        """Return an observation with one object."""
        how = self.run.script.camera
        if how == "slow":
            time.sleep(0.3)
        elif how == "hang":
            self.run.fault()
        elif how == "raise":
            raise RuntimeError("no picture")
        return FakeObservation(capture, ("thing",), {"door": "open"})


class Compiler(FixedCompiler):
    """Compiler that is slow, hangs, crashes or refuses."""

    run: Run

    def compile(self, request: Any) -> Plan | Refusal:
        """Return a plan, or fail as the script demands."""
        how = self.run.script.compiler
        if how == "slow":
            time.sleep(0.5)
        elif how == "hang":
            threading.Event().wait()
        elif how == "crash":
            raise RuntimeError("no plan")
        elif how == "refuse" or (how == "refuse later" and request.previous is not None):
            return Refusal("NOT_UNDERSTOOD", "No.")
        return super().compile(request)


class Connection:
    """Journal connection on which one statement fails, or every statement for a while."""

    def __init__(self, real: sqlite3.Connection, at: int) -> None:
        self._real = real
        self._left = at

    def _count(self) -> None:
        self._left -= 1
        if -5 < self._left <= 0:
            raise sqlite3.OperationalError("disk I/O error")

    def execute(self, *args: Any) -> Any:
        """Execute a statement, or fail as the script demands."""
        self._count()
        return self._real.execute(*args)

    def executemany(self, *args: Any) -> Any:
        """Execute statements, or fail as the script demands."""
        self._count()
        return self._real.executemany(*args)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)
