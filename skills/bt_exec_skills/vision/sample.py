"""Labelled pictures and the interface of their sources."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from bt_exec_skills.perception.picture import Box, Frame
from bt_exec_skills.vision.files import read_image

__all__ = ["Mark", "Picture", "Sample", "SceneSource"]


@dataclass(frozen=True, slots=True)
class Mark:
    """One thing in a picture: what it is and where."""

    label: str
    bbox: Box


@dataclass(frozen=True)
class Sample:
    """One labelled picture.

    Attributes:
        image: The picture.
        marks: What is in it.
        facts: What else is known about it, as plain data: ``{"angle_rad": 0.3}``.
    """

    image: Frame
    marks: tuple[Mark, ...]
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Picture:
    """One picture of a data set, read back.

    Attributes:
        file: Where it lies.
        marks: What is in it.
        facts: What else is known about it.
    """

    file: Path
    marks: tuple[Mark, ...]
    facts: dict[str, Any]

    def image(self) -> Frame:
        """Return the picture."""
        return read_image(self.file)


class SceneSource(Protocol):
    """Source of labelled pictures, scene by scene; the same seed makes the same scene."""

    name: str
    """Name of the source in ``bt-exec vision dataset``."""
    classes: tuple[str, ...]
    """The labels, in the order of their numbers."""

    def scene(self, seed: int) -> Iterator[Sample]:
        """Yield the pictures of one scene."""
