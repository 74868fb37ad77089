"""Tests of the checker: it finds false and unknown statements."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from tests.truth.message_check import Checker
from tests.truth.witness import Looked


def witness(**facts):
    look = Looked(9.0, 2, frozenset({True}), frozenset({"spill"}), 50.0, frozenset({"professor"}))
    given = {
        "angle": 0.0,
        "t": 20.0,
        "places": frozenset({"lounge"}),
        "looks": [("professor_office", look)],
        "tray": None,
        "held": lambda arm: "material" if arm == "right" else None,
        "home": lambda arm: True,
        "states": lambda since, until: {"open"},
        "material_inside": True,
        **facts,
    }
    return SimpleNamespace(**given)


OFFICE = "I looked around the professor's office about a minute ago. "


@pytest.mark.parametrize(
    ("said", "true"),
    [
        ("The door is closed.", True),
        ("The door is open.", False),
        ("문이 닫혀 있습니다.", True),
        ("문이 조금 열려 있습니다.", False),
        ("The door was open when I looked 9 s ago. The door is closed.", True),
        ("9초 전에 보았을 때 문이 닫혀 있었습니다.", False),
        ("The right hand holds the material.", True),
        ("왼손에 자재가 있습니다.", False),
        ("Both hands are empty.", False),
        ("The door is open, but I do not see the material.", False),
        ("I am in the lounge.", True),
        ("베이스캠프에 있습니다.", False),
        (OFFICE + "There are 2 people (including the professor).", True),
        (OFFICE + "There is nobody there.", False),
        (OFFICE + "No, the professor is not there.", False),
        (OFFICE + "The light is off.", False),
        (OFFICE + "Unusual: a spill on the floor.", True),
        (OFFICE + "Nothing unusual is in view.", False),
        ("1분쯤 전에 라운지를 둘러보았습니다.", False),
        ("The document is on my tray.", False),
        ("I did it all, believe me.", False),  # an unchecked statement is not accepted
    ],
)
def test_false_statement_is_found(said, true):
    assert (Checker(witness(), "satisfied").read(said) == []) is true
