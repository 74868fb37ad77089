"""Head camera: both renderers agree, faults are applied, the state of the world is not changed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bt_exec.mission.rig_construction import make_rig
from bt_exec_skills.door.pack import PACK
from bt_exec_skills.door.perception.ground_truth_estimator import OracleEstimator, oracle_detector
from bt_exec_skills.door.perception.pipeline import DoorPerception
from bt_exec_skills.door.sim.camera import SimCamera
from bt_exec_skills.door.sim.layout import WorldOptions
from bt_exec_skills.door.sim.world import DoorWorld
from bt_exec_skills.simulation.ray_casting import RayCastingRenderer
from bt_exec_skills.simulation.renderer import OpenGlRenderer, gl_works, make_renderer
from tests.cases import some

RENDERERS = [
    "raycast",
    pytest.param("egl", marks=pytest.mark.skipif(not gl_works(), reason="no GL")),
]


def eyes(renderer: str = "raycast", **options: Any) -> tuple[DoorWorld, DoorPerception]:
    world = DoorWorld(WorldOptions(**options))
    camera = SimCamera(world, renderer=renderer)
    return world, DoorPerception(camera, oracle_detector(), OracleEstimator())


@pytest.mark.parametrize("renderer", RENDERERS)
def test_closed_door_hides_the_inside(renderer: str) -> None:
    _, sight = eyes(renderer, seed=1)
    scene = sight.interpret(sight.capture())
    sight.camera.close()
    assert scene.frame is not None
    assert scene.frame.shape == (240, 320, 3)
    assert scene.frame.dtype == np.uint8
    assert scene.labels() == ("door", "door-handle")
    assert scene.door.state == "closed"
    assert scene.door.evidence == ("primary:no_gap", "proxy:no_interior")
    assert scene.facts() == {"door": "closed"}


@pytest.mark.parametrize("renderer", RENDERERS)
def test_open_door_shows_the_material(renderer: str) -> None:
    _, sight = eyes(renderer, seed=1, door="open")
    scene = sight.interpret(sight.capture())
    sight.camera.close()
    assert scene.labels() == ("door", "door-handle", "material")
    assert scene.door.state == "open"
    assert scene.door.evidence == ("primary:interior_visible", "proxy:panel_swung_out")


@pytest.mark.skipif(not gl_works(), reason="no GL")
def test_both_renderers_agree_on_every_pixel() -> None:
    world = DoorWorld(WorldOptions(seed=8, door="open"))
    pictures = []
    for renderer in (
        OpenGlRenderer(world.model, 160, 120),
        RayCastingRenderer(world.model, 160, 120),
    ):
        pictures.append(renderer.render(world.data))
        renderer.close()
        renderer.close()  # has no effect
    assert (pictures[0].geoms == pictures[1].geoms).mean() > 0.995


@pytest.mark.parametrize("renderer", RENDERERS)
def test_picture_is_the_same_with_and_without_ground_truth(renderer: str) -> None:
    world = DoorWorld(WorldOptions(seed=3, door="open"))
    whole, plain = (SimCamera(world, renderer=renderer, truth=told) for told in (True, False))
    for dark in (False, True):
        capture = whole.capture()._replace(dark=dark)
        for _ in range(2):
            told, seen = whole.view(capture), plain.view(capture)
            assert seen.truth is None
            assert told.truth is not None
            assert np.array_equal(told.frame, seen.frame)
            assert bool(seen.frame.any()) is not dark
    whole.close()
    plain.close()


@pytest.mark.parametrize(("detector", "truth"), [("oracle", True), ("learned", False)])
def test_only_the_oracle_gets_the_ground_truth(detector: str, truth: bool) -> None:
    rig = make_rig(PACK, {"detector": detector, "renderer": "raycast"}, {})
    view = rig.perception.camera.view(rig.perception.camera.capture())
    rig.stop_and_close()
    assert (view.truth is not None) is truth


def test_ray_caster_is_selected_without_opengl(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bt_exec_skills.simulation.renderer._gl_works", False)
    assert make_renderer(DoorWorld(WorldOptions()).model, 32, 24).name == "raycast"


def test_box_is_the_bounding_box_of_its_object() -> None:
    _, sight = eyes(seed=2, door="open")
    view = sight.camera.view(sight.capture())
    for found in some(oracle_detector().detect(view)):
        mask = view.truth.masks[found.label]
        x1, y1, x2, y2 = found.bbox
        assert mask[y1:y2, x1:x2].sum() == mask.sum()
        assert mask[y1, x1:x2].any()
        assert mask[y2 - 1, x1:x2].any()
        assert mask[y1:y2, x1].any()
        assert mask[y1:y2, x2 - 1].any()


def test_absent_material_is_not_visible() -> None:
    _, sight = eyes(seed=2, door="open", material="absent")
    assert "material" not in sight.interpret(sight.capture()).labels()


def test_dark_camera_is_a_fault_and_the_door_uncertain() -> None:
    _, sight = eyes(seed=2, fault="dark")
    scene = sight.interpret(sight.capture())
    assert scene.fault == "dark"
    assert scene.door.state == "uncertain"
    assert scene.door.evidence == ("primary:camera_dark",)
    assert scene.labels() == ()
    assert scene.facts() == {}


def test_frozen_camera_repeats_its_first_picture_with_its_original_time() -> None:
    world, sight = eyes(seed=2, fault="frozen")
    first = sight.capture()
    world.advance()
    assert sight.capture() is first
    sight.camera.fault = "none"
    assert sight.capture().t > first.t


def test_picture_shows_the_door_at_the_time_of_capture() -> None:
    world, sight = eyes(seed=2)
    capture = sight.capture()
    hinge = world.model.joint("door").qposadr[0]
    world.data.qpos[hinge] = 1.2
    scene = sight.interpret(capture)
    assert scene.door.state == "closed"
    assert world.angle == 1.2  # rendering has no side effect


def test_hidden_door_is_uncertain_even_with_a_known_angle() -> None:
    world, sight = eyes(seed=2)
    lens = world.data.cam("head")
    held = lens.xpos - 0.07 * lens.xmat.reshape(3, 3)[:, 2]
    at = int(world.model.joint("material").qposadr[0])
    world.data.qpos[at : at + 3] = held
    scene = sight.interpret(sight.capture())
    assert "material" in scene.labels()
    assert scene.door.state == "uncertain"
    assert scene.door.confidence < 0.3
    assert scene.door.evidence == ("primary:door_hidden",)
