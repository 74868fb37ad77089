"""Loading raises only `SpecError`, with the position of each problem."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bt_exec.failure import SpecError
from bt_exec.spec.dump import dump_yaml
from bt_exec.spec.load import load_text, parse
from bt_exec.spec.yaml_source import read_text
from bt_exec.verify import verify_document
from tests.bt_exec.spec.strategies import mutated, node_data, values
from tests.bt_exec.spec.test_malformed import CATALOGUE, FILES, LIBRARY
from tests.bt_exec.spec.workshop import DATA
from tests.cases import examples

ORIGINALS = [
    *(path.read_text() for path in sorted((DATA / "workshop").glob("*.yaml"))),
    *(path.read_text("utf-8-sig") for name, path in sorted(FILES.items()) if "fine_" in name),
    FILES["several_mistakes"].read_text(),
    "mission: {command: x, kept: [a/b]}\nroot:\n  tree: find\n  body: {do: look}\n  with: {}\n",
]
SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]


def check_whole_way(text: str) -> None:
    """Load and verify. Every problem has a position in the text."""
    try:
        document, source = load_text(text)
    except SpecError as error:
        problems = error.problems
        assert problems
    else:
        problems = verify_document(document, CATALOGUE, LIBRARY, source)
    for problem in problems:
        assert problem.line is not None, problem
        assert problem.column is not None, problem
        assert problem.line <= sum(text.count(c) for c in "\n\r\x85\u2028\u2029") + 2  # key of YAML
        assert problem.message
        assert problem.code.isupper()
    spots = [(problem.line, problem.column) for problem in problems]
    assert spots == sorted(spots)


@given(mutated(ORIGINALS))
@settings(max_examples=examples(600), suppress_health_check=SLOW)
def test_mutated_text_is_loaded_or_refused(text: str) -> None:
    check_whole_way(text)


@given(st.text(max_size=50))
@settings(max_examples=examples(200))
def test_random_text_is_loaded_or_refused(text: str) -> None:
    check_whole_way("tree: t\n" + text)


@given(values, st.sampled_from(["{}", "root: {{do: {}}}", "root: {{check: {}}}", "params: {}"]))
@settings(max_examples=examples(250), suppress_health_check=SLOW)
def test_any_value_at_any_place_is_loaded_or_refused(value: object, form: str) -> None:
    from json import dumps

    check_whole_way("tree: t\n" + form.format(dumps(value)) + "\n")


@given(node_data)
@settings(max_examples=examples(100), suppress_health_check=SLOW)
def test_nodes_with_arbitrary_names_can_be_verified(data: object) -> None:
    from json import dumps

    check_whole_way("tree: t\nroot: " + dumps(data, ensure_ascii=False) + "\n")


def test_parse_accepts_parsed_data() -> None:
    assert parse(read_text("tree: t\nroot: {do: look}\n")).document == (
        load_text("tree: t\nroot: {do: look}\n").document
    )


def test_parameter_may_have_the_name_of_a_field() -> None:
    """A parameter may have the name of a field of the language or of pydantic."""
    with pytest.raises(SpecError) as caught:
        load_text(
            "tree: t\nparams:\n  mission: {typ: a}\n  int: {type: a, x: 1}\n  '<do>': {type: a}\n"
            "root: {do: look}\n"
        )
    assert [(p.place, p.line, p.column, p.code) for p in caught.value.problems] == [
        ("params/mission/typ", 3, 13, "UNKNOWN_FIELD"),
        ("params/int/x", 4, 18, "UNKNOWN_FIELD"),
        ("params/<do>", 5, 3, "BAD_NAME"),
    ]


def test_problem_inside_a_body_is_reported_with_its_position() -> None:
    with pytest.raises(SpecError) as caught:
        load_text("mission: {command: x}\nroot:\n  tree: find\n  body:\n    do: look\n    ret: 1\n")
    (problem,) = caught.value.problems
    assert (problem.place, problem.line, problem.column) == ("root/body/ret", 6, 5)


def test_field_on_is_accepted_as_the_older_name_of_after() -> None:
    """Most YAML readers parse `on` as true, so trees use `after`."""
    text = "tree: t\notherwise: [{{{}: [GONE], with: {{a: 1}}}}]\nroot: {{do: look}}"
    old, new = (load_text(text.format(name)).document for name in ("on", "after"))
    assert old == new
    assert "\n- after:\n  - GONE\n  with:\n" in dump_yaml(old)


def test_fields_after_and_on_exclude_each_other() -> None:
    text = "tree: t\notherwise: [{after: [GONE], on: [LOST], tree: u}]\nroot: {do: look}"
    with pytest.raises(SpecError) as told:
        load_text(text)
    assert [problem.code for problem in told.value.problems] == ["UNKNOWN_FIELD"]
