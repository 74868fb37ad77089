"""Report about objects whose move was interrupted, computed from recorded events."""

import pytest

from bt_exec.events import (
    FactsKnown,
    MissionStarted,
    Observed,
    Planned,
    SkillEnded,
    SkillStarting,
)
from bt_exec.site.site import load_site
from bt_exec.spec.expand import expand
from bt_exec_skills.tabletop.goals.compiler import create
from bt_exec_skills.tabletop.perception.observation_and_pipeline import TableObservation
from bt_exec_skills.tabletop.reporter import TableReporter
from tests.skills.tabletop.asking import ask
from tests.skills.tabletop.test_commands import WORLDS

APPLE, CUP, TRAY = "object_apple_0", "object_red_cup_0", "object_tray_0"
COMMANDS = {"en": "put the apple and the red cup on the tray", "ko": "사과랑 빨간 컵을 쟁반에 올려"}
UNKNOWN = {
    "en": "It is not known whether the move of red cup 0 to tray 0 was completed.",
    "ko": "빨간 컵 0을 쟁반 0으로 옮기는 일이 끝났는지는 알 수 없습니다.",
}


@pytest.fixture
def report():
    """Return the report of a mission in which the move of the cup was interrupted."""

    def report(language, *, typed="", state="stopped", hand="", looks=(), retried=False):
        command = COMMANDS[typed or language]
        spec = expand(ask(create({}), command, WORLDS["mixed"]).spec, load_site("tabletop").library)
        seen = TableObservation(0.0, WORLDS["mixed"])
        args = {"object": CUP, "target": TRAY, "side": "in"}
        reporter = TableReporter({})
        for event in (
            MissionStarted(0.0, 0, "1", command, language, "tabletop"),
            Observed(0.0, 0, "tabletop", seen),
            Planned(0.0, 0, spec, ()),
            SkillStarting(0.2, 1, "root", "pick_object", {"object": CUP}, 0),
            SkillEnded(0.8, 1, "root", "pick_object", 0, "done", 0.6),
            Observed(1.0, 1, "tabletop", seen),
            SkillStarting(2.0, 2, "root", "place_object", args, 1),
            SkillEnded(3.0, 3, "root", "place_object", 1, state, 1.0),
            *(
                (
                    SkillStarting(3.1, 4, "root", "place_object", args, 2),
                    SkillEnded(3.4, 4, "root", "place_object", 2, "done", 0.3),
                )
                if retried
                else ()
            ),
            *(Observed(at, 4, "tabletop", seen) for at in looks),
            FactsKnown(3.0, 4, "end", {"hand": hand}),
        ):
            reporter.on(event)
        return reporter.operator_messages()

    return report


@pytest.mark.parametrize("language", ["en", "ko"])
def test_place_of_an_object_released_by_a_stopped_action_is_unknown(report, language):
    said = report(language)
    assert UNKNOWN[language] in said
    assert {"en": "(remaining: apple 0)", "ko": "(남은 것: 사과 0)"}[language] in said


@pytest.mark.parametrize(("language", "typed"), [("en", "ko"), ("ko", "en")])
def test_mission_resumed_in_the_other_language_is_reported_in_one_language(report, language, typed):
    assert report(language, typed=typed) == report(language)


def test_place_of_an_object_after_a_failed_action_is_unknown(report):
    assert UNKNOWN["en"] in report("en", state="failed")


def test_object_still_in_the_hand_remains_to_be_moved(report):
    said = report("en", hand=CUP)
    assert "(remaining: apple 0, red cup 0)" in said
    assert "not known" not in said


def test_later_observation_determines_the_place_of_an_object(report):
    said = report("en", looks=[3.5])
    assert "(remaining: apple 0, red cup 0)" in said
    assert "not known" not in said


def test_object_placed_by_a_later_attempt_is_not_unknown(report):
    said = report("en", state="failed", retried=True)
    assert "(remaining: apple 0)" in said
    assert "not known" not in said
