from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bt_exec.batch.store import ResultStore
from bt_exec.failure import UsageError
from bt_exec_labeler import cli_commands
from bt_exec_labeler.batch.budget import Budget
from bt_exec_labeler.batch.output_and_answer_cache import Cache, Output, default_cache, read_lines
from bt_exec_labeler.batch.run import BATCH, label_batch, label_moments
from bt_exec_labeler.episode import Episode, FileFrame
from bt_exec_labeler.labeler_items import Item, items_of
from bt_exec_labeler.labelers import LabelerFailure, Labelled
from bt_exec_labeler.labelers.recorded_action_labeler import RulesLabeler
from bt_exec_labeler.plan_record import Breach
from bt_exec_labeler.vocabulary import Vocabulary


class Counting:
    """Labeler that uses the rules, drops the given items, and counts its calls.

    Like a model, it uses only the clip, so that equal clips get equal answers.
    """

    name = "counting"

    def __init__(self, vocabulary: Vocabulary, *, away: int = 0, drop: str = "") -> None:
        self.rules = RulesLabeler(vocabulary)
        self.asked: list[str] = []
        self.away = away
        self.drop = drop
        self.busy = self.most = 0
        self.seen: dict[tuple[str, str], Labelled] = {}
        self._lock = threading.Lock()

    def label(self, items: Sequence[Item]) -> Sequence[Labelled]:
        with self._lock:
            self.busy += 1
            self.most = max(self.most, self.busy)
            self.asked += [item.id for item in items]
            away, self.away = self.away > 0, self.away - 1
        time.sleep(0.01)
        with self._lock:
            self.busy -= 1
        if away:
            raise LabelerFailure("MODEL_UNREACHABLE", "nobody is at home")
        return [self._answer(item) for item in items]

    def _answer(self, item: Item) -> Labelled:
        if item.mid_step_id == self.drop:
            return Labelled(None, (Breach("DROPPED", "record", "as told"),))
        with self._lock:
            key = (item.clip_hash, item.mid_step_id)
            return self.seen.setdefault(key, self.rules.label([item])[0])

    def usage(self) -> Mapping[str, float]:
        return {"requests": len(self.asked) / BATCH, "input_tokens": 10.0 * len(self.asked)}


@pytest.fixture
def moments(episodes: Sequence[Episode], vocabulary: Vocabulary) -> list[Item]:
    return [i for episode in episodes for i in items_of(episode, vocabulary, "controller")]


def output(folder: Path, **manifest: Any) -> Output:
    made = Output(folder)
    made.create_or_resume(manifest, resume=True)
    return made


def joined(out: Output) -> dict[str, bytes]:
    out.write_json_lines()
    return {name: (out.folder / f"{name}.jsonl").read_bytes() for name in ("records", "drops")}


def test_every_item_is_written_on_one_line_in_order(
    moments: list[Item], vocabulary: Vocabulary, tmp_path: Path
) -> None:
    out = output(tmp_path / "out")
    labeler = Counting(vocabulary, drop="open_gate")
    progress = label_moments(moments, labeler, vocabulary, out, workers=3)
    out.write_json_lines()
    records = list(read_lines(out.folder / "records.jsonl"))
    drops = list(read_lines(out.folder / "drops.jsonl"))
    by_id = {item.id: item for item in moments}
    assert len(by_id) == len(moments) == progress.items == len(records) + len(drops)
    assert {line["mid_step_id"] for line in drops} == {"open_gate"}
    assert all(line["why"][0]["code"] == "DROPPED" for line in drops)
    for line in records:
        item = by_id[line["item"]]
        expected = labeler.seen[item.clip_hash, item.mid_step_id].record
        assert expected is not None
        made = {k: v for k, v in line["record"].items() if k not in ("schema_version", "plan_id")}
        assert made == json.loads(json.dumps(expected.to_dict()))
        assert line["record"]["plan_id"] == f"plan_{item.episode.id}_{item.t:g}"
    assert 1 < labeler.most <= 3


