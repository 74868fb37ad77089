"""Facts that the robot of the building reports about itself."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from bt_exec.site.site import load_site
from bt_exec_skills.navigation.plane_geometry import Pose
from bt_exec_skills.reporter.places_and_people import make_map
from bt_exec_skills.reporter.rigs import robot_facts


@pytest.mark.parametrize(
    ("at", "facts"),
    [
        ((8.0, 4.4), {"at": "lounge"}),
        ((14.0, 1.0), {"passing": "corridor_center"}),
        ((17.0, 1.2), {"at": "corridor_east"}),
        ((-9.0, 30.0), {}),
    ],
)
def test_robot_is_at_a_place_or_in_the_area_of_a_place(
    at: tuple[float, float], facts: dict[str, str]
) -> None:
    site = make_map(load_site("building").packs["reporter"])
    pose = Pose(*at, 0.0)
    robot = SimpleNamespace(pose=pose, place=site.place_at(pose.x, pose.y), tray=None)
    assert robot_facts(robot, site) == {"tray": "empty", **facts}
