"""Trees with scripted parts: arguments, simulations, results and failure messages."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from bt_exec.failure import SpecError
from bt_exec.skill import Running, Steps, Verdict, condition, skill
from bt_exec.testing import FakeClock, run_tree, scripted_condition, scripted_skill

POUR = """
tree: pour_some
params: {cups: {type: integer, default: 2}, into: {type: text}}
returns: {poured: $so_far}
root:
  sequence:
    - do: pour
      with: {cups: $cups, into: $into}
      save: {level: so_far}
    - {do: wipe, skip_if: {dry: {place: $into}}}
"""


class Poured(NamedTuple):
    level: int


@skill(fails={"SPILT"}, needs={"jug": "full"}, uses={"arm"}, timeout_s=7)
def pour(robot: object, cups: int, into: str = "mug") -> Steps[Poured]:
    """Pour."""
    yield Running()
    return Poured(cups)


@skill
def wipe(robot: object) -> Steps:
    """Wipe."""
    yield Running()


@condition(name="dry", skip_reason="{place} is dry")
def is_dry(robot: object, place: str) -> Verdict:
    """Return True."""
    return Verdict.unknown()


def parts(*script, dry=False):
    like = scripted_skill(like=pour, script=script or ["done"], result={"level": 9}, needs={})
    return [like, scripted_skill(like=wipe), scripted_condition(like=is_dry, verdicts=[dry])]


def test_parameters_get_values_and_defaults():
    run = run_tree(POUR, parts(), args={"into": "pot"})
    assert run.outcome.ok
    assert run.robot.calls == [("pour", {"cups": 2, "into": "pot"}), ("wipe", {})]
    assert run.trace() == ["1 pour done", "1 wipe done", "1 sequence done"]
    run = run_tree(POUR, parts(dry=True), args={"into": "pot", "cups": 5})
    assert run.robot.calls == [("pour", {"cups": 5, "into": "pot"})]
    assert run.trace()[1] == "1 wipe skipped pot is dry"


def test_results_of_the_tree_are_available():
    assert run_tree(POUR, parts(), args={"into": "pot"}).results == {"poured": 9}
    assert run_tree(POUR, parts("SPILT"), args={"into": "pot"}).results == {}


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ({}, "tree 'pour_some' needs 'into' (text)"),
        ({"into": "pot", "cup": 1}, "tree 'pour_some' has no parameter 'cup'"),
    ],
)
def test_invalid_arguments_are_reported(args, said):
    with pytest.raises(SpecError, match=r"MISSING_ARGUMENT|UNKNOWN_ARGUMENT") as told:
        run_tree(POUR, parts(), args=args)
    assert said in str(told.value)


def test_argument_of_a_wrong_type_is_refused():
    outcome = run_tree(POUR, parts(), args={"into": "pot", "cups": "many"}).outcome
    assert not outcome.ok
    assert "'cups' takes integer" in outcome.explain()


def test_given_simulation_is_stepped():
    clock = FakeClock()
    script = [scripted_skill("a", [("3", "done")])]
    run = run_tree("tree: t\nroot: {do: a}", script, simulation=clock)
    assert run.outcome.ok
    assert clock.time == pytest.approx(0.15)


def test_failed_assertion_shows_the_outcome():
    outcome = run_tree(POUR, parts("SPILT"), args={"into": "pot", "cups": 3}).outcome
    with pytest.raises(AssertionError) as failed:
        assert outcome.ok
    said = "<Outcome blocked: SKILL_FAILED: "
    assert said in str(failed.value)
    assert "SPILT · pour · as the script says (cups=3, into='pot')" in str(failed.value)


def test_crash_shows_its_location():
    outcome = run_tree("tree: t\nroot: {do: a}", [scripted_skill("a", ["crash"])]).outcome
    assert outcome.explain().splitlines()[-1] == "    RuntimeError: made to crash"
    assert 'raise RuntimeError("made to crash")' in outcome.explain()


def test_failed_attempt_is_an_event():
    skill = scripted_skill("a", ["SLIPPED", "done"])
    run = run_tree("tree: t\nroot: {do: a, retry: 3}", [skill])
    (event,) = [event for event in run.events if getattr(event, "will_retry", False)]
    assert (event.path, event.detail, event.failure.code) == ("a", "attempt 1 of 3", "SLIPPED")
    assert run.trace() == ["1 a running", "2 a done"]


def test_condition_is_true_by_default():
    run = run_tree("tree: t\nroot: {check: c}", [scripted_condition("c")])
    assert run.outcome.ok
