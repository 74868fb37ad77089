"""Wrapper of a simulated camera that adds sensor noise and injected faults to its pictures.

``camera=noise@12`` injects a fault from 12 s on, and ``camera=occluded@12-14`` one from 12 to 14 s.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Generic, NamedTuple, Protocol, TypeVar, get_args

import numpy as np

from bt_exec_skills.perception.contracts import Camera, CameraFault, View
from bt_exec_skills.perception.pictures_and_boxes import Frame

__all__ = ["BREAKS", "Break", "FaultyCamera", "FaultyCapture", "parse_breaks"]

C = TypeVar("C", bound="Stamped")
T = TypeVar("T")

BREAKS: tuple[CameraFault, ...] = get_args(CameraFault)
_FORM = re.compile(r"(?P<fault>\w+)(@(?P<start>\d+(\.\d+)?)(-(?P<end>\d+(\.\d+)?))?)?\Z")


class Stamped(Protocol):
    """A capture with a time stamp."""

    @property
    def t(self) -> float:
        """Time of the capture [s]."""


@dataclass(frozen=True, slots=True)
class Break:
    """Injected camera fault from `start` to `end` [s, mission clock]."""

    fault: CameraFault
    start: float = 0.0
    end: float = float("inf")


def parse_breaks(text: str) -> tuple[Break, ...]:
    """Parse ``FAULT[@START[-END]]``, or several of these separated by commas, or ``none``.

    Raises:
        ValueError: If the text does not have this form.
    """
    if text == "none":
        return ()
    return tuple(_parse_break(part) for part in text.split(","))


def _parse_break(text: str) -> Break:
    match = _FORM.match(text.strip())
    fault = next((known for known in BREAKS if match and known == match["fault"]), None)
    if match is None or fault is None:
        raise ValueError(
            f"camera={text!r}: expected 'none' or FAULT[@START[-END]] in seconds, as "
            f"noise@12 or dark@3-5.5, with FAULT one of {', '.join(BREAKS)}"
        )
    end = float(match["end"]) if match["end"] else float("inf")
    start = float(match["start"] or 0.0)
    if end <= start:
        raise ValueError(f"camera={text!r}: the fault ends before it starts")
    return Break(fault, start, end)


class FaultyCapture(NamedTuple, Generic[C]):
    """Capture, and the injected fault at its time, or None."""

    inner: C
    fault: CameraFault | None


class FaultyCamera(Generic[C, T]):
    """Camera that adds noise and faults to the pictures of another; implements `Camera`.

    Args:
        camera: The camera without faults, whose captures have time stamps.
        seed: Seed of the noise.
        breaks: The injected faults.

    Attributes:
        behind: The camera without faults.
    """

    def __init__(
        self, camera: Camera[C, View[T]], seed: int = 0, breaks: tuple[Break, ...] = ()
    ) -> None:
        self.behind = camera
        self._seed = seed
        self.breaks = breaks
        self._good: Frame | None = None

    def capture(self) -> FaultyCapture[C]:
        """Implement `Camera.capture`."""
        inner = self.behind.capture()
        broken = (b.fault for b in self.breaks if b.start <= inner.t < b.end)
        return FaultyCapture(inner, next(broken, None))

    def view(self, capture: FaultyCapture[C]) -> View[T]:
        """Implement `Camera.view`."""
        view = self.behind.view(capture.inner)
        rng = np.random.default_rng([self._seed, round(view.t * 1000)])
        if capture.fault is None:
            self._good = _with_noise(view.frame, rng)
            return replace(view, frame=self._good)
        frame = view.frame if self._good is None else self._good
        if capture.fault != "frozen":
            frame = faulty_picture(view.frame, capture.fault, rng)
        return replace(view, frame=frame)

    def close(self) -> None:
        """Implement `Camera.close`."""
        self.behind.close()


def _with_noise(frame: Frame, rng: np.random.Generator) -> Frame:
    """Return the picture with at most two grey levels of noise."""
    noise = rng.integers(-2, 3, frame.shape, np.int16)
    seen: Frame = np.clip(frame + noise, 0, 255).astype(np.uint8)
    return seen


def faulty_picture(frame: Frame, fault: CameraFault, rng: np.random.Generator) -> Frame:
    """Return the picture of `frame` that a camera with `fault` delivers; unchanged if frozen."""
    height, width, _ = frame.shape
    if fault == "missing":
        return np.zeros((0, 0, 3), np.uint8)
    if fault == "wrong_size":
        return np.ascontiguousarray(frame[::2, ::2])
    if fault == "dark":
        return _with_noise(np.zeros_like(frame), rng)
    if fault == "noise":
        return rng.integers(0, 256, frame.shape, np.uint8)
    if fault == "occluded":  # as by a thumb: one colour, soft shading, one corner free
        fall = np.linspace(0.7, 1.0, width)[None, :, None] * np.ones((height, 1, 3))
        thumb = np.array([150, 105, 90]) * fall
        thumb[: height // 6, : width // 6] = frame[: height // 6, : width // 6]
        return _with_noise(thumb.astype(np.uint8), rng)
    return frame
