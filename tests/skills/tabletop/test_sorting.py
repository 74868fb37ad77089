"""Sorting by an attribute, with objects without it, and with a thousand objects."""

from __future__ import annotations

import random
from typing import Any

import pytest

from bt_exec.events import (
    MissionStarted,
    Observed,
    PerceptionFailed,
    Planned,
    SkillEnded,
    SkillStarting,
)
from bt_exec.observation import Situation
from bt_exec.site.compile_command import Compiled, compile_command
from bt_exec.site.site import load_site
from bt_exec.tui.view_model import ViewModel
from bt_exec_skills.navigation.plane_geometry import Pose
from bt_exec_skills.tabletop.environment_state import Environment, Placed, Point
from bt_exec_skills.tabletop.goals.plan import goals_of
from bt_exec_skills.tabletop.perception.observation_and_pipeline import TableObservation
from bt_exec_skills.tabletop.reporter import TableReporter

COLOURS = ("red", "blue", "green", "yellow", "purple")
SITE = load_site("tabletop")


def world(count: int, *others: str) -> Environment:
    """Return a world of `count` coloured objects, a bowl of each colour, and other objects."""
    rng = random.Random(count)
    tops = [Point(x, y, 0.5) for x in range(-4, 6, 2) for y in (-4, -2, 2, 4)]
    names = [f"object_{colour}_bowl_0" for colour in COLOURS]
    found = {name: Placed(n, tops[3 * n]) for n, name in enumerate(names)}
    for number in range(count):
        at = rng.choice(tops)
        away = rng.uniform(-0.5, 0.5), rng.choice((-1, 1)) * rng.uniform(0.2, 0.3)
        name = f"object_{COLOURS[number % 5]}_{number // 5}"
        found[name] = Placed(len(found), Point(at.x + away[0], at.y + away[1], 0.52))
    for name in others:
        found[name] = Placed(len(found), Point(-4.4, -3.7, 0.52))
    return Environment(0.0, found, Pose(0.0, 0.0, 0.0))


def compiled(command: str, now: Environment) -> Compiled:
    seen = TableObservation(0.0, now)
    situation = Situation(seen.labels(), seen.facts(), seen.describe("en"))
    return compile_command(SITE, command, situation=situation)


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("sort by colour", "because their names do not indicate their colour: cup 0, apple 0"),
        ("색깔별로 정리해", "이름만으로는 색깔을 알 수 없어 그대로 둡니다: 컵 0, 사과 0"),
    ],
)
def test_objects_without_the_attribute_are_reported_and_not_moved(command: str, told: str):
    plan = compiled(command, world(5, "object_cup_0", "object_apple_0")).plan
    assert plan is not None
    moved = {move.thing for goal in goals_of(plan.root) for move in goal.moves}
    assert moved == {f"object_{colour}_0" for colour in COLOURS}
    reporter = TableReporter({})
    reporter.on(MissionStarted(0.0, 0, "m", command, plan.mission.language, ""))
    reporter.on(Planned(0.0, 0, plan, 0))
    assert told in " ".join(reporter._remarks)


def test_report_counts_objects_placed_after_the_last_observation():
    command, now = "put object_red_0 in the red bowl", world(1)
    plan = compiled(command, now).plan
    assert plan is not None
    reporter = TableReporter({})
    args = {"object": "object_red_0", "target": "object_red_bowl_0"}
    for event in (
        MissionStarted(0.0, 0, "m", command, "en", ""),
        Observed(0.5, 0, "tabletop", TableObservation(0.5, now)),
        Planned(0.5, 0, plan, 0),
        SkillStarting(1.0, 10, "p", "place_object", args, 1),
        SkillEnded(4.0, 70, "p", "place_object", 1, "done", 3.0),
        PerceptionFailed(4.5, 80, "tabletop", "no picture"),
    ):
        reporter.on(event)
    assert reporter.operator_messages() == "Done: red thing 0 in red bowl 0."
    reporter.on(Observed(5.0, 90, "tabletop", TableObservation(5.0, now)))  # it rolled out
    assert reporter.operator_messages() == "Not done: red thing 0 in red bowl 0."


def test_command_without_matching_objects_is_refused():
    now = world(0, "object_cup_0", "object_apple_0")
    refusal = compiled("sort by colour", now).refusal
    assert refusal is not None
    assert refusal.code == "NO_ATTRIBUTE"


@pytest.mark.parametrize("count", [70, pytest.param(1000, marks=pytest.mark.slow)])
def test_plan_moves_each_of_many_objects(count: int):
    plan = compiled("sort by colour", world(count)).plan
    assert plan is not None
    assert sum(len(goal.moves) for goal in goals_of(plan.root)) == count


@pytest.mark.parametrize(
    "command", ["sort by colour", "색깔별로 정리해", "put object_red_0 in the red bowl"]
)
def test_view_shows_each_goal_once_and_no_control_nodes(command: str):
    plan = compiled(command, world(6)).plan
    assert plan is not None
    model = ViewModel(messages=SITE.messages)
    model.on(MissionStarted(0.0, 0, "m", command, plan.mission.language, ""))
    model.on(Planned(0.0, 0, plan, 0))
    rows: list[Any] = [model.label(node) for node in model.forest]
    goals = [goal.text for goal in goals_of(plan.root)]
    assert all(rows.count(goal) == 1 for goal in goals)
    assert not {"sequence", "in order", "차례로"} & set(rows)
    for node in model.forest:
        assert len(node.children) != 1, model.label(node)  # a single child would repeat its parent
