"""JSON Schema of trees: accepted and refused files."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from jsonschema import Draft202012Validator

from bt_exec.failure import SpecError, UnknownName, UsageError
from bt_exec.pack import Catalogue, Pack, find_pack
from bt_exec.site.shipped_data import data_path
from bt_exec.site.tree_schema import FIELDS, tree_schema
from bt_exec.spec.dump import to_data
from bt_exec.spec.expand import expand
from bt_exec.spec.library import Library
from bt_exec.spec.model import (
    Alternative,
    Check,
    Do,
    Fallback,
    MissionSpec,
    NodeBase,
    Parallel,
    Param,
    Sequence,
    Tree,
    TreeSpec,
)
from bt_exec.spec.yaml_source import read_file
from tests.bt_exec.spec.strategies import workshop_missions
from tests.bt_exec.spec.test_malformed import EXPECTED, FILES
from tests.bt_exec.spec.workshop import DATA, catalogue, library

SCHEMA = tree_schema(catalogue(), library())
VALIDATOR = Draft202012Validator(SCHEMA)


def mistakes(data: Any) -> list[str]:
    return [error.message for error in VALIDATOR.iter_errors(data)]


def test_schema_is_a_valid_json_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    Draft202012Validator.check_schema(tree_schema(Catalogue([])))
    json.dumps(SCHEMA)


@pytest.mark.parametrize(
    "path",
    [
        *sorted((DATA / "workshop").glob("*.yaml")),
        *(path for name, path in sorted(FILES.items()) if name.startswith("fine_")),
    ],
    ids=lambda path: path.stem,
)
def test_valid_files_are_accepted(path: Any) -> None:
    assert mistakes(read_file(path).data) == []


@given(workshop_missions)
@settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow])
def test_valid_missions_are_accepted_before_and_after_expansion(spec: MissionSpec) -> None:
    assert mistakes(to_data(spec)) == []
    assert mistakes(to_data(expand(spec, library()))) == []


BEYOND = {
    "UNBOUND",
    "MAY_BE_ABSENT",
    "NAME_SHADOWED",
    "TOO_MANY_ITEMS",
    "BAD_TEMPLATE",
    "TREE_CYCLE",
    "UNKNOWN_TREE",  # trees are added and removed with files; an editor completes known ones
    "SAVED_TWICE",
    "SKIPPED_SAVE",
    "ELSE_WITH_TELL",
    "TOO_MANY_NEEDED",
    "CLAIMED_TWICE",
    "TOO_LONG_RUNNING",
    "TOO_DEEP",
}
"""Codes of problems that a schema cannot express."""

NOT_SEEN = {
    "parameter_of_a_wrong_type",  # meaning of a name
    "reference_in_a_list_of_a_wrong_type",
    "reference_of_a_wrong_type",
    "list_item_of_a_wrong_type",  # lists may contain references
    "unknown_result_of_a_tree",
    "returns_no_reference",
    "way_loses_a_result",  # parameters and results of other trees
    "way_misses_an_argument",
    "way_passes_on_a_wrong_type",
    "unknown_argument_of_a_way",
    "wrong_argument_of_a_way",
    "timeout_two_days",  # a bound of a number inside a text
    "timeout_zero",
    "fine_yaml_directive",
    "param_min_above_max",
    "param_bound_on_a_choice",
    "param_fraction_as_bound_of_an_integer",
    "param_default_out_of_bounds",
    "param_optional_with_default",
    "compared_with_another_type",
    "option_of_another_type",
    "for_each_without_a_list",
    "for_each_two_names",
    "for_each_item_of_another_type",
}


def _readable(name: str) -> Any:
    try:
        return read_file(FILES[name]).data
    except SpecError:
        return None


@pytest.mark.parametrize(
    "name",
    [
        name
        for name, expected in EXPECTED.items()
        if {line.split()[1] for line in expected} - BEYOND and _readable(name) is not None
    ],
)
def test_invalid_files_are_refused(name: str) -> None:
    assert bool(mistakes(_readable(name))) != (name in NOT_SEEN)


def test_names_have_descriptions_for_completion() -> None:
    do = SCHEMA["$defs"]["Do"]
    assert {"const": "take", "description": "Take a thing."} in do["properties"]["do"]["anyOf"]
    rule = next(r for r in do["allOf"] if r["if"]["properties"]["do"]["const"] == "take")
    assert rule["then"]["required"] == ["with"]
    assert rule["then"]["properties"]["with"]["properties"] == {
        "arm": {
            "anyOf": [
                {"enum": ["left", "right"], "type": "string"},
                {"$ref": "#/$defs/reference"},
            ],
            "description": "The arm that takes it.",
        },
        "thing": {
            "anyOf": [
                {"enum": ["cup", "lid", "box"], "type": "string"},
                {"$ref": "#/$defs/reference"},
            ],
            "description": "What is taken.",
            "default": "cup",
        },
    }
    assert list(rule["then"]["properties"]["save"]["properties"]) == ["grip"]
    put = next(r for r in do["allOf"] if r["if"]["properties"]["do"]["const"] == "put")
    force = put["then"]["properties"]["with"]["properties"]["force_n"]
    assert force["description"] == "How hard [N]."
    assert force["default"] == 5.0


def test_conditions_and_trees_are_completed() -> None:
    names, written = SCHEMA["$defs"]["condition"]["anyOf"][:-1], SCHEMA["$defs"]["condition"]
    assert [name["const"] for name in names] == ["lit", "hand_empty"]
    assert set(written["anyOf"][-1]["properties"]) == {
        *("not", "all", "any"),
        *("lid_is", "lit", "hand_empty", "near"),
        *("is", "one_of", "at_least", "at_most"),
    }
    trees = SCHEMA["$defs"]["Tree"]["properties"]["tree"]["anyOf"]
    assert {"const": "open_up", "description": "Open the lid."} in trees


def test_every_field_of_the_language_has_a_description() -> None:
    models: tuple[type[NodeBase] | type[TreeSpec] | type[Param] | type[Alternative], ...] = (
        *(Do, Check, Tree, Sequence, Fallback, Parallel),
        *(TreeSpec, Param, Alternative),
    )
    fields = {
        info.alias or name for model in models for name, info in model.model_fields.items()
    } | set(MissionSpec.model_fields)
    assert fields == set(FIELDS)


def _pack(name: str) -> Pack:
    try:
        return find_pack(name)
    except (UnknownName, UsageError) as error:  # pragma: no cover - the pack is not installed
        pytest.skip(str(error))


@pytest.mark.parametrize("name", ["door", "tabletop"])
def test_shipped_schema_is_up_to_date(name: str) -> None:
    """Create it again with ``bt-exec schema --site NAME > configs/schema/NAME.schema.json``."""
    pack = _pack(name)
    assert pack.trees is not None
    trees = Library.load([pack.trees])
    shipped = json.loads(data_path("configs", "schema", f"{name}.schema.json").read_text("utf-8"))
    assert shipped == tree_schema(Catalogue([pack]), trees)
    validator = Draft202012Validator(shipped)
    for tree in trees.names():
        assert [error.message for error in validator.iter_errors(trees.source(tree).data)] == []
