"""Ground truth of a picture: visible objects with their boxes and visible shares.

An object is labelled if enough of it is visible: at least `LEAST_PX` pixels, and at least
`LEAST_SHARE` of its outline, which is the convex hull of its vertices without occlusion.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from bt_exec_skills.perception.pictures_and_boxes import Box, box_around
from bt_exec_skills.things.dataset.stage_model import Prop, Stage

__all__ = ["LEAST_PX", "LEAST_SHARE", "Shown", "labelled_objects"]

LEAST_PX = 80
"""Minimum visible area of a labelled object, in a picture of 384 by 288 px [px]."""
LEAST_SHARE = 0.3
"""Minimum visible share of the outline of a labelled object."""
_SLENDER = 0.15  # `LEAST_SHARE` for chairs and persons, which do not fill their outlines


class Shown(NamedTuple):
    """An object that is at least partly visible.

    Attributes:
        prop: The object.
        box: Box around its visible pixels.
        pixels: Number of visible pixels.
        share: Visible share of its outline, 0..1.
        painted: Share of the visible pixels that show parts in the object's main colour, 0..1.
    """

    prop: Prop
    box: Box
    pixels: int
    share: float
    painted: float

    @property
    def is_visible_enough(self) -> bool:
        """Whether enough of the object is visible to label it."""
        least = _SLENDER if self.prop.label in ("chair", "person") else LEAST_SHARE
        return self.pixels >= LEAST_PX and self.share >= least


def labelled_objects(stage: Stage, data: Any, geoms: npt.NDArray[np.int32]) -> list[Shown]:
    """Return the objects with a class that are at least partly visible in a picture.

    Args:
        stage: The compiled scene.
        data: State of the scene.
        geoms: Id of the geom at each pixel.
    """
    owner = stage.owner[geoms]
    found = []
    for place, prop in enumerate(stage.props):
        if not prop.label:
            continue
        mask = np.asarray(owner == place)
        pixels = int(mask.sum())
        if pixels:
            outline = _outline_area(stage.model, data, prop, geoms.shape)
            share = min(1.0, pixels / max(outline, 1.0))
            painted = float(np.isin(geoms[mask], _coloured_geoms(stage.model, prop)).mean())
            found.append(Shown(prop, box_around(mask), pixels, share, painted))
    return found


def _coloured_geoms(model: Any, prop: Prop) -> list[int]:
    """Return the geoms of a prop that have the colour of its first part."""
    body = model.body(prop.body)
    geoms = range(int(body.geomadr[0]), int(body.geomadr[0] + body.geomnum[0]))
    first = model.geom_rgba[geoms[0]]
    return [geom for geom in geoms if np.allclose(model.geom_rgba[geom], first)]


def _outline_area(model: Any, data: Any, prop: Prop, size: tuple[int, ...]) -> float:
    """Return the area of a prop's outline in the picture [px].

    The area is infinite if the prop is partly behind the camera.
    """
    body = model.body(prop.body)
    points = []
    for geom in range(int(body.geomadr[0]), int(body.geomadr[0] + body.geomnum[0])):
        mesh = int(model.geom_dataid[geom])
        first, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
        own = model.mesh_vert[first : first + count]
        points.append(own @ data.geom_xmat[geom].reshape(3, 3).T + data.geom_xpos[geom])
    camera = data.camera("head")
    seen = (np.concatenate(points) - camera.xpos) @ camera.xmat.reshape(3, 3)
    ahead = -seen[:, 2]
    if (ahead < 0.02).any():  # partly behind the camera
        return float("inf")
    focal = 0.5 * size[0] / np.tan(np.radians(float(model.camera("head").fovy[0])) / 2)
    flat = (seen[:, :2] / ahead[:, None] * focal).astype(np.float32)
    return float(cv2.contourArea(cv2.convexHull(flat)))
