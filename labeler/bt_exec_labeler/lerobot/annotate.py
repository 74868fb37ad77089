"""Addition of language columns to a copy of a LeRobot data set.

Every frame file of the copy gets the columns ``language_persistent``, ``language_events`` and
``subtask_index``. Actions, states, pictures, videos, tasks, statistics and the robot's type are
copied unchanged.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bt_exec.batch.optional_pyarrow import import_pyarrow, open_parquet
from bt_exec.batch.output_folder import atomic_new_folder
from bt_exec.failure import UsageError
from bt_exec_labeler.datasets.rows import rows_of
from bt_exec_labeler.datasets.write import SetInput
from bt_exec_labeler.episode import Episode
from bt_exec_labeler.lerobot.language_columns import (
    NONE,
    LanguageForm,
    feature_of,
    language_features,
    language_types,
    persistent_rows,
    stored_rows,
    subtask_at,
    subtasks_of,
    tools_of,
)
from bt_exec_labeler.lerobot.layout import EVENTS, PERSISTENT, SUBTASK
from bt_exec_labeler.lerobot.write_metadata import write_subtasks

__all__ = ["annotate"]


def annotate(source: Path, folder: Path, given: SetInput, form: LanguageForm) -> dict[str, int]:
    """Write a copy of a data set with language columns; return the number of annotated episodes.

    Args:
        source: The data set.
        folder: Output folder; must be empty or not exist.
        given: Records of the data set's episodes.
        form: Form of the language columns.

    Raises:
        UsageError: If a file cannot be read or written, or there are no records.
    """
    import_pyarrow()
    about = (given.episodes, given.vocabulary, given.splits)
    rows: dict[int, list[dict[str, Any]]] = {}
    episodes: dict[int, Episode] = {}
    for row in rows_of(given.role, given.lines, *about, lambda frame: frame.name):
        episode = given.episodes[row["episode"]]
        number = int(episode.origin["episode_index"])
        rows.setdefault(number, []).append(row)
        episodes[number] = episode
    if not rows:
        raise UsageError("there are no records to write")
    under_way = {
        number: subtasks_of(found, episodes[number], given.vocabulary)
        for number, found in rows.items()
    }
    texts = {row["mid_step_text"] for found in rows.values() for row in found}
    subtasks = {text: number for number, text in enumerate([NONE, *sorted(texts)])}
    files = sorted(path.relative_to(source) for path in (source / "data").rglob("*.parquet"))
    with atomic_new_folder(folder) as part:
        shutil.copytree(source, part, dirs_exist_ok=True)
        for file in files:
            (part / file).unlink()
            _annotate_file(source / file, part / file, rows, under_way, subtasks, form)
        write_subtasks(part, subtasks)
        _extend_info(part, given, form)
        _extend_card(part, form)
    return {"annotated": len(rows)}


def _annotate_file(
    source: Path,
    target: Path,
    rows: Mapping[int, Sequence[Mapping[str, Any]]],
    under_way: Mapping[int, Sequence[tuple[float, str]]],
    subtasks: Mapping[str, int],
    form: LanguageForm,
) -> None:
    """Copy a frame file and add the language columns, row group by row group."""
    arrow, parquet = import_pyarrow()
    writer: Any = None
    starts: dict[int, float] = {}
    try:
        with open_parquet(source) as file:
            for group in range(file.num_row_groups):
                table = file.read_row_group(group)
                columns = _language_columns(table, rows, under_way, subtasks, starts)
                for name, values in columns.items():
                    kind = arrow.int64() if name == SUBTASK else language_types(arrow, form)[name]
                    values = values if name == SUBTASK else [stored_rows(v, form) for v in values]
                    if name in table.column_names:
                        table = table.drop_columns([name])
                    table = table.append_column(name, arrow.array(values, type=kind))
                table = table.replace_schema_metadata(
                    _described_columns(table.schema.metadata, form)
                )
                if writer is None:
                    writer = parquet.ParquetWriter(target, table.schema)
                writer.write_table(table, row_group_size=max(1, table.num_rows))
    finally:
        if writer is not None:
            writer.close()


def _language_columns(
    table: Any,
    rows: Mapping[int, Sequence[Mapping[str, Any]]],
    under_way: Mapping[int, Sequence[tuple[float, str]]],
    subtasks: Mapping[str, int],
    starts: dict[int, float],
) -> dict[str, list[Any]]:
    """Return the language columns for some frames.

    Args:
        table: The frames.
        rows: Rows of a training set, by number of the episode.
        under_way: Mid steps with their start times [s], by number of the episode.
        subtasks: Numbers of the subtasks, by text.
        starts: First timestamp of each episode [s]; new episodes are added.
    """
    episodes = table["episode_index"].to_pylist()
    times = table["timestamp"].to_pylist()
    for number, t in zip(episodes, times, strict=True):
        starts.setdefault(number, t)
    names = table.column_names
    before = table[PERSISTENT].to_pylist() if PERSISTENT in names else [[]] * len(episodes)
    events = table[EVENTS].to_pylist() if EVENTS in names else [[]] * len(episodes)
    said = {
        number: persistent_rows(rows.get(number, ()), -starts[number]) for number in set(episodes)
    }
    return {
        PERSISTENT: [
            _merged_rows(parse_language_rows(old), said[number])
            for old, number in zip(before, episodes, strict=True)
        ],
        EVENTS: [parse_language_rows(found) for found in events],
        SUBTASK: [
            subtasks[subtask_at(under_way.get(number, ()), t - starts[number])]
            for number, t in zip(episodes, times, strict=True)
        ],
    }


def parse_language_rows(value: Any) -> list[dict[str, Any]]:
    """Return the language rows in a column's value, which is a list or JSON text."""
    found = json.loads(value) if isinstance(value, str) else value
    return list(found or ())


def _merged_rows(old: Sequence[Mapping[str, Any]], new: Sequence[Mapping[str, Any]]) -> list[Any]:
    """Return existing and new language rows without repetitions."""
    known = {(row.get("style"), row.get("timestamp"), row.get("content")) for row in old}
    fresh = [r for r in new if (r["style"], r["timestamp"], r["content"]) not in known]
    return [*old, *fresh]


def _described_columns(
    metadata: Mapping[bytes, bytes] | None, form: LanguageForm
) -> dict[bytes, bytes]:
    """Return the metadata of a Parquet file, with the new columns if it describes columns."""
    found = dict(metadata or {})
    try:
        about = json.loads(found[b"huggingface"])
        about["info"]["features"].update(language_features(form))
    except (KeyError, ValueError, TypeError, AttributeError):
        found.pop(b"huggingface", None)
        return found
    return {**found, b"huggingface": json.dumps(about).encode()}


def _extend_info(folder: Path, given: SetInput, form: LanguageForm) -> None:
    path = folder / "meta" / "info.json"
    info = json.loads(path.read_text(encoding="utf-8"))
    number = {"dtype": "int64", "shape": [1], "names": None}
    info["features"].update({PERSISTENT: feature_of(form), EVENTS: feature_of(form)})
    info["features"][SUBTASK] = number
    info.setdefault("tools", tools_of(given.vocabulary))
    path.write_text(json.dumps(info, ensure_ascii=False, indent=4) + "\n", encoding="utf-8")


def _extend_card(folder: Path, form: LanguageForm) -> None:
    path = folder / "README.md"
    before = path.read_text(encoding="utf-8") if path.is_file() else "# LeRobot data set\n"
    path.write_text(f"{before.rstrip()}\n\n{form.card}", encoding="utf-8")
