"""A LeRobot data set, version 3.0, with language columns, of records and their recordings.

Frames lie at a fixed rate, as the format wants: at each time the newest frame that is not later;
``observation.age_s`` says how old it is, so that a pause of the recording shows. Each episode has a
file; the episodes of a split follow each other.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2

from bt_exec.failure import UsageError
from bt_exec_labeler.datasets.rows import rows_of
from bt_exec_labeler.datasets.write import in_new_folder
from bt_exec_labeler.episode import Episode, Image
from bt_exec_labeler.items import Role
from bt_exec_labeler.lerobot.language import call_of, language_types, persistent_of
from bt_exec_labeler.lerobot.layout import EVENTS, PERSISTENT, place
from bt_exec_labeler.lerobot.meta import AGE, CAMERA, CHUNK, DATA, Counts, write_meta
from bt_exec_labeler.parquet import needs_parquet
from bt_exec_labeler.splits import split_of
from bt_exec_labeler.vocabulary import Vocabulary

__all__ = ["write_lerobot"]

_SPLITS = ("train", "val", "test")
_MOST_FRAMES = 100_000  # of an episode: they are held until its file is written
_EARLY_S = 1e-6  # a frame this much later than its time still counts: times are floats


def write_lerobot(
    folder: Path,
    role: Role,
    lines: Sequence[Mapping[str, Any]],
    episodes: Mapping[str, Episode],
    vocabulary: Vocabulary,
    *,
    fps: int,
) -> dict[str, int]:
    """Write a data set; return how many episodes each split has.

    Args:
        folder: Where it goes; must be empty or not there.
        role: For whom the records are; a planner's have memory.
        lines: The lines of ``records.jsonl`` that are wanted.
        episodes: The recordings by name.
        vocabulary: What the records were made with.
        fps: Frames a second.

    Raises:
        UsageError: If the folder is in use, what writes Parquet is not installed, there is nothing
            to write, frames differ in size, or an episode would have too many.
    """
    needs_parquet()
    in_new_folder(folder)
    rows: dict[str, list[dict[str, Any]]] = {}
    for row in rows_of(role, lines, episodes, vocabulary, lambda frame: frame.name):
        rows.setdefault(row["episode"], []).append(row)
    if not rows:
        raise UsageError("there are no records to make a data set of")
    made, counts = Counts(fps), {}
    for split in _SPLITS:
        names = [name for name in sorted(rows) if split_of(name) == split]
        for name in names:
            by_time = sorted(rows[name], key=lambda row: float(row["t"]))
            _write_episode(folder, made, episodes[name], by_time)
        if names:
            counts[split] = len(names)
    write_meta(folder, made, counts, vocabulary)
    return counts


def _write_episode(
    folder: Path, made: Counts, episode: Episode, rows: Sequence[Mapping[str, Any]]
) -> None:
    arrow, parquet = needs_parquet()
    shown = list(_shown(episode, made))
    count, number = len(shown), len(made.lengths)
    texts = dict.fromkeys(str(row["mid_step_text"]) for row in rows)
    task = made.task(number, episode.command or " ".join(texts))
    persistent, events = language_types(arrow)
    whole, text = arrow.int64(), arrow.string()
    columns = {
        CAMERA: (
            [{"bytes": shot.data, "path": None} for shot in shown],
            arrow.struct([("bytes", arrow.binary()), ("path", text)]),
        ),
        AGE: ([shot.age_s for shot in shown], arrow.float32()),
        "timestamp": ([k / made.fps for k in range(count)], arrow.float32()),
        "frame_index": (range(count), whole),
        "episode_index": ([number] * count, whole),
        "index": (range(made.frames, made.frames + count), whole),
        "task_index": ([task] * count, whole),
        PERSISTENT: ([persistent_of(rows, episode.frames[0].t)] * count, persistent),
        EVENTS: (_events(episode, count, made.fps), events),
    }
    table = arrow.table({name: arrow.array(v, type=kind) for name, (v, kind) in columns.items()})
    path = place(folder, DATA, {"chunk_index": number // CHUNK, "file_index": number % CHUNK})
    path.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(table, path, row_group_size=count)
    made.lengths.append(count)
    made.frames += count


@dataclass(frozen=True, slots=True)
class _Shot:
    """A picture at a time of the grid: its file, and how old it is [s]."""

    data: bytes
    age_s: float


def _shown(episode: Episode, made: Counts) -> Iterator[_Shot]:
    """Return what is seen at each time; where a frame is damaged, the one before it."""
    begin, times = episode.frames[0].t, [frame.t for frame in episode.frames]
    count = int((times[-1] - begin) * made.fps + _EARLY_S) + 1
    if count > _MOST_FRAMES:
        raise UsageError(
            f"{episode.id}: {times[-1] - begin:.0f} s at {made.fps} frames a second are {count} "
            f"frames, at most {_MOST_FRAMES}; look at its time stamps, or take a smaller --fps"
        )
    last, data, at = -1, b"", begin
    for k in range(count):
        t = begin + k / made.fps
        newest = bisect_right(times, t + _EARLY_S) - 1
        for number in range(newest, last, -1):
            try:
                image = episode.frames[number].image()
            except (OSError, ValueError):
                continue
            made.saw(image, episode.id)
            data, at, last = _coded(image), times[number], number
            break
        if not data:
            raise UsageError(f"{episode.id}: its first frame is damaged")
        yield _Shot(data, max(0.0, t - at))


def _coded(image: Image) -> bytes:
    done, coded = cv2.imencode(".png", cv2.cvtColor(image, cv2.COLOR_RGB2BGR))
    assert done
    return bytes(coded.tobytes())


def _events(episode: Episode, count: int, fps: int) -> list[list[dict[str, Any]]]:
    """Return the actions of each frame: those that began since the one before it."""
    found: list[list[dict[str, Any]]] = [[] for _ in range(count)]
    for action in episode.actions:
        k = int(max(0.0, action.t - episode.frames[0].t) * fps + _EARLY_S)
        found[min(k, count - 1)].append(call_of(action))
    return found
