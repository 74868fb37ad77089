"""Validated rows of a LeRobot data set."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, TypeAlias, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from bt_exec.batch.optional_pyarrow import open_parquet
from bt_exec.failure import UsageError
from bt_exec.spec.user_data_validation import first_error
from bt_exec_labeler.episode import Action, Flaw
from bt_exec_labeler.sources.json_lines_parser import serialisable_value

__all__ = [
    "EpisodeRow",
    "FrameRow",
    "LanguageRow",
    "actions_of_texts",
    "called_actions",
    "parse_rows",
    "read_row",
    "read_rows",
    "subtasks_by_number",
    "subtasks_with_times",
]


_Whole = Annotated[int, Field(strict=True, ge=0, le=2**53)]
_Seconds = Annotated[float, Field(strict=True, ge=-1e9, le=1e9, allow_inf_nan=False)]


def parse_rows(value: Any) -> Any:
    """Return the rows in a JSON text; return any other value unchanged.

    Raises:
        ValueError: If the text is not JSON, is nested too deeply or contains lone surrogates.
    """
    try:
        return serialisable_value(json.loads(value)) if isinstance(value, str) else value
    except RecursionError:
        raise ValueError("is nested too deeply") from None


class _Row(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class LanguageRow(_Row):
    """Row of a language column.

    Attributes:
        content: Text.
        style: Kind of language, such as ``subtask`` or ``plan``.
        timestamp: Time from which it is valid [s]; None for events.
        tool_calls: Calls of tools.
    """

    content: str | None = None
    style: str | None = None
    timestamp: _Seconds | None = None
    tool_calls: list[Any] | None = None


class FrameRow(_Row):
    """Row of a frame, without its picture.

    Attributes:
        timestamp: Time of the frame [s].
        episode_index: Number of the episode.
        language_events: Events of this frame.
        subtask_index: Number of the current subtask, used in older data sets.
        task_index: Number of the current task.
    """

    timestamp: _Seconds
    episode_index: _Whole
    language_events: Annotated[list[LanguageRow] | None, BeforeValidator(parse_rows)] = None
    subtask_index: Annotated[int, Field(strict=True)] | None = None
    task_index: int = -1


class EpisodeRow(_Row):
    """Metadata of an episode.

    Attributes:
        episode_index: Number of the episode.
        tasks: Tasks of the episode.
        chunk_index: Number of the frame file's folder.
        file_index: Number of the frame file.
        model_extra: Columns that locate the videos, by camera.
    """

    model_config = ConfigDict(frozen=True, extra="allow")

    episode_index: _Whole
    tasks: list[str] = Field(default_factory=list)
    chunk_index: _Whole = Field(0, alias="data/chunk_index")
    file_index: _Whole = Field(0, alias="data/file_index")

    def video_location(self, camera: str) -> tuple[int, int, float]:
        """Return the folder and file number of a camera's video, and the episode's start in it [s].

        Raises:
            UsageError: If one of these values is not a number.
        """
        extra = self.model_extra or {}
        named = {name: f"videos/{camera}/{name}" for name in _Place.model_fields}
        given = {name: extra[key] for name, key in named.items() if key in extra}
        (place,) = read_rows(_Place, [given], f"episode {self.episode_index}: videos/{camera}")
        return place.chunk_index, place.file_index, place.from_timestamp


class _Place(_Row):
    chunk_index: _Whole = 0
    file_index: _Whole = 0
    from_timestamp: _Seconds = 0.0


_Model = TypeVar("_Model", bound=BaseModel)


def read_rows(model: type[_Model], rows: Sequence[Any], where: Path | str) -> list[_Model]:
    """Return rows validated by a model.

    Raises:
        UsageError: If a row is invalid; the message names the row and its file.
    """
    found: list[_Model] = []
    for number, row in enumerate(rows):
        try:
            found.append(model.model_validate(row))
        except ValidationError as error:
            raise UsageError(f"{where}: row {number}: {first_error(error)}") from None
    return found


def read_row(model: type[_Model], row: Any, where: str, flaws: list[Flaw]) -> _Model | None:
    """Return a row without its invalid optional fields, or None if it cannot be used.

    Args:
        model: Model of the row.
        row: The row.
        where: Location of the row, for messages.
        flaws: List to which flaws are added.
    """
    good = dict(row) if isinstance(row, dict) else row
    while True:
        try:
            return model.model_validate(good)
        except ValidationError as error:
            wrong = error.errors()[0]
            field = str(wrong["loc"][0]) if wrong["loc"] else ""
            optional = field in model.model_fields and not model.model_fields[field].is_required()
            left_out = "this field" if optional else "the row"
            message = f"{field or 'it'}: {wrong['msg'].lower()}; {left_out} is left out"
            flaws.append(Flaw("row", where, message))
            if not optional:
                return None
            good.pop(field)


Texts: TypeAlias = Sequence[tuple[float, str]]
"""Start times [s] and texts of tasks or subtasks."""


def called_actions(
    t: float, events: Sequence[LanguageRow], where: str, flaws: list[Flaw]
) -> Iterator[Action]:
    """Yield the tool calls among a frame's language events as actions; speech is left out.

    Calls in an unknown form are dropped and reported in `flaws`.
    """
    for event in events:
        for call in event.tool_calls or ():
            try:
                function = _parse_object(_parse_object(call).get("function"))
                name, arguments = (
                    str(function["name"]),
                    _parse_object(function.get("arguments") or {}),
                )
            except (KeyError, TypeError, ValueError):
                why = f"at {t:g} s: {call!r:.200} is not a tool call; it is left out"
                flaws.append(Flaw("action", where, why))
                continue
            if name != "say":
                yield Action(t, None, name, arguments)


def _parse_object(value: Any) -> dict[str, Any]:
    """Return a JSON object, given as parsed data or as text, as a dictionary."""
    return dict(parse_rows(value))


def subtasks_with_times(persistent: Sequence[LanguageRow]) -> Texts:
    """Return the subtasks among persistent language rows, with their start times [s]."""
    found = [
        (row.timestamp or 0.0, row.content)
        for row in persistent
        if row.style == "subtask" and row.content
    ]
    return sorted(found)


def subtasks_by_number(folder: Path, numbered: Sequence[tuple[float, int | None]]) -> Texts:
    """Return the subtasks to which frames refer by number, with their start times [s].

    Raises:
        UsageError: If the file with the texts of subtasks cannot be read.
    """
    path = folder / "meta" / "subtasks.parquet"
    if not path.is_file():
        return []
    with open_parquet(path) as file:
        rows = file.read().to_pylist()
    texts: dict[int | None, str] = {}
    for row in rows:
        # the column in which pandas writes an unnamed index
        text = row.get("subtask", row.get("__index_level_0__"))
        if text is None or "subtask_index" not in row:
            raise UsageError(f"{path} lacks the columns subtask and subtask_index")
        texts[row["subtask_index"]] = str(text)
    return [(t, texts[number]) for t, number in numbered if number in texts]


def actions_of_texts(texts: Texts, op: str, end: float) -> tuple[Action, ...]:
    """Return an action for each text, up to the next text. Equal successive texts are one action.

    Args:
        texts: Texts by start time.
        op: Operation of the actions; the argument is the text.
        end: End of the last action [s].
    """
    starts = [*texts[:1], *(after for before, after in pairwise(texts) if after[1] != before[1])]
    ends = [*(t for t, _ in starts[1:]), end]
    return tuple(
        Action(t, max(t, until), op, {"text": text})
        for (t, text), until in zip(starts, ends, strict=True)
    )
