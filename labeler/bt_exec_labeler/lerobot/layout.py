"""File layout of LeRobot data sets, versions 2.0 to 3.

::

    version 3.0                                 version 2.1               content
    meta/info.json                              meta/info.json            version, rate, columns
    meta/tasks.parquet                          meta/tasks.jsonl          texts of tasks
    meta/episodes/chunk-000/file-000.parquet    meta/episodes.jsonl       one row per episode
    data/chunk-000/file-000.parquet             …/episode_000000.parquet  one row per frame
    videos/KEY/chunk-000/file-000.mp4           videos/chunk-000/KEY/…    videos, if any

From version 3 on, a file contains several episodes. Two columns may contain language rows. In
``language_persistent``, all frames of an episode have the same rows, each with the time from which
it is valid. In ``language_events``, a frame has the events at its time.

Source: ``docs/source/lerobot-dataset-v3.mdx`` and ``language_and_recipes.mdx`` of LeRobot 0.6.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bt_exec.failure import UsageError
from bt_exec.files import file_errors
from bt_exec.spec.user_data_validation import first_error

__all__ = ["EVENTS", "PERSISTENT", "SUBTASK", "Info", "data_file_path", "load_info"]

PERSISTENT, EVENTS = "language_persistent", "language_events"
"""Columns that contain language."""

SUBTASK = "subtask_index"
"""Column that refers to the subtask of a frame by number."""

_PLACE = re.compile(r"\{(\w+)(?::0(\d)d)?\}")
_READ = re.compile(r"v?(2\.[01]|3\.\d+)")


class _Feature(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    dtype: str


class Info(BaseModel):
    """Content of ``meta/info.json``, limited to the fields that are used.

    Attributes:
        codebase_version: Version of the layout, such as ``v3.0``.
        fps: Frames per second.
        features: Descriptions of the columns, by name.
        data_path: Path template of the frame files.
        video_path: Path template of the videos; None without videos.
        chunks_size: Number of episodes per folder, up to version 2.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)

    codebase_version: str
    fps: Annotated[float, Field(gt=0, le=1000)]
    features: Mapping[str, _Feature]
    data_path: str
    video_path: str | None = None
    chunks_size: Annotated[int, Field(ge=1)] = 1000

    @property
    def has_shared_files(self) -> bool:
        """Whether a file may contain several episodes."""
        return self.codebase_version.lstrip("v").startswith("3")

    @property
    def cameras(self) -> list[str]:
        """Columns with pictures, in order."""
        return [key for key, found in self.features.items() if found.dtype in ("image", "video")]


def load_info(folder: Path) -> Info:
    """Read the metadata of a data set.

    Raises:
        UsageError: If it cannot be read, or its version is unknown.
    """
    path = folder / "meta" / "info.json"
    try:
        with file_errors(path, "read"):
            info = Info.model_validate(json.loads(path.read_text(encoding="utf-8")))
    except ValidationError as error:
        raise UsageError(f"{path}: {first_error(error)}") from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} is not JSON: {error}") from None
    if not _READ.fullmatch(info.codebase_version):
        raise UsageError(
            f"{path}: the data set is of version {info.codebase_version}; versions 2.0 to 3 can be "
            "read; convert it with LeRobot's converter first"
        )
    return info


def data_file_path(folder: Path, template: str, values: Mapping[str, Any]) -> Path:
    """Return the path of a file in a data set, from a template and its values.

    Raises:
        UsageError: If the template has unknown fields, or leads out of the folder.
    """

    def fill(found: re.Match[str]) -> str:
        name, width = found.groups()
        if name not in values:
            raise UsageError(
                f"{folder}/meta/info.json: {template!r} has the unknown placeholder {{{name}}}"
            )
        return str(values[name]).zfill(int(width or 0))

    name = _PLACE.sub(fill, template)
    path = (folder / name.replace("\0", "")).resolve()
    if "\0" in name or not path.is_relative_to(folder.resolve()):
        raise UsageError(f"{folder}/meta/info.json: {template!r} is outside the data set")
    return path
