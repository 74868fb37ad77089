from __future__ import annotations

from pathlib import Path

import pytest

from bt_exec.planning.compiler import Plan
from bt_exec.spec.expand import expand
from bt_exec.spec.library import Library
from bt_exec.spec.shipped_yaml import parse_yaml
from tests.cases import some

pytestmark = pytest.mark.sampled

TABLE: dict[str, list[str]] = parse_yaml(
    Path(__file__).with_name("phrasings.yaml").read_text(encoding="utf-8")
)
ROWS = [(command, expected) for expected, commands in TABLE.items() for command in commands]


@pytest.mark.parametrize(("command", "expected"), ROWS)
def test_phrasing_is_compiled_to_its_plan(command, expected, meaning):
    assert meaning(command) == expected


def test_phrasing_table_covers_both_languages():
    korean = [command for command, _ in ROWS if any("가" <= char <= "힣" for char in command)]
    assert len(ROWS) >= 300
    assert len(korean) >= 150


@pytest.mark.slow
def test_plans_of_the_phrasing_table_can_be_expanded(ask, library: Library):
    for command in some(command for command, expected in ROWS if not expected.isupper()):
        answer = ask(command)
        assert isinstance(answer, Plan)
        expand(answer.spec, library)


@pytest.mark.slow
def test_utterance_selects_its_tree(meaning, library: Library):
    for name, said in some((tree.tree, said) for tree in library for said in tree.utterances):
        assert meaning(said).split()[0] == name, said


def test_plan_header_contains_command_and_subgoals(ask):
    answer = ask("Please open the door, and then close it again.")
    mission = answer.spec.mission
    assert mission.command == "Please open the door, and then close it again."
    assert (mission.language, mission.plan_version, mission.compiler) == ("en", 1, "offline")
    assert (mission.parent, mission.kept, mission.model) == (None, (), None)
    assert mission.subgoals == ("open the door", "close it again")


def test_single_command_becomes_one_tree(ask):
    answer = ask("자재를 가져와 주세요")
    assert answer.spec.root.tree == "get_material"
    assert dict(answer.spec.root.args) == {}
    assert answer.spec.mission.language == "ko"
    assert answer.spec.mission.subgoals == ("자재를 가져와 주세요",)
