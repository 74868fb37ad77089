"""Registration, import time and settings of the door pack."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from bt_exec.failure import BtExecError
from bt_exec.mission.rig_construction import make_rig
from bt_exec.pack import Catalogue
from bt_exec_skills.door.pack import PACK
from bt_exec_skills.door.perception.learned_detector import LearnedDetector
from bt_exec_skills.door.perception.pipeline import DoorPerception
from bt_exec_skills.door.rigs import robot_facts


def test_door_pack_can_be_loaded_into_a_catalogue() -> None:
    catalogue = Catalogue([PACK])
    assert sorted(catalogue.skills) == [
        "close_door",
        "grasp",
        "move_arm",
        "open_door",
        "release",
        "return_arm",
        "return_home",
        "wait",
    ]
    assert catalogue.skills["grasp"].label_arguments() == {"object_label"}


def test_import_of_the_pack_loads_no_simulator_and_no_vision() -> None:
    script = (
        "import sys, bt_exec_skills.door.pack\n"
        "print(sorted({'mujoco', 'daqp', 'cv2', 'onnxruntime', 'numpy'} & set(sys.modules)))"
    )
    told = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert told.stdout.strip() in ("[]", "['numpy']")


@pytest.mark.parametrize(
    ("settings", "world", "message"),
    [
        (
            {},
            {"door": "half"},
            "world setting door='half': allowed: closed, ajar, open, or an angle 0..1.6 rad",
        ),
        ({}, {"seed": "x"}, "world setting seed='x': must be a whole number"),
        (
            {},
            {"material": "there"},
            "world setting material='there': must be 'present' or 'absent'",
        ),
        (
            {"material_arm": "middle"},
            {},
            "pack door: material_arm='middle': must be 'left' or 'right'",
        ),
        (
            {"detector": "oracl"},
            {},
            "there is no detector 'oracl'; known, nearest first: oracle, learned",
        ),
        (
            {"renderer": "vulkan"},
            {},
            "pack door: renderer='vulkan': must be 'auto', 'egl' or 'raycast'",
        ),
        (
            {"detectr": "oracle"},
            {},
            "pack door has no setting 'detectr'; known, nearest first: detector, "
            "called, door_arm, material_arm, pack, renderer, robot, second_opinion",
        ),
    ],
)
def test_invalid_settings_are_reported_before_construction(
    settings: Any, world: Any, message: str
) -> None:
    with pytest.raises(BtExecError) as caught:
        make_rig(PACK, settings, world)
    assert str(caught.value) == message


def test_idle_rig_has_empty_hands_at_home(ride: Any) -> None:
    rig = ride(door="0.4", seed=5).rig
    assert rig.robot_facts() == {
        "hand.left": "empty",
        "hand.right": "empty",
        "at.left": "home",
        "at.right": "home",
        "doorway": "free",
    }
    assert rig.simulation is rig.robot


def test_default_detector_is_the_trained_network() -> None:
    rig = make_rig(PACK, {"robot": "sim"}, {})
    assert isinstance(rig.perception, DoorPerception)
    assert isinstance(rig.perception.detector, LearnedDetector)
    rig.stop_and_close()


def test_facts_include_held_objects_and_the_doorway(scripted: Any) -> None:
    robot = scripted(at_home=False, held={"left": None, "right": "material"})
    assert robot_facts(robot) == {
        "hand.left": "empty",
        "hand.right": "material",
        "at.left": "material",
        "at.right": "material",
        "doorway": "free",
    }
    robot.home_arms = ("left",)
    assert robot_facts(robot)["at.left"] == "home"
    robot.doorway = ("left",)
    assert robot_facts(robot)["doorway"] == "left"
    robot.doorway = ("left", "right")
    assert robot_facts(robot)["doorway"] == "both"
