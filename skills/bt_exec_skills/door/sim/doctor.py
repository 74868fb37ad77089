"""Checks of the machine for the door pack: which renderer works."""

from __future__ import annotations

from collections.abc import Iterator

__all__ = ["check_machine"]


def check_machine() -> Iterator[tuple[str, str, str, str]]:
    """Yield (name, state, detail, remedy) for each requirement of the simulated robot."""
    yield _renderer()


def _renderer() -> tuple[str, str, str, str]:
    """Return the renderer of a mission; EGL is tried with a tiny picture."""
    try:
        from bt_exec_skills.simulation.painter import gl_works

        works = gl_works()
    except Exception as error:  # noqa: BLE001 - the doctor reports what is broken, whatever it is
        return "renderer", "missing", f"{type(error).__name__}: {error}", "pip install mujoco"
    if works:
        return "renderer", "ok", "EGL (OpenGL without a screen)", ""
    fix = "for faster pictures install libegl1 and libgl1-mesa-dri; nothing else changes"
    return "renderer", "optional", "ray casting (no OpenGL here)", fix
