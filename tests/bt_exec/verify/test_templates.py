"""Templates over arguments: values known before the mission, and possible values."""

from __future__ import annotations

from typing import Any

import pytest

from bt_exec.skill import Running, Steps, skill
from bt_exec.verify.effects_on_facts import (
    fact_pattern,
    fill_arguments,
    has_known_arguments,
    known_args,
)


@skill()
def carry(thing: str, points: list[int], times: int = 2, to: str = "home") -> Steps:
    """Carry an object along points."""
    yield Running()


@pytest.mark.parametrize(
    ("args", "known"),
    [
        (
            {"thing": "cup", "points": [1]},
            {"thing": "cup", "points": [1], "times": 2, "to": "home"},
        ),
        (  # converted to their types
            {"thing": "cup", "points": ["1"], "times": "3"},
            {"thing": "cup", "points": [1], "times": 3, "to": "home"},
        ),
        ({"thing": "$x", "points": [1]}, {"points": [1], "times": 2, "to": "home"}),
        # a default does not replace a value that is known only at run time
        (
            {"thing": "cup", "points": [1], "to": "$x"},
            {"thing": "cup", "points": [1], "times": 2},
        ),
        ({"thing": "$$x", "points": [1, "$x"]}, {"thing": "$$x", "times": 2, "to": "home"}),
        ({"thing": "cup", "points": [[2, "$x"]]}, {"thing": "cup", "times": 2, "to": "home"}),
        # invalid values are reported elsewhere
        (
            {"thing": "cup", "points": "?"},
            {"thing": "cup", "points": "?", "times": 2, "to": "home"},
        ),
        ({"times": 5}, {"times": 5, "to": "home"}),
    ],
)
def test_arguments_with_literal_values_are_known_before_a_mission(args: Any, known: Any) -> None:
    assert known_args(carry, args) == known


def test_template_is_known_when_all_its_arguments_are_known() -> None:
    assert has_known_arguments("door", {})
    assert has_known_arguments("hand.{arm}", {"arm": "left"})
    assert not has_known_arguments("{arm}.{thing}", {"arm": "left"})
    assert fill_arguments("{arm}.{thing}", {"arm": "left", "thing": "cup", "to": "b"}) == "left.cup"


@pytest.mark.parametrize(
    ("fact", "may"), [("a.left.cup", True), ("a.left.", False), ("axleft.cup", False),
                      ("a.right.cup", False), ("a.left.cup.b", True)],
)  # fmt: skip
def test_template_with_unknown_arguments_matches_only_possible_facts(fact: str, may: bool) -> None:
    form = fact_pattern("a.{arm}.{thing}", {"arm": "left"})
    assert bool(form.fullmatch(fact)) is may
