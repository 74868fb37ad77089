"""Training a small detector on a data set of ours, with ultralytics (extra ``yolo``).

Nothing is downloaded: the network starts from its yaml, not from somebody's weights. On a CPU its
convolutions run in bfloat16, which halves the time; the loss stays in single precision.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bt_exec.failure import UsageError
from bt_exec_skills.vision.dataset import read_pictures, read_recipe

__all__ = ["TrainSettings", "train"]

_STRIDE = 32


@dataclass(frozen=True)
class TrainSettings:
    """How to train.

    Attributes:
        model: The network, as ultralytics names its yaml.
        epochs: Passes over the training pictures.
        imgsz: Longest side of a picture in the network [px].
        batch: Pictures a step.
        lr0: First learning rate of AdamW; it falls as a cosine.
        seed: Of the weights and the order.
        device: "auto", "cpu", or what torch calls one.
    """

    model: str = "yolo11n.yaml"
    epochs: int = 12
    imgsz: int = 320
    batch: int = 16
    lr0: float = 0.0012
    seed: int = 0
    device: str = "auto"


def train(dataset: Path, out: Path, settings: TrainSettings) -> dict[str, Any]:
    """Train, export to ONNX, and return what was measured; goes on where it was interrupted.

    Leaves in `out`: ``best.pt``, ``best.onnx``, ``training.json`` and the run's own folder.

    Args:
        dataset: A data set made by `bt_exec_skills.vision.dataset`.
        out: Where to work.
        settings: How.

    Raises:
        UsageError: If ultralytics is not installed, or `out` holds finished weights already.
    """
    recipe = read_recipe(dataset)
    height, width = next(iter(read_pictures(dataset, "train"))).image().shape[:2]
    if (out / "best.onnx").exists():
        raise UsageError(f"{out} holds finished weights already; choose another folder")
    torch, ultralytics = _import()
    device = settings.device
    if device == "auto":
        device = "0" if torch.cuda.is_available() else "cpu"
    last = out / "run" / "weights" / "last.pt"
    began = time.monotonic()
    model = ultralytics.YOLO(str(last) if last.is_file() else settings.model)
    with _bfloat16(torch) if device == "cpu" else contextlib.nullcontext():
        model.train(
            trainer=_trainer(),
            resume=last.is_file(),
            data=str(_data_file(dataset, out)),
            project=str(out.resolve()),
            name="run",
            exist_ok=True,
            device=device,
            **_options(settings),
        )
    best = out / "run" / "weights" / "best.pt"
    shutil.copyfile(best, out / "best.pt")
    shape = tuple(_up(settings.imgsz * side / max(height, width)) for side in (height, width))
    exported = ultralytics.YOLO(str(out / "best.pt")).export(
        format="onnx", imgsz=shape, simplify=False, dynamic=False, device="cpu"
    )
    if Path(exported) != out / "best.onnx":
        shutil.move(exported, out / "best.onnx")
    report = {
        "dataset": asdict(recipe),
        "settings": {**asdict(settings), "device": device},
        "minutes": round((time.monotonic() - began) / 60, 1),
        "versions": {"ultralytics": ultralytics.__version__, "torch": str(torch.__version__)},
        "val": _rounded(model.trainer.metrics),
    }
    (out / "training.json").write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    return report


def _import() -> tuple[Any, Any]:
    os.environ.setdefault("YOLO_OFFLINE", "true")
    os.environ.setdefault("YOLO_AUTOINSTALL", "false")
    try:
        import torch
        import ultralytics
    except ImportError:
        raise UsageError("training needs ultralytics: pip install 'bt-exec[yolo]'") from None
    return torch, ultralytics


def _options(settings: TrainSettings) -> dict[str, Any]:
    """Return the options of ultralytics that are the same on every machine."""
    return {
        "epochs": settings.epochs,
        "imgsz": settings.imgsz,
        "batch": settings.batch,
        "nbs": settings.batch,
        "optimizer": "AdamW",
        "lr0": settings.lr0,
        "cos_lr": True,
        "warmup_epochs": 1.0,
        "seed": settings.seed,
        "pretrained": False,
        "rect": True,  # no padding to a square: a fifth less to compute
        "mosaic": 0.0,  # pictures are made, not found: there are enough
        "fliplr": 0.0,  # the side of a hinge means something
        "scale": 0.15,
        "translate": 0.06,
        "hsv_s": 0.4,
        "amp": False,
        "plots": False,
        "workers": 0,
        "cache": "ram",
    }


def _trainer() -> type[Any]:
    """Return a trainer that shuffles pictures of one size though it does not pad them."""
    from ultralytics.data import build_dataloader
    from ultralytics.models.yolo.detect import DetectionTrainer

    class OneSizeTrainer(DetectionTrainer):  # type: ignore[misc]
        def get_dataloader(
            self, dataset_path: str, batch_size: int = 16, rank: int = 0, mode: str = "train"
        ) -> Any:
            pictures = self.build_dataset(dataset_path, mode, batch_size)
            return build_dataloader(
                pictures, batch=batch_size, workers=0, shuffle=mode == "train", rank=rank
            )

    return OneSizeTrainer


@contextlib.contextmanager
def _bfloat16(torch: Any) -> Iterator[None]:
    """Run the network in bfloat16 while it trains; what leaves it is single precision again."""
    from ultralytics.nn.tasks import DetectionModel

    plain = DetectionModel.predict

    def predict(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not self.training:
            return plain(self, *args, **kwargs)
        with torch.autocast("cpu", torch.bfloat16):
            return _to_single(torch, plain(self, *args, **kwargs))

    DetectionModel.predict = predict
    try:
        yield
    finally:
        DetectionModel.predict = plain


def _to_single(torch: Any, value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.float()
    if isinstance(value, dict):
        return {key: _to_single(torch, part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_to_single(torch, part) for part in value)
    return value


def _data_file(dataset: Path, out: Path) -> Path:
    """Write the data file with its folder in full: ultralytics looks beside its own settings."""
    out.mkdir(parents=True, exist_ok=True)
    file = out / "data.yaml"
    text = (dataset / "data.yaml").read_text(encoding="utf-8")
    file.write_text(f"path: {dataset.resolve()}\n{text}", encoding="utf-8")
    return file


def _up(side: float) -> int:
    """Return `side` rounded up to what the network divides it by."""
    return int(-(-side // _STRIDE)) * _STRIDE


def _rounded(numbers: Mapping[str, float]) -> dict[str, float]:
    return {key: round(float(value), 4) for key, value in numbers.items()}
