from __future__ import annotations

import pytest

from bt_exec_labeler.checking import figures_of
from bt_exec_labeler.clips import RECENT, cut
from bt_exec_labeler.episode import Action, Episode, ordered
from bt_exec_labeler.items import ControllerItem, flaws_of, items_of
from bt_exec_labeler.vocabulary import Vocabulary

from .test_clips import Drawn


def walk(t: float, end: float, state: str = "done") -> Action:
    return Action(t, end, "MOVE_NAV", {"target": "gate"}, state)  # type: ignore[arg-type]


def names(vocabulary: Vocabulary, *actions: Action) -> list[str]:
    frames = tuple(Drawn(actions[0].t + k / 2) for k in range(20))
    episode = Episode("e", frames, actions)
    return [item.id for item in items_of(episode, vocabulary, "controller")]


def test_attempt_without_duration_has_no_moment_beside_the_next(
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
    figures, flaws = figures_of(episode, vocabulary)
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
    frames, _, doubts = ordered([Drawn(t) for t in times], 2.0)
    episode = Episode("e", frames, doubts=doubts)
    found = {
        t: flaws_of(ControllerItem(episode, t, "rest", cut(episode, t, RECENT))) for t in range(9)
    }
    assert [t for t, flaws in found.items() if flaws] == marked
    assert {flaw["code"] for flaws in found.values() for flaw in flaws} <= {"MISSING_FRAMES"}
