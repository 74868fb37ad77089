"""Lines that tell editors the schema of a file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from bt_exec.scaffold.schema_lines import with_schema_line, write_schemas
from bt_exec.site.shipped_data import data_path
from bt_exec.site.site import load_site
from bt_exec.spec.shipped_yaml import read_yaml

TREE = "tree: rest\nroot:\n  do: return_home\n"


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with schemas of the door site."""
    folder = tmp_path_factory.mktemp("lab")
    write_schemas(load_site("door"), folder / "schema")
    return folder


@pytest.mark.parametrize(
    ("text", "name", "schema"),
    [
        (TREE, "rest.yaml", "schema/tree.schema.json"),
        (TREE, "trees/deep/rest.yaml", "../../schema/tree.schema.json"),
        ("site: lab\npacks: {door: {}}\n", "lab.yaml", "schema/site.schema.json"),
        ("nouns: {}\n", "words.yaml", "schema/lexicon.schema.json"),
        ("phrases: {}\n", "messages.yaml", "schema/messages.schema.json"),
    ],
)
def test_line_names_the_schema_of_the_file(lab: Path, text: str, name: str, schema: str) -> None:
    found = with_schema_line(text, lab / name)
    assert found == f"# yaml-language-server: $schema={schema}\n{text}"
    assert ((lab / name).parent / schema).resolve().is_file() or "deep" in name
    assert with_schema_line(found, lab / name) == found


def test_schema_line_is_omitted_without_schemas(lab: Path, tmp_path: Path) -> None:
    assert with_schema_line(TREE, tmp_path / "rest.yaml") == TREE
    assert with_schema_line("jobs: {}\n", lab / "ci.yaml") == "jobs: {}\n"
    (lab / "other" / ".git").mkdir(parents=True, exist_ok=True)
    assert with_schema_line(TREE, lab / "other" / "rest.yaml") == TREE


def test_written_schemas_accept_shipped_files(lab: Path) -> None:
    schemas = {
        kind: json.loads((lab / "schema" / f"{kind}.schema.json").read_text("utf-8"))
        for kind in ("tree", "site", "lexicon", "messages")
    }
    files = {"tree": data_path("trees", "door").glob("*.yaml")}
    files["site"] = data_path("configs", "sites").glob("*.yaml")
    files["lexicon"] = data_path("configs", "lexicon").glob("door.yaml")
    for kind, paths in files.items():
        for path in paths:
            errors = Draft202012Validator(schemas[kind]).iter_errors(read_yaml(path))
            assert [error.message for error in errors] == [], path
    bad = Draft202012Validator(schemas["tree"]).iter_errors({"tree": "t", "root": {"do": "graps"}})
    assert list(bad)
