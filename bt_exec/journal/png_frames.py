"""Frames as lossless PNG files, written by a worker with numpy and zlib only.

A frame that arrives while eight others are waiting is dropped and counted; the loop never waits. At
640 x 480 the worker takes about 20 ms a frame, nearly all of it outside the GIL. Pillow takes two
to three times as long, because its choice of filters cannot be switched off.
"""

from __future__ import annotations

import contextlib
import queue
import struct
import threading
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bt_exec.files import atomic_replacement
from bt_exec.language.messages import executive_sentence

__all__ = ["FrameStore", "png_of", "read_png", "write_png"]

_MAGIC = b"\x89PNG\r\n\x1a\n"
_COLOURS = {1: 0, 3: 2, 4: 6}  # channels → PNG colour type: grey, RGB, RGBA
_UP = 2  # PNG filter type: each row minus the row above
_WAITING = 8  # maximum number of frames in the queue
_CLOSE_S = 5.0  # time limit for writing the queued frames at the end [s]


def png_of(frame: NDArray[np.uint8]) -> bytes:
    """Return a picture, uint8 of shape (h, w), (h, w, 3) RGB or (h, w, 4) RGBA, as a PNG file.

    Raises:
        ValueError: If it has a different type or shape.
    """
    shaped = frame[..., None] if frame.ndim == 2 else frame
    if frame.dtype != np.uint8 or shaped.ndim != 3 or shaped.shape[2] not in _COLOURS:
        raise ValueError(f"a frame must be uint8 (h, w, 3), not {frame.dtype} {frame.shape}")
    height, width, channels = shaped.shape
    if not height or not width:
        raise ValueError(f"a frame must not be empty; its shape is {frame.shape}")
    rows = np.empty((height, 1 + width * channels), np.uint8)
    rows[:, 0] = _UP
    flat = shaped.reshape(height, -1)
    rows[0, 1:] = flat[0]
    np.subtract(flat[1:], flat[:-1], out=rows[1:, 1:])
    header = struct.pack(">IIBBBBB", width, height, 8, _COLOURS[channels], 0, 0, 0)
    parts = (_chunk(b"IHDR", header), _chunk(b"IDAT", zlib.compress(rows.data, 1)))
    return b"".join((_MAGIC, *parts, _chunk(b"IEND", b"")))


def write_png(path: Path, frame: NDArray[np.uint8]) -> None:
    """Write a picture as a PNG file atomically; see `png_of`.

    Raises:
        ValueError: If it has a different type or shape.
        OSError: If it cannot be written.
    """
    data = png_of(frame)
    with atomic_replacement(path) as part:
        part.write_bytes(data)


def read_png(path: Path) -> NDArray[np.uint8]:
    """Read a picture that `write_png` wrote.

    Raises:
        ValueError: If another program wrote it; other PNG filters are not supported.
        OSError: If it cannot be read.
    """
    data = path.read_bytes()
    chunks: dict[bytes, bytes] = {}
    at = len(_MAGIC)
    while data.startswith(_MAGIC) and at + 8 <= len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        chunks[kind] = data[at + 8 : at + 8 + size]
        at += size + 12
    try:
        width, height, depth, colour, *_ = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
        channels = {kind: count for count, kind in _COLOURS.items()}[colour]
        raw = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8)
        rows = raw.reshape(height, 1 + width * channels)
    except (KeyError, struct.error, zlib.error, ValueError) as error:
        raise ValueError(f"{path} is not a frame of a journal: {error!r}") from error
    if depth != 8 or (rows[:, 0] != _UP).any():
        raise ValueError(f"{path} is not a frame of a journal: another kind of PNG")
    picture = np.add.accumulate(rows[:, 1:], axis=0, dtype=np.uint8)
    return picture.reshape((height, width, channels) if channels > 1 else (height, width))


def _chunk(kind: bytes, body: bytes) -> bytes:
    """Return a PNG chunk: size, kind, body, checksum."""
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


class FrameStore:
    """Writer of one mission's frames into a folder.

    Args:
        folder: Destination; created with the first frame.
        tell: Called once with a message, on the worker, if a frame cannot be written.
        language: Language of the message.

    Attributes:
        kept: Number of frames written.
    """

    def __init__(self, folder: Path, tell: Callable[[str], None], language: str = "en") -> None:
        self.folder = folder
        self.kept = 0
        self._crowded = 0  # written by the threads that call `offer`
        self._failed = 0  # written by the worker
        self._tell = tell
        self._language = language
        self._reported = False
        self._waiting: queue.Queue[tuple[Path, Any] | None] = queue.Queue(_WAITING)
        self._worker = threading.Thread(
            target=self._write_queued_frames, name="journal-frames", daemon=True
        )
        self._worker.start()

    @property
    def dropped(self) -> int:
        """Number of frames that were not written: queue full, not a picture, or no disk space."""
        return self._crowded + self._failed

    def offer(self, number: int, frame: Any) -> str | None:
        """Queue a frame; return the name of its file, or None if the queue is full. Never waits."""
        name = f"{number:06d}.png"
        try:
            self._waiting.put_nowait((self.folder / name, frame))
        except queue.Full:
            self._crowded += 1
            return None
        return name

    def close(self) -> None:
        """Write the queued frames, then end the worker; give up if the disk hangs."""
        with contextlib.suppress(queue.Full):
            self._waiting.put(None, timeout=_CLOSE_S)
            self._worker.join(_CLOSE_S)

    def _write_queued_frames(self) -> None:
        while (item := self._waiting.get()) is not None:
            path, frame = item
            try:
                self.folder.mkdir(0o700, parents=True, exist_ok=True)
                write_png(path, np.asarray(frame))
            except Exception as error:  # noqa: BLE001 - a pack's frame, or a full disk
                self._failed += 1
                if not self._reported:
                    self._reported = True
                    facts = {"path": self.folder, "problem": str(error)}
                    self._tell(executive_sentence("FRAME_NOT_KEPT", self._language, **facts))
            else:
                self.kept += 1
