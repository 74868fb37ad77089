"""Reader for missions in the journal of bt-exec.

Frames are available if the missions were run with ``--frames``. The effects of actions are taken
from the declarations of the skills in the packs of the mission's site.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from bt_exec.failure import BtExecError, UsageError
from bt_exec.journal import Journal
from bt_exec.journal.recorded_mission import MissionRecord, SkillRun
from bt_exec.planning.compiler import REPLIES
from bt_exec.site.site import Site, load_site
from bt_exec.verify.effects_on_facts import fill_arguments
from bt_exec_labeler.episode import (
    Action,
    Episode,
    FileFrame,
    Flaw,
    Frame,
    Reply,
    ReplyKind,
    State,
    order_frames,
)

__all__ = ["episode_of", "read_journal"]

_GAP_S = 2.0  # longest pause that is not a gap; by default an idle camera observes once a second


def read_journal(path: Path) -> Iterator[Episode]:
    """Yield the finished missions of a journal as episodes, oldest first.

    Raises:
        UsageError: If it is not a journal of this version.
    """
    journal = Journal.open(path)
    sites: dict[str, Site | None] = {}
    for line in reversed(journal.missions(None)):
        if line.ended_at is not None:
            record = journal.mission(line.id)
            yield episode_of(record, _site(line.site, sites), path)


def episode_of(record: MissionRecord, site: Site | None, journal: Path) -> Episode:
    """Return the episode of a recorded mission.

    Args:
        record: Journal record of the mission.
        site: Site of the mission; None if it is not installed, so that effects are unknown.
        journal: Path of the journal, for the field ``origin``.
    """
    found: list[Frame] = []
    flaws: list[Flaw] = [Flaw("damaged", record.id, why) for why in record.unreadable]
    facts: Mapping[str, str] = {}
    for look in record.observations:
        observation = getattr(look, "observation", None)
        if observation is None:
            continue
        facts = facts or dict(observation.facts())
        if observation.frame_file is not None:
            found.append(FileFrame(max(0.0, observation.t), observation.frame_file))
    if not found:
        flaws.append(Flaw("no_frames", record.id, "was recorded without frames; run with --frames"))
    elif record.frames_dropped:
        flaws.append(Flaw("gap", record.id, f"{record.frames_dropped} frames were dropped"))
    frames, wrong, doubts = order_frames(found, _GAP_S)
    return Episode(
        record.id,
        frames,
        tuple(_action_of_run(run, site) for run in record.skills),
        record.command,
        record.line.language,
        facts,
        {"journal": str(journal), "mission": record.id, "site": record.line.site},
        (*flaws, *wrong),
        doubts,
        _reply_of_mission(record),
    )


def _reply_of_mission(record: MissionRecord) -> Reply | None:
    """Return the reply of a mission without actions; None for others."""
    outcome = record.outcome
    if outcome is None or record.skills or outcome.status not in ("refused", "satisfied"):
        return None
    said = outcome.reason_code == "OK" or outcome.reason_code in REPLIES
    kind: ReplyKind = "answered" if said else "nothing_to_do"
    if outcome.status == "refused":
        kind = "refused"
    held = {True: "yes", False: "no", None: "unknown"}
    verdicts = [(asked.question, asked.verdict) for asked in record.verdicts]
    checks = (f"{asked}: {held[found.holds]} ({found.why})" for asked, found in verdicts)
    return Reply(
        kind,
        outcome.reason_code,
        outcome.message,
        max((event.t for event in record.events), default=0.0),
        outcome.missing,
        (*outcome.did_you_mean, *outcome.nearest),
        tuple(dict.fromkeys(checks)),
    )


def _action_of_run(run: SkillRun, site: Site | None) -> Action:
    """Return the recorded run of a skill as an action."""
    end, state = run.end, _state(run)
    return Action(
        run.start.t,
        None if end is None else end.t,
        run.start.skill,
        dict(run.start.args),
        state,
        end.failure.code if end is not None and end.failure is not None else "",
        _established_facts(run, site) if state == "done" else {},
    )


def _state(run: SkillRun) -> State:
    return "unknown" if run.end is None else run.end.state


def _established_facts(run: SkillRun, site: Site | None) -> Mapping[str, str]:
    """Return the facts that a skill establishes on success, according to its declaration."""
    skill = None if site is None else site.catalogue.skills.get(run.start.skill)
    if skill is None:
        return {}
    try:
        args: dict[str, Any] = skill.validate(run.start.args)
    except ValidationError:
        return {}  # recorded with arguments that the skill no longer has
    return {
        fill_arguments(fact, args): fill_arguments(value, args)
        for fact, value in skill.effects.items()
    }


def _site(name: str, known: dict[str, Site | None]) -> Site | None:
    """Return a site by name, or None if it cannot be loaded here."""
    if name not in known:
        try:
            known[name] = load_site(name)
        except (BtExecError, UsageError):
            known[name] = None
    return known[name]
