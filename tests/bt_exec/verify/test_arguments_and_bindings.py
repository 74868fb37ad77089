"""Layer 2, arguments.

Each of its codes is in the corpus (tests/data/malformed/expected.yaml), too.
"""

from __future__ import annotations

import pytest

from bt_exec.spec.load import load_text
from bt_exec.spec.model import MissionSpec
from bt_exec.verify import verify_document, verify_mission
from tests.bt_exec.verify.layers import CATALOGUE, LIBRARY, of_mission, of_tree

LOOK = "{do: look, save: {thing: seen}}"
USE = "{check: {near: {thing: $seen}}}"


@pytest.mark.parametrize(
    ("root", "bound"),
    [
        (f"{{sequence: [{LOOK}, {USE}]}}", True),
        (f"{{sequence: [{{sequence: [{LOOK}]}}, {USE}]}}", True),
        (f"{{sequence: [{USE}, {LOOK}]}}", False),
        (f"{{sequence: [{{fallback: [{LOOK}, {LOOK}]}}, {USE}]}}", True),
        (f"{{sequence: [{{fallback: [{LOOK}, {{do: look}}]}}, {USE}]}}", False),
        (f"{{fallback: [{LOOK}, {USE}]}}", False),
        (f"{{parallel: [{LOOK}, {USE}]}}", False),
        (f"{{sequence: [{{parallel: [{LOOK}, {{do: look}}]}}, {USE}]}}", True),
        (f"{{sequence: [{{parallel: [{LOOK}, {{do: look}}], succeed_when: 2}}, {USE}]}}", True),
        (f"{{sequence: [{{parallel: [{LOOK}, {{do: look}}], succeed_when: 1}}, {USE}]}}", False),
        (f"{{sequence: [{{sequence: [{LOOK}], skip_if: lit}}, {USE}]}}", False),
        (f"{{sequence: [{{sequence: [{LOOK}], retry: 3}}, {USE}]}}", True),
        (f"{{sequence: [{{tree: find, save: {{what: seen}}}}, {USE}]}}", True),
        (f"{{sequence: [{{tree: find}}, {USE}]}}", False),
        (f"{{sequence: [{LOOK}, {{do: look, while: {{near: {{thing: $seen}}}}}}]}}", True),
        ("{do: look, save: {thing: seen}, while: {near: {thing: $seen}}}", False),
    ],
)
def test_reference_is_bound_only_after_its_result_is_saved(root: str, bound: bool) -> None:
    found = [line.split()[1] for line in of_tree(f"tree: t\nroot: {root}\n")]
    assert found == ([] if bound else ["UNBOUND"])


def test_result_saved_by_two_branches_has_a_union_type() -> None:
    branches = "{fallback: [{do: look, save: {thing: x}}, {do: look, save: {count: x}}]}"
    assert of_tree(
        f"tree: t\nroot:\n  sequence:\n    - {branches}\n    - {{check: {{near: {{thing: $x}}}}}}\n"
    ) == ["5:30 WRONG_TYPE"]


def test_valid_defaults_and_alternatives_are_accepted() -> None:
    assert (
        of_tree(
            "tree: t\nparams: {arm: {type: Arm, default: right}, n: {type: number, default: 1}}\n"
            "otherwise:\n  - {on: [A], with: {arm: left, n: 2.5}}\n  - {on: [A], tree: open_up}\n"
            "  - {on: [A], tree: fetch, with: {arm: left}}\nroot: {do: look}\n"
        )
        == []
    )


def test_alternative_tree_does_not_inherit_the_parameters_of_its_tree() -> None:
    assert of_tree(
        "tree: t\nparams: {arm: {type: Arm, default: right}}\n"
        "otherwise:\n  - {on: [A], tree: fetch}\nroot: {do: look}\n"
    ) == ["4:5 MISSING_ARGUMENT"]


@pytest.mark.parametrize(
    ("params", "found"),
    [
        ("{}", ["4:5 MISSING_ARGUMENT"]),
        ("{arm: {type: Arm}}", []),
        ("{arm: {type: Arm, default: left}}", ["4:5 MISSING_ARGUMENT"]),
        ("{arm: {type: text}}", ["4:21 WRONG_TYPE"]),
        ("{thing: {type: Thing}}", ["4:5 MISSING_ARGUMENT"]),
    ],
)
def test_argument_missing_for_an_alternative_tree_is_reported(
    params: str, found: list[str]
) -> None:
    text = f"tree: t\nparams: {params}\notherwise:\n  - {{on: [A], tree: fetch}}\n"
    assert of_tree(text + "root: {do: look}\n") == found


@pytest.mark.parametrize(
    ("returns", "found"),
    [
        ("{what: $seen}", []),
        ("{what: $seen, again: $seen}", ["3:31 SAVED_TWICE"]),
        ("{what: $side}", ["3:17 UNBOUND"]),  # given by the caller of the tree
        ("{what: $lid}", ["3:17 UNBOUND"]),
        ("{what: seen}", ["3:17 UNBOUND"]),
        ("{what: $maybe}", ["3:17 UNBOUND"]),
    ],
)
@pytest.mark.parametrize("kind", ["sequence", "parallel"])
def test_tree_returns_only_values_that_are_always_saved(
    returns: str, found: list[str], kind: str
) -> None:
    maybe = "{fallback: [{do: look, save: {count: maybe}}, {do: look}]}"
    head = f"tree: t\nparams: {{side: {{type: text}}}}\nreturns: {returns}\n"
    assert of_tree(f"{head}root: {{{kind}: [{LOOK}, {maybe}]}}\n") == found


