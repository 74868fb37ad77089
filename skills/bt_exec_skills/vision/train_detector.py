"""Training of a small detector on a data set, with ultralytics (extra ``yolo``).

No weights are downloaded: training starts from the yaml file of a network, or from the weights of
an earlier training. On a CPU, the convolutions run in bfloat16, which halves the time; the loss
stays in single precision.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bt_exec.failure import UsageError
from bt_exec.files import write_text_atomically
from bt_exec_skills.vision.dataset_generation import finished_recipe, read_pictures
from bt_exec_skills.vision.picture_files_and_training_folder import REPORT, claim_folder

__all__ = ["TrainSettings", "bfloat16_training", "same_size_trainer", "train"]

_STRIDE = 32
_BEST = "best.onnx"


@dataclass(frozen=True)
class TrainSettings:
    """Settings of a training.

    Attributes:
        model: Name of the yaml file of a network in ultralytics.
        epochs: Number of passes over the training pictures.
        imgsz: Longest side of a picture in the network [px].
        batch: Number of pictures per step.
        lr0: Initial learning rate of AdamW; it decays as a cosine.
        seed: Seed of the weights and the order.
        device: "auto", "cpu", or a device name of torch.
        after: Folder of a finished training whose weights are used initially; empty for random
            weights.
        one_class: Whether all classes are merged into one, for the first network of a pair.
    """

    model: str = "yolo11n.yaml"
    epochs: int = 12
    imgsz: int = 320
    batch: int = 16
    lr0: float = 0.0012
    seed: int = 0
    device: str = "auto"
    after: str = ""
    one_class: bool = False

    def __post_init__(self) -> None:
        if not self.model.endswith((".yaml", ".yml")):
            raise UsageError(
                f"model={self.model!r}: name the yaml file of a network, such as yolo11n.yaml; "
                "pretrained weights are neither used nor downloaded"
            )
        if self.after and not self.initial_network.is_file():
            raise UsageError(
                f"{self.after} contains no finished training: {self.initial_network} is missing"
            )

    @property
    def initial_network(self) -> Path:
        """File of the initial network: a yaml file, or the weights of an earlier training."""
        return Path(self.after) / "best.pt" if self.after else Path(self.model)

    def options(self) -> dict[str, Any]:
        """Return the options for ultralytics that do not depend on the machine."""
        return {
            "epochs": self.epochs,
            "imgsz": self.imgsz,
            "batch": self.batch,
            "nbs": self.batch,
            "optimizer": "AdamW",
            "lr0": self.lr0,
            "cos_lr": True,
            "warmup_epochs": 1.0,
            "seed": self.seed,
            "pretrained": bool(self.after),
            "single_cls": self.one_class,
            "rect": True,  # without padding to a square, a fifth of the computation is saved
            "mosaic": 0.0,  # not needed: a synthetic data set has enough pictures
            "fliplr": 0.0,  # no mirroring, because left and right differ in the scenes
            "scale": 0.15,
            "translate": 0.06,
            "hsv_s": 0.4,
            "amp": False,
            "plots": False,
            "workers": 0,
            "cache": "ram",
        }


def train(dataset: Path, out: Path, settings: TrainSettings) -> dict[str, Any]:
    """Train a detector, export it to ONNX, and return the measurements.

    An interrupted training is resumed. The results in `out` are ``best.pt``, ``best.onnx``,
    ``training.json`` and the folder of ultralytics. The output of ultralytics goes to standard
    error.

    Args:
        dataset: Complete data set of `bt_exec_skills.vision.dataset_generation`, with both splits.
        out: Output folder.
        settings: Settings of the training.

    Raises:
        UsageError: If ultralytics is not installed, the data set is unfinished or lacks a split,
            `out` has other content or finished weights, or a setting is invalid.
    """
    recipe = finished_recipe(dataset)
    shape = _input_shape(dataset, settings.imgsz)
    with contextlib.redirect_stdout(sys.stderr):
        torch, ultralytics = _import()
        device = _device_name(settings.device, torch)
        plan = {"dataset": asdict(recipe), "settings": {**asdict(settings), "device": device}}
        claim_folder(out, plan, _BEST)
        began = time.monotonic()
        figures = _train_or_resume(dataset, out, settings, device, torch, ultralytics)
        report = {
            **plan,
            "minutes": round((time.monotonic() - began) / 60, 1),
            "versions": {"ultralytics": ultralytics.__version__, "torch": str(torch.__version__)},
            "val": {key: round(float(value), 4) for key, value in figures.items()},
        }
        write_text_atomically(out / REPORT, json.dumps(report, indent=2) + "\n")
        best = out / "run" / "weights" / "best.pt"
        exported = ultralytics.YOLO(str(best)).export(
            format="onnx", imgsz=shape, simplify=False, dynamic=False, device="cpu"
        )
        shutil.copyfile(best, out / "best.pt")
        # Written last and atomically, because this file marks the training as finished.
        os.replace(exported, out / _BEST)  # noqa: PTH105 - Path.replace, said plainly
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


def _input_shape(dataset: Path, imgsz: int) -> tuple[int, ...]:
    """Return the height and width of the network's input: the pictures' size, scaled to `imgsz`.

    Both are rounded up to a multiple of the network's stride.

    Raises:
        UsageError: If a split has no pictures.
    """
    first = next(read_pictures(dataset, "train"), None)
    if first is None or next(read_pictures(dataset, "val"), None) is None:
        side = "train" if first is None else "val"
        raise UsageError(
            f"{dataset} contains no pictures in split {side}, and training needs both; make one "
            "with bt-exec vision dataset --val-every 2 or more, and at least as many scenes"
        )
    sides = first.image().shape[:2]
    return tuple(-(-imgsz * side // max(sides) // _STRIDE) * _STRIDE for side in sides)


def _device_name(name: str, torch: Any) -> str:
    """Return the device name for ultralytics; ``auto`` selects a GPU if there is one."""
    from ultralytics.utils.torch_utils import select_device

    if name == "auto":
        return "0" if torch.cuda.is_available() else "cpu"
    try:
        select_device(name, verbose=False)
    except (ValueError, RuntimeError, AssertionError):
        count = torch.cuda.device_count()
        raise UsageError(
            f"device={name!r}: allowed: auto, cpu, or the number of a GPU; {count} found here"
        ) from None
    return name


def _train_or_resume(
    dataset: Path, out: Path, settings: TrainSettings, device: str, torch: Any, ultralytics: Any
) -> dict[str, float]:
    """Train, or resume a training, and return the metrics of the best weights."""
    weights = out.resolve() / "run" / "weights"
    begun = (weights / "last.pt").is_file()
    try:
        model = ultralytics.YOLO(str(weights / "last.pt" if begun else settings.initial_network))
    except FileNotFoundError:
        raise UsageError(f"{settings.model!r} was found neither here nor in ultralytics") from None
    places = {"data": str(_write_data_file(dataset, out)), "project": str(out.resolve())}
    options = {**places, "exist_ok": True, "device": device, **settings.options()}
    if begun and model.ckpt["epoch"] < 0:  # all epochs are done, and only the export is missing
        tried = ultralytics.YOLO(str(weights / "best.pt")).val(
            **{key: options[key] for key in (*places, "exist_ok", "device", "imgsz", "batch")},
            name="val",
            plots=False,
            workers=0,
        )
        found = tried.results_dict
    else:
        with bfloat16_training(torch) if device == "cpu" else contextlib.nullcontext():
            model.train(trainer=same_size_trainer(), resume=begun, name="run", **options)
        found = model.trainer.metrics
    return {key: value for key, value in found.items() if key.startswith("metrics/")}


def _write_data_file(dataset: Path, out: Path) -> Path:
    """Write the data file with an absolute path, independent of the settings of ultralytics."""
    file = out / "data.yaml"
    text = (dataset / "data.yaml").read_text(encoding="utf-8")
    file.write_text(f"path: {dataset.resolve()}\n{text}", encoding="utf-8")
    return file


def same_size_trainer() -> type[Any]:
    """Return a trainer class that shuffles pictures, which requires pictures of equal size."""
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
def bfloat16_training(torch: Any) -> Iterator[None]:
    """Run networks in bfloat16 during training inside this context; outputs are float32."""
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
