"""Test kit: scripted skills, conditions and robots, a fake clock, and runs tick by tick.

It includes a pytest plugin: the fixtures ``skill_run``, ``mission_run`` and ``golden_plan`` are
available once bt-exec is installed. The functions also work without pytest.

- `run_skill` starts one skill with a robot; the test ticks it.
- `run_tree` runs a whole tree with scripted skills and conditions, with arguments for its
  parameters, and returns its trace, its outcome and its results.
- `scripted_skill`, `scripted_condition` and `ScriptedRobot` are test doubles; ``like=`` copies the
  signature of a real skill or condition.
- `check_skill`, `check_condition`, `check_pack` find mistakes in declarations.

``golden_plan("open the door", "door")`` compares the plan of a command with a reviewed file, which
``pytest --bt-update`` writes. ``pytest --bt-cov`` prints the nodes of the trees under test and the
declared failures that no test reached.
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
