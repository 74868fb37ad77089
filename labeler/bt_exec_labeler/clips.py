"""Clips: the frames of an episode that a labeler sees at a moment, decoded once.

The *recent* clip has 8 frames up to the moment, 2 per second. The *summary* clip covers the last 60
seconds with one frame every 2 seconds. Each slot of a clip has a time and takes the newest frame
that is not later than this time and less than one step older. A slot without such a frame is left
out and recorded, so clips at the beginning of an episode are shorter and not padded.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from bt_exec_labeler.episode import Episode, Frame, Image

__all__ = [
    "RECENT",
    "SUMMARY",
    "Clip",
    "ClipForm",
    "Stored",
    "cut_clip",
    "decode_frame",
    "pixel_digest",
    "shape_of",
    "why_unreadable",
]


_DECODED = 96  # maximum number of cached pictures: 90 MB at 640 x 480 px
_DIGESTS = 65_536


class Stored:
    """Cache key of a frame; frames with the same encoded content have equal keys."""

    __slots__ = ("content", "frame")

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.content = frame.digest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stored) and other.content == self.content

    def __hash__(self) -> int:
        return hash(self.content)


def decode_frame(frame: Frame) -> Image:
    """Return the picture of a frame, which the caller must not modify.

    Raises:
        ValueError: If the frame is damaged.
        OSError: If the frame cannot be read.
    """
    return _decoded(Stored(frame))


def pixel_digest(frame: Frame) -> str:
    """Return the SHA-256 of the decoded pixels of a frame.

    Raises:
        ValueError: If the frame is damaged.
        OSError: If the frame cannot be read.
    """
    return _pixel_digest_and_shape(Stored(frame))[0]


def shape_of(frame: Frame) -> tuple[int, ...]:
    """Return the shape (height, width, channels) of a frame; empty if it cannot be decoded."""
    return () if why_unreadable(frame) else _pixel_digest_and_shape(Stored(frame))[1]


def why_unreadable(frame: Frame) -> str:
    """Return the reason why a frame cannot be decoded, or an empty string."""
    try:
        pixel_digest(frame)
    except (OSError, ValueError) as error:
        return str(error) or type(error).__name__
    return ""


@lru_cache(maxsize=_DECODED)
def _decoded(key: Stored) -> Image:
    return key.frame.image()


@lru_cache(maxsize=_DIGESTS)
def _pixel_digest_and_shape(key: Stored) -> tuple[str, tuple[int, ...]]:
    """Return the digest of a frame's pixels and the frame's shape."""
    image = _decoded(key)
    digest = hashlib.sha256(f"{image.shape}".encode() + image.tobytes()).hexdigest()
    return digest, image.shape


_EARLY_S = 1e-6  # tolerance of frame times, which are floats


@dataclass(frozen=True, slots=True)
class ClipForm:
    """Format of clips.

    Attributes:
        name: ``recent`` or ``summary``.
        count: Number of slots, including empty ones.
        step_s: Interval between consecutive slots [s].
    """

    name: str
    count: int
    step_s: float


RECENT = ClipForm("recent", 8, 0.5)
"""8 frames at intervals of 0.5 s; the last one is at the moment."""

SUMMARY = ClipForm("summary", 30, 2.0)
"""30 frames at intervals of 2 s; the last one is at the moment."""


@dataclass(frozen=True)
class Clip:
    """Frames up to a moment, oldest first.

    Attributes:
        form: Number and spacing of the frames.
        t: The moment [s since the episode began].
        frames: Frames of the slots that have one.
        before_start: Number of slots before the first frame of the episode.
        empty_s: Times [s] of the other empty slots, which are gaps in the recording.
        damaged: Error message of each frame that was dropped because it cannot be decoded.
    """

    form: ClipForm
    t: float
    frames: tuple[Frame, ...]
    before_start: int = 0
    empty_s: tuple[float, ...] = ()
    damaged: tuple[str, ...] = ()

    @property
    def start_s(self) -> float:
        """Time of the first slot [s since the episode began]."""
        return self.t - self.form.step_s * (self.form.count - 1)

    def digest(self) -> str:
        """Return the SHA-256 of the frames' pixels and their times relative to the moment.

        Raises:
            ValueError: If a frame is damaged.
            OSError: If a frame cannot be read.
        """
        content = hashlib.sha256(f"{self.form.name} {self.form.step_s:g}".encode())
        for frame in self.frames:
            content.update(f"{frame.t - self.t:.3f} {pixel_digest(frame)}".encode())
        return content.hexdigest()

    def without_damaged_frames(self) -> Clip:
        """Return the clip without undecodable frames; `damaged` contains their errors."""
        wrong = {frame: why for frame in self.frames if (why := why_unreadable(frame))}
        if not wrong:
            return self
        kept = tuple(frame for frame in self.frames if frame not in wrong)
        return replace(self, frames=kept, damaged=tuple(dict.fromkeys(wrong.values())))

    def frame_digests(self) -> list[tuple[str, float]]:
        """Return the digest of each encoded frame, with its time relative to the moment [s]."""
        return [(_digest(frame), round(frame.t - self.t, 3)) for frame in self.frames]


def _digest(frame: Frame) -> str:
    try:
        return frame.digest()
    except (OSError, ValueError) as error:
        return f"unreadable: {type(error).__name__}"


def cut_clip(episode: Episode, t: float, form: ClipForm) -> Clip:
    """Return the clip of an episode at a moment.

    Args:
        episode: Episode with its frames in chronological order.
        t: The moment [s since the episode began].
        form: `RECENT` or `SUMMARY`.
    """
    times = episode.times
    first = times[0] if times else float("inf")
    frames: list[Frame] = []
    early, empty = 0, []
    for place in _frame_times(t, form):
        found = bisect_right(times, place + _EARLY_S) - 1
        if place + _EARLY_S < first:
            early += 1
        elif place - times[found] >= form.step_s - _EARLY_S:
            empty.append(round(place, 3))
        else:
            frames.append(episode.frames[found])
    return Clip(form, t, tuple(frames), early, tuple(empty))


def _frame_times(t: float, form: ClipForm) -> Sequence[float]:
    """Return the times [s] of a clip's slots, oldest first."""
    return [t - form.step_s * back for back in reversed(range(form.count))]
