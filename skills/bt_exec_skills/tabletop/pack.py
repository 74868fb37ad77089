"""Tabletop pack: its skills, conditions, trees, compiler and rigs."""

from __future__ import annotations

from pathlib import Path

from bt_exec.pack import Pack
from bt_exec.site.shipped_data import data_path
from bt_exec_skills.tabletop.checkers import CHECKERS
from bt_exec_skills.tabletop.display_names import display_name
from bt_exec_skills.tabletop.held_object_tracker import HeldObjectTracker
from bt_exec_skills.tabletop.name_attributes import Attribute, ObjectName
from bt_exec_skills.tabletop.reporter import TableReporter
from bt_exec_skills.tabletop.rigs import (
    TableSettings,
    TableStart,
    http_identity,
    make_http_rig,
    make_sim_rig,
)
from bt_exec_skills.tabletop.robot import Side, Spot
from bt_exec_skills.tabletop.skills.conditions import CONDITIONS
from bt_exec_skills.tabletop.skills.pick_and_place import go_to_object, pick_object, place_object
from bt_exec_skills.tabletop.subgoal_plan_format import TASK_OUTPUTS

__all__ = ["PACK"]

PACK = Pack(
    name="tabletop",
    summary="Mobile base with an arm: sorts objects and moves them between tables and bowls.",
    skills=(go_to_object, pick_object, place_object),
    conditions=CONDITIONS,
    types={"Thing": ObjectName, "Side": Side, "Spot": Spot, "Attribute": Attribute},
    facts={
        "at": ("{Thing}",),
        "at.table": ("{text}",),
        "hand": ("empty", "{Thing}"),
        "origin": ("{text}",),
        "origin.{Thing}": ("{text}",),
        "returnable": ("{text}",),
        "spot.{Thing}": ("hand", "floor", "{Side} {Thing}"),
        "pos.{text}": ("{text}",),
        "table.{text}": ("{text}",),
    },
    checkers=CHECKERS,
    formats={"task-outputs": TASK_OUTPUTS},
    prompt=Path(__file__).with_name("prompt.md"),
    trees=data_path("trees", "tabletop"),
    messages=Path(__file__).with_name("messages.yaml"),
    called=display_name,
    robots={"sim": make_sim_rig, "http": make_http_rig},
    identities={"http": http_identity},
    services={"hand": HeldObjectTracker},
    settings=TableSettings,
    world=TableStart,
    reporter=TableReporter,
)
"""Pack object, registered under the entry point ``tabletop``."""
