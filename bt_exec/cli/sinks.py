"""Where a mission is written beside the screen and the journal: turn reports, frames."""

from __future__ import annotations

import queue
import sys
import threading
from pathlib import Path
from typing import Any, TextIO

from bt_exec import events as ev
from bt_exec.cli.output import to_json
from bt_exec.failure import UsageError

__all__ = ["Frames", "TurnLines"]

_WAITING = 32  # frames that wait for the disk before the loop does


class TurnLines:
    """A listener that writes turn reports: one minified JSON object a line.

    Args:
        where: A file, or ``-`` for standard output.

    Raises:
        UsageError: If the file cannot be written.
    """

    def __init__(self, where: str) -> None:
        self._own: TextIO | None = None
        if where != "-":
            try:
                self._own = Path(where).open("w", encoding="utf-8")  # noqa: SIM115 - until `close`
            except OSError as error:
                raise UsageError(f"--turns {where}: {error.strerror}") from error

    def on(self, event: ev.Event) -> None:
        """Write the report of a turn."""
        if isinstance(event, ev.Turn):
            file = self._own or sys.stdout
            file.write(to_json(event.report, file=file) + "\n")
            file.flush()

    def close(self) -> None:
        """Let go of the file."""
        if self._own is not None:
            self._own.close()


class Frames:
    """A listener that keeps every frame as a PNG, written by a worker.

    Args:
        folder: Where they go; made if it is not there.

    Raises:
        UsageError: If the folder cannot be made.
    """

    def __init__(self, folder: Path) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"--save-frames {folder}: {error.strerror}") from error
        self.folder = folder
        self.count = 0
        self._trouble = ""
        self._waiting: queue.Queue[tuple[Path, Any] | None] = queue.Queue(_WAITING)
        self._worker = threading.Thread(target=self._work, name="frames", daemon=True)
        self._worker.start()

    def on(self, event: ev.Event) -> None:
        """Take the frame of a look."""
        if isinstance(event, ev.Looked) and event.scene.frame is not None:
            self.count += 1
            self._waiting.put((self.folder / f"{self.count:06d}.png", event.scene.frame))

    def close(self) -> None:
        """Write what waits."""
        self._waiting.put(None)
        self._worker.join()

    def _work(self) -> None:
        import numpy as np

        from bt_exec.journal import write_png

        while (item := self._waiting.get()) is not None:
            path, frame = item
            try:
                write_png(path, np.asarray(frame))
            except (OSError, ValueError) as error:
                if not self._trouble:
                    self._trouble = f"bt-exec: frames cannot be kept in {self.folder}: {error}"
                    print(self._trouble, file=sys.stderr)
