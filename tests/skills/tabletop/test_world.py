"""Simulated kitchen: random layouts, its camera, disturbances."""

import numpy as np
import pytest

from bt_exec.failure import UsageError
from bt_exec_skills.tabletop.name_attributes import attributes_in_name
from bt_exec_skills.tabletop.rigs import TableSettings, TableStart, make_http_rig, make_sim_rig
from bt_exec_skills.tabletop.sim.camera import HeadCamera
from bt_exec_skills.tabletop.sim.layout import WorldOptions, draw_layout
from bt_exec_skills.tabletop.sim.simulated_robot import SimTableRobot
from bt_exec_skills.tabletop.sim.world import TableWorld


@pytest.fixture(scope="module")
def world():
    return TableWorld(WorldOptions(3, 4, "colour"))


@pytest.mark.parametrize("by", ["colour", "size", "shape", "mixed"])
@pytest.mark.parametrize("count", [4, 12, 20])
def test_layout_has_the_requested_objects_with_free_space(by, count):
    for seed in range(3):
        layout = draw_layout(WorldOptions(seed, count, by))
        things = [item for item in layout.items if not attributes_in_name(item.name).is_container]
        assert len(things) == count
        assert len({item.name for item in layout.items}) == len(layout.items)
        assert layout == draw_layout(WorldOptions(seed, count, by))


def test_names_contain_the_attributes():
    looks = attributes_in_name("object_small_blue_cube_1")
    assert (looks.size, looks.colour, looks.kind, looks.shape) == ("small", "blue", "cube", "cube")
    assert attributes_in_name("object_red_bowl_0").is_container
    assert (attributes_in_name("object_red_0").colour, attributes_in_name("object_red_0").kind) == (
        "red",
        "object",
    )
    assert attributes_in_name("object_banana_0").kind == "banana"
    assert attributes_in_name("___").kind == "object"


def test_all_objects_are_at_rest_on_their_tables(world):
    robot = SimTableRobot(world)
    before = world.environment()
    robot.step(1.0)
    after = world.environment()
    assert robot.still
    for name, placed in before.objects.items():
        assert placed.pos.distance_to(after.objects[name].pos) < 0.01


def test_camera_returns_colour_distance_and_boxes(world):
    camera = HeadCamera(world)
    picture = camera.view(camera.capture())
    assert picture.rgb.shape == (120, 160, 3)
    assert picture.depth.shape == (120, 160)
    assert picture.boxes
    for left, top, right, bottom in picture.boxes.values():
        seen = picture.depth[top:bottom, left:right]
        assert 0.3 < float(np.median(seen[seen > 0])) < 5.0


def test_removed_object_is_not_listed():
    world = TableWorld(WorldOptions(3, 4, "colour"))
    world.remove_item("object_red_bowl_0")
    assert "object_red_bowl_0" not in world.environment().objects


def test_facts_of_a_rig_contain_the_held_object():
    rig = make_sim_rig(TableSettings(picture_every_s=0), TableStart(seed=3, objects=4))
    assert rig.robot_facts() == {"hand": "empty"}
    observation = rig.perception.interpret(rig.perception.capture())
    assert observation.frame is None
    tables = rig.robot.world.environment().tables
    assert set(observation.labels()) == {*rig.robot.world.items, *tables}


def test_remote_robot_requires_an_address_and_no_world():
    with pytest.raises(UsageError, match="needs its address"):
        make_http_rig(TableSettings(robot="http"), TableStart())
    given = {"robot": "http", "remote": {"http": "http://127.0.0.1:9"}}
    with pytest.raises(UsageError, match="cannot be chosen here"):
        make_http_rig(TableSettings.model_validate(given), TableStart(seed=1))
