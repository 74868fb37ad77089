"""Reader for video files with actions in a second file: ``run.mp4``, ``run.actions.jsonl``.

The times of frames come from the video. Frames are decoded on demand.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np

from bt_exec.failure import UsageError
from bt_exec_labeler.episode import (
    Action,
    Episode,
    Flaw,
    Image,
    file_digest,
    order_frames,
    printable_name,
)
from bt_exec_labeler.sources.json_lines_parser import read_actions

__all__ = ["KEPT", "read_video"]

KEPT = 64
"""Number of decoded pictures in the cache: a clip has 8, and a few clips are shown together."""

_GAP_S = 1.0


@dataclass(frozen=True, slots=True)
class VideoFrame:
    """Frame of a video."""

    t: float
    path: Path
    number: int

    @property
    def name(self) -> str:
        """File name and number of the frame, from 0."""
        return f"{printable_name(self.path)}#{self.number}"

    def image(self) -> Image:
        """Implement `bt_exec_labeler.episode.Frame.image`."""
        return _decode_video_frame(self.path, self.number)

    def digest(self) -> str:
        """Implement `Frame.digest`; depends on the whole video file."""
        return f"{file_digest(self.path)}#{self.number}"


@lru_cache(maxsize=KEPT)
def _decode_video_frame(path: Path, number: int) -> Image:
    """Return a frame of a video; cached, because successive clips overlap."""
    video = cv2.VideoCapture(str(path))
    try:
        video.set(cv2.CAP_PROP_POS_FRAMES, number)
        good, found = video.read()
    finally:
        video.release()
    if not good:
        raise ValueError(f"{path.name}#{number} is damaged")
    return np.ascontiguousarray(found[:, :, ::-1], np.uint8)


def read_video(path: Path) -> Iterator[Episode]:
    """Yield the only episode of a video.

    Raises:
        UsageError: If OpenCV cannot read the file as a video.
        SpecError: If a line of its actions is invalid.
    """
    frames = _list_frames(path)
    beside = path.with_suffix(".actions.jsonl")
    actions: tuple[Action, ...] = ()
    late: tuple[Flaw, ...] = (
        Flaw("no_actions", beside.name, "is missing; nothing can be labelled"),
    )
    if beside.is_file():
        actions, late = read_actions(beside)
    in_order, flaws, doubts = order_frames(list(frames), _GAP_S)
    yield Episode(
        printable_name(path).removesuffix(path.suffix),
        in_order,
        actions,
        origin={"video": str(path)},
        flaws=(*flaws, *late),
        doubts=doubts,
    )


def _list_frames(path: Path) -> list[VideoFrame]:
    """Return the frames of a video without decoding them."""
    video = cv2.VideoCapture(str(path))
    frames: list[VideoFrame] = []
    try:
        while video.grab():
            at = video.get(cv2.CAP_PROP_POS_MSEC) / 1000
            frames.append(VideoFrame(at, path, len(frames)))
    finally:
        video.release()
    if not frames:
        raise UsageError(f"{path} is not a readable video")
    return frames
