"""Layer 2; each of its codes stands in the corpus (tests/data/malformed/expected.yaml), too."""

from __future__ import annotations

import pytest

from tests.bt_exec.verify.layers import of_mission, of_tree

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
def test_what_is_bound_where(root: str, bound: bool) -> None:
    found = [line.split()[1] for line in of_tree(f"tree: t\nroot: {root}\n")]
    assert found == ([] if bound else ["UNBOUND"])


def test_results_of_different_types_are_one_or_the_other() -> None:
    branches = "{fallback: [{do: look, save: {thing: x}}, {do: look, save: {count: x}}]}"
    assert of_tree(
        f"tree: t\nroot:\n  sequence:\n    - {branches}\n    - {{check: {{near: {{thing: $x}}}}}}\n"
    ) == ["5:30 WRONG_TYPE"]


def test_defaults_and_other_ways() -> None:
    assert (
        of_tree(
            "tree: t\nparams: {arm: {type: Arm, default: right}, n: {type: number, default: 1}}\n"
            "otherwise:\n  - {on: [A], with: {arm: left, n: 2.5}}\n  - {on: [A], tree: open_up}\n"
            "  - {on: [A], tree: fetch, with: {arm: left}}\nroot: {do: look}\n"
        )
        == []
    )


def test_a_way_to_another_tree_passes_on_only_what_callers_give() -> None:
    assert of_tree(
        "tree: t\nparams: {arm: {type: Arm, default: right}}\n"
        "otherwise:\n  - {on: [A], tree: fetch}\nroot: {do: look}\n"
    ) == ["4:5 MISSING_ARGUMENT"]


def test_after_expansion_names_are_those_of_the_whole_mission() -> None:
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
def test_a_name_inside_a_text_is_not_passed_literally(root: str, found: list[str]) -> None:
    head = "tree: t\nparams:\n  side:\n    {type: text, default: front}\n"
    assert of_tree(f"{head}root: {root}\n") == found


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
def test_what_fills_a_modifier_is_a_parameter_of_its_type(params, root, code) -> None:
    found = [line.split()[1] for line in of_tree(f"tree: t\nparams: {params}\nroot: {root}\n")]
    assert found == ([code] if code else [])
