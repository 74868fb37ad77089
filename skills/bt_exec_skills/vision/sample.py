"""What a labelled picture is, and where labelled pictures come from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from bt_exec_skills.perception.picture import Box, Frame

__all__ = ["Mark", "Sample", "SceneSource"]


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


class SceneSource(Protocol):
    """Makes labelled pictures, scene by scene; the same seed makes the same scene."""

    name: str
    """What ``bt-exec vision dataset`` calls it."""
    classes: tuple[str, ...]
    """The labels, in the order of their numbers."""

    def scene(self, seed: int) -> Iterator[Sample]:
        """Yield the pictures of one scene."""
