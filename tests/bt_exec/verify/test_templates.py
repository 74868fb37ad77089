"""Templates over arguments: which arguments are known before a mission runs, and what follows."""

from __future__ import annotations

from typing import Any

import pytest

from bt_exec.skill import Running, Steps, skill
from bt_exec.verify.templates import fill, form_of, is_known, known_args


@skill()
def carry(thing: str, points: list[int], times: int = 2, to: str = "home") -> Steps:
    """Carry a thing along points."""
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
        # a default does not stand for what is only known when it runs
        (
            {"thing": "cup", "points": [1], "to": "$x"},
            {"thing": "cup", "points": [1], "times": 2},
        ),
        ({"thing": "$$x", "points": [1, "$x"]}, {"thing": "$$x", "times": 2, "to": "home"}),
        ({"thing": "cup", "points": [[2, "$x"]]}, {"thing": "cup", "times": 2, "to": "home"}),
        # what does not fit is told elsewhere
        (
            {"thing": "cup", "points": "?"},
            {"thing": "cup", "points": "?", "times": 2, "to": "home"},
        ),
        ({"times": 5}, {"times": 5, "to": "home"}),
    ],
)
def test_what_is_known_before_a_mission_runs(args: Any, known: Any) -> None:
    assert known_args(carry, args) == known


def test_a_template_is_known_once_all_that_it_names_is() -> None:
    assert is_known("door", {})
    assert is_known("hand.{arm}", {"arm": "left"})
    assert not is_known("{arm}.{thing}", {"arm": "left"})
    assert fill("{arm}.{thing}", {"arm": "left", "thing": "cup", "to": "b"}) == "left.cup"


@pytest.mark.parametrize(
    ("fact", "may"), [("a.left.cup", True), ("a.left.", False), ("axleft.cup", False),
                      ("a.right.cup", False), ("a.left.cup.b", True)],
)  # fmt: skip
def test_what_a_template_may_mean_while_something_is_unknown(fact: str, may: bool) -> None:
    form = form_of("a.{arm}.{thing}", {"arm": "left"})
    assert bool(form.fullmatch(fact)) is may
