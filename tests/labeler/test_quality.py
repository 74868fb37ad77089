from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bt_exec_labeler.batch.output_and_answer_cache import Output, read_lines
from bt_exec_labeler.batch.run import label_moments
from bt_exec_labeler.episode import Episode
from bt_exec_labeler.labeler_items import items_of
from bt_exec_labeler.labelers.recorded_action_labeler import RulesLabeler
from bt_exec_labeler.quality.agreement import FIELDS, agreement, agreement_by_field, kappa
from bt_exec_labeler.quality.checks import (
    contradictions,
    difference_hash,
    duplicates,
    split_leaks,
    without_duplicates,
)
from bt_exec_labeler.quality.report import make_report, review_sample
from bt_exec_labeler.splits import Split
from bt_exec_labeler.vocabulary import Vocabulary

Lines = list[dict[str, Any]]


@pytest.fixture(scope="module")
def labelled(
    tmp_path_factory: pytest.TempPathFactory, episodes: Sequence[Episode], vocabulary: Vocabulary
) -> Output:
    output = Output(tmp_path_factory.mktemp("run") / "out")
    output.create_or_resume({"role": "controller"}, resume=False)
    items = [i for episode in episodes for i in items_of(episode, vocabulary, "controller")]
    label_moments(items, RulesLabeler(vocabulary), vocabulary, output)
    output.write_json_lines()
    return output


@pytest.fixture
def lines(labelled: Output) -> Lines:
    found = list(read_lines(labelled.folder / "records.jsonl"))
    assert found
    return found


