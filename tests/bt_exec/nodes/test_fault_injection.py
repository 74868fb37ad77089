"""Injected faults: syntax, matching calls and effects on each kind of part."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bt_exec.events import SkillEnded
from bt_exec.failure import UnknownName, UsageError
from bt_exec.nodes.fault_injection import ACTIONS, Fault, Faults, faults_for_rerun
from bt_exec.testing import run_tree, scripted_skill

FORM = (
    "fault {} must be SKILL[:N]=CODE: a skill, the number of its call "
    "(every call if omitted), and one of its failure codes"
)
SKILLS = {
    "grasp": scripted_skill("grasp", fails=["GRASP_SLIPPED", "NOT_THERE"]),
    "go": scripted_skill("go"),
}


def code_for(faults, skill, call):
    fault = faults.for_call(skill, call)
    return None if fault is None else fault.code


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("grasp:1=GRASP_SLIPPED", ("grasp", 1, "GRASP_SLIPPED")),
        ("grasp:12=NOT_THERE", ("grasp", 12, "NOT_THERE")),
        ("grasp=GRASP_SLIPPED", ("grasp", None, "GRASP_SLIPPED")),
        ("go=TIMEOUT", ("go", None, "TIMEOUT")),  # accepted for any skill
        ("go:2=SKILL_CRASHED", ("go", 2, "SKILL_CRASHED")),
    ],
)
def test_fault_is_parsed(text, expected):
    (fault,) = Faults.parse([text], SKILLS).faults
    assert (fault.name, fault.call, fault.code) == expected
    assert str(fault) == fault.to_source() == text


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
            "skill 'grasp' never fails with NOT_THEIR; its failure codes: "
            "NOT_THERE, GRASP_SLIPPED, SKILL_CRASHED, TIMEOUT",
        ),
        (
            "go=QQQ",
            UsageError,
            "skill 'go' never fails with QQQ; its failure codes: SKILL_CRASHED, TIMEOUT",
        ),
        ("go:0=TIMEOUT", UsageError, "fault 'go:0=TIMEOUT': calls are counted from 1"),
    ],
)
def test_invalid_fault_is_refused_with_the_allowed_values(text, kind, said):
    with pytest.raises(kind) as told:
        Faults.parse(["go=TIMEOUT", text], SKILLS)
    assert str(told.value) == said


def test_fault_applies_to_matching_calls():
    faults = Faults.parse(["grasp:2=NOT_THERE", "grasp:3=TIMEOUT", "go=TIMEOUT"], SKILLS)
    assert [code_for(faults, "grasp", call) for call in (1, 2, 3, 4)] == [
        *(None, "NOT_THERE", "TIMEOUT", None),
    ]
    assert [code_for(faults, "go", call) for call in (1, 2)] == ["TIMEOUT", "TIMEOUT"]
    assert code_for(faults, "other", 1) is None
    assert code_for(Faults(), "go", 1) is None


def test_first_matching_fault_is_used():
    faults = Faults.parse(["go:1=SKILL_CRASHED", "go=TIMEOUT"], SKILLS)
    assert [code_for(faults, "go", call) for call in (1, 2)] == ["SKILL_CRASHED", "TIMEOUT"]


TREE = "tree: t\nroot: {do: go, timeout: 2s}"
LONG = scripted_skill("go", [("20", "done")], fails=["SLIPPED"])


@pytest.mark.parametrize(
    ("fault", "code", "ticks"),
    [
        ({"does": "fail", "code": "SLIPPED"}, "SLIPPED", 1),
        ({"does": "fail", "code": "SLIPPED", "after": 5}, "SLIPPED", 6),
        ({"does": "crash"}, "SKILL_CRASHED", 1),
        ({"does": "crash", "after": 5}, "SKILL_CRASHED", 6),
        ({"does": "hang"}, "TIMEOUT", 41),
        ({"does": "slow", "after": 3, "seconds": 0.01}, "", 21),
        ({"does": "crash", "after": 99}, "", 21),
        ({"does": "crash", "since": 3}, "", 21),
    ],
)
def test_skill_fails_as_specified_by_its_fault(fault, code, ticks):
    run = run_tree(TREE, [LONG], faults=[{"part": "skill", "name": "go", **fault}])
    assert [one["code"] for one in run.outcome.failures][:1] == [code] * bool(code)
    assert run.outcome.ok is not bool(code)
    first = next(e for e in run.events if isinstance(e, SkillEnded))
    assert first.tick == ticks


def test_fault_in_a_running_skill_leaves_it_time_to_clean_up():
    fault = {"part": "skill", "does": "crash", "after": 2}
    assert run_tree(TREE, [LONG], faults=[fault]).robot.log[:2] == ["go start", "go stopped"]


def test_fault_applies_the_given_number_of_times():
    tree = "tree: t\nroot: {do: go, retry: 5}"
    fault = {"part": "skill", "does": "fail", "code": "SLIPPED", "times": 2}
    run = run_tree(tree, [LONG], faults=[fault])
    assert run.outcome.ok
    assert [e.state for e in run.events if isinstance(e, SkillEnded)] == ["failed"] * 2 + ["done"]


def test_operator_fault_stops_the_mission():
    run = run_tree(TREE, [LONG], faults=[{"part": "operator", "does": "stop", "since": 0.5}])
    assert run.outcome.status == "aborted"
    assert run.robot.log == ["go start", "go stopped"]


@pytest.mark.parametrize(("times", "status"), [(1, "failed"), (None, "failed")])
def test_compiler_fault_crashes_the_compiler(times, status):
    fault = {"part": "planner", "does": "crash", **({"times": times} if times else {})}
    run = run_tree(TREE, [LONG], faults=[fault])
    assert (run.outcome.status, run.outcome.reason_code) == (status, "COMPILER_CRASHED")


def test_camera_faults_can_lose_or_freeze_pictures_or_crash():
    now = [0.0]
    faults = Faults.parse(
        [
            {"part": "camera", "name": "eye", "does": "lose", "since": 1, "until": 2},
            {"part": "camera", "name": "eye", "does": "freeze", "since": 2, "until": 3},
            {"part": "camera", "does": "crash", "since": 3, "until": 4},
        ],
        {},
    )
    faults.begin(lambda: now[0])

    def seen(pack):
        capture = faults.capture(pack, lambda: now[0])
        return faults.interpreter(pack, lambda found: found)(capture)

    assert (seen("eye"), seen("ear")) == (0.0, 0.0)
    now[0] = 1.0
    assert seen("ear") == 1.0
    with pytest.raises(RuntimeError, match="lost on purpose"):
        seen("eye")
    now[0] = 2.5
    assert (seen("eye"), seen("ear")) == (0.0, 2.5)
    now[0] = 3.0
    with pytest.raises(RuntimeError, match="crash on purpose"):
        seen("ear")
    assert list(faults.unused()) == []


def test_journal_fault_locks_the_journal_for_its_duration(tmp_path):
    path = tmp_path / "journal.sqlite"
    now = [0.0]
    faults = Faults.parse([{"part": "journal", "does": "fail", "since": 1, "until": 2}], {})
    faults.begin(lambda: now[0])

    def can_write():
        with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as other:
            try:
                other.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError:
                return False
            return True

    found = []
    for t in (0.0, 1.0, 1.5, 2.0):
        now[0] = t
        faults.trigger_outside_faults(print, str(path))
        found.append(can_write())
    assert found == [True, False, False, True]


def test_unfired_fault_is_listed():
    faults = Faults.parse(["grasp:2=NOT_THERE", "grasp:9=TIMEOUT", "go=TIMEOUT"], SKILLS)
    assert [code_for(faults, "grasp", call) for call in (1, 2)] == [None, "NOT_THERE"]
    assert [(str(one.fault), one.calls) for one in faults.unused()] == [
        ("grasp:9=TIMEOUT", 2),
        ("go=TIMEOUT", 0),
    ]


@given(
    st.sampled_from([(part, does) for part, all_ in ACTIONS.items() for does in all_]),
    st.one_of(st.none(), st.integers(1, 9)),
    st.floats(0, 9),
)
@settings(max_examples=50)
def test_written_fault_is_parsed_to_the_same_fault(what, call, since):
    part, does = what
    code = "TIMEOUT" if (part, does) == ("skill", "fail") else ""
    fault = Fault(part=part, does=does, name="go", code=code, call=call, since=since)
    assert Faults.parse([fault.to_source()], SKILLS).faults == (fault,)


def test_rerun_omits_stop_and_kill_faults():
    faults = ["go=TIMEOUT", *({"part": part, "does": ACTIONS[part][0]} for part in ACTIONS)]
    parts = [one["part"] for one in faults_for_rerun(faults) if not isinstance(one, str)]
    assert parts == ["skill", "camera", "planner", "journal"]
