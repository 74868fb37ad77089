from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bt_exec_labeler.clips import RECENT, SUMMARY, cut_clip
from bt_exec_labeler.episode import Episode, Frame, Image, order_frames


@dataclass(frozen=True)
class Drawn:
    t: float
    name: str = "drawn"
    grey: int = 0

    def image(self) -> Image:
        return np.full((4, 6, 3), self.grey, np.uint8)

    def digest(self) -> str:
        return f"{type(self).__name__} {self.grey}"


def episode(*times: float) -> Episode:
    return Episode("e", tuple(Drawn(t, f"{t:g}", int(10 * t) % 256) for t in times))


def every(step_s: float, until_s: float) -> list[float]:
    return [round(step_s * k, 6) for k in range(round(until_s / step_s) + 1)]


def test_recent_clip_has_eight_frames_of_four_seconds() -> None:
    clip = cut_clip(episode(*every(0.1, 20)), 10.0, RECENT)
    assert [frame.t for frame in clip.frames] == [6.5, 7, 7.5, 8, 8.5, 9, 9.5, 10]
    assert len(clip.frames) == RECENT.count


def test_summary_clip_covers_the_last_minute_every_two_seconds() -> None:
    clip = cut_clip(episode(*every(0.5, 100)), 90.0, SUMMARY)
    assert [frame.t for frame in clip.frames] == [32 + 2 * k for k in range(30)]


def test_clip_at_the_start_is_shorter_and_reports_it() -> None:
    clip = cut_clip(episode(*every(0.5, 20)), 1.0, RECENT)
    assert [frame.t for frame in clip.frames] == [0, 0.5, 1]
    assert (clip.before_start, clip.empty_s) == (5, ())


def test_gap_is_reported_and_not_filled_with_an_older_frame() -> None:
    clip = cut_clip(episode(*every(0.5, 6), *[t for t in every(0.5, 20) if t >= 8]), 8.5, RECENT)
    assert clip.empty_s == (6.5, 7.0, 7.5)
    assert [frame.t for frame in clip.frames] == [5, 5.5, 6, 8, 8.5]


@settings(suppress_health_check=[HealthCheck.too_slow])  # a busy machine may be slow
@given(st.lists(st.floats(0, 30, allow_nan=False), max_size=60, unique=True), st.floats(0, 30))
def test_clip_has_no_future_repeated_or_outdated_frames(times: list[float], t: float) -> None:
    for form in (RECENT, SUMMARY):
        clip = cut_clip(episode(*sorted(times)), t, form)
        shown = [frame.t for frame in clip.frames]
        assert shown == sorted(set(shown))
        assert all(moment <= t + 1e-5 for moment in shown)
        assert len(shown) + clip.before_start + len(clip.empty_s) == form.count
        assert all(t - moment < form.count * form.step_s for moment in shown)


def test_digest_depends_on_pixels_and_relative_times() -> None:
    whole = episode(*every(0.5, 20))
    same = Episode("other", tuple(Drawn(f.t + 5, f.name, f.grey) for f in whole.frames))  # type: ignore[attr-defined]
    assert cut_clip(whole, 8.0, RECENT).digest() == cut_clip(same, 13.0, RECENT).digest()
    assert cut_clip(whole, 8.0, RECENT).digest() != cut_clip(whole, 8.5, RECENT).digest()
    later = Episode("l", tuple(Drawn(f.t - 0.1, f.name, f.grey) for f in whole.frames[1:]))  # type: ignore[attr-defined]
    assert cut_clip(whole, 8.0, RECENT).digest() != cut_clip(later, 8.0, RECENT).digest()


@pytest.mark.parametrize(
    ("times", "kinds", "kept"),
    [
        ((0, 1, 2), [], (0, 1, 2)),
        ((0, 2, 1, 3), ["out_of_order"], (0, 1, 2, 3)),
        ((3, 4, 5, 0, 1, 2), ["out_of_order"], (0, 1, 2, 3, 4, 5)),
        ((0, 1, 9), ["gap"], (0, 1, 9)),
        ((0.1, 0.1 + 3.0000000001), [], (0.1, 3.1000000001)),
        ((0, 1, 1, 2), ["double_time"], (0, 1, 2)),
        ((0, 1, 2, 3, 4, 2.5, 3.5, 4.5, 5.5), ["clock_back"], (0, 1, 2, 4.5, 5.5)),
    ],
)
def test_flawed_frame_times_are_reported(
    times: tuple[float, ...], kinds: list[str], kept: tuple[float, ...]
) -> None:
    frames: list[Frame] = [Drawn(t) for t in times]
    in_order, flaws, doubts = order_frames(frames, 3.0)
    assert tuple(frame.t for frame in in_order) == kept
    assert [flaw.kind for flaw in flaws] == kinds
    assert sorted(d.kind for d in doubts if d.end < 99) == sorted(
        kind.replace("gap", "missing_frames") for kind in kinds if kind in ("clock_back", "gap")
    )


def test_frame_times_of_a_clip_are_relative_to_its_moment() -> None:
    clip = cut_clip(episode(0.0, 1.0, 1.5), 2.0, RECENT)
    assert clip.frame_digests() == [("Drawn 0", -2.0), ("Drawn 10", -1.0), ("Drawn 15", -0.5)]
    assert cut_clip(episode(7.0, 8.0, 8.5), 9.0, RECENT).frame_digests()[-1] == ("Drawn 85", -0.5)

    class Gone(Drawn):
        def digest(self) -> str:
            raise OSError

    lost = Episode("e", (Gone(0.0),))
    assert cut_clip(lost, 0.0, RECENT).frame_digests() == [("unreadable: OSError", 0.0)]


def test_clip_has_a_start_time_and_counts_slots_before_the_episode() -> None:
    whole = cut_clip(episode(*every(0.5, 9.0)), 8.0, RECENT)
    assert (whole.start_s, whole.before_start) == (4.5, 0)
    early = cut_clip(episode(*every(0.5, 9.0)), 3.0, RECENT)
    assert (early.start_s, early.before_start) == (-0.5, 1)
    assert cut_clip(Episode("e", ()), 3.0, SUMMARY).before_start == SUMMARY.count
