"""Helpers of the layer tests: problems of a tree or a mission as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bt_exec.failure import Problem
from bt_exec.spec.expand import expand
from bt_exec.spec.load import load_text
from bt_exec.spec.model import MissionSpec
from bt_exec.verify import verify_document, verify_mission
from tests.bt_exec.spec.workshop import catalogue, library

CATALOGUE, LIBRARY = catalogue(), library()


def of_tree(text: str) -> list[str]:
    """Return ``line:column CODE`` of every problem of a tree."""
    document, source = load_text(text)
    return [spot(problem) for problem in verify_document(document, CATALOGUE, LIBRARY, source)]


def of_mission(
    root: Any,
    *,
    labels: tuple[str, ...] | None = None,
    facts: Mapping[str, str] | None = None,
    kept: tuple[str, ...] = (),
) -> list[str]:
    """Return ``CODE place: message`` of every problem of an expanded mission."""
    header = {"command": "go", "kept": list(kept)}
    spec = expand(MissionSpec.model_validate({"mission": header, "root": root}), LIBRARY)
    found = verify_mission(spec, CATALOGUE, labels=labels, facts=facts)
    return [f"{problem.code} {problem.place}: {problem.message}" for problem in found]


def spot(problem: Problem) -> str:
    return f"{problem.line}:{problem.column} {problem.code}"
