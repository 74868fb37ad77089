"""Schema of site files: up to date, and consistent with loading."""

from __future__ import annotations

import json

import pytest
from jsonschema import Draft202012Validator

from bt_exec import SpecError, load_site
from bt_exec.pack import find_pack
from bt_exec.site.shipped_data import data_path, site_names
from bt_exec.site.site_schema import site_schema
from bt_exec.spec.shipped_yaml import parse_yaml

PACKS = ("door", "image", "reporter", "tabletop")
COMPILERS = ("claude", "offline", "questions", "recalled", "replay", "table", "turns")


@pytest.fixture(scope="module")
def schema():
    return site_schema(map(find_pack, PACKS), COMPILERS)


def mistakes(schema, text):
    data = parse_yaml(text)
    return [error.message for error in Draft202012Validator(schema).iter_errors(data)]


def test_shipped_schema_is_up_to_date(schema):
    """Create it again with ``bt-exec schema --sites > configs/schema/site.schema.json``."""
    shipped = data_path("configs", "schema", "site.schema.json").read_text("utf-8")
    assert json.loads(shipped) == schema


def test_every_shipped_site_is_accepted(schema):
    assert site_names()
    for name in site_names():
        text = data_path("configs", "sites", f"{name}.yaml").read_text("utf-8")
        assert mistakes(schema, text) == []


@pytest.mark.parametrize(
    ("packs", "problem"),
    [
        (
            "{door: {robot: sim, batery: 20}}",
            "UNKNOWN_FIELD 2:28: pack door has no setting 'batery'",
        ),
        ("{door: {material_arm: middle}}", "BAD_VALUE 2:30: must be 'left' or 'right'"),
        ("{door: {robot: smi}}", "UNKNOWN_ROBOT 2:23: there is no robot 'smi'"),
        ("{reporter: {speaker: radio}}", "BAD_VALUE 2:29: must be 'scripted' or 'terminal'"),
    ],
)
def test_problem_of_a_site_file_is_reported_with_its_position(schema, packs, problem, tmp_path):
    file = tmp_path / "mine.yaml"
    file.write_text(f"site: mine\npacks: {packs}\n")
    assert mistakes(schema, file.read_text()) != []
    with pytest.raises(SpecError) as error:
        load_site(str(file))
    (found,) = error.value.problems
    assert f"{found.code} {found.line}:{found.column}: {found.message}" == problem


def test_unknown_setting_error_lists_the_nearest_first(tmp_path):
    file = tmp_path / "mine.yaml"
    file.write_text("site: mine\npacks: {door: {detectr: oracle}}\n")
    with pytest.raises(SpecError) as error:
        load_site(str(file))
    assert error.value.problems[0].allowed[0] == "detector"
