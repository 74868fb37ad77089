"""The door pack: open and close a door, fetch the material behind it."""

from __future__ import annotations

from pathlib import Path

from bt_exec.pack import Pack
from bt_exec.site.data import data_path
from bt_exec_skills.door.rigs import make_sim_rig
from bt_exec_skills.door.robot import Arm, DoorLabel, MaterialLabel
from bt_exec_skills.door.rules.checkers import CHECKERS
from bt_exec_skills.door.rules.passes import PASSES
from bt_exec_skills.door.settings import DoorSettings, DoorStart
from bt_exec_skills.door.sim.doctor import check_machine
from bt_exec_skills.door.skills.close_door import close_door
from bt_exec_skills.door.skills.conditions import CONDITIONS
from bt_exec_skills.door.skills.grasp import grasp
from bt_exec_skills.door.skills.move_arm import move_arm
from bt_exec_skills.door.skills.open_door import open_door
from bt_exec_skills.door.skills.release import release
from bt_exec_skills.door.skills.return_home import return_home
from bt_exec_skills.door.turn_report import DoorReporter

__all__ = ["PACK"]

PACK = Pack(
    name="door",
    summary="A fixed robot with two arms faces a door: open it, close it, fetch what lies behind.",
    skills=(move_arm, grasp, release, open_door, close_door, return_home),
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
    doctor=check_machine,
)
"""The pack, registered under the entry point ``door``."""
