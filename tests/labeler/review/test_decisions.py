"""Decisions of reviewers: storage, repair and evaluation."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bt_exec.failure import UnknownName, UsageError
from bt_exec_labeler.batch.output_and_answer_cache import Output, read_lines
from bt_exec_labeler.plan_record import FIELDS
from bt_exec_labeler.quality.report import make_report, review_figures
from bt_exec_labeler.review.decisions import (
    Decisions,
    agreed_decision,
    decisions_of,
    parse_decision,
)
from bt_exec_labeler.review.review_cards import Card, cards_of
from bt_exec_labeler.sources import read_source
from bt_exec_labeler.vocabulary import Vocabulary


def test_last_decision_about_an_item_is_read(tmp_path: Path) -> None:
    first = Decisions(tmp_path, "ann")
    for decision in ("accept", "reject"):
        first.add({"item": "a", "decision": decision})
    first.add({"item": "b", "decision": "accept"})
    first.close()
    again = Decisions(tmp_path, "ann")
    assert {item: one["decision"] for item, one in again.by_item.items()} == {
        "a": "reject",
        "b": "accept",
    }
    assert list(decisions_of(tmp_path)) == ["ann"]
    with pytest.raises(UsageError, match=r"ann is already reviewing"):
        Decisions(tmp_path, "ann")
    again.close()


def test_decision_is_synced_before_it_is_confirmed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[bytes] = []
    monkeypatch.setattr("os.fsync", lambda _: synced.append(path.read_bytes()))
    decisions = Decisions(tmp_path, "ann", lambda: datetime(2026, 11, 23, 1, 2, 3, 456, UTC))
    path = decisions.path
    for number in range(3):
        kept = decisions.add({"item": f"i{number}", "decision": "accept"})
        assert kept["at"] == "2026-11-23T01:02:03+00:00"
        assert synced[-1] == path.read_bytes()
    assert len(synced) == 3
    monkeypatch.setattr("os.fsync", full_disk)
    with pytest.raises(OSError, match="No space left"):
        decisions.add({"item": "i3", "decision": "accept"})
    assert path.read_bytes() == synced[-1]
    assert set(decisions.by_item) == {"i0", "i1", "i2"}
    decisions.close()


def full_disk(_: int) -> None:
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize("name", ["", "../ann", "a/b", "a b", ".ann", "-ann", "x" * 41])
def test_invalid_reviewer_name_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="a name may have at most 40"):
        Decisions(tmp_path, name)
    assert list(tmp_path.iterdir()) == []


def test_incomplete_line_is_removed(tmp_path: Path) -> None:
    first = Decisions(tmp_path, "ann")
    first.add({"item": "a", "decision": "accept"})
    first.close()
    with first.path.open("a") as file:
        file.write('{"item": "b", "deci')
    assert list(decisions_of(tmp_path)["ann"]) == ["a"]
    again = Decisions(tmp_path, "ann")
    again.add({"item": "c", "decision": "reject"})
    again.close()
    assert list(decisions_of(tmp_path)["ann"]) == ["a", "c"]


@pytest.mark.parametrize(
    "line", ["[]", "{}", "no", '{"item": "a", "decision": "yes"}', '{"item":"a","decision":[]}']
)
def test_invalid_line_is_reported(tmp_path: Path, line: str) -> None:
    (tmp_path / "review").mkdir()
    (tmp_path / "review" / "ann.jsonl").write_text(f"{line}\n")
    with pytest.raises(UsageError, match=r"ann\.jsonl:1 is not a decision"):
        Decisions(tmp_path, "ann")


_KILLED = """
import sys
from pathlib import Path
from bt_exec_labeler.review.decisions import Decisions
kept = Decisions(Path(sys.argv[1]), "ann")
for number in range(10**6):
    kept.add({"item": f"item {number}", "decision": "accept"})
    print(number, flush=True)