def test_second_run_sends_no_requests(
    moments: list[Item], vocabulary: Vocabulary, tmp_path: Path
) -> None:
    cache = Cache(tmp_path / "cache.sqlite")
    first, second = Counting(vocabulary), Counting(vocabulary)
    one, two = output(tmp_path / "one"), output(tmp_path / "two")
    label_moments(moments, first, vocabulary, one, cache=cache)
    progress = label_moments(moments, second, vocabulary, two, cache=cache)
    cache.close()
    assert set(first.asked) <= {item.id for item in moments}
    assert len(first.asked) > 20
    assert (second.asked, progress.cached) == ([], len(moments))
    assert joined(one) == joined(two)


def test_cached_answers_are_specific_to_labeler_and_vocabulary(
    moments: list[Item], vocabulary: Vocabulary, tmp_path: Path
) -> None:
    path = tmp_path / "cache.sqlite"
    first, other, fewer = (Cache(path, scope) for scope in ("one", "two", "one"))
    label_moments(moments, Counting(vocabulary), vocabulary, output(tmp_path / "one"), cache=first)
    second = Counting(vocabulary)
    label_moments(moments, second, vocabulary, output(tmp_path / "two"), cache=other)
    assert len(second.asked) > 20
    poorer = vocabulary.model_copy(update={"fallbacks": ("step_back", "MOVE_NAV")})
    third = Counting(vocabulary)
    label_moments(moments, third, poorer, output(tmp_path / "three"), cache=fewer)
    assert len(third.asked) > 20
    for cache in (first, other, fewer):
        cache.close()


def test_items_are_requested_again_for_a_new_vocabulary_version(
    moments: list[Item], vocabulary: Vocabulary, tmp_path: Path
) -> None:
    cache = Cache(tmp_path / "cache.sqlite")
    label_moments(moments, Counting(vocabulary), vocabulary, output(tmp_path / "one"), cache=cache)
    newer = vocabulary.model_copy(update={"version": "plan_v1.1"})
    again = Counting(newer)
    label_moments(moments, again, newer, output(tmp_path / "two"), cache=cache)
    cache.close()
    assert len(again.asked) > 20


def test_unanswered_items_are_labelled_after_resuming(
    moments: list[Item], vocabulary: Vocabulary, tmp_path: Path
) -> None:
    out = output(tmp_path / "out")
    progress = label_moments(moments, Counting(vocabulary, away=2), vocabulary, out, workers=1)
    assert progress.batches_failed == {"MODEL_UNREACHABLE": 2}
    assert progress.items == len(moments) - 2 * BATCH
    again = Counting(vocabulary)
    label_moments(moments, again, vocabulary, out)
    assert sorted(again.asked) == sorted(item.id for item in moments[: 2 * BATCH])
    whole = output(tmp_path / "whole")
    label_moments(moments, Counting(vocabulary), vocabulary, whole)
    assert joined(out) == joined(whole)


def test_run_ends_after_three_batches_without_answers(
    moments: list[Item], vocabulary: Vocabulary, tmp_path: Path
) -> None:
    labeler = Counting(vocabulary, away=10**6)
    progress = label_moments(moments, labeler, vocabulary, output(tmp_path / "out"), workers=1)
    assert progress.stopped == "3 batches in a row got no answer: nobody is at home"
    assert len(labeler.asked) <= 4 * BATCH


@pytest.mark.parametrize(
    ("budget", "said"),
    [
        (Budget(requests=2), "the budget of 2 requests is used up"),
        (Budget(tokens=200), "the budget of 200 tokens is used up"),
    ],
)
def test_budget_ends_a_run_and_finished_items_are_kept(
    moments: list[Item], vocabulary: Vocabulary, tmp_path: Path, budget: Budget, said: str
) -> None:
    out = output(tmp_path / "out")
    labeler = Counting(vocabulary)
    progress = label_moments(moments, labeler, vocabulary, out, budget=budget, workers=1)
    assert progress.stopped == said
    assert 0 < progress.items < len(moments)
    assert len(list(out.result_store.results_in_order())) == progress.items


