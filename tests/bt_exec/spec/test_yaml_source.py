"""YAML source: values of scalars, and positions of keys and values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bt_exec.failure import Problem, SpecError
from bt_exec.spec.yaml_source import Source, read_file, read_text, scan_text, show_place
from tests.cases import examples


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("true", True),
        ("FALSE", False),
        ("~", None),
        ("null", None),
        ("", None),
        ("no", "no"),
        ("off", "off"),
        ("Yes", "Yes"),
        ("y", "y"),
        ("0", 0),
        ("-12", -12),
        ("+7", 7),
        ("007", "007"),
        ("0x1F", "0x1F"),
        ("0o17", "0o17"),
        ("1_000", "1_000"),
        ("1234567890123456789", 1234567890123456789),
        ("12345678901234567890", "12345678901234567890"),
        ("1.5", 1.5),
        ("1.", 1.0),
        (".5", ".5"),
        ("1e5", 1e5),
        ("1E-3", 1e-3),
        ("1e999", "1e999"),
        (".inf", ".inf"),
        ("NaN", "NaN"),
        ("1:30", "1:30"),
        ("2026-11-21", "2026-11-21"),
        ('"5"', "5"),
        ("'true'", "true"),
    ],
)
def test_scalar_is_read_as_its_yaml_value(text: str, value: Any) -> None:
    found = read_text(f"a: {text}\n").data["a"]
    assert (found, type(found)) == (value, type(value))


def test_keys_and_values_have_positions() -> None:
    source = read_text("a: 1\n열쇠:\n  - {b: 2, 😀: [3]}\n")
    assert source.line_and_column(("a",)) == (1, 4)
    assert source.line_and_column(("a",), key=True) == (1, 1)
    assert source.line_and_column(("열쇠", 0, "b")) == (3, 9)
    assert source.line_and_column(("열쇠", 0, "😀"), key=True) == (3, 12)
    assert source.line_and_column(("열쇠", 0, "😀", 0)) == (3, 16)
    assert source.line_and_column(("열쇠", 0, "no", "such")) == (3, 5)
    assert Source("the plan").line_and_column(("a",)) == (None, None)


def test_position_is_shown_as_line_and_column() -> None:
    assert show_place(("root", "sequence", 1, "with", "arm")) == "root/sequence[1]/with/arm"
    assert show_place(()) == ""


def test_read_file_raises_the_problems_that_scan_text_collects(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("a: !x 1\nb: 2\na: 3\n")
    with pytest.raises(SpecError) as caught:
        read_file(path)
    assert [problem.code for problem in caught.value.problems] == ["TAG", "DUPLICATE_KEY"]
    source = scan_text("a: !x 1\n")
    assert source.data == {"a": 1}
    assert [problem.code for problem in source.refused] == ["TAG"]


def test_directive_that_declares_a_tag_is_refused_although_none_is_used() -> None:
    source = scan_text("%TAG !x! tag:example.org,2026:\n---\na: 1\n")
    assert source.data == {"a": 1}
    (problem,) = source.refused
    assert (problem.code, problem.found, problem.line) == ("TAG", "%TAG", 1)


def test_earlier_problems_are_reported_with_the_one_that_stopped_the_parser() -> None:
    with pytest.raises(SpecError) as caught:
        read_text("a: 1\na: 2\nb: [1\n")
    assert [problem.code for problem in caught.value.problems] == ["DUPLICATE_KEY", "NOT_YAML"]


def test_number_of_reported_problems_is_limited() -> None:
    with pytest.raises(SpecError) as caught:
        read_text("a: 1\n" * 1000)
    assert len(caught.value.problems) == 50


def _only_spec_errors_with_places(text: str) -> None:
    try:
        read_text(text)
    except SpecError as error:
        for problem in error.problems:
            assert problem.line is not None
            assert problem.column is not None
            lines = max(text.count("\n") + text.count("\r") + 2, 2)
            assert 1 <= problem.line <= lines + sum(text.count(c) for c in "\x85\u2028\u2029")
            assert problem.column >= 1


@given(st.text(max_size=60))
@settings(max_examples=examples(300))
def test_random_text_is_parsed_or_refused(text: str) -> None:
    _only_spec_errors_with_places(text)


@given(st.text("[]{}:,-?&*!|>'\"%@`#~<.\t\n a1", max_size=40))
@settings(max_examples=examples(500))
def test_random_yaml_syntax_is_parsed_or_refused(text: str) -> None:
    _only_spec_errors_with_places(text)


@given(raw=st.binary(max_size=80))
@settings(max_examples=examples(150))
def test_random_bytes_are_parsed_or_refused(
    tmp_path_factory: pytest.TempPathFactory, raw: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "random.yaml"
    path.write_bytes(raw)
    found: tuple[Problem, ...] = ()
    try:
        read_file(path)
    except SpecError as error:
        found = error.problems
    assert all(problem.line and problem.column for problem in found)
