"""Training of a classifier: refusals; with torch, learning and resumption."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from bt_exec.failure import UsageError
from bt_exec_skills.vision import train_crop_classifier as training
from bt_exec_skills.vision.box_decoding import Found
from bt_exec_skills.vision.dataset_generation import Recipe, make_dataset
from bt_exec_skills.vision.picture_files_and_training_folder import REPORT
from bt_exec_skills.vision.train_crop_classifier import NamesSettings, train_names
from tests.skills.vision.conftest import ScriptedNetwork

ROOT = Path(__file__).parents[3]
CORNERS = [Found("round", (x, y, x + 9, y + 9), 0.5) for x in (0, 55) for y in (0, 39)]
HAS_TORCH = all(importlib.util.find_spec(name) for name in ("torch", "onnx"))


@contextlib.contextmanager
def bar(title: str, total: int) -> Iterator[Callable[..., None]]:
    yield lambda *_: None


@pytest.fixture
def data(squares: Any, tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    make_dataset(squares, Recipe("squares", 3, 8, 4, squares.classes), folder, lambda *_: None)
    return folder


@pytest.fixture
def everywhere(scripted_network: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Detector with a box in each corner, of unspecified class."""
    monkeypatch.setattr(training, "load_detector", lambda _: scripted_network(CORNERS))


@pytest.mark.parametrize("lacking", ["torch", "onnx"])
def test_missing_package_is_reported_by_name(
    data: Path, tmp_path: Path, lacking: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("torch", "onnx"):
        monkeypatch.setitem(sys.modules, name, None if name == lacking else ModuleType(name))
    with pytest.raises(UsageError, match=r"needs torch and onnx: pip install 'bt-exec\[yolo\]'"):
        train_names(data, tmp_path / "run", NamesSettings("any.onnx"), bar)
    assert not (tmp_path / "run").exists()


@pytest.mark.usefixtures("everywhere")
def test_untrainable_data_set_is_refused(
    squares: Any, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("torch", "onnx"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    with pytest.raises(UsageError, match=r"contains no finished training: names\.onnx is missing"):
        NamesSettings("any.onnx", after=str(tmp_path))
    other = tmp_path / "other"
    other.mkdir()
    (other / "letter.txt").write_text("dear")
    with pytest.raises(UsageError, match="is not empty and contains no training"):
        train_names(data, other, NamesSettings("any.onnx"), bar)
    one_side = tmp_path / "one-side"
    make_dataset(squares, Recipe("squares", 3, 2, 0, squares.classes), one_side, lambda *_: None)
    with pytest.raises(UsageError, match="has pictures in one split only"):
        train_names(one_side, tmp_path / "run", NamesSettings("any.onnx"), bar)


@contextlib.contextmanager
def dying(title: str, total: int) -> Iterator[Callable[..., None]]:
    """Progress bar that is interrupted after the third epoch."""

    def tell(count: int, _: str = "") -> None:
        if title == "epochs" and count == 3:
            raise KeyboardInterrupt

    yield tell


def learn(data: Path, work: Path) -> None:
    """Train twice, once interrupted.

    Both runs must give the same network, which recognises squares.
    """
    from bt_exec_skills.vision.crop_classifier import CropClassifier, labelled_crops_of
    from bt_exec_skills.vision.dataset_generation import read_pictures

    network = ScriptedNetwork(CORNERS)
    training.load_detector = lambda _: network  # type: ignore[assignment,misc]
    settings = NamesSettings("any.onnx", epochs=5, batch=16)
    whole = train_names(data, work / "whole", settings, bar)
    with contextlib.suppress(KeyboardInterrupt):
        train_names(data, work / "parts", settings, dying)
    assert not (work / "parts" / "names.onnx").exists()
    train_names(data, work / "parts", settings, bar)
    crops = labelled_crops_of(network, [*read_pictures(data, "val")], network.names, lambda _: None)
    middle = np.ascontiguousarray(crops.pixels[:, 8:72, 8:72])
    one, other = (
        CropClassifier(work / name / "names.onnx").class_probabilities(middle)
        for name in ("whole", "parts")
    )
    assert np.allclose(one, other, atol=1e-3)
    assert (one.argmax(axis=1)[crops.names == 1] == 1).all()
    assert json.loads((work / "whole" / REPORT).read_text())["val"] == whole["val"]
    with pytest.raises(UsageError, match="contains finished weights already"):
        train_names(data, work / "whole", settings, bar)


@pytest.mark.skipif(not HAS_TORCH, reason="needs the extra yolo")
def test_interrupted_training_of_the_classifier_resumes(data: Path, tmp_path: Path) -> None:
    """Runs in a separate process: torch must be loaded before onnxruntime, or both crash."""
    call = f"learn(Path({str(data)!r}), Path({str(tmp_path)!r}))"
    code = f"from tests.skills.vision.test_train_crop_classifier import *; {call}"
    told = subprocess.run(
        [sys.executable, "-c", f"import torch; {code}"],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert told.returncode == 0, told.stderr[-2000:]
