from __future__ import annotations

from pathlib import Path

import pytest

from bt_exec.planning.compiler import Plan
from bt_exec.spec.expand import expand
from bt_exec.spec.library import Library
from bt_exec.spec.plain_yaml import parse_yaml
from tests.cases import some

TABLE: dict[str, list[str]] = parse_yaml(
    Path(__file__).with_name("phrasings.yaml").read_text(encoding="utf-8")
)
ROWS = [(command, expected) for expected, commands in TABLE.items() for command in commands]


@pytest.mark.parametrize(("command", "expected"), ROWS)
def test_every_phrasing_becomes_what_it_means(command, expected, meaning):
    assert meaning(command) == expected


def test_the_table_is_large_and_has_both_languages():
    korean = [command for command, _ in ROWS if any("가" <= char <= "힣" for char in command)]
    assert len(ROWS) >= 300
    assert len(korean) >= 150


def test_every_plan_of_the_table_expands(ask, library: Library):
    for command in some(command for command, expected in ROWS if not expected.isupper()):
        answer = ask(command)
        assert isinstance(answer, Plan)
        expand(answer.spec, library)


def test_every_utterance_of_the_library_means_its_own_tree(meaning, library: Library):
    for name, said in some((tree.tree, said) for tree in library for said in tree.utterances):
        assert meaning(said).split()[0] == name, said


def test_the_header_says_what_was_asked_and_how_it_was_split(ask):
    answer = ask("Please open the door, and then close it again.")
    mission = answer.spec.mission
    assert mission.command == "Please open the door, and then close it again."
    assert (mission.language, mission.plan_version, mission.compiler) == ("en", 1, "offline")
    assert (mission.parent, mission.kept, mission.model) == (None, (), None)
    assert mission.subgoals == ("open the door", "close it again")


def test_a_single_command_is_a_single_tree(ask):
    answer = ask("자재를 가져와 주세요")
    assert answer.spec.root.tree == "get_material"
    assert dict(answer.spec.root.args) == {}
    assert answer.spec.mission.language == "ko"
    assert answer.spec.mission.subgoals == ("자재를 가져와 주세요",)
