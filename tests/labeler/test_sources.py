from __future__ import annotations

import json
import os
import shutil
import struct
import zlib
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
import pytest

from bt_exec.failure import UsageError
from bt_exec_labeler.clips import why_unreadable
from bt_exec_labeler.episode import Episode, FileFrame, decode_picture
from bt_exec_labeler.sources import read_source


def copy(game: Path, to: Path) -> Path:
    shutil.copytree(game / "game_00", to)
    return to


def one(path: Path) -> Episode:
    (episode,) = read_source(path)
    return episode


def test_episodes_in_a_folder_are_read_in_order_of_names(episodes: Sequence[Episode]) -> None:
    assert [episode.id for episode in episodes] == ["game_00", "game_01"]
    first = episodes[0]
    assert (first.command, first.language, first.flaws) == ("bring me the gem", "en", ())
    assert [frame.t for frame in first.frames[:3]] == [0, 0.25, 0.5]
    assert first.frames[0].image().shape == (72, 96, 3)
    assert len(first.actions) >= 10


def test_times_in_frames_file_have_priority_and_its_errors_are_reported(
    game: Path, tmp_path: Path
) -> None:
    folder = copy(game, tmp_path / "run")
    lines = [json.dumps({"file": f"{n:06d}.png", "t": t}) for n, t in ((0, 0), (1, 2.0), (2, 1.0))]
    lines += ['{"file": "gone.png", "t": 3}', '{"t": 4}', '{"file": "../game.png", "t": 5}']
    lines += ['{"file": "000003.png", "t": NaN}', "broken"]
    (folder / "frames.jsonl").write_text("\n".join(lines))
    episode = one(folder)
    assert [frame.t for frame in episode.frames] == [0, 1, 2]
    assert [flaw.kind for flaw in episode.flaws] == [
        *("damaged", "no_time", "damaged", "no_time", "not_json", "out_of_order")
    ]


def test_missing_number_is_a_gap_in_time(game: Path, tmp_path: Path) -> None:
    folder = copy(game, tmp_path / "run")
    for number in range(10, 20):
        (folder / f"{number:06d}.png").unlink()
    episode = one(folder)
    assert [(flaw.kind, flaw.message) for flaw in episode.flaws] == [
        ("gap", "no frame between 2.25 s and 5 s")
    ]
    assert episode.frames[10].t == 5.0


def test_duplicate_times_do_not_turn_usual_pauses_into_gaps(game: Path, tmp_path: Path) -> None:
    """Each frame, one every two seconds, is listed three times. A real pause follows."""
    folder = copy(game, tmp_path / "run")
    times = [2.0 * (number // 3) for number in range(24)] + [60.0]
    listed = [{"file": f"{number:06d}.png", "t": t} for number, t in enumerate(times)]
    (folder / "frames.jsonl").write_text("\n".join(map(json.dumps, listed)))
    gaps = [flaw.message for flaw in one(folder).flaws if flaw.kind == "gap"]
    assert gaps == ["no frame between 14 s and 60 s"]


def test_empty_file_is_not_a_picture(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^frame is damaged, or not a picture$"):
        decode_picture(b"", "frame")


def test_times_of_frames_are_not_guessed(game: Path, tmp_path: Path) -> None:
    folder = copy(game, tmp_path / "run")
    (folder / "episode.yaml").write_text("command: x\n")
    episode = one(folder)
    assert episode.frames == ()
    assert [flaw.kind for flaw in episode.flaws] == ["no_time", "no_frames"]
    assert "add fps to episode.yaml" in episode.flaws[0].message


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "is not JSON"),
        ('{"op": "TALK"}', "t: field required"),
        ('{"t": -1, "op": "TALK"}', "greater than or equal to 0"),
        ('{"t": 1, "end": 0.5, "op": "TALK"}', "before it begins"),
        ('{"t": 1, "op": "TALK", "state": "good"}', "state: input should be"),
        ('{"t": true, "op": "TALK"}', "t: input should be a valid number"),
        ('{"t": 1, "op": "TALK", "op": "REST"}', "the key 'op' is duplicated"),
        (f'{{"t": 1{"0" * 400}, "op": "TALK"}}', "t: input should be a valid number"),
        ("[1]", "valid dictionary"),
    ],
)
def test_invalid_action_is_dropped_and_reported(
    game: Path, tmp_path: Path, line: str, message: str
) -> None:
    folder = copy(game, tmp_path / "run")
    (folder / "actions.jsonl").write_text(f'{{"t": 0, "op": "REST"}}\n\n{line}\n')
    episode = one(folder)
    assert [action.op for action in episode.actions] == ["REST"]
    (flaw,) = episode.flaws
    assert (flaw.where, message in flaw.message) == ("actions.jsonl:3", True)


