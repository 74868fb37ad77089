"""Rendered tables: reproducible by seed, correct labels, all classes."""

from itertools import islice

import mujoco
import numpy as np
import pytest

from bt_exec_skills.simulation.ray_casting import RayCastingRenderer
from bt_exec_skills.things.dataset.arrange import Pose, arrange_props
from bt_exec_skills.things.dataset.chair_and_person_meshes import chair_parts, person_parts
from bt_exec_skills.things.dataset.fruit_meshes import FRUITS
from bt_exec_skills.things.dataset.ground_truth import labelled_objects
from bt_exec_skills.things.dataset.mesh_primitives import FRUIT, PAINT, box_mesh, revolve_profile
from bt_exec_skills.things.dataset.scenes import (
    HEIGHT,
    THINGS,
    WIDTH,
    CameraPose,
    TableScenes,
    aim_camera,
)
from bt_exec_skills.things.dataset.stage_model import AWAY, Prop, build_stage, random_clutter
from bt_exec_skills.things.dataset.tableware_and_solid_meshes import WARE
from bt_exec_skills.vision.commands import find_source


def volume(part) -> float:
    """Return the volume of a surface; positive if its triangles face outwards."""
    a, b, c = (part.vertices[part.faces[:, corner]] for corner in range(3))
    return float((a * np.cross(b, c)).sum() / 6)


def test_source_is_found_by_its_name():
    source = find_source("table")
    assert (source.name, source.classes) == ("table", THINGS)


def test_scene_generator_has_an_object_of_every_class():
    assert {*FRUITS, *WARE, "chair", "person"} == {*THINGS}


@pytest.mark.parametrize("label", [*FRUITS, *WARE])
def test_object_meshes_are_closed_and_stand_on_the_table(label):
    maker = FRUITS.get(label) or WARE[label]
    for seed in range(12):
        rng = np.random.default_rng(seed)
        parts = maker(rng, [*FRUIT.get(label, PAINT)][seed % len(FRUIT.get(label, PAINT))])
        assert min(part.vertices[:, 2].min() for part in parts) == pytest.approx(0, abs=1e-9)
        assert volume(parts[0]) > 0


def test_meshes_of_figures_and_clutter_are_closed():
    for seed in range(12):
        rng = np.random.default_rng(seed)
        for part in (*chair_parts(rng), *person_parts(rng), *random_clutter(rng)):
            assert volume(part) > 0


def test_meshes_have_the_expected_volume():
    assert volume(box_mesh((1, 2, 3), (5, 5, 5), (0, 0, 0))) == pytest.approx(48)
    rod = revolve_profile([(0, 0), (1, 0), (1, 2), (0, 2)], (0, 0, 0), segments=400)
    assert volume(rod) == pytest.approx(2 * np.pi, rel=1e-3)


def pictures(count: int) -> list:
    """Return the first pictures of a room."""
    return [*islice(TableScenes(rays_only=True).scene(3), count)]


@pytest.fixture(scope="module")
def room():
    return pictures(3)


def test_same_seed_gives_the_same_pictures(room):
    for first, second in zip(room, pictures(2), strict=False):
        assert np.array_equal(first.image, second.image)
        assert (first.marks, first.facts) == (second.marks, second.facts)


def test_labelled_objects_are_visible(room):
    assert sum(len(sample.marks) for sample in room) >= 10
    for sample in room:
        assert sample.image.shape == (HEIGHT, WIDTH, 3)
        counted = [one for one in sample.facts["things"] if one["counts"]]
        assert [mark.label for mark in sample.marks] == [one["label"] for one in counted]
        for mark, one in zip(sample.marks, counted, strict=True):
            x1, y1, x2, y2 = mark.bbox
            assert 0 <= x1 < x2 <= WIDTH
            assert 0 <= y1 < y2 <= HEIGHT
            assert one["pixels"] <= (x2 - x1) * (y2 - y1)


def test_objects_touch_and_do_not_overlap():
    rng = np.random.default_rng(0)
    props = [Prop(f"cube/{n}", "cube", "red", 0.03, 0.06) for n in range(10)]
    touching = 0
    for _ in range(30):
        poses = [*arrange_props(props, 0.2, rng).values()]
        for place, one in enumerate(poses):
            for other in poses[place + 1 :]:
                apart = np.hypot(one.x - other.x, one.y - other.y)
                assert apart >= 0.059
                touching += apart < 0.0601
    assert touching > 0


def staged(behind_m: float):
    """Return the labels of two objects, one at a distance behind the other."""
    stage = build_stage(np.random.default_rng(4), 0.7)
    model, data = stage.model, mujoco.MjData(stage.model)
    for prop in stage.props:
        model.body(prop.body).pos[:] = AWAY
    front, back = sorted(stage.things, key=lambda one: -one.height)[:2]
    for prop, pose in ((front, Pose(0, 0, 0, 0)), (back, Pose(0, behind_m, 0, 0))):
        model.body(prop.body).pos[:] = pose[:3]
    eye, target = np.array([0, -0.8, 0.02]), np.array([0, 0, 0.02])
    aim_camera(model, CameraPose("close", eye, target, 40.0, 0.0))
    mujoco.mj_forward(model, data)
    picture = RayCastingRenderer(model, WIDTH, HEIGHT).render(data)
    shown = {one.prop.body: one for one in labelled_objects(stage, data, picture.geoms)}
    return shown.get(front.body), shown.get(back.body)


def test_hidden_objects_are_not_labelled():
    front, back = staged(behind_m=0.25)
    assert front is not None
    assert front.is_visible_enough
    assert front.share > 0.7
    assert back is None or back.share < front.share
