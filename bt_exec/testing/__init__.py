"""Test kit: scripted parts, a manual clock, skills tick by tick.

It is a pytest plugin: the fixtures ``skill_run``, ``mission_run`` and ``golden_plan`` are available
once bt-exec is installed. Everything also works without pytest.

- `run_skill` starts one skill with a robot; the test ticks it.
- `run_tree` runs a whole tree with scripted skills and conditions, with arguments for its
  parameters, and returns its trace, its outcome and its results.
- `scripted_skill`, `scripted_condition`, `ScriptedRobot` replace parts that are not under test;
  ``like=`` copies the signature of a real one.
- `check_skill`, `check_condition`, `check_pack` find mistakes in declarations.

``golden_plan("open the door", "door")`` compares the plan of a command with a reviewed file, which
``pytest --bt-update`` writes. ``pytest --bt-cov`` prints which nodes of the trees under test, and
which declared failures, no test reached.
"""

from __future__ import annotations

from bt_exec.testing.declaration_checks import check_condition, check_pack, check_skill
from bt_exec.testing.record_to_test import EndedSkillsListener
from bt_exec.testing.scripted import (
    FakeClock,
    FakeObservation,
    ScriptedRobot,
    scripted_condition,
    scripted_skill,
)
from bt_exec.testing.skill_run import SkillRun, run_skill
from bt_exec.testing.tree_run import TreeRun, run_tree

__all__ = [
    "EndedSkillsListener",
    "FakeClock",
    "FakeObservation",
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
