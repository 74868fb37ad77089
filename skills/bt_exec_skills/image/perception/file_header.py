"""Format and size of a picture from its file header, without decoding the picture."""

from __future__ import annotations

from io import BytesIO
from typing import NamedTuple

from PIL import Image

__all__ = ["Header", "parse_header"]

_STARTS = (
    ("png", b"\x89PNG\r\n\x1a\n"),
    ("jpeg", b"\xff\xd8\xff"),
    ("bmp", b"BM"),
    ("webp", b"RIFF"),
    ("tiff", b"II*\0"),
    ("tiff", b"MM\0*"),
)
_HEIC = (b"ftypheic", b"ftypheix", b"ftyphevc", b"ftypmif1", b"ftypavif")
# Other data may follow these markers, such as the video of a motion photo or data of an editor.
_ENDS = {"png": b"\0\0\0\0IEND\xaeB`\x82", "jpeg": b"\xff\xd9"}


class Header(NamedTuple):
    """Content of a file header.

    Attributes:
        kind: Format: ``png``, ``jpeg``, ``bmp``, ``webp``, ``tiff``; ``heic`` for HEIC and AVIF,
            which are not supported; empty if the file is not a picture.
        width: Width [px]; 0 if unknown.
        height: Height [px]; 0 if unknown.
        whole: Whether the file is complete, as far as the format indicates that.
    """

    kind: str
    width: int = 0
    height: int = 0
    whole: bool = True


def parse_header(data: bytes) -> Header:
    """Return the format and size of a picture; the size is 0 if the header is damaged."""
    kind = next((kind for kind, start in _STARTS if data.startswith(start)), "")
    if data[4:12] in _HEIC:
        kind = "heic"
    if kind in ("", "heic"):
        return Header(kind)
    Image.init()
    try:  # `Image.open` would refuse large pictures
        width, height = Image.OPEN[kind.upper()][0](BytesIO(data), "").size
    except Exception:  # noqa: BLE001 - damaged headers raise anything
        return Header(kind, whole=False)
    if kind == "webp":
        whole = len(data) >= int.from_bytes(data[4:8], "little") + 8
    else:
        whole = _ENDS.get(kind, b"") in data
    return Header(kind, width, height, whole)
