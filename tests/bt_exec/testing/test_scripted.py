"""Scripted skills with the arguments, results and declarations of real ones."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from bt_exec.testing import ScriptedRobot, run_skill, scripted_skill
from tests.bt_exec.testing.test_tree_run import pour


def test_scripted_skill_has_the_declaration_of_the_real_one():
    fake = scripted_skill(like=pour, result={"level": 1})
    assert (fake.name, fake.fails, fake.uses, fake.timeout_s) == ("pour", {"SPILT"}, {"arm"}, 7)
    assert (dict(fake.needs), dict(fake.results)) == ({"jug": "full"}, {"level": int})
    assert fake.required == {"cups"}
    robot = ScriptedRobot()
    run = run_skill(fake, robot, cups=3).finish()
    assert run.result == {"level": 1}
    assert robot.calls == [("pour", {"cups": 3, "into": "mug"})]
    with pytest.raises(ValidationError):
        run_skill(fake, robot, cups="many")


def test_declaration_can_be_changed():
    fake = scripted_skill("tip", like=pour, effects={"jug": "empty"}, needs={}, timeout_s=1)
    assert (fake.name, dict(fake.effects), dict(fake.needs)) == ("tip", {"jug": "empty"}, {})
    assert fake.timeout_s == 1
    assert fake.summary == "Pour."


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"like": pour, "script": ["STUCK"]}, "pour does not fail with STUCK; it declares SPILT"),
        (
            {"like": pour, "result": {"lvl": 1}},
            "the result must have the fields of pour: level; check 'level'",
        ),
        ({}, "a scripted skill needs a name, or a skill that it is like"),
    ],
)
def test_script_with_undeclared_codes_is_refused(given, said):
    with pytest.raises(ValueError) as told:
        scripted_skill(**given)
    assert str(told.value) == said


def test_scripted_skill_without_a_real_one_has_no_arguments():
    fake = scripted_skill("a", ["SLIPPED"], fails={"STUCK"}, result={"n": 1})
    assert (fake.fails, dict(fake.arguments)) == ({"SLIPPED", "STUCK"}, {})
    assert list(fake.results) == ["n"]


@pytest.mark.parametrize("word", ["runing", "Done", "-1", "1.5", ""])
def test_invalid_script_entry_is_reported(word):
    with pytest.raises(ValueError, match=f"a: '{word}' is not 'done', 'crash', 'forever', CODE"):
        scripted_skill("a", [("2", word)])
