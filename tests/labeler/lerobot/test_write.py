"""LeRobot data set with language columns, created from a run: layout and contents."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bt_exec.failure import UnknownName, UsageError
from bt_exec_labeler import cli_commands
from bt_exec_labeler.batch.output_and_answer_cache import read_lines
from bt_exec_labeler.datasets.write import SetInput
from bt_exec_labeler.episode import Action, Episode, Frame
from bt_exec_labeler.lerobot.language_columns import FORMS, form_for_version, language_event
from bt_exec_labeler.lerobot.write import write_lerobot
from bt_exec_labeler.lerobot.write_metadata import CAMERA, Counts
from bt_exec_labeler.sources import read_source
from bt_exec_labeler.splits import SPLITS
from bt_exec_labeler.testing.toy_game_episodes import make_game
from bt_exec_labeler.vocabulary import Vocabulary

from ..test_clips import Drawn

Made = tuple[Path, Path, Path]
"""Recording, its run, and its data set."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    folder = tmp_path_factory.mktemp("lerobot")
    game = make_game(folder / "game", episodes=12, seed=1)
    words = game / "vocabulary.yaml"
    cli_commands.run(
        game,
        words,
        folder / "run",
        labeler="rules",
        role="planner",
        no_cache=True,
    )
    told = cli_commands.dataset(
        folder / "run", game, words, folder / "set", keep_uncertain=False, form="lerobot"
    )
    assert told["lines"][0] == f"{folder / 'set'}: planner set, train 10, val 1, test 1 (episodes)"
    return game, folder / "run", folder / "set"


def by_split(run: Path, names: Sequence[str]) -> list[str]:
    splits = json.loads((run / "splits.json").read_text())
    return sorted(names, key=lambda name: (SPLITS.index(splits[name]), name))


def frames_of(folder: Path) -> list[list[dict[str, Any]]]:
    files = sorted((folder / "data").rglob("*.parquet"))
    return [pyarrow.parquet.ParquetFile(file).read().to_pylist() for file in files]


@pytest.mark.parametrize(
    ("installed", "form"),
    [("0.4.4", "0.4"), ("0.5.1", "0.4"), ("0.6.0rc1", "0.6"), ("1.0", "0.6")],
)
def test_data_set_format_follows_the_installed_lerobot(
    monkeypatch: pytest.MonkeyPatch, installed: str, form: str
) -> None:
    monkeypatch.setattr(
        "bt_exec_labeler.lerobot.language_columns.metadata.version", lambda _: installed
    )
    assert form_for_version("") == FORMS[form]
    assert form_for_version("0.4") == FORMS["0.4"]


@pytest.mark.slow
def test_written_data_set_has_the_documented_layout(made: Made) -> None:
    *_, folder = made
    info = json.loads((folder / "meta" / "info.json").read_text())
    rows = frames_of(folder)
    whole = [row for episode in rows for row in episode]
    assert info["codebase_version"] == "v3.0"
    assert info["splits"] == {"train": "0:10", "val": "10:11", "test": "11:12"}
    assert (info["total_episodes"], info["total_frames"]) == (12, len(whole))
    assert set(info["features"]) == set(whole[0])
    assert [row["index"] for row in whole] == list(range(len(whole)))
    path = folder / "meta" / "episodes" / "chunk-000" / "file-000.parquet"
    episodes = pyarrow.parquet.read_table(path).to_pylist()
    for number, (said, episode) in enumerate(zip(episodes, rows, strict=True)):
        assert said["dataset_to_index"] - said["dataset_from_index"] == said["length"]
        assert said["dataset_from_index"] == episode[0]["index"]
        assert {row["episode_index"] for row in episode} == {number}
        assert [row["timestamp"] for row in episode] == [k / 2 for k in range(len(episode))]
    calls = [call["function"]["name"] for call in info["tools"]]
    assert calls == ["MOVE_NAV", "TAKE", "TALK", "OPEN", "REST"]


