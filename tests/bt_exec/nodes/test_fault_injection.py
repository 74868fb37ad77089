"""Failures on purpose: how they are written, and which calls they hit."""

from __future__ import annotations

import pytest

from bt_exec.failure import UnknownName, UsageError
from bt_exec.nodes.fault_injection import Fault, Faults
from bt_exec.testing import scripted_skill

FORM = (
    "fault {} must be SKILL[:N]=CODE: a skill, which call of it (all if left out), "
    "and a code that it may fail with"
)
SKILLS = {
    "grasp": scripted_skill("grasp", fails=["GRASP_SLIPPED", "NOT_THERE"]),
    "go": scripted_skill("go"),
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("grasp:1=GRASP_SLIPPED", Fault("grasp", 1, "GRASP_SLIPPED")),
        ("grasp:12=NOT_THERE", Fault("grasp", 12, "NOT_THERE")),
        ("grasp=GRASP_SLIPPED", Fault("grasp", None, "GRASP_SLIPPED")),
        ("go=TIMEOUT", Fault("go", None, "TIMEOUT")),  # any skill may
        ("go:2=SKILL_CRASHED", Fault("go", 2, "SKILL_CRASHED")),
    ],
)
def test_a_fault_is_read(text, expected):
    assert Faults.parse([text], SKILLS).faults == (expected,)


@pytest.mark.parametrize(
    ("text", "kind", "said"),
    [
        ("grasp", UsageError, FORM.format("'grasp'")),
        *(
            (text, UsageError, FORM.format(repr(text)))
            for text in ("", "grasp=slipped", "grasp:x=TIMEOUT", "grasp:1=", "go=TIMEOUT!", "go=1")
        ),
        ("gras=TIMEOUT", UnknownName, "there is no skill 'gras'; known, nearest first: grasp, go"),
        (
            "grasp:1=NOT_THEIR",
            UsageError,
            "skill 'grasp' never fails with NOT_THEIR; it may: "
            "NOT_THERE, GRASP_SLIPPED, SKILL_CRASHED, TIMEOUT",
        ),
        (
            "go=QQQ",
            UsageError,
            "skill 'go' never fails with QQQ; it may: SKILL_CRASHED, TIMEOUT",
        ),
        ("go:0=TIMEOUT", UsageError, "fault 'go:0=TIMEOUT': calls are counted from 1"),
    ],
)
def test_a_fault_that_cannot_be_is_refused_with_what_may_be(text, kind, said):
    with pytest.raises(kind) as told:
        Faults.parse(["go=TIMEOUT", text], SKILLS)
    assert str(told.value) == said


def test_which_calls_are_hit():
    faults = Faults.parse(["grasp:2=NOT_THERE", "grasp:3=TIMEOUT", "go=TIMEOUT"], SKILLS)
    assert [faults.code_for("grasp", call) for call in (1, 2, 3, 4)] == [
        *(None, "NOT_THERE", "TIMEOUT", None),
    ]
    assert [faults.code_for("go", call) for call in (1, 2)] == ["TIMEOUT", "TIMEOUT"]
    assert faults.code_for("other", 1) is None
    assert Faults().code_for("go", 1) is None


def test_the_first_fault_that_fits_is_taken():
    faults = Faults.parse(["go:1=SKILL_CRASHED", "go=TIMEOUT"], SKILLS)
    assert [faults.code_for("go", call) for call in (1, 2)] == ["SKILL_CRASHED", "TIMEOUT"]
