from __future__ import annotations

from bt_exec.pack import Catalogue
from bt_exec.planning.compiler import Plan, Request
from bt_exec.planning.fixed_plan import FixedPlan
from bt_exec.spec.library import Library
from bt_exec.spec.load import load_text


def test_a_given_plan_is_the_answer_for_the_command_that_is_run():
    text = "mission: {command: old, language: ko, compiler: other}\nroot: {do: wave}\n"
    spec = load_text(text).document
    answer = FixedPlan(spec).compile(Request("new", "en", Catalogue([]), Library()))
    assert isinstance(answer, Plan)
    assert answer.spec.root == spec.root
    mission = answer.spec.mission
    assert (mission.command, mission.language, mission.compiler) == ("new", "en", "other")
