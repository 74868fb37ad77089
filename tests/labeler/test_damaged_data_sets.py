"""Damaged LeRobot data sets, journals and videos, with the same requirements as folders."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import cv2
import pyarrow
import pyarrow.parquet
import pytest

from bt_exec.journal import Journal
from bt_exec.mission.session import Session
from bt_exec.site.site import load_site
from bt_exec_labeler import cli_commands
from bt_exec_labeler.testing.toy_game_episodes import FPS, make_game
from bt_exec_labeler.vocabulary_draft import draft_vocabulary

from .test_damaged_recordings import (
    Damage,
    Lines,
    assert_costs_only_what_it_touches,
    between,
    everywhere,
    labelled,
    nowhere,
)


class IntactRecording(NamedTuple):
    """Intact recording in a folder.

    Attributes:
        source: The recording.
        words: Its vocabulary.
        labels: Its labels.
        flaws: Its flaws: a busy machine drops frames of fast missions.
        damaged_episode: Episode to be damaged.
    """

    source: Path
    words: Path
    labels: Lines
    flaws: Sequence[Mapping[str, Any]]
    damaged_episode: str


def intact(source: Path, words: Path, episode: int) -> IntactRecording:
    labels = labelled(source, source.parent.with_name("whole"), ("parquet",), words)
    damaged_episode = sorted({line["episode"] for line in labels.values()})[episode]
    return IntactRecording(
        source, words, labels, cli_commands.check(source, words)["flaws"], damaged_episode
    )


def own_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recording") / "source"
    folder.mkdir()
    return folder


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_game(tmp_path_factory.mktemp("game") / "game", episodes=3, seed=5)


def as_lerobot(game: Path, folder: Path) -> Path:
    """Write a game as a LeRobot data set with a file for each episode; actions are tool calls."""
    camera = {"dtype": "image", "shape": [72, 96, 3]}
    features: dict[str, Any] = {"observation.images.top": camera}
    features |= {"timestamp": {"dtype": "float32", "shape": [1]}}
    info = {"codebase_version": "v2.1", "fps": FPS, "features": features, "chunks_size": 1000}
    info |= {"data_path": "data/episode_{episode_index:06d}.parquet", "video_path": None}
    (folder / "meta").mkdir(parents=True)
    (folder / "data").mkdir()
    (folder / "meta" / "info.json").write_text(json.dumps(info))
    listed = []
    for number, episode in enumerate(sorted(p for p in game.iterdir() if p.is_dir())):
        frames = sorted(episode.glob("*.png"))
        events: list[list[Any]] = [[] for _ in frames]
        for line in (episode / "actions.jsonl").read_text().splitlines():
            action = json.loads(line)
            function = {"name": action["op"], "arguments": json.dumps(action["args"])}
            said = {"role": "assistant", "content": None, "style": None}
            said |= {"tool_calls": [json.dumps({"type": "function", "function": function})]}
            events[min(len(frames) - 1, round(action["t"] * FPS))].append(said)
        table = {
            "timestamp": [n / FPS for n in range(len(frames))],
            "episode_index": [number] * len(frames),
            "observation.images.top": [{"bytes": f.read_bytes(), "path": None} for f in frames],
            "language_events": events,
        }
        pyarrow.parquet.write_table(
            pyarrow.table(table), folder / "data" / f"episode_{number:06d}.parquet"
        )
        listed.append({"episode_index": number, "tasks": ["bring me the gem"]})
    lines = "\n".join(map(json.dumps, listed))
    (folder / "meta" / "episodes.jsonl").write_text(lines + "\n")
    return folder


@pytest.fixture(scope="module")
def lerobot(game: Path, tmp_path_factory: pytest.TempPathFactory) -> IntactRecording:
    source = as_lerobot(game, own_folder(tmp_path_factory) / "set")
    return intact(source, game / "vocabulary.yaml", 1)


def table(change: Callable[[dict[str, list[Any]]], None]) -> Callable[[Path], None]:
    """Return a function that changes the table of the second episode."""

    def apply(folder: Path) -> None:
        path = folder / SET
        columns = pyarrow.parquet.read_table(path).to_pydict()
        change(columns)
        pyarrow.parquet.write_table(pyarrow.table(columns), path)

    return apply


def cell(name: str, row: int, value: Any) -> Callable[[Path], None]:
    return table(lambda columns: columns[name].__setitem__(row, value))


def bad_call(columns: dict[str, list[Any]]) -> None:
    fourth = [events for events in columns["language_events"] if events][3]
    fourth[0]["tool_calls"] = ["not a call"]


def cut_off(name: str, share: float) -> Callable[[Path], None]:
    def apply(folder: Path) -> None:
        path = folder / name if name else folder
        data = path.read_bytes()
        path.write_bytes(data[: int(len(data) * share)])

    return apply


CAMERA, SET = "observation.images.top", "data/episode_000001.parquet"
NEAR = between(6.0, 6.25)
LEROBOT = (
    Damage("broken_picture", cell(CAMERA, 24, {"bytes": b"x", "path": None}), "damaged", NEAR),
    Damage("no_picture", cell(CAMERA, 24, {"bytes": None, "path": None}), "damaged", NEAR),
    Damage("no_time", cell("timestamp", 24, None), "row", NEAR),
    Damage("time_nan", cell("timestamp", 24, float("nan")), "row", NEAR),
    Damage("double_time", cell("timestamp", 24, 5.75), "double_time", between(5.75, 6.25)),
    Damage("clock_ahead", cell("timestamp", -1, 900.0), "gap", between(10.0, 900.0)),
    Damage("bad_tool_call", table(bad_call), "action", between(2.0, 60.0)),
    Damage("file_cut_off", cut_off(SET, 0.5), "damaged", everywhere),
    Damage("file_gone", lambda f: (f / SET).unlink(), "damaged", everywhere),
)


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> IntactRecording:
    path, site = own_folder(tmp_path_factory) / "j.sqlite", load_site("door")
    packs = {"door": site.packs["door"].model_copy(update={"detector": "oracle"})}
    how: dict[str, Any] = {"world": {"door": "closed"}, "fast": True, "frames": True}
    for _ in range(3):
        with Session(replace(site, packs=packs), journal=Journal.open(path), **how) as session:
            session.run("open the door")
    words = path.parent.with_name("words.yaml")
    words.write_text(draft_vocabulary("door"), encoding="utf-8")
    return intact(path, words, 1)


def event(kind: str, number: int) -> Callable[[Path], None]:
    """Return a function that makes an event of the second mission unreadable."""

    def apply(path: Path) -> None:
        with sqlite3.connect(path) as connection:
            about = "SELECT seq FROM events WHERE mission = 2 AND kind = ? ORDER BY seq"
            seq = connection.execute(about, (kind,)).fetchall()[number][0]
            connection.execute("UPDATE events SET data = '{' WHERE mission = 2 AND seq = ?", (seq,))
        connection.close()

    return apply


def second_frames(path: Path) -> list[Path]:
    folder = sorted(p for p in path.with_name("j-frames").iterdir() if p.is_dir())[1]
    return sorted(folder.glob("*.png"), key=lambda p: int(p.stem))


def each_frame(
    apply: Callable[[Path], object], first: int = 0, last: int | None = None
) -> Callable[[Path], None]:
    def apply_all(path: Path) -> None:
        for frame in second_frames(path)[first:last]:
            apply(frame)

    return apply_all


JOURNAL = (
    Damage(
        "frames_cut_off",
        each_frame(lambda f: f.write_bytes(f.read_bytes()[:60]), 20, 24),
        "damaged",
        everywhere,
    ),
    Damage("frames_gone", each_frame(Path.unlink, 20, 24), "damaged", everywhere),
    Damage("all_frames_gone", each_frame(Path.unlink), "damaged", everywhere),
    Damage("observation_not_json", event("Observed", 4), "damaged", everywhere),
    Damage("skill_not_json", event("SkillStarting", 0), "damaged", everywhere),
    Damage("skill_end_not_json", event("SkillEnded", 0), "damaged", everywhere),
)


def as_video(game: Path, path: Path) -> Path:
    frames = sorted((game / "game_01").glob("*.png"))
    height, width = cv2.imread(str(frames[0])).shape[:2]
    video = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), FPS, (width, height))
    for frame in frames:
        video.write(cv2.imread(str(frame)))
    video.release()
    shutil.copy(game / "game_01" / "actions.jsonl", path.with_suffix(".actions.jsonl"))
    return path


@pytest.fixture(scope="module")
def video(game: Path, tmp_path_factory: pytest.TempPathFactory) -> IntactRecording:
    source = as_video(game, own_folder(tmp_path_factory) / "run.avi")
    return intact(source, game / "vocabulary.yaml", 0)


def line(number: int, text: bytes) -> Callable[[Path], None]:
    def apply(path: Path) -> None:
        beside = path.with_suffix(".actions.jsonl")
        lines = beside.read_bytes().splitlines()
        lines[number] = text
        beside.write_bytes(b"\n".join(lines) + b"\n")

    return apply


VIDEO = (
    Damage("cut_off", cut_off("", 0.6), "lost", between(10.0, 900.0)),
    Damage("action_not_utf8", line(3, b"\xff"), "not_utf8", between(3.0, 60.0)),
    Damage("action_not_json", line(3, b"{"), "not_json", between(3.0, 60.0)),
    Damage(
        "actions_gone",
        lambda p: p.with_suffix(".actions.jsonl").unlink(),
        "no_actions",
        everywhere,
    ),
)


DAMAGES = {"lerobot": LEROBOT, "journal": JOURNAL, "video": VIDEO}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "damage"),
    [
        pytest.param(kind, damage, id=f"{kind}-{damage.name}")
        for kind, damages in DAMAGES.items()
        for damage in damages
    ],
)
def test_damage_affects_only_overlapping_moments(
    request: pytest.FixtureRequest, tmp_path: Path, kind: str, damage: Damage
) -> None:
    whole: IntactRecording = request.getfixturevalue(kind)
    shutil.copytree(whole.source.parent, tmp_path / "source")
    source, out = tmp_path / "source" / whole.source.name, tmp_path / "out"
    damage.apply(source)
    about = (whole.labels, damage, whole.damaged_episode, ("parquet",), whole.flaws)
    assert_costs_only_what_it_touches(source, whole.words, out, *about)


def test_damaged_line_in_episodes_file_drops_only_that_episode(game: Path, tmp_path: Path) -> None:
    source = as_lerobot(game, tmp_path / "set")
    words = game / "vocabulary.yaml"
    listed = source / "meta" / "episodes.jsonl"
    whole = labelled(source, tmp_path / "whole", (), words)
    lines = listed.read_text().splitlines()
    listed.write_text("\n".join([lines[0], lines[1][:9], lines[2]]) + "\n")
    damage = Damage("episodes_line", lambda _: None, "not_json", nowhere)
    left = {item: one for item, one in whole.items() if one["episode"] != "episode_000001"}
    about = (source, words, tmp_path / "after", left, damage, "episodes.jsonl:2", ())
    assert_costs_only_what_it_touches(*about)
