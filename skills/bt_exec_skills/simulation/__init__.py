"""Shared parts of simulated worlds (MuJoCo): choice of OpenGL, ray casting, control periods.

Importing this package is cheap; `rays` imports `mujoco`. The OpenGL that it uses is fixed by the
environment at its first import, so a world calls `choose_gl` before any module that does.
"""

from __future__ import annotations

import ctypes
import os
import sys

__all__ = ["choose_gl"]


def choose_gl() -> None:
    """Set MUJOCO_GL unless it is set: EGL if its library is installed, otherwise none.

    Without the library, a request for EGL would make ``import mujoco`` fail; ray casting needs no
    OpenGL.
    """
    if "MUJOCO_GL" in os.environ or not sys.platform.startswith("linux"):
        return
    try:
        ctypes.CDLL("libEGL.so.1")
    except OSError:
        os.environ["MUJOCO_GL"] = "disabled"
    else:
        os.environ["MUJOCO_GL"] = "egl"
