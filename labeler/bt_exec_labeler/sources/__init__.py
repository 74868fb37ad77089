"""Readers for recordings of several kinds.

`read_source` detects the kind of a recording from its content. It may be a journal, a folder of
numbered frames with ``actions.jsonl``, a folder of such folders, a video, or a LeRobot data set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from bt_exec.failure import UsageError
from bt_exec.files import expand_home
from bt_exec_labeler.episode import Episode

__all__ = ["VIDEOS", "read_source"]

VIDEOS = frozenset({".mp4", ".avi", ".mkv", ".mov", ".webm"})
"""Extensions of video files."""


def read_source(path: Path) -> Iterator[Episode]:
    """Yield the episodes of a recording: by name or number, those of a journal oldest first.

    Raises:
        UsageError: If the recording cannot be read; the message lists the supported kinds.
    """
    path = expand_home(path)
    if not path.exists():
        raise UsageError(f"{path}: there is no such file or folder")
    return _reader_for(path)(path)


def _reader_for(path: Path) -> Callable[[Path], Iterator[Episode]]:
    """Return the reader for a path; only its own libraries are imported."""
    if path.is_file() and path.suffix.lower() in VIDEOS:
        from bt_exec_labeler.sources.video import read_video

        return read_video
    if path.is_file() and _file_begins_with(path, b"SQLite format 3"):
        from bt_exec_labeler.sources.journal import read_journal

        return read_journal
    if (path / "meta" / "info.json").is_file():
        from bt_exec_labeler.lerobot.read import read_lerobot

        return read_lerobot
    if path.is_dir():
        from bt_exec_labeler.sources.folder import is_episode, read_folder

        if is_episode(path) or any(is_episode(p) for p in path.iterdir() if p.is_dir()):
            return read_folder
    raise UsageError(
        f"{path} is not a recording, which is a journal (.sqlite), a folder with actions.jsonl "
        "and numbered frames, a folder of such folders, a LeRobot data set (meta/info.json), or a "
        f"video ({', '.join(sorted(VIDEOS))})"
    )


def _file_begins_with(path: Path, data: bytes) -> bool:
    with path.open("rb") as file:
        return file.read(len(data)) == data
