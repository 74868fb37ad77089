"""JSON Schemas of plans, for servers that enforce a schema.

Plans are flat, and only the names of the site are allowed. If the site is small enough, every skill
and every tree is a branch of a union with its own arguments, so that a server that enforces the
schema cannot produce unknown arguments.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bt_exec.pack import Catalogue
from bt_exec.spec.library import Library
from bt_exec.spec.model import KINDS
from bt_exec_llm.model_compiler.spelling_correction import fixed_values

__all__ = ["plan_schema", "tree_list_schema"]

MOST_BRANCHES = 40
"""Maximum number of branches of a union, because servers reject larger unions.

On larger sites, the schema does not restrict arguments; they are checked in the answer.
"""
_ARGS = {"anyOf": [{"type": "string"}, {"type": "number"}, {"type": "boolean"}]}


def plan_schema(catalogue: Catalogue, library: Library) -> dict[str, Any]:
    """Return the JSON Schema of a flat plan, with the names of the site."""
    fact = {"fact": {"type": "string"}, "value": {"type": "string"}}
    plan = {
        "explanation": {"type": "string", "description": "one line"},
        "cannot": {"type": "string", "description": "why there is no plan; else empty"},
        "assumes": _array_schema(fact, "facts that the plan builds on"),
        "subgoals": {"type": "array", "items": {"type": "string"}},
        "nodes": {
            "type": "array",
            "items": _node(catalogue, library),
            "description": "the first is the root",
        },
    }
    return _closed_object(plan, list(plan))


def tree_list_schema(catalogue: Catalogue, library: Library) -> dict[str, Any]:
    """Return the JSON Schema of a plan that is a list of trees with their arguments."""
    steps = [
        _closed_object({"tree": {"type": "string", "enum": [name]}, "with": args}, ["tree", "with"])
        for name, args in _trees(catalogue, library)
    ]
    plan = {
        "cannot": {"type": "string", "description": "why there is no plan; else empty"},
        "steps": {"type": "array", "items": {"anyOf": steps} if len(steps) > 1 else steps[0]},
    }
    return _closed_object(plan, list(plan))


def _node(catalogue: Catalogue, library: Library) -> dict[str, Any]:
    conditions = _conditions(catalogue)
    fields = {
        "id": {"type": "string", "description": "n1, n2, …"},
        "kind": {"type": "string", "enum": list(KINDS)},
        "step": _step_schema(catalogue, library),
        "asks": {**conditions, "description": "of check; all must hold"},
        "else": {"type": "string", "description": "of check: the reason code if it fails"},
        "tell": {"type": "boolean", "description": "of check: the answer is what is wanted"},
        "children": {"type": "array", "items": {"type": "string"}, "description": "ids in order"},
        "skip_if": conditions,
        "while": conditions,
        "while_else": {"type": "string", "description": "the reason code if while breaks"},
        "retry": {"type": "integer"},
        "timeout": {"type": "string", "description": "20s"},
    }
    return _closed_object(fields, ["id", "kind"])


def _step_schema(catalogue: Catalogue, library: Library) -> dict[str, Any]:
    """Return the schema of a step, with a branch for each skill and each tree if there are few."""
    about = "of do and tree: what it runs"
    runs = [*_skills(catalogue), *_trees(catalogue, library)]
    if len(runs) > MOST_BRANCHES:
        names = {"type": "string", "enum": sorted(name for name, _ in runs)}
        pairs = _array_schema({"name": {"type": "string"}, "value": _ARGS}, "arguments by name")
        return {
            **_closed_object({"runs": names, "with": pairs}, ["runs", "with"]),
            "description": about,
        }
    branches = [
        _closed_object({"runs": _constant_schema(name), "with": w}, ["runs", "with"])
        for name, w in runs
    ]
    return {"anyOf": branches, "description": about}


def _skills(catalogue: Catalogue) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, skill in catalogue.skills.items():
        fields = {arg: _value_schema(hint) for arg, hint in skill.arguments.items()}
        yield name, _closed_object(fields, [arg for arg in fields if arg in skill.required])


def _trees(catalogue: Catalogue, library: Library) -> Iterator[tuple[str, dict[str, Any]]]:
    for tree in library:
        fields = {
            key: _value_schema(p.value_type(catalogue.types)) for key, p in tree.params.items()
        }
        needed = [key for key, param in tree.params.items() if param.required]
        yield tree.tree, _closed_object(fields, needed)


def _value_schema(hint: Any) -> dict[str, Any]:
    """Return the schema of an argument: its choices, or its plain type."""
    if words := fixed_values(hint):
        return {"type": "string", "enum": list(words)}
    plain = {bool: "boolean", int: "integer", float: "number"}
    return {"type": plain.get(hint, "string")}


def _conditions(catalogue: Catalogue) -> dict[str, Any]:
    pairs = _array_schema({"name": {"type": "string"}, "value": _ARGS}, "arguments by name")
    fields = {
        "condition": {"type": "string", "enum": sorted(catalogue.conditions)},
        "with": pairs,
        "holds": {"type": "boolean", "description": "false: the condition must not hold"},
    }
    return _array_schema(fields, "all must hold")


def _constant_schema(word: str) -> dict[str, Any]:
    return {"type": "string", "enum": [word]}


def _closed_object(fields: dict[str, Any], required: list[str]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": fields,
        "required": required,
        "additionalProperties": False,
    }


def _array_schema(fields: dict[str, Any], description: str) -> dict[str, Any]:
    return {
        "type": "array",
        "items": _closed_object(fields, list(fields)),
        "description": description,
    }
