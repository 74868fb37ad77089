"""Recorded missions, some with faults: labels of the rules agree with the journal and replay.

``BT_EXEC_LABEL_MISSIONS=300`` sets the number of missions; the default is small.
"""

from __future__ import annotations

import math
import os
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import pytest

from bt_exec.events import Observed
from bt_exec.journal import Journal
from bt_exec.journal.recorded_mission import MissionRecord, SkillRun
from bt_exec.mission.session import Session
from bt_exec.site.site import Site, load_site
from bt_exec_labeler import cli_commands
from bt_exec_labeler.batch.output_and_answer_cache import read_lines
from bt_exec_labeler.quality.agreement import FIELDS
from bt_exec_labeler.short_goal_replay import Replayed, replay
from bt_exec_labeler.vocabulary import Vocabulary, load_vocabulary
from bt_exec_labeler.vocabulary_draft import draft_vocabulary

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3600)]

MISSIONS = int(os.environ.get("BT_EXEC_LABEL_MISSIONS", "10"))
REPLAYED = 25  # of each site
WORDS = Path(__file__).parent.parent / "data" / "labels"
SAID = {
    "door": (
        "open the door",
        "close the door",
        "문을 열어",
        "문 닫아 줘",
        "get the material",
        "자재 가져와",
        "open the door with the left arm",
        "go home",
    ),
    "building": (
        "라운지 갔다와",
        "go to the corridor",
        "복도 보고 와서 알려줘",
        "go to the lounge and tell me what you see",
        "교수님께 회의가 언제인지 여쭤보고 와줘",
        "check the lounge and the corridor",
    ),
}
FAULTS = {
    "door": ("open_door:1=GRASP_SLIPPED", "grasp:1=GRASP_SLIPPED", "move_arm:1=TIMEOUT"),
    "building": ("navigate:1=TIMEOUT", "observe_scene:1=TIMEOUT"),
}


Act: TypeAlias = tuple[str, Mapping[str, Any]]


class Span(NamedTuple):
    """Successive skill runs of one mid step in the journal, by their numbers in the mission."""

    step: str
    runs: tuple[int, ...]


def recorded(name: str, journal: Path, count: int) -> None:
    """Run missions in random worlds; every third has a fault."""
    site, chance = site_of(name), random.Random(11)
    for number in range(count):
        world = {"seed": str(chance.randrange(10**6))}
        if name == "door":
            world["door"] = chance.choice(("open", "closed"))
        with Session(
            site,
            world=world,
            fast=True,
            faults=[chance.choice(FAULTS[name])] if number % 3 == 2 else (),
            journal=Journal.open(journal),
            frames=True,
        ) as session:
            session.run(chance.choice(SAID[name]))


def site_of(name: str) -> Site:
    site = load_site(name)
    if name != "door":
        return site
    packs = {"door": site.packs["door"].model_copy(update={"detector": "oracle"})}
    return replace(site, packs=packs)


def spans_in(runs: Sequence[SkillRun], vocabulary: Vocabulary) -> list[Span]:
    """Return the spans of a mission; a failed run ends one.

    An attempt that ended when the next one began is not a span: it has no frame.
    """
    spans: list[Span] = []
    open_step = ""
    for number, run in enumerate(runs):
        step = vocabulary.step_of(run.start.skill, run.start.args)
        if step and step == open_step:
            spans[-1] = Span(step, (*spans[-1].runs, number))
        elif step:
            spans.append(Span(step, (number,)))
        open_step = step if run.end is not None and run.end.state == "done" else ""
    starts = [(span.step, round(runs[span.runs[0]].start.t, 6)) for span in spans]
    return [span for number, span in enumerate(spans) if starts[number] not in starts[number + 1 :]]


def right_fields(
    line: Mapping[str, Any], span: Span, record: MissionRecord, words: Vocabulary
) -> dict[str, bool]:
    """Return for each field whether it agrees with the journal."""
    said, t = line["record"], line["t"] + 1e-6  # moments are rounded
    ahead = [n for n in span.runs if end_of(record.skills[n]) > t] or [span.runs[-1]]
    goals = said["short_goal_dsl"]
    runs = [record.skills[n] for n in ahead[: len(goals)]]
    failed = any(run.end is None or run.end.state != "done" for run in runs)
    left = min(words.limits.horizon_s, end_of(runs[-1]) - line["t"])
    steps = max(1, math.ceil(left / words.limits.step_s - 1e-6))
    last = ahead[len(runs) - 1]
    within = end_of(record.skills[last]) <= line["t"] + words.limits.horizon_s + 1e-6
    complete = within and not failed and last == span.runs[-1]
    observed = facts_after(record, last)
    claims = [word.split("=", 1) for word in said["done_evidence"] if "=" in word]
    tried = []
    if runs[-1].end is not None and runs[-1].end.state == "failed":
        tried = [run.start.skill for run in record.skills[last + 1 : last + 2]]
    usual = words.mid_steps[span.step].fallbacks
    known = [word for word in (*tried, *usual) if word in words.fallbacks]
    return {
        "mid_step": said["mid_step_id"] == span.step,
        "operation": [goal["op"] for goal in goals] == [run.start.skill for run in runs],
        "arguments": [goal["args"] for goal in goals] == [dict(run.start.args) for run in runs],
        "horizon": said["horizon_steps"] == min(steps, words.limits.horizon_steps),
        "terminate_on": (said["terminate_on"] == "done_evidence_or_replan")
        == bool(said["done_evidence"]),
        "evidence": (complete or not said["done_evidence"])
        and all(observed.get(fact, value) == value for fact, value in claims),
        "fallback": said["fallback_if_failed"] == list(dict.fromkeys(known))[: words.limits.words],
        "uncertainty": (said["uncertainty"] == "high") == failed,
    }


