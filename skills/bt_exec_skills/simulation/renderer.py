"""Renderers of a world's pictures: OpenGL if it is available, else the ray caster."""

from __future__ import annotations

import atexit
import threading
from collections.abc import Callable
from concurrent.futures import Future
from functools import cache, partial
from queue import SimpleQueue
from typing import Any, Literal, TypeVar

import mujoco
import numpy as np
import numpy.typing as npt

from bt_exec_skills.simulation.ray_casting import Picture, RayCastingRenderer, Renderer

__all__ = ["OpenGlRenderer", "RendererName", "gl_thread", "gl_works", "make_renderer"]

RendererName = Literal["auto", "egl", "raycast"]
_OTHER_SHOWN = 1000  # limit of sites and other elements of a scene; MuJoCo's default takes 10 MB
_BY_NUMBER = [int(mujoco.mjtRndFlag.mjRND_SEGMENT), int(mujoco.mjtRndFlag.mjRND_IDCOLOR)]


class OpenGlRenderer:
    """Renderer with OpenGL; the context is created at first use and kept.

    Args:
        model: Compiled model of the world.
        width: Width of the picture [px].
        height: Height of the picture [px].
        shadows: Whether to render shadows.
    """

    name = "egl"

    def __init__(self, model: Any, width: int, height: int, *, shadows: bool = False) -> None:
        self._model, self._width, self._height = model, width, height
        self._shadows = shadows
        self._renderer: Any = None
        self._lock = threading.Lock()

    def render(self, data: Any) -> Picture:
        """Implement `Renderer.render`."""
        with self._lock:
            return gl_thread().call(partial(self._render, data))

    def render_colours(self, data: Any) -> npt.NDArray[np.uint8]:
        """Implement `Renderer.render_colours`; takes half the time of `render`."""
        with self._lock:
            return gl_thread().call(partial(self._colours, data))

    def _colours(self, data: Any) -> npt.NDArray[np.uint8]:
        renderer = self._make_once()
        renderer.update_scene(data, "head")
        flags = renderer.scene.flags
        flags[mujoco.mjtRndFlag.mjRND_SHADOW] = self._shadows
        flags[mujoco.mjtRndFlag.mjRND_REFLECTION] = False
        rgb: npt.NDArray[np.uint8] = renderer.render()
        return rgb

    def _render(self, data: Any) -> Picture:
        rgb = self._colours(data)
        renderer = self._make_once()
        flags = renderer.scene.flags
        flags[_BY_NUMBER] = True
        numbers = renderer.render()
        flags[_BY_NUMBER] = False
        return Picture(rgb, _geom_per_pixel(renderer.scene, numbers))

    def _make_once(self) -> Any:
        if self._renderer is None:
            buffer = self._model.vis.global_  # a larger buffer takes longer to clear and to read
            buffer.offwidth, buffer.offheight = self._width, self._height
            shown = self._model.ngeom + _OTHER_SHOWN
            self._renderer = mujoco.Renderer(self._model, self._height, self._width, shown)
            gl_thread().run_at_exit(self._close)
        return self._renderer

    def close(self) -> None:
        """Implement `Renderer.close`."""
        with self._lock:
            if self._renderer is not None:
                gl_thread().call(self._close)

    def _close(self) -> None:
        renderer, self._renderer = self._renderer, None
        if renderer is not None:
            renderer.close()
        gl_thread().cancel_at_exit(self._close)


def _geom_per_pixel(scene: Any, numbers: Any) -> Any:
    """Return the id of the geom at each pixel, int32 of shape (h, w); -1 for no geom.

    This replaces MuJoCo's conversion of a segmentation picture, which takes as long as rendering.

    Args:
        scene: The rendered scene.
        numbers: Picture with the object number as colour, uint8 of shape (h, w, 3).
    """
    geoms = np.full(scene.ngeom + 1, -1, np.int32)  # the background has the number 0
    for shown in scene.geoms[: scene.ngeom]:
        if shown.segid >= 0 and shown.objtype == mujoco.mjtObj.mjOBJ_GEOM:
            geoms[shown.segid + 1] = shown.objid
    low, high = numbers[..., 0].astype(np.uint16), numbers[..., 1].astype(np.uint16)
    return geoms[low | high << 8]


_ONE_GEOM = """<mujoco>
  <visual>
    <global offwidth="16" offheight="16"/>
    <quality offsamples="0" shadowsize="0" numslices="4" numstacks="4"/>
  </visual>
  <worldbody><camera name="head"/><geom size="1"/></worldbody>
</mujoco>"""
_checked = threading.Lock()
_gl_works: bool | None = None


def gl_works() -> bool:
    """Return True if OpenGL rendering works on this machine; the result is cached."""
    global _gl_works
    with _checked:
        if _gl_works is None:
            model = mujoco.MjModel.from_xml_string(_ONE_GEOM)
            data = mujoco.MjData(model)
            renderer = OpenGlRenderer(model, 16, 16)
            try:
                renderer.render(data)
                _gl_works = True
            except Exception:  # noqa: BLE001 - whatever the error, the ray caster works
                _gl_works = False
            finally:
                renderer.close()
        return _gl_works


def make_renderer(model: Any, width: int, height: int, renderer: RendererName = "auto") -> Renderer:
    """Return the requested renderer; "auto" selects OpenGL if that works, else ray casting."""
    if renderer == "raycast" or (renderer == "auto" and not gl_works()):
        return RayCastingRenderer(model, width, height)
    return OpenGlRenderer(model, width, height)


R = TypeVar("R")
_JOIN_S = 2.0


class _GlThread:
    """Thread that runs functions one after another, while the caller waits for the result."""

    def __init__(self) -> None:
        self._jobs: SimpleQueue[tuple[Callable[[], Any], Future[Any]] | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run_jobs, name="gl", daemon=True)
        self._at_exit: set[Callable[[], None]] = set()
        self._thread.start()

    def call(self, job: Callable[[], R]) -> R:
        """Run `job` on the thread; return its result or raise its exception."""
        if threading.current_thread() is self._thread:
            return job()
        answer: Future[R] = Future()
        self._jobs.put((job, answer))
        return answer.result()

    def run_at_exit(self, job: Callable[[], None]) -> None:
        """Run `job` when the program ends, unless `cancel_at_exit` is called for it before."""
        self._at_exit.add(job)

    def cancel_at_exit(self, job: Callable[[], None]) -> None:
        """Cancel `run_at_exit` for `job`."""
        self._at_exit.discard(job)

    def end(self) -> None:
        """Run the remaining exit jobs, then end the thread."""
        for job in tuple(self._at_exit):
            self._jobs.put((job, Future()))
        self._jobs.put(None)
        self._thread.join(_JOIN_S)

    def _run_jobs(self) -> None:
        while (item := self._jobs.get()) is not None:
            job, answer = item
            try:
                answer.set_result(job())
            except BaseException as error:  # noqa: BLE001 - it is raised in the calling thread
                answer.set_exception(error)
            del item, job, answer  # while waiting, do not keep the last simulation in memory


@cache
def gl_thread() -> _GlThread:
    """Return the thread for OpenGL, which is started at first use."""
    thread = _GlThread()
    atexit.register(thread.end)
    return thread