"""


def test_confirmed_decision_is_kept_after_a_kill(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _KILLED, str(tmp_path)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        for _ in range(20):
            process.stdout.readline()
        os.kill(process.pid, signal.SIGKILL)
        confirmed = 20 + len(process.stdout.read().splitlines())
    again = Decisions(tmp_path, "ann")
    again.close()
    assert len(again.by_item) in (confirmed, confirmed + 1)


def test_correction_must_be_a_valid_record(cards: Sequence[Card], vocabulary: Vocabulary) -> None:
    line = cards[0].line
    record = {name: line["record"][name] for name in FIELDS}
    wrong = parse_decision(
        {"decision": "correct", "record": {**record, "plan_id": "x", "horizon_steps": 0}},
        line,
        vocabulary,
    )
    assert isinstance(wrong, tuple)
    assert [breach.code for breach in wrong] == ["INJECTED_FIELD", "HORIZON_RANGE"]
    for data in ({}, {"decision": "perhaps"}, {"decision": ["accept"]}):
        wrong = parse_decision(data, line, vocabulary)
        assert isinstance(wrong, tuple)
        assert [breach.code for breach in wrong] == ["UNKNOWN_DECISION"]


def test_agreement_is_computed_between_two_reviewers_and_the_labeler(
    labelled: Path, cards: Sequence[Card], vocabulary: Vocabulary
) -> None:
    rest = [{"op": "REST", "args": {}}]
    for name in ("ann", "bo"):
        decisions = Decisions(labelled, name)
        for number, card in enumerate(cards):
            one = {"item": card.line["item"], "decision": "accept"}
            if number == 0:
                one["decision"] = "reject"
            if number == 1 and name == "bo":
                record = {**card.line["record"], "short_goal_dsl": rest}
                one |= {"decision": "correct", "record": record}
            decisions.add(one)
        decisions.close()
    records = list(read_lines(labelled / "records.jsonl"))
    found = review_figures(records, decisions_of(labelled))
    total = len(cards)
    assert found["reviewers"]["bo"] == {"accept": total - 2, "correct": 1, "reject": 1}
    assert list(found["agreement"]) == ["labeler, ann", "ann, bo", "labeler, bo"]
    between = found["agreement"]["ann, bo"][""]
    assert (between.moments, between.same) == (total, pytest.approx(1 - 1 / total))
    assert found["agreement"]["labeler, bo"][""].same == pytest.approx(1 - 2 / total)
    report = make_report(Output(labelled), vocabulary, None, None, None, decisions_of(labelled))
    said = "\n".join(report["lines"])
    assert f"reviewed by ann: accept {total - 1}, reject 1" in said
    assert "agreement ann, bo" in said
    json.dumps(report)


def test_controller_record_is_shown_without_a_summary_clip(
    labelled: Path, cards: Sequence[Card]
) -> None:
    assert set(cards[0].clips) == {"recent", "summary"}
    controller = Card({**cards[0].line, "role": "controller"}, cards[0].episode)
    assert set(controller.clips) == {"recent"}


def test_cards_of_another_recording_are_refused(labelled: Path, vocabulary: Vocabulary) -> None:
    with pytest.raises(UsageError, match="has no episode game_00"):
        cards_of(labelled, vocabulary, {})


def test_data_set_uses_reviewed_records(cards: Sequence[Card], vocabulary: Vocabulary) -> None:
    line = cards[0].line
    better = {name: line["record"][name] for name in FIELDS} | {"uncertainty": "mid"}
    accept, reject = {"decision": "accept"}, {"decision": "reject"}
    correct = {"decision": "correct", "record": better}

    def left(*decisions: Mapping[str, Any]) -> Any:
        decided = {f"r{n}": {line["item"]: one} for n, one in enumerate(decisions)}
        found = agreed_decision(line, decided, vocabulary)
        return None if found is None else found["record"]

    assert left() == left(accept) == left(accept, accept) == line["record"]
    assert left(correct) == left(correct, correct) == {**line["record"], "uncertainty": "mid"}
    for pair in ((accept, reject), (reject, accept), (accept, correct), (reject, reject)):
        assert left(*pair) is None


def test_whole_episode_is_reviewed_in_chronological_order(
    labelled: Path, played: Path, vocabulary: Vocabulary
) -> None:
    episodes = {one.id: one for one in read_source(played)}
    found = [card.line for card in cards_of(labelled, vocabulary, episodes, "game_02")]
    lines = list(read_lines(labelled / "records.jsonl"))
    wanted = [line for line in lines if line["episode"] == "game_02"]
    assert sorted(line["item"] for line in found) == sorted(line["item"] for line in wanted)
    assert [line["t"] for line in found] == sorted(line["t"] for line in wanted)
    with pytest.raises(UnknownName, match="game_09"):
        cards_of(labelled, vocabulary, episodes, "game_09")
