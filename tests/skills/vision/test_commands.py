"""``bt-exec vision``: what is typed, what is written, what goes wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from bt_exec.cli.app import call
from bt_exec_skills.vision import sources

SHIPPED = ["door-closed", "door-ajar", "door-open", "door-handle", "material", "person"]


@pytest.fixture
def made(squares: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a data set of squares, made by the command."""
    monkeypatch.setattr(sources, "find_source", lambda name: squares)
    folder = tmp_path / "data"
    options = ["--source", "squares", "--scenes", "6", "--val-every", "3"]
    assert call(["vision", "dataset", str(folder), *options]) == 0
    return folder


def test_dataset_says_what_it_made(
    squares: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sources, "find_source", lambda name: squares)
    options = ["--source", "squares", "--scenes", "6", "--val-every", "3", "--json"]
    assert call(["vision", "dataset", str(tmp_path / "data"), *options]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "folder": str(tmp_path / "data"),
        "scenes": 6,
        "pictures": {"train": 8, "val": 4},
    }


def test_dataset_refuses_to_overwrite(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--source", "squares", "--scenes", "6", "--val-every", "3"]
    assert call(["vision", "dataset", str(made), *options]) == 2
    assert "holds this data set already, complete" in capsys.readouterr().err


def test_an_unknown_source_lists_the_known(capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["vision", "dataset", "nowhere", "--source", "dor"]) == 2
    assert "there is no scene source 'dor'; known, nearest first: door" in capsys.readouterr().err


def test_eval_prints_figures_and_writes_plots(
    made: Path,
    tmp_path: Path,
    scripted_network: Any,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("bt_exec_skills.vision.network.load", lambda _: scripted_network())
    capsys.readouterr()
    out = tmp_path / "figures"
    options = ["--weights", "any.onnx", "--out", str(out)]
    assert call(["vision", "eval", str(made), *options, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["pictures"] == 4
    assert found["classes"]["square"] == {
        "count": 4,
        "precision": 0.0,
        "recall": 0.0,
        "ap50": 0.0,
        "ap50_95": 0.0,
    }
    assert json.loads((out / "figures.json").read_text()) == found
    assert cv2.imread(str(out / "curves.png")) is not None
    assert call(["vision", "eval", str(made), "--weights", "any.onnx"]) == 0
    assert "square" in capsys.readouterr().out


def test_show_annotates_what_a_robot_sees(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "seen.png"
    world = ["--world", "door=open", "--world", "seed=3"]
    assert call(["vision", "show", *world, "--out", str(file), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["door"]["state"] == "open"
    assert {one["type"] for one in found["detections"]} >= {"door", "door-handle", "material"}
    picture = cv2.imread(str(file))
    assert picture is not None
    assert picture.shape[0] > 480  # enlarged, with lines below
    assert picture.shape[1] == 640


def test_show_annotates_a_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    image, out = tmp_path / "in.png", tmp_path / "out.jpg"
    cv2.imwrite(str(image), np.full((240, 320, 3), 120, np.uint8))
    assert call(["vision", "show", str(image), "--out", str(out)]) == 0
    assert capsys.readouterr().out.startswith(f"{out}: ")
    assert cv2.imread(str(out)) is not None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["show", "nowhere.png"], "nowhere.png: no picture that can be read"),
        (["show", "a.png", "--mission", "3"], "a picture or a mission: show takes one of them"),
        (["show", "--world", "door=half"], "--world door='half': allowed are"),
        (["show", "--weights", "w.txt"], "there are no weights w.txt; they end in .onnx or .pt"),
        (["eval", "nowhere"], "nowhere holds no data set; make one with bt-exec vision dataset"),
        (["train", "nowhere", "out"], "nowhere holds no data set; make one with"),
    ],
)
def test_what_is_wrong_is_one_paragraph(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert call(["vision", *arguments]) == 2
    err = capsys.readouterr().err
    assert message in err.replace("\n", " ")
    assert "Traceback" not in err


def test_no_vision_package_needs_torch() -> None:
    import subprocess
    import sys

    script = (
        "import sys\n"
        "from bt_exec_skills.vision.network import load\n"
        "from bt_exec_skills.door.eyes import SHIPPED\n"
        "import bt_exec_skills.vision.commands\n"
        "print(load(SHIPPED).names, {'torch', 'ultralytics'} & set(sys.modules))"
    )
    told = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert told.stdout.strip() == f"{tuple(SHIPPED)} set()"
