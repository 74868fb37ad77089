"""Data sets: reproducible files, resumption after an interruption, no overwriting."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pytest

from bt_exec.failure import UsageError
from bt_exec_skills.vision.dataset_generation import (
    Recipe,
    finished_recipe,
    make_dataset,
    read_pictures,
    read_recipe,
)
from tests.cases import some

RECIPE = Recipe("squares", 3, 6, 3, ("round", "square"))


def nobody(*_: int) -> None:
    return


def digest(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_same_recipe_gives_the_same_files(squares: Any, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    make_dataset(squares, RECIPE, tmp_path / "a", lambda *done: told.append(done))
    make_dataset(squares, RECIPE, tmp_path / "b", nobody)
    assert digest(tmp_path / "a") == digest(tmp_path / "b")
    assert told == [(0, 0), *((n, 2 * n) for n in range(1, 7))]
    assert squares.made[:6] == [4_000_000 + n for n in range(6)]


def test_dataset_has_the_expected_layout_split_and_labels(squares: Any, tmp_path: Path) -> None:
    make_dataset(squares, RECIPE, tmp_path, nobody)
    assert read_recipe(tmp_path) == RECIPE
    names = {
        split: sorted(p.stem for p in (tmp_path / "images" / split).iterdir())
        for split in ("train", "val")
    }
    assert names["val"] == ["000002-00", "000002-01", "000005-00", "000005-01"]
    assert len(names["train"]) == 8
    for picture in some(read_pictures(tmp_path)):
        ((label, (x1, y1, x2, y2)),) = [(m.label, m.bbox) for m in picture.marks]
        assert label == "square"
        assert picture.image()[y1:y2, x1:x2].min() == 230
        text = tmp_path / "labels" / picture.file.parent.name / f"{picture.file.stem}.txt"
        number, *shares = text.read_text().split()
        assert text.read_text().endswith("\n")
        assert number == "1"
        x, y, w, h = (float(share) for share in shares)
        assert (x * 64, y * 48, w * 64, h * 48) == pytest.approx(
            ((x1 + x2) / 2, (y1 + y2) / 2, 12, 10), abs=1e-3
        )
    assert "1: square" in (tmp_path / "data.yaml").read_text()


def test_coco_file_contains_the_same_boxes(squares: Any, tmp_path: Path) -> None:
    make_dataset(squares, RECIPE, tmp_path, nobody)
    coco = json.loads((tmp_path / "coco-val.json").read_text())
    assert [kind["name"] for kind in coco["categories"]] == ["round", "square"]
    pictures = list(read_pictures(tmp_path, "val"))
    assert [image["file_name"] for image in coco["images"]] == [
        picture.file.relative_to(tmp_path).as_posix() for picture in pictures
    ]
    for note, picture in zip(coco["annotations"], pictures, strict=True):
        x1, y1, x2, y2 = picture.marks[0].bbox
        assert note["bbox"] == [x1, y1, x2 - x1, y2 - y1]
        assert note["area"] == 120
        assert note["category_id"] == 2


def test_interruption_loses_only_the_unfinished_scene(squares: Any, tmp_path: Path) -> None:
    def stop(scenes: int, _: int) -> None:
        if scenes == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make_dataset(squares, RECIPE, tmp_path / "a", stop)
    squares.made.clear()
    make_dataset(squares, RECIPE, tmp_path / "a", nobody)
    assert squares.made == [4_000_003, 4_000_004, 4_000_005]
    make_dataset(squares, RECIPE, tmp_path / "b", nobody)
    assert digest(tmp_path / "a") == digest(tmp_path / "b")


@pytest.mark.parametrize("step", range(11))
def test_killed_run_is_completed_by_the_next(
    squares: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    """Die before the n-th file is moved into place, then resume."""
    put, left = os.replace, [step]

    def dying(source: Path, target: Path) -> None:
        if not left[0]:
            raise SystemExit
        left[0] -= 1
        put(source, target)

    monkeypatch.setattr(os, "replace", dying)
    with contextlib.suppress(SystemExit):
        make_dataset(squares, RECIPE, tmp_path / "a", nobody)
    monkeypatch.undo()
    if not (tmp_path / "a" / "coco-val.json").is_file():
        if (tmp_path / "a" / "dataset.json").is_file():
            with pytest.raises(UsageError, match=r"is not finished .* of 6 scenes"):
                finished_recipe(tmp_path / "a")
        make_dataset(squares, RECIPE, tmp_path / "a", nobody)
    make_dataset(squares, RECIPE, tmp_path / "b", nobody)
    assert digest(tmp_path / "a") == digest(tmp_path / "b")
    assert finished_recipe(tmp_path / "a") == RECIPE


@pytest.mark.parametrize("text", ["[]", "hello", '{"seed": 1}', '{"classes": 4}', ""])
def test_invalid_recipe_is_rejected_by_name(tmp_path: Path, text: str) -> None:
    (tmp_path / "dataset.json").write_text(text)
    with pytest.raises(UsageError, match=r"dataset\.json is not the recipe of a data set"):
        read_recipe(tmp_path)


def test_damaged_scene_is_reported_and_created_again(squares: Any, tmp_path: Path) -> None:
    make_dataset(squares, RECIPE, tmp_path / "a", nobody)
    scene = tmp_path / "a" / "scenes" / "000002.json"
    whole = scene.read_text()
    box = '{"split": "val", "pictures": [{"file": "x", "facts": {}, "marks": [%s]}]}'
    two = box % '{"label": "door", "bbox": [1, 2]}'
    words = box % '{"label": "door", "bbox": ["a", 2, 3, 4]}'
    for text in (whole[:20], "[]", '{"split": "val"}', box.replace("[%s]", "3"), two, words):
        scene.write_text(text)
        said = r"000002\.json is damaged .* delete it and make it again"
        with pytest.raises(UsageError, match=said):
            list(read_pictures(tmp_path / "a"))
    scene.unlink()
    make_dataset(squares, RECIPE, tmp_path / "a", nobody)
    assert scene.read_text() == whole


def test_existing_files_are_not_overwritten(squares: Any, tmp_path: Path) -> None:
    make_dataset(squares, RECIPE, tmp_path / "a", nobody)
    with pytest.raises(UsageError, match="already contains this complete data set"):
        make_dataset(squares, RECIPE, tmp_path / "a", nobody)
    other = Recipe("squares", 4, 6, 3, ("round", "square"))
    with pytest.raises(
        UsageError, match="a contains a data set with seed=3; choose another folder"
    ):
        make_dataset(squares, other, tmp_path / "a", nobody)
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "thesis.tex").write_text("dear")
    with pytest.raises(UsageError, match="is not empty and contains no data set"):
        make_dataset(squares, RECIPE, tmp_path / "b", nobody)
    assert [path.name for path in (tmp_path / "b").iterdir()] == ["thesis.tex"]


@pytest.mark.parametrize(
    ("seed", "scenes", "every", "message"),
    [
        (0, 0, 3, "scenes=0: allowed: 1..999999"),
        (2001, 5, 3, "seed=2001: allowed: 0..2000"),
        (0, 5, -1, "val_every=-1: allowed: 0 (none), 1 (all), 2, 3, …"),
    ],
)
def test_invalid_recipe_is_refused(seed: int, scenes: int, every: int, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        Recipe("squares", seed, scenes, every, ("a",))
    assert str(caught.value) == message


def test_folder_without_a_data_set_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        UsageError, match="contains no data set; make one with bt-exec vision dataset"
    ):
        read_recipe(tmp_path)


@pytest.mark.parametrize("every", [0, 1, 2, 5])
def test_every_nth_scene_is_held_out(every: int) -> None:
    recipe = Recipe("squares", 0, 20, every, ("a",))
    held_out = [index for index in range(20) if recipe.split(index) == "val"]
    assert len(held_out) == (20 // every if every else 0)
