"""Valid but useless constructs: codes that are never raised, parameters that are never used."""

from __future__ import annotations

import pytest

from bt_exec.spec.library import Library
from bt_exec.spec.load import load_text
from bt_exec.verify import verify_file, verify_library
from tests.bt_exec.spec.workshop import catalogue, library

HEAD = "tree: t\nparams:\n  arm: {type: Arm, default: right}\n"
TAKE = "root: {do: take, with: {arm: $arm}}\n"
NEVER = "nothing on this site fails with"
NO_NODE = (
    "no node takes the parameter 'arm'; write $arm where it is meant, or 'spoken: true' if only "
    "commands name it"
)

CASES = {
    "a code that nothing fails with": (
        HEAD + "otherwise:\n  - {after: [UNREACHABEL], with: {arm: left}}\n" + TAKE,
        [f"5:14 UNKNOWN_CODE {NEVER} 'UNREACHABEL', so this alternative is never tried"],
    ),
    "the older name of 'after'": (
        HEAD + "otherwise:\n  - {on: [GONE], with: {arm: left}}\n" + TAKE,
        [f"5:5 UNKNOWN_CODE {NEVER} 'GONE', so this alternative is never tried"],
    ),
    "a parameter that nothing takes": (
        HEAD + "root: {do: look}\n",
        [f"3:3 UNUSED_PARAMETER {NO_NODE}"],
    ),
    "a parameter that only the same tree, tried again, has": (
        HEAD + "otherwise: [{after: [UNREACHABLE], tree: t}]\nroot: {do: look}\n",
        [f"3:3 UNUSED_PARAMETER {NO_NODE}"],
    ),
    "a parameter that another way is given anew": (
        HEAD + "otherwise: [{after: [UNREACHABLE], tree: open_up, with: {arm: left}}]\n"
        "root: {do: look}\n",
        [f"3:3 UNUSED_PARAMETER {NO_NODE}"],
    ),
    "a parameter that stands in a text": (
        HEAD + "root: {do: look, with: {camera: 'arm'}}\n",
        [f"3:3 UNUSED_PARAMETER {NO_NODE}"],
    ),
    "a parameter that a text ends like": (
        HEAD + "root: {do: look, with: {camera: farm}}\n",
        [f"3:3 UNUSED_PARAMETER {NO_NODE}"],
    ),
    "a parameter with a wider bound than its argument": (
        "tree: t\nparams: {n: {type: integer, min: 1, max: 700}}\n"
        "root: {do: wait, with: {seconds: $n}}\n",
        [
            "3:34 WRONG_TYPE $n may be 700; 'seconds' must be less than or equal to 600; "
            "narrow its bounds"
        ],
    ),
    "a branch after one that cannot fail": (
        "tree: t\nroot: {fallback: [{do: look}, {do: wait, with: {seconds: 1}}, {do: look}]}\n",
        ["2:63 NEVER_RUNS this branch never runs: the one before it cannot fail"],
    ),
    "a branch after a sequence that cannot fail": (
        "tree: t\nroot:\n  fallback:\n    - sequence: [{do: wait, with: {seconds: 1}}]\n"
        "    - {do: look}\n",
        ["5:7 NEVER_RUNS this branch never runs: the one before it cannot fail"],
    ),
    "conditions that contradict each other": (
        "tree: t\nroot: {do: look, while: {all: [{lid_is: {state: open}}, lit, "
        "{lid_is: {state: closed}}]}}\n",
        ["2:25 NEVER_HOLDS lid_is open and lid_is closed never hold at the same time"],
    ),
    "a condition and its negation": (
        "tree: t\nroot: {check: {any: [lit, {not: {all: [lit, {not: lit}]}}]}}\n",
        ["2:15 NEVER_HOLDS lit and not lit never hold at the same time"],
    ),
}

