"""Data sets written by LeRobot, and the documented layouts, read as episodes."""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cv2
import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

from bt_exec.failure import BtExecError, UsageError
from bt_exec_labeler.episode import Action, Episode
from bt_exec_labeler.lerobot import frames
from bt_exec_labeler.lerobot.frames import CodedFrame
from bt_exec_labeler.sources import read_source

REAL = Path(__file__).parents[2] / "data" / "lerobot"
FPS = 10


def png(grey: int, height: int = 6, width: int = 8) -> bytes:
    _, data = cv2.imencode(".png", np.full((height, width, 3), grey, np.uint8))
    return bytes(data.tobytes())


def old_set(folder: Path, *, version: str = "v2.1", **columns: Sequence[Any]) -> Path:
    """Write two episodes of ten frames in the layout with one file per episode."""
    features: dict[str, Any] = {"observation.images.top": {"dtype": "image", "shape": [6, 8, 3]}}
    features |= {name: {"dtype": "float32", "shape": [1]} for name in ("timestamp", "action")}
    info = {
        "codebase_version": version,
        "fps": FPS,
        "features": features,
        "chunks_size": 1,
        "data_path": "data/chunk-{episode_chunk:03d}/episode_{episode_index:06d}.parquet",
        "video_path": None,
    }
    (folder / "meta").mkdir(parents=True)
    (folder / "meta" / "info.json").write_text(json.dumps(info))
    lines = [{"episode_index": n, "tasks": [f"task {n}"], "length": 10} for n in range(2)]
    (folder / "meta" / "episodes.jsonl").write_text("\n".join(map(json.dumps, lines)))
    for n in range(2):
        path = folder / "data" / f"chunk-{n:03d}" / f"episode_{n:06d}.parquet"
        path.parent.mkdir(parents=True)
        table = {
            "timestamp": [k / FPS for k in range(10)],
            "frame_index": list(range(10)),
            "episode_index": [n] * 10,
            "observation.images.top": [{"bytes": png(20 * k + n), "path": None} for k in range(10)],
            **columns,
        }
        pyarrow.parquet.write_table(pyarrow.table(table), path)
    return folder


def read(folder: Path) -> list[Episode]:
    return list(read_source(folder))


def done(episode: Episode) -> list[tuple[float, float | None, str, Mapping[str, Any]]]:
    return [(a.t, a.end, a.op, a.args) for a in episode.actions]


def test_default_lerobot_data_set_is_read_with_its_video() -> None:
    episodes = read(REAL)
    assert [e.id for e in episodes] == [f"episode_{n:06d}" for n in range(3)]
    for number, episode in enumerate(episodes):
        assert (episode.command, episode.language) == (f"task {number % 2}", "en")
        assert [frame.t for frame in episode.frames] == pytest.approx([k / 10 for k in range(12)])
        assert episode.flaws == ()
        task = {"text": episode.command}
        assert episode.actions == (Action(0.0, 1.2, "TASK", task, "unknown"),)
        grey = [float(frame.image().mean()) for frame in episode.frames]
        assert grey == pytest.approx([20 * k + number for k in range(12)], abs=2)  # AV1 is lossy


@pytest.mark.parametrize("version", ["v2.0", "v2.1"])
def test_older_layout_has_a_file_per_episode(tmp_path: Path, version: str) -> None:
    episodes = read(old_set(tmp_path / "set", version=version))
    assert [(e.id, e.command) for e in episodes] == [
        ("episode_000000", "task 0"),
        ("episode_000001", "task 1"),
    ]
    assert [int(frame.image()[0, 0, 0]) for frame in episodes[1].frames] == [
        20 * k + 1 for k in range(10)
    ]


def test_subtasks_by_number_become_actions(tmp_path: Path) -> None:
    folder = old_set(tmp_path / "set", subtask_index=[0] * 4 + [1] * 3 + [-1] * 3)
    texts = pyarrow.table(
        {"subtask_index": [0, 1], "__index_level_0__": ["reach for the cup", "grasp it"]}
    )
    pyarrow.parquet.write_table(texts, folder / "meta" / "subtasks.parquet")
    assert done(read(folder)[0]) == [
        (0.0, 0.4, "SUBTASK", {"text": "reach for the cup"}),
        (0.4, 1.0, "SUBTASK", {"text": "grasp it"}),
    ]


