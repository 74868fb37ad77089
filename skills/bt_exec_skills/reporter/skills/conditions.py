"""Conditions of the reporter pack: place and load of the robot, people in view.

Timing: a condition is evaluated once or each tick, as defined by the node (see
`bt_exec.spec.model`). If the view is uncertain, the verdict is *unknown* until the patience of the
condition is used up; then the check fails with UNCERTAIN_SIGHT.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bt_exec.observation import World
from bt_exec.skill import Service, Verdict, condition
from bt_exec_skills.perception.fresh_observations import PATIENCE_S
from bt_exec_skills.reporter.perception.observation import LIT_LEVEL, ReporterObservation
from bt_exec_skills.reporter.reporting.notebook import Notebook
from bt_exec_skills.reporter.reporting.place_comparison import Comparison, Order, compare_places
from bt_exec_skills.reporter.reporting.yes_no_classification import is_yes
from bt_exec_skills.reporter.robot import EMPTY, Count, PersonName, PlaceName, ReporterRobot, Words

__all__ = [
    "CONDITIONS",
    "answered_yes",
    "at_place",
    "compared",
    "failure_noted",
    "lit_here",
    "lit_there",
    "loud_there",
    "more_there",
    "people_there",
    "person_found",
    "person_in_view",
    "tray_empty",
    "tray_holds",
    "unusual_there",
    "visitors_there",
]

_UNCERTAIN = "UNCERTAIN_SIGHT"
_LOOKS = 3


@condition(
    patience_s=0.0,
    unknown=_UNCERTAIN,
    skip_reason="already there",
    establishes={"at": "{target}"},
)
def at_place(robot: ReporterRobot, target: PlaceName) -> Verdict:
    """Whether the robot is at the given place, within 1.2 m."""
    where = robot.place or "between places"
    x, y, _ = robot.pose
    return Verdict(where == target, f"place: {where}", (f"pose:{x:.1f},{y:.1f}",))


@condition(
    patience_s=0.0,
    unknown=_UNCERTAIN,
    skip_reason="already loaded",
    establishes={"tray": "{object}"},
)
def tray_holds(robot: ReporterRobot, object: Words) -> Verdict:  # noqa: A002 - as in plans
    """Whether the given object is on the tray."""
    held = robot.tray or EMPTY
    return Verdict(held == object, f"tray: {held}", (f"tray:{held}",))


@condition(patience_s=0.0, unknown=_UNCERTAIN, establishes={"tray": "empty"})
def tray_empty(robot: ReporterRobot) -> Verdict:
    """Whether the tray is empty."""
    held = robot.tray or EMPTY
    return Verdict(held == EMPTY, f"tray: {held}", (f"tray:{held}",))


@condition(patience_s=PATIENCE_S, unknown=_UNCERTAIN)
def person_in_view(world: World[ReporterObservation], target: PersonName) -> Verdict:
    """Whether a person is in view now, without turning; absent only after three pictures."""
    observations = [observation for observation in world.fresh if observation.fault is None]
    if observations and observations[-1].person(target) is not None:
        return Verdict.yes(f"{target} seen", age_s=world.age_s)
    if len(observations) >= _LOOKS:
        return Verdict.no(f"{target} not in view", age_s=world.age_s)
    return Verdict.unknown(f"{target} not seen yet", age_s=world.age_s)


@condition(patience_s=0.0, unknown=_UNCERTAIN)
def person_found(notebook: Service[Notebook], target: PersonName) -> Verdict:
    """Whether the last observation of a place found a person; unknown if part of it was hidden."""
    looks = [note for note in notebook.notes if note.kind == "saw"]
    if not looks:
        return Verdict.unknown("no place was looked at")
    facts = looks[-1].facts
    for line in map(str, facts.get("evidence", ())):
        if line.startswith(f"person:{target} "):
            return Verdict.yes(f"{target} found", line)
    if facts.get("complete") is False:
        return Verdict.unknown(f"{target} may be in a part that was not visible")
    return Verdict.no(f"{target} not found")


@condition(patience_s=0.0, unknown=_UNCERTAIN)
def people_there(
    notebook: Service[Notebook], least: Count = 1, most: Count | None = None
) -> Verdict:
    """Whether the last observation of a place found people, or the given number of them.

    It is unknown if the number depends on people in a part of the place that was hidden.
    """
    facts = _last_observation(notebook)
    return _number_verdict(int(facts.get("people", -1)), facts, least, most, "person", "people")


@condition(patience_s=0.0, unknown=_UNCERTAIN)
def visitors_there(
    notebook: Service[Notebook], least: Count = 1, most: Count | None = None
) -> Verdict:
    """Whether the last observation of a place found people who are not on the site's map.

    It is unknown if the number depends on people in a part of the place that was hidden.
    """
    facts = _last_observation(notebook)
    people = int(facts.get("people", -1))
    known = sum(who in notebook.site.people for who in facts.get("who", ()))
    others = people - known if people >= 0 else people
    return _number_verdict(others, facts, least, most, "visitor", "visitors")


def _number_verdict(
    people: int, facts: Mapping[str, Any], least: int, most: int | None, one: str, several: str
) -> Verdict:
    """Return whether a number of observed people is within bounds; -1 means not observed."""
    hidden = people < 0 or facts.get("complete") is False
    too_many = most is not None and people > most
    if hidden and not too_many and (people < least or most is not None):
        return Verdict.unknown("a person may be in a part that was not visible")
    if people == 0:
        return Verdict(least == 0, f"no {one} was found")
    holds = people >= least and not too_many
    return Verdict(holds, f"{people} {several}", (f"{several}:{people}",))


@condition(patience_s=0.0, unknown=_UNCERTAIN)
def lit_there(notebook: Service[Notebook]) -> Verdict:
    """Whether the light was on at the last observed place; unknown if it was on only in parts."""
    light = _last_observation(notebook).get("light", "unknown")
    if light not in ("on", "off"):
        return Verdict.unknown(f"the light was {light}")
    return Verdict(light == "on", f"the light was {light}", (f"light:{light}",))


@condition(patience_s=0.0, unknown=_UNCERTAIN)
def loud_there(notebook: Service[Notebook]) -> Verdict:
    """Whether the last observed place was so loud that conversation requires a raised voice."""
    noise = _last_observation(notebook).get("noise")
    if noise is None:
        return Verdict.unknown("no place was listened to")
    return Verdict(noise == "loud", f"it was {noise}", (f"noise:{noise}",))


@condition(patience_s=0.0, unknown=_UNCERTAIN)
def unusual_there(notebook: Service[Notebook]) -> Verdict:
    """Whether the last observation of a place found an unusual object; unknown if in doubt."""
    facts = _last_observation(notebook)
    found = facts.get("unusual")
    if found:
        return Verdict.yes(f"unusual: {', '.join(found)}", tuple(f"unusual:{one}" for one in found))
    if found is None or facts.get("complete") is False:
        return Verdict.unknown("an unusual object may be in a part that was not visible")
    return Verdict.no("nothing unusual was found")


@condition(patience_s=0.0, unknown="UNCLEAR_ANSWER")
def answered_yes(notebook: Service[Notebook]) -> Verdict:
    """Whether the last question was answered with yes; unknown for any other answer than no."""
    asked = [note for note in notebook.notes if note.kind == "asked"]
    if not asked:
        return Verdict.unknown("no question was answered")
    answer = str(asked[-1].facts.get("answer", ""))
    yes = is_yes(answer)
    if yes is None:
        return Verdict.unknown("the answer was neither yes nor no")
    return Verdict(yes, f"the answer was: {answer}", (f"answer:{answer}",))


@condition(patience_s=0.0, unknown=_UNCERTAIN)
def compared(notebook: Service[Notebook], about: Words, order: Order) -> Verdict:
    """Whether at least two places were observed, so that the report can compare them by an aspect.

    The report also states if the places are equal, or if parts of them were hidden.
    """
    found = compare_places(notebook.observed_facts(), about, order)
    evidence = (f"compared:{about}:{order}", *(f"place:{place}" for place in found.places))
    return Verdict(found.outcome != "few", "observed places compared", evidence)


@condition(patience_s=0.0, unknown=_UNCERTAIN)
def more_there(
    notebook: Service[Notebook], target: PlaceName, other: PlaceName, about: Words, order: Order
) -> Verdict:
    """Whether a place has more (or less) of an aspect than another; unknown if parts were hidden.

    The aspect is ``people``, ``light`` or ``noise``. Equal places have neither more nor less.
    """
    looks = [facts for facts in notebook.observed_facts() if facts.get("target") in (target, other)]
    found = compare_places(looks, about, order)
    if found.outcome in ("few", "unsure"):
        return Verdict.unknown("the places cannot be compared")
    evidence = tuple(f"first:{place}" for place in found.first)
    return Verdict(found.first == (target,), _comparison_message(found), evidence)


def _comparison_message(found: Comparison) -> str:
    """Return a message that states which place has more or less of an aspect, if any."""
    countable = found.aspect == "people"
    if found.outcome == "equal":
        return f"as {'many' if countable else 'much'} {found.aspect} at both places"
    less = "fewer" if countable else "less"
    order = "more" if found.order == "most" else less
    return f"{order} {found.aspect} at {found.first[0]}"


def _last_observation(notebook: Notebook) -> Mapping[str, Any]:
    """Return the facts of the last observation of a place, or no facts before the first."""
    return next(reversed(notebook.observed_facts()), {})


@condition(patience_s=PATIENCE_S, unknown=_UNCERTAIN)
def lit_here(world: World[ReporterObservation]) -> Verdict:
    """Whether the camera's picture is bright enough for a lit place."""
    observations = [one for one in world.fresh if one.fault is None and one.frame is not None]
    if not observations:
        return Verdict.unknown("no picture yet", age_s=world.age_s)
    frame = observations[-1].frame
    assert frame is not None
    level = float(frame.mean())
    evidence = (f"luminance:{level:.0f}/255",)
    return Verdict(level >= LIT_LEVEL, f"brightness {level:.0f}", evidence, world.age_s)


@condition(patience_s=0.0, unknown=_UNCERTAIN, notes=True)
def failure_noted(notebook: Service[Notebook]) -> Verdict:
    """Whether the newest note in the notebook is a failure, so that it will be reported.

    Used as the second branch of a fallback: the failure of the first branch is reported later, and
    the mission continues.
    """
    note = notebook.notes[-1] if notebook.notes else None
    if note is None or note.kind != "failed":
        return Verdict.no("the notebook contains no failure")
    code = str(note.facts.get("code"))
    return Verdict.yes(f"noted: {code}", (f"notebook:{code}",))


CONDITIONS = (
    at_place,
    tray_holds,
    tray_empty,
    person_in_view,
    person_found,
    people_there,
    visitors_there,
    lit_there,
    loud_there,
    unusual_there,
    answered_yes,
    compared,
    more_there,
    lit_here,
    failure_noted,
)
"""All conditions of the pack."""
