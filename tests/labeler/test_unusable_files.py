"""Files that cannot be read or written: each is one line for the user, and nothing is lost."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from bt_exec.cli.app import run_command_line
from bt_exec.failure import UsageError
from bt_exec_labeler.review.decisions import Decisions
from bt_exec_labeler.testing.toy_game_episodes import VOCABULARY


@pytest.fixture(scope="module")
def labelled(game: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a recording, its vocabulary, and its run."""
    folder = tmp_path_factory.mktemp("labelled")
    shutil.copytree(game / "game_00", folder / "game" / "game_00")
    shutil.copy(game / "vocabulary.yaml", folder / "words.yaml")
    about = ["run", folder / "game", "-v", folder / "words.yaml", "-o", folder / "run"]
    assert run_command_line(["label", *map(str, about)]) == 0
    return folder


def _write(name: str, data: bytes) -> Callable[[Path], Any]:
    return lambda folder: (folder / name).write_bytes(data)


def _line(change: Callable[[dict[str, Any]], Any]) -> Callable[[Path], Any]:
    """Return a function that damages the first line of the records."""

    def damage(folder: Path) -> None:
        path = folder / "run" / "records.jsonl"
        line = json.loads(path.read_text(encoding="utf-8").splitlines()[0])
        path.write_text(json.dumps(change(line)) + "\n", encoding="utf-8")

    return damage


def _nothing(_: Path) -> None:
    pass


REVIEW = "review run --source game -v words.yaml -r ann"
EXPORT = "export run --source game -v words.yaml -o studio"
DATASET = "dataset run --source game -v words.yaml -o set"
REPORT = "report run -v words.yaml"
UNUSABLE: tuple[tuple[str, Callable[[Path], Any], str], ...] = (
    ("vocabulary --site door -o words.yaml", _nothing, "words.yaml exists already"),
    ("vocabulary --site door -o no/words.yaml", _nothing, "cannot be written: No such file"),
    ("check game -v no.yaml", _nothing, "no.yaml"),
    ("run game -v words.yaml -o new --engine rey", _nothing, "there is no engine 'rey'"),
    ("run game -v words.yaml -o new -l model -s client.base_url=http://127.0.0.1:9 --cache game",
     _nothing, "the cache game cannot be used"),
    ("run game -v words.yaml -o new --site tabletop", _nothing,
     "its compiler has no settings of a model"),
    ("run game -v words.yaml -o run --resume", lambda f: (f / "run" / "parts").mkdir(),
     "was written by an earlier version"),
    (REPORT, _write("run/records.jsonl", b"{"), "records.jsonl:1 is not JSON"),
    (REPORT, _write("run/records.jsonl", b"\xff"), "is not UTF-8: invalid start byte at byte 0"),
    (REPORT, lambda f: (f / "run" / "drops.jsonl").unlink(), "cannot be read: No such file"),
    (f"{REPORT} --html no/page.html", _nothing, "no/page.html cannot be written"),
    (f"{REPORT} --against no", _nothing, "no/records.jsonl cannot be read"),
    (REVIEW, _write("run/records.jsonl", b""), "contains no records; there is nothing to review"),
    (REVIEW, _line(lambda line: {**line, "episode": "other"}), "has no episode other"),
    (REVIEW, _line(lambda line: {**line, "mid_step_id": "fly"}), "has no mid step fly"),
    (REVIEW, lambda f: (f / "run" / "review").write_text(""), "cannot be written: File exists"),
    (f"{REVIEW} --episode other", _nothing, "there is no episode 'other'"),
    (EXPORT, lambda f: (f / "studio").write_text(""), "studio exists already"),
    (EXPORT.replace("-o studio", "-o words.yaml/studio"), _nothing, "cannot be written"),
    ("import run no.json --source game -v words.yaml", _nothing, "no.json cannot be read"),
    ("import run odd.json --source game -v words.yaml",
     _write("odd.json", b'[{"data": {}, "annotations": [7]}]'), "an annotation must be an object"),
    (DATASET, _line(lambda line: {**line, "episode": "other"}), "has no episode other"),
    (DATASET, lambda f: (f / "set" / "in").mkdir(parents=True), "set is not empty"),
    (DATASET.replace("-o set", "-o words.yaml/set"), _nothing, "cannot be written"),
    (f"{DATASET} --format csv", _nothing, "there is no format 'csv'"),
    (f"{DATASET} --format lerobot --lerobot 0.5", _nothing, "there is no LeRobot version '0.5'"),
    (f"{DATASET} --replies", _nothing, "has no commands that were refused or answered"),
    (f"{DATASET} --replies --format lerobot", _nothing, "--replies requires --format parquet"),
    ("replay run", _nothing, "game: only missions of a journal can be run again"),
)  # fmt: skip


@pytest.mark.parametrize(("words", "damage", "said"), UNUSABLE)
def test_unusable_file_is_reported_in_one_line_and_nothing_is_written(
    labelled: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    words: str,
    damage: Callable[[Path], Any],
    said: str,
) -> None:
    folder = tmp_path / "work"
    shutil.copytree(labelled, folder)
    manifest = folder / "run" / "run.json"
    manifest.write_text(manifest.read_text().replace(str(labelled), str(folder)))
    damage(folder)
    monkeypatch.chdir(folder)
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    before = {path for path in folder.rglob("*") if "review" not in path.parts}
    capsys.readouterr()
    assert run_command_line(["label", *words.split()]) == 2
    out, err = capsys.readouterr()
    assert said in err
    assert (out, err.count("\n")) == ("", 1)
    after = {path for path in folder.rglob("*") if "review" not in path.parts}
    assert after - before <= {folder / "run" / name for name in ("run.lock", "splits.json")}


def test_second_review_page_of_a_reviewer_is_refused(tmp_path: Path) -> None:
    first = Decisions(tmp_path, "ann")
    with pytest.raises(UsageError, match=r"ann is already reviewing .* in another window"):
        Decisions(tmp_path, "ann")
    first.close()
    Decisions(tmp_path, "ann").close()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"mid_steps": {}}, "mid_steps"),
        ({"done_evidence": [*VOCABULARY["done_evidence"]] * 2}, "done_evidence names at=chest, "),
        ({"fallbacks": [*VOCABULARY["fallbacks"]] * 2}, "step_back more than once"),
        ({"version": "a b"}, "version"),
        ({"limits": {"step_s": 0}}, "step_s"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_invalid_vocabulary_is_reported_with_its_position(
    game: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    change: dict[str, Any],
    said: str,
) -> None:
    words = tmp_path / "words.yaml"
    words.write_text(yaml.safe_dump({**VOCABULARY, **change}, allow_unicode=True))
    assert run_command_line(["label", "check", str(game), "-v", str(words)]) == 2
    err = capsys.readouterr().err
    assert said in err
    assert "words.yaml" in err
