"""The network that names crops, in torch: small, so that a CPU trains it in half an hour.

Plain convolutions with two shortcuts; a pass over a crop of 64 × 64 takes some 50 million
multiplications. Of 45,000 crops it learned three times as much in the same time as the smallest
classifier of ultralytics (YOLO11 nano), which is made for larger pictures.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

__all__ = ["CENTRE", "SPREAD", "NamerNet"]

CENTRE, SPREAD = 0.45, 0.25
"""What the levels 0..1 of a picture are moved and divided by; the network does it itself."""
_WIDE = 32


class NamerNet(nn.Module):  # type: ignore[misc]
    """From crops, shape (n, 3, side, side), levels 0..1, to a score (logit) for each name.

    Args:
        names: How many there are.
    """

    def __init__(self, names: int) -> None:
        super().__init__()
        w = _WIDE
        self.body = nn.Sequential(
            _conv(3, w, 2),
            _conv(w, w, 1),
            _conv(w, 2 * w, 2),
            _Shortcut(2 * w),
            _conv(2 * w, 4 * w, 2),
            _Shortcut(4 * w),
            _conv(4 * w, 8 * w, 2),
            _Shortcut(8 * w),
            nn.AdaptiveAvgPool2d(1),
            nn.Flatten(),
            nn.Dropout(0.2),
            nn.Linear(8 * w, names),
        )

    def forward(self, crops: Any) -> Any:
        """Return the scores, shape (n, names)."""
        return self.body((crops - CENTRE) / SPREAD)


class _Shortcut(nn.Module):  # type: ignore[misc]
    """Two convolutions, and what came in added to what comes out (He et al. 2015)."""

    def __init__(self, wide: int) -> None:
        super().__init__()
        last = nn.Conv2d(wide, wide, 3, 1, 1, bias=False)
        self.body = nn.Sequential(_conv(wide, wide, 1), last, nn.BatchNorm2d(wide))

    def forward(self, given: Any) -> Any:
        return torch.relu(given + self.body(given))


def _conv(wide: int, out: int, stride: int) -> Any:
    conv = nn.Conv2d(wide, out, 3, stride, 1, bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(out), nn.ReLU())
