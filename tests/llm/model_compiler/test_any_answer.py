"""Properties of any answer: a verdict without exception, and no new capabilities."""

from __future__ import annotations

import json

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bt_exec.planning.plan_preparation import prepare
from bt_exec.spec.dump import to_data
from bt_exec.spec.model import Do, Tree, walk
from bt_exec_llm.client import Answer
from bt_exec_llm.model_compiler.flat_format import from_flat, to_flat
from bt_exec_llm.model_compiler.plan_effects import offline_plan
from bt_exec_llm.model_compiler.planning_dialogue import _judge as _rate_answer
from tests.cases import examples, some
from tests.llm.model_compiler.corpus import OFFLINE, corpus, good_answer
from tests.llm.model_compiler.fake_door import SITE, request_for

NAMES = [*SITE.catalogue.skills, *SITE.library.names(), *SITE.catalogue.conditions, "fly", "", "$x"]
VALUES = [
    "left",
    "right",
    "door",
    "door-handle",
    "material",
    "open",
    "closed",
    1,
    True,
    None,
    [],
    {},
]
NAME, VALUE = st.sampled_from(NAMES), st.sampled_from(VALUES)
ARGS = st.dictionaries(st.sampled_from(["arm", "object_label", "state", "bbox"]), VALUE, max_size=3)
CONDITION = (
    NAME | st.builds(lambda n, a: {n: a}, NAME, ARGS) | st.builds(lambda n: {"not": n}, NAME)
)
LEAF = st.fixed_dictionaries(
    {},
    optional={
        "do": NAME,
        "tree": NAME,
        "check": CONDITION,
        "with": ARGS,
        "skip_if": CONDITION,
        "while": CONDITION,
        "retry": st.integers(-1, 2000) | st.just("forever"),
        "timeout": st.sampled_from(["5s", "1h", 5]),
        "name": st.text(max_size=5),
    },
)


def _branch(children):
    kind = st.sampled_from(["sequence", "fallback", "parallel", "loop"])
    return st.builds(lambda k, c: {k: c}, kind, st.lists(children, max_size=3))


TREE = st.recursive(LEAF, _branch, max_leaves=8)
RIGHT = {"arm": "right", "object_label": "door-handle"}
SOUND = st.sampled_from(
    [
        *({"do": name, "with": RIGHT, "timeout": "30s"} for name in ("open_door", "close_door")),
        *({"tree": name} for name in ("open_door", "close_door", "get_material")),
        *({"check": {"door_is": {"state": state}}, "tell": True} for state in ("open", "ajar")),
        {"do": "return_home", "timeout": "20s"},
    ]
)
SOUND_TREE = SOUND | st.builds(
    lambda kind, inner: {kind: inner},
    st.sampled_from(["sequence", "fallback"]),
    st.lists(SOUND, min_size=2, max_size=3),
)
COMMAND = st.sampled_from(["open the door", "close the door", "자재를 가져와", "is the door open?"])
WORLD = st.sampled_from([{}, {"door": "open"}, {"door": "ajar"}, {"hand": "right"}])
BAD = list(corpus())
CALM = settings(max_examples=120, suppress_health_check=[HealthCheck.too_slow])
QUICK = settings(CALM, max_examples=examples(180))  # for rarely accepted answers


def _judge(text, command, world):
    request = request_for(command, world)
    return request, _rate_answer(Answer(text), request, offline_plan(request, OFFLINE))


def _check(request, found):
    """Check a verdict; return the plan if it was accepted."""
    assert found.plan is not None or found.cannot or found.problems
    if found.plan is None:
        return None
    plan = prepare(found.plan.written, request).spec  # the check of the executive
    for node in walk(plan.root):
        if isinstance(node, Do):
            assert node.do in SITE.catalogue.skills
            SITE.catalogue.skills[node.do].validate(node.args)  # raises on invalid arguments
        if isinstance(node, Tree):
            assert node.tree in SITE.library
    return plan


