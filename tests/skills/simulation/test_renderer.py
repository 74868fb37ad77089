"""Renderers: the object index of each pixel as in MuJoCo's own segmentation; the GL thread."""

from __future__ import annotations

import threading
import weakref

import mujoco
import numpy as np
import pytest

from bt_exec_skills.simulation.renderer import OpenGlRenderer, gl_thread, gl_works


def _told_by_mujoco(model, data):
    with mujoco.Renderer(model, 64, 64) as renderer:
        renderer.update_scene(data, "head")
        renderer.enable_segmentation_rendering()
        return renderer.render()[..., 0]


@pytest.mark.skipif(not gl_works(), reason="no GL")
def test_more_objects_than_values_of_a_colour_channel_are_distinguished():
    balls = "".join(
        f'<geom size=".04" pos="{x / 10 - 0.85} {y / 10 - 0.85} 0"/>'
        for x in range(18)
        for y in range(18)
    )
    model = mujoco.MjModel.from_xml_string(
        '<mujoco><visual><quality offsamples="0" shadowsize="0"/></visual><worldbody>'
        f'<camera name="head" pos="0 0 3" fovy="40"/>{balls}</worldbody></mujoco>'
    )
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    renderer = OpenGlRenderer(model, 64, 64)
    found = renderer.render(data).geoms
    renderer.close()
    assert found.max() > 255
    assert np.array_equal(found, gl_thread().call(lambda: _told_by_mujoco(model, data)))


def test_waiting_thread_does_not_keep_its_last_job_in_memory():
    kept, gone = threading.Event(), threading.Event()
    weakref.finalize(kept, gone.set)
    gl_thread().call(kept.set)
    del kept
    assert gone.wait(60)
