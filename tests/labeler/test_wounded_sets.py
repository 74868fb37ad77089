"""Wounded LeRobot data sets, journals and videos: the same law as for folders of frames."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import pyarrow
import pyarrow.parquet
import pytest

from bt_exec.journal import Journal
from bt_exec.mission.session import Session
from bt_exec.site.site import load_site
from bt_exec_labeler import commands
from bt_exec_labeler.drafting import draft_vocabulary
from bt_exec_labeler.testing.game import FPS, make_game

from .test_wounded import (
    Lines,
    Wound,
    assert_costs_only_what_it_touches,
    between,
    everywhere,
    labelled,
    nowhere,
)

Healthy = tuple[Path, Path, Lines]
"""A recording, its vocabulary, and its labels."""


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
def lerobot(game: Path, tmp_path_factory: pytest.TempPathFactory) -> Healthy:
    folder = tmp_path_factory.mktemp("lerobot")
    source, words = as_lerobot(game, folder / "set"), game / "vocabulary.yaml"
    return source, words, labelled(source, folder, ("parquet",), words)


def column(name: str, row: int, value: Any) -> Callable[[Path], None]:
    """Return a wound that replaces a cell of the second episode."""

    def harm(folder: Path) -> None:
        path = folder / "data" / "episode_000001.parquet"
        table = pyarrow.parquet.read_table(path).to_pydict()
        before = table[name][row]
        table[name][row] = value(before) if callable(value) else value
        pyarrow.parquet.write_table(pyarrow.table(table), path)

    return harm


def bad_call(folder: Path) -> None:
    path = folder / "data" / "episode_000001.parquet"
    table = pyarrow.parquet.read_table(path).to_pydict()
    third = [n for n, events in enumerate(table["language_events"]) if events][3]
    table["language_events"][third][0]["tool_calls"] = ["not a call"]
    pyarrow.parquet.write_table(pyarrow.table(table), path)


def cut_off(name: str, share: float) -> Callable[[Path], None]:
    def harm(folder: Path) -> None:
        path = folder / name if name else folder
        data = path.read_bytes()
        path.write_bytes(data[: int(len(data) * share)])

    return harm


CAMERA, SET = "observation.images.top", "data/episode_000001.parquet"
NEAR = between(6.0, 6.25)
LEROBOT = (
    Wound("broken_picture", column(CAMERA, 24, {"bytes": b"x", "path": None}), "damaged", NEAR),
    Wound("no_picture", column(CAMERA, 24, {"bytes": None, "path": None}), "damaged", NEAR),
    Wound("no_time", column("timestamp", 24, None), "row", NEAR),
    Wound("time_nan", column("timestamp", 24, float("nan")), "row", NEAR),
    Wound("double_time", column("timestamp", 24, 5.75), "double_time", between(5.75, 6.25)),
    Wound("clock_ahead", column("timestamp", -1, 900.0), "gap", between(10.0, 900.0)),
    Wound("bad_tool_call", bad_call, "action", between(2.0, 60.0)),
    Wound("file_cut_off", cut_off(SET, 0.5), "damaged", everywhere),
    Wound("file_gone", lambda f: (f / SET).unlink(), "damaged", everywhere),
)


@pytest.mark.slow
@pytest.mark.parametrize("wound", LEROBOT, ids=lambda wound: wound.name)
def test_wound_of_a_lerobot_set_costs_only_what_it_touches(
    lerobot: Healthy, tmp_path: Path, wound: Wound
) -> None:
    source, words, whole = lerobot
    copied = tmp_path / "set"
    shutil.copytree(source, copied)
    wound.harm(copied)
    assert_costs_only_what_it_touches(
        copied, words, tmp_path / "out", whole, wound, "episode_000001", ("parquet",)
    )


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Healthy:
    folder = tmp_path_factory.mktemp("journal")
    site = load_site("door")
    packs = {"door": site.packs["door"].model_copy(update={"detector": "oracle"})}
    site, path, words = replace(site, packs=packs), folder / "j.sqlite", folder / "words.yaml"
    for _ in range(3):
        how: dict[str, Any] = {"world": {"door": "closed"}, "fast": True, "frames": True}
        with Session(site, journal=Journal.open(path), **how) as session:
            session.run("get the material")
    words.write_text(draft_vocabulary("door"), encoding="utf-8")
    return path, words, labelled(path, folder, ("parquet",), words)


def cell(kind: str, number: int, value: str = "{") -> Callable[[Path], None]:
    """Return a wound of an event of the second mission."""

    def harm(path: Path) -> None:
        with sqlite3.connect(path) as connection:
            about = "SELECT seq FROM events WHERE mission = 2 AND kind = ? ORDER BY seq"
            seq = connection.execute(about, (kind,)).fetchall()[number][0]
            connection.execute(
                "UPDATE events SET data = ? WHERE mission = 2 AND seq = ?", (value, seq)
            )
        connection.close()

    return harm


def second_frames(path: Path) -> list[Path]:
    folder = sorted(p for p in path.with_name("j-frames").iterdir() if p.is_dir())[1]
    return sorted(folder.glob("*.png"), key=lambda p: int(p.stem))


def each_of(harm: Callable[[Path], object], first: int, last: int) -> Callable[[Path], None]:
    return lambda path: [harm(frame) for frame in second_frames(path)[first:last]] and None


JOURNAL = (
    Wound(
        "frames_cut_off",
        each_of(lambda f: f.write_bytes(f.read_bytes()[:60]), 20, 24),
        "damaged",
        everywhere,
    ),
    Wound("frames_gone", each_of(Path.unlink, 20, 24), "damaged", everywhere),
    Wound("all_frames_gone", each_of(Path.unlink, 0, 10_000), "damaged", everywhere),
    Wound("observation_not_json", cell("Observed", 4), "damaged", everywhere),
    Wound("skill_not_json", cell("SkillStarting", 1), "damaged", everywhere),
    Wound("skill_end_not_json", cell("SkillEnded", 1), "damaged", everywhere),
)


@pytest.mark.slow
@pytest.mark.parametrize("wound", JOURNAL, ids=lambda wound: wound.name)
def test_wound_of_a_journal_costs_only_its_mission(
    journal: Healthy, tmp_path: Path, wound: Wound
) -> None:
    source, words, whole = journal
    copied = tmp_path / "j.sqlite"
    Journal.open(source)
    shutil.copytree(source.with_name("j-frames"), tmp_path / "j-frames")
    with sqlite3.connect(source) as before, sqlite3.connect(copied) as after:
        before.backup(after)
    before.close()
    after.close()
    wounded = sorted({line["episode"] for line in whole.values()})[1]
    wound.harm(copied)
    known = commands.check(source, words)["flaws"]  # a busy machine drops frames of fast missions
    about = (copied, words, tmp_path / "out", whole, wound, wounded, ("parquet",), known)
    assert_costs_only_what_it_touches(*about)


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
def video(game: Path, tmp_path_factory: pytest.TempPathFactory) -> Healthy:
    folder = tmp_path_factory.mktemp("video")
    source, words = as_video(game, folder / "run.avi"), game / "vocabulary.yaml"
    return source, words, labelled(source, folder, ("parquet",), words)


def line(number: int, text: bytes) -> Callable[[Path], None]:
    def harm(path: Path) -> None:
        beside = path.with_suffix(".actions.jsonl")
        lines = beside.read_bytes().splitlines()
        lines[number] = text
        beside.write_bytes(b"\n".join(lines) + b"\n")

    return harm


VIDEO = (
    Wound("cut_off", cut_off("", 0.6), "lost", between(10.0, 900.0)),
    Wound("action_not_utf8", line(3, b"\xff"), "not_utf8", between(3.0, 60.0)),
    Wound("action_not_json", line(3, b"{"), "not_json", between(3.0, 60.0)),
    Wound(
        "actions_gone",
        lambda p: p.with_suffix(".actions.jsonl").unlink(),
        "no_actions",
        everywhere,
    ),
)


@pytest.mark.slow
@pytest.mark.parametrize("wound", VIDEO, ids=lambda wound: wound.name)
def test_wound_of_a_video_costs_only_what_it_touches(
    video: Healthy, tmp_path: Path, wound: Wound
) -> None:
    source, words, whole = video
    for path in source.parent.glob("run.*"):
        shutil.copy(path, tmp_path)
    copied = tmp_path / source.name
    wound.harm(copied)
    assert_costs_only_what_it_touches(
        copied, words, tmp_path / "out", whole, wound, "run", ("parquet",)
    )


def test_damaged_line_of_the_episodes_costs_that_episode(game: Path, tmp_path: Path) -> None:
    source = as_lerobot(game, tmp_path / "set")
    words = game / "vocabulary.yaml"
    listed = source / "meta" / "episodes.jsonl"
    whole = labelled(source, tmp_path / "whole", (), words)
    lines = listed.read_text().splitlines()
    listed.write_text("\n".join([lines[0], lines[1][:9], lines[2]]) + "\n")
    wound = Wound("episodes_line", lambda _: None, "not_json", nowhere)
    left = {item: one for item, one in whole.items() if one["episode"] != "episode_000001"}
    about = (source, words, tmp_path / "after", left, wound, "episodes.jsonl:2", ())
    assert_costs_only_what_it_touches(*about)
