"""Data sets of labelled pictures in YOLO layout, made scene by scene from a recipe with a seed.

::

    FOLDER/dataset.json            the recipe: source, seed, scenes, classes, versions
    FOLDER/data.yaml               configuration for ultralytics
    FOLDER/images/{train,val}/     SCENE-PICTURE.png
    FOLDER/labels/{train,val}/     SCENE-PICTURE.txt: class, centre and size as shares
    FOLDER/scenes/SCENE.json       boxes and facts of one finished scene
    FOLDER/coco-{train,val}.json   the same boxes as COCO

All pictures of a scene belong to the same split. The JSON file of a scene is written last, so that
an interrupted run continues after the last finished scene. A folder with other content is never
changed.
"""

from __future__ import annotations

import importlib.metadata
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import cv2

from bt_exec.failure import UsageError
from bt_exec.files import write_text_atomically
from bt_exec_skills.perception.pictures_and_boxes import Box
from bt_exec_skills.vision.labelled_picture import Mark, Picture, Sample, SceneSource

__all__ = [
    "RECIPE_FILE",
    "Recipe",
    "Split",
    "finished_recipe",
    "make_dataset",
    "read_pictures",
    "read_recipe",
]

Split = Literal["train", "val"]
RECIPE_FILE = "dataset.json"
_SEEDS_APART = 1_000_000  # keeps the scenes of two data-set seeds disjoint


@dataclass(frozen=True)
class Recipe:
    """Recipe of a data set; equal recipes give equal pictures.

    Attributes:
        source: Name of the scene source.
        seed: Seed of the data set; scene i of seed s has the seed ``(s + 1) * 1,000,000 + i``.
        scenes: Number of scenes.
        val_every: Every n-th scene is held out; 0 holds out no scene, 1 all.
        classes: Labels in the order of their numbers.
    """

    source: str
    seed: int
    scenes: int
    val_every: int
    classes: tuple[str, ...]

    def __post_init__(self) -> None:
        if not 1 <= self.scenes < _SEEDS_APART:
            raise UsageError(f"scenes={self.scenes}: allowed: 1..{_SEEDS_APART - 1}")
        if not 0 <= self.seed <= 2000:
            raise UsageError(f"seed={self.seed}: allowed: 0..2000")
        if self.val_every < 0:
            raise UsageError(f"val_every={self.val_every}: allowed: 0 (none), 1 (all), 2, 3, …")

    def scene_seed(self, index: int) -> int:
        """Return the seed of scene `index`."""
        return (self.seed + 1) * _SEEDS_APART + index

    def split(self, index: int) -> Split:
        """Return the split of scene `index`."""
        held_out = self.val_every > 0 and index % self.val_every == self.val_every - 1
        return "val" if held_out else "train"

    def differences_from(self, other: Recipe) -> str:
        """Return the values of `other` that differ, such as ``seed=3, scenes=40``, as text."""
        mine, theirs = asdict(self), asdict(other)
        return ", ".join(f"{key}={theirs[key]}" for key in mine if mine[key] != theirs[key])


def read_recipe(folder: Path) -> Recipe:
    """Return the recipe of the data set in `folder`.

    Raises:
        UsageError: If the folder has no recipe, or an invalid one.
    """
    file = folder / RECIPE_FILE
    if not file.is_file():
        raise UsageError(f"{folder} contains no data set; make one with bt-exec vision dataset")
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        found = {key: value for key, value in found.items() if key != "versions"}
        return Recipe(**{**found, "classes": tuple(found["classes"])})
    except (ValueError, TypeError, AttributeError, KeyError) as error:
        raise UsageError(f"{file} is not the recipe of a data set: {error}") from None


_VERSIONS_OF = ("bt-exec", "mujoco", "numpy", "opencv-python-headless")
_LAST = "coco-val.json"  # written last, so that it marks a complete data set


def make_dataset(
    source: SceneSource, recipe: Recipe, folder: Path, tell: Callable[[int, int], None]
) -> None:
    """Make a data set, or complete an interrupted one.

    Args:
        source: Source of the pictures.
        recipe: Recipe of the data set.
        folder: Target folder; created if it is missing.
        tell: Function called after each scene with the numbers of finished scenes and pictures.

    Raises:
        UsageError: If the folder has other content, or already contains the complete data set.
    """
    done = _claim_folder(recipe, folder)
    pictures = sum(1 for _ in read_pictures(folder))
    tell(len(done), pictures)
    for index in range(recipe.scenes):
        if index in done:
            continue
        pictures += _write_scene(source.scene(recipe.scene_seed(index)), recipe, index, folder)
        done[index] = folder / "scenes" / f"{index:06d}.json"
        tell(len(done), pictures)
    for split in ("train", "val"):
        _write_coco(
            folder / f"coco-{split}.json", list(read_pictures(folder, split)), recipe.classes
        )


