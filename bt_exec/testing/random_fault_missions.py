"""Torture test: random missions with random faults, stops and kills, checked against invariants.

The invariants are:

- A skill starts only if it is in the current verified plan, and never after a stop.
- No condition holds because of stale evidence.
- When a mission has ended, its robots are not moving.
- Every mission ends with a status, a reason code and a message. A killed mission leaves a readable
  record and can be resumed.
- A mission that is run again produces the same events.
- Memory does not grow steadily.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import itertools
import random
import statistics
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from bt_exec.events import Aborting, Asked, Event, Planned, SkillStarting
from bt_exec.failure import UsageError
from bt_exec.journal import Journal
from bt_exec.mission.rerun import restore_world, verify
from bt_exec.mission.session import Session
from bt_exec.mission_outcome import Outcome
from bt_exec.nodes.fault_injection import ACTIONS, Fault, Faults
from bt_exec.nodes.fault_plan import FaultPlan
from bt_exec.site.site import Site
from bt_exec.spec.model import Do
from bt_exec.spec.node_paths import nodes_with_paths

__all__ = ["STALE_S", "Invariants", "Report", "Torture", "random_fault_plan"]

STALE_S = 2.0
"""Age above which evidence counts as stale [s]."""
_SETTLE_S = 0.5  # how long the robots are observed after the end of a mission [s]
_KILL_LIMIT_S = 120.0  # time limit of the process of a mission that is killed [s]
_WARM = 0.5  # fraction of the missions that are warm-up, during which memory may grow
_MARKS = 10  # number of memory samples after the warm-up
_GROWTH_MIB = 32.0  # maximum growth of memory after the warm-up [MiB]
_PAGE_MIB = 4096 / 2**20
_ARENA_MAX = -8  # M_ARENA_MAX of glibc's malloc.h


def random_fault_plan(
    site: Site, rng: random.Random, commands: Sequence[str] = (), *, kills: bool = True
) -> FaultPlan:
    """Return a random command for a site in a random world, with up to three random faults.

    Args:
        site: The site.
        rng: Random number generator.
        commands: Commands to choose from; the utterances of the site's trees if empty.
        kills: Whether faults may include killing the process.

    Raises:
        UsageError: If there are no commands and no utterances.
    """
    skills = set(site.catalogue.skills)
    trees = [tree for tree in site.library if tree.utterances]
    if not commands:
        if not trees:
            raise UsageError(
                f"the trees of site {site.name!r} have no utterances; give --commands FILE"
            )
        tree = rng.choice(trees)
        commands = tree.utterances
        skills = {node.do for _, node in nodes_with_paths(tree.root, Do)} or skills
    count = rng.choice([0, 1, 1, 2, 3])
    faults = [_random_fault(site, sorted(skills), rng, kills=kills) for _ in range(count)]
    return FaultPlan(
        site=str(site.file),
        command=rng.choice(commands),
        world=_random_world(site, rng),
        faults=tuple(faults),
    )


def _random_world(site: Site, rng: random.Random) -> dict[str, str | int | float]:
    world: dict[str, str | int | float] = {}
    for pack in site.catalogue.packs:
        for name, setting in pack.world.model_fields.items():
            if name == "seed":
                world[name] = rng.randrange(1000)
            elif get_origin(setting.annotation) is Literal and rng.random() < 0.3:
                world[name] = rng.choice(get_args(setting.annotation))
    return world


def _random_fault(site: Site, skills: Sequence[str], rng: random.Random, *, kills: bool) -> Fault:
    part = rng.choice(["skill"] * 6 + ["camera"] * 2 + ["planner", "journal", "operator"])
    if kills and rng.random() < 0.05:
        part = "process"
    given: dict[str, Any] = {"part": part, "does": rng.choice(ACTIONS[part])}
    if part == "skill":
        name = rng.choice(skills)
        given |= {"name": name, "call": rng.choice([None, 1, 1, 2])}
        given["after"] = rng.choice([0, 0, 1, 5, 30])
        codes = sorted(site.catalogue.skills[name].fails)
        if given["does"] == "fail":
            given |= {"code": rng.choice(codes)} if codes else {"does": "crash"}
    else:
        given["since"] = round(rng.choice([0.0, rng.uniform(0, 2), rng.uniform(0, 10)]), 1)
        if part in ("camera", "journal") and rng.random() < 0.7:
            given["until"] = round(given["since"] + rng.uniform(0.2, 4), 1)
        if part == "planner":
            given["since"] = 0.0
            given["times"] = rng.choice([None, 1])
    if given["does"] == "slow":
        given["seconds"] = 0.05
    return Fault.model_validate({key: value for key, value in given.items() if value is not None})


class Invariants:
    """Event listener that detects violations of the invariants.

    Attributes:
        broken: A sentence for each violation.
        replans: Number of re-plans.
    """

    def __init__(self) -> None:
        self.broken: list[str] = []
        self.replans = 0
        self._plan: Mapping[str, str] | None = None
        self._stopped = False

    def on(self, event: Event) -> None:
        """Check the invariants for an event."""
        match event:
            case Planned():
                self.replans += self._plan is not None
                self._plan = {path: node.do for path, node in nodes_with_paths(event.spec.root, Do)}
            case Aborting(how="clean"):
                self._stopped = True
            case SkillStarting():
                if self._stopped:
                    self.broken.append(f"{event.skill} started after a stop")
                if (self._plan or {}).get(event.path) != event.skill:
                    self.broken.append(f"{event.skill} started outside a verified plan")
            case Asked() if event.verdict.holds and event.verdict.age_s > STALE_S:
                age = f"{event.verdict.age_s:.1f} s"
                self.broken.append(f"{event.question} held on evidence that was {age} old")


@dataclass
class Report:
    """Results of a torture run.

    Attributes:
        statuses: Number of missions by status; ``killed`` stands for killed missions.
        tried: Number of planned faults, by part and action.
        fired: Number of faults that occurred, by part and action.
        replans: Number of re-plans.
        verified: Number of missions that were run again and compared.
        failing: Fault plans that violated an invariant, with the violations.
        mib: Resident memory after each mission [MiB].
    """

    statuses: Counter[str] = field(default_factory=Counter)
    tried: Counter[str] = field(default_factory=Counter)
    fired: Counter[str] = field(default_factory=Counter)
    replans: int = 0
    verified: int = 0
    failing: list[tuple[FaultPlan, tuple[str, ...]]] = field(default_factory=list)
    mib: list[float] = field(default_factory=list)

    @property
    def growth_mib(self) -> float:
        """Steady growth of memory after the warm-up [MiB].

        It is extrapolated from the median difference of consecutive samples. Memory that is
        allocated only once, for example by the Korean analyser, therefore has no effect.
        """
        warm = self.mib[int(len(self.mib) * _WARM) :]
        marks = warm[:: max(1, len(warm) // _MARKS)]
        steps = [after - before for before, after in itertools.pairwise(marks)]
        return statistics.median(steps) * len(steps) if steps else 0.0

    @property
    def is_memory_flat(self) -> bool:
        """Whether the steady growth of memory is within the limit."""
        return self.growth_mib <= _GROWTH_MIB


class Torture:
    """Runner of fault plans on a site, which checks the invariants.

    Args:
        site: The site; its robots must be simulated.
        folder: Folder for the journal.
        again: Whether to run each mission again and compare it with its record.

    Attributes:
        report: The results so far.
    """

    def __init__(self, site: Site, folder: Path, *, again: bool = False) -> None:
        self.report = Report()
        packs = {name: own.for_rerun(folder) for name, own in site.packs.items()}
        self._site = replace(site, packs=packs)
        self._folder = folder
        self._again = again

    def run(
        self, plans: Sequence[FaultPlan], done: Callable[[int, str], object] = lambda *_: None
    ) -> Report:
        """Run fault plans, and return the report.

        Args:
            plans: The fault plans.
            done: Called after each plan with its number, counted from 1, and its command. If the
                operator interrupts the run here, the plan is not reported as failing.
        """
        report = self.report
        _use_one_heap()
        for number, plan in enumerate(plans):
            report.tried.update(f"{one.part} {one.does}" for one in plan.faults)
            try:
                broken = tuple(dict.fromkeys(self._violations_of(plan)))
            except Exception as error:  # noqa: BLE001 - any exception is a violation
                broken = (f"{type(error).__name__}: {error}",)
            report.mib.append(_resident_mib())
            done(number + 1, plan.command)
            if broken:
                report.failing.append((plan, broken))
        return report

    def _violations_of(self, plan: FaultPlan) -> Iterator[str]:
        """Run a fault plan (in a separate process if it includes a kill); yield violations."""
        journal = Journal.open(self._folder / "journal.sqlite")
        if any(fault.part == "process" for fault in plan.faults):
            yield from self._run_and_kill(plan, journal)
            return
        invariants = Invariants()
        with self._session(plan, journal, invariants, plan.faults) as session:
            outcome = session.run(plan.command)
            self.report.statuses[outcome.status] += 1
            self.report.replans += invariants.replans
            self._count_fired(session.faults)
            yield from invariants.broken
            yield from _outcome_violations(outcome)
            yield from _moving_robots(session)
        if self._again and not outcome.record_problem and _is_repeatable(plan):
            self.report.verified += 1
            found = verify(journal, outcome.mission_id)
            if not found.agrees:
                yield f"run again, it differs after {found.events} events: {found.difference}"

    def _run_and_kill(self, plan: FaultPlan, journal: Journal) -> Iterator[str]:
        """Run a fault plan in another process, resume the killed mission, and yield violations."""
        file = self._folder / "killed.yaml"
        file.write_text(plan.to_yaml(), encoding="utf-8")
        options = ["--faults", str(file), "--fast", "--plain", "--journal", str(journal.path)]
        command = [sys.executable, "-m", "bt_exec", "run", *options]
        quiet = subprocess.DEVNULL
        subprocess.run(  # noqa: S603 - runs this program with a file that was written above
            command, stdin=quiet, stdout=quiet, stderr=quiet, timeout=_KILL_LIMIT_S
        )
        record = journal.mission("last")
        if record.unreadable:
            yield f"the record of a killed mission cannot be read: {record.unreadable[0]}"
        if record.outcome is not None:  # the mission ended before it was killed
            self.report.statuses[record.outcome.status] += 1
            yield from _outcome_violations(record.outcome)
            return
        self.report.statuses["killed"] += 1
        self.report.fired["process kill"] += 1
        invariants = Invariants()
        with self._session(plan, journal, invariants) as session:
            found = restore_world(session, journal, record)
            if not found.agrees:
                yield f"the world of a killed mission differs: {found.difference}"
            outcome = session.resume(record)
            yield from invariants.broken
            yield from _outcome_violations(outcome)
            yield from _moving_robots(session)

    def _session(
        self,
        plan: FaultPlan,
        journal: Journal,
        invariants: Invariants,
        faults: Iterable[Fault] = (),
    ) -> Session:
        """Return a session in the world of a fault plan, with `invariants` as listener."""
        return Session(
            self._site,
            world=plan.initial_world_texts(),
            fast=True,
            journal=journal,
            faults=[fault.to_source() for fault in faults],
            listeners=[invariants],
            confirm=lambda *_: True,
        )

    def _count_fired(self, faults: Faults) -> None:
        unused = {one.fault for one in faults.unused()}
        self.report.fired.update(
            f"{one.part} {one.does}" for one in faults.faults if one not in unused
        )


def _outcome_violations(outcome: Outcome) -> Iterator[str]:
    """Yield a sentence for each missing or inconsistent part of an outcome."""
    if not outcome.reason_code:
        yield f"{outcome.status}, and no reason"
    if not outcome.message.strip():
        yield f"{outcome.status} {outcome.reason_code}, and no sentence"
    if outcome.reason_code in ("PART_BROKEN", "STEP_HUNG", "STOP_FAILED"):
        yield f"{outcome.reason_code}: {outcome.message}"


def _moving_robots(session: Session) -> Iterator[str]:
    """Yield a sentence for each robot that moves after the end of a mission."""
    for name, rig in session.rigs.items():
        if rig.simulation is None or not hasattr(rig.simulation, "step"):
            continue
        rig.simulation.step(_SETTLE_S)
        if not rig.is_still():
            yield f"the robot of {name} moves after the end"


def _is_repeatable(plan: FaultPlan) -> bool:
    """Return False if a fault depends on wall time, such as a journal that fails for a while."""
    return not any(fault.part == "journal" for fault in plan.faults)


def _use_one_heap() -> None:
    """Make all threads allocate from the main heap, the only one that `malloc_trim` releases."""
    with contextlib.suppress(OSError, AttributeError):  # the C library is not glibc
        ctypes.CDLL(None).mallopt(_ARENA_MAX, 1)


def _resident_mib() -> float:
    """Return the resident memory of this process [MiB]; 0 if it cannot be determined.

    Free pages of glibc's heap are released first, because their number varies between runs.
    """
    gc.collect()
    with contextlib.suppress(OSError, AttributeError):  # the C library is not glibc
        ctypes.CDLL(None).malloc_trim(0)
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE_MIB
    except OSError:
        return 0.0
