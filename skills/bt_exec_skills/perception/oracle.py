"""The oracle, a detector that uses a simulator's ground truth of the objects in view."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar

from bt_exec.failure import UsageError
from bt_exec_skills.perception.contracts import Detection, View
from bt_exec_skills.perception.pictures_and_boxes import Mask, box_around

__all__ = [
    "Enough",
    "ObjectTruth",
    "OracleDetector",
    "Thing",
    "Truth",
    "things_in_view",
    "truth_of",
]

Enough: TypeAlias = Callable[[str, Mask], bool]


class Thing(NamedTuple):
    """Label of a visible object and, for a person, the identity."""

    label: str
    who: str | None = None


class Truth(Protocol):
    """Ground truth of a simulated view."""

    def object_masks(self) -> Iterable[tuple[Thing, Mask]]:
        """Return each object with the mask of its visible pixels; the mask may be empty."""


@dataclass(frozen=True)
class ObjectTruth:
    """Ground truth of a view as a mask for each label; implements `Truth`.

    Attributes:
        masks: Mask of the pixels that show each label, bool of shape (height, width). Masks may
            overlap; for example, the pixels of a door include those of its handle.
    """

    masks: Mapping[str, Mask]

    def object_masks(self) -> Iterator[tuple[Thing, Mask]]:
        """Implement `Truth.object_masks`."""
        for label, mask in self.masks.items():
            yield Thing(label), mask


T = TypeVar("T")


def truth_of(view: View[T]) -> T:
    """Return the ground truth of a simulated view.

    Raises:
        UsageError: If the camera is not simulated.
    """
    if view.truth is None:
        raise UsageError("the oracle needs a simulated camera; choose another detector")
    return view.truth


def things_in_view(truth: Truth, enough: Enough) -> Iterator[tuple[Thing, Mask, Detection]]:
    """Yield each object in view with its mask and a detection.

    Args:
        truth: Ground truth of the view.
        enough: Function that returns True if an object with a label and a mask is in view.
    """
    for thing, mask in truth.object_masks():
        if enough(thing.label, mask):
            yield thing, mask, Detection(thing.label, box_around(mask), 1.0)


class OracleDetector:
    """Detector that returns a box around the pixels of each object in view.

    Args:
        enough: Function that returns True if an object with a label and a mask is in view.
    """

    def __init__(self, enough: Enough) -> None:
        self._enough = enough

    def detect(self, view: View[Any]) -> tuple[Detection, ...]:
        """Implement `Detector.detect`."""
        return tuple(found for _, _, found in things_in_view(truth_of(view), self._enough))
