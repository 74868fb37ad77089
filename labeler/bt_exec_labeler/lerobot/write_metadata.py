"""Writer for the metadata of a LeRobot data set: info, tasks, episodes, statistics, a card."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from bt_exec.batch.optional_pyarrow import import_pyarrow
from bt_exec_labeler.episode import Image
from bt_exec_labeler.lerobot.language_columns import NONE, LanguageForm, feature_of, tools_of
from bt_exec_labeler.lerobot.layout import EVENTS, PERSISTENT, SUBTASK
from bt_exec_labeler.vocabulary import Vocabulary

__all__ = ["AGE", "CAMERA", "CHUNK", "DATA", "Counts", "write_meta", "write_subtasks"]

CAMERA, AGE = "observation.images.camera", "observation.age_s"
DATA = "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet"
CHUNK = 1000  # files per folder


@dataclass
class Counts:
    """Counts and statistics of the data that has been written so far.

    Attributes:
        fps: Frames per second.
        size: Height, width and channels of the frames [px].
        lengths: Number of frames of each episode.
        frames: Number of frames.
        tasks: Numbers of tasks, by text.
        of_episode: Task of each episode.
        subtasks: Numbers of subtasks, by text; 0 means no subtask.
    """

    fps: int
    size: tuple[int, ...]
    lengths: list[int] = field(default_factory=list)
    frames: int = 0
    tasks: dict[str, int] = field(default_factory=dict)
    of_episode: list[str] = field(default_factory=list)
    subtasks: dict[str, int] = field(default_factory=lambda: {NONE: 0})
    _seen: int = 0
    _moments: list[Any] = field(default_factory=list)

    def add_task(self, episode: int, text: str) -> int:
        """Record the task of an episode and return the number of the task."""
        assert episode == len(self.of_episode)
        self.of_episode.append(text)
        return self.tasks.setdefault(text, len(self.tasks))

    def add_picture(self, image: Image) -> None:
        """Add a picture to the statistics."""
        flat = image.reshape(-1, image.shape[2]) / 255.0
        found = flat.min(0), flat.max(0), flat.mean(0), (flat**2).mean(0)
        least, most, mean, square = self._moments or found
        n = self._seen
        self._moments = [
            np.minimum(least, found[0]),
            np.maximum(most, found[1]),
            (mean * n + found[2]) / (n + 1),
            (square * n + found[3]) / (n + 1),
        ]
        self._seen = n + 1

    def statistics(self) -> dict[str, Any]:
        """Return the statistics of the pictures' channels, with values from 0 to 1."""
        least, most, mean, square = self._moments
        deviation = np.sqrt(np.maximum(square - mean**2, 0.0))
        named = {"min": least, "max": most, "mean": mean, "std": deviation}
        shaped = {name: value.reshape(-1, 1, 1).tolist() for name, value in named.items()}
        return {CAMERA: {**shaped, "count": [self._seen]}}


def write_meta(
    folder: Path,
    made: Counts,
    splits: Mapping[str, int],
    vocabulary: Vocabulary,
    form: LanguageForm,
) -> None:
    """Write all files of a data set except those of the frames.

    Args:
        folder: The data set.
        made: Counts of the written data.
        splits: Number of episodes of each split, in the order of the episodes.
        vocabulary: Vocabulary whose operations become tools.
        form: Form of the language columns.
    """
    (folder / "meta" / "episodes" / "chunk-000").mkdir(parents=True)
    _write_json(folder / "meta" / "info.json", _info_data(made, splits, vocabulary, form))
    _write_json(folder / "meta" / "stats.json", made.statistics())
    arrow, parquet = import_pyarrow()
    _write_texts(folder / "meta" / "tasks.parquet", "task", made.tasks)
    episodes = arrow.Table.from_pylist(_episode_rows(made))
    parquet.write_table(episodes, folder / "meta" / "episodes" / "chunk-000" / "file-000.parquet")
    write_subtasks(folder, made.subtasks)
    text = _card_text(made, splits, vocabulary, form)
    (folder / "README.md").write_text(text, encoding="utf-8")


