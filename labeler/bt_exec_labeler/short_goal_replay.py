"""Replay of recorded missions in simulation, to check that short goals end as recorded.

The initial world of a mission is created again from the journal. Then the actions before the moment
of a record are repeated, and its short goal is run. Successive actions up to a failure form one
plan, because they may depend on each other. The plans are verified, and there is no re-planning
after a failure. Faults that were injected in the mission are injected again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from bt_exec.events import Event, SkillEnded, SkillStarting
from bt_exec.failure import BtExecError, UsageError
from bt_exec.journal import Journal
from bt_exec.journal.recorded_mission import MissionRecord, SkillRun
from bt_exec.mission.session import Session
from bt_exec.nodes.fault_injection import Faults
from bt_exec.site.site import load_site
from bt_exec.spec.model import MissionSpec

__all__ = ["Replayed", "open_journal", "replay", "replay_line"]

_Act: TypeAlias = tuple[str, Mapping[str, Any]]
"""Skill and its arguments."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """Result of one replayed action.

    Attributes:
        op: Name of the skill.
        args: Arguments by name.
        recorded: Outcome in the mission, such as ``done`` or ``failed CODE``.
        now: Outcome in the replay, or the reason why the action was not run.
    """

    op: str
    args: Mapping[str, Any]
    recorded: str
    now: str

    @property
    def has_same_outcome(self) -> bool:
        """Whether the action ended as recorded."""
        return self.recorded == self.now


def replay_line(line: Mapping[str, Any], journal: Journal) -> list[Replayed]:
    """Replay the actions before the moment of a record, then its short goal.

    Args:
        line: A line of ``records.jsonl``.
        journal: Journal with the mission of the record.

    Returns:
        Results of the actions of the short goal.

    Raises:
        UsageError: If the mission cannot be run again.
    """
    record = journal.mission(line["episode"])
    goals = line["record"]["short_goal_dsl"]
    before = sum(1 for run in record.skills if run.end is not None and run.end.t <= line["t"])
    acts = [(run.start.skill, run.start.args) for run in record.skills[:before]]
    wanted = [*acts, *((goal["op"], goal["args"]) for goal in goals)]
    return list(replay(record, wanted))[before:]


def replay(record: MissionRecord, actions: Sequence[_Act] | None = None) -> Iterator[Replayed]:
    """Run actions one after another in the initial world of a mission.

    Args:
        record: Journal record of the mission.
        actions: Skills and their arguments; by default, all actions of the mission.

    Raises:
        UsageError: If the mission ran on a real robot, or its site is not installed.
    """
    settings = record.settings
    if not settings.get("fast"):
        raise UsageError(
            f"mission {record.id} ran in real time; only simulated missions that ran with --fast "
            "can be run again"
        )
    try:
        site = load_site(record.line.site)
    except BtExecError as error:
        raise UsageError(f"mission {record.id} cannot be run again: {error}") from error
    written = settings.get("packs", {})
    packs = {
        name: type(own).model_validate(written.get(name, {})) for name, own in site.packs.items()
    }
    limits = site.limits.model_copy(update={"replans": 0})
    site = replace(site, packs=packs, limits=limits)
    faults = Faults.parse(settings.get("faults", ()), site.catalogue.skills)
    ends = [_recorded_end(run) for run in record.skills]
    wanted = list(actions or [(run.start.skill, run.start.args) for run in record.skills])
    ends += [""] * (len(wanted) - len(ends))
    calls = Counter[str]()
    heard = _Ends()
    with Session(site, world=settings.get("world", {}), fast=True, listeners=[heard]) as session:
        for row in _action_sequences(wanted, ends):
            session.faults = Faults.parse(
                _faults_to_repeat(faults, row, calls), site.catalogue.skills
            )
            heard.found.clear()
            outcome = session.run("", _plan([action for action, _ in row]))
            for (op, args), recorded in row:
                now = heard.take_outcome(op, args) or f"not done: {outcome.reason_code}"
                yield Replayed(op, dict(args), recorded, now)


def _action_sequences(
    wanted: Sequence[_Act], ends: Sequence[str]
) -> Iterator[list[tuple[_Act, str]]]:
    """Yield sequences of actions with their recorded outcomes; a failed action ends a sequence."""
    row: list[tuple[_Act, str]] = []
    for action, end in zip(wanted, ends, strict=False):
        row.append((action, end))
        if end not in ("done", ""):
            yield row
            row = []
    if row:
        yield row


def _faults_to_repeat(
    faults: Faults, row: Sequence[tuple[_Act, str]], calls: Counter[str]
) -> list[str]:
    """Return the faults to inject into a sequence, with calls numbered within the sequence."""
    mine = Counter[str]()
    texts: list[str] = []
    for (op, _), _ in row:
        calls[op] += 1
        mine[op] += 1
        fault = faults.for_call(op, calls[op])
        texts += [] if fault is None else [f"{op}:{mine[op]}={fault.code}"]
    return texts


class _Ends:
    """Event listener that records the outcome of each skill in a plan."""

    def __init__(self) -> None:
        self.found: list[tuple[str, Mapping[str, Any], str]] = []
        self._started: dict[tuple[str, int], Mapping[str, Any]] = {}

    def on(self, event: Event) -> None:
        """Implement `bt_exec.events.Listener.on`."""
        if isinstance(event, SkillStarting):
            self._started[event.skill, event.call] = event.args
        elif isinstance(event, SkillEnded):
            args = self._started.pop((event.skill, event.call), {})
            self.found.append((event.skill, args, _end_text(event)))

    def take_outcome(self, op: str, args: Mapping[str, Any]) -> str:
        """Return the outcome of the next call of a skill with these arguments, or ""."""
        for number, (skill, given, end) in enumerate(self.found):
            if (skill, dict(given)) == (op, dict(args)):
                del self.found[: number + 1]
                return end
        return ""


def _recorded_end(run: SkillRun) -> str:
    return "unknown" if run.end is None else _end_text(run.end)


def _end_text(end: SkillEnded) -> str:
    return f"failed {end.failure.code}" if end.failure is not None else str(end.state)


def _plan(actions: Sequence[_Act]) -> MissionSpec:
    """Return the plan of a sequence of actions."""
    steps = [{"do": op, **({"with": dict(args)} if args else {})} for op, args in actions]
    root = steps[0] if len(steps) == 1 else {"sequence": steps}
    return MissionSpec.model_validate({"mission": {"command": ""}, "root": root})


def open_journal(path: Path) -> Journal:
    """Open the journal at a path.

    Raises:
        UsageError: If it is not a journal.
    """
    if not path.is_file():
        raise UsageError(f"{path}: only missions of a journal can be run again")
    return Journal.open(path)
