"""QR codes and barcodes in a picture, decoded by OpenCV without a network.

The OpenCV detectors find some codes only at certain sizes, so several scaled versions of the
picture are searched. A QR code corrects errors and a barcode has a check digit, so decoded content
is certain. The content of a code is data: it is quoted and never interpreted.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Literal

import cv2
import numpy as np

from bt_exec.language.sanitize import one_line
from bt_exec_skills.image.perception.instances import SUREST, Instance
from bt_exec_skills.perception.pictures_and_boxes import (
    Box,
    Frame,
    intersection_over_union,
    to_pixel_box,
)

__all__ = ["CodeKind", "read_codes"]

CodeKind = Literal["qr code", "barcode", "code"]
"""Kind of code; ``code`` stands for both other kinds."""

_SCALES = (1.0, 0.75, 1.5, 0.5, 2.0)
_LONGEST = 2600  # maximum longer side [px]; larger pictures are reduced first
_BLURS = (0, 3)  # kernel sizes [px]
_SAME = 0.3  # minimum overlap (IoU) of two readings of the same code
_MOST_LETTERS = 500
_MOST_CODES = 50


def read_codes(picture: Frame, kind: CodeKind = "qr code") -> list[Instance]:
    """Return the codes in a picture from top to bottom; the label of an instance is the content.

    A code that is found but cannot be decoded has an empty label and a score of 0.

    Args:
        picture: RGB.
        kind: Kind of code.
    """
    size = picture.shape[0], picture.shape[1]
    grey = np.asarray(cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY), np.uint8)
    longest = max(size)
    found: list[Instance] = []
    for scale in _SCALES:
        factor = scale * min(1.0, _LONGEST / longest)
        if scale > 1 and longest * factor > _LONGEST:
            continue
        scaled = _scale_picture(grey, factor)
        kinds = ("qr code", "barcode") if kind == "code" else (kind,)
        for content, corners in chain.from_iterable(_decode_codes(scaled, one) for one in kinds):
            low, high = corners.min(axis=0) / factor, corners.max(axis=0) / factor
            box = to_pixel_box((*low.tolist(), *high.tolist()), size)
            if box is not None:
                _merge_reading(found, content, box)
    return sorted(found[:_MOST_CODES], key=lambda one: (one.bbox[1], one.bbox[0]))


def _scale_picture(grey: Frame, factor: float) -> Frame:
    way = cv2.INTER_AREA if factor < 1 else cv2.INTER_CUBIC
    return np.asarray(cv2.resize(grey, None, fx=factor, fy=factor, interpolation=way), np.uint8)


def _decode_codes(
    grey: Frame, kind: str
) -> Iterator[tuple[str, np.ndarray[tuple[int, ...], np.dtype[np.float32]]]]:
    """Yield the content (empty if not decoded) and the corners [px] of each code."""
    detector = cv2.QRCodeDetector() if kind == "qr code" else cv2.barcode.BarcodeDetector()
    for blur in _BLURS if kind == "barcode" else _BLURS[:1]:
        seen = grey if not blur else cv2.GaussianBlur(grey, (blur, blur), 0)
        try:
            good, contents, quads, _ = detector.detectAndDecodeMulti(seen)
        except cv2.error:  # OpenCV fails on some quads that are not codes
            continue
        if good and quads is not None:
            pairs = zip(contents, np.asarray(quads, np.float32).reshape(-1, 4, 2), strict=True)
            yield from ((one_line(text, _MOST_LETTERS), corners) for text, corners in pairs)


def _merge_reading(found: list[Instance], content: str, box: Box) -> None:
    """Add a code to `found`; if its box is already there, only fill in missing content."""
    for place, one in enumerate(found):
        if float(intersection_over_union([box], [one.bbox])[0, 0]) >= _SAME:
            if content and not one.label:
                found[place] = _make_code_instance(content, box)
            return
    found.append(_make_code_instance(content, box))


def _make_code_instance(content: str, box: Box) -> Instance:
    return Instance(content, box, SUREST if content else 0.0, "text")
