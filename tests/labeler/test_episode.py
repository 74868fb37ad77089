"""Order of frames, uncertain parts, and names of moments."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bt_exec_labeler.episode import (
    Action,
    Doubt,
    Episode,
    FileFrame,
    Flaw,
    file_digest,
    order_frames,
    time_text,
)

E = 1e-6


def frames(*times: float) -> list[Any]:
    return [FileFrame(t, Path(f"{number}.png")) for number, t in enumerate(times)]


def after(last: float, name: str, longest: float) -> Doubt:
    late = (last + longest + E, math.inf)
    return Doubt("missing_frames", name, f"no frame after {last:g} s", *late)


def test_pause_longer_than_the_limit_is_a_gap() -> None:
    in_order, flaws, doubts = order_frames(frames(0, 1, 2.0, 3.5), 1.0)
    assert [frame.t for frame in in_order] == [0, 1, 2, 3.5]
    said = "no frame between 2 s and 3.5 s"
    assert flaws == (Flaw("gap", "3.png", said),)
    missing = Doubt("missing_frames", "3.png", said, 2.0 + E, 3.5 - E)
    assert doubts == (missing, after(3.5, "3.png", 1.0))
    assert order_frames([], 1.0) == ((), (), ())


def test_frames_at_repeated_times_are_dropped_when_the_clock_jumps_back() -> None:
    in_order, flaws, doubts = order_frames(frames(0, 1, 2, 3, 1, 2, 3, 4), 9.0)
    assert [frame.t for frame in in_order] == [0, 4]
    said = (
        "the clock jumps back from 3 s to 1 s; frames from 1 s to 3 s are left out: these times "
        "occur twice"
    )
    assert flaws == (Flaw("clock_back", "4.png", said),)
    assert doubts == (Doubt("clock_back", "4.png", said, 1, 3), after(4, "7.png", 9.0))


@pytest.mark.parametrize(
    "times",
    [
        (0, 1, 2, 1.5, 3),  # one frame in the wrong place
        (2, 3, 0, 1),  # two parts in another order
        (5, 4, 3, 2, 1, 0, 0.5),  # too many jumps for a clock
    ],
)
def test_unordered_frames_are_sorted_without_loss(times: Sequence[float]) -> None:
    in_order, flaws, doubts = order_frames(frames(*times), 9.0)
    assert [frame.t for frame in in_order] == sorted(times)
    back = [(a, b) for a, b in pairwise(times) if b < a]
    assert [flaw.message for flaw in flaws] == [f"at {b:g} s comes after {a:g} s" for a, b in back]
    assert {flaw.kind for flaw in flaws} == {"out_of_order"}
    assert len(doubts) == 1


def test_more_than_five_backward_jumps_are_treated_as_a_wrong_order() -> None:
    part = (0, 1, 2)
    assert order_frames(frames(*part * 6), 9.0)[0] == ()
    assert [frame.t for frame in order_frames(frames(*part * 7), 9.0)[0]] == [0, 1, 2]


def test_last_of_several_frames_with_the_same_time_is_used() -> None:
    in_order, flaws, _ = order_frames(frames(0, 1, 1, 1, 2), 9.0)
    assert [frame.name for frame in in_order] == ["0.png", "3.png", "4.png"]
    said = "2 frames have the time of another, the first at 1 s"
    assert flaws == (Flaw("double_time", "2.png", said),)


@given(st.floats(0, 1e6, allow_nan=False))
def test_time_text_keeps_microseconds(t: float) -> None:
    text = time_text(t)
    assert abs(float(text) - t) <= 5.1e-7
    assert text == "0" or text.strip("0") not in ("", ".")
    assert not text.endswith(".")
    assert "." not in text or not text.endswith("0")


def test_time_text_of_whole_seconds_has_no_decimal_point() -> None:
    assert [time_text(t) for t in (0.0, 10.0, 2.5, 0.000001, 1200.0)] == [
        "0", "10", "2.5", "0.000001", "1200"
    ]  # fmt: skip


def test_duration_is_the_time_of_the_last_frame_or_action() -> None:
    shown = tuple(frames(0, 1, 2))
    assert Episode("e", ()).duration_s == 0.0
    assert Episode("e", shown).duration_s == 2
    assert Episode("e", shown, (Action(1, 5, "A"), Action(3, None, "B"))).duration_s == 5
    assert Episode("e", shown, (Action(1, 1.5, "A"), Action(3, None, "B"))).duration_s == 3
    assert Episode("e", (), (Action(3, None, "B"),)).duration_s == 3
    assert Episode("e", shown).times == (0, 1, 2)


def test_digest_follows_the_content_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(b"one")
    before = file_digest(path)
    assert before == "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed"
    assert FileFrame(0.0, path).digest() == before
    path.write_bytes(b"other")
    assert file_digest(path) != before
    with pytest.raises(OSError, match="nowhere"):
        file_digest(tmp_path / "nowhere")