def test_language_columns_contain_the_records_of_the_run(made: Made) -> None:
    game, run, folder = made
    names = [e.id for split in ("train", "val", "test") for e in read_source(game)]
    in_order = by_split(run, names[:12])
    records = [line["record"] for line in read_lines(run / "records.jsonl")]
    for name, rows in zip(in_order, frames_of(folder), strict=True):
        said = rows[0]["language_persistent"]
        assert all(row["language_persistent"] == said for row in rows)
        plans = [json.loads(one["content"]) for one in said if one["style"] == "plan"]
        mine = [r for r in records if r["plan_id"].startswith(f"plan_{name}_")]
        assert plans == [record for record in mine if record["uncertainty"] != "high"]
        assert {one["style"] for one in said} == {"subtask", "plan", "memory"}
        texts = [one["content"] for one in said if one["style"] == "subtask"]
        assert (texts[0], texts[-1]) == ("Walk to the key.", "Rest at home.")


def test_written_set_has_the_same_actions_and_pictures(made: Made) -> None:
    game, run, folder = made
    by_name = {episode.id: episode for episode in read_source(game)}
    in_order = by_split(run, list(by_name))
    again = list(read_source(folder))
    assert len(again) == 12
    for name, found in zip(in_order, again, strict=True):
        episode = by_name[name]
        assert found.command == "bring me the gem"
        assert [(a.op, a.args) for a in found.actions] == [(a.op, a.args) for a in episode.actions]
        assert all(
            0 <= a.t - b.t < 0.5 for a, b in zip(episode.actions, found.actions, strict=True)
        )
        newest = max((f for f in episode.frames if f.t <= 3.0), key=lambda frame: frame.t)
        assert np.array_equal(found.frames[6].image(), newest.image())


class Damaged(Drawn):
    def image(self) -> Any:
        raise ValueError(f"{self.name} is damaged")


class Wide(Drawn):
    def image(self) -> Any:
        return np.zeros((4, 8, 3), np.uint8)


def small(frames: tuple[Frame, ...]) -> Episode:
    return Episode("e", frames, (Action(0.0, 2.0, "REST", {}, "done"),))


@pytest.fixture
def write(vocabulary: Vocabulary, tmp_path: Path) -> Callable[..., list[dict[str, Any]]]:
    record = {"mid_step_id": "rest", "record": {"done_evidence": []}, "episode": "e", "item": "i"}

    def call(*frames: Frame, fps: int = 2, warnings: Sequence[str] = ()) -> list[dict[str, Any]]:
        lines = [{**record, "t": frames[0].t}]
        given = SetInput("controller", lines, {"e": small(frames)}, vocabulary, {"e": "train"})
        _, warned = write_lerobot(tmp_path / "set", given, fps=fps, form=FORMS["0.6"])
        assert warned == list(warnings)
        (rows,) = frames_of(tmp_path / "set")
        return rows

    return call


def test_pause_increases_the_picture_age_and_a_damaged_frame_is_skipped(
    write: Callable[..., list[dict[str, Any]]],
) -> None:
    rows = write(Drawn(0.1), Damaged(0.6), Drawn(0.7), Drawn(3.1))
    assert [row["timestamp"] for row in rows] == [0.5 * k for k in range(7)]
    ages = [row["observation.age_s"] for row in rows]
    assert ages == pytest.approx([0, 0.5, 0.4, 0.9, 1.4, 1.9, 0], abs=1e-6)


def test_frame_rate_can_be_increased(
    write: Callable[..., list[dict[str, Any]]],
) -> None:
    rows = write(Drawn(0.0), Drawn(0.1), Drawn(0.2), fps=10)
    assert [row["observation.age_s"] for row in rows] == [0, 0, 0]


