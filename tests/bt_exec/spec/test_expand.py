"""Expansion: subtrees inserted, parameters bound, saved names made unique."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from bt_exec.failure import SpecError
from bt_exec.spec.dump import dump_yaml, to_data
from bt_exec.spec.expand import MAX_NODES, expand, is_reference, reference_name
from bt_exec.spec.library import Library
from bt_exec.spec.load import load_text
from bt_exec.spec.model import Do, MissionSpec, Tree, walk
from bt_exec.verify import verify_document, verify_mission
from tests.bt_exec.spec.strategies import workshop_missions
from tests.bt_exec.spec.workshop import catalogue, library
from tests.cases import examples

CATALOGUE, LIBRARY = catalogue(), library()


def mission(root: Any) -> MissionSpec:
    return MissionSpec.model_validate({"mission": {"command": "go"}, "root": root})


def trees(*texts: str) -> Library:
    return Library(load_text(text) for text in texts)


def codes(spec: MissionSpec, known: Library) -> list[tuple[str, str]]:
    with pytest.raises(SpecError) as caught:
        expand(spec, known)
    return [(problem.code, problem.place) for problem in caught.value.problems]


@given(workshop_missions)
@settings(max_examples=examples(150), suppress_health_check=[HealthCheck.too_slow])
def test_expansion_is_idempotent_and_needs_no_library(spec: MissionSpec) -> None:
    assert verify_document(spec, CATALOGUE, LIBRARY) == ()
    once = expand(spec, LIBRARY)
    assert expand(once, LIBRARY) == once
    assert expand(once, Library()) == once
    assert load_text(dump_yaml(once)).document == once
    problems = {problem.code for problem in verify_mission(once, CATALOGUE)}
    assert problems <= {"NEED_NOT_MET"}
    assert all(node.body is not None for node in walk(once.root) if isinstance(node, Tree))


def test_expand_inserts_bodies_and_arguments() -> None:
    once = expand(mission({"tree": "fetch", "with": {"arm": "left"}}), LIBRARY)
    body = to_data(once)["root"]["body"]["sequence"]
    assert to_data(once)["root"]["with"] == {"arm": "left"}
    assert body[0]["body"]["sequence"][1] == {
        "do": "look",
        "with": {"camera": "front"},
        "save": {"thing": "found", "distance_m": "distance"},
    }
    assert body[1]["with"] == {"arm": "left"}
    assert body[1]["body"]["with"] == {"arm": "left"}
    assert body[2]["with"] == {"arm": "left", "thing": "$found"}


def test_saved_names_of_two_subtrees_are_distinct() -> None:
    tree = (
        "tree: a\nroot:\n  sequence:\n    - {do: look, save: {thing: x}}\n"
        "    - {check: {near: {thing: $x}}}\n"
    )
    once = expand(mission({"sequence": [{"tree": "a"}, {"tree": "a"}]}), trees(tree))
    saved = [node.save["thing"] for node in walk(once.root) if isinstance(node, Do)]
    assert saved == ["x", "x_2"]
    checks = [to_data(once)["root"]["sequence"][n]["body"]["sequence"][1] for n in (0, 1)]
    assert [check["check"]["near"]["thing"] for check in checks] == ["$x", "$x_2"]


def test_escaped_text_stays_escaped_until_it_runs() -> None:
    tree = "tree: a\nparams: {c: {type: text}}\nroot: {do: look, with: {camera: $c}}\n"
    once = expand(mission({"tree": "a", "with": {"c": "$$x"}}), trees(tree))
    assert to_data(once)["root"]["body"]["with"] == {"camera": "$$x"}


def test_parameters_inside_lists_and_conditions_are_bound() -> None:
    tree = (
        "tree: a\nparams: {n: {type: number}, thing: {type: Thing, default: lid}}\nroot:\n"
        "  do: follow\n  with: {points: [1.0, $n]}\n"
        "  while: {any: [lit, {not: {near: {thing: $thing}}}]}\n"
    )
    once = expand(mission({"tree": "a", "with": {"n": 2.5}}), trees(tree))
    body = to_data(once)["root"]["body"]
    assert body["with"] == {"points": [1.0, 2.5]}
    assert body["while"] == {"any": ["lit", {"not": {"near": {"thing": "lid"}}}]}


def test_references_are_recognised_and_escapes_are_not() -> None:
    assert is_reference("$a")
    assert not is_reference("$$a")
    assert not is_reference(5)
    assert reference_name("$a") == "a"


def test_invalid_tree_cannot_be_expanded() -> None:
    needs = trees("tree: a\nparams: {x: {type: text}, y: {type: text}}\nroot: {do: look}\n")
    assert codes(mission({"tree": "b"}), needs) == [("UNKNOWN_TREE", "root/tree")]
    assert codes(mission({"tree": "a"}), needs) == [
        ("MISSING_ARGUMENT", "root"),
        ("MISSING_ARGUMENT", "root"),
    ]
    given = {"x": "1", "y": "2", "z": "3"}
    assert codes(mission({"tree": "a", "with": given}), needs) == [
        ("UNKNOWN_ARGUMENT", "root/with/z")
    ]
    unbound = mission({"do": "look", "with": {"camera": "$nothing"}})
    assert codes(unbound, needs) == [("UNBOUND", "root/with/camera")]
    cycle = trees("tree: a\nroot: {tree: b}\n", "tree: b\nroot: {tree: a}\n")
    assert codes(mission({"tree": "a"}), cycle) == [("TREE_CYCLE", "root/body/body/tree")]


def test_exponential_expansion_is_refused() -> None:
    wide = trees(
        *(
            f"tree: t{n}\nroot: {{sequence: [{{tree: t{n + 1}}}, {{tree: t{n + 1}}}]}}\n"
            for n in range(30)
        ),
        "tree: t30\nroot: {do: look}\n",
    )
    assert [code for code, _ in codes(mission({"tree": "t0"}), wide)][-1] in ("TOO_BIG", "TOO_DEEP")
    deep = trees(
        *(f"tree: t{n}\nroot: {{sequence: [{{tree: t{n + 1}}}]}}\n" for n in range(500)),
        "tree: t500\nroot: {do: look}\n",
    )
    assert [code for code, _ in codes(mission({"tree": "t0"}), deep)] == ["TOO_DEEP"]
    many = mission({"sequence": [{"tree": "t30"}] * (MAX_NODES // 2 + 1)})
    assert [code for code, _ in codes(many, wide)] == ["TOO_BIG"]


ROUNDS = """
tree: rounds
params:
  n: {type: integer, default: 2}
  t: {type: text, default: 30s}
