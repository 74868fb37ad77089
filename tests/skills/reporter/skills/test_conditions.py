"""Conditions: true, false or unknown, with reasons and evidence, from fresh pictures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from bt_exec.observation import ObservationBuffer, World
from bt_exec.site.site import load_site
from bt_exec.skill import Verdict
from bt_exec_skills.navigation.plane_geometry import Pose
from bt_exec_skills.perception.fresh_observations import PATIENCE_S
from bt_exec_skills.reporter.perception.observation import LIT_LEVEL, ReporterObservation
from bt_exec_skills.reporter.skills.conditions import CONDITIONS
from tests.skills.reporter.acts import BASE, OFFICE, PROFESSOR

NOW = 9.0


def observation(t: float, *found: Any, fault: Any = None, level: float | None = None) -> Any:
    frame = None if level is None else np.full((4, 6, 3), level, dtype=np.uint8)
    return ReporterObservation(t, BASE, tuple(found), frame=frame, fault=fault)


class Question:
    """Evaluates a condition for a robot with the given `observations`, from the time `since` on."""

    def __init__(self, one: Any) -> None:
        self.one = one

    def ask(self, name: str, *observations: Any, since: float = 0.0, **args: Any) -> Verdict:
        (condition,) = (condition for condition in CONDITIONS if condition.name == name)
        buffer: ObservationBuffer[ReporterObservation] = ObservationBuffer(lambda: NOW)
        for each in observations:
            buffer.add(each)
        given = condition.injected_arguments(
            self.one.robot, World(buffer, since), self.one.services
        )
        return condition(**given, **condition.validate(args))


@pytest.fixture
def question(play: Callable[..., Any]) -> Callable[..., Question]:
    return lambda **robot: Question(play(**robot))


def test_condition_at_place_holds_only_at_its_target(question: Any) -> None:
    at = question(pose=OFFICE).ask("at_place", target="professor_office")
    assert (at.holds, at.why, at.evidence) == (True, "place: professor_office", ("pose:2.5,3.9",))
    assert question(pose=OFFICE).ask("at_place", target="basecamp").holds is False
    between = question(pose=Pose(6.0, 0.0, 0.0)).ask("at_place", target="basecamp")
    assert (between.holds, between.why) == (False, "place: between places")


@pytest.mark.parametrize("tray", [None, "tea", "documents"])
def test_tray_conditions_depend_on_the_tray(question: Any, tray: str | None) -> None:
    one = question(tray=tray)
    said = f"tray: {tray or 'empty'}", (f"tray:{tray or 'empty'}",)
    holds = one.ask("tray_holds", object="tea")
    assert (holds.holds, holds.why, holds.evidence) == (tray == "tea", *said)
    empty = one.ask("tray_empty")
    assert (empty.holds, empty.why, empty.evidence) == (tray is None, *said)


@pytest.mark.parametrize(
    ("pictures", "holds"),
    [
        ("", None),
        ("-", None),
        ("--", None),
        ("---", False),
        ("----", False),
        ("P", True),
        ("--P", True),
        ("P-", None),  # only the newest picture shows a person
        ("P--", False),
        ("--x", None),  # a faulty picture is no evidence
        ("---x", False),
        ("Px", True),
        ("x", None),
    ],
)
def test_person_is_reported_absent_only_after_three_good_pictures(
    question: Any, pictures: str, holds: bool | None
) -> None:
    seen = [
        observation(
            4.0 + number,
            *([PROFESSOR] if letter == "P" else []),
            fault="dark" if letter == "x" else None,
        )
        for number, letter in enumerate(pictures)
    ]
    one = question()
    verdict = one.ask("person_in_view", *seen, target="professor")
    words = {True: "professor seen", False: "professor not in view", None: "professor not seen yet"}
    age = NOW - seen[-1].t if seen else float("inf")
    assert (verdict.holds, verdict.why, verdict.age_s) == (holds, words[holds], age)
    assert one.ask("person_in_view", *seen, target="user").holds in (None, False)
    late = one.ask("person_in_view", *seen, since=8.5, target="professor")
    assert late.holds is None  # earlier observations do not count


@pytest.mark.parametrize(
    ("level", "holds"), [(0, False), (LIT_LEVEL - 1, False), (LIT_LEVEL, True), (255, True)]
)
def test_light_is_on_above_a_threshold(question: Any, level: float, holds: bool) -> None:
    one = question()
    verdict = one.ask(
        "lit_here", observation(7.0, level=255 - level), observation(8.0, level=level)
    )
    assert (verdict.holds, verdict.why) == (holds, f"brightness {level:.0f}")
    assert (verdict.evidence, verdict.age_s) == ((f"luminance:{level:.0f}/255",), 1.0)


def test_light_is_unknown_without_a_good_fresh_picture(question: Any) -> None:
    one = question()
    bright = observation(8.0, level=200)
    for seen, since in (
        ([], 0.0),
        ([bright], 8.5),
        ([observation(8.0)], 0.0),
        ([observation(8.0, level=200, fault="frozen")], 0.0),
    ):
        verdict = one.ask("lit_here", *seen, since=since)
        assert (verdict.holds, verdict.why) == (None, "no picture yet")
        assert verdict.age_s == (1.0 if seen else float("inf"))
    broken = observation(8.5, level=10, fault="noise")
    assert one.ask("lit_here", bright, broken).holds is True


def test_pending_failure_depends_on_the_newest_note(play: Any) -> None:
    one = play()
    assert Question(one).ask("failure_noted").holds is False
    one.notebook.add_note(1.0, "failed", None, skill="navigate", code="BLOCKED_PATH")
    noted = Question(one).ask("failure_noted")
    assert (noted.holds, noted.why) == (True, "noted: BLOCKED_PATH")
    assert noted.evidence == ("notebook:BLOCKED_PATH",)
    one.notebook.add_note(2.0, "went", "lounge", target="lounge")
    verdict = Question(one).ask("failure_noted")
    assert (verdict.holds, verdict.why) == (False, "the notebook contains no failure")


@pytest.mark.parametrize(
    ("people", "complete", "bounds", "holds"),
    [
        (2, True, {}, True),
        (0, True, {}, False),
        (0, False, {}, None),
        (-1, True, {}, None),
        (2, True, {"least": 2}, True),
        (1, True, {"least": 2}, False),
        (1, False, {"least": 2}, None),
        (2, False, {"least": 2}, True),
        (2, True, {"least": 2, "most": 2}, True),
        (2, False, {"least": 2, "most": 2}, None),
        (3, True, {"least": 2, "most": 2}, False),
        (3, False, {"least": 2, "most": 2}, False),
        (1, False, {"least": 2, "most": 2}, None),
        (0, True, {"least": 0, "most": 2}, True),
    ],
)
def test_number_of_people_is_unknown_if_it_depends_on_hidden_parts(
    play: Any, people: int, complete: bool, bounds: dict[str, int], holds: bool | None
) -> None:
    one = play()
    facts = {"target": "lounge", "people": people, "complete": complete}
    one.notebook.add_note(1.0, "saw", "lounge", **facts)
    assert Question(one).ask("people_there", **bounds).holds is holds
    facts |= {"people": max(people, 0) + 1 if people >= 0 else people, "who": ("professor",)}
    one.notebook.add_note(2.0, "saw", "professor_office", **facts)
    assert Question(one).ask("visitors_there", **bounds).holds is holds


@pytest.mark.parametrize(
    ("about", "order", "looks", "holds"),
    [
        ("people", "most", ((3, True), (1, True)), True),
        ("people", "most", ((1, True), (3, True)), False),
        ("people", "most", ((2, True), (2, True)), False),
        ("people", "least", ((1, True), (3, True)), True),
        ("people", "most", ((3, True), (1, False)), None),
        ("people", "most", ((3, False), (1, True)), True),
        ("people", "most", ((3, True),), None),
    ],
)
def test_places_are_compared_by_their_last_observations(
    play: Any, about: str, order: str, looks: Any, holds: bool | None
) -> None:
    one = play()
    one.notebook.add_note(1.0, "saw", "corridor_center", target="corridor_center", people=9)
    for place, (people, complete) in zip(("lounge", "break_room"), looks, strict=False):
        facts = {"target": place, "people": people, "complete": complete}
        one.notebook.add_note(2.0, "saw", place, **facts)
    args = {"target": "lounge", "other": "break_room", "about": about, "order": order}
    assert Question(one).ask("more_there", **args).holds is holds
    several = len(one.notebook.observed_facts()) > 1
    assert Question(one).ask("compared", about=about, order=order).holds is several


def test_only_visual_conditions_wait_for_pictures() -> None:
    waited = {condition.name for condition in CONDITIONS if condition.patience_s}
    assert waited == {"person_in_view", "lit_here"}
    assert {condition.patience_s for condition in CONDITIONS} == {0.0, PATIENCE_S}
    assert {condition.unknown for condition in CONDITIONS} == {"UNCERTAIN_SIGHT", "UNCLEAR_ANSWER"}


@pytest.mark.parametrize(
    ("why", "said"),
    [
        ("professor found", "교수님 찾음"),
        ("professor not found", "교수님 못 찾음"),
        (
            "professor may be in a part that was not visible",
            "보이지 않은 곳에 교수님이 있을 수 있음",
        ),
        ("tray: empty", "쟁반: 비어 있음"),
        ("tray: 서류", "쟁반: 서류"),
        ("place: lounge", "있는 곳: 라운지"),
        ("place: between places", "있는 곳: 장소와 장소 사이"),
    ],
)
def test_answers_are_in_korean_for_a_korean_command(why, said):
    assert load_site("building").messages.translate_word(why, "ko") == said
