"""Shared parts of simulated worlds (MuJoCo): choice of OpenGL, ray casting, control periods.

Importing this package is cheap; its modules import `mujoco`. The first import of `mujoco` selects
its OpenGL from the environment, so this package calls `choose_gl` when it is imported. A world that
imports `mujoco` itself imports this package first.
"""

from __future__ import annotations

import ctypes
import os
import sys

__all__ = ["choose_gl"]


def choose_gl() -> None:
    """Set MUJOCO_GL unless it is set: EGL if its library is installed, otherwise none.

    Without the library, a request for EGL would make ``import mujoco`` fail; ray casting needs no
    OpenGL. Mesa's software renderer gets no threads: for pictures of this size, they cost more than
    they save.
    """
    os.environ.setdefault("LP_NUM_THREADS", "0")
    if "MUJOCO_GL" in os.environ or not sys.platform.startswith("linux"):
        return
    try:
        ctypes.CDLL("libEGL.so.1")
    except OSError:
        os.environ["MUJOCO_GL"] = "disabled"
    else:
        os.environ["MUJOCO_GL"] = "egl"


choose_gl()
