"""Achievements of finished steps, assumed facts, and effects that were undone."""

from __future__ import annotations

from typing import Any

import pytest

from bt_exec.failure import Failure
from bt_exec.observation import Situation
from bt_exec.planning.assumed_facts_and_first_cause import (
    achieved_facts,
    facts_with_assumed_effects,
    outdated_leaves,
)
from bt_exec.planning.compiler import Done, Request
from bt_exec.skill import Running, Steps, Verdict, condition, skill
from bt_exec.spec.library import Library
from bt_exec.spec.load import load_text
from bt_exec.spec.model import Mission, MissionSpec
from bt_exec.testing import scripted_skill
from bt_exec.testing.tree_run import scripted_site


@skill(effects={"hand.{arm}": "{thing}"})
def take(arm: str, thing: str) -> Steps:
    """Take an object."""
    yield Running()


@condition(establishes={"lid": "{state}"})
def lid_is(state: str) -> Verdict:
    """Return True if the lid is in a state."""
    return Verdict.yes()


@condition()
def mute() -> Verdict:
    """Return a verdict without a fact."""
    return Verdict.yes()


PARTS: list[Any] = [
    take,
    lid_is,
    mute,
    scripted_skill("open", effects={"lid": "open"}),
    scripted_skill("shut", effects={"lid": "shut"}),
    scripted_skill("lose", effects={"lid": "?", "at": "b"}),
]
CATALOGUE = scripted_site(PARTS).catalogue
OPEN, SHUT = "{lid_is: {state: open}}", "{lid_is: {state: shut}}"


def request(steps: str, done: tuple[Done, ...] = (), *, kept: Any = (), **more: Any) -> Request:
    root = load_text(f"tree: t\nroot: {{sequence: [{steps}]}}").document.root
    spec = MissionSpec(mission=Mission(command="go", kept=kept), root=root)
    return Request("go", "en", CATALOGUE, Library(), previous=spec, done=done, **more)


def ran(path: str, skipped: str = "", **args: Any) -> Done:
    return Done(path, path.partition("#")[0], args, skipped)


@pytest.mark.parametrize(
    ("step", "done", "gave"),
    [
        ("{do: open}", ran("open"), {"lid": "open"}),
        ("{do: lose}", ran("lose"), {"at": "b"}),
        # the arguments of the run, not the written ones
        (
            "{do: take, with: {arm: left, thing: $x}}",
            ran("take", arm="left", thing="cup"),
            {"hand.left": "cup"},
        ),
        ("{do: take, with: {arm: left, thing: cup}}", ran("take"), {"hand.left": "cup"}),
        ("{do: take, with: {arm: left, thing: $x}}", ran("take"), {}),
        # a skip establishes its condition, or the effects of the skipped step
        ("{do: open, skip_if: " + SHUT + "}", ran("open", "so"), {"lid": "shut"}),
        ("{do: open, skip_if: " + SHUT + "}", ran("open"), {"lid": "open"}),
        ("{do: open, skip_if: mute}", ran("open", "so"), {"lid": "open"}),
        ("{check: " + OPEN + "}", ran("lid_is"), {"lid": "open"}),
        ("{check: " + OPEN + ", tell: true}", ran("lid_is"), {}),
        ("{check: mute}", ran("mute"), {}),
    ],
)
def test_outputs_of_a_finished_step_are_returned(
    step: str, done: Done, gave: dict[str, str]
) -> None:
    assert achieved_facts(request(step, (done,))) == {done.path: gave}


def test_only_finished_steps_of_all_plans_have_achieved_facts() -> None:
    steps = "{do: open}, {do: shut}, {do: lose}"
    found = achieved_facts(request(steps, (ran("lose"),), kept=("open",)))
    assert list(found.items()) == [("open", {"lid": "open"}), ("lose", {"at": "b"})]
    assert achieved_facts(Request("go", "en", CATALOGUE, Library(), done=(ran("open"),))) == {}


OPENED = ("{do: open}, {do: shut}, {do: take, with: {arm: left, thing: $x}}", (ran("open"),))
SHUTTING = Failure("STUCK", path="shut", node="shut")


@pytest.mark.parametrize(
    ("more", "facts"),
    [
        ({}, {"lid": "open"}),
        ({"situation": Situation(facts={"lid": "ajar", "at": "?"})}, {"lid": "ajar"}),
        # known facts override assumed ones, and those override declared ones
        ({"assumed": {"lid": "ajar", "at": "b"}}, {"lid": "ajar", "at": "b"}),
        ({"assumed": {"lid": "?"}}, {}),
        (
            {"assumed": {"lid": "?"}, "situation": Situation(facts={"lid": "shut"})},
            {"lid": "shut"},
        ),
        # the effects of a failed step are unknown
        ({"failure": SHUTTING}, {}),
        ({"failure": Failure("NO", path="take", node="take", cause=SHUTTING)}, {}),
        ({"failure": Failure("NO", path="elsewhere", node="shut")}, {"lid": "open"}),
        ({"failure": Failure("NO", path="sequence", node="shut")}, {"lid": "open"}),
    ],
)
def test_facts_are_assumed_from_finished_steps(more: Any, facts: dict[str, str]) -> None:
    assert facts_with_assumed_effects(request(*OPENED, **more)) == facts


def test_failed_step_may_have_changed_the_facts_of_its_arguments() -> None:
    steps = "{do: take, with: {arm: left, thing: cup}}, {do: take, with: {arm: $x, thing: box}}"
    right = ("{do: take, with: {arm: right, thing: cup}}, " + steps, (ran("take"), ran("take#2")))
    both = {"hand.right": "cup", "hand.left": "cup"}
    assert facts_with_assumed_effects(request(*right)) == both
    failed = Failure("NO", path="take#3", node="take", args={"arm": "left", "thing": "box"})
    assert facts_with_assumed_effects(request(*right, failure=failed)) == {"hand.right": "cup"}
    unknown = Failure("NO", path="take#3", node="take")  # the hand is unknown then
    assert facts_with_assumed_effects(request(*right, failure=unknown)) == {}


@pytest.mark.parametrize(
    ("steps", "facts", "more", "lost"),
    [
        ("{do: open}", {"lid": "shut"}, {}, {"open"}),
        ("{do: open}", {"lid": "open"}, {}, set()),
        ("{do: open}", {"at": "b"}, {}, set()),
        ("{do: open}, {do: shut}", {"lid": "open"}, {}, {"shut"}),
        ("{do: open}, {do: shut}", {"lid": "ajar"}, {}, {"shut"}),
        # the step failed in part, so the observation is not a surprise
        ("{do: open}", {"lid": "shut"}, {"assumed": {"lid": "?"}}, set()),
        # a check confirmed it, whatever its origin
        ("{do: open}, {check: " + OPEN + "}", {"lid": "shut"}, {}, {"open", "lid_is"}),
        ("{check: " + OPEN + "}, {do: shut}", {"lid": "ajar"}, {}, {"shut"}),
        ("{check: " + OPEN + "}", {"lid": "shut"}, {}, {"lid_is"}),
    ],
)
def test_steps_with_reversed_effects_are_detected(
    steps: str, facts: Any, more: Any, lost: set[str]
) -> None:
    done = tuple(ran(name) for name in ("open", "shut", "lid_is"))
    assert outdated_leaves(request(steps, done, situation=Situation(facts=facts), **more)) == lost
