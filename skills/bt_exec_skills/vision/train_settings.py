"""How to train, and what of it ultralytics is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bt_exec.failure import UsageError

__all__ = ["TrainSettings"]


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

    def __post_init__(self) -> None:
        if not self.model.endswith((".yaml", ".yml")):
            raise UsageError(
                f"model={self.model!r}: a network starts from its yaml, as yolo11n.yaml; nobody's "
                "weights are taken over, nothing is downloaded"
            )

    def options(self) -> dict[str, Any]:
        """Return the options of ultralytics that are the same on every machine."""
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
