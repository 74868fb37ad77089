"""Training of a crop classifier, the second network of a pair, on the boxes of a detector.

Needs torch (extra ``yolo``). A small detector learns positions early and classes late; on a CPU, it
takes less time to train a separate classifier for the classes. On a CPU, the convolutions of the
classifier run in bfloat16.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bt_exec.failure import UsageError
from bt_exec.files import atomic_replacement, write_text_atomically
from bt_exec_skills.vision.crop_classifier import NOTHING, SIDE, Crops, labelled_crops_of
from bt_exec_skills.vision.dataset_generation import finished_recipe, read_pictures
from bt_exec_skills.vision.picture_files_and_training_folder import REPORT, claim_folder
from bt_exec_skills.vision.two_stage_network_loading import load_detector

__all__ = ["NamesSettings", "train_names"]

Tell = Callable[..., None]
Bar = Callable[[str, int], AbstractContextManager[Tell]]
"""Function that opens a progress bar, given a title and a total, as in
`bt_exec.cli.output_streams`."""
_LAST, _BEST = "last.pt", "names.onnx"
_SMALL_SIDE, _SMALL_SHARE = 48, 0.6  # side of crops in early epochs; share of early epochs
_SMOOTH, _DECAY, _WARM = 0.05, 0.02, 0.1
_TRIED = 256


@dataclass(frozen=True)
class NamesSettings:
    """Settings of the training.

    Attributes:
        boxes: Weights file of the detector, ``.onnx`` or ``.pt``.
        epochs: Number of passes over the crops.
        batch: Number of crops per step.
        lr0: Maximum learning rate of AdamW; the rate rises during a tenth of the steps and then
            decays as a cosine.
        seed: Seed of the weights, the order and the augmentation.
        after: Folder of a finished training whose weights are used initially; empty for random
            weights.
    """

    boxes: str
    epochs: int = 8
    batch: int = 64
    lr0: float = 0.002
    seed: int = 0
    after: str = ""

    def __post_init__(self) -> None:
        if self.after and not (Path(self.after) / _BEST).is_file():
            raise UsageError(f"{self.after} contains no finished training: {_BEST} is missing")


def train_names(dataset: Path, out: Path, settings: NamesSettings, bar: Bar) -> dict[str, Any]:
    """Train a classifier, export it to ONNX, and return the measurements.

    An interrupted training is resumed. The results in `out` are ``names.onnx``, ``training.json``
    and ``last.pt``.

    Args:
        dataset: Complete data set of `bt_exec_skills.vision.dataset_generation`, with both splits.
        out: Output folder.
        settings: Settings of the training.
        bar: Function that opens a progress bar.

    Raises:
        UsageError: If torch is not installed, the data set is unfinished or lacks a split, or `out`
            has other content.
    """
    torch = _import_torch()
    recipe = finished_recipe(dataset)
    network = load_detector(Path(settings.boxes))
    plan = {"dataset": asdict(recipe), "settings": asdict(settings)}
    claim_folder(out, plan, _BEST)
    to_train = list(read_pictures(dataset, "train"))
    held_out = list(read_pictures(dataset, "val"))
    if not to_train or not held_out:
        raise UsageError(f"{dataset} has pictures in one split only, and training needs both")
    with bar("pictures", len(to_train)) as tell:
        taught = labelled_crops_of(network, to_train, recipe.classes, tell)
    asked = labelled_crops_of(network, held_out, recipe.classes, lambda _: None, marked=False)
    began = time.monotonic()
    with bar("epochs", settings.epochs) as tell:
        net, spent = _train_or_resume(torch, taught, asked, out / _LAST, settings, tell)
    report = {
        **plan,
        "crops": len(taught.names),
        "minutes": round((spent + time.monotonic() - began) / 60, 1),
        "versions": {"torch": str(torch.__version__)},
        "val": _accuracies(torch, net, asked),
    }
    write_text_atomically(out / REPORT, json.dumps(report, indent=2) + "\n")
    _export(torch, net, out / _BEST, taught.classes)
    return report


def _import_torch() -> Any:
    """Return torch; it must be imported before onnxruntime opens a network, or both may crash."""
    try:
        import onnx  # noqa: F401 - needed at the end
        import torch
    except ImportError:
        raise UsageError("training needs torch and onnx: pip install 'bt-exec[yolo]'") from None
    return torch


def _train_or_resume(
    torch: Any,
    taught: Crops,
    asked: Crops,
    last: Path,
    settings: NamesSettings,
    tell: Tell,
) -> tuple[Any, float]:
    """Return the trained network, and the duration of the training before a resumption [s]."""
    torch.manual_seed(settings.seed)
    net = _make_namer_net(torch, len(taught.classes)).to(memory_format=torch.channels_last)
    steps = len(taught.names) // settings.batch
    if not steps:
        raise UsageError(f"{len(taught.names)} crops are fewer than a batch of {settings.batch}")
    rule = torch.optim.AdamW(net.parameters(), settings.lr0, weight_decay=_DECAY)
    pace = torch.optim.lr_scheduler.OneCycleLR(
        rule, settings.lr0, total_steps=settings.epochs * steps, pct_start=_WARM
    )
    parts = {"net": net, "rule": rule, "pace": pace}
    first, spent = 0, 0.0
    if last.is_file():
        kept = torch.load(last, weights_only=True)
        first, spent = kept["epochs"], kept["seconds"]
        for name, part in parts.items():
            part.load_state_dict(kept[name])
    elif settings.after:
        net.load_state_dict(torch.load(Path(settings.after) / _LAST, weights_only=True)["net"])
    pixels = torch.from_numpy(taught.pixels).permute(0, 3, 1, 2)
    names = torch.from_numpy(taught.names)
    began = time.monotonic()
    for epoch in range(first, settings.epochs):
        torch.manual_seed(settings.seed + 1000 * (epoch + 1))  # the same after a resumption
        early = not settings.after and epoch < _SMALL_SHARE * settings.epochs
        side = _SMALL_SIDE if early else SIDE
        net.train()
        for some in torch.randperm(len(names))[: steps * settings.batch].split(settings.batch):
            with torch.autocast("cpu", torch.bfloat16):
                logits = net(_augment(torch, pixels[some], side))
            loss = torch.nn.functional.cross_entropy(
                logits.float(), names[some], label_smoothing=_SMOOTH
            )
            rule.zero_grad()
            loss.backward()
            rule.step()
            pace.step()
        done = {"epochs": epoch + 1, "seconds": spent + time.monotonic() - began}
        with atomic_replacement(last) as draft:
            torch.save({**done, **{name: part.state_dict() for name, part in parts.items()}}, draft)
        tell(epoch + 1, f"right {_accuracies(torch, net, asked, side)['things']:.3f}")
    return net, spent


def _augment(torch: Any, crops: Any, side: int) -> Any:
    """Return randomly augmented crops: shifted, rotated, mirrored, and in other light."""
    from torch.nn import functional

    n, share = len(crops), SIDE / crops.shape[-1]
    zoom = share * torch.exp(0.12 * torch.randn(n))
    turn, mirrored = 0.12 * torch.randn(n), torch.randint(0, 2, (n,)) * 2.0 - 1
    where = torch.zeros(n, 2, 3)
    where[:, 0, 0], where[:, 0, 1] = zoom * torch.cos(turn) * mirrored, -zoom * torch.sin(turn)
    where[:, 1, 0], where[:, 1, 1] = zoom * torch.sin(turn) * mirrored, zoom * torch.cos(turn)
    where[:, :, 2] = 0.05 * torch.randn(n, 2)
    grid = functional.affine_grid(where, (n, 3, side, side), align_corners=False)
    seen = functional.grid_sample(
        crops.float() / 255, grid, padding_mode="border", align_corners=False
    )
    light = (1 + 0.12 * torch.randn(n, 3, 1, 1)) * (1 + 0.15 * torch.randn(n, 1, 1, 1))
    seen = seen * light + 0.02 * torch.randn(n, 1, 1, 1)
    return seen.contiguous(memory_format=torch.channels_last)


def _accuracies(torch: Any, net: Any, crops: Crops, side: int = SIDE) -> dict[str, float]:
    """Return the shares of correctly classified crops of objects and of background."""
    edge = (crops.pixels.shape[1] - SIDE) // 2
    middle = np.ascontiguousarray(crops.pixels[:, edge : edge + SIDE, edge : edge + SIDE])
    parts = torch.from_numpy(middle).permute(0, 3, 1, 2).split(_TRIED)
    net.eval()
    with torch.no_grad():
        predicted = [net(_resized(torch, some.float() / 255, side)).argmax(1) for some in parts]
    right = torch.cat(predicted).numpy() == crops.names
    nothing = crops.names == crops.classes.index(NOTHING)
    return {
        name: round(float(right[some].mean()), 4) if some.any() else 0.0
        for name, some in (("things", ~nothing), (NOTHING, nothing))
    }


def _resized(torch: Any, crops: Any, side: int) -> Any:
    return torch.nn.functional.interpolate(
        crops, size=(side, side), mode="bilinear", antialias=True, align_corners=False
    )


def _export(torch: Any, net: Any, file: Path, classes: tuple[str, ...]) -> None:
    """Write the network atomically as an ONNX file with the class names in its metadata."""
    import onnx

    net.eval()
    with atomic_replacement(file) as draft:
        torch.onnx.export(
            net,
            (torch.zeros(1, 3, SIDE, SIDE),),
            str(draft),
            dynamo=False,
            input_names=["crops"],
            output_names=["scores"],
            dynamic_axes={"crops": {0: "n"}, "scores": {0: "n"}},
        )
        model = onnx.load(str(draft))
        onnx.helper.set_model_props(model, {"names": str(dict(enumerate(classes)))})
        _halve_weights(model)
        onnx.save(model, str(draft))


def _halve_weights(model: Any) -> None:
    """Store the large weights of a model (``onnx.ModelProto``) in half precision.

    The runtime converts them back on loading, so inference stays in single precision.
    """
    from onnx import TensorProto, helper, numpy_helper

    nodes = []
    for one in model.graph.initializer:
        if one.data_type == TensorProto.FLOAT and np.prod(one.dims) >= _LEAST_HALVED:
            name, kept = one.name, numpy_helper.to_array(one).astype(np.float16)
            one.CopyFrom(numpy_helper.from_array(kept, f"{name}/half"))
            nodes.append(helper.make_node("Cast", [one.name], [name], to=TensorProto.FLOAT))
    nodes.extend(model.graph.node)
    del model.graph.node[:]
    model.graph.node.extend(nodes)


_LEAST_HALVED = 256  # tensors with fewer values stay in single precision
_WIDE = 32
_CENTRE, _SPREAD = 0.45, 0.25  # mean and standard deviation for normalisation


def _make_namer_net(torch: Any, names: int) -> Any:
    """Return a classifier network (``torch.nn.Module``) with random weights.

    The network consists of convolutions with shortcuts and needs about 50 million multiplications
    for a crop of 64 × 64. On 45,000 crops, it learned about three times as fast as the smallest
    classifier of ultralytics (YOLO11 nano), which is made for larger pictures.

    The input is crops of shape (n, 3, side, side) with values 0..1. The output is a score (logit)
    for each class, shape (n, names).

    Args:
        torch: The module torch, which this package does not require.
        names: Number of classes.
    """
    nn, w = torch.nn, _WIDE

    class Levels(nn.Module):  # type: ignore[misc, name-defined]
        def forward(self, crops: Any) -> Any:
            return (crops - _CENTRE) / _SPREAD

    class Shortcut(nn.Module):  # type: ignore[misc, name-defined]
        """Residual block: two convolutions with a skip connection (He et al. 2015)."""

        def __init__(self, wide: int) -> None:
            super().__init__()
            last = nn.Conv2d(wide, wide, 3, 1, 1, bias=False)
            self.body = nn.Sequential(conv(wide, wide, 1), last, nn.BatchNorm2d(wide))

        def forward(self, given: Any) -> Any:
            return torch.relu(given + self.body(given))

    def conv(wide: int, out: int, stride: int) -> Any:
        own = nn.Conv2d(wide, out, 3, stride, 1, bias=False)
        return nn.Sequential(own, nn.BatchNorm2d(out), nn.ReLU())

    layers = [Levels(), conv(3, w, 2), conv(w, w, 1)]
    for wide in (2 * w, 4 * w, 8 * w):
        layers += [conv(wide // 2, wide, 2), Shortcut(wide)]
    ends = [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(0.2), nn.Linear(8 * w, names)]
    return nn.Sequential(*layers, *ends)
