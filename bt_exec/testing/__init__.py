"""Test kit: scripted parts, a manual clock, skills tick by tick.

It is a pytest plugin: the fixtures ``skill_run`` and ``mission_run`` are there once bt-exec is
installed. Everything works without pytest, too.

- `run_skill` starts one skill against a robot and ticks it by hand.
- `run_tree` runs a whole tree with scripted skills and conditions, with arguments for its
  parameters, and gives its trace, its outcome and what it returned.
- `scripted_skill`, `scripted_condition`, `ScriptedRobot` stand in for what you do not test;
  ``like=`` gives them the signature of the real ones.
- `check_skill`, `check_condition` find what is wrong with a declaration.

``pytest --bt-cov`` prints which nodes of the trees under test, and which declared failures, no
test reached.
"""

from __future__ import annotations

from bt_exec.testing.checks import check_condition, check_pack, check_skill
from bt_exec.testing.from_record import Steps
from bt_exec.testing.missions import TreeRun, run_tree
from bt_exec.testing.scripted import (
    FakeClock,
    FakeObservation,
    ScriptedRobot,
    scripted_condition,
    scripted_skill,
)
from bt_exec.testing.skills import SkillRun, run_skill

__all__ = [
    "FakeClock",
    "FakeObservation",
    "ScriptedRobot",
    "SkillRun",
    "Steps",
    "TreeRun",
    "check_condition",
    "check_pack",
    "check_skill",
    "run_skill",
    "run_tree",
    "scripted_condition",
    "scripted_skill",
]
