"""The simulated building: a MuJoCo floor with people, lights and noise, and a robot in it.

Importing this package is cheap, its modules import `mujoco`. Which OpenGL that uses is settled by
the environment when it is first imported. This world needs none, but another in the same process
may: so EGL is asked for where its library is, else none at all.
"""

from __future__ import annotations

import ctypes
import os
import sys

__all__: list[str] = []


def _choose_gl() -> None:
    """Set MUJOCO_GL unless somebody did."""
    if "MUJOCO_GL" in os.environ or not sys.platform.startswith("linux"):
        return
    try:
        ctypes.CDLL("libEGL.so.1")
    except OSError:
        os.environ["MUJOCO_GL"] = "disabled"
    else:
        os.environ["MUJOCO_GL"] = "egl"


_choose_gl()