@pytest.mark.slow
def test_arbitrary_tree_is_accepted_or_rejected():
    accepted = []

    @CALM
    @given(TREE | SOUND_TREE, COMMAND, WORLD)
    def assess(tree, command, world):
        plan = _check(*_judge(json.dumps({"root": tree}), command, world))
        accepted.extend([plan] if plan is not None else [])

    assess()
    some(accepted, least=3)


@QUICK
@given(
    st.lists(
        st.dictionaries(
            st.sampled_from(["id", "kind", "runs", "children", "with"]),
            NAME | VALUE | st.lists(NAME, max_size=3),
            max_size=5,
        ),
        max_size=6,
    ),
    COMMAND,
)
def test_arbitrary_flat_plan_is_accepted_or_rejected(nodes, command):
    _check(*_judge(json.dumps({"nodes": nodes}), command, {}))


@QUICK
@given(st.text(max_size=300), COMMAND)
def test_arbitrary_text_is_accepted_or_rejected(text, command):
    _check(*_judge(text, command, {}))


@pytest.mark.slow
def test_damaged_answer_is_accepted_or_rejected():
    accepted = []
    bad = [(one.answer, one.command, one.world) for one in BAD]
    good = [(good_answer(command), command, {}) for command in ("open the door", "자재를 가져와")]

    @CALM
    @given(
        st.sampled_from(bad + good * 60),
        st.integers(0, 400),
        st.integers(0, 400) | st.integers(0, 3),
        st.text(max_size=6) | st.sampled_from(["", " ", "\n"]),
    )
    def assess(answer, start, length, inserted):
        text, command, world = answer
        plan = _check(*_judge(text[:start] + inserted + text[start + length :], command, world))
        accepted.extend([plan] if plan is not None else [])

    assess()
    some(accepted, least=3)


@QUICK
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=8),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    [
                        "root",
                        "nodes",
                        "full_action_list",
                        "next_action",
                        "plan",
                        "assumes",
                        "gate_evaluations",
                        "door_state_estimation",
                        "goal_status",
                        "name",
                        "args",
                        "observations",
                        "do",
                    ]
                ),
                inner,
                max_size=4,
            )
        ),
        max_leaves=12,
    ),
    COMMAND,
)
def test_arbitrary_data_is_accepted_or_rejected(data, command):
    _check(*_judge(json.dumps(data), command, {"door": "open"}))


@QUICK
@given(st.sampled_from(SITE.library.names()))
def test_flat_and_nested_answers_are_judged_alike(name):
    root = to_data(SITE.library.get(name))["root"]
    assert from_flat({"nodes": to_flat(root)}).root == root
    nested, flat = {"root": {"tree": name}}, {"nodes": to_flat({"tree": name})}
    one = _judge(yaml.safe_dump(nested), "자재를 가져와", {})[1]
    other = _judge(json.dumps(flat), "자재를 가져와", {})[1]
    assert [p.code for p in one.problems] == [p.code for p in other.problems]


@pytest.mark.parametrize(
    ("wrong", "place"),
    [
        ({"kind": "do", "step": {"runs": "open_dor", "with": []}}, "second/runs"),
        ({"kind": "tree", "step": {"runs": "open_dor", "with": []}}, "second/runs"),
        ({"kind": "check", "asks": [{"condition": "door_si", "holds": True}]}, "second/asks"),
        (
            {
                "kind": "do",
                "step": {"runs": "return_home", "with": []},
                "skip_if": [{"condition": "door_si", "holds": True}],
            },
            "second/skip_if",
        ),
    ],
)
def test_problems_of_a_flat_plan_name_its_node_ids(wrong, place):
    good = {"id": "first", "kind": "do", "step": {"runs": "return_home", "with": []}}
    whole = {"id": "top", "kind": "sequence", "children": ["first", "second"]}
    flat = {"nodes": [whole, good, {"id": "second", **wrong}]}
    found = _judge(json.dumps(flat), "팔 접어", {})[1].problems
    assert any(problem.place == place for problem in found), [str(each) for each in found]
    assert not any(problem.place.startswith(("root", "first")) for problem in found)
