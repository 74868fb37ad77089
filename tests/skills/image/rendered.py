"""Rendered tables with ground truth: objects by class and colour, touching or half hidden.

An object counts if `bt_exec_skills.things.dataset.ground_truth` labels it: at least 80 pixels and
30 % of its outline are visible. No questions are asked about classes with an object near that
limit. Questions about colours use red, green and blue, and only objects of one colour, because
white, yellow, orange and brown are similar in dim or tinted light.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bt_exec_skills.things.dataset.scenes import THINGS, TableScenes

SEEDS = 700_000_000  # different from those of any data set
ASKED_COLOURS = ("red", "green", "blue")
PAINTED = ("cup", "bowl", "plate", "cube", "ball", "cylinder", "apple")
ONES = {
    "tomato": "tomatoes", "person": "people", "box": "boxes",
}  # fmt: skip
KO = {
    "tomato": "토마토", "apple": "사과", "orange": "오렌지", "lemon": "레몬", "egg": "달걀",
    "cup": "컵", "bowl": "그릇", "plate": "접시", "bottle": "병", "cube": "큐브", "ball": "공",
    "cylinder": "원통", "chair": "의자", "person": "사람",
    "red": "빨간", "green": "초록색", "blue": "파란", "yellow": "노란", "white": "흰색",
    "black": "검은",
}  # fmt: skip


@dataclass(frozen=True)
class Table:
    """Picture and its contents, as described by `TableScenes`."""

    seed: int
    view: str
    picture: np.ndarray
    things: list[dict]

    def counted(self, label: str, colour: str = "", without: str = "") -> int:
        return sum(
            one["counts"]
            and one["label"] == label
            and (not colour or one["colour"] == colour)
            and one["colour"] != (without or None)
            for one in self.things
        )

    def clear(self, label: str) -> bool:
        """Return True if no object of that class is near the visibility limit."""
        mine = [one for one in self.things if one["label"] == label]
        least = 0.15 if label in ("chair", "person") else 0.3
        return all(
            (one["counts"] and one["share"] >= least + 0.05 and one["pixels"] >= 100)
            or one["share"] < least - 0.15
            or one["pixels"] < 30
            for one in mine
        )

    def plain(self, label: str) -> bool:
        """Return True if every object of that class has one colour."""
        mine = [one for one in self.things if one["label"] == label and one["counts"]]
        return all(one["painted"] >= 0.8 for one in mine)

    @property
    def tricks(self) -> set[str]:
        found = set()
        if any(one["counts"] and one["share"] < 0.7 for one in self.things):
            found.add("hidden")
        boxes = [one["bbox"] for one in self.things if one["counts"]]
        for place, (a, b, c, d) in enumerate(boxes):
            for e, f, g, h in boxes[place + 1 :]:
                if min(c, g) > max(a, e) and min(d, h) > max(b, f):
                    found.add("touching")
        return found


def tables(first: int, count: int, view: str = "close") -> Iterator[Table]:
    """Yield the first picture of the given view for each of a number of rooms."""
    source = TableScenes()
    seed, made = SEEDS + first, 0
    while made < count:
        for sample in source.scene(seed):
            if sample.facts["view"] == view:
                yield Table(seed, view, sample.image, sample.facts["things"])
                made += 1
                break
        seed += 1


def questions(table: Table) -> list[tuple[str, str, str, int | bool]]:
    """Return (kind, class, question, truth); half of them are Korean."""
    rng = random.Random(table.seed)
    known = [label for label in THINGS if label not in ("chair", "person")]
    shown = sorted({one["label"] for one in table.things if one["counts"]})
    asked = [rng.choice(shown if shown and rng.random() < 0.8 else known) for _ in range(4)]
    korean = rng.random() < 0.5
    found = []
    label = asked[0]
    text = f"{KO[label]}가 몇 개야?" if korean else f"How many {_many(label)} are there?"
    found.append(("count", label, text, table.counted(label)))
    label = asked[1]
    text = f"{KO[label]}이 있어?" if korean else f"Is there {_one(label)}?"
    found.append(("exists", label, text, table.counted(label) > 0))
    painted = [one for one in table.things if one["counts"] and one["label"] in PAINTED]
    painted = [one for one in painted if table.plain(one["label"])]
    coloured = [one for one in painted if one["colour"] in ASKED_COLOURS]
    if coloured:
        one = rng.choice(coloured)
        label, colour = one["label"], one["colour"]
        if korean:
            text = f"{KO[colour]} {KO[label]}은 몇 개야?"
            out = f"{KO[colour]} 것 말고 {KO[label]}이 몇 개야?"
        else:
            text = f"How many {colour} {_many(label)} are there?"
            out = f"How many {_many(label)} are there except the {colour} ones?"
        found.append(("attribute", label, text, table.counted(label, colour)))
        found.append(("exclusion", label, out, table.counted(label, without=colour)))
    return [one for one in found if table.clear(one[1])]


def _many(label: str) -> str:
    return ONES.get(label, label + "s")


def _one(label: str) -> str:
    return f"an {label}" if label[0] in "aeiou" else f"a {label}"
