"""Observations from pictures: people, objects, light, and their conditions."""

from __future__ import annotations

import numpy as np
import pytest

from bt_exec.failure import UsageError
from bt_exec.observation import ObservationBuffer, World
from bt_exec_skills.navigation.plane_geometry import Pose
from bt_exec_skills.perception.oracle import Thing
from bt_exec_skills.reporter.perception.observation import PlacedDetection, ReporterObservation
from bt_exec_skills.reporter.perception.pipeline import (
    GroundTruth,
    PeopleOracle,
    PositionedView,
    ReporterPerception,
)
from bt_exec_skills.reporter.reporting.notebook import Notebook
from bt_exec_skills.reporter.robot import ReporterRobot
from bt_exec_skills.reporter.skills.conditions import (
    at_place,
    lit_here,
    lit_there,
    loud_there,
    people_there,
    person_found,
    person_in_view,
    tray_empty,
    tray_holds,
    unusual_there,
)


def view_of(shows, things, frame_level=120):
    shape = shows.shape
    ground = np.stack(np.meshgrid(np.arange(shape[1]), np.arange(shape[0])), axis=-1) * 0.01
    frame = np.full((*shape, 3), frame_level, np.uint8)
    truth = GroundTruth(shows, tuple(Thing(*one) for one in things))
    return PositionedView(1.0, frame, truth, pose=Pose(0, 0, 0), ground=ground.astype(np.float32))


class FixedCamera:
    def __init__(self, view):
        self._view = view

    def capture(self):
        return self._view

    def view(self, capture):
        return capture

    def close(self):
        pass


class OneBox:
    def detect(self, view):
        return (PlacedDetection("person", (100, 40, 140, 80), 0.9),)


def test_oracle_detects_exactly_the_visible_objects():
    shows = np.full((180, 240), -1, np.int16)
    shows[10:50, 20:30] = 0
    shows[100:101, 0:5] = 1  # five pixels are not enough for a person
    shows[150:170, 200:230] = 2
    things = (("person", "user"), ("person", "visitor-1"), ("spill", None))
    found = PeopleOracle().detect(view_of(shows, things))
    assert [(one.label, one.who, one.bbox) for one in found] == [
        ("person", "user", (20, 10, 30, 50)),
        ("spill", None, (200, 150, 230, 170)),
    ]
    assert found[0].at == pytest.approx((0.245, 0.295), abs=0.01)


def test_oracle_requires_a_simulator():
    ground = np.zeros((4, 4, 2), np.float32)
    view = PositionedView(0.0, np.zeros((4, 4, 3), np.uint8), pose=Pose(0, 0), ground=ground)
    with pytest.raises(UsageError):
        PeopleOracle().detect(view)


def test_detector_can_be_replaced(site):
    shows = np.full((180, 240), -1, np.int16)
    eyes = ReporterPerception(FixedCamera(view_of(shows, ())), OneBox(), site)
    scene = eyes.interpret(eyes.capture())
    assert scene.people[0].at == pytest.approx((1.2, 0.6), abs=0.02)
    assert scene.light[("corridor_center", 0)] == pytest.approx(120, abs=1)
    assert scene.describe("ko") == "사람 1명 · 밝음"
    assert scene.describe("en") == "people: 1 · bright"
    assert scene.record()["detections"][0]["at"] == [1.2, 0.6]
    assert scene.record()["light"] == {"corridor_center/0": 120.0, "corridor_west/0": 120.0}


def test_black_picture_is_a_fault(site):
    view = view_of(np.full((180, 240), -1, np.int16), (), frame_level=0)
    scene = ReporterPerception(FixedCamera(view), OneBox(), site).interpret(view)
    assert (scene.fault, scene.detections) == ("dark", ())
    assert scene.describe("ko") == "검은 화면"


def test_simulated_robot_implements_its_interface(trip):
    one = trip(seed=1)
    assert isinstance(one.robot, ReporterRobot)
    assert one.rig.robot_facts() == {"at": "basecamp", "tray": "empty"}


