"""Rows of LeRobot data sets: bounds of their numbers."""

from __future__ import annotations

from typing import Any

import pytest

from bt_exec.failure import UsageError
from bt_exec_labeler.episode import Flaw
from bt_exec_labeler.lerobot.rows import (
    EpisodeRow,
    FrameRow,
    LanguageRow,
    parse_rows,
    read_row,
    read_rows,
)


@pytest.mark.parametrize(
    ("number", "good"), [(0, True), (2**53, True), (-1, False), (2**53 + 1, False)]
)
def test_episode_number_must_be_an_exact_integer(number: int, good: bool) -> None:
    flaws: list[Flaw] = []
    row = read_row(FrameRow, {"timestamp": 1.0, "episode_index": number}, "a#1", flaws)
    assert (row is not None) is good
    assert len(flaws) == (0 if good else 1)
    assert all("episode_index: " in flaw.message for flaw in flaws)


@pytest.mark.parametrize("t", [1e9 + 1, -1e9 - 1, float("nan"), "1", None])
def test_frame_time_outside_its_bounds_is_refused(t: Any) -> None:
    flaws: list[Flaw] = []
    assert read_row(FrameRow, {"timestamp": t, "episode_index": 0}, "a#1", flaws) is None
    (flaw,) = flaws
    assert (flaw.kind, flaw.where) == ("row", "a#1")
    assert flaw.message.startswith("timestamp: input should be ")
    assert flaw.message.endswith("; the row is left out")
    for limit in (1e9, -1e9):
        assert read_row(FrameRow, {"timestamp": limit, "episode_index": 0}, "a", [])


def test_only_invalid_optional_fields_are_left_out() -> None:
    flaws: list[Flaw] = []
    data = {"timestamp": 1.0, "episode_index": 2, "subtask_index": "x", "task_index": 5, "more": 1}
    row = read_row(FrameRow, data, "a#1", flaws)
    assert row == FrameRow(timestamp=1.0, episode_index=2, task_index=5)
    assert data["subtask_index"] == "x"
    said = "subtask_index: input should be a valid integer; this field is left out"
    assert flaws == [Flaw("row", "a#1", said)]
    assert FrameRow(timestamp=0.0, episode_index=0).task_index == -1
    assert read_row(FrameRow, 7, "a#2", flaws) is None
    assert flaws[1].message.startswith("it: ")


def test_video_of_an_episode_defaults_to_the_first_file() -> None:
    row = EpisodeRow.model_validate({"episode_index": 3, "videos/cam/file_index": 2})
    assert row.video_location("cam") == (0, 2, 0.0)
    assert row.video_location("other") == (0, 0, 0.0)
    assert (row.chunk_index, row.file_index, row.tasks) == (0, 0, [])
    wrong = EpisodeRow.model_validate({"episode_index": 3, "videos/cam/chunk_index": "x"})
    with pytest.raises(UsageError, match=r"^episode 3: videos/cam: row 0: chunk_index: "):
        wrong.video_location("cam")


def test_invalid_row_is_reported_by_its_number() -> None:
    with pytest.raises(UsageError, match=r"^a: row 1: style: input should be a valid string"):
        read_rows(LanguageRow, [{}, {"style": 1}], "a")
    assert read_rows(LanguageRow, [{"content": "go"}], "a") == [LanguageRow(content="go")]


def test_language_column_may_be_json_text() -> None:
    assert parse_rows('[{"a": 1}]') == [{"a": 1}]
    assert parse_rows([1]) == [1]
    with pytest.raises(ValueError, match="is nested too deeply"):
        parse_rows("[" * 100_000)
