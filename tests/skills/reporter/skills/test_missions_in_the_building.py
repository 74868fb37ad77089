"""Skills in the simulated building: arrival, correct counts, failures and stops."""

from __future__ import annotations

import random

import pytest

from bt_exec_skills.reporter.sim.floor_plan import ROOMS
from tests.cases import cases

pytestmark = pytest.mark.sampled

LAMPS = {"corridor_center": ("corridor_west", "corridor_center", "corridor_east")}


def lit(world, place):
    states = {world.lights[lamp] for lamp in LAMPS.get(place, (place,))}
    return {(True,): "on", (False,): "off"}.get(tuple(states), "partly")


def is_true(trip, place):
    """Return True if the last observation equals the ground truth."""
    found, truth = trip.result, trip.robot.world.truth(place)
    assert (place, found.people) == (place, truth.people)
    assert (place, found.light) == (place, lit(trip.robot.world, place))
    assert (place, found.unusual) == (place, tuple(sorted(set(truth.unusual))))
    assert found.noise_db == pytest.approx(truth.noise_db, abs=3.0)
    return True


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seed", "stops"), [(0, ("basecamp", "lounge")), (1, ("corridor_center",))]
)
def test_patrol_report_matches_the_world(trip, seed, stops):
    one = trip(seed=seed)
    for place in stops:
        assert one.run("navigate", target=place) == "OK"
        assert one.robot.place == place
        assert one.run("observe_scene", target=place, query="이상 없는지 확인") == "OK"
        assert is_true(one, place)
    assert one.robot.world.bumps == 0


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(cases(15, 3)))
def test_patrol_reports_match_the_state_of_the_world(trip, seed):
    one = trip(seed=seed)
    for place in random.Random(seed).sample(sorted(ROOMS), len(ROOMS)):
        assert one.run("navigate", target=place) == "OK"
        assert one.run("observe_scene", target=place, query="확인") == "OK"
        assert is_true(one, place)
    assert one.robot.world.bumps == 0


@pytest.mark.parametrize("dark", ["corridor_east", "corridor_west"])
def test_light_of_a_section_of_a_place_is_evaluated_separately(trip, dark):
    one = trip(seed=0, lights=f"corridor_center:on,corridor_west:on,corridor_east:on,{dark}:off")
    assert one.run("navigate", target="corridor_east") == "OK"
    assert one.robot.place == "corridor_east"
    assert one.run("observe_scene", target="corridor_east", query="light") == "OK"
    assert one.result.light == ("off" if dark == "corridor_east" else "on")
    assert one.run("observe_scene", target="corridor_center", query="light") == "NOT_THERE"


def test_same_seed_gives_the_same_trip(trip):
    trips = [trip(seed=9) for _ in range(2)]
    for one in trips:
        assert one.run("navigate", target="restroom_front") == "OK"
    assert trips[0].robot.pose == trips[1].robot.pose
    assert trips[0].robot.time == trips[1].robot.time
    assert trips[0].phases == trips[1].phases == ["planning", "driving", "turning"]


def test_blocked_corridor_is_bypassed(trip):
    one = trip(seed=2, blocked="corridor", people="none", unusual="none")
    rooms = []
    steps = one.start("navigate", target="corridor_center")
    for _ in steps:
        one.tick()
        pose = one.robot.pose
        room = next((name for name, area in ROOMS.items() if area.contains(pose.x, pose.y)), None)
        if room not in rooms[-1:]:
            rooms.append(room)
    assert one.robot.place == "corridor_center"
    assert "lounge" in rooms
    assert one.robot.world.bumps == 0


def test_unreachable_place_is_a_failure(trip):
    one = trip(seed=2, blocked="professor_office", people="none", unusual="none")
    assert one.run("navigate", target="professor_office") == "BLOCKED_PATH"
    assert one.failed.message == "every path there is blocked"
    assert one.robot.still
    assert one.run("navigate", target="basecamp") == "OK"


def test_place_off_the_map_is_unreachable(trip, settings):
    store = {
        "name": {"en": "the store", "ko": "창고"},
        "poses": [[15.0, -2.0, 0.0]],
        "area": [11.0, -4.0, 20.0, 0.0],
    }
    settings = {**settings, "places": {**settings["places"], "store": store}}
    one = trip(settings, seed=2)
    assert one.run("navigate", target="store") == "UNREACHABLE"
    assert "driving" not in one.phases


def test_robot_faces_the_professor_and_asks(trip):
    one = trip(seed=3, answer="화요일 3시에 봅시다.")
    assert one.run("navigate", target="professor_office") == "OK"
    assert one.run("talk_to_person", target="professor", topic="회의 일정 문의") == "OK"
    assert one.result.answer == "화요일 3시에 봅시다."
    x, y = one.robot.world.person_position("professor")
    assert abs(one.robot.pose.bearing(x, y)) < 0.1


