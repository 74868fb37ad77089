"""Cameras of simulated worlds: a capture copies the state, and the view is rendered later."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import mujoco
import numpy as np
import numpy.typing as npt

from bt_exec_skills.perception.contracts import View
from bt_exec_skills.perception.oracle import ObjectTruth
from bt_exec_skills.perception.pictures_and_boxes import Mask
from bt_exec_skills.simulation.ray_casting import Renderer
from bt_exec_skills.simulation.renderer import RendererName, make_renderer

__all__ = ["Capture", "ObjectCamera", "WorldCamera", "geom_ids"]

V = TypeVar("V")
T = TypeVar("T", bound=ObjectTruth)


class World(Protocol):
    """Compiled MuJoCo world with state and time, such as `Physics`."""

    model: Any
    data: Any

    @property
    def time(self) -> float:
        """Simulated time [s]."""


class Capture(NamedTuple):
    """State of a world at the moment of a picture.

    Attributes:
        t: Simulated time [s].
        qpos: Generalised positions, shape (nq,).
        mocap: Positions of the mocap bodies [m], shape (n, 3).
        dark: Whether the picture is black, because the camera has the fault "dark".
        more: Further state that the picture depends on; see `WorldCamera.captured_state`.
    """

    t: float
    qpos: npt.NDArray[np.float64]
    mocap: npt.NDArray[np.float64]
    dark: bool
    more: Any = None


class WorldCamera(Generic[V]):
    """Base class of cameras; a subclass implements `render`.

    `capture` runs on the thread of the loop, `view` on any thread, one at a time.

    Args:
        world: The simulated world.
        fault: Initial fault.

    Attributes:
        fault: Current fault: "dark" (black pictures) or "frozen" (always the last picture, with its
            time stamp). Any other text means no fault. May be set at any time.
    """

    def __init__(self, world: World, fault: str = "none") -> None:
        self._world = world
        self.fault = fault
        self._data: Any = mujoco.MjData(world.model)  # for views, while the physics continues
        self._lock = threading.Lock()
        self._last: Capture | None = None
        self._seen: tuple[Capture, V] | None = None
        self._closed = False

    def captured_state(self) -> Any:
        """Return the state that a picture depends on, besides positions; None by default."""
        return None

    def render(self, capture: Capture) -> V:
        """Return the view of a capture, whose state has been copied to `self._data`."""
        raise NotImplementedError

    def capture(self) -> Capture:
        """Implement `Camera.capture`."""
        if self.fault != "frozen" or self._last is None:
            world, data = self._world, self._world.data
            state = data.qpos.copy(), data.mocap_pos.copy()
            self._last = Capture(world.time, *state, self.fault == "dark", self.captured_state())
        return self._last

    def view(self, capture: Capture) -> V:
        """Implement `Camera.view`; the same capture gives the same view."""
        with self._lock:
            if self._closed:
                raise RuntimeError("the camera is closed")
            if self._seen is None or self._seen[0] is not capture:
                self._data.qpos[:], self._data.mocap_pos[:] = capture.qpos, capture.mocap
                mujoco.mj_kinematics(self._world.model, self._data)
                mujoco.mj_camlight(self._world.model, self._data)
                self._seen = capture, self.render(capture)
            return self._seen[1]

    def close(self) -> None:
        """Implement `Camera.close`."""
        with self._lock:
            self._closed = True


class ObjectCamera(WorldCamera[View[T]]):
    """Camera ``head`` of a world, whose ground truth is a mask of the pixels of each label.

    Args:
        world: The simulated world.
        labels: Name prefixes of the geoms of each label.
        width: Width of the picture [px].
        height: Height of the picture [px].
        renderer: "egl", "raycast", or "auto" for EGL if it works, otherwise ray casting.
        truth: Whether views include the ground truth, for a detector that uses it.
        fault: Initial fault.
    """

    def __init__(
        self,
        world: World,
        labels: Mapping[str, tuple[str, ...]],
        width: int = 320,
        height: int = 240,
        renderer: RendererName = "auto",
        *,
        truth: bool = True,
        fault: str = "none",
    ) -> None:
        super().__init__(world, fault)
        self.size = height, width
        self._renderer_name: RendererName = renderer
        self._with_truth = truth
        self._renderer: Renderer | None = None
        self._geoms = {label: geom_ids(world.model, names) for label, names in labels.items()}
        self._shown = {label: np.zeros(world.model.ngeom + 1, bool) for label in labels}
        """Whether each geom belongs to a label; the last item is for pixels without a geom (-1)."""
        for label, ids in self._geoms.items():
            self._shown[label][ids] = True

    def truth(self, masks: Mapping[str, Mask], *, dark: bool) -> Any:
        """Return the ground truth of a view.

        Args:
            masks: Mask of the pixels that show each label.
            dark: Whether the picture is black.
        """
        del dark
        return ObjectTruth(masks)

    def render(self, capture: Capture) -> View[T]:
        """Implement `WorldCamera.render`."""
        if self._renderer is None:
            height, width = self.size
            self._renderer = make_renderer(self._world.model, width, height, self._renderer_name)
        if not self._with_truth:
            rgb = self._renderer.render_colours(self._data)
            return View(capture.t, np.zeros_like(rgb) if capture.dark else rgb)
        rgb, geoms = self._renderer.render(self._data)
        if capture.dark:
            rgb, geoms = np.zeros_like(rgb), np.full_like(geoms, -1)
        masks = {
            label: self._shown[label].take(geoms, mode="wrap")  # -1 selects the last item
            for label, ids in self._geoms.items()
            if ids
        }
        return View(capture.t, rgb, self.truth(masks, dark=capture.dark))

    def close(self) -> None:
        """Close the renderer."""
        super().close()
        if self._renderer is not None:
            self._renderer.close()
            self._renderer = None


def geom_ids(model: Any, starts: tuple[str, ...]) -> list[int]:
    """Return the ids of the geoms whose names start with one of `starts`."""
    return [geom for geom in range(model.ngeom) if model.geom(geom).name.startswith(starts)]