def write_subtasks(folder: Path, subtasks: Mapping[str, int]) -> None:
    """Write the file with the numbered texts of subtasks."""
    _write_texts(folder / "meta" / "subtasks.parquet", "subtask", subtasks)


def _write_texts(path: Path, name: str, texts: Mapping[str, int]) -> None:
    """Write numbered texts in the format in which pandas stores an index, as LeRobot expects."""
    arrow, parquet = import_pyarrow()
    kinds = ((f"{name}_index", "int64", "int64"), (name, "unicode", "object"))
    index = {
        "index_columns": [name],
        "column_indexes": [],
        "columns": [
            {
                "name": column,
                "field_name": column,
                "pandas_type": kind,
                "numpy_type": stored,
                "metadata": None,
            }
            for column, kind, stored in kinds
        ],
        "pandas_version": "2.0.0",
    }
    table = arrow.table({f"{name}_index": list(texts.values()), name: list(texts)})
    parquet.write_table(table.replace_schema_metadata({"pandas": json.dumps(index)}), path)


def _info_data(
    made: Counts, splits: Mapping[str, int], vocabulary: Vocabulary, form: LanguageForm
) -> dict[str, Any]:
    shape = {"dtype": "image", "shape": list(made.size), "names": ["height", "width", "channels"]}
    number: dict[str, Any] = {"dtype": "int64", "shape": [1], "names": None}
    ranges, first = {}, 0
    for split, count in splits.items():
        ranges[split] = f"{first}:{first + count}"
        first += count
    return {
        "codebase_version": "v3.0",
        "robot_type": vocabulary.site or None,
        "total_episodes": len(made.lengths),
        "total_frames": made.frames,
        "total_tasks": len(made.tasks),
        "chunks_size": CHUNK,
        "data_files_size_in_mb": 100,
        "video_files_size_in_mb": 200,
        "fps": made.fps,
        "splits": ranges,
        "data_path": DATA,
        "video_path": None,
        "features": {
            CAMERA: shape,
            AGE: {**number, "dtype": "float32"},
            "timestamp": {**number, "dtype": "float32"},
            **{f"{name}index": number for name in ("frame_", "episode_", "", "task_")},
            PERSISTENT: feature_of(form),
            EVENTS: feature_of(form),
            SUBTASK: number,
        },
        "tools": tools_of(vocabulary),
    }


def _episode_rows(made: Counts) -> list[dict[str, Any]]:
    """Return a row for each episode, with its task and its frame file."""
    rows, first = [], 0
    for number, (length, task) in enumerate(zip(made.lengths, made.of_episode, strict=True)):
        rows.append(
            {
                "episode_index": number,
                "tasks": [task],
                "length": length,
                "data/chunk_index": number // CHUNK,
                "data/file_index": number % CHUNK,
                "dataset_from_index": first,
                "dataset_to_index": first + length,
                "meta/episodes/chunk_index": 0,
                "meta/episodes/file_index": 0,
            }
        )
        first += length
    return rows


def _write_json(path: Path, value: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False, indent=4) + "\n", encoding="utf-8")


def _card_text(
    made: Counts, splits: Mapping[str, int], vocabulary: Vocabulary, form: LanguageForm
) -> str:
    said = "\n".join(f"- {split}: {count} episodes" for split, count in splits.items())
    return (
        "---\ntask_categories:\n- robotics\ntags:\n- LeRobot\nconfigs:\n- config_name: default\n"
        "  data_files: data/*/*.parquet\n---\n\n"
        f"# Recorded episodes with plan records, {vocabulary.version}\n\n"
        f"{len(made.lengths)} episodes, {made.frames} frames at {made.fps} a second, "
        f"LeRobot format 3.0.\n\n## Splits\n\n{said}\n\n## Columns\n\n"
        f"- `{CAMERA}`: the newest picture at each time; `{AGE}` [s] is how old it was.\n"
        f"\n{form.card}"
    )