def test_tool_calls_in_language_columns_have_priority_over_subtasks(tmp_path: Path) -> None:
    subtask = {"role": "assistant", "style": "subtask", "tool_calls": None, "camera": None}
    said = [
        {**subtask, "content": "grasp it", "timestamp": 0.5},
        {**subtask, "content": "reach", "timestamp": 0.0},
        {**subtask, "content": "the plan", "style": "plan", "timestamp": 0.0},
    ]
    persistent = [said] * 10
    first = read(old_set(tmp_path / "one", language_persistent=persistent))[0]
    assert done(first) == [
        (0.0, 0.5, "SUBTASK", {"text": "reach"}),
        (0.5, 1.0, "SUBTASK", {"text": "grasp it"}),
    ]
    calls = [("say", {"text": "hello"}), ("MOVE", {"target": "cup"}), ("GRASP", "{}")]
    events: list[list[dict[str, Any]]] = [[] for _ in range(10)]
    for k, (name, arguments) in enumerate(calls):
        call = {"type": "function", "function": {"name": name, "arguments": arguments}}
        events[3 * k] = [{"role": "assistant", "content": None, "tool_calls": [json.dumps(call)]}]
    second = read(old_set(tmp_path / "two", language_events=events))[0]
    assert done(second) == [(0.3, None, "MOVE", {"target": "cup"}), (0.6, None, "GRASP", {})]


def test_pause_of_the_recording_is_a_gap(tmp_path: Path) -> None:
    times = [k / FPS for k in range(5)] + [3 + k / FPS for k in range(5)]
    episode = read(old_set(tmp_path / "set", timestamp=times))[0]
    assert [flaw.message for flaw in episode.flaws] == ["no frame between 0.4 s and 3 s"]


def test_other_cameras_are_reported(tmp_path: Path) -> None:
    folder = old_set(tmp_path / "set")
    change(folder, lambda info: info["features"].update({"wrist": {"dtype": "video"}}))
    flaw = read(folder)[0].flaws[0]
    assert (flaw.kind, flaw.where) == ("camera", "wrist")
    assert "observation.images.top is" in flaw.message


def change(folder: Path, edit: Any) -> None:
    path = folder / "meta" / "info.json"
    info = json.loads(path.read_text())
    edit(info)
    path.write_text(json.dumps(info))


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda info: info.update(codebase_version="v1.6"), r"version v1\.6; versions 2\.0 to 3"),
        (lambda info: info.update(codebase_version="v4.0"), "can be read"),
        (lambda info: info.pop("fps"), "fps: field required"),
        (lambda info: info.update(fps=0), "fps: input should be greater"),
        (lambda info: info.update(features=[]), "features"),
        (
            lambda info: info.update(data_path="../../{episode_index}.parquet"),
            "is outside the data set",
        ),
        (lambda info: info.update(data_path="{home}.parquet"), r"unknown placeholder \{home\}"),
        (lambda info: info.update(data_path="data/none.parquet"), "cannot be read"),
        (lambda info: info.update(data_path="meta/info.json"), "cannot be read"),
        (lambda info: info.update(codebase_version="v3.0"), "contains no episodes"),
        (
            lambda info: info["features"].update(
                {"observation.images.top": {"dtype": "video"}},
            ),
            "video_path is missing",
        ),
    ],
)
def test_invalid_info_file_is_reported_in_one_line(tmp_path: Path, edit: Any, said: str) -> None:
    folder = old_set(tmp_path / "set")
    change(folder, edit)
    with pytest.raises(UsageError, match=said):
        read(folder)


@pytest.mark.parametrize("text", ["", "{", "[]", '"v3.0"', "\x00"])
def test_missing_info_file_is_refused(tmp_path: Path, text: str) -> None:
    folder = old_set(tmp_path / "set")
    (folder / "meta" / "info.json").write_text(text)
    with pytest.raises(UsageError, match=r"info\.json"):
        read(folder)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("meta/episodes.jsonl", '{"tasks": []}'),
        ("meta/episodes.jsonl", '{"episode_index": "one"}'),
        ("meta/episodes.jsonl", '{"episode_index": -1, "length": 10}'),
        ("meta/episodes.jsonl", "[1]"),
        ("meta/episodes.jsonl", "{"),
        ("data/chunk-000/episode_000000.parquet", "no parquet"),
    ],
)
def test_damaged_file_is_reported_by_name(tmp_path: Path, name: str, text: str) -> None:
    folder = old_set(tmp_path / "set")
    (folder / name).write_text(text)
    if name.startswith("data"):  # one damaged file must not hide the other episodes
        first, *others = read(folder)
        assert Path(name).name in first.flaws[0].message
        assert all(episode.frames for episode in others)
        return
    with pytest.raises(BtExecError, match=Path(name).name):
        read(folder)


