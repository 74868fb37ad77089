"""Replay of our own missions from records: each short goal must end as recorded.

A mission's world is made anew from its record, what was done before the moment is done again, and
then the goal. Actions in a row are one plan, up to one that failed, as they were in the mission:
what one needs the one before it gives. Every plan is verified like any other, and nothing is
planned again after a failure. Faults that were made on purpose are made again.
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
from bt_exec.journal.record import MissionRecord, SkillRun
from bt_exec.mission.session import Session
from bt_exec.nodes.fault_injection import Faults
from bt_exec.site.site import load_site
from bt_exec.spec.model import MissionSpec

__all__ = ["Replayed", "journal_of", "replay", "replay_line"]

_Act: TypeAlias = tuple[str, Mapping[str, Any]]
"""A skill and its arguments."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """Result of one action.

    Attributes:
        op: The skill.
        args: Arguments by name.
        recorded: End in the mission: ``done``, ``failed CODE``.
        now: End in the replay, or why it was not done.
    """

    op: str
    args: Mapping[str, Any]
    recorded: str
    now: str

    @property
    def same(self) -> bool:
        """Whether it ended as it was recorded."""
        return self.recorded == self.now


def replay_line(line: Mapping[str, Any], journal: Journal) -> list[Replayed]:
    """Tick a record again: first what was done before its moment, then its short goal.

    Args:
        line: A line of ``records.jsonl``.
        journal: Journal of its mission.

    Returns:
        What became of the actions of the short goal.

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
    """Do actions one after another in the world that a mission began in.

    Args:
        record: The mission.
        actions: Skills and their arguments; all of the mission's own if not given.

    Raises:
        UsageError: If the mission ran on a real robot, or its site is not installed here.
    """
    settings = record.settings
    if not settings.get("fast"):
        raise UsageError(
            f"mission {record.id} ran in real time; only simulated missions run with --fast are "
            "ticked again"
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
    ends = [_recorded(run) for run in record.skills]
    wanted = list(actions or [(run.start.skill, run.start.args) for run in record.skills])
    ends += [""] * (len(wanted) - len(ends))
    calls = Counter[str]()
    heard = _Ends()
    with Session(site, world=settings.get("world", {}), fast=True, listeners=[heard]) as session:
        for row in _rows(wanted, ends):
            session.faults = Faults.parse(_again(faults, row, calls), site.catalogue.skills)
            heard.found.clear()
            outcome = session.run("", _plan([action for action, _ in row]))
            for (op, args), recorded in row:
                now = heard.take(op, args) or f"not done: {outcome.reason_code}"
                yield Replayed(op, dict(args), recorded, now)


def _rows(wanted: Sequence[_Act], ends: Sequence[str]) -> Iterator[list[tuple[_Act, str]]]:
    """Return actions with their recorded ends, in rows that end with one that did not work."""
    row: list[tuple[_Act, str]] = []
    for action, end in zip(wanted, ends, strict=False):
        row.append((action, end))
        if end not in ("done", ""):
            yield row
            row = []
    if row:
        yield row


def _again(faults: Faults, row: Sequence[tuple[_Act, str]], calls: Counter[str]) -> list[str]:
    """Return the faults of a row; calls are counted on, for the mission's faults are its own."""
    mine = Counter[str]()
    texts: list[str] = []
    for (op, _), _ in row:
        calls[op] += 1
        mine[op] += 1
        fault = faults.for_call(op, calls[op])
        texts += [] if fault is None else [f"{op}:{mine[op]}={fault.code}"]
    return texts


class _Ends:
    """Listener for the end of each skill of a plan."""

    def __init__(self) -> None:
        self.found: list[tuple[str, Mapping[str, Any], str]] = []
        self._started: dict[tuple[str, int], Mapping[str, Any]] = {}

    def on(self, event: Event) -> None:
        """See `bt_exec.events.Listener.on`."""
        if isinstance(event, SkillStarting):
            self._started[event.skill, event.call] = event.args
        elif isinstance(event, SkillEnded):
            args = self._started.pop((event.skill, event.call), {})
            self.found.append((event.skill, args, _said(event)))

    def take(self, op: str, args: Mapping[str, Any]) -> str:
        """Return the end of the next call of a skill with these arguments; "" if there is none."""
        for number, (skill, given, end) in enumerate(self.found):
            if (skill, dict(given)) == (op, dict(args)):
                del self.found[: number + 1]
                return end
        return ""


def _recorded(run: SkillRun) -> str:
    return "unknown" if run.end is None else _said(run.end)


def _said(end: SkillEnded) -> str:
    return f"failed {end.failure.code}" if end.failure is not None else str(end.state)


def _plan(actions: Sequence[_Act]) -> MissionSpec:
    """Return the plan that does one thing after another."""
    steps = [{"do": op, **({"with": dict(args)} if args else {})} for op, args in actions]
    root = steps[0] if len(steps) == 1 else {"sequence": steps}
    return MissionSpec.model_validate({"mission": {"command": ""}, "root": root})


def journal_of(path: Path) -> Journal:
    """Open the journal that was labelled.

    Raises:
        UsageError: If it is none.
    """
    if not path.is_file():
        raise UsageError(f"{path}: only missions of a journal are ticked again")
    return Journal.open(path)