def test_stop_is_checked_between_batches(
    moments: list[Item], vocabulary: Vocabulary, tmp_path: Path
) -> None:
    out = output(tmp_path / "out")
    asked = iter([False, True])
    progress = label_moments(
        moments, Counting(vocabulary), vocabulary, out, workers=1, stop=lambda: next(asked)
    )
    assert (progress.stopped, progress.items) == ("it was asked to stop", 2 * BATCH)


def test_each_answer_is_written_once(
    items: Sequence[Item], vocabulary: Vocabulary, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[str] = []
    put = ResultStore.put

    def note(self: ResultStore, lines: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
        written.extend(key for key, _ in lines)
        put(self, lines)

    monkeypatch.setattr(ResultStore, "put", note)
    with Output(tmp_path / "run").create_or_resume({}, resume=False) as output:
        found = label_moments(items, RulesLabeler(vocabulary), vocabulary, output, workers=2)
    assert found.items == len(items) == len(written) == len(set(written))


def test_interrupted_command_stops_between_batches(
    game: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = iter([False, True])
    interrupted = nullcontext(lambda: next(asked, True))
    monkeypatch.setattr("bt_exec_labeler.batch.command.interrupt_check", lambda: interrupted)
    words = game / "vocabulary.yaml"
    found = cli_commands.run(game, words, tmp_path / "run", labeler="rules", role="controller")
    assert found["stopped"] == "it was asked to stop"
    assert found["records"] == 2 * BATCH
    assert found["left"] == found["items"] - 2 * BATCH


def test_another_run_is_never_overwritten(tmp_path: Path) -> None:
    first = Output(tmp_path / "out")
    first.create_or_resume({"role": "planner"}, resume=False)
    with pytest.raises(UsageError, match="continue it with --resume"):
        Output(tmp_path / "out").create_or_resume({"role": "planner"}, resume=False)
    with pytest.raises(UsageError, match="another run: role differ"):
        Output(tmp_path / "out").create_or_resume({"role": "controller"}, resume=True)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.txt").write_text("x")
    with pytest.raises(UsageError, match="is not empty"):
        Output(tmp_path / "full").create_or_resume({}, resume=True)


def test_cache_is_in_the_cache_folder_of_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_cache().parts[-2:] == ("bt-exec", "labels.sqlite")
    cache = Cache(default_cache())
    cache.put({"key": {"text": "열쇠"}})
    assert cache.get(["key", "other"]) == {"key": {"text": "열쇠"}}
    cache.close()
    with pytest.raises(sqlite3.ProgrammingError):
        cache.get(["key"])


def test_duplicate_moments_are_requested_once(
    moments: list[Item], vocabulary: Vocabulary, tmp_path: Path
) -> None:
    labeler = Counting(vocabulary)
    out = output(tmp_path / "run")
    label_moments([*moments, *moments], labeler, vocabulary, out)
    out.write_json_lines()
    assert sorted(labeler.asked) == sorted(item.id for item in moments)
    assert len(list(read_lines(tmp_path / "run" / "records.jsonl"))) == len(moments)


def test_moment_without_a_readable_frame_is_dropped_without_a_request(
    items: Sequence[Item], vocabulary: Vocabulary
) -> None:
    gone = FileFrame(items[0].t, Path("/nowhere/gone.png"))
    blind = replace(items[0], recent=replace(items[0].recent, frames=(gone,)))
    labeler = Counting(vocabulary)
    lines, failure = label_batch({"blind": blind, "seen": items[1]}, labeler, vocabulary, None)
    assert failure is None
    assert labeler.asked == [items[1].id]
    found = dict(lines)
    assert found["blind"]["record"] is None
    assert [why["code"] for why in found["blind"]["why"]] == ["DAMAGED_FRAME"]
    assert found["seen"]["record"] is not None