FINE = {
    "branches that may fail": """
root:
  fallback:
    - {do: wait, with: {seconds: 1}, timeout: 1s}
    - {do: wait, with: {seconds: 1}, while: {hand_empty: {arm: $arm}}}
    - {do: look}
    - {do: wait, with: {seconds: 1}}
""",
    "conditions that hold one at a time": (
        "root: {do: look, while: {any: [{lid_is: {state: open}}, {lid_is: {state: closed}}, "
        "{hand_empty: {arm: $arm}}]}}\n"
    ),
    "codes of skills, conditions, checks, guards and of the executive": """
otherwise:
  - {after: [UNREACHABLE, UNCERTAIN, NO_LIGHT, SHUT, TIMEOUT, GUARD_BROKEN], with: {arm: left}}
root:
  sequence:
    - {check: lit, else: NO_LIGHT}
    - {do: take, with: {arm: $arm}, while: {lid_is: {state: open}, else: SHUT}}
""",
    "codes of other trees": "otherwise: [{after: [TOO_DARK], with: {arm: left}}]\n" + TAKE,
    "a parameter in a condition": "root: {check: {any: [lit, {hand_empty: {arm: $arm}}]}}\n",
    "a parameter in a guard": "root: {do: look, while: {hand_empty: {arm: $arm}, else: FULL}}\n",
    "a parameter in skip_if": "root: {do: look, skip_if: {not: {hand_empty: {arm: $arm}}}}\n",
    "a parameter of a subtree": "root: {tree: open_up, with: {arm: $arm}}\n",
    "a parameter that only another way takes": (
        "otherwise: [{after: [UNREACHABLE], tree: open_up}]\nroot: {do: look}\n"
    ),
}


def test_parameter_used_only_by_commands_is_accepted() -> None:
    head = HEAD.replace("default: right", "default: right, spoken: true")
    assert problems_of(head + "root: {do: look}\n") == []


def problems_of(text: str) -> list[str]:
    loaded = load_text(text)
    trees = Library([loaded])
    trees.add_missing(library())
    found = verify_file(loaded, catalogue(), trees)
    return [f"{p.line}:{p.column} {p.code} {p.message}" for p in found]


@pytest.mark.parametrize("name", CASES)
def test_useless_construct_is_reported(name: str) -> None:
    text, expected = CASES[name]
    assert problems_of(text) == expected


@pytest.mark.parametrize("name", FINE)
def test_valid_constructs_are_not_reported(name: str) -> None:
    assert problems_of(HEAD + FINE[name]) == []


def test_nearest_code_is_listed_first() -> None:
    text = HEAD + "otherwise: [{after: [UNREACHABEL], with: {arm: left}}]\n" + TAKE
    (problem,) = verify_file(load_text(text), catalogue(), library())
    assert problem.allowed[0] == "UNREACHABLE"
    assert problem.place == "otherwise[0]/after[0]"


@pytest.mark.parametrize(
    ("param", "root"),
    [
        ("n: {type: integer}", "{do: look, repeat: $n}"),
        ("n: {type: text}", "{do: look, timeout: $n}"),
        ("n: {type: number}", "{do: follow, with: {points: [1.0, $n]}}"),
    ],
)
def test_parameter_used_in_a_modifier_or_list_is_accepted(param: str, root: str) -> None:
    assert problems_of(f"tree: t\nparams: {{{param}}}\nroot: {root}\n") == []


def test_errors_are_reported_before_useless_constructs() -> None:
    """Useless constructs and contradictions follow the errors."""
    steps = "[{do: open_lid, with: {arm: right}}, {do: take, with: {arm: left}}, {do: take, %s}]"
    text = HEAD + f"root: {{sequence: {steps}}}\n"
    assert [line.split()[1] for line in problems_of(text % "with: {arm: up}")] == ["WRONG_TYPE"]
    assert [line.split()[:2] for line in problems_of(text % "with: {arm: left}")] == [
        ["3:3", "UNUSED_PARAMETER"],
        ["4:91", "NEED_NOT_MET"],
    ]


def test_library_with_useless_constructs_can_be_used() -> None:
    trees = Library([load_text(HEAD + "root: {do: look}\n")])
    assert verify_library(trees, catalogue()) == ()
