"""COCO export: one JSON with images, categories and boxes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bt_exec.files import write_whole
from bt_exec_skills.vision.sample import Picture

__all__ = ["write_coco"]


def write_coco(file: Path, pictures: Sequence[Picture], classes: Sequence[str]) -> None:
    """Write `pictures` as COCO object detection: boxes ``[x, y, width, height]``, ids from 1."""
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
    write_whole(file, json.dumps(whole) + "\n")
