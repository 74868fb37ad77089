"""Unknown names in plans, with the known ones nearest first."""

from __future__ import annotations

import pytest

from bt_exec.observation import Situation
from bt_exec.pack import PassContext
from bt_exec.spec.load import load_text
from bt_exec_skills.reporter.places_and_people import make_map
from bt_exec_skills.reporter.rigs import ReporterSettings
from bt_exec_skills.reporter.rules.passes_and_checkers import check_known_names
from bt_exec_skills.reporter.rules.place_mentions import named_places

PLACES = ("basecamp", "professor_office", "corridor_center", "lounge", "break_room")
PLACES += ("restroom_front", "corridor_west", "corridor_middle", "corridor_east")


def problems(building, *steps):
    text = f"mission: {{command: x}}\nroot: {{sequence: [{', '.join(steps)}]}}"
    context = PassContext(Situation(), building.packs["reporter"], "x")
    return list(check_known_names(load_text(text).document, context))


def go(target):
    return f"{{do: navigate, with: {{target: {target}}}}}"


@pytest.mark.parametrize(
    ("step", "code", "argument"),
    [
        (go("attic"), "UNKNOWN_LOCATION", "target"),
        ("{do: observe_scene, with: {target: attic, query: x}}", "UNKNOWN_LOCATION", "target"),
        ("{do: talk_to_person, with: {target: attic, topic: x}}", "UNKNOWN_PERSON", "target"),
        (
            "{do: deliver_object, with: {object: x, recipient: attic}}",
            "UNKNOWN_PERSON",
            "recipient",
        ),
    ],
)
def test_every_name_of_a_plan_is_checked(building, step, code, argument):
    before = (go("lounge"), "{check: failure_noted}", "{do: summarize_mission}")
    (problem,) = problems(building, *before, step)
    place = f"root/sequence[3]/with/{argument}"
    assert (problem.code, problem.found, problem.place) == (code, "attic", place)
    nobody = {"UNKNOWN_LOCATION": "no place", "UNKNOWN_PERSON": "nobody"}[code]
    assert problem.message == f"{nobody} is called 'attic'"


@pytest.mark.parametrize("name", ["$where", "lounge", "3"])
def test_references_known_names_and_numbers_are_accepted(building, name):
    assert problems(building, go(name)) == []


@pytest.mark.parametrize(
    ("name", "first"),
    [("loung", "lounge"), ("휴게실", "break_room"), ("the hallway", "corridor_center")],
)
def test_nearest_place_by_display_name_is_listed_first(building, name, first):
    (problem,) = problems(building, go(name))
    assert problem.allowed[0] == first
    assert sorted(problem.allowed) == sorted(PLACES)


def test_names_are_not_checked_without_a_map():
    assert (
        list(
            check_known_names(
                load_text(f"mission: {{command: x}}\nroot: {go('a')}").document,
                PassContext(Situation(), ReporterSettings(), "x"),
            )
        )
        == []
    )


@pytest.mark.parametrize(
    "command",
    ["the hallway, the lounge and the corridor", "the corridor, the lounge and the hallway"],
)
def test_first_mentioned_name_of_a_place_determines_its_position(building, command):
    site = make_map(building.packs["reporter"])
    assert named_places(command, site) == ("corridor_center", "lounge")


def test_name_inside_a_longer_name_does_not_match(building):
    settings = building.packs["reporter"]
    area = {"poses": [[0.0, 0.0, 0.0]], "area": [0.0, 0.0, 1.0, 1.0]}
    stores = {
        "store": {"name": {"en": "the store", "ko": "창고"}, **area},
        "old_store": {"name": {"en": "the old store", "ko": "옛 창고"}, **area},
    }
    site = make_map(
        ReporterSettings.model_validate(
            {**settings.model_dump(), "places": {**settings.places, **stores}}
        )
    )
    for command in ("go by the lounge to the old store", "라운지를 지나 옛 창고 봐"):
        assert named_places(command, site) == ("lounge", "old_store")
    assert named_places("the store and the old store", site) == ("store", "old_store")