def test_saved_names_are_bound_in_the_expanded_mission() -> None:
    take = {"do": "take", "with": {"arm": "left", "thing": "$found"}}
    find = {"tree": "find", "save": {"what": "found"}}
    assert of_mission({"sequence": [find, take]}) == []
    skipped = {"tree": "find", "skip_if": "lit", "save": {"what": "found"}}
    assert [line.split(":")[0] for line in of_mission({"sequence": [skipped, take]})] == [
        "UNBOUND root/sequence[1]/with/thing"
    ]


@pytest.mark.parametrize(
    ("root", "found"),
    [
        ("{do: look, with: {camera: 'the $side camera'}}", ["5:33 UNBOUND"]),
        ("{do: look, with: {camera: the $side}}", ["5:33 UNBOUND"]),
        (f"{{sequence: [{LOOK}, {{do: look, with: {{camera: 'of $seen'}}}}]}}", ["5:78 UNBOUND"]),
        ("{do: look, with: {camera: $side}}", []),
        ("{do: look, with: {camera: $$side}}", []),
        ("{do: look, with: {camera: 'of $nothing, 5$'}}", []),
        ("{do: look, with: {camera: 'of $$side'}}", []),
    ],
)
def test_reference_inside_a_text_is_reported(root: str, found: list[str]) -> None:
    head = "tree: t\nparams:\n  side:\n    {type: text, default: front}\n"
    assert of_tree(f"{head}root: {root}\n") == found


@pytest.mark.parametrize(
    ("root", "found"),
    [
        ("{do: follow, with: {points: [1.0, 'at $side']}}", ["5:41 UNBOUND"]),
        ("{do: follow, with: {points: [[1.0, 'at $side']]}}", ["5:42 UNBOUND"]),
        ("{do: follow, with: {points: ['at $nothing']}}", ["5:36 WRONG_TYPE"]),
        ("{do: follow, with: {points: [1.0, $side]}}", ["5:41 WRONG_TYPE"]),
        ("{do: follow, with: {points: [1.0, $n]}}", []),
        ("{do: follow, with: {points: ['1', $n]}}", ["5:36 WRONG_TYPE"]),
        ("{do: follow, with: {points: [1.0, $m]}}", ["5:41 UNBOUND"]),
        ("{do: rest, with: {count: [$n]}}", ["5:32 WRONG_TYPE"]),
        ("{do: follow, with: {points: [], limits: {x: $n}}}", ["5:51 UNBOUND"]),
        ("{do: follow, with: {points: [], limits: {x: [1, $n]}}}", ["5:55 UNBOUND"]),
    ],
)
def test_references_inside_lists_and_mappings_are_resolved(root: str, found: list[str]) -> None:
    head = "tree: t\nparams:\n  side: {type: text}\n  n: {type: number}\n"
    assert of_tree(f"{head}root: {root}\n") == found


def test_problem_of_a_reference_inside_a_text_suggests_the_whole_argument() -> None:
    head = "tree: t\nparams: {side: {type: text}}\n"
    document, source = load_text(head + "root: {do: look, with: {camera: 'the $side camera'}}\n")
    (problem,) = verify_document(document, CATALOGUE, LIBRARY, source)
    assert (problem.found, problem.allowed) == ("$side", ("$side",))


def test_argument_without_a_yaml_form_is_reported_as_wrong_type() -> None:
    """A plan created by a program may contain any object. Long values are truncated."""
    (told,) = of_mission({"do": "look", "with": {"camera": object()}})
    assert told.startswith("WRONG_TYPE root/with/camera: 'camera' takes text")


@pytest.mark.parametrize(
    ("value", "found"), [([1] * 19, str([1] * 19)), ([1] * 20, f"[{'1,' * 19}…")]
)
def test_value_in_a_message_is_truncated_at_forty_characters(value: list[int], found: str) -> None:
    spec = MissionSpec.model_validate(
        {"mission": {"command": "go"}, "root": {"do": "look", "with": {"camera": value}}}
    )
    (problem,) = verify_mission(spec, CATALOGUE)
    assert problem.found == found.replace(" ", "")


@pytest.mark.parametrize(
    ("params", "root", "code"),
    [
        ("{n: {type: integer}}", "{do: look, repeat: $n}", None),
        ("{t: {type: text}}", "{do: look, timeout: $t}", None),
        ("{n: {type: text}}", "{do: look, repeat: $n}", "WRONG_TYPE"),
        ("{t: {type: integer}}", "{do: look, timeout: $t}", "WRONG_TYPE"),
        ("{n: {type: integer, spoken: true}}", "{do: look, repeat: $m}", "UNBOUND"),
    ],
)
def test_modifier_requires_a_parameter_of_its_type(params, root, code) -> None:
    found = [line.split()[1] for line in of_tree(f"tree: t\nparams: {params}\nroot: {root}\n")]
    assert found == ([code] if code else [])