def changed(line: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {**line, "record": {**line["record"], **fields}}


def test_kappa_equals_the_textbook_example() -> None:
    pairs = [("yes", "yes")] * 20 + [("yes", "no")] * 5 + [("no", "yes")] * 10 + [("no", "no")] * 15
    assert kappa({"step": pairs}) == pytest.approx(0.4)
    assert kappa({"step": [("a", "a")] * 3}) is None
    assert kappa({"step": [("a", "b"), ("b", "a")]}) == -1.0
    assert kappa({"one": [("a", "a")] * 3, "other": pairs}) == pytest.approx(0.4)


def test_agreement_is_computed_in_total_and_per_mid_step(lines: Lines) -> None:
    other = [changed(line, short_goal_dsl=[{"op": "REST", "args": {}}]) for line in lines[:5]]
    found = agreement(lines, [*other, *lines[5:]])
    assert found[""].moments == len(lines)
    assert found[""].same == pytest.approx(1 - 5 / len(lines))
    assert found[lines[-1]["mid_step_id"]].same == 1.0
    assert agreement(lines, []) == {}


def blind(lines: Lines) -> Lines:
    """Return the records of a labeler that only sees the mid step."""
    first: dict[str, dict[str, Any]] = {}
    for line in lines:
        first.setdefault(line["mid_step_id"], line["record"])
    return [{**line, "record": first[line["mid_step_id"]]} for line in lines]


def test_order_of_keys_and_list_entries_does_not_affect_agreement(lines: Lines) -> None:
    """Keys of objects and lists that represent sets are compared without their order."""

    def reordered(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: reordered(value[key]) for key in reversed(value)}
        return [reordered(one) for one in value] if isinstance(value, list) else value

    goal = {"op": "TALK", "args": {"to": "guard", "about": "gate"}}
    ours = [changed(line, short_goal_dsl=[goal], done_evidence=["a", "b"]) for line in lines]
    theirs = [changed(reordered(line), done_evidence=["b", "a"]) for line in ours]
    assert {
        name: found.same for name, found in agreement_by_field(ours, theirs).items()
    } == dict.fromkeys(FIELDS, 1.0)
    other = [changed(line, short_goal_dsl=[{**goal, "op": "GIVE"}, goal]) for line in ours]
    found = {name for name, one in agreement_by_field(ours, other).items() if one.same < 1}
    assert found == {"goal", "operation", "arguments"}


def test_labeler_that_ignores_the_pictures_has_a_kappa_of_zero(lines: Lines) -> None:
    found = agreement_by_field(blind(lines), lines)
    assert set(found) == set(FIELDS)
    for name, agreed in found.items():
        assert agreed.kappa is None or agreed.kappa == pytest.approx(0.0), name
    assert found["operation"].kappa is None  # each mid step of the game has one operation
    assert found["operation"].same == found["operation"].blind == 1.0
    assert found["horizon"].kappa == pytest.approx(0.0)
    assert agreement_by_field(lines, lines)["horizon"].kappa == 1.0


def test_report_lists_fields_determined_by_the_prompt(
    labelled: Output, lines: Lines, vocabulary: Vocabulary
) -> None:
    said = make_report(labelled, vocabulary, None, blind(lines), None)["lines"]
    text = "\n".join(said)
    assert re.search(r"operation +100.0 % .*determined by the prompt: no picture is needed", text)
    assert re.search(r"horizon .* without pictures, kappa -?0.00", text)


def test_records_of_the_rules_do_not_contradict_the_recording(
    lines: Lines, episodes: Sequence[Episode], vocabulary: Vocabulary
) -> None:
    by_name = {episode.id: episode for episode in episodes}
    for line in lines:
        assert contradictions(line, vocabulary, by_name[line["episode"]]) == ()


def test_contradictions_in_a_record_are_reported(
    lines: Lines, episodes: Sequence[Episode], vocabulary: Vocabulary
) -> None:
    line = next(one for one in lines if one["mid_step_id"] == "rest")
    episode = {one.id: one for one in episodes}[line["episode"]]
    cases = {
        "EVIDENCE_HOLDS_ALREADY": changed(line, done_evidence=["at=home"]),
        "HORIZON_BEYOND_EPISODE": changed(line, horizon_steps=20),
        "FALLBACK_IS_GOAL": changed(line, fallback_if_failed=["REST"]),
    }
    for code, wrong in cases.items():
        assert [b.code for b in contradictions(wrong, vocabulary, episode)] == [code]
    start = replace(episode, start_facts={"rested": "yes"}, actions=())
    held = contradictions(changed(line, horizon_steps=1), vocabulary, start)
    assert [breach.code for breach in held] == ["EVIDENCE_HOLDS_ALREADY"]


def test_duplicate_episodes_in_different_splits_are_reported(
    lines: Lines, episodes: Sequence[Episode]
) -> None:
    first = episodes[0]
    name = "copy"
    splits: dict[str, Split] = {first.id: "train", name: "test"}
    copy = replace(first, id=name)
    mine = [line for line in lines if line["episode"] == first.id]
    copies = [{**line, "item": f"{name}:{line['item']}", "episode": name} for line in mine]
    groups = duplicates([*mine, *copies], {first.id: first, name: copy})
    of = {line["item"]: line["episode"] for line in (*mine, *copies)}
    assert len(groups) > 5
    assert split_leaks(groups, of, splits) == groups
    assert split_leaks(groups, of, {**splits, name: "train"}) == []
    assert duplicates(mine, {first.id: first}) == []


def test_picture_hash_depends_on_the_content(episodes: Sequence[Episode]) -> None:
    first, last = (episodes[0].frames[place].image() for place in (0, -1))
    assert difference_hash(first) == difference_hash(first.copy())
    assert difference_hash(first) != difference_hash(last)


def test_review_sample_contains_a_fixed_share_of_each_mid_step(lines: Lines) -> None:
    sample = review_sample(lines)
    by_item = {line["item"]: line["mid_step_id"] for line in lines}
    assert sample == review_sample(reversed(lines))
    assert {by_item[item] for item in sample} == set(by_item.values())
    assert len(sample) < len(lines) / 3


def test_report_lists_uncovered_steps_and_writes_a_page(
    labelled: Output,
    lines: Lines,
    episodes: Sequence[Episode],
    vocabulary: Vocabulary,
    tmp_path: Path,
) -> None:
    step = {"text": {"en": "Fly."}, "ops": ["REST"], "args": {}}
    data = vocabulary.model_dump()
    more = Vocabulary.model_validate({**data, "mid_steps": {**data["mid_steps"], "fly": step}})
    page = tmp_path / "page.html"
    by_name = {episode.id: episode for episode in episodes}
    found = make_report(
        labelled, more, by_name, list(read_lines(labelled.folder / "records.jsonl")), page
    )
    assert found["missing"] == ["fly"]
    assert not [line for line in found["lines"] if line.startswith("! 0 ")]
    assert "! no record of fly" in found["lines"]
    assert found["agreement"][""].same == 1.0
    assert sum(found["mid_steps"].values()) == found["records"] == found["items"]
    text = page.read_text(encoding="utf-8")
    assert text.count("<figure>") == 10
    assert f"<p>{found['items']} items, {found['records']} records, " in text
    assert " object at 0x" not in text
    assert "data:image/jpeg;base64," in text
    assert json.loads(json.dumps(found))["uncertainty"] == found["uncertainty"]


def test_clips_of_different_length_or_content_are_not_near_duplicates(
    lines: Lines, episodes: Sequence[Episode]
) -> None:
    """Of three motionless episodes that look alike, one is shorter and one has another picture."""
    begin, later = (episodes[0].frames[place] for place in (0, -1))
    still = {"long": (begin, 8), "short": (begin, 4), "other": (later, 8)}
    known = {
        name: Episode(name, tuple(replace(frame, t=k / 2) for k in range(count)))  # type: ignore[type-var]
        for name, (frame, count) in still.items()
    }
    about = [
        {**lines[0], "item": name, "episode": name, "t": episode.times[-1]}
        for name, episode in known.items()
    ]
    assert without_duplicates(about, known) == about
    assert without_duplicates([about[0], {**about[0], "item": "again"}], known) == about[:1]
