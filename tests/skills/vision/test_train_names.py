"""Training a namer: what is refused; with torch, that it learns and goes on where it stopped."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from bt_exec.failure import UsageError
from bt_exec_skills.vision import train_names as training
from bt_exec_skills.vision.claim import REPORT
from bt_exec_skills.vision.dataset import make_dataset
from bt_exec_skills.vision.decode import Found
from bt_exec_skills.vision.recipe import Recipe
from bt_exec_skills.vision.train_names import NamesSettings, train_names

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
    """The detector finds a box in each corner, of whatever."""
    found = [Found("round", (x, y, x + 9, y + 9), 0.5) for x in (0, 55) for y in (0, 39)]
    monkeypatch.setattr(training, "load_alone", lambda _: scripted_network(found))


@pytest.mark.parametrize("lacking", ["torch", "onnx"])
def test_what_is_not_installed_is_named(
    data: Path, tmp_path: Path, lacking: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("torch", "onnx"):
        monkeypatch.setitem(sys.modules, name, None if name == lacking else ModuleType(name))
    with pytest.raises(UsageError, match=r"needs torch and onnx: pip install 'bt-exec\[yolo\]'"):
        train_names(data, tmp_path / "run", NamesSettings("any.onnx"), bar)
    assert not (tmp_path / "run").exists()


@pytest.mark.usefixtures("everywhere")
def test_what_cannot_be_trained_is_refused(
    squares: Any, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("torch", "onnx"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    with pytest.raises(UsageError, match=r"holds no finished training: there is no names\.onnx"):
        NamesSettings("any.onnx", after=str(tmp_path))
    other = tmp_path / "other"
    other.mkdir()
    (other / "letter.txt").write_text("dear")
    with pytest.raises(UsageError, match="is not empty and holds no training"):
        train_names(data, other, NamesSettings("any.onnx"), bar)
    one_side = tmp_path / "one-side"
    make_dataset(squares, Recipe("squares", 3, 2, 0, squares.classes), one_side, lambda *_: None)
    with pytest.raises(UsageError, match="has pictures on one side only"):
        train_names(one_side, tmp_path / "run", NamesSettings("any.onnx"), bar)


@pytest.mark.usefixtures("everywhere")
@pytest.mark.skipif(not HAS_TORCH, reason="needs the extra yolo")
@pytest.mark.filterwarnings("ignore")
def test_it_learns_and_goes_on_where_it_stopped(data: Path, tmp_path: Path) -> None:
    from bt_exec_skills.vision.crops import crops_of
    from bt_exec_skills.vision.dataset import read_pictures
    from bt_exec_skills.vision.namer import Namer

    settings = NamesSettings("any.onnx", epochs=5, batch=16)

    @contextlib.contextmanager
    def dying(title: str, total: int) -> Iterator[Callable[..., None]]:
        def tell(count: int, _: str = "") -> None:
            if title == "epochs" and count == 3:
                raise KeyboardInterrupt

        yield tell

    whole = train_names(data, tmp_path / "whole", settings, bar)
    assert whole["val"]["things"] + whole["val"]["nothing"] > 0
    with pytest.raises(KeyboardInterrupt):
        train_names(data, tmp_path / "parts", settings, dying)
    assert not (tmp_path / "parts" / "names.onnx").exists()
    train_names(data, tmp_path / "parts", settings, bar)
    pictures = [*read_pictures(data, "val")]
    network = training.load_alone(Path("any.onnx"))
    crops = crops_of(network, pictures, ("round", "square"), lambda _: None)
    middle = np.ascontiguousarray(crops.pixels[:, 8:72, 8:72])
    shares = [Namer(tmp_path / name / "names.onnx").shares(middle) for name in ("whole", "parts")]
    assert np.allclose(*shares, atol=1e-3)
    right = shares[0].argmax(axis=1)[crops.names == 1] == 1
    assert right.all()
    assert json.loads((tmp_path / "whole" / REPORT).read_text())["val"] == whole["val"]
    with pytest.raises(UsageError, match="holds finished weights already"):
        train_names(data, tmp_path / "whole", settings, bar)