def facts_after(record: MissionRecord, number: int) -> Mapping[str, str]:
    """Return the facts observed between a skill run and the next one."""
    end = end_of(record.skills[number])
    after = record.skills[number + 1].start.t if number + 1 < len(record.skills) else math.inf
    seen = [
        dict(look.observation.facts())
        for look in record.observations
        if isinstance(look, Observed) and end < look.observation.t <= after
    ]
    at_end = dict(record.facts_at_end) if after == math.inf else {}
    return {**(seen[-1] if seen else {}), **at_end}


def end_of(run: SkillRun) -> float:
    return math.inf if run.end is None else run.end.t


def is_within(line: Mapping[str, Any], span: Span, record: MissionRecord) -> bool:
    first, last = record.skills[span.runs[0]], record.skills[span.runs[-1]]
    until = max(end_of(last), first.start.t + 1e-6)
    return bool(line["mid_step_id"] == span.step and first.start.t - 1e-6 <= line["t"] < until)


def numbered(line: Mapping[str, Any], span: Span, record: MissionRecord) -> dict[int, Act]:
    """Return the goals of a label with the numbers of their runs."""
    left = [n for n in span.runs if end_of(record.skills[n]) > line["t"] + 1e-6]
    goals = [(goal["op"], goal["args"]) for goal in line["record"]["short_goal_dsl"]]
    return dict(zip(left or span.runs[-1:], goals, strict=False))


def again(record: MissionRecord, said: Mapping[int, Act]) -> list[Replayed]:
    """Run the labelled actions again; the others are repeated as recorded."""
    wanted = [
        said.get(number, (run.start.skill, run.start.args))
        for number, run in enumerate(record.skills)
    ]
    ends = list(replay(record, wanted)) if wanted else []
    return [ends[number] for number in sorted(said)]


@pytest.mark.parametrize("name", ["door", "building"])
def test_labels_agree_with_the_journal_and_replay_as_recorded(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recorded(name, tmp_path / "j.sqlite", MISSIONS // 2)
    path = WORDS / f"{name}.yaml"
    if not path.is_file():
        path = tmp_path / "words.yaml"
        path.write_text(draft_vocabulary(name), encoding="utf-8")
    words, journal = load_vocabulary(path), Journal.open(tmp_path / "j.sqlite")
    cli_commands.run(
        tmp_path / "j.sqlite",
        path,
        tmp_path / "run",
        labeler="rules",
        role="controller",
        stride_s=0.5,
        workers=2,
        no_cache=True,
    )
    lines = list(read_lines(tmp_path / "run" / "records.jsonl"))
    spans = agreeing = goals = moments = 0
    right = Counter[str]()
    different: list[tuple[str, Replayed]] = []
    for number, mission in enumerate(journal.missions(None)):
        record = journal.mission(mission.id)
        mine = [line for line in lines if line["episode"] == mission.id]
        said: dict[int, Act] = {}
        for span in spans_in(record.skills, words):
            within = [line for line in mine if is_within(line, span, record)]
            spans, agreeing = spans + 1, agreeing + bool(within)
            for line in within:
                moments += 1
                right.update(
                    field for field, good in right_fields(line, span, record, words).items() if good
                )
                said |= numbered(line, span, record)
        if number < REPLAYED:
            ends = again(record, said)
            goals += len(ends)
            different += [(mission.id, one) for one in ends if not one.has_same_outcome]
    shares = {field: right[field] / moments for field in FIELDS if field != "goal"}
    with capsys.disabled():
        print(
            f"\n{name}: {MISSIONS // 2} missions, {agreeing} of {spans} spans have labels, "
            f"{moments} moments, {goals - len(different)} of {goals} goals end as recorded; right: "
            + ", ".join(f"{field} {share:.2%}" for field, share in shares.items())
        )
    assert different == []
    assert agreeing == spans > MISSIONS // 2
    assert min(shares.values()) >= 0.99
