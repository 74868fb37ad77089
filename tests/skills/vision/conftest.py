"""Fixtures of the vision tests: a source of synthetic scenes, a scripted network."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import pytest

from bt_exec_skills.perception.pictures_and_boxes import Frame
from bt_exec_skills.vision.box_decoding import Found
from bt_exec_skills.vision.labelled_picture import Mark, Sample


class Squares:
    """Scenes of two pictures, each with a bright square on noise."""

    name = "squares"
    classes = ("round", "square")

    def __init__(self) -> None:
        self.made: list[int] = []

    def scene(self, seed: int) -> Iterator[Sample]:
        self.made.append(seed)
        rng = np.random.default_rng(seed)
        for number in range(2):
            image = rng.integers(0, 60, (48, 64, 3), np.uint8)
            x, y = (int(place) for place in rng.integers(4, 30, 2))
            image[y : y + 10, x : x + 12] = 230
            yield Sample(image, (Mark("square", (x, y, x + 12, y + 10)),), {"number": number})


@dataclass
class ScriptedNetwork:
    """Returns the scripted detections for every picture."""

    found: list[Found] = field(default_factory=list)
    names: tuple[str, ...] = ("round", "square")
    seen: list[Frame] = field(default_factory=list)

    def find(self, frame: Frame, least_score: float = 0.25) -> list[Found]:
        self.seen.append(frame)
        return [one for one in self.found if one.score > least_score]


@pytest.fixture
def squares() -> Squares:
    return Squares()


@pytest.fixture
def scripted_network() -> type[ScriptedNetwork]:
    return ScriptedNetwork
