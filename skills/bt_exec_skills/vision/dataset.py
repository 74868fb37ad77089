"""Data sets: labelled pictures in YOLO layout, made scene by scene from a seed.

::

    FOLDER/dataset.json            the recipe: source, seed, scenes, classes, versions
    FOLDER/data.yaml               what ultralytics reads
    FOLDER/images/{train,val}/     SCENE-PICTURE.png
    FOLDER/labels/{train,val}/     SCENE-PICTURE.txt: class, middle and size as shares
    FOLDER/scenes/SCENE.json       boxes and facts of one finished scene
    FOLDER/coco-{train,val}.json   the same boxes as COCO

A scene goes to one side of the split as a whole. Its JSON is written last: making goes on after an
interruption where it stopped, and a folder that holds anything else is never touched.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import cv2
import numpy as np

from bt_exec.failure import UsageError
from bt_exec_skills.vision.coco import write_coco
from bt_exec_skills.vision.sample import Box, Frame, Mark, Sample, SceneSource

__all__ = ["Picture", "Recipe", "Split", "make_dataset", "read_pictures", "read_recipe"]

Split = Literal["train", "val"]
_RECIPE = "dataset.json"
_SEEDS_APART = 1_000_000  # scenes of two data-set seeds never meet
_VERSIONS_OF = ("bt-exec", "mujoco", "numpy", "opencv-python-headless")


@dataclass(frozen=True)
class Recipe:
    """What a data set is made from; the same recipe makes the same pictures.

    Attributes:
        source: Name of the scene source.
        seed: Chooses the scenes: scene i of seed s has the seed ``(s + 1) * 1,000,000 + i``.
        scenes: How many.
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
        """Return the side of the split on which scene `index` lies."""
        held_out = self.val_every > 0 and index % self.val_every == self.val_every - 1
        return "val" if held_out else "train"


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


def read_image(file: Path) -> Frame:
    """Return the picture in `file`, RGB.

    Raises:
        UsageError: If there is none that can be read.
    """
    found = cv2.imread(str(file), cv2.IMREAD_COLOR)
    if found is None:
        raise UsageError(f"{file}: no picture that can be read (PNG, JPEG, BMP, WebP)")
    return np.asarray(cv2.cvtColor(found, cv2.COLOR_BGR2RGB), np.uint8)


def make_dataset(
    source: SceneSource, recipe: Recipe, folder: Path, tell: Callable[[int, int], None]
) -> None:
    """Make the data set, or what is missing of it.

    Args:
        source: Where pictures come from.
        recipe: What to make.
        folder: Where; made if missing.
        tell: Called after each scene with the number of finished scenes and their pictures.

    Raises:
        UsageError: If the folder holds something else, or this data set in full.
    """
    done = _prepare(recipe, folder)
    pictures = sum(len(json.loads(file.read_text())["pictures"]) for file in done.values())
    tell(len(done), pictures)
    for index in range(recipe.scenes):
        if index in done:
            continue
        pictures += _write_scene(source.scene(recipe.scene_seed(index)), recipe, index, folder)
        done[index] = folder / "scenes" / f"{index:06d}.json"
        tell(len(done), pictures)
    for split in ("train", "val"):
        write_coco(
            folder / f"coco-{split}.json", list(read_pictures(folder, split)), recipe.classes
        )


def _prepare(recipe: Recipe, folder: Path) -> dict[int, Path]:
    """Make the folder ready and return the finished scenes by number."""
    file = folder / _RECIPE
    if file.is_file():
        found = read_recipe(folder)
        if found != recipe:
            raise UsageError(f"{folder} holds another data set ({found}); choose another folder")
    elif folder.exists() and any(folder.iterdir()):
        raise UsageError(f"{folder} is not empty and holds no data set; choose another folder")
    for part in ("images", "labels"):
        for split in ("train", "val"):
            (folder / part / split).mkdir(parents=True, exist_ok=True)
    (folder / "scenes").mkdir(exist_ok=True)
    done = {int(path.stem): path for path in (folder / "scenes").glob("*.json")}
    if len(done) == recipe.scenes and (folder / "coco-val.json").is_file():
        raise UsageError(f"{folder} holds this data set already, complete; nothing to do")
    versions = {name: importlib.metadata.version(name) for name in _VERSIONS_OF}
    _write(file, json.dumps({**asdict(recipe), "versions": versions}, indent=2) + "\n")
    names = "".join(f"  {number}: {name}\n" for number, name in enumerate(recipe.classes))
    _write(folder / "data.yaml", f"train: images/train\nval: images/val\nnames:\n{names}")
    return done


def _write_scene(samples: Iterator[Sample], recipe: Recipe, index: int, folder: Path) -> int:
    split = recipe.split(index)
    kept: list[dict[str, Any]] = []
    for number, sample in enumerate(samples):
        name = f"{index:06d}-{number:02d}"
        image = folder / "images" / split / f"{name}.png"
        if not cv2.imwrite(str(image), cv2.cvtColor(sample.image, cv2.COLOR_RGB2BGR)):
            raise OSError(f"{image} could not be written")
        height, width = sample.image.shape[:2]
        lines = [_yolo(mark, recipe.classes, width, height) for mark in sample.marks]
        (folder / "labels" / split / f"{name}.txt").write_text("".join(f"{x}\n" for x in lines))
        marks = [{"label": mark.label, "bbox": list(mark.bbox)} for mark in sample.marks]
        kept.append({"file": f"images/{split}/{name}.png", "marks": marks, "facts": sample.facts})
    seed = recipe.scene_seed(index)
    text = json.dumps({"seed": seed, "split": split, "pictures": kept})
    _write(folder / "scenes" / f"{index:06d}.json", text + "\n")
    return len(kept)


def _yolo(mark: Mark, classes: tuple[str, ...], width: int, height: int) -> str:
    x1, y1, x2, y2 = mark.bbox
    shares = ((x1 + x2) / 2 / width, (y1 + y2) / 2 / height, (x2 - x1) / width, (y2 - y1) / height)
    return " ".join([str(classes.index(mark.label)), *(f"{share:.6f}" for share in shares)])


def _write(file: Path, text: str) -> None:
    """Write a file whole or not at all."""
    draft = file.with_suffix(".part")
    draft.write_text(text, encoding="utf-8")
    os.replace(draft, file)  # noqa: PTH105 - Path.replace, said plainly


def read_recipe(folder: Path) -> Recipe:
    """Return the recipe of the data set in `folder`.

    Raises:
        UsageError: If there is none.
    """
    file = folder / _RECIPE
    if not file.is_file():
        raise UsageError(f"{folder} holds no data set; make one with bt-exec vision dataset")
    found = json.loads(file.read_text(encoding="utf-8"))
    found.pop("versions", None)
    return Recipe(**{**found, "classes": tuple(found["classes"])})


def read_pictures(folder: Path, split: Split | None = None) -> Iterator[Picture]:
    """Yield the pictures of the finished scenes of a data set, of one side or both."""
    for scene in sorted((folder / "scenes").glob("*.json")):
        found = json.loads(scene.read_text(encoding="utf-8"))
        if split not in (None, found["split"]):
            continue
        for picture in found["pictures"]:
            marks = (Mark(mark["label"], _box(mark["bbox"])) for mark in picture["marks"])
            yield Picture(folder / picture["file"], tuple(marks), picture["facts"])


def _box(numbers: list[int]) -> Box:
    x1, y1, x2, y2 = numbers
    return x1, y1, x2, y2
