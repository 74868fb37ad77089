"""Labelled pictures, and the interface of their sources."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from bt_exec_skills.perception.pictures_and_boxes import Box, Frame
from bt_exec_skills.vision.picture_files_and_training_folder import read_image

__all__ = ["Mark", "Picture", "Sample", "SceneSource"]


@dataclass(frozen=True, slots=True)
class Mark:
    """Label and box of an object in a picture."""

    label: str
    bbox: Box


@dataclass(frozen=True)
class Sample:
    """Labelled picture in memory.

    Attributes:
        image: The picture.
        marks: Labels and boxes of the objects.
        facts: Further ground truth as plain data, such as ``{"angle_rad": 0.3}``.
    """

    image: Frame
    marks: tuple[Mark, ...]
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Picture:
    """Labelled picture of a data set on disk.

    Attributes:
        file: Path of the picture.
        marks: Labels and boxes of the objects.
        facts: Further ground truth as plain data.
    """

    file: Path
    marks: tuple[Mark, ...]
    facts: dict[str, Any]

    def image(self) -> Frame:
        """Read and return the picture."""
        return read_image(self.file)


class SceneSource(Protocol):
    """Source of labelled pictures, scene by scene; the same seed gives the same scene."""

    name: str
    """Name of the source in ``bt-exec vision dataset``."""
    classes: tuple[str, ...]
    """The labels, in the order of their numbers."""

    def scene(self, seed: int) -> Iterator[Sample]:
        """Yield the pictures of one scene."""
