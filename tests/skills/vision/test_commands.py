"""``bt-exec vision``: arguments, output files and errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from bt_exec.cli.app import run_command_line
from bt_exec_skills.vision import commands
from bt_exec_skills.vision.detection_display import Tag, draw_detections

SHIPPED = ["door-closed", "door-ajar", "door-open", "door-handle", "material", "person"]


@pytest.fixture
def made(squares: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a data set of squares, created by the command."""
    monkeypatch.setattr(commands, "find_source", lambda name: squares)
    folder = tmp_path / "data"
    options = ["--source", "squares", "--scenes", "6", "--val-every", "3"]
    assert run_command_line(["vision", "dataset", str(folder), *options]) == 0
    return folder


def test_dataset_command_reports_its_result(
    squares: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(commands, "find_source", lambda name: squares)
    options = ["--source", "squares", "--scenes", "6", "--val-every", "3", "--json"]
    assert run_command_line(["vision", "dataset", str(tmp_path / "data"), *options]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "folder": str(tmp_path / "data"),
        "scenes": 6,
        "pictures": {"train": 8, "val": 4},
    }


def test_dataset_command_does_not_overwrite_a_data_set(
    made: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--source", "squares", "--scenes", "6", "--val-every", "3"]
    assert run_command_line(["vision", "dataset", str(made), *options]) == 2
    assert "already contains this complete data set" in capsys.readouterr().err


def test_unknown_source_error_lists_the_known_ones(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command_line(["vision", "dataset", "nowhere", "--source", "dor"]) == 2
    assert "there is no scene source 'dor'; known, nearest first: door" in capsys.readouterr().err


def test_eval_prints_figures_and_writes_plots(
    made: Path,
    tmp_path: Path,
    scripted_network: Any,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(
        "bt_exec_skills.vision.two_stage_network_loading.load_network", lambda _: scripted_network()
    )
    capsys.readouterr()
    out = tmp_path / "figures"
    options = ["--weights", "any.onnx", "--out", str(out)]
    assert run_command_line(["vision", "eval", str(made), *options, "--json"]) == 0
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
    assert run_command_line(["vision", "eval", str(made), "--weights", "any.onnx"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["round", "0", "-", "-", "-", "-"] in rows  # with nothing to find
    assert ["square", "4", "0.000", "0.000", "0.000", "0.000"] in rows


def test_show_annotates_the_picture_of_a_robots_camera(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "seen.png"
    world = ["--world", "door=open", "--world", "seed=3"]
    assert run_command_line(["vision", "show", *world, "--out", str(file), "--json"]) == 0
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
    assert run_command_line(["vision", "show", str(image), "--out", str(out)]) == 0
    assert capsys.readouterr().out.startswith(f"{out}: ")
    assert cv2.imread(str(out)) is not None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["show", "nowhere.png"], "nowhere.png: picture not found"),
        (["show", "."], ". is not a readable picture"),
        (["show", "grey.png", "--out", "grey.png"], "grey.png is the picture itself; name another"),
        (
            ["show", "grey.png", "--out", "grey.pdf"],
            "grey.pdf cannot be written: its name must end",
        ),
        (
            ["show", "grey.png", "--out", "."],
            ". cannot be written: its name must end in .png",
        ),
        (["show", "grey.png", "--site", "lab"], "no weights for pictures of site lab ship; name"),
        (["show", "grey.png", "--world", "door=open"], "--world does not apply to a picture"),
        (["show", "--frames", "kept"], "--frames does not apply to a robot's look"),
        (["show", "--mission", "3", "--weights", "w.onnx"], "--weights does not apply to a miss"),
        (["train", "grey.png", "out", "--model", "yolo11n.pt"], "name the yaml file of a network"),
        (["show", "a.png", "--mission", "3"], "give either a picture or a mission"),
        (["show", "--world", "door=half"], "world setting door='half': allowed: "),
        (["show", "--weights", "w.txt"], "weights w.txt not found in /"),
        (["eval", "nowhere"], "nowhere contains no data set; make one with bt-exec vision dataset"),
        (["train", "nowhere", "out"], "nowhere contains no data set; make one with"),
    ],
)
def test_usage_error_is_reported_in_one_paragraph(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    cv2.imwrite("grey.png", np.full((240, 320), 120, np.uint8))
    assert run_command_line(["vision", *arguments]) == 2
    err = capsys.readouterr().err
    assert message in err.replace("\n", " ")
    assert "Traceback" not in err


def test_eval_without_validation_pictures_suggests_train_side(
    squares: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    scripted_network: Any,
) -> None:
    monkeypatch.setattr(commands, "find_source", lambda name: squares)
    monkeypatch.setattr(
        "bt_exec_skills.vision.two_stage_network_loading.load_network", lambda _: scripted_network()
    )
    data = str(tmp_path / "data")
    assert (
        run_command_line(["vision", "dataset", data, "--source", "squares", "--scenes", "2"]) == 0
    )
    assert run_command_line(["vision", "eval", data, "--weights", "any.onnx"]) == 2
    assert "contains no pictures in split val; try with --train-side" in capsys.readouterr().err


@pytest.mark.parametrize("side", ["train", "val"])
def test_training_requires_both_splits(
    squares: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    side: str,
) -> None:
    monkeypatch.setattr(commands, "find_source", lambda name: squares)
    every = "1" if side == "train" else "0"
    data = str(tmp_path / "data")
    options = ["--source", "squares", "--scenes", "2", "--val-every", every]
    assert run_command_line(["vision", "dataset", data, *options]) == 0
    assert run_command_line(["vision", "train", data, str(tmp_path / "run")]) == 2
    assert (
        f"contains no pictures in split {side}, and training needs both" in capsys.readouterr().err
    )
    assert not (tmp_path / "run").exists()


def test_unknown_class_of_the_network_counts_as_missed(
    made: Path,
    scripted_network: Any,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Otherwise a network of one easy class would look better than one that finds all."""
    network = scripted_network(names=("thing",))
    monkeypatch.setattr(
        "bt_exec_skills.vision.two_stage_network_loading.load_network", lambda _: network
    )
    capsys.readouterr()
    assert run_command_line(["vision", "eval", str(made), "--weights", "any.onnx", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert list(found["classes"]) == ["round", "square", "thing"]
    assert found["classes"]["square"]["count"] == 4
    assert found["map50"] == 0.0


def test_ctrl_c_reports_the_finished_scenes(
    squares: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def scene(seed: int) -> Any:
        raise KeyboardInterrupt

    squares.scene = scene
    monkeypatch.setattr(commands, "find_source", lambda name: squares)
    folder = tmp_path / "data"
    assert run_command_line(["vision", "dataset", str(folder), "--scenes", "6"]) == 130
    told = f"stopped; the finished scenes are kept in {folder}: the same command continues"
    assert told in capsys.readouterr().err


@pytest.mark.parametrize("shape", [(1, 1, 3), (1, 400, 3), (400, 1, 3), (2400, 3200, 3)])
def test_picture_of_extreme_shape_is_annotated(shape: tuple[int, ...]) -> None:
    lines = ["a line that is wider than a narrow picture is"] * 2
    seen = draw_detections(
        np.full(shape, 90, np.uint8), [Tag((0, 0, 1, 1), "thing 0.90", "thing")], lines
    )
    assert max(seen.shape[:2]) >= 640
    assert max(seen.shape[:2]) <= max(1300, 1.1 * max(shape))
    assert seen.shape[1] >= 250  # the text fits


def test_korean_text_is_drawn() -> None:
    frame = np.zeros((240, 320, 3), np.uint8)
    blank, written = (draw_detections(frame, [], [line]) for line in ("", "문 열림"))
    assert blank.shape == written.shape
    assert not np.array_equal(blank, written)


def test_vision_packages_do_not_import_torch() -> None:
    import subprocess
    import sys

    script = (
        "import sys\n"
        "from bt_exec_skills.vision.two_stage_network_loading import load_network\n"
        "from bt_exec_skills.door.perception.detector_factory import SHIPPED\n"
        "import bt_exec_skills.vision.commands\n"
        "print(load_network(SHIPPED).names, {'torch', 'ultralytics'} & set(sys.modules))"
    )
    told = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert told.stdout.strip() == f"{tuple(SHIPPED)} set()"
