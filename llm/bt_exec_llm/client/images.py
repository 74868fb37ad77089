"""Conversion of camera frames to pictures in a prompt."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bt_exec_llm.client.model_interface import Image

__all__ = ["LONGEST_SIDE", "image_block"]

LONGEST_SIDE = 1024
"""Maximum side length of a picture [px]; larger pictures are scaled down to save tokens."""


def image_block(frame: NDArray[np.uint8], *, quality: int = 85) -> Image:
    """Return a frame as a JPEG for a prompt, scaled down if it is large.

    Args:
        frame: RGB, shape (height, width, 3).
        quality: JPEG quality, 1 to 100.

    Raises:
        ValueError: If `frame` is not an RGB array.
    """
    import cv2  # imported lazily, since few prompts have pictures

    if frame.dtype != np.uint8 or frame.ndim != 3 or frame.shape[2] != 3 or not frame.size:
        raise ValueError(
            f"a frame must be uint8 of shape (height, width, 3), not {frame.dtype} {frame.shape}"
        )
    height, width = frame.shape[:2]
    longest = max(height, width)
    picture: Any = frame
    if longest > LONGEST_SIDE:
        scale = LONGEST_SIDE / longest
        size = (max(1, round(width * scale)), max(1, round(height * scale)))
        picture = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
    done, coded = cv2.imencode(
        ".jpg", cv2.cvtColor(picture, cv2.COLOR_RGB2BGR), [cv2.IMWRITE_JPEG_QUALITY, quality]
    )
    assert done
    return Image(base64.b64encode(coded.tobytes()).decode("ascii"), "image/jpeg")
