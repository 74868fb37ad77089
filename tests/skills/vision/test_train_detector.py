"""Training on a scripted ultralytics: refusals, saved files, resumption."""

from __future__ import annotations

import contextlib
import json
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from bt_exec.failure import UsageError
from bt_exec_skills.vision import train_detector as training
from bt_exec_skills.vision.dataset_generation import Recipe, make_dataset
from bt_exec_skills.vision.train_detector import TrainSettings

FIGURES = {"metrics/mAP50(B)": 0.5}


class ScriptedYolo:
    """Fast imitation of ultralytics that crashes at a scripted epoch."""

    did: list[str] = []  # noqa: RUF012 - shared on purpose: the log of one test
    dies_at = ""

    def __init__(self, weights: str) -> None:
        self.weights = Path(weights)
        if not self.weights.is_file() and weights != "yolo11n.yaml":
            raise FileNotFoundError(weights)
        done = self.weights.is_file()
        self.ckpt = {"epoch": int(self.weights.read_text())} if done else None

    def _do(self, what: str) -> None:
        print(f"ultralytics: {what}")
        if what.startswith(self.dies_at or "-"):
            raise KeyboardInterrupt
        self.did.append(what)

    def train(self, **options: Any) -> None:
        folder = Path(options["project"]) / options["name"] / "weights"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "last.pt").write_text("3")
        self._do("resume" if options["resume"] else "train")
        for name in ("last.pt", "best.pt"):
            (folder / name).write_text("-1")
        self.trainer = SimpleNamespace(metrics={**FIGURES, "fitness": 1.0})

    def val(self, **options: Any) -> Any:
        self._do("val")
        return SimpleNamespace(results_dict={**FIGURES, "fitness": 1.0})

    def export(self, **options: Any) -> str:
        file = self.weights.with_suffix(".onnx")
        file.write_text("half")
        self._do(f"export {options['imgsz']}")
        file.write_text("whole")
        return str(file)


@pytest.fixture
def data(squares: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a small data set for scripted training."""

    def select_device(name: str, *, verbose: bool) -> None:
        if name != "cpu":
            raise ValueError(name)

    torch, ultralytics = ModuleType("torch"), ModuleType("ultralytics")
    torch.cuda = SimpleNamespace(  # type: ignore[attr-defined]
        is_available=lambda: False, device_count=lambda: 0
    )
    torch.__version__, ultralytics.__version__ = "2", "8"  # type: ignore[attr-defined]
    tools = ModuleType("ultralytics.utils.torch_utils")
    tools.select_device = select_device  # type: ignore[attr-defined]
    yolo = type("Yolo", (ScriptedYolo,), {"did": [], "dies_at": ""})
    ultralytics.YOLO = yolo  # type: ignore[attr-defined]
    for module in (torch, ultralytics, tools, ModuleType("ultralytics.utils")):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(training, "same_size_trainer", object)
    monkeypatch.setattr(training, "bfloat16_training", lambda _: contextlib.nullcontext())
    folder = tmp_path / "data"
    make_dataset(squares, Recipe("squares", 3, 4, 2, squares.classes), folder, lambda *_: None)
    return folder


def log() -> list[str]:
    did: list[str] = sys.modules["ultralytics"].YOLO.did
    return did


def die_at(what: str) -> None:
    sys.modules["ultralytics"].YOLO.dies_at = what  # type: ignore[attr-defined]


def test_training_writes_weights_and_records_without_standard_output(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    report = training.train(data, out, TrainSettings())
    assert log() == ["train", "export (256, 320)"]
    assert (out / "best.onnx").read_text() == "whole"
    assert json.loads((out / "training.json").read_text()) == report | {
        "dataset": {**report["dataset"], "classes": ["round", "square"]}
    }
    assert report["dataset"]["seed"] == 3
    assert report["val"] == FIGURES
    assert report["settings"]["device"] == "cpu"
    told = capsys.readouterr()
    assert told.out == ""
    assert "ultralytics: train" in told.err
    with pytest.raises(UsageError, match="contains finished weights already"):
        training.train(data, out, TrainSettings())


def test_training_can_start_from_earlier_weights(data: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "run", tmp_path / "run2"
    with pytest.raises(UsageError, match=r"run contains no finished training: .* is missing"):
        TrainSettings(after=str(first))
    training.train(data, first, TrainSettings())
    report = training.train(data, second, TrainSettings(after=str(first), epochs=4, lr0=0.0006))
    assert log() == ["train", "export (256, 320)", "train", "export (256, 320)"]
    assert report["settings"]["after"] == str(first)
    again = TrainSettings(after=str(first))
    assert (again.initial_network, again.options()["pretrained"]) == (first / "best.pt", True)
    assert TrainSettings().options()["pretrained"] is False


@pytest.mark.parametrize(
    ("dies_at", "then"),
    [
        ("train", ["resume", "export (256, 320)"]),
        ("export", ["train", "val", "export (256, 320)"]),
    ],
)
def test_interrupted_training_resumes(
    data: Path, tmp_path: Path, dies_at: str, then: list[str]
) -> None:
    """Finished epochs are not trained again, since that would change the weights."""
    out = tmp_path / "run"
    die_at(dies_at)
    with pytest.raises(KeyboardInterrupt):
        training.train(data, out, TrainSettings())
    assert not (out / "best.onnx").exists()
    die_at("")
    with pytest.raises(UsageError) as caught:
        training.train(data, out, TrainSettings(epochs=3, seed=8))
    assert str(caught.value) == (
        f"{out} contains the beginning of a training with epochs=12, seed=0; choose another folder"
    )
    assert training.train(data, out, TrainSettings())["val"] == FIGURES
    assert log() == then
    assert (out / "best.onnx").read_text() == "whole"


def test_foreign_folder_is_left_unchanged(data: Path, tmp_path: Path) -> None:
    before = sorted(data.rglob("*"))
    for out in (data, data / "data.yaml"):
        with pytest.raises(UsageError, match="is not empty and contains no training"):
            training.train(data, out, TrainSettings())
    assert sorted(data.rglob("*")) == before


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"model": "yolo11n.pt"}, "model='yolo11n.pt': name the yaml file of a network"),
        ({"model": "yolo99z.yaml"}, "'yolo99z.yaml' was found neither here nor in ultralytics"),
        ({"device": "7"}, "device='7': allowed: auto, cpu, or the number of a GPU; 0 found he"),
    ],
)
def test_invalid_settings_are_reported(
    data: Path, tmp_path: Path, settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError) as caught:
        training.train(data, tmp_path / "run", TrainSettings(**settings))
    assert str(caught.value).startswith(message)


def test_incomplete_data_set_is_refused(data: Path, tmp_path: Path) -> None:
    (data / "scenes" / "000001.json").unlink()
    with pytest.raises(UsageError, match=r"data is not finished \(3 of 4 scenes\)"):
        training.train(data, tmp_path / "run", TrainSettings())
