"""Camera faults: detection, names, and no motion on outdated pictures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from bt_exec.failure import Failed
from bt_exec_skills.door.pack import PACK
from bt_exec_skills.door.sim.camera import SimCamera
from bt_exec_skills.door.sim.layout import WorldOptions
from bt_exec_skills.door.sim.world import DoorWorld
from bt_exec_skills.perception.camera_fault_detection import CameraWatch, fault_in
from bt_exec_skills.perception.contracts import View
from bt_exec_skills.perception.faulty_camera import (
    BREAKS,
    Break,
    FaultyCamera,
    faulty_picture,
    parse_breaks,
)

pytestmark = pytest.mark.sampled

SKILLS = {skill.name: skill for skill in PACK.skills}
HANDLE = {"arm": "right", "object_label": "door-handle"}
MATERIAL = {"arm": "right", "object_label": "material"}
SAID = {
    "dark": "the camera is dark",
    "frozen": "the camera is frozen",
    "noise": "the camera shows only noise",
    "occluded": "the camera is covered",
    "wrong_size": "the camera's pictures have the wrong size",
    "missing": "the camera delivers no picture",
}


def pictures(count: int = 1, **options: Any) -> tuple[DoorWorld, FaultyCamera[Any], list[View]]:
    world = DoorWorld(WorldOptions(**options))
    lens = FaultyCamera(SimCamera(world, renderer="auto"), seed=options.get("seed", 0))
    views = []
    for _ in range(count):
        views.append(lens.view(lens.capture()))
        world.advance()
    return world, lens, views


@pytest.mark.parametrize("door", ["closed", "ajar", "open"])
@pytest.mark.parametrize(
    "seed", [0, 1, *(pytest.param(n, marks=pytest.mark.slow) for n in (2, 3, 4, 5))]
)
def test_intact_pictures_have_no_fault(door: str, seed: int) -> None:
    _, lens, views = pictures(3, seed=seed, door=door)
    watch = CameraWatch((240, 320))
    assert [watch.fault(view) for view in views] == [None, None, None]
    lens.close()


@pytest.mark.parametrize("fault", BREAKS)
def test_every_camera_fault_is_detected_and_identified(fault: Any) -> None:
    world, lens, (good,) = pictures(seed=4, door="open")
    watch = CameraWatch((240, 320))
    assert watch.fault(good) is None
    lens.breaks = (Break(fault),)
    world.advance()
    assert watch.fault(lens.view(lens.capture())) == fault
    lens.breaks = ()
    world.advance()
    assert watch.fault(lens.view(lens.capture())) is None
    lens.close()


def test_repeated_capture_is_not_a_frozen_camera() -> None:
    _, lens, (view,) = pictures(seed=4)
    watch = CameraWatch((240, 320))
    assert watch.fault(view) is None
    assert watch.fault(view) is None  # returned again, with its original time
    lens.close()


@pytest.mark.parametrize("shape", [(240, 320), (240, 320, 1), (240, 320, 4), (240, 321, 3)])
def test_picture_of_unexpected_shape_is_a_size_fault(shape: Any) -> None:
    frame = np.random.default_rng(0).integers(0, 255, shape).astype(np.uint8)
    assert CameraWatch((240, 320)).fault(View(0.0, frame)) == "wrong_size"


def test_tiny_picture_is_not_checked() -> None:
    assert fault_in(np.full((4, 4, 3), 90, np.uint8)) is None


@pytest.mark.parametrize(
    ("text", "breaks"),
    [
        ("none", ()),
        ("dark", (Break("dark"),)),
        ("noise@12", (Break("noise", 12.0),)),
        ("occluded@3-5.5", (Break("occluded", 3.0, 5.5),)),
        ("dark@1-2, frozen@4", (Break("dark", 1.0, 2.0), Break("frozen", 4.0))),
    ],
)
def test_camera_faults_are_parsed(text: str, breaks: tuple[Break, ...]) -> None:
    assert parse_breaks(text) == breaks


@pytest.mark.parametrize("text", ["black", "dark@", "dark@x", "dark@5-3", "dark-5", ""])
def test_invalid_camera_fault_lists_the_allowed_form(text: str) -> None:
    with pytest.raises(ValueError, match="camera="):
        parse_breaks(text)


def test_same_seed_gives_the_same_noise() -> None:
    _, one, (first,) = pictures(seed=4)
    _, two, (second,) = pictures(seed=4)
    assert np.array_equal(first.frame, second.frame)
    rng = [np.random.default_rng(1) for _ in range(2)]
    assert np.array_equal(*(faulty_picture(first.frame, "noise", each) for each in rng))
    one.close()
    two.close()


# -- in the middle of every skill


def at_work(ride: Callable[..., Any], detector: str, skill: str) -> tuple[Any, dict[str, str]]:
    """Return a ride in which `skill` is applicable, and its arguments."""
    trip = ride(
        {"robot": "sim", "detector": detector},
        seed=3,
        door="closed" if skill == "open_door" else "open",
    )
    if skill in ("grasp", "return_home", "release"):
        assert trip.run(SKILLS["move_arm"], **MATERIAL) == "OK"
    if skill == "release":
        assert trip.run(SKILLS["grasp"], **MATERIAL) == "OK"
    args: dict[str, dict[str, str]] = {
        "open_door": HANDLE,
        "close_door": HANDLE,
        "move_arm": MATERIAL,
        "grasp": MATERIAL,
        "release": {"arm": "right"},
    }
    return trip, args.get(skill, {})


def break_in(
    trip: Any, skill: str, args: dict[str, str], fault: Any, after_s: float
) -> tuple[str, str, float]:
    """Run a skill and break the camera after a time.

    Returns:
        Code, message, and how long an arm still moved after the fault [s].
    """
    steps = trip.start(SKILLS[skill], **args)
    start = trip.sim.time
    lens = trip.rig.perception.camera
    lens.breaks = (Break(fault, start + after_s),)
    code, why, count, moved = "OK", "", 0, start
    try:
        while True:
            next(steps)
            trip.tick(count)
            if max(limb.speed for limb in trip.robot.world.limbs.values()) > 0.1:
                moved = trip.sim.time
            count += 1
            assert count < 800
    except StopIteration:
        pass
    except Failed as failed:
        code, why = failed.code, failed.message
    return code, why, moved - start - after_s


MIDDLES = {
    "open_door": 3.0,
    "close_door": 2.0,
    "move_arm": 1.4,
    "grasp": 0.6,
    "return_home": 0.6,
}
"""Time at which each skill is in the middle of its motion [s]."""


def some_of(skills: list[str]) -> list[Any]:
    """Return every skill with every fault. All but one fault of each skill are marked slow."""
    return [
        pytest.param(
            skill,
            fault,
            marks=[] if number % len(BREAKS) == place else [pytest.mark.slow],
        )
        for number, skill in enumerate(skills)
        for place, fault in enumerate(BREAKS)
    ]


@pytest.mark.parametrize(("skill", "fault"), some_of(list(MIDDLES)))
def test_fault_during_a_skill_stops_the_arms_and_ends_it(
    ride: Callable[..., Any], skill: str, fault: Any
) -> None:
    trip, args = at_work(ride, "oracle", skill)
    middle = MIDDLES[skill]
    held = trip.robot.holding("right")
    code, why, moved = break_in(trip, skill, args, fault, middle)
    assert (code, why) == ("UNCERTAIN_PERCEPTION", SAID[fault])
    assert moved <= 0.9  # two pictures at five per second, until the arm is at rest
    if skill != "grasp":  # the material may already be between its fingers
        assert trip.robot.holding("right") in (held, "door-handle")
    trip.sim.step(0.5)
    before = trip.robot.world.data.qpos.copy()
    trip.sim.step(1.0)
    arms = [trip.robot.world.limbs[arm].speed for arm in ("left", "right")]
    assert max(arms) < 0.05
    assert np.abs(trip.robot.world.data.qpos - before).max() < 0.02


@pytest.mark.parametrize(("skill", "fault"), some_of([*MIDDLES, "release"]))
def test_fault_before_a_skill_prevents_all_motion(
    ride: Callable[..., Any], skill: str, fault: Any
) -> None:
    trip, args = at_work(ride, "oracle", skill)
    trip.tick(0)  # the last good picture
    trip.sim.step(0.4)
    targets = [np.array(limb.target) for limb in trip.robot.world.limbs.values()]
    held = trip.robot.holding("right")
    code, why, _ = break_in(trip, skill, args, fault, 0.0)
    assert code == "UNCERTAIN_PERCEPTION"
    assert why == SAID[fault]
    assert trip.robot.holding("right") == held
    for limb, target in zip(trip.robot.world.limbs.values(), targets, strict=True):
        assert np.array_equal(limb.target, target)