@pytest.mark.parametrize("t", [f"1{'0' * 400}", "true", "null", '"soon"', "-1", "NaN"])
def test_frame_without_a_usable_time_is_dropped(game: Path, tmp_path: Path, t: str) -> None:
    folder = copy(game, tmp_path / "run")
    lines = [f'{{"file": "000000.png", "t": {t}}}', '{"file": "000001.png", "t": 1}']
    (folder / "frames.jsonl").write_text("\n".join(lines))
    episode = one(folder)
    assert [frame.name for frame in episode.frames] == ["000001.png"]
    assert [(flaw.kind, flaw.where) for flaw in episode.flaws] == [("no_time", "frames.jsonl:1")]


def test_link_to_itself_is_not_a_frame(game: Path, tmp_path: Path) -> None:
    folder = copy(game, tmp_path / "run")
    (folder / "loop.png").symlink_to("loop.png")
    (folder / "frames.jsonl").write_text('{"file": "loop.png", "t": 0}')
    assert [flaw.kind for flaw in one(folder).flaws] == ["damaged", "no_frames"]


def test_byte_order_mark_and_carriage_returns_are_not_damage(game: Path, tmp_path: Path) -> None:
    folder = copy(game, tmp_path / "run")
    whole = one(folder).actions
    path = folder / "actions.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    episode = one(folder)
    assert (episode.actions, episode.flaws) == (whole, ())


def test_folder_without_header_is_read_without_a_flaw(game: Path, tmp_path: Path) -> None:
    folder = copy(game, tmp_path / "run")
    (folder / "episode.yaml").unlink()
    (folder / "frames.jsonl").write_text('{"file": "000000.png", "t": 0}')
    assert one(folder).flaws == ()


def test_actions_in_another_order_are_reported_and_sorted(game: Path, tmp_path: Path) -> None:
    folder = copy(game, tmp_path / "run")
    (folder / "actions.jsonl").write_text('{"t": 2, "op": "REST"}\n{"t": 1, "op": "TALK"}\n')
    episode = one(folder)
    assert [action.op for action in episode.actions] == ["TALK", "REST"]
    assert [(flaw.kind, flaw.message) for flaw in episode.flaws] == [
        ("out_of_order", "at 1 s after 2 s")
    ]


def test_picture_too_large_for_opencv_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "000000.png"
    head = struct.pack(">IIBBBBB", 60_000, 60_000, 8, 2, 0, 0, 0)
    chunks = [(b"IHDR", head), (b"IDAT", zlib.compress(bytes(100))), (b"IEND", b"")]
    parts = [
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    ]
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(parts))
    with pytest.raises(ValueError, match=r"000000\.png is damaged, or too large"):
        FileFrame(0.0, path).image()


def test_damaged_frame_is_reported_by_name(game: Path, tmp_path: Path) -> None:
    folder = copy(game, tmp_path / "run")
    (folder / "000004.png").write_bytes(b"\x89PNG broken")
    frame = one(folder).frames[4]
    with pytest.raises(ValueError, match=r"000004\.png is damaged"):
        frame.image()


def test_video_is_read_with_the_times_and_actions_in_files_beside_it(
    game: Path, tmp_path: Path
) -> None:
    path = tmp_path / "run.avi"
    video = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 10.0, (64, 48))
    for number in range(20):
        video.write(np.full((48, 64, 3), 10 * number, np.uint8))
    video.release()
    assert [flaw.kind for flaw in one(path).flaws] == ["no_actions"]
    (tmp_path / "run.actions.jsonl").write_text('{"t": 0.5, "op": "REST"}\n')
    episode = one(path)
    assert [action.op for action in episode.actions] == ["REST"]
    assert [round(frame.t, 3) for frame in episode.frames] == [n / 10 for n in range(20)]
    grey = [int(frame.image().mean()) for frame in episode.frames]
    assert all(abs(found - 10 * n) < 4 for n, found in enumerate(grey))
    path.write_bytes(b"no video")
    with pytest.raises(UsageError, match="is not a readable video"):
        one(path)


