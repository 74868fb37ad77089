from __future__ import annotations

import json
from typing import Any

import pytest

from bt_exec_labeler.record import FIELDS, Breach, Record, built, read_record
from bt_exec_labeler.vocabulary import Vocabulary

GOOD: dict[str, Any] = {
    "mid_step_id": "talk_gate_guard",
    "short_goal_dsl": [{"op": "TALK", "args": {"to": "guard"}}],
    "horizon_steps": 5,
    "terminate_on": "done_evidence_or_replan",
    "done_evidence": ["dialog_open"],
    "fallback_if_failed": ["recenter_camera"],
    "uncertainty": "low",
}
GOAL = GOOD["short_goal_dsl"][0]


def test_valid_record_is_read_unchanged(vocabulary: Vocabulary) -> None:
    record = read_record(GOOD, vocabulary, "talk_gate_guard")
    assert isinstance(record, Record)
    assert json.loads(json.dumps(record.to_dict())) == GOOD
    assert Record.from_dict(GOOD) == record


def test_version_and_id_are_written_only_by_the_builder(vocabulary: Vocabulary) -> None:
    record = Record.from_dict(GOOD)
    made = built(record, vocabulary, "game_01", 12.5)
    assert list(made) == ["schema_version", "plan_id", *FIELDS]
    assert (made["schema_version"], made["plan_id"]) == ("plan_v1.0", "plan_game_01_12.5")


WRONG: list[tuple[str, Any]] = [
    ("NOT_AN_OBJECT", None),
    ("NOT_AN_OBJECT", []),
    ("NOT_AN_OBJECT", "MOVE_NAV"),
    ("NOT_AN_OBJECT", 7),
    ("INJECTED_FIELD", {"schema_version": "plan_v1.0"}),
    ("INJECTED_FIELD", {"plan_id": "plan_game_01_3"}),
    ("UNKNOWN_FIELD", {"reason": "because"}),
    ("UNKNOWN_FIELD", {"summary_clip": []}),
    ("UNKNOWN_FIELD", {"retrieved_memory": []}),
    ("UNKNOWN_MID_STEP", {"mid_step_id": "walk around freely"}),
    ("UNKNOWN_MID_STEP", {"mid_step_id": "TALK_GATE_GUARD"}),
    ("UNKNOWN_MID_STEP", {"mid_step_id": ""}),
    ("WRONG_TYPE", {"mid_step_id": 4}),
    ("OTHER_MID_STEP", {"mid_step_id": "rest", "short_goal_dsl": [{"op": "REST", "args": {}}]}),
    ("WRONG_TYPE", {"short_goal_dsl": "TALK(guard)"}),
    ("WRONG_TYPE", {"short_goal_dsl": {"op": "TALK"}}),
    ("WRONG_TYPE", {"short_goal_dsl": ["TALK"]}),
    ("EMPTY_GOAL", {"short_goal_dsl": []}),
    ("GOAL_TOO_LONG", {"short_goal_dsl": [GOAL] * 4}),
    ("UNKNOWN_OP", {"short_goal_dsl": [{"op": "SHOUT", "args": {}}]}),
    ("UNKNOWN_OP", {"short_goal_dsl": [{"op": "talk", "args": {"to": "guard"}}]}),
    ("UNKNOWN_OP", {"short_goal_dsl": [{"args": {"to": "guard"}}]}),
    ("UNKNOWN_OP", {"short_goal_dsl": [{"op": ["TALK"]}]}),
    ("UNKNOWN_FIELD", {"short_goal_dsl": [{**GOAL, "then": []}]}),
    ("WRONG_TYPE", {"short_goal_dsl": [{"op": "TALK", "args": ["guard"]}]}),
    ("MISSING_ARGUMENT", {"short_goal_dsl": [{"op": "TALK", "args": {}}]}),
    ("UNKNOWN_ARGUMENT", {"short_goal_dsl": [{"op": "TALK", "args": {"to": "guard", "s": 1}}]}),
    ("ARGUMENT_VALUE", {"short_goal_dsl": [{"op": "TALK", "args": {"to": "dragon"}}]}),
    ("ARGUMENT_TYPE", {"short_goal_dsl": [{"op": "TALK", "args": {"to": 1}}]}),
    ("ARGUMENT_TYPE", {"short_goal_dsl": [{"op": "TALK", "args": {"to": None}}]}),
    ("OP_NOT_OF_STEP", {"short_goal_dsl": [{"op": "REST", "args": {}}]}),
    ("OP_NOT_OF_STEP", {"short_goal_dsl": [GOAL, {"op": "OPEN", "args": {"what": "gate"}}]}),
    ("HORIZON_RANGE", {"horizon_steps": 0}),
    ("HORIZON_RANGE", {"horizon_steps": -3}),
    ("HORIZON_RANGE", {"horizon_steps": 21}),
    ("HORIZON_RANGE", {"horizon_steps": 10**9}),
    ("WRONG_TYPE", {"horizon_steps": 2.5}),
    ("WRONG_TYPE", {"horizon_steps": "5"}),
    ("WRONG_TYPE", {"horizon_steps": True}),
    ("WRONG_TYPE", {"horizon_steps": None}),
    ("UNKNOWN_TERMINATE", {"terminate_on": "done"}),
    ("UNKNOWN_TERMINATE", {"terminate_on": "done_evidence_or_replan|strict_horizon"}),
    ("WRONG_TYPE", {"terminate_on": ["strict_horizon"]}),
    ("UNKNOWN_EVIDENCE", {"done_evidence": ["the guard smiles"]}),
    ("UNKNOWN_EVIDENCE", {"done_evidence": ["dialog_open", "Dialog_Open"]}),
    ("WRONG_TYPE", {"done_evidence": "dialog_open"}),
    ("WRONG_TYPE", {"done_evidence": [["dialog_open"]]}),
    ("TWICE", {"done_evidence": ["dialog_open", "dialog_open"]}),
    ("TOO_MANY", {"done_evidence": ["dialog_open"] * 9}),
    ("NO_EVIDENCE", {"done_evidence": []}),
    ("UNKNOWN_FALLBACK", {"fallback_if_failed": ["run away"]}),
    ("UNKNOWN_FALLBACK", {"fallback_if_failed": ["dialog_open"]}),
    ("WRONG_TYPE", {"fallback_if_failed": None}),
    ("TWICE", {"fallback_if_failed": ["step_back", "step_back"]}),
    ("UNKNOWN_UNCERTAINTY", {"uncertainty": "medium"}),
    ("NOT_STORABLE", {"short_goal_dsl": [{"op": "TALK", "args": {"to": "\udc80"}}]}),
    ("NOT_STORABLE", {"\ud800": 1}),
    ("UNKNOWN_UNCERTAINTY", {"uncertainty": "low|mid|high"}),
    ("WRONG_TYPE", {"uncertainty": 0.2}),
    *[("MISSING_FIELD", {name: ...}) for name in FIELDS],
]


