"""Outcome as plain data, and its codes."""

from __future__ import annotations

import dataclasses

import pytest

from bt_exec.failure import Failure, describe_exception
from bt_exec.mission_outcome import EXIT_CODES, Outcome, code_of_reason
from bt_exec.mission_reporter import Action, Skip


def test_every_status_is_mapped_to_its_exit_code():
    assert EXIT_CODES == {
        "satisfied": 0,
        "partial": 6,
        "blocked": 3,
        "failed": 4,
        "refused": 5,
        "aborted": 130,
    }
    for status, code in EXIT_CODES.items():
        assert Outcome("m", "go", status, "OK", "Done.").exit_code == code


def test_outcome_is_plain_data_in_the_order_of_its_fields():
    outcome = Outcome("m", "go", "satisfied", "OK", "Done.")
    assert list(outcome.to_dict().items()) == [
        ("mission_id", "m"),
        ("command", "go"),
        ("status", "satisfied"),
        ("reason_code", "OK"),
        ("message", "Done."),
        ("planner_calls", 0),
        ("model_requests", 0),
        ("replans", 0),
        ("plan_version", 0),
        ("ticks", 0),
        ("sim_seconds", 0.0),
        ("wall_seconds", 0.0),
        ("skipped", ()),
        ("failures", ()),
        ("journal", None),
    ]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("undone", ({"what": "the cup", "why": "it slipped"},)),
        ("nearest", ("x",)),
        ("did_you_mean", ("x",)),
        ("missing", ("x",)),
        ("question", "Which?"),
        ("problems", ("x",)),
        ("results", {"n": 1}),
        ("record_problem", "the end"),
        ("cause", {"code": "JAMMED"}),
    ],
)
def test_optional_fields_are_omitted_when_empty(name, value):
    outcome = Outcome("m", "go", "partial", "NO", "No.")
    assert name not in outcome.to_dict()
    data = dataclasses.replace(outcome, **{name: value}).to_dict()
    assert data[name] == value
    assert set(data) == {*outcome.to_dict(), name}


@pytest.mark.parametrize("status", EXIT_CODES)
def test_only_the_status_satisfied_counts_as_ok(status):
    assert Outcome("m", "go", status, "OK", "").ok is (status == "satisfied")


def test_outcome_without_a_message_has_a_text():
    assert Outcome("m", "go", "satisfied", "OK", "").explain() == "satisfied"
    assert Outcome("m", "go", "refused", "NO", "").explain() == "refused: NO"


def test_incomplete_parts_are_listed_as_texts():
    part = {"what": "the cup", "why": "it slipped", "code": "SLIPPED"}
    outcome = Outcome("m", "go", "partial", "PARTLY_DONE", "", undone=(part,))
    assert outcome.undone_in_words == (("the cup", "it slipped"),)


@pytest.mark.parametrize("name", ["nearest", "problems"])
def test_optional_fields_of_a_refusal_are_omitted_when_empty(name):
    outcome = dataclasses.replace(Outcome("m", "go", "refused", "NO", "No."), **{name: ("x",)})
    assert outcome.to_dict()[name] == ("x",)
    assert {"nearest", "problems"} - set(outcome.to_dict()) == {"nearest", "problems"} - {name}


@pytest.mark.parametrize(
    ("reason", "code"),
    [
        ("already open", "ALREADY_OPEN"),
        ("door_is open", "DOOR_IS_OPEN"),
        ("at 3.5 m", "AT_3_5_M"),
        ("", ""),
    ],
)
def test_reason_text_is_converted_to_a_code(reason, code):
    assert code_of_reason(reason) == code


def test_action_as_plain_data_is_a_copy():
    args = {"arm": "left"}
    data = Action("take", args, "x/take").to_dict()
    assert data == {"name": "take", "args": {"arm": "left"}}
    data["args"]["arm"] = "right"
    assert args == {"arm": "left"}
    assert (Action("take", {}).path, Skip("take", "held").path) == ("", "")


def test_long_failure_message_is_truncated_once():
    failure = Failure("LOST", "x" * 200_000)
    assert len(failure.message) == 4_000
    assert failure.message.endswith("x… (200000 characters)")
    assert Failure.from_dict(failure.to_dict()) == failure
    assert len(describe_exception(ValueError("x" * 200_000))) == 4_000


def test_decisive_failure_is_the_cause_or_the_first_failure():
    first, last = Failure("JAMMED", "a"), Failure("NOT_FOUND", "b")
    outcome = Outcome("m", "go", "blocked", "X", "", failures=(first.to_dict(), last.to_dict()))
    assert outcome.decisive_failure == first
    assert dataclasses.replace(outcome, cause=last.to_dict()).decisive_failure == last
    assert Outcome("m", "go", "satisfied", "OK", "").decisive_failure is None