root: {do: look, repeat: $n, timeout: $t}
"""


def test_parameters_set_counts_and_times_of_modifiers() -> None:
    known = trees(ROUNDS)
    tree = known.get("rounds")
    assert to_data(load_text(dump_yaml(tree)).document)["root"] == {
        "do": "look",
        "repeat": "$n",
        "timeout": "$t",
    }
    for args, expected in (({}, (2, 30.0)), ({"n": 4, "t": "1min"}, (4, 60.0))):
        once = expand(mission({"tree": "rounds", "with": args}), known)
        body = once.root.body
        assert (body.repeat, body.timeout, dict(body.open_modifiers)) == (*expected, {})
        assert expand(once, Library()) == once


@pytest.mark.parametrize(
    "args", [{"n": 0}, {"n": "3"}, {"n": True}, {"n": 2000}, {"t": "30"}, {"t": "-1s"}, {"t": 3}]
)
def test_invalid_value_of_a_modifier_is_refused(args: dict[str, Any]) -> None:
    field = "root/body/repeat" if "n" in args else "root/body/timeout"
    assert codes(mission({"tree": "rounds", "with": args}), trees(ROUNDS)) == [
        ("WRONG_TYPE", field)
    ]


def test_mission_has_no_parameters_for_modifiers() -> None:
    assert codes(mission({"do": "look", "repeat": "$n"}), Library()) == [("UNBOUND", "root/repeat")]
