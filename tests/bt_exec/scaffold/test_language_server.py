"""Written schemas in an editor, with the real YAML language server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bt_exec.pack import find_pack
from bt_exec.scaffold.schema_lines import with_schema_line, write_schemas
from bt_exec.site.shipped_data import data_path
from bt_exec.site.site import load_site
from tests.bt_exec.scaffold.language_server import PROGRAM, LanguageServer

pytestmark = pytest.mark.skipif(
    PROGRAM is None,
    reason="no YAML language server: npm install --prefix build/npm yaml-language-server@1.20.0",
)

TREE = "tree: t\nroot:\n  sequence:\n    - do: {}\n      {}\n"
WRONG = {
    "skill.yaml": (TREE.format("graps", "retry: 2"), (5, 11, '"grasp"')),
    "count.yaml": (TREE.format("return_home", "retry: twice"), (6, 14, '"integer"')),
    "field.yaml": (TREE.format("return_home", "retries: 2"), (6, 7, "retries is not allowed")),
    "site.yaml": ("site: lab\npacks: {door: {robot: simm}}\n", (3, 23, '"sim"')),
    "words.yaml": ("nouns: {cup: {ko: [3]}}\n", (2, 20, '"string"')),
    "messages.yaml": ("phrases: {}\nSTUCK: {en: 3, ko: 끼임}\n", (3, 13, '"string"')),
}
"""Files with one mistake each, and its place below the schema line and a part of its message."""


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the schemas of the door site."""
    folder = tmp_path_factory.mktemp("lab")
    write_schemas(load_site("door"), folder / "schema")
    return folder


@pytest.fixture(scope="module")
def server(lab: Path) -> Iterator[LanguageServer]:
    with LanguageServer(lab) as server:
        yield server


def write(file: Path, text: str) -> Path:
    """Write a file with the line for its schema."""
    lined = with_schema_line(text, file)
    assert lined.startswith("# yaml-language-server: $schema=schema/")
    file.write_text(lined, encoding="utf-8")
    return file


def test_shipped_files_have_no_problems(lab: Path, server: LanguageServer) -> None:
    messages = find_pack("door").messages
    assert messages is not None
    shipped = [*data_path("trees", "door").glob("*.yaml"), messages]
    for kind in ("sites", "lexicon"):
        shipped += data_path("configs", kind).glob("*.yaml")
    files = [
        write(lab / f"{number}.yaml", path.read_text(encoding="utf-8"))
        for number, path in enumerate(shipped)
    ]
    assert len(files) > 20
    found = server.diagnostics(files)
    assert {path.name: problems for path, problems in found.items() if problems} == {}


def test_editor_marks_mistakes_at_their_position(lab: Path, server: LanguageServer) -> None:
    found = server.diagnostics([write(lab / name, text) for name, (text, _) in WRONG.items()])
    for name, (_, (line, column, part)) in WRONG.items():
        (problem,) = found[lab / name]
        assert problem[:2] == (line, column), (name, problem)
        assert part in problem[2], name


def test_editor_completion_proposes_skills(lab: Path, server: LanguageServer) -> None:
    file = write(lab / "begun.yaml", "tree: t\nroot:\n  do: \n")
    server.diagnostics([file])
    assert {"open_door", "grasp", "wait"} <= server.completions(file, 4, 7)
