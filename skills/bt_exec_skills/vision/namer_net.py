"""The network that names crops, in torch: small, so that a CPU trains it in half an hour.

Plain convolutions with shortcuts; a pass over a crop of 64 × 64 takes some 50 million
multiplications. Of 45,000 crops it learned three times as much in the same time as the smallest
classifier of ultralytics (YOLO11 nano), which is made for larger pictures.
"""

from __future__ import annotations

from typing import Any

__all__ = ["make_namer_net"]

_WIDE = 32
_CENTRE, _SPREAD = 0.45, 0.25  # mean and standard deviation for normalisation


def make_namer_net(torch: Any, names: int) -> Any:
    """Return a network (``torch.nn.Module``) with random weights.

    It takes crops, shape (n, 3, side, side), levels 0..1, and gives a score (logit) for each name,
    shape (n, names).

    Args:
        torch: The library, which this package does not require.
        names: Number of names.
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
