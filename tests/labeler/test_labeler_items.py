from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bt_exec_labeler.cli_commands import episode_figures
from bt_exec_labeler.clips import RECENT, cut_clip
from bt_exec_labeler.episode import Action, Episode, order_frames
from bt_exec_labeler.labeler_items import (
    ControllerItem,
    cache_key,
    clips_end_s,
    content_key,
    count_moments,
    flaws_of,
    item_at,
    items_of,
    moment_times,
)
from bt_exec_labeler.mid_step_spans import Span
from bt_exec_labeler.vocabulary import Vocabulary

from .test_clips import Drawn


def walk(t: float, end: float, state: str = "done") -> Action:
    return Action(t, end, "MOVE_NAV", {"target": "gate"}, state)  # type: ignore[arg-type]


def names(vocabulary: Vocabulary, *actions: Action) -> list[str]:
    frames = tuple(Drawn(actions[0].t + k / 2) for k in range(20))
    episode = Episode("e", frames, actions)
    return [item.id for item in items_of(episode, vocabulary, "controller")]


def test_instantaneous_attempt_has_no_moment_at_the_start_of_the_next(
    vocabulary: Vocabulary,
) -> None:
    found = names(vocabulary, walk(1, 1, "failed"), walk(1, 1, "failed"), walk(1, 2))
    assert found == ["controller:e:1:go_to_gate", "controller:e:1.5:go_to_gate"]
    alone = names(vocabulary, walk(1, 1, "failed"), walk(1.25, 1.5))
    assert alone == ["controller:e:1:go_to_gate", "controller:e:1.25:go_to_gate"]


def test_late_moments_of_a_long_recording_have_unique_names(
    vocabulary: Vocabulary,
) -> None:
    found = names(vocabulary, walk(200_000, 200_002))
    assert found == [
        f"controller:e:{t}:go_to_gate" for t in ("200000", "200000.5", "200001", "200001.5")
    ]


@pytest.mark.parametrize("rest", [12, 12.3, 12.7, 900, 1e12])
def test_action_beyond_the_last_frame_is_truncated(vocabulary: Vocabulary, rest: float) -> None:
    """The last frame is at 10.5 s, and a clip contains it until 14.5 s."""
    frames = tuple(Drawn(1 + k / 2) for k in range(20))
    action = walk(1, 1 + rest)
    episode = Episode("e", frames, (action,))
    shown = list(items_of(episode, vocabulary, "controller"))
    assert len(shown) == min(int(2 * rest), 27)
    figures, flaws = episode_figures(episode, vocabulary)
    assert figures["moments"] + figures["lost"] == int(2 * rest)
    assert [flaw.kind for flaw in flaws] == ["lost"] * (rest > 13.5)


@pytest.mark.parametrize(
    ("times", "marked"),
    [
        ([0, 1, 2, 3, 4, 5, 6, 7, 8], []),  # a slow camera without gaps
        ([0, 1, 2, 5, 6, 7, 8], [3, 4, 5, 6, 7, 8]),
        ([0, 1, 2, 3, 4], [7, 8]),
    ],
)
def test_moments_with_missing_frames_are_marked(
    vocabulary: Vocabulary, times: list[float], marked: list[float]
) -> None:
    frames, _, doubts = order_frames([Drawn(t) for t in times], 2.0)
    episode = Episode("e", frames, doubts=doubts)
    found = {
        t: flaws_of(ControllerItem(episode, t, "rest", cut_clip(episode, t, RECENT)))
        for t in range(9)
    }
    assert [t for t, flaws in found.items() if flaws] == marked
    assert {flaw["code"] for flaws in found.values() for flaw in flaws} <= {"MISSING_FRAMES"}


def test_cache_key_includes_the_context_only_if_present(vocabulary: Vocabulary) -> None:
    bare = ControllerItem(Episode("e", ()), 1.0, "rest", cut_clip(Episode("e", ()), 1.0, RECENT))
    key = cache_key(bare, vocabulary)
    assert key == f"controller/{bare.clip_hash}/rest/plan_v1.0"
    about = [
        replace(bare, episode=Episode("e", (), command="go")),
        replace(bare, constraints=("go",)),
        replace(bare, events=("go",)),
        replace(bare, state_summary="go"),
    ]
    keys = [cache_key(one, vocabulary) for one in about]
    assert all(one.startswith(f"{key}/") and len(one) == len(key) + 17 for one in keys)
    assert len(set(keys)) >= 2
    other = item_at(bare.episode, 1.0, "rest", "planner", vocabulary)
    assert cache_key(other, vocabulary).startswith(f"planner/{other.clip_hash}/")


def test_content_key_depends_on_every_part_of_a_moment(vocabulary: Vocabulary) -> None:
    acts = (walk(0, 1), walk(1, 2, "failed"), walk(2, 3))
    shown = Episode("e", (Drawn(0.0), Drawn(1.0)), acts)
    first, *_, last = items_of(shown, vocabulary, "controller")
    assert first.span is not None
    changes: list[dict[str, Any]] = [
        {},
        {"t": 1.25},
        {"mid_step_id": "rest"},
        {"recent": cut_clip(shown, 1.0, RECENT)},
        {"span": None},
        {"span": replace(first.span, after=None)},
        {"span": replace(first.span, before=acts[1])},
        {"span": replace(first.span, actions=acts[2:])},
        {"episode": replace(shown, command="go")},
        {"constraints": ("No.",)},
        {"events": ("No.",)},
        {"state_summary": "No."},
    ]
    keys = [content_key(replace(first, **change)) for change in changes]
    assert len(set(keys)) == len(keys)
    assert {len(key) for key in keys} == {32}
    assert content_key(last) not in keys


@pytest.mark.parametrize(
    ("end", "stride", "until", "count"),
    [
        (2.0, 0.5, 9.0, 4),
        (2.0, 0.5, 1.0, 2),
        (2.2, 0.5, 9.0, 4),
        (0.0, 0.5, 9.0, 1),
        (0.3, 0.1, 9, 3),
    ],
)
def test_span_has_a_moment_after_each_stride(
    end: float, stride: float, until: float, count: int
) -> None:
    span = Span("rest", (Action(0.0, end, "REST"),), 0)
    assert count_moments(span, stride, until) == count
    assert moment_times(span, stride, until) == [pytest.approx(stride * k) for k in range(count)]


def test_clips_end_after_the_last_frame_plus_clip_length_and_stride() -> None:
    assert clips_end_s(Episode("e", (Drawn(1.0), Drawn(7.0))), 0.5) == 7.0 + 4.0 + 0.5
    assert clips_end_s(Episode("e", ()), 2.0) == 6.0
