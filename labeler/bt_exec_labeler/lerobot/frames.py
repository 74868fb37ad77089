"""Frames of LeRobot data sets, stored in a Parquet file or in a video."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from bt_exec.batch.optional_pyarrow import MissingExtraError, import_pyarrow
from bt_exec_labeler.episode import Image, decode_picture, file_digest
from bt_exec_labeler.sources.video import KEPT

__all__ = ["CodedFrame", "StoredFrame", "import_av"]


@dataclass(frozen=True, slots=True)
class StoredFrame:
    """Frame in a row of a Parquet file.

    Attributes:
        t: Time [s since the start of the episode].
        path: The file.
        column: Column of the camera.
        group: Row group of the file.
        row: Row in the group.
    """

    t: float
    path: Path
    column: str
    group: int
    row: int

    @property
    def name(self) -> str:
        """File name, row group and row."""
        return f"{self.path.name}#{self.group}.{self.row}"

    def image(self) -> Image:
        """Implement `bt_exec_labeler.episode.Frame.image`."""
        return decode_picture(self._encoded_picture(), self.name)

    def digest(self) -> str:
        """Implement `bt_exec_labeler.episode.Frame.digest`."""
        return hashlib.sha256(self._encoded_picture()).hexdigest()

    def _encoded_picture(self) -> bytes:
        stored = _camera_pictures(self.path, self.group, self.column)[self.row].as_py()
        coded = stored.get("bytes") if isinstance(stored, dict) else None
        return coded if isinstance(coded, bytes) else b""


@lru_cache(maxsize=4)
def _camera_pictures(path: Path, group: int, column: str) -> Any:
    """Return the pictures of a camera in a row group; the last few groups are cached."""
    _, parquet = import_pyarrow()
    with parquet.ParquetFile(path) as file:
        return file.read_row_group(group, columns=[column])[column].combine_chunks()


@dataclass(frozen=True, slots=True)
class CodedFrame:
    """Frame of a video that may contain several episodes, in any codec that PyAV supports.

    LeRobot uses AV1 by default, which OpenCV cannot decode everywhere.

    Attributes:
        t: Time [s since the start of the episode].
        path: The video.
        at: Time from the start of the video [s].
        fps: Frames per second of the video.
    """

    t: float
    path: Path
    at: float
    fps: float

    @property
    def name(self) -> str:
        """File name and time in the video."""
        return f"{self.path.name}@{self.at:g}"

    def image(self) -> Image:
        """Implement `bt_exec_labeler.episode.Frame.image`."""
        return _decode_video_frame(self.path, self.at, self.fps)

    def digest(self) -> str:
        """Implement `bt_exec_labeler.episode.Frame.digest`; depends on the whole video file."""
        return f"{file_digest(self.path)}@{self.at:.6f}"


@lru_cache(maxsize=KEPT)
def _decode_video_frame(path: Path, at: float, fps: float) -> Image:
    """Return the picture of a video at a time [s]; cached, because successive clips overlap."""
    av, name = import_av(), f"{path.name}@{at:g}"
    try:
        with av.open(str(path)) as video:
            if not video.streams.video:
                raise ValueError(f"{name} is damaged: there is no picture in the file")
            stream = video.streams.video[0]
            video.seek(int(at / stream.time_base), stream=stream)  # seek to the previous key frame
            for frame in video.decode(stream):
                if frame.time is not None and frame.time > at - 0.5 / fps:
                    return np.ascontiguousarray(frame.to_ndarray(format="rgb24"), np.uint8)
    except av.FFmpegError as error:
        raise ValueError(f"{name} is damaged: {error}") from error
    raise ValueError(f"{name} is damaged: the video ends before this frame")


def import_av() -> Any:
    """Return the module PyAV, which reads videos.

    Raises:
        MissingExtraError: If it is not installed.
    """
    try:
        import av
    except ImportError:
        raise MissingExtraError(
            "videos of LeRobot data sets need PyAV: pip install 'bt-exec[lerobot]'"
        ) from None
    return av
