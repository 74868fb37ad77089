from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import pyarrow.parquet
import pytest

from bt_exec.failure import UsageError
from bt_exec_labeler import commands
from bt_exec_labeler.datasets.memory import Memory
from bt_exec_labeler.items import Role
from bt_exec_labeler.record import Record, read_record
from bt_exec_labeler.splits import split_of
from bt_exec_labeler.testing.game import make_game
from bt_exec_labeler.vocabulary import Vocabulary


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_game(tmp_path_factory.mktemp("game") / "game", episodes=4, seed=1)


def made(recording: Path, folder: Path, role: Role) -> tuple[Path, Path]:
    words = recording / "vocabulary.yaml"
    run = folder / f"run_{role}"
    commands.run(
        recording,
        words,
        run,
        labeler="rules",
        role=role,
        no_cache=True,
    )
    commands.dataset(run, recording, words, folder / role, keep_uncertain=False)
    return run, folder / role


def rows_in(folder: Path) -> list[dict[str, Any]]:
    files = sorted((folder / "data").glob("*.parquet"))
    return [row for file in files for row in pyarrow.parquet.read_table(file).to_pylist()]


def test_the_planner_set_has_everything_a_planner_sees(
    recording: Path, tmp_path: Path, vocabulary: Vocabulary
) -> None:
    _, folder = made(recording, tmp_path, "planner")
    rows = rows_in(folder)
    assert len(rows) > 50
    for row in rows:
        assert row["split"] == split_of(row["episode"])
        assert len(row["recent_clip"]) <= 8
        assert len(row["summary_clip"]) <= 30
        assert max(row["recent_times"] + row["summary_times"]) <= 0
        assert all(cv2.imread(str(folder / name)) is not None for name in row["recent_clip"][:1])
        plan = json.loads(row["plan_json"])
        assert plan["plan_id"] == f"plan_{row['episode']}_{row['t']:g}"
        bare = {k: v for k, v in plan.items() if k not in ("schema_version", "plan_id")}
        assert isinstance(read_record(bare, vocabulary, row["mid_step_id"]), Record)
    card = (folder / "README.md").read_text()
    assert "split: train" in card
    assert "`retrieved_memory`" in card


def test_memory_is_never_the_future_nor_another_split(recording: Path, tmp_path: Path) -> None:
    _, folder = made(recording, tmp_path, "planner")
    rows = rows_in(folder)
    remembered = 0
    for row in rows:
        for memory in json.loads(row["retrieved_memory"]):
            remembered += 1
            _, *episode, t = memory["plan_id"].split("_")
            name = "_".join(episode)
            assert name == row["episode"] or split_of(name) == "train"
            assert name != row["episode"] or float(t) < row["t"]
    assert remembered > 50


def test_the_controller_set_has_no_summary_and_is_aligned_to_spans(
    recording: Path, tmp_path: Path
) -> None:
    _, folder = made(recording, tmp_path, "controller")
    rows = rows_in(folder)
    assert len(rows) > 50
    for row in rows:
        assert {"summary_clip", "retrieved_memory"}.isdisjoint(row)
        assert row["span_start"] <= row["t"] <= row["span_end"]
        reach = row["t"] + json.loads(row["plan_json"])["horizon_steps"] * 0.5
        assert reach < row["span_end"] + 0.5 + 1e-6


def test_chats_show_the_pictures_and_say_only_what_a_model_may(
    recording: Path, tmp_path: Path, vocabulary: Vocabulary
) -> None:
    _, folder = made(recording, tmp_path, "controller")
    texts = (folder / "chat" / "train.jsonl").read_text().splitlines()
    assert texts
    for text in texts:
        system, user, answer = json.loads(text)["messages"]
        assert "talk_gate_guard" in system["content"]
        assert all(
            (folder / part["image"]).is_file()
            for part in user["content"]
            if part["type"] == "image"
        )
        assert isinstance(read_record(json.loads(answer["content"]), vocabulary), Record)


def test_a_set_is_made_only_from_its_own_recording(recording: Path, tmp_path: Path) -> None:
    run, folder = made(recording, tmp_path, "controller")
    words = recording / "vocabulary.yaml"
    with pytest.raises(UsageError, match="is not empty"):
        commands.dataset(run, recording, words, folder, keep_uncertain=False)
    with pytest.raises(UsageError, match="it is not what was labelled"):
        commands.dataset(
            run, recording / "game_00", words, tmp_path / "other", keep_uncertain=False
        )
    other = tmp_path / "v.yaml"
    other.write_text(words.read_text() + "# changed\n")
    with pytest.raises(UsageError, match="another vocabulary"):
        commands.dataset(run, recording, other, tmp_path / "other", keep_uncertain=False)


def test_memory_of_nothing_is_empty() -> None:
    lines: Sequence[dict[str, Any]] = [{"episode": "e", "t": 1.0, "mid_step_id": "m", "record": {}}]
    assert Memory(lines, {}, {}).at(lines[0]) == []
