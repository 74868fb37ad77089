"""Reader of annotation files, which contain the boxes of a picture.

Supported are COCO JSON, YOLO text (with ``classes.txt`` in the same folder), the JSON list of
ultralytics, and the files of supervision's JSONSink and CSVSink. The content is untrusted data:
each number is checked before it becomes a box.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import cv2
import numpy as np

from bt_exec.failure import UsageError
from bt_exec.files import expand_home, file_errors
from bt_exec_skills.image.perception.instances import Instance
from bt_exec_skills.perception.pictures_and_boxes import Mask, to_pixel_box

__all__ = ["Annotation", "find_annotation", "read_annotation"]

_MOST_BYTES = 64_000_000
_MOST_BOXES = 20_000
_MOST_OUTLINED = 500_000_000  # maximum number of mask pixels of all instances, one byte each


class Annotation(NamedTuple):
    """Content of an annotation file for one picture.

    Attributes:
        names: Classes that were annotated. Objects of other classes may be in the picture.
        instances: Objects in the picture.
    """

    names: tuple[str, ...]
    instances: tuple[Instance, ...]


def find_annotation(picture: str | Path) -> Path | None:
    """Return the annotation file of a picture: its name with ``.json`` or ``.txt``; or None."""
    file = expand_home(picture)
    beside = (file.parent / f"{file.stem}{ending}" for ending in (".json", ".txt"))
    try:
        return next((one for one in beside if one.is_file() and one != file), None)
    except OSError:  # the picture is not readable either, which is reported later
        return None


def read_annotation(path: str | Path, picture: str | Path, size: tuple[int, int]) -> Annotation:
    """Return the annotation of a picture.

    Args:
        path: Annotation file in one of the supported formats.
        picture: File of the picture; a COCO file may describe several pictures.
        size: Height and width of the picture [px].

    Raises:
        UsageError: If the file is unreadable or contains invalid values.
    """
    file = expand_home(path)
    text = _read_text(file)
    if file.suffix.lower() == ".txt":
        return _parse_yolo(text, file, size)
    if file.suffix.lower() == ".csv":
        return _parse_rows(csv.DictReader(io.StringIO(text)), file, size)
    return _parse_json(text, file, Path(picture).name, size)


def _instances_in_picture(found: Iterable[Instance | None], file: Path) -> tuple[Instance, ...]:
    """Return the instances inside the picture.

    Raises:
        UsageError: If there are too many boxes, or the masks would exceed the memory limit.
    """
    kept: list[Instance] = []
    pixels = 0
    for one in filter(None, found):
        kept.append(one)
        pixels += one.mask.size if one.mask is not None else 0
        if len(kept) > _MOST_BOXES:
            raise UsageError(f"annotation {file} has more than {_MOST_BOXES} boxes")
        if pixels > _MOST_OUTLINED:
            most = _MOST_OUTLINED // 1_000_000
            raise UsageError(f"annotation {file} outlines more than {most} megapixels in all")
    return tuple(kept)


def _read_text(file: Path) -> str:
    with file_errors(f"annotation {file}", "read"):
        if not file.is_file():
            raise UsageError(f"annotation {file} does not exist")
        if file.stat().st_size > _MOST_BYTES:
            raise UsageError(f"annotation {file} is larger than {_MOST_BYTES // 1_000_000} MB")
        try:
            return file.read_text(encoding="utf-8-sig")
        except UnicodeDecodeError:
            raise UsageError(f"annotation {file} is not a text") from None


def _parse_json(text: str, file: Path, picture: str, size: tuple[int, int]) -> Annotation:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"annotation {file} is not JSON: {error}") from None
    if isinstance(data, list):
        return _parse_rows(data, file, size)
    try:
        if isinstance(data, dict) and "annotations" in data and "categories" in data:
            return _parse_coco(data, file, picture, size)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        why = f"{type(error).__name__}: {error}"
        raise UsageError(f"annotation {file} is malformed: {why:.200}") from None
    raise UsageError(
        f"annotation {file} has no supported format: COCO has 'categories' and 'annotations', "
        "the results of ultralytics are a list of objects with 'name' and 'box', those of "
        "supervision one of objects with 'class_name', 'x_min' …"
    )


def _parse_rows(rows: Iterable[Any], file: Path, size: tuple[int, int]) -> Annotation:
    try:
        found = _instances_in_picture(_parse_results(rows, size), file)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, csv.Error) as error:
        why = f"{type(error).__name__}: {error}"
        raise UsageError(f"annotation {file} is malformed: {why:.200}") from None
    return Annotation(tuple(dict.fromkeys(one.label for one in found)), found)


def _parse_coco(
    data: Mapping[str, Any], file: Path, picture: str, size: tuple[int, int]
) -> Annotation:
    names = {one["id"]: str(one["name"]) for one in data["categories"]}
    images = data.get("images", [])
    mine = {one["id"] for one in images if Path(str(one["file_name"])).name == picture}
    if images and not mine:
        raise UsageError(
            f"annotation {file} does not contain {picture}; it contains "
            f"{', '.join(str(one['file_name']) for one in images[:3])}"
            f"{' …' if len(images) > 3 else ''}"
        )
    found = _parse_coco_boxes(data["annotations"], names, mine, size)
    return Annotation(tuple(names.values()), _instances_in_picture(found, file))


def _parse_coco_boxes(
    rows: Sequence[Mapping[str, Any]],
    names: Mapping[Any, str],
    mine: Collection[Any],
    size: tuple[int, int],
) -> Iterator[Instance | None]:
    for one in rows:
        if mine and one.get("image_id") not in mine:
            continue
        x, y, wide, high = (_parse_number(value) for value in one["bbox"])
        corners = (x, y, x + wide, y + high)
        score = _parse_score(one.get("score", 1.0))
        outline = one.get("segmentation")
        yield _make_instance(names[one["category_id"]], corners, score, size, outline)


def _parse_results(
    data: Iterable[Mapping[str, Any]], size: tuple[int, int]
) -> Iterator[Instance | None]:
    for one in data:
        if "x_min" in one:  # supervision leaves unknown values empty
            keys, box, name = ("x_min", "y_min", "x_max", "y_max"), one, "class_name"
        else:
            keys, box, name = ("x1", "y1", "x2", "y2"), one["box"], "name"
        corners = tuple(_parse_number(box[key]) for key in keys)
        sure = one.get("confidence", 1.0)
        score = 1.0 if sure == "" else _parse_score(sure)
        yield _make_instance(str(one[name]), corners, score, size, None)


def _parse_yolo(text: str, file: Path, size: tuple[int, int]) -> Annotation:
    listed = file.with_name("classes.txt")
    if not listed.is_file():
        raise UsageError(
            f"annotation {file} numbers its classes; put their names, one per line, into {listed}"
        )
    names = tuple(filter(None, map(str.strip, _read_text(listed).splitlines())))
    return Annotation(
        names, _instances_in_picture(_parse_yolo_lines(text, file, names, size), file)
    )


def _parse_yolo_lines(
    text: str, file: Path, names: tuple[str, ...], size: tuple[int, int]
) -> Iterator[Instance | None]:
    high, wide = size
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if not words:
            continue
        try:
            kind, values = _parse_yolo_line(words, len(names))
        except ValueError as error:
            raise UsageError(
                f"annotation {file}:{number}: {error}; expected: class x y width height [score], "
                "as fractions of the picture size"
            ) from None
        if len(values) in (4, 5):
            x, y, w, h = values[0] * wide, values[1] * high, values[2] * wide, values[3] * high
            corners, outline = (x - w / 2, y - h / 2, x + w / 2, y + h / 2), None
            score = _parse_score(values[4]) if len(values) == 5 else 1.0
        else:
            points = np.reshape(values, (-1, 2)) * (wide, high)
            corners = (*points.min(axis=0), *points.max(axis=0))
            outline, score = [points.ravel().tolist()], 1.0
        yield _make_instance(names[kind], corners, score, size, outline)


def _parse_yolo_line(words: Sequence[str], classes: int) -> tuple[int, list[float]]:
    """Return the index of the class and the further numbers of a line.

    Raises:
        ValueError: If the format of the line is invalid.
    """
    kind, values = int(words[0]), [_parse_number(word) for word in words[1:]]
    if not 0 <= kind < classes:
        raise ValueError(f"class {kind}, but there are only {classes} classes")
    if len(values) not in (4, 5) and (len(values) < 6 or len(values) % 2):
        raise ValueError(f"{len(words)} values")
    return kind, values


def _make_instance(
    label: str, corners: tuple[float, ...], score: float, size: tuple[int, int], outline: Any
) -> Instance | None:
    box = to_pixel_box(corners, size)
    if box is None:  # entirely outside the picture
        return None
    return Instance(label, box, score, "annotation", _make_mask(outline, box))


def _make_mask(outline: Any, box: tuple[int, int, int, int]) -> Mask | None:
    """Return a mask of the pixels inside the polygons; None if `outline` is not a list of them."""
    if not isinstance(outline, list) or not outline:
        return None
    canvas = np.zeros((box[3] - box[1], box[2] - box[0]), np.uint8)
    for polygon in outline:
        points = np.reshape([_parse_number(value) for value in polygon], (-1, 2)) - (box[0], box[1])
        cv2.fillPoly(canvas, [np.round(points).astype(np.int32)], 1)
    return np.asarray(canvas, bool) if canvas.any() else None


def _parse_number(value: Any) -> float:
    number = float(value)
    if isinstance(value, bool) or not math.isfinite(number) or abs(number) > 1e6:
        raise ValueError(f"{value!r} is not a position in a picture")
    return number


def _parse_score(value: Any) -> float:
    number = float(value)
    if not 0 <= number <= 1:
        raise ValueError(f"score {value!r} is not within 0..1")
    return number
