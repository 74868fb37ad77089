"""Conditions of the door pack: yes, no or unknown, from fresh pictures only."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from bt_exec.observation import ObservationBuffer, World
from bt_exec.skill import Verdict
from bt_exec_skills.door.perception.door_state_agreement import STALE_S
from bt_exec_skills.door.perception.observation import DoorEstimate, DoorObservation
from bt_exec_skills.door.skills import conditions
from bt_exec_skills.door.skills.conditions import CONDITIONS
from bt_exec_skills.perception.fresh_observations import PATIENCE_S

Scenes = Callable[..., DoorObservation]


def sees_material(world: World[DoorObservation]) -> Verdict:
    """Return the verdict of `material_visible` while both hands are empty."""
    robot: Any = SimpleNamespace(holding=lambda _: None)
    return conditions.material_visible(world=world, robot=robot)


def world_of(
    *scenes: DoorObservation, since: float = 0.0, now: float = 9.0
) -> World[DoorObservation]:
    sight: ObservationBuffer[DoorObservation] = ObservationBuffer(lambda: now)
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
def test_condition_door_is_depends_on_recent_observations(
    scene: Scenes, states: Any, asked: Any, holds: bool | None
) -> None:
    world = world_of(*(scene(t=8.0 + k, state=state) for k, state in enumerate(states)))
    assert conditions.door_is(world=world, state=asked).holds is holds


def test_observations_before_the_start_of_the_node_are_ignored(scene: Scenes) -> None:
    world = world_of(scene(t=1.0, state="open"), scene(t=1.2, state="open"), since=5.0)
    verdict = conditions.door_is(world=world, state="open")
    assert verdict.holds is None
    assert verdict.evidence == ("primary:not_looked_yet",)
    assert verdict.why == "no new picture arrives"
    assert verdict.age_s == pytest.approx(7.8)


def test_uncertain_result_names_its_reason(scene: Scenes) -> None:
    assert conditions.door_known(world=world_of()).why == "no picture has arrived yet"
    split = world_of(scene(state="open", t=8.8), scene(state="ajar", t=9.0))
    assert conditions.door_known(world=split).why == "the pictures do not agree"
    flicker = world_of(scene(t=8.8), scene(t=9.0, labels=()))
    assert sees_material(world=flicker).why == "the pictures do not agree"


@pytest.mark.parametrize(
    ("age_s", "since", "why"),
    [
        (0.2, 0.0, "the pictures do not agree"),
        (1.0, 0.0, "the pictures do not agree"),
        (1.2, 0.0, "no new picture arrives"),  # fresh once, old by now
        (
            0.2,
            8.9,
            "no picture of this step has arrived yet",
        ),  # recent, but from before the question
    ],
)
def test_reason_of_uncertainty_considers_only_fresh_pictures(
    scene: Scenes, age_s: float, since: float, why: str
) -> None:
    world = world_of(scene(t=9.0 - age_s), since=since)
    assert sees_material(world=world).why == why
    assert conditions.door_known(world=world).why == why


@pytest.mark.parametrize(
    ("evidence", "kind", "why"),
    [
        ("primary:no_door_in_view", "no_door", "no door is in view"),
        ("primary:hidden_by_an_arm", "door_hidden", "too little of the door is in view"),
        (
            "primary:x",
            "not_confirmed",
            "the cross-checking model does not confirm the state of the door",
        ),
        ("primary:looks_open_or_ajar", None, "the state of the door is unclear"),
        ("", None, "the state of the door is unclear"),
    ],
)
def test_uncertain_door_state_has_a_reason(
    scene: Scenes, evidence: str, kind: Any, why: str
) -> None:
    doubt = DoorEstimate("uncertain", 0.2, (evidence,) if evidence else (), kind)
    seen = replace(scene(t=8.9), door=doubt)
    verdict = conditions.door_is(world=world_of(seen), state="open")
    assert (verdict.holds, verdict.why, verdict.evidence) == (None, why, doubt.evidence)


def test_patience_is_three_seconds_and_pictures_expire_after_one() -> None:
    assert (PATIENCE_S, STALE_S) == (3.0, 1.0)
    waits = {one.name for one in CONDITIONS if one.patience_s == PATIENCE_S}
    names = "door_is door_known material_visible inside_in_view handle_visible"
    assert waits == {*names.split()}


def test_camera_fault_makes_every_condition_unknown(scene: Scenes) -> None:
    dark = world_of(*(scene(t=8.2 + k / 5, state="uncertain", fault="dark") for k in range(4)))
    for ask in (conditions.door_known, sees_material, conditions.handle_visible):
        assert ask(world=dark).why == "the camera is dark"
    assert len(sees_material(world=dark).evidence) == 3


def test_condition_door_known_is_never_false(scene: Scenes) -> None:
    assert conditions.door_known(world=world_of(scene(), scene())).holds is True
    doubt = scene(state="uncertain")
    assert conditions.door_known(world=world_of(doubt, doubt)).holds is None


def test_material_is_reported_absent_only_after_three_pictures(scene: Scenes) -> None:
    empty = scene(labels=("door",))
    assert sees_material(world=world_of(empty, empty)).holds is None
    verdict = sees_material(world=world_of(empty, empty, empty))
    assert verdict.holds is False
    assert verdict.why == "material not seen"
    assert verdict.evidence == ("look:0.0s:no",) * 3
    older = (scene(t=1.0), *(scene(t=2.0 + k, labels=("door",)) for k in range(3)))
    assert sees_material(world=world_of(*older)).evidence == (
        "look:2.0s:no",
        "look:3.0s:no",
        "look:4.0s:no",
    ), "the newest that decide"
    assert conditions.handle_visible(world=world_of(scene(), scene())).holds is True


def behind(scene: DoorObservation, inside: float | None) -> DoorObservation:
    return replace(scene, door=replace(scene.door, inside=inside))


@pytest.mark.parametrize(
    ("labels", "inside", "visible", "told"),
    [
        (("door",), (1.0, 1.0, 1.0), False, True),
        (("door",), (None, None, None), False, True),
        (("door",), (0.85, 0.85, 0.85), False, True),
        (("door",), (0.84, 0.84, 0.84), None, False),
        (("door",), (1.0, 0.0, 1.0), None, False),  # an object passed in front of it
        (("door",), (1.0, 1.0), None, True),
        (("door",), (1.0,), None, None),
        (("door",), (0.0, 0.0), None, None),
        (("door", "material"), (0.0, 0.0), True, True),
        (("door", "material"), (0.0, 0.0, 0.0), True, True),
        ((), (), None, None),
    ],
)
def test_possibly_hidden_label_is_not_absent(
    scene: Scenes, labels: Any, inside: Any, visible: bool | None, told: bool | None
) -> None:
    world = world_of(*(behind(scene(t=8.0 + k, labels=labels), i) for k, i in enumerate(inside)))
    assert sees_material(world=world).holds is visible
    found = conditions.inside_in_view(world=world)
    assert found.holds is told
    if told is False:
        assert found.why == "the closed door hides the inside"
        assert sees_material(world=world).why == found.why


def test_message_for_a_door_between_two_states_names_both(scene: Scenes) -> None:
    for between, why in (
        (("closed", "ajar"), "the door may be closed or just ajar"),
        (("ajar", "open"), "the door may be ajar or open"),
    ):
        doubt = DoorEstimate("uncertain", 0.4, (), between=between)
        world = world_of(*(replace(scene(t=8.6 + k / 5), door=doubt) for k in range(2)))
        assert conditions.door_is(world=world, state="open").why == why


def test_contents_of_hands_are_determined_by_touch(scripted: Any) -> None:
    robot = scripted(held={"left": None, "right": "material"}, at_home=False)
    assert conditions.hand_holds(robot=robot, arm="right").holds is True
    assert conditions.hand_holds(robot=robot, arm="left").why == "left hand holds nothing"
    both = conditions.hands_hold(robot=robot)
    assert both.why == "left hand holds nothing; right hand holds material"
    assert both.holds
    empty = scripted(held={"left": None, "right": None})
    assert not conditions.hands_hold(robot=empty).holds
    held = conditions.material_visible(world=world_of(), robot=robot)
    assert (held.holds, held.why) == (False, "right hand holds material")
    assert conditions.hand_empty(robot=robot, arm="left").holds is True
    assert conditions.hand_empty(robot=robot, arm="right").evidence == ("touch:material",)
    assert conditions.arms_home(robot=robot).holds is False
    assert conditions.arms_home(robot=robot).why == "arms are not at home"
    robot.at_home = True
    assert conditions.arms_home(robot=robot).why == "arms are at home"


@pytest.mark.parametrize(
    ("touched", "seen", "holds", "why"),
    [
        ("in_front", (), False, "material fell to the floor in front of the door"),
        ("in_front", ("material",), True, "material seen"),
        ("lost", (), None, "the closed door hides the inside"),
        (None, (), None, "the closed door hides the inside"),
    ],
)
def test_material_that_fell_in_front_of_the_door_is_not_behind_it(
    scene: Scenes, touched: Any, seen: tuple[str, ...], holds: bool | None, why: str
) -> None:
    door = DoorEstimate("closed", 0.9, inside=0.0)
    scenes = (scene(t=8.2 + k / 5, labels=seen) for k in range(4))
    verdict = sees_material(world_of(*(replace(s, door=door, touched=touched) for s in scenes)))
    assert (verdict.holds, verdict.why) == (holds, why)


@pytest.mark.parametrize("condition", CONDITIONS, ids=lambda c: c.name)
def test_all_conditions_report_uncertainty_with_the_same_code(condition: Any) -> None:
    assert condition.unknown == "UNCERTAIN_PERCEPTION"
