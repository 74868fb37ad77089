"""Round trips of documents through YAML and JSON."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings

from bt_exec.spec.dump import dump_json, dump_yaml, to_data
from bt_exec.spec.load import load_text
from bt_exec.spec.model import Document, MissionSpec, TreeSpec
from bt_exec.spec.yaml_source import NUMBER, read_text
from tests.bt_exec.spec.strategies import documents
from tests.bt_exec.spec.workshop import DATA
from tests.cases import examples

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]


@given(documents)
@settings(max_examples=examples(100), suppress_health_check=SLOW)
def test_yaml_round_trip_preserves_the_document(document: Document) -> None:
    text = dump_yaml(document)
    assert load_text(text).document == document
    assert dump_yaml(load_text(text).document) == text


@given(documents)
@settings(max_examples=examples(100), suppress_health_check=SLOW)
def test_json_round_trip_preserves_the_document(document: Document) -> None:
    text = dump_json(document)
    assert load_text(text).document == document
    assert json.loads(text) == to_data(document)


@pytest.mark.parametrize(
    "word",
    ["no", "5", "1e5", "1e+20", "1.5", "true", "null", "~", "1:30", "$a", "$$a", "2026-11-21"],
)
def test_string_that_looks_like_another_type_stays_a_string(word: str) -> None:
    root = {"do": "look", "with": {"camera": word}}
    document = TreeSpec.model_validate({"tree": "t", "root": root})
    for text in (dump_yaml(document), dump_json(document)):
        assert read_text(text).data["root"]["with"]["camera"] == word


@pytest.mark.parametrize("number", [1e20, 1e-7, 1.5, -0.0, 1e16, 5.0, 123456789.123456789])
def test_float_is_unchanged_by_a_round_trip(number: float) -> None:
    root = {"do": "look", "with": {"n": number}}
    document = TreeSpec.model_validate({"tree": "t", "root": root})
    for text in (dump_yaml(document), dump_json(document)):
        found = read_text(text).data["root"]["with"]["n"]
        assert (repr(found), type(found)) == (repr(number), float)
    assert NUMBER.match("1e5")


def test_node_fields_are_ordered_and_defaults_omitted() -> None:
    document, _ = load_text(
        "tree: t\nroot:\n  retry: 2\n  timeout: 1.5min\n  skip_if: lit\n  with: {b: 1}\n"
        "  do: look\n  name: now\n"
    )
    assert dump_yaml(document) == (
        "tree: t\nroot:\n  name: now\n  do: look\n  with:\n    b: 1\n  skip_if: lit\n  retry: 2\n"
        "  timeout: 90s\n"
    )


def test_mission_header_is_complete() -> None:
    document = MissionSpec.model_validate(
        {"mission": {"command": "문을 열어"}, "root": {"check": {"not": "lit"}}}
    )
    assert dump_yaml(document) == (
        "mission:\n  command: 문을 열어\n  language: en\n  plan_version: 1\n  compiler: ''\n"
        "  subgoals: []\n  kept: []\n  notes: []\nroot:\n  check:\n    not: lit\n"
    )


@pytest.mark.parametrize("path", sorted((DATA / "workshop").glob("*.yaml")), ids=lambda p: p.stem)
def test_document_in_a_file_round_trips(path) -> None:
    document, _ = load_text(path.read_text())
    assert load_text(dump_yaml(document)).document == document


@pytest.mark.parametrize(
    ("written", "dumped"),
    [
        ("lit", "lit"),
        ("{lit: {}}", "lit"),
        ("{lit: , else: DARK}", {"lit": {}, "else": "DARK"}),
        ("{else: DARK, not: lit}", {"not": "lit", "else": "DARK"}),
        ("{lid_is: {state: open}, else: SHUT}", {"lid_is": {"state": "open"}, "else": "SHUT"}),
    ],
)
def test_guard_and_its_code_round_trip(written: str, dumped: object) -> None:
    document = load_text(f"tree: t\nroot: {{do: look, while: {written}}}").document
    data = to_data(document)["root"]["while"]
    assert data == dumped
    assert list(data) == list(dumped)  # type: ignore[call-overload]
