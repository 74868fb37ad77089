"""Networks: equal boxes from .onnx and .pt, and invalid files."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from bt_exec.failure import UsageError
from bt_exec_skills.vision.crop_classifier import CropClassifier
from bt_exec_skills.vision.dataset_generation import read_pictures, read_recipe
from bt_exec_skills.vision.network_inference import OnnxNetwork
from bt_exec_skills.vision.train_detector import TrainSettings, train
from bt_exec_skills.vision.two_stage_network_loading import load_detector, load_network
from tests.cases import some


def test_invalid_network_files_are_rejected(tmp_path: Path) -> None:
    odd = tmp_path / "odd.onnx"
    odd.write_bytes(b"no network")
    with pytest.raises(UsageError, match=r"odd\.onnx cannot be read as a network"):
        load_network(odd)
    other = tmp_path / "weights.h5"
    other.write_bytes(b"x")
    with pytest.raises(
        UsageError, match=r"the file name must end in \.onnx \(onnxruntime\) or \.pt"
    ):
        load_network(other)
    with pytest.raises(UsageError, match=r"weights .* not found"):
        load_network(tmp_path / "none.onnx")


def _field(number: int, value: int | str | bytes) -> bytes:
    """Write one field of a protocol buffer."""
    if isinstance(value, int):
        digits = [value & 127]
        while value := value >> 7:
            digits.append(value & 127)
        return bytes([number << 3, *(one | 128 for one in digits[:-1]), digits[-1]])
    data = value.encode() if isinstance(value, str) else value
    return bytes([number << 3 | 2]) + _field(0, len(data))[1:] + data


def _model(inputs: list[int | str], output: list[int], names: str, kind: int = 1) -> bytes:
    """Write a network that returns zeros."""

    def value(name: str, shape: list[int | str], kind: int) -> bytes:
        dims = [_field(1, _field(1 if isinstance(side, int) else 2, side)) for side in shape]
        tensor = _field(1, kind) + _field(2, b"".join(dims))
        return _field(1, name) + _field(2, _field(1, tensor))

    sides = b"".join(side.to_bytes(8, "little") for side in output)
    graph = (
        _field(1, _field(1, "s") + _field(2, "o") + _field(4, "ConstantOfShape"))
        + _field(2, "g")
        + _field(5, _field(1, len(output)) + _field(2, 7) + _field(8, "s") + _field(9, sides))
        + _field(11, value("i", inputs, kind))
        + _field(12, value("o", [*output], 1))
    )
    papers = _field(1, "names") + _field(2, names)
    return _field(1, 4) + _field(7, graph) + _field(8, _field(2, 9)) + _field(14, papers)


def test_network_with_a_detector_output_is_accepted(tmp_path: Path) -> None:
    file = tmp_path / "zeros.onnx"
    file.write_bytes(_model([1, 3, 64, 64], [1, 6, 84], "{0: 'a', 1: 'b'}"))
    network = load_network(file)
    assert network.names == ("a", "b")
    assert network.find(np.zeros((48, 64, 3), np.uint8)) == []


@pytest.mark.parametrize(
    ("inputs", "output", "names", "kind", "message"),
    [
        ([1, 1, 64, 64], [1, 5, 84], "{0: 'a'}", 1, "must be of fixed shape (1, 3, h, w) in sin"),
        ([8, 3, 64, 64], [8, 5, 84], "{0: 'a'}", 1, "must be of fixed shape (1, 3, h, w) in sin"),
        ([1, 3, "h", 64], [1, 5, 84], "{0: 'a'}", 1, "found [1, 3, 'h', 64] of tensor(float)"),
        ([1, 3, 64, 64], [1, 5, 84], "{0: 'a'}", 10, "found [1, 3, 64, 64] of tensor(float16)"),
        (
            [1, 3, 64, 64],
            [1, 9, 84],
            "{0: 'a', 1: 'b'}",
            1,
            "for 2 classes the output must be of shape (1, 6, boxes); found [1, 9, 84]. Export a "
            "detector of ultralytics without nms",
        ),
        ([1, 3, 64, 64], [1, 300, 6], "{0: 'a', 1: 'b'}", 1, "found [1, 300, 6]"),
        ([1, 3, 64, 64], [1, 1000], "{0: 'a'}", 1, "found [1, 1000]"),
        ([1, 3, 64, 64], [1, 5, 84], "print('a')", 1, "its metadata does not name the classes"),
    ],
)
def test_network_with_an_unexpected_output_is_refused_when_loaded(
    tmp_path: Path, inputs: list[int | str], output: list[int], names: str, kind: int, message: str
) -> None:
    file = tmp_path / "other.onnx"
    file.write_bytes(_model(inputs, output, names, kind))
    with pytest.raises(UsageError) as caught:
        load_network(file)
    assert str(caught.value).startswith(f"{file}: ")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("inputs", "output", "names", "message"),
    [
        (["n", 3, 32, 32], [4, 2], "{0: 'a', 1: 'nothing'}", "must take crops of shape (n, 3, 64,"),
        (["n", 3, 64, 64], [4, 3], "{0: 'a', 1: 'nothing'}", "a score for each of its 2 names"),
        (["n", 3, 64, 64], [4, 2], "{0: 'a', 1: 'b'}", "the last of its names must be 'nothing'"),
        (["n", 3, 64, 64], [4, 2], "", "its metadata does not name the classes"),
    ],
)
def test_classifier_with_an_unexpected_output_is_refused(
    tmp_path: Path, inputs: list[int | str], output: list[int], names: str, message: str
) -> None:
    file = tmp_path / "box.onnx"
    file.write_bytes(_model([1, 3, 64, 64], [1, 5, 84], "{0: 'a'}"))
    assert isinstance(load_network(file), OnnxNetwork)
    beside = tmp_path / "box.names.onnx"
    beside.write_bytes(_model(inputs, output, names))
    with pytest.raises(UsageError, match=re.escape(message)) as caught:
        load_network(file)
    assert str(caught.value).startswith(f"{beside}: ")
    assert isinstance(load_detector(file), OnnxNetwork)


def test_classifier_file_is_found_beside_its_detector(tmp_path: Path) -> None:
    file = tmp_path / "box.onnx"
    file.write_bytes(_model([1, 3, 64, 64], [1, 5, 84], "{0: 'a'}"))
    names = _model(["n", 3, 64, 64], [4, 2], "{0: 'b', 1: 'nothing'}")
    (tmp_path / "box.names.onnx").write_bytes(names)
    assert load_network(file).names == ("b",)
    shares = CropClassifier(tmp_path / "box.names.onnx").class_probabilities(
        np.zeros((4, 64, 64, 3), np.uint8)
    )
    assert shares.tolist() == [[0.5]] * 4


def test_pictures_of_several_sizes_are_accepted() -> None:
    from bt_exec_skills.door.perception.detector_factory import SHIPPED

    network = OnnxNetwork(SHIPPED)
    for size in ((240, 320), (120, 160), (480, 640), (64, 64)):
        for one in some(network.find(np.full((*size, 3), 90, np.uint8), 0.001)):
            x1, y1, x2, y2 = one.xyxy
            assert 0 <= x1 <= x2 <= size[1]
            assert 0 <= y1 <= y2 <= size[0]


def bt_exec(*arguments: str) -> str:
    """Run a command in a separate process, since torch conflicts with pytest's warnings."""
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
def test_trained_networks_in_both_formats_agree(tmp_path: Path) -> None:
    """Create a small data set, train briefly, and compare every detection of 150 pictures."""
    if importlib.util.find_spec("ultralytics") is None:
        pytest.skip("needs the extra yolo")
    data, run = tmp_path / "data", tmp_path / "run"
    bt_exec(
        "dataset",
        str(data),
        "--source",
        "door",
        "--seed",
        "1000",
        "--scenes",
        "30",
        "--val-every",
        "2",
    )
    bt_exec("train", str(data), str(run), "--epochs", "8", "--batch", "4", "--device", "cpu")
    report = json.loads((run / "training.json").read_text())
    assert report["dataset"]["seed"] == 1000
    assert report["settings"]["epochs"] == 8
    with pytest.raises(UsageError, match="contains finished weights already"):
        train(data, run, TrainSettings())
    ours, theirs = load_network(run / "best.onnx"), load_network(run / "best.pt")
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


def test_running_a_network_writes_nothing_to_the_home_folder(tmp_path: Path) -> None:
    """onnxruntime would write a device id and send telemetry."""
    code = (
        "from bt_exec_skills.door.perception.detector_factory import weights_path;"
        "from bt_exec_skills.vision.two_stage_network_loading import load_network;"
        "load_network(weights_path(None))"
    )
    env = {key: value for key, value in os.environ.items() if key != "ORT_DISABLE_TELEMETRY"}
    home = {**env, "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    subprocess.run([sys.executable, "-c", code], env=home, check=True, timeout=120)
    assert list(tmp_path.iterdir()) == []
