"""Writer for LeRobot data sets, version 3.0, with language columns.

The format requires a fixed frame rate, so each row has the newest frame that is not later than
the row. The column ``observation.age_s`` contains the age of this frame, which shows gaps in the
recording. Each episode has its own file. The episodes are sorted by split.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bt_exec.batch.optional_pyarrow import import_pyarrow
from bt_exec.batch.output_folder import atomic_new_folder
from bt_exec.failure import UsageError
from bt_exec_labeler.clips import decode_frame, shape_of
from bt_exec_labeler.datasets.rows import rows_of
from bt_exec_labeler.datasets.write import SetInput
from bt_exec_labeler.episode import Episode, encode_png
from bt_exec_labeler.lerobot.language_columns import (
    LanguageForm,
    language_event,
    language_types,
    persistent_rows,
    stored_rows,
    subtask_at,
    subtasks_of,
)
from bt_exec_labeler.lerobot.layout import EVENTS, PERSISTENT, SUBTASK, data_file_path
from bt_exec_labeler.lerobot.write_metadata import AGE, CAMERA, CHUNK, DATA, Counts, write_meta
from bt_exec_labeler.splits import SPLITS
from bt_exec_labeler.vocabulary import Vocabulary

__all__ = ["write_lerobot"]

_MOST_FRAMES = 100_000  # frames of an episode, kept in memory until its file is written
_EARLY_S = 1e-6  # tolerance of frame times, which are floats


def write_lerobot(
    folder: Path, given: SetInput, *, fps: int, form: LanguageForm
) -> tuple[dict[str, int], list[str]]:
    """Write a data set; return the number of episodes of each split, and warnings.

    Args:
        folder: Output folder; must be empty or not exist.
        given: Content of the data set.
        fps: Frames per second.
        form: Form of the language columns.

    Raises:
        UsageError: If the folder is in use, the Parquet library is not installed, or there is
            nothing to write.
    """
    import_pyarrow()
    about = (given.episodes, given.vocabulary, given.splits)
    rows: dict[str, list[dict[str, Any]]] = {}
    for row in rows_of(given.role, given.lines, *about, lambda frame: frame.name):
        rows.setdefault(row["episode"], []).append(row)
    wanted, size, warnings = _writable_episodes(sorted(rows), given.episodes, fps)
    if not wanted:
        raise UsageError("; ".join(["there are no records to write", *warnings]))
    made = Counts(fps, size)
    counts: dict[str, int] = {}
    with atomic_new_folder(folder) as part:
        for split in SPLITS:
            names = [name for name in wanted if given.splits[name] == split]
            for name in names:
                by_time = sorted(rows[name], key=lambda row: float(row["t"]))
                _write_episode(part, made, given.episodes[name], by_time, given.vocabulary, form)
            if names:
                counts[split] = len(names)
        write_meta(part, made, counts, given.vocabulary, form)
    return counts, warnings


def _writable_episodes(
    names: Sequence[str], episodes: Mapping[str, Episode], fps: int
) -> tuple[list[str], tuple[int, ...], list[str]]:
    """Return the names of writable episodes, the most common frame shape, and warnings."""
    warnings: list[str] = []
    shapes: dict[str, Counter[tuple[int, ...]]] = {}
    for name in names:
        times = episodes[name].times
        count = int((times[-1] - times[0]) * fps + _EARLY_S) + 1
        if count > _MOST_FRAMES:
            warnings.append(
                f"! {name} is left out: {times[-1] - times[0]:.0f} s at {fps} frames a second are "
                f"{count} frames, at most {_MOST_FRAMES}; check its time stamps, or lower --fps"
            )
            continue
        shapes[name] = Counter(shape for f in episodes[name].frames if (shape := shape_of(f)))
        if not shapes[name]:
            warnings.append(f"! {name} is left out: none of its frames can be decoded")
    usual = sum(shapes.values(), Counter[tuple[int, ...]]()).most_common(1)
    size = usual[0][0] if usual else ()
    for name, found in shapes.items():
        if others := found.total() - found[size]:
            what = f"{others} frames are" if found[size] else "it is"
            warnings.append(
                f"! {name}: {what} left out: not of {size[1]} x {size[0]} px as most others; "
                "frames of a LeRobot data set are of one size"
            )
    return [name for name, found in shapes.items() if found[size]], size, warnings


def _write_episode(
    folder: Path,
    made: Counts,
    episode: Episode,
    rows: Sequence[Mapping[str, Any]],
    vocabulary: Vocabulary,
    form: LanguageForm,
) -> None:
    arrow, parquet = import_pyarrow()
    shown = list(_pictures_by_row(episode, made))
    count, number = len(shown), len(made.lengths)
    texts = dict.fromkeys(str(row["mid_step_text"]) for row in rows)
    task = made.add_task(number, episode.command or " ".join(texts))
    subtasks = subtasks_of(rows, episode, vocabulary)
    types = language_types(arrow, form)
    said = stored_rows(persistent_rows(rows, episode.frames[0].t), form)
    events = [stored_rows(found, form) for found in _tool_calls_by_row(episode, count, made.fps)]
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
        PERSISTENT: ([said] * count, types[PERSISTENT]),
        EVENTS: (events, types[EVENTS]),
        SUBTASK: (_subtask_numbers(subtasks, episode.frames[0].t, count, made), whole),
    }
    table = arrow.table({name: arrow.array(v, type=kind) for name, (v, kind) in columns.items()})
    path = data_file_path(
        folder, DATA, {"chunk_index": number // CHUNK, "file_index": number % CHUNK}
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(table, path, row_group_size=count)
    made.lengths.append(count)
    made.frames += count


@dataclass(frozen=True, slots=True)
class _RowPicture:
    """Picture for a row: the data of its file, and its age [s]."""

    data: bytes
    age_s: float


def _pictures_by_row(episode: Episode, made: Counts) -> Iterator[_RowPicture]:
    """Yield the picture for each row; a damaged frame is replaced by a valid neighbour."""
    frames = [frame for frame in episode.frames if shape_of(frame) == made.size]
    times = [frame.t for frame in frames]
    begin = episode.frames[0].t
    count = int((episode.frames[-1].t - begin) * made.fps + _EARLY_S) + 1
    last, data = -1, b""
    for k in range(count):
        t = begin + k / made.fps
        newest = max(0, bisect_right(times, t + _EARLY_S) - 1)
        if newest != last:
            image = decode_frame(frames[newest])
            made.add_picture(image)
            data, last = encode_png(image), newest
        yield _RowPicture(data, max(0.0, t - times[newest]))


def _subtask_numbers(
    subtasks: Sequence[tuple[float, str]], begin: float, count: int, made: Counts
) -> list[int]:
    """Return the number of the current mid step for each row; 0 means none."""
    for _, text in subtasks:
        made.subtasks.setdefault(text, len(made.subtasks))
    return [made.subtasks[subtask_at(subtasks, begin + k / made.fps)] for k in range(count)]


def _tool_calls_by_row(episode: Episode, count: int, fps: int) -> list[list[dict[str, Any]]]:
    """Return the tool calls of each row: one for each recorded action that starts there."""
    found: list[list[dict[str, Any]]] = [[] for _ in range(count)]
    for action in episode.actions:
        k = int(max(0.0, action.t - episode.frames[0].t) * fps + _EARLY_S)
        found[min(k, count - 1)].append(language_event(action))
    return found
