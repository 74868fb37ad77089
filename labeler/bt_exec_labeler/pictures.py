"""Cache of decoded frames, by content.

Successive clips share most of their frames: each frame is decoded once.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache

from bt_exec_labeler.episode import Frame, Image

__all__ = ["Stored", "picture", "pixel_digest", "shape_of", "why_unreadable"]

_DECODED = 96  # 90 MB of pictures of 640 x 480 px
_DIGESTS = 65_536


class Stored:
    """Frame that equals any other with the same encoded content."""

    __slots__ = ("content", "frame")

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.content = frame.digest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stored) and other.content == self.content

    def __hash__(self) -> int:
        return hash(self.content)


def picture(frame: Frame) -> Image:
    """Return the picture of a frame; it must not be changed.

    Raises:
        ValueError: If it is damaged.
        OSError: If it cannot be read.
    """
    return _decoded(Stored(frame))


def pixel_digest(frame: Frame) -> str:
    """Return the SHA-256 of the decoded pixels of a frame.

    Raises:
        ValueError: If it is damaged.
        OSError: If it cannot be read.
    """
    return _pixels(Stored(frame))[0]


def shape_of(frame: Frame) -> tuple[int, ...]:
    """Return height, width [px] and channels of a frame; empty if it cannot be decoded."""
    return () if why_unreadable(frame) else _pixels(Stored(frame))[1]


def why_unreadable(frame: Frame) -> str:
    """Return why a frame cannot be decoded, or an empty string."""
    try:
        pixel_digest(frame)
    except (OSError, ValueError) as error:
        return str(error) or type(error).__name__
    return ""


@lru_cache(maxsize=_DECODED)
def _decoded(key: Stored) -> Image:
    return key.frame.image()


@lru_cache(maxsize=_DIGESTS)
def _pixels(key: Stored) -> tuple[str, tuple[int, ...]]:
    """Return the digest of the pixels of a frame, and its shape."""
    image = _decoded(key)
    digest = hashlib.sha256(f"{image.shape}".encode() + image.tobytes()).hexdigest()
    return digest, image.shape
