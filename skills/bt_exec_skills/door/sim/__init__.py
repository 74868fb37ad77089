"""The simulated door world: a MuJoCo scene, two arms, a head camera.

Importing this package is cheap, its modules import `mujoco`. Which OpenGL that uses is settled by
the environment when it is first imported, so it is settled here, before any of them.
"""

from __future__ import annotations

import ctypes
import os
import sys

__all__: list[str] = []


def _choose_gl() -> None:
    """Set MUJOCO_GL unless somebody did: EGL where its library is, else none at all.

    Without the library, asking for EGL would make ``import mujoco`` itself fail; the ray caster
    needs no OpenGL.
    """
    if "MUJOCO_GL" in os.environ or not sys.platform.startswith("linux"):
        return
    try:
        ctypes.CDLL("libEGL.so.1")
    except OSError:
        os.environ["MUJOCO_GL"] = "disabled"
    else:
        os.environ["MUJOCO_GL"] = "egl"


_choose_gl()
