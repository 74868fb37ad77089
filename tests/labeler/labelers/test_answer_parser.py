"""Answers of models: exact breaches of each violation, and the schema."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import jsonschema
import pytest

from bt_exec_labeler.labelers.answer_parser import answer_schema, read_records, without_wrapping
from bt_exec_labeler.plan_record import FIELDS, Record
from bt_exec_labeler.testing.toy_game_episodes import VOCABULARY
from bt_exec_labeler.vocabulary import Vocabulary

GOOD: Mapping[str, Any] = {
    "mid_step_id": "rest",
    "short_goal_dsl": [{"op": "REST", "args": {}}],
    "horizon_steps": 2,
    "terminate_on": "strict_horizon",
    "done_evidence": [],
    "fallback_if_failed": [],
    "uncertainty": "low",
}


def breaches(text: Any, vocabulary: Vocabulary, *numbers: int) -> dict[int, list[str]]:
    """Return the breaches of an answer about some moments of the step ``rest``, by number."""
    item: Any = SimpleNamespace(mid_step_id="rest")
    said = text if isinstance(text, str) else json.dumps(text)
    found = read_records(said, dict.fromkeys(numbers or (1, 2), item), vocabulary)
    return {
        number: [] if isinstance(one, Record) else [str(breach) for breach in one]
        for number, one in found.items()
    }


def entry(number: Any, **more: Any) -> dict[str, Any]:
    return {"item": number, "record": GOOD, **more}


@pytest.mark.parametrize(
    ("items", "first", "second"),
    [
        ([entry(1), entry(2)], [], []),
        ([entry(2), entry(1)], [], []),
        ([entry(1)], [], ["items: item 2 is not answered [ITEM_MISSING]"]),
        ([entry(1), entry(2), entry(2)], [], ["items: item 2 is answered 2 times [ITEM_TWICE]"]),
        (
            [entry(1, why="x", because="y"), entry(2)],
            ["items[0].because: allowed: item, record [UNKNOWN_FIELD]"],
            [],
        ),
        (
            [entry(1), entry(2), entry(3)],
            ["items[2]: is about item 3; asked about 1, 2 [UNASKED_ITEM]"],
            ["items[2]: is about item 3; asked about 1, 2 [UNASKED_ITEM]"],
        ),
        (
            [entry(1), entry(True)],
            ["items[1]: does not name its item [NO_ITEM_NUMBER]"],
            [
                "items[1]: does not name its item [NO_ITEM_NUMBER]",
                "items: item 2 is not answered [ITEM_MISSING]",
                "items[1]: does not name its item [NO_ITEM_NUMBER]",
            ],
        ),
        (
            [entry(1), 7, entry(2)],
            ["items[1]: does not name its item [NO_ITEM_NUMBER]"],
            ["items[1]: does not name its item [NO_ITEM_NUMBER]"],
        ),
    ],
)
def test_breaches_are_assigned_to_their_items(
    items: list[Any], first: list[str], second: list[str], vocabulary: Vocabulary
) -> None:
    assert breaches({"items": items}, vocabulary) == {1: first, 2: second}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "is not JSON: "),
        ("[" * 100_000, "is nested too deeply [NOT_JSON]"),
        ('{"items": [], "items": []}', "has the duplicate key items [KEY_TWICE]"),
        ('So: {"items": []}', "has words around the JSON; write JSON alone [NOT_ONLY_JSON]"),
        ('  {"items": []} x', "is not JSON: "),
        ("no", "is not JSON: "),
        ('{"items": {}}', 'must be {"items": [{"item": 1, "record": {…}}, …]} [NO_ITEMS]'),
        ("[]", 'must be {"items": [{"item": 1, "record": {…}}, …]} [NO_ITEMS]'),
    ],
)
def test_malformed_answer_has_one_breach_for_all_items(
    text: str, said: str, vocabulary: Vocabulary
) -> None:
    found = breaches(text, vocabulary, 4, 7)
    assert list(found) == [4, 7]
    assert found[4] == found[7]
    (breach,) = found[4]
    assert breach.replace("'items'", "items").startswith(f"answer: {said}")


def test_unknown_key_of_an_answer_is_reported(vocabulary: Vocabulary) -> None:
    found = breaches({"items": [], "z": 1, "note": 1}, vocabulary, 1)
    assert found == {1: ["note: is not a field; allowed: items [UNKNOWN_FIELD]"]}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("{}", ("{}", ())),
        ("```\n{}\n```", ("{}", ("fence",))),
        ("~~~json {} ~~~\n", ("{}", ("fence",))),
        ("<think>a</think> {}", ("{}", ("thinking block",))),
        ("a\n</think>```x\n{}```", ("{}", ("thinking block", "fence"))),
        ("<reasoning>a</think>{}", ("{}", ("thinking block",))),
        ("```{}~~~", ("```{}~~~", ())),
        ("words </reasoning>{}", ("words </reasoning>{}", ())),
    ],
)
def test_thinking_block_and_code_fence_around_an_answer_are_removed(text: str, found: Any) -> None:
    assert without_wrapping(text) == found


def test_schema_allows_only_valid_answers(vocabulary: Vocabulary) -> None:
    schema = answer_schema(vocabulary)
    check = jsonschema.Draft202012Validator(schema).is_valid
    assert check({"items": [entry(1), entry(2)]})
    assert check({"items": []})
    record = {**GOOD, "fallback_if_failed": ["recenter_camera"], "done_evidence": ["gate=open"]}
    assert check({"items": [{"item": 1, "record": record}]})
    wrong: list[dict[str, Any]] = [
        {"mid_step_id": "fly"},
        {"short_goal_dsl": [{"op": "FLY", "args": {}}]},
        {"short_goal_dsl": [{"op": "REST"}]},
        {"short_goal_dsl": [{"op": "REST", "args": {"x": 1}}]},
        {"short_goal_dsl": [{"op": "TAKE", "args": {"item": "sun"}}]},
        {"short_goal_dsl": [{"op": "TAKE", "args": {}}]},
        {"short_goal_dsl": {}},
        {"horizon_steps": 1.5},
        {"terminate_on": "never"},
        {"done_evidence": ["sun"]},
        {"done_evidence": "gate=open"},
        {"fallback_if_failed": ["fly"]},
        {"fallback_if_failed": "step_back"},
        {"uncertainty": "none"},
        {"plan_id": "x"},
    ]
    for change in wrong:
        assert not check({"items": [{"item": 1, "record": {**GOOD, **change}}]}), change
    for name in FIELDS:
        record = {key: value for key, value in GOOD.items() if key != name}
        assert not check({"items": [{"item": 1, "record": record}]}), name
    for answer in ({}, {"items": {}}, {"items": [entry("1")]}, {"items": [entry(1, why="x")]}):
        assert not check(answer), answer
    assert not check({"items": [], "note": "x"})


def test_schema_without_fallbacks_allows_only_an_empty_list() -> None:
    steps = {name: {**step, "fallbacks": []} for name, step in VOCABULARY["mid_steps"].items()}
    data = {**VOCABULARY, "mid_steps": steps, "fallbacks": []}
    check = jsonschema.Draft202012Validator(answer_schema(Vocabulary.model_validate(data))).is_valid
    assert check({"items": [entry(1)]})
    assert not check({"items": [{"item": 1, "record": {**GOOD, "fallback_if_failed": ["x"]}}]})


def test_optional_argument_is_not_required_by_the_schema() -> None:
    args = {"s": {"type": "number"}, "loud": {"type": "boolean", "required": False}}
    ops = {**VOCABULARY["ops"], "WAIT": {"args": args}}
    vocabulary = Vocabulary.model_validate({**VOCABULARY, "ops": ops})
    check = jsonschema.Draft202012Validator(answer_schema(vocabulary)).is_valid

    def allowed(**found: Any) -> bool:
        record = {**GOOD, "short_goal_dsl": [{"op": "WAIT", "args": found}]}
        return check({"items": [{"item": 1, "record": record}]})

    assert allowed(s=1.5)
    assert allowed(s=2, loud=True)
    assert not allowed(loud=True)
    assert not allowed(s="2")
    assert not allowed(s=2, loud="yes")
