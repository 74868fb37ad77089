from __future__ import annotations

import json
from typing import Any

import pytest

from bt_exec_labeler.plan_record import FIELDS, Breach, Record, build_record, read_record
from bt_exec_labeler.testing.toy_game_episodes import VOCABULARY
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


def test_version_and_id_are_added_by_the_builder(vocabulary: Vocabulary) -> None:
    record = Record.from_dict(GOOD)
    made = build_record(record, vocabulary, "game_01", 12.5)
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
def test_every_breach_has_a_code(code: str, change: Any, vocabulary: Vocabulary) -> None:
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


def test_number_outside_its_bounds_is_a_breach(vocabulary: Vocabulary) -> None:
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
def test_infinite_or_huge_number_is_out_of_range(
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
def test_long_value_is_truncated_to_sixty_characters(length: int, vocabulary: Vocabulary) -> None:
    found = read_record({**GOOD, "uncertainty": "x" * length}, vocabulary)
    assert isinstance(found, tuple)
    shown = found[0].message.partition(" is not listed")[0]
    whole = repr("x" * length)
    assert shown == (whole if len(whole) <= 60 else f"{whole[:57]}…")


WAIT: dict[str, Any] = {
    "s": {"type": "number", "minimum": 0, "maximum": 9},
    "n": {"type": "integer", "minimum": 1, "required": False},
    "loud": {"type": "boolean", "required": False},
    "word": {"type": "text", "required": False},
    "any": {"type": "number", "required": False},
}
"""Arguments of every type; three operations and four words are allowed in a record."""


@pytest.fixture(scope="module")
def waiting() -> Vocabulary:
    steps = {**VOCABULARY["mid_steps"], "wait": {"text": {"en": "Wait."}}}
    ops = {**VOCABULARY["ops"], "WAIT": {"args": WAIT}}
    return Vocabulary.model_validate({**VOCABULARY, "mid_steps": steps, "ops": ops})


def goal(**args: Any) -> dict[str, Any]:
    return {"op": "WAIT", "args": {"s": 1, **args}}


def goals(*entries: Any) -> dict[str, Any]:
    return {"short_goal_dsl": list(entries)}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (goals(goal(s=0)), ""),
        (goals(goal(s=9)), ""),
        (goals(goal(s=-0.5)), "[0].args.s: must be from 0 to 9; found -0.5 [ARGUMENT_RANGE]"),
        (goals(goal(s=9.5)), "[0].args.s: must be from 0 to 9; found 9.5 [ARGUMENT_RANGE]"),
        (goals(goal(s=True)), "[0].args.s: must be a number; found True [ARGUMENT_TYPE]"),
        (goals(goal(s="1")), "[0].args.s: must be a number; found '1' [ARGUMENT_TYPE]"),
        (goals(goal(n=1)), ""),
        (goals(goal(n=0)), "[0].args.n: must be from 1 to 1e+300; found 0 [ARGUMENT_RANGE]"),
        (goals(goal(n=1.5)), "[0].args.n: must be a whole number; found 1.5 [ARGUMENT_TYPE]"),
        (goals(goal(loud=True)), ""),
        (goals(goal(loud=1)), "[0].args.loud: must be true or false; found 1 [ARGUMENT_TYPE]"),
        (goals(goal(word="x")), ""),
        (goals(goal(word=1)), "[0].args.word: must be text; found 1 [ARGUMENT_TYPE]"),
        (goals(goal(any=1e300)), ""),
        (goals(goal(any=-1e300)), ""),
        (
            goals(goal(any=2e300)),
            "[0].args.any: must be from -1e+300 to 1e+300; found 2e+300 [ARGUMENT_RANGE]",
        ),
        (
            goals(goal(x=1)),
            "[0].args.x: 'x' is not listed; allowed: s, n, loud, word, any [UNKNOWN_ARGUMENT]",
        ),
        (goals({"op": "WAIT"}), "[0].args.s: is missing [MISSING_ARGUMENT]"),
        (
            goals({"op": "WAIT", "args": []}),
            "[0].args: must be an object; found [] [WRONG_TYPE]",
        ),
        (goals({**goal(), "z": 1}), "[0].z: is not a field; allowed: op, args [UNKNOWN_FIELD]"),
        (
            goals({"op": "WAYT"}),
            "[0].op: 'WAYT' is not listed; allowed: WAIT … [UNKNOWN_OP]",
        ),
        (goals(7), "[0]: must be an object; found 7 [WRONG_TYPE]"),
        (goals(), ": contains no operation [EMPTY_GOAL]"),
        (goals(*[goal()] * 3), ""),
        (goals(*[goal()] * 4), ": has 4 operations; at most 3 are allowed [GOAL_TOO_LONG]"),
        ({"short_goal_dsl": "WAIT"}, ": must be a list; found 'WAIT' [WRONG_TYPE]"),
        (
            {"mid_step_id": "rest"},
            "[0]: WAIT does not belong to rest; allowed: REST [OP_NOT_OF_STEP]",
        ),
        (
            {"mid_step_id": "go_to_key"},
            "[0]: WAIT does not belong to go_to_key; allowed: MOVE_NAV with target key "
            "[OP_NOT_OF_STEP]",
        ),
    ],
)
def test_invalid_goal_is_reported_with_position_and_allowed_values(
    change: dict[str, Any], said: str, waiting: Vocabulary
) -> None:
    assert breaches_of(change, waiting) == ([f"short_goal_dsl{said}"] if said else [])