def test_invalid_lerobot_export_is_refused(
    made: Made, tmp_path: Path, vocabulary: Vocabulary, write: Callable[..., Any]
) -> None:
    game, run, folder = made
    words = game / "vocabulary.yaml"
    with pytest.raises(UsageError, match="is not empty"):
        cli_commands.dataset(run, game, words, folder, keep_uncertain=False, form="lerobot")
    with pytest.raises(UnknownName, match="lerobot"):
        cli_commands.dataset(run, game, words, tmp_path, keep_uncertain=False, form="lerobto")
    given = SetInput("planner", [], {}, vocabulary, {})
    with pytest.raises(UsageError, match="no records"):
        write_lerobot(tmp_path / "none", given, fps=2, form=FORMS["0.6"])
    with pytest.raises(UsageError, match="e is left out: none of its frames can be decoded"):
        write(Damaged(0.0))
    assert not (tmp_path / "none").exists()


def test_actions_are_events_of_their_first_frame(tmp_path: Path, vocabulary: Vocabulary) -> None:
    starts = (2.0, 2.49, 2.5, 3.0, 9.0)  # of an episode from 2 s to 4 s; the last is too late
    actions = tuple(Action(t, t + 0.1, "REST", {}, "done") for t in starts)
    frames = tuple(Drawn(2.0 + k / 2) for k in range(5))
    record = {"mid_step_id": "rest", "record": {"done_evidence": []}, "episode": "e", "item": "i"}
    episodes = {"e": Episode("e", frames, actions)}
    given = SetInput("controller", [{**record, "t": 2.0}], episodes, vocabulary, {"e": "train"})
    write_lerobot(tmp_path / "set", given, fps=2, form=FORMS["0.6"])
    (rows,) = frames_of(tmp_path / "set")
    assert [len(row["language_events"]) for row in rows] == [2, 1, 1, 0, 1]


@given(args=st.dictionaries(st.text(), st.text() | st.integers() | st.booleans()))
def test_action_call_is_json_with_unescaped_text(args: dict[str, Any]) -> None:
    (call,) = language_event(Action(0.0, 1.0, "TALK", args, "done"))["tool_calls"]
    assert json.loads(call)["function"] == {"name": "TALK", "arguments": args}
    (call,) = language_event(Action(0.0, 1.0, "TALK", {"to": "교수님"}, "done"))["tool_calls"]
    assert "교수님" in call


def test_statistics_cover_all_pictures() -> None:
    pictures = np.random.default_rng(0).integers(0, 255, (4, 6, 8, 3), np.uint8)
    made = Counts(2, (6, 8, 3))
    for one in pictures:
        made.add_picture(one)
    found, flat = made.statistics()[CAMERA], pictures.reshape(-1, 3) / 255.0
    for name in ("min", "max", "mean", "std"):
        wanted = getattr(flat, name)(0).reshape(-1, 1, 1)
        assert np.allclose(found[name], wanted), name
    assert np.shape(found["mean"]) == (3, 1, 1)


@pytest.mark.parametrize(("fps", "written"), [(9, True), (10, False)])
def test_episode_over_the_maximum_length_is_refused(
    write: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, fps: int, written: bool
) -> None:
    monkeypatch.setattr("bt_exec_labeler.lerobot.write._MOST_FRAMES", 10)
    with nullcontext() if written else pytest.raises(UsageError, match="are 11 frames, at most 10"):
        assert len(write(Drawn(0.0), Drawn(1.0), fps=fps)) == 10


def test_episode_with_distant_time_stamps_is_left_out(write: Callable[..., Any]) -> None:
    with pytest.raises(
        UsageError, match=r"e is left out: 1000000000 s at 2 .*; check its time stamps"
    ):
        write(Drawn(0.0), Drawn(1e9))


def test_frame_of_another_size_is_dropped_and_reported(
    write: Callable[..., list[dict[str, Any]]],
) -> None:
    """The most frequent size is used, whichever comes first."""
    warning = (
        "! e: 1 frames are left out: not of 6 x 4 px as most others; "
        "frames of a LeRobot data set are of one size"
    )
    rows = write(Wide(0.0), Drawn(0.5), Drawn(1.0), warnings=[warning])
    assert [row["observation.age_s"] for row in rows] == [0, 0, 0]
    assert len({row["observation.images.camera"]["bytes"] for row in rows}) == 1


