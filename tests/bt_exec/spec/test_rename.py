"""Renaming of skills, conditions and types in a tree."""

from __future__ import annotations

import pytest

from bt_exec.spec.library import with_renamed_parts
from bt_exec.spec.load import load_text

WRITTEN = """
tree: near
params: {near: {type: near, default: near}}
otherwise: [{on: [NEAR], tree: near}]
root:
  sequence:
    - {do: near, with: {near: near}, skip_if: near}
    - {do: near, while: {near: {}, else: NEAR}}
    - {check: {all: [near, {any: [{near: {near: near}}, {not: near}]}]}, else: NEAR}
    - {fallback: [{do: near}, {check: near}], skip_if: {not: near}}
    - {sequence: [{tree: near}], while: {any: [near, near]}}
"""

RENAMED = """
tree: near
params: {near: {type: door.near, default: near}}
otherwise: [{on: [NEAR], tree: near}]
root:
  sequence:
    - {do: door.near, with: {near: near}, skip_if: door.near}
    - {do: door.near, while: {door.near: {}, else: NEAR}}
    - {check: {all: [door.near, {any: [{door.near: {near: near}}, {not: door.near}]}]}, else: NEAR}
    - {fallback: [{do: door.near}, {check: door.near}], skip_if: {not: door.near}}
    - {sequence: [{tree: near}], while: {any: [door.near, door.near]}}
"""


def test_only_names_of_skills_conditions_and_types_are_renamed() -> None:
    tree, wanted = (load_text(text).document for text in (WRITTEN, RENAMED))
    assert with_renamed_parts(tree, lambda name: f"door.{name}") == wanted
    assert with_renamed_parts(wanted, lambda name: name.removeprefix("door.")) == tree


@pytest.mark.parametrize("text", [WRITTEN, RENAMED], ids=["plain", "with a pack"])
def test_original_tree_is_not_changed(text: str) -> None:
    tree = load_text(text).document
    with_renamed_parts(tree, str.upper)
    assert tree == load_text(text).document