@pytest.mark.parametrize(("code", "change"), WRONG)
def test_every_breach_has_a_name(code: str, change: Any, vocabulary: Vocabulary) -> None:
    data = change
    if isinstance(change, dict):
        data = {key: value for key, value in {**GOOD, **change}.items() if value is not ...}
    found = read_record(data, vocabulary, "talk_gate_guard")
    assert isinstance(found, tuple)
    assert code in {breach.code for breach in found}
    assert all(isinstance(breach, Breach) and breach.where and breach.message for breach in found)


def test_all_breaches_are_reported_at_once(vocabulary: Vocabulary) -> None:
    data = {**GOOD, "uncertainty": "none", "horizon_steps": 99, "done_evidence": ["x"]}
    found = read_record(data, vocabulary)
    assert isinstance(found, tuple)
    assert [str(breach) for breach in found] == [
        "horizon_steps: must be from 1 to 20; found 99 [HORIZON_RANGE]",
        "done_evidence[0]: 'x' is not listed; allowed: dialog_open, at=key, bag.key=held, at=gate, "
        "dialog=open … [UNKNOWN_EVIDENCE]",
        "uncertainty: 'none' is not listed; allowed: low, mid, high [UNKNOWN_UNCERTAINTY]",
    ]


def test_numbers_are_bounded(vocabulary: Vocabulary) -> None:
    walk = {"text": "Walk.", "args": {"seconds": {"type": "number", "minimum": 1, "maximum": 10}}}
    data = {**vocabulary.model_dump(), "ops": {**vocabulary.model_dump()["ops"], "WALK": walk}}
    step = {"text": {"en": "Walk."}, "ops": ["WALK"]}
    other = Vocabulary.model_validate({**data, "mid_steps": {**data["mid_steps"], "walk": step}})
    for seconds, code in ((1, ""), (10.0, ""), (0.9, "ARGUMENT_RANGE"), (float("nan"), "RANGE")):
        goal = {"op": "WALK", "args": {"seconds": seconds}}
        found = read_record({**GOOD, "mid_step_id": "walk", "short_goal_dsl": [goal]}, other)
        codes = {breach.code for breach in found} if isinstance(found, tuple) else set()
        assert any(code in name for name in codes) if code else not codes


@pytest.mark.parametrize("bounds", [{}, {"minimum": 0, "maximum": 9}])
@pytest.mark.parametrize("kind", ["number", "integer"])
@pytest.mark.parametrize("value", [10**400, -(10**400), float("inf"), -float("inf")])
def test_number_that_no_robot_can_use_is_out_of_range(
    value: float, kind: str, bounds: dict[str, float], vocabulary: Vocabulary
) -> None:
    data = vocabulary.model_dump()
    data["ops"]["TALK"]["args"] = {"seconds": {"type": kind, **bounds}}
    data["mid_steps"]["talk_gate_guard"]["args"] = {}
    goal = {"op": "TALK", "args": {"seconds": value}}
    found = read_record({**GOOD, "short_goal_dsl": [goal]}, Vocabulary.model_validate(data))
    assert isinstance(found, tuple)
    (wrong,) = found
    is_float = isinstance(value, float)
    assert wrong.code == ("ARGUMENT_TYPE" if kind == "integer" and is_float else "ARGUMENT_RANGE")
    assert len(wrong.message) < 120


@pytest.mark.parametrize("length", range(55, 65))
def test_long_value_is_cut_to_sixty_characters(length: int, vocabulary: Vocabulary) -> None:
    found = read_record({**GOOD, "uncertainty": "x" * length}, vocabulary)
    assert isinstance(found, tuple)
    shown = found[0].message.partition(" is not listed")[0]
    whole = repr("x" * length)
    assert shown == (whole if len(whole) <= 60 else f"{whole[:57]}…")