def test_observation_contains_place_and_load(play):
    robot = play(tray="tea").robot
    assert at_place(robot=robot, target="basecamp").holds
    assert not at_place(robot=robot, target="lounge").holds
    assert tray_holds(robot=robot, object="tea").holds
    verdict = tray_empty(robot=robot)
    assert (verdict.holds, verdict.why) == (False, "tray: tea")


def test_condition_person_found_depends_on_the_last_observation(site):
    notes = Notebook(site)
    assert person_found(notebook=notes, target="professor").holds is None
    seen = ("person:professor at (2.0,5.0)",)
    notes.add_note(1.0, "saw", "professor_office", evidence=seen, complete=False)
    assert person_found(notebook=notes, target="professor").holds
    assert person_found(notebook=notes, target="user").holds is None  # part of it was hidden
    notes.add_note(2.0, "saw", "lounge", evidence=(), complete=True)
    assert person_found(notebook=notes, target="professor").holds is False


def test_facts_of_a_place_come_from_the_last_observation(site):
    notes = Notebook(site)
    asked = (people_there, lit_there, loud_there)
    assert [one(notebook=notes).holds for one in asked] == [None, None, None]
    notes.add_note(1.0, "saw", "lounge", people=2, complete=False, light="on", noise="loud")
    assert [one(notebook=notes).holds for one in asked] == [True, True, True]
    notes.add_note(2.0, "saw", "lounge", people=0, complete=True, light="off", noise="normal")
    assert [one(notebook=notes).holds for one in asked] == [False, False, False]
    notes.add_note(3.0, "saw", "lounge", people=0, complete=False, light="partly", noise="quiet")
    assert [one(notebook=notes).holds for one in asked] == [None, None, False]
    notes.add_note(4.0, "saw", "lounge", people=1, complete=False)
    assert people_there(notebook=notes).holds is True


def test_unusual_objects_come_from_the_last_observation(site):
    notes = Notebook(site)
    assert unusual_there(notebook=notes).holds is None
    notes.add_note(1.0, "saw", "lounge", unusual=("box",), complete=False)
    assert unusual_there(notebook=notes).holds is True
    notes.add_note(2.0, "saw", "lounge", unusual=(), complete=True)
    assert unusual_there(notebook=notes).holds is False
    notes.add_note(3.0, "saw", "lounge", unusual=(), complete=False)
    assert unusual_there(notebook=notes).holds is None  # part of it was hidden


def test_conditions_person_in_view_and_lit_here_depend_on_recent_pictures():
    sight: ObservationBuffer[ReporterObservation] = ObservationBuffer(lambda: 1.0)
    world = World(sight, 0.0)
    assert person_in_view(world=world, target="user").holds is None
    assert lit_here(world=world).holds is None
    dark, lit = np.full((2, 2, 3), 20, np.uint8), np.full((2, 2, 3), 120, np.uint8)
    for _ in range(3):
        sight.add(ReporterObservation(0.5, Pose(0, 0), (), {}, dark))
    assert person_in_view(world=world, target="user").holds is False
    assert lit_here(world=world).holds is False
    user = PlacedDetection("person", (0, 0, 1, 1), 1.0, "user", (1.0, 1.0))
    sight.add(ReporterObservation(0.6, Pose(0, 0), (user,), {}, lit))
    assert person_in_view(world=world, target="user").holds is True
    assert lit_here(world=world).holds is True


def test_names_are_found_in_both_languages(site):
    words = {
        "휴게실": "break_room",
        "화장실 앞": "restroom_front",
        "화장실앞": "restroom_front",
        "The Lounge": "lounge",
        "교수님": "professor",
        "basecamp": "basecamp",
        "옥상": None,
    }
    assert {word: site.find_id(word) for word in words} == words
    assert site.display_name("break_room", "ko") == "휴게실"
    assert site.display_name("nowhere", "en") == "nowhere"


def test_point_belongs_to_the_nearest_place(site):
    assert site.place_at(9.5, 1.2) == "corridor_center"
    assert site.place_at(9.5, 0.2) == "restroom_front"  # near both, nearer to this one
    assert site.place_at(17.0, 1.2) == "corridor_east"
    assert site.place_at(14.0, 1.2) is None
