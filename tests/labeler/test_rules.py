from __future__ import annotations

from collections.abc import Sequence

from bt_exec_labeler.episode import Action, Episode
from bt_exec_labeler.labeler_items import ControllerItem, Item, items_of
from bt_exec_labeler.labelers import Labelled
from bt_exec_labeler.labelers.recorded_action_labeler import RulesLabeler
from bt_exec_labeler.mid_step_spans import spans_of
from bt_exec_labeler.plan_record import Goal, Record
from bt_exec_labeler.vocabulary import Vocabulary

from .test_clips import Drawn


def labelled(vocabulary: Vocabulary, *actions: Action) -> list[tuple[Item, Record]]:
    frames = tuple(Drawn(k / 2) for k in range(200))
    episode = Episode("e", frames, actions)
    items = list(items_of(episode, vocabulary, "controller"))
    found: Sequence[Labelled] = RulesLabeler(vocabulary).label(items)
    assert items
    return [(item, one.record) for item, one in zip(items, found, strict=True) if one.record]


def walk(t: float, end: float | None, target: str = "gate", **more: object) -> Action:
    return Action(t, end, "MOVE_NAV", {"target": target}, **{"state": "done", **more})  # type: ignore[arg-type]


def test_record_contains_the_remaining_actions(vocabulary: Vocabulary) -> None:
    found = labelled(vocabulary, walk(1.0, 4.0, facts={"at": "gate"}))
    assert [item.t for item, _ in found] == [1, 1.5, 2, 2.5, 3, 3.5]
    assert [record.horizon_steps for _, record in found] == [6, 5, 4, 3, 2, 1]
    for _, record in found:
        assert record.short_goal_dsl == (Goal("MOVE_NAV", {"target": "gate"}),)
        assert record.done_evidence == ("at=gate",)
        assert (record.terminate_on, record.uncertainty) == ("done_evidence_or_replan", "low")
        assert record.fallback_if_failed == ("recenter_camera",)


def test_record_of_a_failure_is_uncertain_and_its_fallback_is_the_next_action(
    vocabulary: Vocabulary,
) -> None:
    found = labelled(
        vocabulary,
        Action(0, 1, "OPEN", {"what": "gate"}, "failed", "STUCK"),
        walk(1, 2, "key"),
    )
    _, record = found[0]
    assert (record.uncertainty, record.terminate_on) == ("high", "strict_horizon")
    assert record.fallback_if_failed == ("MOVE_NAV", "recenter_camera")


def test_short_goal_longer_than_the_horizon_ends_by_time(vocabulary: Vocabulary) -> None:
    found = labelled(vocabulary, walk(0, 25.0, facts={"at": "gate"}))
    _, first = found[0]
    assert (first.horizon_steps, first.terminate_on, first.done_evidence) == (
        20,
        "strict_horizon",
        (),
    )
    assert first.uncertainty == "mid"
    later = [record for item, record in found if item.t >= 15]
    assert later
    assert {record.terminate_on for record in later} == {"done_evidence_or_replan"}


def test_goal_contains_the_next_actions_up_to_the_limit(vocabulary: Vocabulary) -> None:
    actions = [walk(float(n), n + 1.0) for n in range(5)]
    found = labelled(vocabulary, *actions)
    most = vocabulary.limits.goal_ops
    assert [len(record.short_goal_dsl) for item, record in found if item.t % 1 == 0] == [
        *(min(most, 5 - n) for n in range(5))
    ]


def test_action_without_an_end_lasts_until_the_next(vocabulary: Vocabulary) -> None:
    found = labelled(vocabulary, walk(0, None, "key", state="unknown"), walk(2, 3, "gate"))
    mine = [(item.t, r.horizon_steps, r.uncertainty) for item, r in found if item.t < 2]
    assert mine == [(0, 4, "mid"), (0.5, 3, "mid"), (1, 2, "mid"), (1.5, 1, "mid")]


def test_span_ends_with_its_mid_step_or_at_a_failure(vocabulary: Vocabulary) -> None:
    actions = (
        walk(0, 1),
        walk(1, 2),
        walk(2, 3, state="failed"),
        walk(3, 4),
        walk(4, 5, "key"),
        Action(5, 6, "FLY"),
        walk(6, 7, "key"),
    )
    spans = spans_of(Episode("e", (), actions), vocabulary)
    assert [(span.mid_step_id, span.t, span.end, span.first) for span in spans] == [
        ("go_to_gate", 0, 3, 0),
        ("go_to_gate", 3, 4, 3),
        ("go_to_key", 4, 5, 4),
        ("go_to_key", 6, 7, 6),
    ]


def test_recording_without_actions_has_no_records(
    items: Sequence[Item], vocabulary: Vocabulary
) -> None:
    item = items[0]
    blind = ControllerItem(item.episode, item.t, item.mid_step_id, item.recent)
    (found,) = RulesLabeler(vocabulary).label([blind])
    assert found.record is None
    assert [breach.code for breach in found.breaches] == ["NO_ACTIONS"]


def test_arguments_outside_the_vocabulary_are_dropped(vocabulary: Vocabulary) -> None:
    action = Action(0, 2, "MOVE_NAV", {"target": "gate", "speed": 0.5}, "done")
    (_, first), *_ = labelled(vocabulary, action)
    assert first.short_goal_dsl == (Goal("MOVE_NAV", {"target": "gate"}),)
