"""Networks: the same boxes from .onnx and .pt, and files that are none."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from bt_exec.failure import UsageError
from bt_exec_skills.vision.dataset import read_pictures, read_recipe
from bt_exec_skills.vision.network import OnnxNetwork, load
from bt_exec_skills.vision.train import TrainSettings, train


def test_files_that_are_no_networks(tmp_path: Path) -> None:
    odd = tmp_path / "odd.onnx"
    odd.write_bytes(b"no network")
    with pytest.raises(UsageError, match=r"odd\.onnx cannot be read as a network"):
        load(odd)
    other = tmp_path / "weights.h5"
    other.write_bytes(b"x")
    with pytest.raises(UsageError, match=r"weights end in \.onnx \(onnxruntime\) or \.pt"):
        load(other)
    with pytest.raises(UsageError, match="there are no weights"):
        load(tmp_path / "none.onnx")


def test_a_picture_of_any_size_is_taken() -> None:
    from bt_exec_skills.door.eyes import SHIPPED

    network = OnnxNetwork(SHIPPED)
    for size in ((240, 320), (120, 160), (480, 640), (64, 64)):
        for one in network.find(np.full((*size, 3), 90, np.uint8), 0.001):
            x1, y1, x2, y2 = one.xyxy
            assert 0 <= x1 <= x2 <= size[1]
            assert 0 <= y1 <= y2 <= size[0]


def bt_exec(*arguments: str) -> str:
    """Run a command in a process of its own: torch and pytest's warnings do not get on."""
    told = subprocess.run(
        [sys.executable, "-m", "bt_exec", "vision", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 0, told.stderr[-2000:]
    return told.stdout


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.filterwarnings("ignore")
def test_training_ends_in_two_networks_that_find_the_same(tmp_path: Path) -> None:
    """Make a small data set, train a little, compare every detection of 150 pictures."""
    if importlib.util.find_spec("ultralytics") is None:
        pytest.skip("needs the extra yolo")
    data, run = tmp_path / "data", tmp_path / "run"
    bt_exec("dataset", str(data), "--seed", "1000", "--scenes", "30", "--val-every", "2")
    bt_exec("train", str(data), str(run), "--epochs", "8", "--batch", "4", "--device", "cpu")
    report = json.loads((run / "training.json").read_text())
    assert report["dataset"]["seed"] == 1000
    assert report["settings"]["epochs"] == 8
    with pytest.raises(UsageError, match="holds finished weights already"):
        train(data, run, TrainSettings())
    ours, theirs = load(run / "best.onnx"), load(run / "best.pt")
    assert ours.names == theirs.names == read_recipe(data).classes
    spent: list[list[float]] = [[], []]
    compared = 0
    for picture in list(read_pictures(data))[:150]:
        image = picture.image()
        pair = []
        for place, network in enumerate((ours, theirs)):
            began = time.perf_counter()
            found = network.find(image, 0.05)
            spent[place].append(time.perf_counter() - began)
            pair.append(found)
        assert len(pair[0]) == len(pair[1])
        for one, other in zip(*pair, strict=True):
            assert one.label == other.label
            assert one.score == pytest.approx(other.score, abs=1e-3)
            assert one.xyxy == pytest.approx(other.xyxy, abs=1.0)
            compared += 1
    assert compared > 100
    print(f"{compared} detections agree; time {np.median(spent[0]) / np.median(spent[1]):.2f}")
