"""The kit for people's own tests: scripted parts, a clock you hold, one skill tick by tick.

It is a pytest plugin: the fixtures ``skill_run`` and ``mission_run`` are there once bt-exec is
installed. Everything works without pytest, too.

- `run_skill` starts one skill against a robot and ticks it by hand.
- `run_tree` runs a whole spec with scripted skills and conditions, and gives its trace.
- `scripted_skill`, `scripted_condition`, `ScriptedRobot` stand in for what you do not test.
- `check_skill`, `check_condition` find what is wrong with a declaration.
"""

from __future__ import annotations

from bt_exec.testing.checks import check_condition, check_pack, check_skill
from bt_exec.testing.missions import TreeRun, run_tree
from bt_exec.testing.scripted import (
    FakeClock,
    FakeScene,
    ScriptedRobot,
    scripted_condition,
    scripted_skill,
)
from bt_exec.testing.skills import SkillRun, run_skill

__all__ = [
    "FakeClock",
    "FakeScene",
    "ScriptedRobot",
    "SkillRun",
    "TreeRun",
    "check_condition",
    "check_pack",
    "check_skill",
    "run_skill",
    "run_tree",
    "scripted_condition",
    "scripted_skill",
]
