"""A picture of a data set on disk."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bt_exec_skills.perception.picture import Frame
from bt_exec_skills.vision.files import read_image
from bt_exec_skills.vision.sample import Mark

__all__ = ["Picture"]


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
