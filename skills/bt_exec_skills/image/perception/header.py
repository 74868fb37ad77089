"""Size of a picture from its file header, without decoding.

Formats: PNG (IHDR), JPEG (start of frame), BMP, WebP and TIFF (first directory), as defined by
their specifications. Sizes in a file never cause an allocation.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

__all__ = ["Header", "read_header"]

_SIZES = {256: "width", 257: "height"}  # tags of TIFF
# Data after the end is not part of the picture: the video of a motion photo, data of an editor.
_PNG_END, _JPEG_END = b"\0\0\0\0IEND\xaeB`\x82", b"\xff\xd9"


class Header(NamedTuple):
    """Content of a file header.

    Attributes:
        kind: ``png``, ``jpeg``, ``bmp``, ``webp``, ``tiff``; ``heic`` for HEIC and AVIF, which are
            not supported; empty if it is not a picture.
        width: [px], 0 if unknown.
        height: [px], 0 if unknown.
        whole: Whether the file is complete, as far as the format shows it.
    """

    kind: str
    width: int = 0
    height: int = 0
    whole: bool = True


def read_header(data: bytes) -> Header:
    """Return kind and size of a picture; the size is 0 if the header is damaged."""
    try:
        return _parse_header(data)
    except (struct.error, IndexError):
        return Header(_detect_format(data), whole=False)


def _detect_format(data: bytes) -> str:
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "png"
    if data.startswith(b"\xff\xd8\xff"):
        return "jpeg"
    if data.startswith(b"BM"):
        return "bmp"
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "webp"
    if data[:4] in (b"II*\0", b"MM\0*"):
        return "tiff"
    if data[4:8] == b"ftyp" and data[8:12] in (b"heic", b"heix", b"hevc", b"mif1", b"avif"):
        return "heic"
    return ""


def _parse_header(data: bytes) -> Header:
    kind = _detect_format(data)
    if kind == "png":
        width, height = struct.unpack_from(">II", data, 16)
        return Header(kind, width, height, _PNG_END in data)
    if kind == "jpeg":
        return _parse_jpeg(data)
    if kind == "bmp":
        width, height = struct.unpack_from("<ii", data, 18)
        return Header(kind, max(width, 0), abs(height))
    if kind == "webp":
        return _parse_webp(data)
    return _parse_tiff(data) if kind == "tiff" else Header(kind)


def _parse_jpeg(data: bytes) -> Header:
    place = 2
    while place + 9 < len(data):
        if data[place] != 0xFF:
            break
        marker = data[place + 1]
        if marker == 0xFF:  # padding
            place += 1
            continue
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack_from(">HH", data, place + 5)
            return Header("jpeg", width, height, data.find(_JPEG_END, place) >= 0)
        place += 2 + struct.unpack_from(">H", data, place + 2)[0]
    return Header("jpeg", whole=False)


def _parse_webp(data: bytes) -> Header:
    whole = len(data) >= struct.unpack_from("<I", data, 4)[0] + 8
    part = data[12:16]
    if part == b"VP8X":
        width = int.from_bytes(data[24:27], "little") + 1
        return Header("webp", width, int.from_bytes(data[27:30], "little") + 1, whole)
    if part == b"VP8L":
        bits = struct.unpack_from("<I", data, 21)[0]
        return Header("webp", (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1, whole)
    width, height = struct.unpack_from("<HH", data, 26)
    return Header("webp", width & 0x3FFF, height & 0x3FFF, whole)


def _parse_tiff(data: bytes) -> Header:
    order = "<" if data[:2] == b"II" else ">"
    start = struct.unpack_from(f"{order}I", data, 4)[0]
    found = {"width": 0, "height": 0}
    for number in range(struct.unpack_from(f"{order}H", data, start)[0]):
        place = start + 2 + 12 * number
        tag, kind = struct.unpack_from(f"{order}HH", data, place)
        if tag in _SIZES:
            form = "H" if kind == 3 else "I"
            found[_SIZES[tag]] = struct.unpack_from(f"{order}{form}", data, place + 8)[0]
    return Header("tiff", found["width"], found["height"])
