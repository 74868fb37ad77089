"""Loading of pictures as upright 8-bit RGB without alpha.

Damaged files, unsupported formats, and pictures so large that they would fill the memory are
refused before they are decoded.
"""

from __future__ import annotations

import base64
from pathlib import Path

import cv2
import numpy as np

from bt_exec.failure import UsageError
from bt_exec.files import expand_home, file_errors
from bt_exec_skills.image.perception.file_header import parse_header
from bt_exec_skills.perception.pictures_and_boxes import Frame

__all__ = ["MODEL_SIDE", "MOST_PIXELS", "encode_for_model", "load_picture"]

MOST_PIXELS = 64_000_000
"""Maximum number of pixels of a picture (192 MB when decoded)."""
MOST_BYTES = 128_000_000
MODEL_SIDE = 1024
"""Maximum side of a picture that is sent to a model [px]; tools use the full size."""

_READ = "PNG, JPEG, WebP, TIFF, BMP"


def load_picture(path: str | Path) -> Frame:
    """Return the picture in a file, RGB, uint8, shape (height, width, 3).

    The picture is rotated according to EXIF. Transparent parts become white, and 16 bit, grey and
    CMYK are converted.

    Raises:
        UsageError: If the file does not exist or is not a readable picture.
    """
    file = expand_home(path)
    with file_errors(f"picture {file}", "read"):
        data = _read_picture_file(file)
    head = parse_header(data)
    if head.kind == "heic":
        raise UsageError(
            f"picture {file} is HEIC or AVIF, which is not read here; save it as JPEG or PNG, "
            "for instance with: heif-convert IN.heic OUT.jpg"
        )
    if not head.kind:
        raise UsageError(f"{file} is not a readable picture; allowed: {_READ}")
    if not head.width or not head.height or not head.whole:
        raise UsageError(f"picture {file} is broken: its {head.kind.upper()} data is incomplete")
    if head.width * head.height > MOST_PIXELS:
        raise UsageError(
            f"picture {file} is {head.width} x {head.height} px, more than "
            f"{MOST_PIXELS / 1e6:.0f} megapixels; make it smaller first"
        )
    # IMREAD_COLOR applies the EXIF rotation and reads CMYK, but drops alpha and 16-bit depth.
    flag = cv2.IMREAD_COLOR if head.kind == "jpeg" else cv2.IMREAD_UNCHANGED
    try:
        pixels = cv2.imdecode(np.frombuffer(data, np.uint8), flag)
    except cv2.error as error:
        raise UsageError(f"picture {file} is broken: {error.err}") from None
    if pixels is None:
        raise UsageError(f"picture {file} is broken: its {head.kind.upper()} data cannot be read")
    return _to_rgb(np.asarray(pixels), file)


def _read_picture_file(file: Path) -> bytes:
    if file.is_dir():
        raise UsageError(f"picture {file} is a folder; name one picture")
    if not file.exists():
        raise UsageError(f"picture {file} does not exist")
    if not file.is_file():
        raise UsageError(f"picture {file} is not a file but a pipe or a device; pipe it to -")
    if (size := file.stat().st_size) > MOST_BYTES:
        raise UsageError(
            f"picture {file} is {size / 1e6:.0f} MB; the limit is {MOST_BYTES / 1e6:.0f} MB"
        )
    return file.read_bytes()


def _to_rgb(pixels: np.ndarray[tuple[int, ...], np.dtype[np.generic]], file: Path) -> Frame:
    if pixels.dtype == np.uint16:
        pixels = np.asarray(np.round(pixels.astype(np.float32) / 257), np.uint8)
    if pixels.dtype != np.uint8:
        raise UsageError(f"picture {file} has values of {pixels.dtype}; allowed: 8 and 16 bit")
    if pixels.ndim == 2:
        pixels = pixels[..., None]
    colours, alpha = pixels[..., :3], None
    if pixels.shape[2] in (2, 4):
        alpha = np.asarray(pixels[..., -1:], np.float32) / 255
        colours = pixels[..., : pixels.shape[2] - 1]
    if colours.shape[2] == 1:
        colours = np.repeat(colours, 3, axis=2)
    if alpha is not None:
        colours = np.asarray(np.round(np.asarray(colours, np.float32) * alpha + 255 * (1 - alpha)))
    return np.ascontiguousarray(colours[..., ::-1].astype(np.uint8))


def encode_for_model(picture: Frame, side: int = MODEL_SIDE) -> str:
    """Return a picture as JPEG in base64, reduced to at most `side` [px]."""
    longest = max(picture.shape[:2])
    if longest > side:
        size = tuple(max(1, round(length * side / longest)) for length in picture.shape[1::-1])
        picture = np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)
    good, data = cv2.imencode(".jpg", picture[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, 85])
    assert good
    return base64.b64encode(data.tobytes()).decode()
