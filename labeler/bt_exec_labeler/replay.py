"""Records of our own missions are ticked again: does each short goal end as it was recorded?

A mission's world is made anew from its record, what was done before the moment is done again, one
action at a time, and then the goal. Every action is a plan of its own, verified like any other,
with nothing planned again after a failure. Faults that were made on purpose are made again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bt_exec.failure import BtExecError, UsageError
from bt_exec.journal import Journal
from bt_exec.journal.record import MissionRecord, SkillRun
from bt_exec.mission.session import Session
from bt_exec.nodes.fault_injection import Faults
from bt_exec.site.site import load_site
from bt_exec.spec.model import MissionSpec

__all__ = ["Replayed", "journal_of", "replay", "replay_line"]


@dataclass(frozen=True, slots=True)
class Replayed:
    """What became of one action.

    Attributes:
        op: The skill.
        args: Its arguments.
        recorded: How it ended in the mission: ``done``, ``failed CODE``.
        now: How it ended this time.
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
        journal: Where its mission is.

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


def replay(
    record: MissionRecord, actions: Sequence[tuple[str, Mapping[str, Any]]] | None = None
) -> Iterator[Replayed]:
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
    wanted = actions or [(run.start.skill, run.start.args) for run in record.skills]
    calls = Counter[str]()
    with Session(site, world=settings.get("world", {}), fast=True) as session:
        for number, (op, args) in enumerate(wanted):
            calls[op] += 1
            code = faults.code_for(op, calls[op])
            texts = [] if code is None else [f"{op}={code}"]
            session.faults = Faults.parse(texts, site.catalogue.skills)
            outcome = session.run("", _plan(op, args))
            failed = [str(failure["code"]) for failure in outcome.failures]
            now = "done" if outcome.status == "satisfied" else f"failed {''.join(failed[-1:])}"
            yield Replayed(op, dict(args), ends[number] if number < len(ends) else "", now)


def _recorded(run: SkillRun) -> str:
    if run.end is None:
        return "unknown"
    return f"failed {run.end.failure.code}" if run.end.failure is not None else str(run.end.state)


def _plan(op: str, args: Mapping[str, Any]) -> MissionSpec:
    """Return the plan that does one thing."""
    node: dict[str, Any] = {"do": op, **({"with": dict(args)} if args else {})}
    return MissionSpec.model_validate({"mission": {"command": ""}, "root": node})


def journal_of(path: Path) -> Journal:
    """Open the journal that was labelled.

    Raises:
        UsageError: If it is none.
    """
    if not path.is_file():
        raise UsageError(f"{path}: only missions of a journal are ticked again")
    return Journal.open(path)