def _claim_folder(recipe: Recipe, folder: Path) -> dict[int, Path]:
    """Prepare the folder for the recipe, and return the files of finished scenes by number."""
    if (folder / RECIPE_FILE).is_file():
        other = recipe.differences_from(read_recipe(folder))
        if other:
            raise UsageError(f"{folder} contains a data set with {other}; choose another folder")
        if _is_complete(folder, recipe):
            raise UsageError(f"{folder} already contains this complete data set; nothing to do")
    elif folder.exists() and any(path.suffix != ".part" for path in folder.iterdir()):
        raise UsageError(f"{folder} is not empty and contains no data set; choose another folder")
    folder.mkdir(parents=True, exist_ok=True)
    versions = {name: importlib.metadata.version(name) for name in _VERSIONS_OF}
    text = json.dumps({**asdict(recipe), "versions": versions}, indent=2) + "\n"
    write_text_atomically(folder / RECIPE_FILE, text)  # marks the folder as a data set
    for part in ("images/train", "images/val", "labels/train", "labels/val", "scenes"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    names = "".join(f"  {number}: {name}\n" for number, name in enumerate(recipe.classes))
    write_text_atomically(
        folder / "data.yaml", f"train: images/train\nval: images/val\nnames:\n{names}"
    )
    return _finished_scenes(folder)


def _finished_scenes(folder: Path) -> dict[int, Path]:
    return {int(path.stem): path for path in (folder / "scenes").glob("*.json")}


def _is_complete(folder: Path, recipe: Recipe) -> bool:
    return (folder / _LAST).is_file() and len(_finished_scenes(folder)) == recipe.scenes


def _write_scene(samples: Iterator[Sample], recipe: Recipe, index: int, folder: Path) -> int:
    split = recipe.split(index)
    kept: list[dict[str, Any]] = []
    for number, sample in enumerate(samples):
        name = f"{index:06d}-{number:02d}"
        image = folder / "images" / split / f"{name}.png"
        if not cv2.imwrite(str(image), cv2.cvtColor(sample.image, cv2.COLOR_RGB2BGR)):
            raise OSError(f"{image} could not be written")
        height, width = sample.image.shape[:2]
        lines = [_yolo_line(mark, recipe.classes, width, height) for mark in sample.marks]
        (folder / "labels" / split / f"{name}.txt").write_text("".join(f"{x}\n" for x in lines))
        marks = [{"label": mark.label, "bbox": list(mark.bbox)} for mark in sample.marks]
        kept.append({"file": f"images/{split}/{name}.png", "marks": marks, "facts": sample.facts})
    seed = recipe.scene_seed(index)
    text = json.dumps({"seed": seed, "split": split, "pictures": kept})
    write_text_atomically(folder / "scenes" / f"{index:06d}.json", text + "\n")
    return len(kept)


def _yolo_line(mark: Mark, classes: tuple[str, ...], width: int, height: int) -> str:
    x1, y1, x2, y2 = mark.bbox
    shares = ((x1 + x2) / 2 / width, (y1 + y2) / 2 / height, (x2 - x1) / width, (y2 - y1) / height)
    return " ".join([str(classes.index(mark.label)), *(f"{share:.6f}" for share in shares)])


def finished_recipe(folder: Path) -> Recipe:
    """Return the recipe of the complete data set in `folder`.

    Raises:
        UsageError: If the data set is missing or unfinished.
    """
    recipe = read_recipe(folder)
    if not _is_complete(folder, recipe):
        made = len(_finished_scenes(folder))
        raise UsageError(
            f"{folder} is not finished ({made} of {recipe.scenes} scenes); the "
            "same bt-exec vision dataset command continues it"
        )
    return recipe


def read_pictures(folder: Path, split: Split | None = None) -> Iterator[Picture]:
    """Yield the pictures of the finished scenes of a data set, from one split or from both.

    Raises:
        UsageError: If a scene cannot be read.
    """
    for scene in sorted((folder / "scenes").glob("*.json")):
        try:
            pictures = _pictures_of_scene(
                folder, json.loads(scene.read_text(encoding="utf-8")), split
            )
        except (ValueError, KeyError, TypeError) as error:
            why = f"lacks {error}" if isinstance(error, KeyError) else str(error)
            raise UsageError(f"{scene} is damaged ({why}); delete it and make it again") from None
        yield from pictures


def _pictures_of_scene(
    folder: Path, scene: Mapping[str, Any], split: Split | None
) -> list[Picture]:
    """Return the pictures of a scene; no pictures if the scene is in another split.

    Raises:
        ValueError, KeyError, TypeError: If the file is not a scene.
    """
    if split not in (None, scene["split"]):
        return []
    return [
        Picture(
            folder / picture["file"],
            tuple(Mark(mark["label"], _box(mark["bbox"])) for mark in picture["marks"]),
            picture["facts"],
        )
        for picture in scene["pictures"]
    ]


def _box(numbers: list[int]) -> Box:
    x1, y1, x2, y2 = map(int, numbers)
    return x1, y1, x2, y2


def _write_coco(file: Path, pictures: Sequence[Picture], classes: Sequence[str]) -> None:
    """Write the labels of `pictures` as COCO JSON: boxes ``[x, y, width, height]``, ids from 1."""
    images: list[dict[str, Any]] = []
    notes: list[dict[str, Any]] = []
    for number, picture in enumerate(pictures, 1):
        height, width = picture.image().shape[:2]
        name = picture.file.relative_to(file.parent).as_posix()
        images.append({"id": number, "file_name": name, "width": width, "height": height})
        for mark in picture.marks:
            x1, y1, x2, y2 = mark.bbox
            notes.append(
                {
                    "id": len(notes) + 1,
                    "image_id": number,
                    "category_id": classes.index(mark.label) + 1,
                    "bbox": [x1, y1, x2 - x1, y2 - y1],
                    "area": (x2 - x1) * (y2 - y1),
                    "iscrowd": 0,
                }
            )
    kinds = [{"id": number, "name": name} for number, name in enumerate(classes, 1)]
    whole = {"images": images, "annotations": notes, "categories": kinds}
    write_text_atomically(file, json.dumps(whole) + "\n")
