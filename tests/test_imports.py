"""Imports between modules are acyclic, including those used only in annotations."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import networkx
import pytest

ROOT = Path(__file__).parents[1]
SOURCES = {
    "bt_exec": ".",
    "bt_exec_skills": "skills",
    "bt_exec_llm": "llm",
    "bt_exec_labeler": "labeler",
}


def modules(package: str, folder: str) -> dict[str, Path]:
    """Return the files of a package by the names of their modules."""
    found = {}
    for file in (ROOT / folder / package).rglob("*.py"):
        parts = file.relative_to(ROOT / folder).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return found


def imported(node: ast.AST) -> Iterator[str]:
    """Yield the names that a module imports when it is loaded, or for its annotations."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if isinstance(child, ast.ImportFrom) and child.module:
            yield from (f"{child.module}.{name.name}" for name in child.names)
        yield from imported(child)


@pytest.mark.parametrize("package", SOURCES)
def test_imports_between_modules_are_acyclic(package: str) -> None:
    files = modules(package, SOURCES[package])
    graph = networkx.DiGraph()
    for name, file in files.items():
        for found in imported(ast.parse(file.read_text(encoding="utf-8"))):
            target = found if found in files else found.rpartition(".")[0]
            if target in files and target != name:
                graph.add_edge(name, target)
    assert graph
    circles = [sorted(one) for one in networkx.strongly_connected_components(graph) if len(one) > 1]
    assert circles == []