def breaches_of(change: dict[str, Any], vocabulary: Vocabulary, step: str | None = None) -> Any:
    plain = {"mid_step_id": "wait", "short_goal_dsl": [goal()], "horizon_steps": 5}
    plain |= {"terminate_on": "strict_horizon", "done_evidence": [], "fallback_if_failed": []}
    found = read_record({**plain, "uncertainty": "low", **change}, vocabulary, step)
    return [] if isinstance(found, Record) else [str(breach) for breach in found]


LONG = f"'{'x' * 56}…"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"horizon_steps": 1}, []),
        ({"horizon_steps": 20}, []),
        ({"horizon_steps": 0}, ["must be from 1 to 20; found 0 [HORIZON_RANGE]"]),
        ({"horizon_steps": 21}, ["must be from 1 to 20; found 21 [HORIZON_RANGE]"]),
        ({"horizon_steps": True}, ["must be a whole number; found True [WRONG_TYPE]"]),
        ({"horizon_steps": 2.0}, ["must be a whole number; found 2.0 [WRONG_TYPE]"]),
        ({"done_evidence": ["gate=open", "gate=open"]}, ["contains an entry twice [TWICE]"]),
        (
            {"done_evidence": "gate=open"},
            ["must be a list of texts; found 'gate=open' [WRONG_TYPE]"],
        ),
        (
            {"fallback_if_failed": ["recenter_camera"] * 5},
            ["has 5 entries; at most 4 [TOO_MANY]", "contains an entry twice [TWICE]"],
        ),
        ({"uncertainty": None}, ["must be text; found None [WRONG_TYPE]"]),
        (
            {"uncertainty": "x" * 58},
            [f"'{'x' * 58}' is not listed; allowed: low, mid, high [UNKNOWN_UNCERTAINTY]"],
        ),
        (
            {"uncertainty": "x" * 59},
            [f"{LONG} is not listed; allowed: low, mid, high [UNKNOWN_UNCERTAINTY]"],
        ),
        (
            {"plan_id": "x"},
            ["is added only when the data set is built; leave it out [INJECTED_FIELD]"],
        ),
        (
            {"note": 1},
            [f"is not a field; allowed: {', '.join(FIELDS)} [UNKNOWN_FIELD]"],
        ),
    ],
)
def test_breach_of_a_field_states_its_name_and_the_allowed_values(
    change: dict[str, Any], said: list[str], waiting: Vocabulary
) -> None:
    (name,) = change
    assert breaches_of(change, waiting) == [f"{name}: {text}" for text in said]


def test_incomplete_record_reports_every_breach(waiting: Vocabulary) -> None:
    empty = read_record({}, waiting)
    assert isinstance(empty, tuple)
    assert list(map(str, empty)) == [f"{name}: is missing [MISSING_FIELD]" for name in FIELDS]
    assert breaches_of({}, waiting, "wait") == []
    assert breaches_of({}, waiting, "rest") == [
        "mid_step_id: must be the requested step rest; found wait [OTHER_MID_STEP]"
    ]
    assert breaches_of({"terminate_on": "done_evidence_or_replan"}, waiting) == [
        "done_evidence: is empty, but terminate_on requires evidence; give some, or use "
        "strict_horizon [NO_EVIDENCE]"
    ]
    assert breaches_of({"uncertainty": "\ud800"}, waiting) == [
        "record: is nested too deeply, or contains an incomplete character [NOT_STORABLE]"
    ]
