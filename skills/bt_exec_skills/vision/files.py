"""Reading and writing of pictures with clear errors."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

from bt_exec.failure import UsageError
from bt_exec_skills.perception.picture import Frame

__all__ = ["read_image", "save_picture"]


def read_image(file: Path) -> Frame:
    """Return the picture in `file`, RGB.

    Raises:
        UsageError: If the file is not a readable picture.
    """
    if not file.exists():
        raise UsageError(f"{file}: picture not found")
    found = cv2.imread(str(file), cv2.IMREAD_COLOR) if file.is_file() else None
    if found is None:
        raise UsageError(f"{file}: no picture that can be read (PNG, JPEG, BMP, WebP)")
    return np.asarray(cv2.cvtColor(found, cv2.COLOR_BGR2RGB), np.uint8)


def save_picture(file: Path, picture: Frame) -> None:
    """Write a picture in the format of its file name extension.

    Raises:
        UsageError: If it cannot be written.
    """
    if file.is_dir() or not cv2.haveImageWriter(str(file)):
        raise UsageError(f"{file} cannot be written: name a picture, as seen.png or seen.jpg")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        written = cv2.imwrite(str(file), cv2.cvtColor(picture, cv2.COLOR_RGB2BGR))
    except (OSError, cv2.error) as error:
        raise UsageError(f"{file} cannot be written: {error}") from None
    if not written:
        raise UsageError(f"{file} cannot be written")