@pytest.mark.parametrize("name", ["missing", "empty", "file.txt"])
def test_unsupported_recording_error_lists_the_supported_kinds(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file.txt").write_text("x")
    with pytest.raises(UsageError, match=r"no such file|not a recording, which is a journal"):
        list(read_source(tmp_path / name))


def test_folder_without_actions_is_reported(game: Path, tmp_path: Path) -> None:
    folder = copy(game, tmp_path / "run")
    (folder / "actions.jsonl").unlink()
    episode = one(folder)
    assert (len(episode.frames) > 50, episode.actions) == (True, ())
    assert [(flaw.kind, flaw.where, flaw.message) for flaw in episode.flaws] == [
        ("no_actions", "actions.jsonl", "is missing; nothing can be labelled")
    ]


@pytest.mark.parametrize(
    ("key", "hint"),
    [("stat", "; did you mean state?"), ("xyzzy", ""), ("ends", "; did you mean end?")],
)
def test_unknown_key_of_an_action_is_ignored_and_reported(
    game: Path, tmp_path: Path, key: str, hint: str
) -> None:
    folder = copy(game, tmp_path / "run")
    (folder / "actions.jsonl").write_text(json.dumps({"t": 1, "op": "REST", key: 1}) + "\n")
    episode = one(folder)
    assert [action.op for action in episode.actions] == ["REST"]
    (flaw,) = episode.flaws
    assert flaw.message == f"has an unknown key {key!r}, ignored{hint}"


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ('{"target": "\\ud800"}', "an incomplete character"),
        ('{"\\udc80": 1}', "an incomplete character"),
        (f'{{"target": {"[" * 400}{"]" * 400}}}', "nested too deeply"),
    ],
)
def test_value_that_cannot_be_serialised_is_not_read(
    game: Path, tmp_path: Path, arguments: str, why: str
) -> None:
    shutil.copytree(game / "game_00", tmp_path / "one")
    with (tmp_path / "one" / "actions.jsonl").open("a") as file:
        file.write(f'{{"t": 90, "op": "MOVE_NAV", "args": {arguments}}}\n')
    found = next(read_source(tmp_path))
    assert all(action.t < 90 for action in found.actions)
    assert [flaw.kind for flaw in found.flaws] == ["not_json"]
    assert why in found.flaws[0].message


@pytest.mark.parametrize(
    ("header", "command", "fps"),
    [
        (b"command: \xff\xfe go\nfps: 4\n", "", 4),
        (b'fps: 4\ncommand: "go \\0 on"\n', "", 4),
        (b"command: [go\nfps: 4\nlanguage: en\n", "", 4),
        (b"fps: 4\ncommand: go\ncommand: stay\n", "", 4),
        (b"fps: 4\nfps: 5\ncommand: go\n", "go", 0),
        (b"- fps: 4\n\xff\n", "", 0),
    ],
)
def test_only_the_damaged_keys_of_a_header_are_lost(
    game: Path, tmp_path: Path, header: bytes, command: str, fps: float
) -> None:
    shutil.copytree(game / "game_00", tmp_path / "one")
    (tmp_path / "one" / "episode.yaml").write_bytes(header)
    found = next(read_source(tmp_path))
    assert found.flaws[0].kind == "header"
    assert found.command == command
    assert found.times[:2] == ((0, 1 / fps) if fps else ())


def test_names_that_are_not_utf8_are_escaped(game: Path, tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"one_\xff")
    shutil.copytree(game / "game_00", folder)
    (folder / "000003.png").rename(folder / os.fsdecode(b"\xfe000003.png"))
    found = next(read_source(tmp_path))
    assert found.id == "one_\\udcff"
    assert found.frames[3].name == "\\udcfe000003.png"
    assert not found.flaws


def test_pipe_is_not_a_picture(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "1.png")
    assert why_unreadable(FileFrame(0.0, tmp_path / "1.png")) == "1.png is a pipe or a device"


def test_extension_of_a_video_may_be_in_capitals(tmp_path: Path) -> None:
    (tmp_path / "run.MP4").write_bytes(b"nothing")
    with pytest.raises(UsageError, match=r"run\.MP4 is not a readable video"):
        next(read_source(tmp_path / "run.MP4"))
