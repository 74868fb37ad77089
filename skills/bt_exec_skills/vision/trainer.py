"""Additions to ultralytics: shuffled pictures of one size, bfloat16 on a CPU."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

__all__ = ["bfloat16", "one_size_trainer"]


def one_size_trainer() -> type[Any]:
    """Return a trainer that shuffles pictures of equal size without padding."""
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
def bfloat16(torch: Any) -> Iterator[None]:
    """Run the network in bfloat16 during training; its outputs are single precision."""
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
