"""Door pack: opens and closes a door, and fetches the material behind it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from bt_exec.pack import Pack
from bt_exec.site.shipped_data import data_path
from bt_exec_skills.door.reporter import DoorReporter
from bt_exec_skills.door.rigs import DoorSettings, DoorStart, make_sim_rig
from bt_exec_skills.door.robot import Arm, DoorLabel, MaterialLabel
from bt_exec_skills.door.rules.checkers import CHECKERS
from bt_exec_skills.door.rules.passes import PASSES
from bt_exec_skills.door.skills.arm_and_gripper_skills import (
    grasp,
    move_arm,
    release,
    return_arm,
    return_home,
)
from bt_exec_skills.door.skills.conditions import CONDITIONS
from bt_exec_skills.door.skills.open_and_close_door import close_door, open_door

__all__ = ["PACK"]


def _check_machine() -> Iterator[tuple[str, str, str, str]]:
    """Yield (name, state, detail, remedy) for each requirement of the simulated robot."""
    yield _check_renderer()


def _check_renderer() -> tuple[str, str, str, str]:
    """Return the result of the renderer check: EGL, only ray casting, or missing."""
    try:
        from bt_exec_skills.simulation.renderer import gl_works

        works = gl_works()
    except Exception as error:  # noqa: BLE001 - the doctor reports what is broken, whatever it is
        return "renderer", "missing", f"{type(error).__name__}: {error}", "pip install mujoco"
    if works:
        return "renderer", "ok", "EGL (OpenGL without a screen)", ""
    fix = "for faster pictures install libegl1 and libgl1-mesa-dri; nothing else changes"
    return "renderer", "optional", "ray casting (no OpenGL here)", fix


PACK = Pack(
    name="door",
    summary="Fixed two-armed robot at a door: opens it, closes it, fetches the material behind it.",
    skills=(move_arm, grasp, release, open_door, close_door, return_arm, return_home),
    conditions=CONDITIONS,
    types={"Arm": Arm, "DoorLabel": DoorLabel, "MaterialLabel": MaterialLabel},
    facts={
        "door": ("open", "ajar", "closed"),
        "doorway": ("free", "both", "{Arm}"),
        "hand.{Arm}": ("empty", "{DoorLabel}", "{MaterialLabel}"),
        "at.{Arm}": ("home", "before_door", "{MaterialLabel}"),
        "material": ("behind_door", "in_front", "held", "lost"),
    },
    passes=PASSES,
    checkers=CHECKERS,
    prompt=Path(__file__).with_name("prompt.md"),
    trees=data_path("trees", "door"),
    recovery="arms_home",
    messages=Path(__file__).with_name("messages.yaml"),
    lexicon=data_path("configs", "lexicon", "door.yaml"),
    robots={"sim": make_sim_rig},
    settings=DoorSettings,
    world=DoorStart,
    reporter=DoorReporter,
    doctor=_check_machine,
)
"""Pack object, registered under the entry point ``door``."""
