"""Checkers of declarations, beyond the checks at registration."""

import pytest

from bt_exec import Pack
from bt_exec.language.messages import Messages
from bt_exec.skill import Running, Steps, Verdict, condition, skill
from bt_exec.testing import check_condition, check_pack, check_skill


class Wheel:
    """Type without a representation in trees."""


def go(robot) -> Steps:
    """Go."""
    yield Running()


def mumble(robot) -> Steps:
    """go somewhere"""
    yield Running()


def turn(robot, wheel: Wheel) -> Steps:
    """Turn a wheel."""
    yield Running()


def near(robot) -> Verdict:
    """Whether the robot is near."""
    return Verdict.yes()


@pytest.mark.parametrize(
    ("function", "declared", "said"),
    [
        (go, {"fails": {"stuck"}}, "go: code 'stuck' must be CAPITALS_AND_DIGITS"),
        (go, {"timeout_s": 9999}, "go: timeout_s=9999 is not in 0..3600"),
        (go, {"needs": {"a door": "open"}}, "go: need 'a door' must be a dotted name"),
        (go, {"effects": {"1": "open"}}, "go: effect '1' must be a dotted name"),
        (mumble, {}, "mumble: the docstring's first line must be a sentence"),
        (turn, {}, "turn: an argument has a type that no tree can write: Cannot generate"),
    ],
)
def test_problems_of_a_skill_are_reported(function, declared, said):
    with pytest.raises(AssertionError) as told:
        check_skill(skill(**declared)(function))
    assert str(told.value).startswith(said)


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        ({"unknown": "no idea"}, "near: code 'no idea' must be CAPITALS_AND_DIGITS"),
        ({"patience_s": 9999}, "near: patience_s must be from 0 to 600"),
        ({"name": "any"}, "'any' is taken"),
    ],
)
def test_problems_of_a_condition_are_reported(declared, said):
    with pytest.raises(AssertionError) as told:
        check_condition(condition(**declared)(near))
    assert str(told.value).startswith(said)


def test_failure_code_without_a_sentence_is_reported():
    pack = Pack("p", skills=(skill(fails={"LOST"})(go),))
    check_pack(pack)
    with pytest.raises(AssertionError, match="go: LOST has no sentence"):
        check_pack(pack, Messages())