@pytest.mark.parametrize(
    ("world", "code"),
    [
        ({"professor": "absent"}, "PERSON_NOT_FOUND"),
        ({"professor": "absent", "lens": "dark"}, "NO_ANSWER"),
        ({"answer": "none"}, "NO_ANSWER"),
        ({"answer": "refuse"}, "REFUSED"),
    ],
)
def test_failed_talk_has_the_expected_code(trip, world, code):
    one = trip(seed=3, people="none", **world)
    assert one.run("navigate", target="professor_office") == "OK"
    assert one.run("talk_to_person", target="professor", topic="Is Tuesday fine?") == code
    assert one.run("talk_to_person", target="user", topic="report") == "OK"
    assert "no answer" in one.result.said


@pytest.mark.parametrize(
    ("world", "code"),
    [
        ({}, "OK"),
        ({"load": "none"}, "NOTHING_TO_DELIVER"),
        ({"answer": "refuse"}, "NOT_WANTED"),
        ({"answer": "none"}, "NO_ANSWER"),
        ({"professor": "absent"}, "PERSON_NOT_FOUND"),
    ],
)
def test_delivery_empties_the_tray_only_on_success(trip, world, code):
    one = trip(seed=4, people="none", **world)
    assert one.run("deliver_object", object="서류", recipient="professor") == code
    held = {"OK": None, "NOTHING_TO_DELIVER": None}.get(code, "서류")
    assert one.robot.tray == held
    assert one.rig.robot_facts()["tray"] == (held or "empty")


@pytest.mark.parametrize(
    ("giver", "world", "code"),
    [
        ("professor", {}, "OK"),
        ("lounge", {"people": "lounge:2"}, "OK"),
        ("lounge", {}, "NOBODY_THERE"),
        ("professor", {"load": "none"}, "NOTHING_TO_DELIVER"),
        ("professor", {"answer": "refuse"}, "NOTHING_TO_DELIVER"),
        ("professor", {"professor": "absent"}, "PERSON_NOT_FOUND"),
    ],
)
def test_object_is_collected_only_from_a_person_who_loads_it(trip, giver, world, code):
    one = trip(seed=4, **{"people": "none", **world})
    assert one.run("deliver_object", object="서류", recipient="user", giver=giver) == code
    assert one.robot.tray is None
    where = {"professor": "professor_office"}.get(giver, giver)
    assert one.robot.place == ("basecamp" if code == "OK" else where)


@pytest.mark.parametrize("lens", ["dark", "frozen"])
def test_noise_is_measured_with_a_broken_camera(trip, lens):
    one = trip(seed=1, lens=lens, noise="quiet")
    assert one.run("observe_scene", target="basecamp", query="사람 몇 명") == "CAMERA_FAULT"
    assert one.run("observe_scene", target="basecamp", query="시끄러운지") == "OK"
    assert one.run("talk_to_person", target="user", topic="보고") == "OK"
    assert "카메라로 볼 수 없습니다" in one.result.said


def test_stop_freezes_the_robot_within_a_tick(trip):
    one = trip(seed=1)
    steps = one.start("navigate", target="lounge")
    while one.robot.doing != "driving" or one.robot.world.data.qvel[:2].sum() < 0.3:
        next(steps)
        one.tick()
    one.robot.stop()
    before = one.robot.pose
    one.robot.step(0.05)
    assert one.robot.still
    assert before.distance_to(*one.robot.pose[:2]) < 0.05
    at = one.robot.pose
    one.robot.step(1.0)
    assert one.robot.pose == at


def test_cancel_stops_the_robot(trip):
    one = trip(seed=1)
    for name, args in (
        ("navigate", {"target": "lounge"}),
        ("observe_scene", {"target": "basecamp", "query": "people"}),
        ("deliver_object", {"object": "tea", "recipient": "professor"}),
        ("deliver_object", {"object": "tea", "recipient": "user", "giver": "professor"}),
    ):
        steps = one.start(name, **args)
        for _ in range(40):
            next(steps)
            one.tick()
        steps.close()
        one.robot.step(0.05)
        assert one.robot.still, name


def test_new_motion_ends_the_previous_one(trip):
    robot = trip(seed=1).robot
    first = robot.goto(robot.site.places["lounge"].poses[0])
    robot.step(1.0)
    second = robot.turn(0.5)
    assert str(first.failure) == "STOPPED: it was asked to stop"
    robot.step(2.0)
    assert second.done
    assert second.failure is None
