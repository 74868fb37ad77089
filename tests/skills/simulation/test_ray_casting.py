"""Ray casting with one and with several threads."""

from __future__ import annotations

import math

import mujoco
import numpy as np

from bt_exec_skills.simulation import ray_casting as module
from bt_exec_skills.simulation.ray_casting import cast_rays, pixel_rays

WORLD = """
<mujoco><worldbody>
  <geom name="wall" type="box" pos="0 0 -3" size="9 9 0.1"/>
  <body name="carrier"><geom name="hull" type="sphere" size="0.2" pos="0 0 -0.5"/></body>
</worldbody></mujoco>
"""
EYE = np.zeros(3)


def world():
    model = mujoco.MjModel.from_xml_string(WORLD)
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    return model, data


def test_ray_hits_the_first_object():
    model, data = world()
    down, up = (0.0, 0.0, -1.0), (0.0, 0.0, 1.0)
    hits = cast_rays(model, data, EYE, np.array([down, up]), 5.0)
    assert list(hits.geoms) == [model.geom("hull").id, -1]
    assert hits.distance[0] == np.float64(0.3)
    assert np.allclose(hits.normals[0], (0.0, 0.0, 1.0))


def test_ray_ignores_the_body_of_the_camera():
    model, data = world()
    carrier = model.body("carrier").id
    hits = cast_rays(model, data, EYE, np.array([(0.0, 0.0, -1.0)]), 5.0, without_body=carrier)
    assert list(hits.geoms) == [model.geom("wall").id]


def test_rays_cast_with_threads_match_those_cast_without(monkeypatch):
    model, data = world()
    rays = pixel_rays(160, 120, math.radians(60))
    alone = cast_rays(model, data, EYE, rays, 5.0)
    monkeypatch.setattr(module, "_WORTH_SPLITTING", 100)
    monkeypatch.setattr(module.os, "cpu_count", lambda: 3)
    for one, other in zip(alone, cast_rays(model, data, EYE, rays, 5.0), strict=True):
        assert np.array_equal(one, other)


def test_pixels_are_ordered_by_rows_from_the_top_left():
    rays = pixel_rays(4, 2, math.radians(90)).reshape(2, 4, 3)
    assert np.allclose(np.linalg.norm(rays, axis=-1), 1.0)
    assert (rays[0, 0, :2] * (-1, 1) > 0).all()
    assert (rays[1, 3, :2] * (1, -1) > 0).all()
    assert (rays[..., 2] < 0).all()
