from __future__ import annotations

from bt_exec_labeler.episode import Action, Episode
from bt_exec_labeler.items import items_of
from bt_exec_labeler.vocabulary import Vocabulary

from .test_clips import Drawn


def walk(t: float, end: float, state: str = "done") -> Action:
    return Action(t, end, "MOVE_NAV", {"target": "gate"}, state)  # type: ignore[arg-type]


def names(vocabulary: Vocabulary, *actions: Action) -> list[str]:
    frames = tuple(Drawn(actions[0].t + k / 2) for k in range(20))
    episode = Episode("e", frames, actions)
    return [item.id for item in items_of(episode, vocabulary, "controller")]


def test_an_attempt_that_took_no_time_has_no_moment_beside_the_next(
    vocabulary: Vocabulary,
) -> None:
    found = names(vocabulary, walk(1, 1, "failed"), walk(1, 1, "failed"), walk(1, 2))
    assert found == ["controller:e:1:go_to_gate", "controller:e:1.5:go_to_gate"]
    alone = names(vocabulary, walk(1, 1, "failed"), walk(1.25, 1.5))
    assert alone == ["controller:e:1:go_to_gate", "controller:e:1.25:go_to_gate"]


def test_late_in_a_long_recording_moments_keep_names_of_their_own(
    vocabulary: Vocabulary,
) -> None:
    found = names(vocabulary, walk(200_000, 200_002))
    assert found == [
        f"controller:e:{t}:go_to_gate" for t in ("200000", "200000.5", "200001", "200001.5")
    ]
