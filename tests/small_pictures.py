"""Small pictures of the simulated door, for the oracle detector, which ignores pixels.

Rendering dominates the cost of such a mission and is proportional to the number of pixels.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from bt_exec.mission.session import Session

__all__ = ["quick_session", "small_pictures"]


def quick_session(site: Any, **more: Any) -> Session:
    """Return a fast session with small pictures of the door."""
    with small_pictures():
        return Session(site, fast=True, **more)


@contextmanager
def small_pictures() -> Iterator[None]:
    """Reduce the camera pictures of new door rigs to a quarter of the pixels."""
    from bt_exec_skills.door.sim import camera

    class SmallCamera(camera.SimCamera):
        def __init__(self, world: Any, **more: Any) -> None:
            super().__init__(world, 160, 120, **more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(camera, "SimCamera", SmallCamera)
        yield
