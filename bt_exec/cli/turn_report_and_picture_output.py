"""Additional outputs of a mission: turn reports and frames."""

from __future__ import annotations

import contextlib
import errno
import queue
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any, TextIO

from bt_exec import events as ev
from bt_exec.cli.output_streams import program_stream, to_json
from bt_exec.failure import UsageError
from bt_exec.files import expand_home

__all__ = ["FrameWriter", "TurnReportWriter"]

_WAITING = 32  # maximum number of queued frames before the loop waits
_PATIENCE_S = 0.5  # time for which the loop waits for the disk once, before frames are dropped [s]
_CLOSE_S = 10.0  # time limit for writing the queued frames at the end [s]


class TurnReportWriter:
    """A listener that writes each turn report as a minified JSON object on one line.

    The mission continues if a report cannot be written; `close` raises the error.

    Args:
        where: A file, or ``-`` for standard output.

    Raises:
        UsageError: If the file cannot be written.
    """

    def __init__(self, where: str) -> None:
        self._where = where
        self._own: TextIO | None = None
        self._trouble: OSError | None = None
        if where != "-":
            try:
                self._own = expand_home(where).open("w", encoding="utf-8")
            except OSError as error:
                raise UsageError(f"--turns {where}: {error.strerror}") from error

    def on(self, event: ev.Event) -> None:
        """Write the report of a turn."""
        if not isinstance(event, ev.Turn) or self._trouble is not None:
            return
        file = self._own or program_stream(sys.stdout)
        try:
            file.write(to_json(event.report, file=file) + "\n")
            file.flush()
        except OSError as error:
            self._trouble = error

    def close(self) -> None:
        """Close the file.

        Raises:
            OSError: If a report could not be written.
        """
        if self._own is not None:
            try:
                self._own.close()
            except OSError as error:  # raised when the buffer is written
                self._trouble = self._trouble or error
        if self._trouble is not None:
            self._trouble.filename = None if self._own is None else self._where
            raise self._trouble


class FrameWriter:
    """A listener that saves every frame as a PNG file, written by a worker.

    The mission continues if frames cannot be written fast enough; `close` raises the error.

    Args:
        folder: Destination; created if it does not exist.

    Raises:
        UsageError: If the folder cannot be written, or contains frames of another mission.
    """

    def __init__(self, folder: Path) -> None:
        folder = expand_home(folder)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                kept = next(folder.glob("[0-9]" * 6 + ".png"), None)
        except FileExistsError as error:
            raise UsageError(f"--save-frames {folder}: is not a folder") from error
        except OSError as error:
            raise UsageError(f"--save-frames {folder}: {error.strerror}") from error
        if kept is not None:
            message = "holds the frames of another mission; name another folder"
            raise UsageError(f"--save-frames {folder}: {message}")
        self.folder = folder
        self.count = 0
        self._dropped = 0
        self._trouble: OSError | None = None
        self._waiting: queue.Queue[tuple[Path, Any] | None] = queue.Queue(_WAITING)
        self._worker = threading.Thread(target=self._write_pictures, name="frames", daemon=True)
        self._worker.start()

    def on(self, event: ev.Event) -> None:
        """Store the frame of an observation."""
        if isinstance(event, ev.Observed) and event.observation.frame is not None:
            self.count += 1
            item = self.folder / f"{self.count:06d}.png", event.observation.frame
            try:
                self._waiting.put(item, timeout=0 if self._dropped else _PATIENCE_S)
            except queue.Full:
                self._dropped += 1

    def close(self) -> None:
        """Write the queued frames.

        Raises:
            OSError: If a frame could not be written.
        """
        with contextlib.suppress(queue.Full):
            self._waiting.put(None, timeout=_CLOSE_S)
            self._worker.join(_CLOSE_S)
        if self._trouble is not None:
            raise self._trouble
        if self._dropped or self._worker.is_alive():
            why = f"the disk is too slow; of {self.count} frames {self._dropped} are left out"
            raise OSError(errno.EAGAIN, why, str(self.folder))

    def _write_pictures(self) -> None:
        import numpy as np

        from bt_exec.journal import write_png

        while (item := self._waiting.get()) is not None:
            path, frame = item
            try:
                write_png(path, np.asarray(frame))
            except (OSError, ValueError) as error:
                code, why = getattr(error, "errno", 0), getattr(error, "strerror", str(error))
                self._trouble = self._trouble or OSError(code, why, str(path))
