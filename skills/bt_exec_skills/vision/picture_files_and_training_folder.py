"""Reading and writing of pictures, and reservation of training folders."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from bt_exec.failure import UsageError
from bt_exec.files import write_text_atomically
from bt_exec_skills.perception.pictures_and_boxes import Frame

__all__ = ["REPORT", "claim_folder", "read_image", "save_picture"]


def read_image(file: Path) -> Frame:
    """Return the picture in `file` as RGB.

    Raises:
        UsageError: If the file is not a readable picture.
    """
    if not file.exists():
        raise UsageError(f"{file}: picture not found")
    found = cv2.imread(str(file), cv2.IMREAD_COLOR) if file.is_file() else None
    if found is None:
        raise UsageError(f"{file} is not a readable picture (PNG, JPEG, BMP, WebP)")
    return np.asarray(cv2.cvtColor(found, cv2.COLOR_BGR2RGB), np.uint8)


def save_picture(file: Path, picture: Frame) -> None:
    """Write a picture in the format of its file name extension.

    Raises:
        UsageError: If the file cannot be written.
    """
    if file.is_dir() or not cv2.haveImageWriter(str(file)):
        raise UsageError(
            f"{file} cannot be written: its name must end in .png or another picture suffix"
        )
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        written = cv2.imwrite(str(file), cv2.cvtColor(picture, cv2.COLOR_RGB2BGR))
    except (OSError, cv2.error) as error:
        raise UsageError(f"{file} cannot be written: {error}") from None
    if not written:
        raise UsageError(f"{file} cannot be written")


REPORT = "training.json"
"""File with the settings of a training and, after its end, the measurements."""


def claim_folder(out: Path, plan: Mapping[str, Any], finished: str) -> None:
    """Reserve the folder `out` for a training; it must be empty or contain the same training.

    Args:
        out: The folder; created if it is missing.
        plan: Description of the training as plain data, with ``dataset`` and ``settings``. The
            setting ``device`` may differ from the value in the folder.
        finished: Name of a file that exists only after the end of a training.

    Raises:
        UsageError: If the folder contains a finished training, a different training, or other
            files.
    """
    file = out / REPORT
    if (out / finished).exists():
        raise UsageError(f"{out} contains finished weights already; choose another folder")
    if file.is_file():
        found, asked = json.loads(file.read_text(encoding="utf-8")), json.loads(json.dumps(plan))
        other = [
            f"{key}={found.get(part, {}).get(key)}"
            for part, values in asked.items()
            for key, value in values.items()
            if key != "device" and found.get(part, {}).get(key) != value
        ]
        if other:
            raise UsageError(
                f"{out} contains the beginning of a training with {', '.join(other)}; "
                "choose another folder"
            )
    elif out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(f"{out} is not empty and contains no training; choose another folder")
    out.mkdir(parents=True, exist_ok=True)
    write_text_atomically(file, json.dumps(plan, indent=2) + "\n")
