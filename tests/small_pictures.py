"""Small pictures of the simulated door, for eyes that do not look at pixels: the oracle's.

A look costs most of what a mission with the oracle costs, and its price is by the pixel.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from bt_exec.mission.session import Session

__all__ = ["quick_session", "small_pictures"]


def quick_session(site: Any, **more: Any) -> Session:
    """Return a session that does not wait for the wall, with small pictures of the door."""
    with small_pictures():
        return Session(site, fast=True, **more)


@contextmanager
def small_pictures() -> Iterator[None]:
    """Give the door rigs that are made meanwhile a camera of a quarter of the pixels."""
    from bt_exec_skills.door.sim import camera

    class SmallCamera(camera.SimCamera):
        def __init__(self, world: Any, **more: Any) -> None:
            super().__init__(world, 160, 120, **more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(camera, "SimCamera", SmallCamera)
        yield
