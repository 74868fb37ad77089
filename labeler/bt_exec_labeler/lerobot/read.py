"""Reader for the episodes of a LeRobot data set.

The actions of an episode are its tool calls among the language events. If it has none, they are its
subtasks, as ``SUBTASK`` with the argument ``text``. If it has no subtasks either, they are its
tasks, as ``TASK`` with the argument ``text``. The success of actions is not recorded. If there are
several cameras, the first one is used.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bt_exec.batch.optional_pyarrow import is_missing_package, open_parquet
from bt_exec.failure import UsageError
from bt_exec.files import file_errors
from bt_exec.language.messages import language_of
from bt_exec_labeler.batch.output_and_answer_cache import read_lines
from bt_exec_labeler.episode import Action, Episode, Flaw, Frame, order_frames
from bt_exec_labeler.lerobot.frames import CodedFrame, StoredFrame, import_av
from bt_exec_labeler.lerobot.layout import (
    EVENTS,
    PERSISTENT,
    SUBTASK,
    Info,
    data_file_path,
    load_info,
)
from bt_exec_labeler.lerobot.rows import (
    EpisodeRow,
    FrameRow,
    LanguageRow,
    actions_of_texts,
    called_actions,
    parse_rows,
    read_row,
    read_rows,
    subtasks_by_number,
    subtasks_with_times,
)
from bt_exec_labeler.sources.json_lines_parser import read_json_lines

__all__ = ["read_lerobot"]

_PAUSES = 4  # a gap is a pause of more than this many usual intervals
_NEEDED = ("timestamp", "episode_index")


@dataclass(frozen=True, slots=True)
class _Frame:
    """Row of a frame, with its time from the start of the episode [s] and its location."""

    t: float
    group: int
    row: int
    said: FrameRow


@dataclass(frozen=True)
class _Stored:
    """Frame rows of an episode, and its rows of ``language_persistent``."""

    file: Path
    names: Sequence[str]
    rows: Sequence[_Frame]
    persistent: Sequence[LanguageRow]
    flaws: list[Flaw]


def read_lerobot(path: Path) -> Iterator[Episode]:
    """Yield the episodes of a data set, in order of their numbers.

    Raises:
        UsageError: If a file cannot be read; the message names it.
    """
    info = load_info(path)
    tasks = _read_tasks(path, info)
    rows, damaged = _read_episodes(path, info)
    first: UsageError | None = None
    good = False
    for said in sorted(rows, key=lambda said: said.episode_index):
        try:
            episode = _episode(path, info, said, tasks)
        except UsageError as error:  # a damaged file must not hide the other episodes
            if is_missing_package(error):
                raise
            first = first or error
            name = f"episode_{said.episode_index:06d}"
            origin = {"lerobot": str(path), "episode_index": said.episode_index}
            flaw = Flaw("damaged", name, str(error))
            damaged.append(Episode(name, (), origin=origin, flaws=(flaw,)))
        else:
            good = True
            yield from (*damaged, episode)
            damaged.clear()
    if first is not None and not good:
        raise first
    yield from damaged


def _read_tasks(folder: Path, info: Info) -> dict[int, str]:
    """Return the texts of tasks by number; unreadable ones are left out."""
    lines, table = folder / "meta" / "tasks.jsonl", folder / "meta" / "tasks.parquet"
    rows: list[Any] = []
    if not info.has_shared_files and lines.is_file():
        rows = list(read_lines(lines))
    elif table.is_file():
        with open_parquet(table) as file:
            rows = list(file.read().to_pylist())
    texts = ((row.get("task_index"), row.get("task", row.get("__index_level_0__"))) for row in rows)
    return {n: str(text) for n, text in texts if isinstance(n, int) and text is not None}


def _read_episodes(folder: Path, info: Info) -> tuple[list[EpisodeRow], list[Episode]]:
    """Return the metadata of the episodes, and an empty episode for each damaged line."""
    if not info.has_shared_files:
        return _read_episode_list(folder / "meta" / "episodes.jsonl")
    files = sorted((folder / "meta" / "episodes").glob("*/*.parquet"))
    if not files:
        raise UsageError(f"{folder}/meta/episodes contains no episodes")
    return [
        said for file in files for said in read_rows(EpisodeRow, _metadata_rows(file), file)
    ], []


def _read_episode_list(path: Path) -> tuple[list[EpisodeRow], list[Episode]]:
    rows: list[EpisodeRow] = []
    lost: list[Episode] = []
    with file_errors(path, "read"):
        for where, data in read_json_lines(path):
            flaws = [data] if isinstance(data, Flaw) else []
            row = None if flaws else read_row(EpisodeRow, data, where, flaws)
            if row is None:
                lost.append(Episode(where, (), flaws=tuple(flaws)))
            else:
                rows.append(row)
    if not rows:
        why = lost[0].flaws[0].message if lost else "it is empty"
        raise UsageError(f"{path} names no episode: {why}")
    return rows, lost


def _metadata_rows(path: Path) -> list[Any]:
    """Return the rows of a file with episode metadata, without the statistics."""
    with open_parquet(path) as file:
        wanted = [name for name in file.schema_arrow.names if not name.startswith("stats/")]
        return list(file.read(columns=wanted).to_pylist())


def _episode(folder: Path, info: Info, said: EpisodeRow, tasks: Mapping[int, str]) -> Episode:
    number = said.episode_index
    numbers = {
        "episode_index": number,
        "episode_chunk": number // info.chunks_size,
        "chunk_index": said.chunk_index,
        "file_index": said.file_index,
    }
    stored = _episode_rows(data_file_path(folder, info.data_path, numbers), number)
    found, flaws = _read_frames(folder, info, said, numbers, stored)
    frames, wrong, doubts = order_frames(found, max(_PAUSES / info.fps, 1.0))
    command = "; ".join(said.tasks)
    actions = _read_actions(folder, info, stored, command, tasks)
    return Episode(
        f"episode_{number:06d}",
        frames,
        actions,
        command,
        language_of(command) if command else "",
        origin={"lerobot": str(folder), "episode_index": number},
        flaws=(*stored.flaws, *flaws, *wrong),
        doubts=doubts,
    )


def _episode_rows(path: Path, episode: int) -> _Stored:
    """Return the frame rows of an episode; row groups without it are skipped."""
    found: list[_Frame] = []
    persistent: Sequence[LanguageRow] = ()
    flaws: list[Flaw] = []
    with open_parquet(path) as file:
        names = list(file.schema_arrow.names)
        if missing := [name for name in _NEEDED if name not in names]:
            raise UsageError(f"{path} lacks {', '.join(missing)}, which a LeRobot data set needs")
        wanted = [name for name in (*_NEEDED, EVENTS, SUBTASK, "task_index") if name in names]
        for group in range(file.num_row_groups):
            if not _may_contain(file.metadata.row_group(group), episode):
                continue
            table = file.read_row_group(group, columns=wanted).to_pylist()
            for row, data in enumerate(table):
                if data["episode_index"] not in (episode, None):
                    continue
                said = read_row(FrameRow, data, f"{path.name}#{group}.{row}", flaws)
                if said is None or said.episode_index != episode:
                    continue
                if not found and PERSISTENT in names:
                    whole = file.read_row_group(group, columns=[PERSISTENT])[PERSISTENT]
                    persistent = _persistent_rows(whole[row].as_py(), path)
                first = found[0].said.timestamp if found else said.timestamp
                found.append(_Frame(round(said.timestamp - first, 6), group, row, said))
    return _Stored(path, names, found, persistent, flaws)


def _persistent_rows(rows: Any, where: Path) -> list[LanguageRow]:
    try:
        rows = parse_rows(rows)
    except ValueError as error:
        raise UsageError(f"{where}: {PERSISTENT} is not JSON: {error}") from None
    if not isinstance(rows, list | None):
        raise UsageError(f"{where}: {PERSISTENT} is not a list")
    return read_rows(LanguageRow, rows or [], f"{where}: {PERSISTENT}")


def _may_contain(group: Any, episode: int) -> bool:
    """Return True if a row group may contain rows of an episode, according to its statistics."""
    for number in range(group.num_columns):
        column = group.column(number)
        if column.path_in_schema == "episode_index" and column.statistics is not None:
            least, most = column.statistics.min, column.statistics.max
            return not isinstance(least, int) or bool(least <= episode <= most)
    return True


def _read_frames(
    folder: Path, info: Info, said: EpisodeRow, numbers: Mapping[str, Any], stored: _Stored
) -> tuple[list[Frame], tuple[Flaw, ...]]:
    """Return the frames of the first camera, and flaws."""
    if not info.cameras:
        return [], (Flaw("no_frames", stored.file.name, "the data set has no camera"),)
    camera, *others = info.cameras
    flaws = tuple(Flaw("camera", key, f"is not shown; {camera} is") for key in others)
    if info.features[camera].dtype == "image":
        if camera not in stored.names:
            raise UsageError(f"{stored.file} has no column {camera}, which meta/info.json names")
        return [
            StoredFrame(row.t, stored.file, camera, row.group, row.row) for row in stored.rows
        ], flaws
    chunk, file, first = said.video_location(camera)
    own = {"video_key": camera, "chunk_index": chunk, "file_index": file}
    if not info.video_path:
        raise UsageError(f"{folder}/meta/info.json: {camera} is video, but video_path is missing")
    video = data_file_path(folder, info.video_path, {**numbers, **own})
    if not video.is_file():
        raise UsageError(f"{video}: the data set names this video, which is missing")
    import_av()
    return [CodedFrame(row.t, video, first + row.t, info.fps) for row in stored.rows], flaws


def _read_actions(
    folder: Path, info: Info, stored: _Stored, task: str, tasks: Mapping[int, str]
) -> tuple[Action, ...]:
    """Return the actions of an episode: tool calls, subtasks or tasks."""
    if not stored.rows:
        return ()
    calls = tuple(
        action
        for row in stored.rows
        for action in called_actions(
            row.t, row.said.language_events or (), stored.file.name, stored.flaws
        )
    )
    if calls:
        return calls
    end = round(stored.rows[-1].t + 1 / info.fps, 6)
    numbered = [(row.t, row.said.subtask_index) for row in stored.rows]
    texts = subtasks_with_times(stored.persistent) or subtasks_by_number(folder, numbered)
    if texts:
        return actions_of_texts(texts, "SUBTASK", end)
    unnamed = {row.said.task_index for row in stored.rows} - set(tasks)
    if unnamed and "task_index" in stored.names:
        numbers = ", ".join(map(str, sorted(unnamed)))
        message = f"the list of tasks has no text of task {numbers}; frames with it have no task"
        stored.flaws.append(Flaw("no_task", "meta/tasks", message))
    named = [(row.t, tasks.get(row.said.task_index, "")) for row in stored.rows]
    by_frame = [(t, text) for t, text in named if text]
    if len({text for _, text in by_frame}) > 1:
        return actions_of_texts(by_frame, "TASK", end)
    return actions_of_texts([(0.0, task)], "TASK", end) if task else ()
