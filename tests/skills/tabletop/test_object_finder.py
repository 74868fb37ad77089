"""Object finders: projections, tiles, names of boxes, and settings."""

import numpy as np
import pytest

from bt_exec.failure import UnknownName, UsageError
from bt_exec_skills.perception.contracts import Detection
from bt_exec_skills.perception.pictures_and_boxes import intersection_over_union
from bt_exec_skills.tabletop.environment_state import Environment, Placed, Point
from bt_exec_skills.tabletop.perception.head_camera_model import Picture, Viewpoint
from bt_exec_skills.tabletop.perception.object_detectors import (
    LearnedFinder,
    OracleFinder,
    _tiles,
    make_finder,
)
from bt_exec_skills.tabletop.sim.camera import HeadCamera
from bt_exec_skills.tabletop.sim.layout import WorldOptions
from bt_exec_skills.tabletop.sim.world import TableWorld
from bt_exec_skills.tabletop.tables import Table

DOWN = Viewpoint(np.array([0, 0, 2.0]), np.eye(3), 400.0, (480, 640))
"""Camera two metres above the origin that looks down, east to the right."""
TABLES = {"table_0": Table(0, 0, 0.4, 0.3, 1.0)}


class Scripted:
    """Detector with the same detections in every tile."""

    def __init__(self, *found):
        self.found, self.sizes = found, []

    def detect(self, view):
        self.sizes.append(view.frame.shape[:2])
        return self.found


def seen_by(finder, *objects, viewpoint=DOWN):
    rgb = np.zeros((480, 640, 3), np.uint8)
    picture = Picture(rgb, np.zeros((480, 640), np.float32), {"oracle": (1, 2, 3, 4)}, viewpoint)
    placed = {name: Placed(n, Point(*at)) for n, (name, at) in enumerate(objects)}
    return LearnedFinder(finder).boxes(picture, Environment(0.0, placed, None, TABLES))


def test_points_are_projected_to_pixels():
    places, before = DOWN.project([(0, 0, 1), (0.1, 0, 1), (0, 0.1, 1), (0, 0, 3)])
    assert places[:3].tolist() == [[320, 240], [360, 240], [320, 200]]
    assert before.tolist() == [True, True, True, False]


def test_viewpoint_projects_objects_into_their_boxes():
    world = TableWorld(WorldOptions(seed=3, objects=4))
    camera = HeadCamera(world, 320, 240)
    picture = camera.view(camera.capture())
    now = world.environment()
    assert picture.boxes
    for name, (x1, y1, x2, y2) in picture.boxes.items():
        ((x, y),) = picture.viewpoint.project([now.objects[name].pos])[0]
        if 20 < x < 300 and 20 < y < 220:
            assert x1 - 3 <= x <= x2 + 3
            assert y1 - 3 <= y <= y2 + 3


def test_region_of_a_table_exists_only_if_the_table_is_visible():
    x1, y1, x2, y2 = DOWN.region_of_table(TABLES["table_0"])
    assert (x1, x2) == (pytest.approx(138, abs=6), pytest.approx(502, abs=6))
    assert (y1, y2) == (pytest.approx(104, abs=6), pytest.approx(376, abs=6))
    assert DOWN.region_of_table(Table(9, 9, 0.4, 0.3, 1.0)) is None
    assert DOWN.region_of_table(Table(0, 0, 0.4, 0.3, 2.5)) is None


@pytest.mark.parametrize("part", [(0, 0, 640, 480), (600, 400, 640, 480), (0, 5, 400, 30)])
def test_tiles_cover_the_region_and_fit_the_network_input(part):
    covered = np.zeros((480, 640), bool)
    for x1, y1, x2, y2 in _tiles(part, (480, 640)):
        assert 0 <= x1 < x2 <= 640
        assert 0 <= y1 < y2 <= 480
        assert x2 - x1 <= 320
        assert y2 - y1 <= 256
        covered[y1:y2, x1:x2] = True
    x1, y1, x2, y2 = part
    assert covered[y1:y2, x1:x2].all()


def test_box_gets_the_name_of_the_object_inside():
    finder = Scripted(Detection("cube", (90, 60, 110, 80), 0.9))
    one = seen_by(finder, ("object_red_0", (0, 0, 1.0)))
    x1, y1 = next(iter(one.values()))[:2]
    at = ((x1 + 10 - 320) / 400, (240 - y1 - 10) / 400, 1.0)
    far = ("object_blue_0", (0.39, 0.29, 1.0))
    assert "object_red_0" in seen_by(finder, ("object_red_0", at), far)
    assert "object_red_cube_0" in seen_by(finder, ("object_red_cube_0", at), far)
    for name in ("object_red_bowl_0", "object_apple_0"):  # cannot be a cube
        found = seen_by(finder, (name, at), far)
        assert name not in found
        assert "cube#1" in found


def test_name_is_used_once():
    two = Detection("cube", (90, 60, 110, 80), 0.9), Detection("cube", (96, 60, 116, 80), 0.8)
    found = seen_by(Scripted(*two), ("object_red_0", (9, 9, 1)))
    assert all(name.startswith("cube#") for name in found)
    boxes = [*found.values()]
    shared = intersection_over_union(boxes, boxes) - np.eye(len(boxes))
    assert shared.max() < 0.45  # duplicates of tiles or of the network are one box


def test_detections_of_a_network_do_not_come_from_the_simulator():
    assert seen_by(Scripted()) == {}
    assert seen_by(Scripted(Detection("cube", (1, 1, 9, 9), 0.9)), viewpoint=None) == {}
    rgb = np.zeros((4, 4, 3), np.uint8)
    told = Picture(rgb, np.zeros((4, 4), np.float32), {"object_red_0": (1, 2, 3, 4)})
    assert OracleFinder().boxes(told, Environment(0.0)) == {"object_red_0": (1, 2, 3, 4)}


@pytest.mark.parametrize(
    ("choice", "error", "says"),
    [
        ("orcale", UnknownName, "oracle"),
        ({"wieghts": "x.onnx"}, UnknownName, "weights"),
        ({"weights": 3}, UsageError, "a file is needed"),
        ({"weights": "nowhere.onnx"}, UsageError, "nowhere.onnx"),
        ({"least_score": 2}, UsageError, r"0\.05 to 1"),
        ({"least_score": True}, UsageError, r"0\.05 to 1"),
    ],
)
def test_invalid_setting_is_reported(choice, error, says):
    with pytest.raises(error, match=says):
        make_finder(choice)
