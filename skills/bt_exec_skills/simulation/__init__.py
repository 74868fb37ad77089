"""Parts that simulated worlds share (MuJoCo): physics, cameras, rendering and ray casting.

The first import of `mujoco` selects the OpenGL backend from the environment, so this package calls
`choose_gl` when it is imported. A world that imports `mujoco` directly must import this package
first. The package itself does not import `mujoco`; its modules do.
"""

from __future__ import annotations

import ctypes
import os
import sys

__all__ = ["choose_gl"]


def choose_gl() -> None:
    """Set MUJOCO_GL unless it is set: EGL if its library is installed, otherwise no OpenGL.

    Without the library, a request for EGL would make ``import mujoco`` fail; ray casting needs no
    OpenGL. Threads of Mesa's software renderer are disabled, because they cost more time than they
    save for small pictures.
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
