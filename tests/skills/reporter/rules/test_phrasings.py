from __future__ import annotations

from pathlib import Path

import pytest

from bt_exec.failure import Refusal
from bt_exec.spec.shipped_yaml import parse_yaml
from tests.cases import some

pytestmark = pytest.mark.sampled

TABLE: dict[str, list[str]] = parse_yaml(
    Path(__file__).with_name("phrasings.yaml").read_text(encoding="utf-8")
)
ROWS = [(command, expected) for expected, commands in TABLE.items() for command in commands]


@pytest.mark.parametrize(("command", "expected"), ROWS)
def test_every_phrasing_is_read_with_the_expected_meaning(command, expected, meaning):
    assert meaning(command) == expected


def test_phrasing_table_is_large_and_has_both_languages():
    assert len(ROWS) >= 150
    assert 60 <= len(KOREAN) <= len(ROWS) - 60
    assert len(SPACED) >= 60


KOREAN = [row for row in ROWS if any("가" <= char <= "힣" for char in row[0])]
SPACED = [row for row in KOREAN if " " in row[0] and '"' not in row[0]]


@pytest.mark.parametrize(("command", "expected"), SPACED[::3])
def test_meaning_is_independent_of_double_spaces_in_korean(command, expected, meaning):
    assert meaning(command.replace(" ", "  ")) == expected


def test_utterances_of_the_library_select_their_own_tree(building, plan_of):
    said = [
        utterance
        for tree in building.library
        if tree.tree != "tell_seen"  # requires an earlier observation
        for utterance in tree.utterances
    ]
    for utterance in some(said):
        assert not isinstance(plan_of(utterance), Refusal), utterance


def test_refusal_suggests_a_valid_command(plan_of):
    found = plan_of("옥상 보고 와")
    assert (found.code, found.nearest[0]) == ("UNKNOWN_OBJECT", "교수님께 보고해.")
    assert found.message.startswith("모르는 대상입니다: “옥상”.")
    found = plan_of("check the roof")
    assert found.message.startswith("I do not know “roof”.")
