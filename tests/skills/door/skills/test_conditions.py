"""Conditions: yes, no, or not known yet; only fresh pictures count."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from bt_exec.observation import ObservationBuffer, World
from bt_exec_skills.door.perception.observation import DoorScene
from bt_exec_skills.door.skills import conditions
from bt_exec_skills.door.skills.conditions import CONDITIONS

Scenes = Callable[..., DoorScene]


def world_of(*scenes: DoorScene, since: float = 0.0, now: float = 9.0) -> World[DoorScene]:
    sight: ObservationBuffer[DoorScene] = ObservationBuffer(lambda: now)
    for one in scenes:
        sight.add(one)
    return World(sight, since)


@pytest.mark.parametrize(
    ("states", "asked", "holds"),
    [
        (("open", "open"), "open", True),
        (("open", "open"), "closed", False),
        (("open", "uncertain"), "open", None),
        (("open",), "open", None),
        ((), "open", None),
    ],
)
def test_door_is(scene: Scenes, states: Any, asked: Any, holds: bool | None) -> None:
    world = world_of(*(scene(t=8.0 + k, state=state) for k, state in enumerate(states)))
    assert conditions.door_is(world=world, state=asked).holds is holds


def test_what_was_seen_before_the_question_does_not_count(scene: Scenes) -> None:
    world = world_of(scene(t=1.0, state="open"), scene(t=1.2, state="open"), since=5.0)
    verdict = conditions.door_is(world=world, state="open")
    assert verdict.holds is None
    assert verdict.evidence == ("primary:not_looked_yet",)
    assert verdict.why == "no new picture comes"
    assert verdict.age_s == pytest.approx(7.8)


def test_doubt_says_what_it_is_about(scene: Scenes) -> None:
    assert conditions.door_known(world=world_of()).why == "no picture has come yet"
    split = world_of(scene(state="open", t=8.8), scene(state="ajar", t=9.0))
    assert conditions.door_known(world=split).why == "the pictures do not agree"
    flicker = world_of(scene(t=8.8), scene(t=9.0, labels=()))
    assert conditions.material_visible(world=flicker).why == "the pictures do not agree"


def test_a_camera_that_fails_is_the_doubt_of_every_question(scene: Scenes) -> None:
    dark = world_of(*(scene(t=8.6 + k / 5, state="uncertain", fault="dark") for k in range(3)))
    for ask in (conditions.door_known, conditions.material_visible, conditions.handle_visible):
        assert ask(world=dark).why == "the camera is dark"


def test_door_known_never_says_no(scene: Scenes) -> None:
    assert conditions.door_known(world=world_of(scene(), scene())).holds is True
    doubt = scene(state="uncertain")
    assert conditions.door_known(world=world_of(doubt, doubt)).holds is None


def test_material_is_absent_only_after_three_pictures(scene: Scenes) -> None:
    empty = scene(labels=("door",))
    assert conditions.material_visible(world=world_of(empty, empty)).holds is None
    verdict = conditions.material_visible(world=world_of(empty, empty, empty))
    assert verdict.holds is False
    assert verdict.why == "material not seen"
    assert verdict.evidence == ("look:0.0s:no",) * 3
    assert conditions.handle_visible(world=world_of(scene(), scene())).holds is True


def test_hands_are_known_by_touch(scripted: Any) -> None:
    robot = scripted(held={"left": None, "right": "material"}, at_home=False)
    assert conditions.hand_holds(robot=robot, arm="right").holds is True
    assert conditions.hand_holds(robot=robot, arm="left").why == "left hand holds nothing"
    assert conditions.hand_empty(robot=robot, arm="left").holds is True
    assert conditions.hand_empty(robot=robot, arm="right").evidence == ("touch:material",)
    assert conditions.arms_home(robot=robot).holds is False


@pytest.mark.parametrize("condition", CONDITIONS, ids=lambda c: c.name)
def test_doubt_has_one_name_everywhere(condition: Any) -> None:
    assert condition.unknown == "UNCERTAIN_PERCEPTION"
