"""Layer 3, grounding: LABEL_NOT_SEEN, for steps that may run first."""

from __future__ import annotations

from typing import Any

import pytest

from bt_exec.spec.model import MissionSpec
from bt_exec.verify import verify_mission
from tests.bt_exec.verify.layers import CATALOGUE, of_mission

TAKE: dict[str, Any] = {"do": "take", "with": {"arm": "left", "thing": "cup"}}
LOOK: dict[str, Any] = {"do": "look"}
LIT: dict[str, Any] = {"check": "lit"}


def test_unseen_label_message_names_the_label() -> None:
    assert of_mission(TAKE, labels=("box", "lid")) == [
        "LABEL_NOT_SEEN root/with/thing: 'cup' is not detected now"
    ]


def test_seen_labels_are_listed_nearest_first() -> None:
    spec = MissionSpec.model_validate({"mission": {"command": "go"}, "root": TAKE})
    (problem,) = verify_mission(spec, CATALOGUE, labels=("box", "cups"))
    assert (problem.found, problem.allowed) == ("cup", ("cups", "box"))


def test_optional_and_late_arguments_are_not_checked() -> None:
    choose = {"parallel": [{"check": "lit"}, {"do": "look", "save": {"thing": "seen"}}]}
    take = {"do": "take", "with": {"arm": "left", "thing": "$seen"}}
    assert of_mission({"sequence": [choose, take]}, labels=()) == []
    assert of_mission({"do": "take", "with": {"arm": "left"}}, labels=()) == []


@pytest.mark.parametrize(
    ("root", "told"),
    [
        (TAKE, True),
        ({"sequence": [TAKE]}, True),
        ({"sequence": [LIT, TAKE]}, True),
        ({"sequence": [LOOK, TAKE]}, False),
        ({"sequence": [{**LOOK, "skip_if": "lit"}, TAKE]}, False),
        ({**TAKE, "skip_if": "lit"}, False),
        ({"fallback": [TAKE, LOOK]}, True),
        ({"fallback": [LIT, TAKE]}, False),
        ({"sequence": [{"fallback": [LIT, LOOK]}, TAKE]}, False),
        ({"sequence": [{"fallback": [LIT, LIT]}, TAKE]}, True),
        ({"parallel": [LOOK, TAKE]}, True),
        ({"sequence": [{"parallel": [LIT, LOOK]}, TAKE]}, False),
        ({"sequence": [{"tree": "open_up"}, TAKE]}, False),
        ({"sequence": [{"fallback": [{"tree": "open_up"}, LIT]}, TAKE]}, False),
        ({**TAKE, "retry": 3}, True),
    ],
)
def test_labels_are_checked_only_for_steps_that_may_run_first(root: Any, told: bool) -> None:
    assert bool(of_mission(root, labels=("lid",))) is told
    assert of_mission(root, labels=("cup",)) == []
    assert of_mission(root) == []  # not observed