def test_mid_step_of_a_frame_ends_with_its_span(tmp_path: Path, vocabulary: Vocabulary) -> None:
    """A failed attempt has no record, and does not belong to the previous step."""
    steps: list[tuple[str, dict[str, Any], Any]] = [
        ("REST", {}, "done"),
        ("OPEN", {"what": "gate"}, "failed"),
        ("OPEN", {"what": "gate"}, "done"),
    ]
    actions = [Action(2.0 * n, 2.0 * n + 2, *step) for n, step in enumerate(steps)]
    episode = Episode("e", tuple(Drawn(t / 2) for t in range(16)), tuple(actions))
    about = {"record": {"done_evidence": []}, "episode": "e"}
    lines = [
        {**about, "item": name, "t": t, "mid_step_id": name}
        for t, name in ((0.0, "rest"), (4.0, "open_gate"))
    ]
    given = SetInput("controller", lines, {"e": episode}, vocabulary, {"e": "train"})
    write_lerobot(tmp_path / "set", given, fps=1, form=FORMS["0.6"])
    (rows,) = frames_of(tmp_path / "set")
    texts = pyarrow.parquet.read_table(tmp_path / "set" / "meta" / "subtasks.parquet").to_pylist()
    names = {row["subtask_index"]: row["subtask"] for row in texts}
    assert [names[row["subtask_index"]] for row in rows] == [
        *["Rest at home."] * 2, *["(none)"] * 2, *["Open the gate with the key."] * 2,
        *["(none)"] * 2,
    ]  # fmt: skip


OPENED = """
import json, sys
from lerobot.datasets.language_render import active_at
from lerobot.datasets.lerobot_dataset import LeRobotDataset

made = LeRobotDataset("bt-exec/labels", root=sys.argv[1])
told = []
for number in range(made.num_episodes):
    said = made.meta.episodes[number]
    item = made[said["dataset_from_index"] + 30]
    about = {"persistent": item["language_persistent"]}
    t = float(item["timestamp"])
    plan = active_at(t, style="plan", **about)
    told.append({
        "task": item["task"], "length": said["length"], "t": t,
        "shape": list(item["observation.images.camera"].shape),
        "subtask": active_at(t, style="subtask", **about)["content"],
        "plan": json.loads(plan["content"])["mid_step_id"],
        "calls": [call["function"]["name"]
                  for k in range(said["dataset_from_index"], said["dataset_to_index"])
                  for event in made[k]["language_events"] for call in event["tool_calls"]],
    })
print("TOLD", json.dumps({"frames": len(made), "episodes": told, "tools": len(made.meta.tools)}))
"""


@pytest.mark.slow
def test_written_set_is_opened_by_lerobot(made: Made, vocabulary: Vocabulary) -> None:
    python = os.environ.get("BT_EXEC_LEROBOT_PYTHON")
    if not python:
        pytest.skip(
            "LeRobot is not here; in an environment of Python 3.12 say pip install "
            "'lerobot[dataset]>=0.6', and its python in BT_EXEC_LEROBOT_PYTHON"
        )
    *_, folder = made
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "PYTHONPATH": ""}
    run = subprocess.run(
        [python, "-c", OPENED, str(folder)],
        capture_output=True,
        text=True,
        env=environment,
        timeout=240,
    )
    assert run.returncode == 0, run.stderr
    line = next(text for text in run.stdout.splitlines() if text.startswith("TOLD "))
    told = json.loads(line.removeprefix("TOLD "))
    assert told["tools"] == len(vocabulary.ops)
    assert told["frames"] == sum(episode["length"] for episode in told["episodes"])
    texts = {name: step.said("en") for name, step in vocabulary.mid_steps.items()}
    for episode, again in zip(told["episodes"], read_source(folder), strict=True):
        assert episode["task"] == "bring me the gem"
        assert episode["shape"] == [3, 72, 96]
        assert episode["calls"] == [action.op for action in again.actions]
        assert episode["subtask"] == texts[episode["plan"]]
