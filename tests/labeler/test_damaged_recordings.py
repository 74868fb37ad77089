"""Damaged recordings: `check` reports each flaw, only affected moments are lost.

One of three episodes is damaged. The labels of the others must not change. In the damaged one only
moments affected by the flaw may be lost, changed or marked.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from bt_exec.cli.app import run_command_line
from bt_exec_labeler import cli_commands
from bt_exec_labeler.batch.output_and_answer_cache import read_lines
from bt_exec_labeler.testing.toy_game_episodes import make_game

Lines = dict[str, dict[str, Any]]
DAMAGED_EPISODE = "game_01"


class Damage(NamedTuple):
    """Damage to a recording.

    Attributes:
        name: Name of the test case.
        apply: Function that applies it to the folder of an episode.
        kind: Flaw that `check` reports.
        touches: Function that returns whether a moment may be lost, changed or marked.
    """

    name: str
    apply: Callable[[Path], None]
    kind: str
    touches: Callable[[float], bool]


def frames_file(folder: Path, times: Callable[[int], Any]) -> None:
    """Write ``frames.jsonl`` with the time of each frame, or a whole line as text or bytes."""
    lines = []
    for number, path in enumerate(sorted(folder.glob("*.png"))):
        t = times(number)
        line = json.dumps({"file": path.name, "t": t}) if isinstance(t, int | float) else t
        lines.append(line.encode() if isinstance(line, str) else line)
    (folder / "frames.jsonl").write_bytes(b"\n".join(lines) + b"\n")


def action_lines(folder: Path, change: Callable[[list[bytes]], list[bytes]]) -> None:
    path = folder / "actions.jsonl"
    path.write_bytes(b"\n".join(change(path.read_bytes().splitlines())) + b"\n")


def replaced(number: int, line: bytes | Callable[[dict[str, Any]], Any]) -> Callable[[Path], None]:
    """Return a function that replaces a line of the actions."""

    def change(lines: list[bytes]) -> list[bytes]:
        new = line if isinstance(line, bytes) else json.dumps(line(json.loads(lines[number])))
        lines[number] = new if isinstance(new, bytes) else new.encode()
        return lines

    return lambda folder: action_lines(folder, change)


def faulty_picture(number: int, data: bytes | None) -> Callable[[Path], None]:
    def apply(folder: Path) -> None:
        for name in (number, number + 1):
            path = folder / f"{name:06d}.png"
            path.write_bytes(path.read_bytes()[:60] if data is None else data)

    return apply


def nowhere(_: float) -> bool:
    return False


def everywhere(_: float) -> bool:
    return True


def between(begin: float, end: float) -> Callable[[float], bool]:
    """Return whether the clip of a controller at a moment overlaps a time range."""
    return lambda t: begin <= t <= end + 4.0


def header(text: str) -> Callable[[Path], None]:
    return lambda folder: _write(folder / "episode.yaml", text.encode())


def _write(path: Path, data: bytes) -> None:
    path.write_bytes(data)


def clock(times: Callable[[int], Any]) -> Callable[[Path], None]:
    return lambda folder: frames_file(folder, times)


LATE = between(3.0, 60.0)  # an action near the fourth second, and its successors
HEAD = "fps: 4.0\ncommand: bring me the gem\nlanguage: en\n"
DAMAGES = (
    Damage("cut_off_frame", faulty_picture(24, None), "damaged", between(6.0, 6.25)),
    Damage("empty_frame", faulty_picture(24, b""), "damaged", between(6.0, 6.25)),
    Damage("text_as_frame", faulty_picture(24, b"<html>"), "damaged", between(6.0, 6.25)),
    Damage("first_frame", faulty_picture(0, None), "damaged", between(0.0, 0.25)),
    Damage("folder_as_frame", lambda f: _folder(f / "000024.png"), "damaged", between(6, 6.25)),
    Damage("frame_gone", lambda f: _gone(f, 22, 30), "gap", between(5.0, 8.0)),
    Damage("actions_not_utf8", replaced(3, b'{"t": 7, "op": "TA\xff\xfeLK"}'), "not_utf8", LATE),
    Damage("actions_not_json", replaced(3, b'{"t": 7, "op": '), "not_json", LATE),
    Damage("actions_nested", replaced(3, b"[" * 100_000), "not_json", LATE),
    Damage("actions_list", replaced(3, b"[1, 2]"), "action", LATE),
    Damage("action_without_op", replaced(3, lambda a: _less(a, "op")), "action", LATE),
    Damage("action_without_time", replaced(3, lambda a: _less(a, "t")), "action", LATE),
    Damage("action_ends_before", replaced(3, lambda a: {**a, "end": 0}), "action", LATE),
    Damage("action_time_nan", replaced(3, lambda a: {**a, "t": float("nan")}), "action", LATE),
    Damage("action_bad_state", replaced(3, lambda a: {**a, "state": "fine"}), "action", LATE),
    Damage("action_bad_key", replaced(3, lambda a: {**a, "colour": 1}), "unknown_key", nowhere),
    Damage("action_twice", lambda f: action_lines(f, _doubled), "double_time", nowhere),
    Damage("actions_missing", lambda f: (f / "actions.jsonl").unlink(), "no_actions", everywhere),
    Damage("actions_empty", lambda f: _write(f / "actions.jsonl", b""), "no_actions", everywhere),
    Damage("header_bad_key", header(HEAD + "colour: red\n"), "unknown_key", nowhere),
    Damage("header_bad_value", header(HEAD.replace("4.0", "four")), "unknown_key", everywhere),
    Damage(
        "header_not_utf8", lambda f: _write(f / "episode.yaml", b"fps: \xff"), "header", everywhere
    ),
    Damage("header_not_yaml", header("fps: [4\n"), "header", everywhere),
    Damage(
        "clock_back",
        clock(lambda n: n / 4 - (3 if n >= 60 else 0)),
        "clock_back",
        between(11.75, 90),
    ),
    Damage("clock_ahead", clock(lambda n: n / 4 + (900 if n >= 60 else 0)), "gap", between(14, 90)),
    Damage("double_times", clock(lambda n: (n - (n == 21)) / 4), "double_time", between(5, 5.5)),
    Damage(
        "frames_bad_line", clock(lambda n: n / 4 if n != 24 else "{"), "not_json", between(6, 6)
    ),
    Damage(
        "frames_not_utf8", clock(lambda n: n / 4 if n != 24 else b"\xff"), "not_utf8", between(6, 6)
    ),
    Damage("frames_negative", clock(lambda n: n / 4 if n != 24 else -5), "no_time", between(6, 6)),
    Damage(
        "frames_swapped",
        clock(lambda n: {24: 25, 25: 24}.get(n, n) / 4),
        "out_of_order",
        between(6, 6.25),
    ),
    Damage("frames_file_gone", lambda f: _gone_after(f), "damaged", between(6, 6)),
    Damage("no_frames", lambda f: _gone(f, 0, 10_000), "no_frames", everywhere),
)


def _less(data: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in data.items() if name != key}


def _doubled(lines: list[bytes]) -> list[bytes]:
    return [*lines[:4], lines[3], *lines[4:]]


def _folder(path: Path) -> None:
    for name in (path, path.with_name("000025.png")):
        name.unlink()
        name.mkdir()


def _gone(folder: Path, first: int, last: int) -> None:
    for path in sorted(folder.glob("*.png"))[first:last]:
        path.unlink()


def _gone_after(folder: Path) -> None:
    frames_file(folder, lambda n: n / 4)
    (folder / "000024.png").unlink()


def labelled(
    recording: Path,
    folder: Path,
    forms: tuple[str, ...] = ("parquet", "lerobot"),
    words: Path | None = None,
) -> Lines:
    """Run the rules over a recording, and create a report and both kinds of sets."""
    words = words or recording / "vocabulary.yaml"
    cli_commands.run(
        recording, words, folder / "run", labeler="rules", role="controller", stride_s=0.5
    )
    cli_commands.report(folder / "run", words, recording, folder / "run", folder / "page.html")
    for form in forms:
        about = (folder / "run", recording, words, folder / form)
        cli_commands.dataset(*about, keep_uncertain=True, form=form)
    found = [
        line
        for name in ("records", "drops")
        for line in read_lines(folder / "run" / f"{name}.jsonl")
    ]
    assert len({line["item"] for line in found}) == len(found)
    return {line["item"]: line for line in found if line.get("record")}


@pytest.fixture(scope="module")
def intact(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Lines]:
    folder = tmp_path_factory.mktemp("intact")
    game = make_game(folder / "game", episodes=3, seed=5)
    (folder / "vocabulary.yaml").write_bytes((game / "vocabulary.yaml").read_bytes())
    return game, labelled(game, folder)


def test_several_flaws_are_reported_and_intact_moments_are_labelled(
    game: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recording = tmp_path / "game"
    shutil.copytree(game, recording)
    shutil.copy(game / "vocabulary.yaml", tmp_path)
    whole = labelled(game, tmp_path / "whole", ())
    for name in ("cut_off_frame", "actions_not_utf8", "header_bad_key"):
        next(damage for damage in DAMAGES if damage.name == name).apply(recording / DAMAGED_EPISODE)
    assert (
        run_command_line(
            ["label", "check", str(recording), "-v", str(tmp_path / "vocabulary.yaml")]
        )
        == 0
    )
    said = capsys.readouterr().out
    assert "! game_01: 000024.png: cannot be decoded" in said
    assert "! game_01: actions.jsonl:4: is not UTF-8" in said
    assert "! game_01: episode.yaml: colour: extra inputs are not permitted" in said
    assert "moments are flawed: they are labelled and marked" in said
    after = labelled(recording, tmp_path, ("parquet",))
    untouched = {item: line for item, line in whole.items() if line["episode"] != DAMAGED_EPISODE}
    assert {item: after[item] for item in untouched} == untouched


@pytest.mark.slow
@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.name)
def test_damage_affects_only_overlapping_moments(
    intact: tuple[Path, Lines], tmp_path: Path, damage: Damage
) -> None:

    game, whole = intact
    recording = tmp_path / "game"
    shutil.copytree(game, recording)
    shutil.copy(game / "vocabulary.yaml", tmp_path)
    damage.apply(recording / DAMAGED_EPISODE)
    words = tmp_path / "vocabulary.yaml"
    marked = assert_costs_only_what_it_touches(
        recording, words, tmp_path, whole, damage, DAMAGED_EPISODE
    )
    if damage.kind in ("damaged", "gap", "clock_back") and damage.name != "frames_file_gone":
        assert marked


def assert_costs_only_what_it_touches(
    recording: Path,
    words: Path,
    folder: Path,
    whole: Lines,
    damage: Damage,
    damaged_episode: str,
    forms: tuple[str, ...] = ("parquet", "lerobot"),
    known: Sequence[Mapping[str, Any]] = (),
) -> set[str]:
    """Check and label a damaged recording, and return the marked moments.

    Args:
        recording: The damaged recording.
        words: Its vocabulary.
        folder: Folder for runs and sets.
        whole: Labels of the intact recording.
        damage: The damage.
        damaged_episode: Damaged episode.
        forms: Kinds of sets to create.
        known: Flaws of the intact recording.
    """
    found = cli_commands.check(recording, words)
    new = [flaw for flaw in found["flaws"] if flaw not in known]
    flaws = [flaw for flaw in new if flaw["episode"] == damaged_episode]
    assert damage.kind in {flaw["kind"] for flaw in flaws}
    assert all(flaw["where"] and flaw["message"] for flaw in flaws)
    assert {flaw["episode"] for flaw in new} == {damaged_episode}
    after = labelled(recording, folder, forms, words)
    for item, line in whole.items():
        touched = line["episode"] == damaged_episode and damage.touches(line["t"])
        if not touched:
            assert after[item] == line, f"{item} is lost, changed or marked"
    marked = {item for item, line in after.items() if line.get("flaws")}
    total = found["total"]
    assert (total["moments"], total["flawed"]) == (len(after), len(marked))
    new_marks = {item for item in marked if not whole.get(item, {}).get("flaws")}
    assert all(after[item]["episode"] == damaged_episode for item in new_marks)
    return new_marks
