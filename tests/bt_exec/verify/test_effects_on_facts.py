"""Facts: effects of skills, needs, and answers of conditions."""

from __future__ import annotations

from typing import Any

import pytest

from bt_exec.pack import Catalogue, Pack
from bt_exec.skill import Running, Steps, Verdict, condition, skill
from bt_exec.spec.model import Check
from bt_exec.verify.effects_on_facts import (
    established_facts,
    facts_after_failure,
    facts_after_success,
    touched_facts,
    truth_value,
    unmet_needs,
)


@skill(
    needs={"hand.{arm}": "empty", "lid": "open|{other}"},
    effects={"hand.{arm}": "{thing}", "lid": "?"},
)
def take(arm: str, thing: str, other: str = "ajar") -> Steps:
    """Take an object."""
    yield Running()


@condition(establishes={"lid": "{state}", "light": "on"})
def seen(state: str) -> Verdict:
    """Whether the lid was seen in a state."""
    return Verdict.yes()


@condition()
def mute() -> Verdict:
    """Return a verdict without a fact."""
    return Verdict.yes()


CATALOGUE = Catalogue([Pack("p", skills=(take,), conditions=(seen, mute))])
BEFORE = {"hand.left": "empty", "hand.right": "box", "lid": "open", "light": "on"}


@pytest.mark.parametrize(
    ("args", "done", "failed"),
    [
        (
            {"arm": "left", "thing": "cup"},
            {"hand.left": "cup", "hand.right": "box", "light": "on"},
            {"hand.right": "box", "light": "on"},
        ),
        (  # the taken object is unknown
            {"arm": "left"},
            {"hand.right": "box", "light": "on"},
            {"hand.right": "box", "light": "on"},
        ),
        ({"thing": "cup"}, {"light": "on"}, {"light": "on"}),  # and so is the hand
    ],
)
def test_facts_are_updated_by_success_and_failure_of_a_skill(
    args: Any, done: Any, failed: Any
) -> None:
    assert facts_after_success(BEFORE, take, args) == done
    assert facts_after_failure(BEFORE, take, args) == failed
    assert BEFORE["lid"] == "open", "what was is left as it was"


@pytest.mark.parametrize(
    ("args", "facts", "found"),
    [
        ({"arm": "left", "other": "ajar"}, {}, []),
        ({"arm": "left", "other": "ajar"}, {"lid": "open", "hand.left": "empty"}, []),
        ({"arm": "left", "other": "ajar"}, {"lid": "ajar", "hand.right": "cup"}, []),
        (
            {"arm": "left", "other": "ajar"},
            {"lid": "closed", "hand.left": "cup"},
            [("hand.left", ["empty"], "cup"), ("lid", ["open", "ajar"], "closed")],
        ),
        ({"other": "ajar"}, {"hand.left": "cup"}, []),  # the hand is unknown
        ({"arm": "left"}, {"lid": "closed"}, []),  # and so is the lid
    ],
)
def test_needs_contradicted_by_facts_are_unmet(args: Any, facts: Any, found: Any) -> None:
    assert unmet_needs(facts, take, args) == found


def question(text: Any) -> Any:
    return Check.model_validate({"check": text}).check


OPEN: Any = {"seen": {"state": "open"}}
SHUT: Any = {"seen": {"state": "shut"}}


@pytest.mark.parametrize(
    ("asked", "facts", "verdict"),
    [
        (OPEN, {"lid": "open", "light": "on"}, True),
        (OPEN, {"lid": "open"}, None),
        (OPEN, {}, None),
        (OPEN, {"lid": "shut"}, False),
        (OPEN, {"lid": "open", "light": "off"}, False),
        ({"seen": {"state": "$x"}}, {"light": "on"}, None),
        ({"seen": {"state": "$x"}}, {"light": "off"}, False),
        ("mute", {"lid": "open"}, None),
        ("nothing", {"lid": "open"}, None),
        ({"not": OPEN}, {"lid": "shut"}, True),
        ({"not": OPEN}, {"lid": "open", "light": "on"}, False),
        ({"not": OPEN}, {}, None),
        ({"all": [OPEN, "mute"]}, {"lid": "open", "light": "on"}, None),
        ({"all": ["mute", OPEN]}, {"lid": "shut"}, False),
        ({"all": [OPEN, OPEN]}, {"lid": "open", "light": "on"}, True),
        ({"any": ["mute", OPEN]}, {"lid": "open", "light": "on"}, True),
        ({"any": [OPEN, "mute"]}, {"lid": "shut"}, None),
        ({"any": [OPEN, OPEN]}, {"lid": "shut"}, False),
    ],
)
def test_condition_is_decided_by_known_facts(
    asked: Any, facts: dict[str, str], verdict: bool | None
) -> None:
    assert truth_value(question(asked), facts, CATALOGUE) is verdict


def test_true_condition_establishes_its_certain_facts() -> None:
    assert established_facts(question({"all": [SHUT, "mute", OPEN]}), CATALOGUE) == {
        "lid": "open",
        "light": "on",
    }
    assert established_facts(question({"any": [SHUT]}), CATALOGUE) == {}
    assert established_facts(None, CATALOGUE) == {}


@skill(needs={"at.{place}": "free", "lid": "open"})
def reach(place: str) -> Steps:
    """Reach for a place."""
    yield Running()


def test_unmet_need_is_found_after_an_undecided_one() -> None:
    assert unmet_needs({"lid": "closed"}, reach, {}) == [("lid", ["open"], "closed")]


def test_facts_changed_by_a_running_skill_are_marked():
    @skill(
        needs={"hand.{arm}": "empty"},
        effects={"door": "open"},
        uses={"arm.{arm}", "doorway"},
    )
    def pull(arm: str) -> Steps:
        """Pull the door."""
        yield Running()

    known = ("hand.right", "at.right", "hand.left", "material", "door.handle")
    assert touched_facts(pull, {"arm": "right"}, known) == (
        "door",
        "hand.right",
        "at.right",  # about the arm that is used
        "door.handle",  # a detail of the door
    )
