"""Drawing of text in pictures; Korean letters need OpenCV 5, earlier versions draw only ASCII."""

from __future__ import annotations

from functools import lru_cache

import cv2

from bt_exec_skills.perception.pictures_and_boxes import Frame

__all__ = ["draw_text", "text_size"]

Colour = tuple[int, int, int]

_PLAIN = cv2.FONT_HERSHEY_SIMPLEX
_PLAIN_PX = 33.0  # height of the plain font at scale 1


@lru_cache(maxsize=1)
def _font_face() -> cv2.FontFace | None:
    return cv2.FontFace("uni") if hasattr(cv2, "FontFace") else None


def draw_text(canvas: Frame, words: str, place: tuple[int, int], size: int, colour: Colour) -> None:
    """Draw a line of text in a picture.

    Args:
        canvas: The picture, which is changed.
        words: The text.
        place: Column and row of the left end of the base line [px].
        size: Height of the letters [px].
        colour: RGB.
    """
    face = _font_face()
    if face is not None:
        cv2.putText(canvas, words, place, colour, face, size)
        return
    scale = size / _PLAIN_PX
    cv2.putText(canvas, _ascii(words), place, _PLAIN, scale, colour, max(1, round(scale)), 16)


def text_size(words: str, size: int) -> tuple[int, int]:
    """Return the width of a text and its height above the base line [px]."""
    face = _font_face()
    if face is not None:
        _, top, wide, _ = cv2.getTextSize((0, 0), words, (0, 0), face, size)
        return int(wide), int(-top)
    (wide, high), _ = cv2.getTextSize(_ascii(words), _PLAIN, size / _PLAIN_PX, 1)
    return int(wide), int(high)


def _ascii(words: str) -> str:
    return words.replace("·", "|").encode("ascii", "ignore").decode()
