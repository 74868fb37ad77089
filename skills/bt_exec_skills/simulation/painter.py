"""Renderers of a world's pictures: OpenGL if it is available, else the ray caster."""

from __future__ import annotations

import threading
from functools import partial
from typing import Any, Literal

import mujoco
import numpy as np

from bt_exec_skills.simulation.glthread import gl_thread
from bt_exec_skills.simulation.picture import Painter, Picture
from bt_exec_skills.simulation.raycast import RayPainter

__all__ = ["GlPainter", "RendererName", "gl_works", "make_painter"]

RendererName = Literal["auto", "egl", "raycast"]


class GlPainter:
    """Paints with MuJoCo's renderer; keeps one context, made when first used.

    Args:
        model: The world.
        width: Of the picture [px].
        height: Of the picture [px].
        shadows: Whether lamps that cast shadows do.
    """

    name = "egl"

    def __init__(self, model: Any, width: int, height: int, *, shadows: bool = False) -> None:
        self._model, self._width, self._height = model, width, height
        self._shadows = shadows
        self._renderer: Any = None
        self._lock = threading.Lock()

    def paint(self, data: Any) -> Picture:
        """See `Painter.paint`."""
        with self._lock:
            return gl_thread().call(partial(self._paint, data))

    def _paint(self, data: Any) -> Picture:
        renderer = self._made()
        renderer.disable_segmentation_rendering()
        renderer.update_scene(data, "head")
        renderer.scene.flags[mujoco.mjtRndFlag.mjRND_SHADOW] = self._shadows
        renderer.scene.flags[mujoco.mjtRndFlag.mjRND_REFLECTION] = False
        rgb = renderer.render()
        renderer.enable_segmentation_rendering()
        found = renderer.render()
        is_geom = found[..., 1] == int(mujoco.mjtObj.mjOBJ_GEOM)
        return Picture(rgb, np.where(is_geom, found[..., 0], -1).astype(np.int32))

    def _made(self) -> Any:
        if self._renderer is None:
            self._renderer = mujoco.Renderer(self._model, self._height, self._width)
            gl_thread().at_exit(self._close)
        return self._renderer

    def close(self) -> None:
        """See `Painter.close`."""
        with self._lock:
            if self._renderer is not None:
                gl_thread().call(self._close)

    def _close(self) -> None:
        renderer, self._renderer = self._renderer, None
        if renderer is not None:
            renderer.close()
        gl_thread().forget(self._close)


_ONE_GEOM = '<mujoco><worldbody><camera name="head"/><geom size="1"/></worldbody></mujoco>'
_checked = threading.Lock()
_gl_works: bool | None = None


def gl_works() -> bool:
    """Whether a renderer can be made here; tried once."""
    global _gl_works
    with _checked:
        if _gl_works is None:
            model = mujoco.MjModel.from_xml_string(_ONE_GEOM)
            data = mujoco.MjData(model)
            painter = GlPainter(model, 16, 16)
            try:
                painter.paint(data)
                _gl_works = True
            except Exception:  # noqa: BLE001 - whatever the error, the ray caster works
                _gl_works = False
            finally:
                painter.close()
        return _gl_works


def make_painter(model: Any, width: int, height: int, renderer: RendererName = "auto") -> Painter:
    """Return a painter: the one asked for, or with "auto" OpenGL if it works here."""
    if renderer == "raycast" or (renderer == "auto" and not gl_works()):
        return RayPainter(model, width, height)
    return GlPainter(model, width, height)
