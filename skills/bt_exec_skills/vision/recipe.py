"""Recipe of a data set: its sources, and the split of each scene."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from bt_exec.failure import UsageError

__all__ = ["RECIPE_FILE", "Recipe", "Split", "read_recipe"]

Split = Literal["train", "val"]
RECIPE_FILE = "dataset.json"
_SEEDS_APART = 1_000_000  # keeps the scenes of two data-set seeds disjoint


@dataclass(frozen=True)
class Recipe:
    """Recipe of a data set; the same recipe makes the same pictures.

    Attributes:
        source: Name of the scene source.
        seed: Chooses the scenes: scene i of seed s has the seed ``(s + 1) * 1,000,000 + i``.
        scenes: Number of scenes.
        val_every: Every n-th scene is held out; 0 holds out none, 1 all.
        classes: Labels in the order of their numbers.
    """

    source: str
    seed: int
    scenes: int
    val_every: int
    classes: tuple[str, ...]

    def __post_init__(self) -> None:
        if not 1 <= self.scenes < _SEEDS_APART:
            raise UsageError(f"scenes={self.scenes}: allowed are 1..{_SEEDS_APART - 1}")
        if not 0 <= self.seed <= 2000:
            raise UsageError(f"seed={self.seed}: allowed are 0..2000")
        if self.val_every < 0:
            raise UsageError(f"val_every={self.val_every}: allowed are 0 (none), 1 (all), 2, 3, …")

    def scene_seed(self, index: int) -> int:
        """Return the seed of scene `index`."""
        return (self.seed + 1) * _SEEDS_APART + index

    def split(self, index: int) -> Split:
        """Return the side of the split of scene `index`."""
        held_out = self.val_every > 0 and index % self.val_every == self.val_every - 1
        return "val" if held_out else "train"

    def unlike(self, other: Recipe) -> str:
        """Return the differences of the other recipe: ``seed=3, scenes=40``; empty if equal."""
        mine, theirs = asdict(self), asdict(other)
        return ", ".join(f"{key}={theirs[key]}" for key in mine if mine[key] != theirs[key])


def read_recipe(folder: Path) -> Recipe:
    """Return the recipe of the data set in `folder`.

    Raises:
        UsageError: If the folder has no recipe.
    """
    file = folder / RECIPE_FILE
    if not file.is_file():
        raise UsageError(f"{folder} holds no data set; make one with bt-exec vision dataset")
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        found = {key: value for key, value in found.items() if key != "versions"}
        return Recipe(**{**found, "classes": tuple(found["classes"])})
    except (ValueError, TypeError, AttributeError, KeyError) as error:
        raise UsageError(f"{file} is not the recipe of a data set: {error}") from None
