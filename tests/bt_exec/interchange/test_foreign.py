"""Imported files: Nav2-like trees, tutorials, version 3, scripts, and hostile ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bt_exec.failure import SpecError
from bt_exec.interchange.btcpp_export import export_btcpp
from bt_exec.interchange.btcpp_import import import_btcpp
from bt_exec.interchange.report import EXPORT_NOTES, IMPORT_NOTES
from bt_exec.interchange.value_conversion import read_condition
from bt_exec.interchange.xml_text import parse_xml, read_xml_file
from bt_exec.pack import Catalogue
from bt_exec.spec.dump import dump_yaml, to_data
from bt_exec.spec.library import Library
from bt_exec.spec.load import load_text
from bt_exec.spec.yaml_source import Source

DATA = Path(__file__).parents[2] / "data" / "btcpp"
NAMES = sorted(path.stem for path in DATA.glob("*.xml") if path.stem != "nav2_nodes")
NODES = DATA / "nav2_nodes.xml"


def imported(*names):
    return import_btcpp([(name, read_xml_file(DATA / f"{name}.xml")) for name in names])


def one(nodes, models=""):
    """Return the root of the only tree of an import as plain data, and its notes."""
    text = f'<root BTCPP_format="4"><BehaviorTree ID="t">{nodes}</BehaviorTree>{models}</root>'
    result = import_btcpp([("a.xml", parse_xml(text))])
    return to_data(result.documents[0])["root"], result.report.codes()


@pytest.mark.parametrize("name", NAMES)
def test_imported_trees_survive_a_second_round_trip(name):
    documents, _ = imported(name, "nav2_nodes")
    library = Library((tree, Source(name)) for tree in documents)
    for tree in documents:
        assert load_text(dump_yaml(tree)).document == tree
        text, _ = export_btcpp(tree, library, Catalogue([]))
        again = import_btcpp([("a.xml", parse_xml(text))])
        assert again.documents[0] == tree
        assert again.report.notes == []


@pytest.mark.parametrize(
    ("names", "codes"),
    [
        (
            ("nav2_to_pose", "nav2_nodes"),
            "RECOVERY PIPELINE DECORATOR REACTIVE ROUND_ROBIN",
        ),
        (
            ("nav2_version3",),
            "FORMAT_3 PIPELINE DECORATOR UNKNOWN_NODE ENDLESS REACTIVE INVERTED_ACTION",
        ),
        (("tutorial_door",), "RENAMED SAME_TICK"),
        (("tutorial_ports",), "SCRIPT DELAY FORCED UNUSED_PORT"),
        (
            ("tutorial_scripts",),
            "SCRIPT SCRIPT_CONDITION SKIPPED BRANCH SWITCH UNKNOWN_NODE REACTIVE SAME_TICK ENDLESS"
            " THRESHOLDS INVERTED_ACTION EMPTY",
        ),
    ],
)
def test_report_lists_unsupported_constructs(names, codes):
    assert sorted(imported(*names).report.codes()) == sorted(codes.split())


def test_report_has_positions_and_reasons():
    lines = list(imported("tutorial_door").report.lines())
    assert lines[2:] == [
        "SAME_TICK (changed): the next attempt or round begins one tick later here",
        "    RetryUntilSuccessful:17 RetryUntilSuccessful",
    ]


def test_blackboard_entries_become_parameters_and_results():
    main, move = imported("tutorial_ports").documents
    assert main.params == {}
    assert list(move.params) == ["target", "message"]
    assert move.returns == {"result": "$result"}
    call = main.root.sequence[1]
    assert (call.args, call.save) == ({"target": "$first_goal"}, {"result": "result"})


@pytest.mark.parametrize(
    ("nodes", "root"),
    [
        ("<a/>", {"do": "a"}),
        ('<a name="a"/>', {"do": "a"}),
        ('<a name="first"/>', {"do": "a", "name": "first"}),
        ('<Action ID="a" x="1"/>', {"do": "a", "with": {"x": 1}}),
        ('<Condition ID="c" x="{y}"/>', {"check": {"c": {"x": "$y"}}}),
        ('<a x="1.5" y="true" z="1;2"/>', {"do": "a", "with": {"x": 1.5, "y": True, "z": "1;2"}}),
        ('<a x="$5" y=""/>', {"do": "a", "with": {"x": "$$5", "y": ""}}),
        ('<a x="{@shared}"/>', {"do": "a", "with": {"x": "$shared"}}),
        ("<Inverter><c/></Inverter>", {"check": {"not": "c"}}),
        (
            "<ReactiveSequence><c/><Inverter><d/></Inverter><a/></ReactiveSequence>",
            {"do": "a", "while": {"all": ["c", {"not": "d"}]}},
        ),
        ("<ReactiveFallback><c/><d/></ReactiveFallback>", {"check": {"any": ["c", "d"]}}),
        ('<Timeout msec="1500"><a/></Timeout>', {"do": "a", "timeout": "1.5s"}),
        ('<SubTree ID="x" y="{z}"/>', {"tree": "x"}),
        (
            '<Timeout msec="9"><RetryUntilSuccessful num_attempts="2"><a/>'
            "</RetryUntilSuccessful></Timeout>",
            {"sequence": [{"do": "a", "retry": 2}], "timeout": "0.009s"},
        ),
        ("<a/><b/>", {"sequence": [{"do": "a"}, {"do": "b"}]}),
        (
            '<Control ID="Sequence"><a/><a/></Control>',
            {"sequence": [{"do": "a"}, {"do": "a"}]},
        ),
    ],
)
def test_btcpp_nodes_are_converted_to_tree_nodes(nodes, root):
    models = "".join(f'<Condition ID="{name}"/>' for name in "cd")
    models += "".join(f'<Action ID="{name}"/>' for name in "ab")
    found, _ = one(nodes, f"<TreeNodesModel>{models}</TreeNodesModel>")
    expected = {**root, "with": {"y": "$z"}} if "tree" in root else root
    assert found == expected


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("<html/>", "NOT_BTCPP"),
        ("<root/>", "EMPTY"),
        ('<root><BehaviorTree ID="a"/></root>', "EMPTY"),
        ('<root><BehaviorTree ID="a"><Script code="x"/></BehaviorTree></root>', "EMPTY"),
        (
            '<root><BehaviorTree ID="a"><b/></BehaviorTree><BehaviorTree ID="a"><b/>'
            "</BehaviorTree></root>",
            "DUPLICATE_TREE",
        ),
        ('<root><BehaviorTree ID="a" _returns="{"><b/></BehaviorTree></root>', "BAD_METADATA"),
        ('<root><BehaviorTree ID="a" _returns="[]"><b/></BehaviorTree></root>', "NOT_SAYABLE"),
        ('<root><BehaviorTree ID="a"><b _exact="3"/></BehaviorTree></root>', "BAD_METADATA"),
        ('<root><BehaviorTree ID="a"><b _save="3"/></BehaviorTree></root>', "BAD_METADATA"),
        ('<root><BehaviorTree ID="a" _mission="1"><b/></BehaviorTree></root>', "NOT_SAYABLE"),
    ],
)
def test_files_that_cannot_be_imported_are_refused(text, code):
    with pytest.raises(SpecError) as raised:
        import_btcpp([("a.xml", parse_xml(text))])
    assert raised.value.problems[0].code == code


def test_nested_recoveries_do_not_grow_exponentially():
    nodes = "<a/>"
    for _ in range(60):
        nodes = f'<RecoveryNode number_of_retries="2">{nodes}<b/></RecoveryNode>'
    root, codes = one(nodes)
    assert {"RECOVERY", "RECOVERY_ONCE"} <= set(codes)
    assert len(str(root)) < 400_000


@pytest.mark.parametrize(
    ("script", "condition"),
    [
        ("open", "open"),
        ("!open", {"not": "open"}),
        (" ! ( a || b ) && c ", {"all": [{"not": {"any": ["a", "b"]}}, "c"]}),
        ("a && b || c", {"any": [{"all": ["a", "b"]}, "c"]}),
        ("a == 1", None),
        ("a := 1", None),
        ("true", None),
        ("", None),
        ("a &&", None),
        ("(a", None),
        ("a b", None),
        ("!" * 201 + "a", None),
    ],
)
def test_scripts_are_converted_to_conditions(script, condition):
    assert read_condition(script) == condition


TAGS = """
Sequence Fallback ReactiveSequence ReactiveFallback Parallel ParallelAll Inverter Timeout Repeat
RetryUntilSuccessful RecoveryNode IfThenElse Switch2 Script ScriptCondition Precondition a c
SubTree ForceSuccess Action Condition Control Decorator KeepRunningUntilFailure
"""
ATTRIBUTES = """
name ID x num_attempts num_cycles msec success_count failure_count max_failures code if
number_of_retries _skipIf _while _successIf _failureIf _onSuccess _autoremap _save _exact _ports _as
"""
VALUES = """1 -1 2 {x} {=} a c t !c 9999999 1.5 문 $x Sequence {} [] retry while skip_if check"""
tags = st.sampled_from(TAGS.strip().split())
attribute_names = st.sampled_from(ATTRIBUTES.strip().split())
attribute_values = st.sampled_from(["", "x y", *VALUES.strip().split()])
elements = st.recursive(
    st.tuples(tags, st.dictionaries(attribute_names, attribute_values, max_size=3), st.just(())),
    lambda inner: st.tuples(
        tags,
        st.dictionaries(attribute_names, attribute_values, max_size=3),
        st.lists(inner, max_size=3),
    ),
    max_leaves=8,
)


def text_of(element):
    tag, attributes, children = element
    given = "".join(f' {name}="{value}"' for name, value in attributes.items())
    return f"<{tag}{given}>{''.join(map(text_of, children))}</{tag}>"


@given(elements)
def test_arbitrary_nodes_are_imported_or_refused(element):
    text = f'<root><BehaviorTree ID="t">{text_of(element)}</BehaviorTree></root>'
    try:
        documents, report = import_btcpp([("a.xml", parse_xml(text))])
    except SpecError:
        return
    assert set(report.codes()) <= IMPORT_NOTES.keys()
    for document in documents:
        assert load_text(dump_yaml(document)).document == document


def test_import_and_export_notes_have_distinct_codes():
    assert not EXPORT_NOTES.keys() & IMPORT_NOTES.keys()