def test_invalid_tool_call_and_missing_columns_are_reported(tmp_path: Path) -> None:
    events = [[{"role": "assistant", "tool_calls": ["no call"]}]] * 10
    first = read(old_set(tmp_path / "one", language_events=events))[0]
    assert (len(first.frames), [action.op for action in first.actions]) == (10, ["TASK"])
    assert "'no call' is not a tool call; it is left out" in first.flaws[0].message
    folder = old_set(tmp_path / "two")
    path = folder / "data" / "chunk-000" / "episode_000000.parquet"
    pyarrow.parquet.write_table(pyarrow.table({"episode_index": [0]}), path)
    assert "lacks timestamp" in read(folder)[0].flaws[0].message


def test_damaged_pictures_and_videos_are_reported_by_name(tmp_path: Path) -> None:
    cameras = [{"bytes": b"broken" if k == 4 else png(k), "path": None} for k in range(10)]
    folder = old_set(tmp_path / "set", **{"observation.images.top": cameras})
    with pytest.raises(ValueError, match=r"episode_000000\.parquet#0\.4 is damaged"):
        read(folder)[0].frames[4].image()
    copied = tmp_path / "copied"
    shutil.copytree(REAL, copied)
    (video,) = copied.rglob("*.mp4")
    frame = read(copied)[2].frames[-1]
    video.write_bytes(video.read_bytes()[:1000])
    with pytest.raises(ValueError, match=r"file-000\.mp4@3\.5 is damaged"):
        frame.image()
    video.unlink()
    with pytest.raises(UsageError, match="which is missing"):
        read(copied)


def test_video_file_without_pictures_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    sound = SimpleNamespace(streams=SimpleNamespace(video=()))
    fake = SimpleNamespace(open=lambda _: contextlib.nullcontext(sound), FFmpegError=OSError)
    monkeypatch.setattr(frames, "import_av", lambda: fake)
    with pytest.raises(ValueError, match=r"sound\.mp4@0 is damaged: there is no picture"):
        CodedFrame(0.0, Path("sound.mp4"), 0.0, 10.0).image()


def test_deeply_nested_json_is_reported(tmp_path: Path) -> None:
    deep = "[" * 100_000
    events = [[{"role": "assistant", "tool_calls": [deep]}]] * 10
    first = read(old_set(tmp_path / "set", language_events=events))[0]
    assert "is not a tool call" in first.flaws[0].message
    (tmp_path / "set" / "meta" / "info.json").write_text(deep)
    with pytest.raises(UsageError, match="is not JSON"):
        read(tmp_path / "set")


HOSTILE: tuple[Any, ...] = (
    *(None, float("nan"), float("inf"), "x", b"x", -1, 2**62, 1e300, True, [], {}, [None], [{}]),
    *([["a"]], [{"tool_calls": "x"}], [{"tool_calls": [5]}], [{"tool_calls": ["{"]}]),
    *([{"tool_calls": [{"function": 5}]}], [{"tool_calls": [{"function": {"name": None}}]}]),
    *([{"style": "subtask", "content": "a", "timestamp": at}] for at in (None, "q", 1e300)),
)
COLUMNS = ("timestamp", "frame_index", "episode_index", "observation.images.top", "subtask_index")
LANGUAGE = ("language_persistent", "language_events")


@pytest.mark.parametrize("column", [*COLUMNS, *LANGUAGE])
def test_hostile_column_value_is_read_or_reported(tmp_path: Path, column: str) -> None:
    tried, told = 0, []
    for number, value in enumerate(HOSTILE):
        folder = tmp_path / str(number)
        try:
            old_set(folder, **{column: [value] * 10})
        except (pyarrow.ArrowException, OverflowError):
            continue  # not representable in Parquet
        tried += 1
        try:
            looked_at(folder)
        except BtExecError as error:
            told.append(str(error))
    assert tried > 10
    assert [text for text in told if "episode_00000" not in text] == []


@pytest.mark.parametrize("key", ["fps", "features", "data_path", "video_path", "chunks_size"])
def test_hostile_info_value_is_read_or_reported(tmp_path: Path, key: str) -> None:
    features = ({"a": 1}, {"a": {"dtype": 5}}, {"a": {"dtype": "image"}}, {"a": {"dtype": "video"}})
    paths = ("{episode_index:99d}", "{", "\0", "/etc/passwd", "..", "")
    folder = old_set(tmp_path / "set")
    whole = json.loads((folder / "meta" / "info.json").read_text())
    told = []
    for value in (None, "x", -1, 0, [], {}, 1e9, True, *features, *paths):
        (folder / "meta" / "info.json").write_text(json.dumps({**whole, key: value}))
        try:
            looked_at(folder)
        except BtExecError as error:
            told.append(str(error))
    assert [text for text in told if str(folder) not in text] == []


def looked_at(folder: Path) -> None:
    """Read all data; a picture may be damaged."""
    for episode in read(folder):
        for frame in episode.frames[:2]:
            with contextlib.suppress(ValueError, OSError):
                frame.image()
