"""The JSON Schema of a plan for servers that enforce one: flat, closed, with the site's names."""

from __future__ import annotations

from typing import Any

from bt_exec.pack import Catalogue
from bt_exec.spec.library import Library
from bt_exec.spec.model import KINDS

__all__ = ["schema"]


def schema(catalogue: Catalogue, library: Library) -> dict[str, Any]:
    """Return the JSON Schema of a flat plan: every name is one that the site knows."""
    value = {"anyOf": [{"type": "string"}, {"type": "number"}, {"type": "boolean"}]}
    args = _list({"name": {"type": "string"}, "value": value}, "arguments by name")
    conditions = _list(
        {
            "condition": {"type": "string", "enum": sorted(catalogue.conditions)},
            "with": args,
            "holds": {"type": "boolean", "description": "false: the condition must not hold"},
        },
        "all must hold",
    )
    runs = sorted({*catalogue.skills, *library.names()})
    node = {
        "id": {"type": "string", "description": "n1, n2, …"},
        "kind": {"type": "string", "enum": list(KINDS)},
        "runs": {"type": "string", "enum": runs, "description": "skill of do, tree of tree"},
        "with": args,
        "asks": {**conditions, "description": "of check; all must hold"},
        "else": {"type": "string", "description": "of check: the reason code if it fails"},
        "tell": {"type": "boolean", "description": "of check: the answer is what is wanted"},
        "children": {"type": "array", "items": {"type": "string"}, "description": "ids in order"},
        "skip_if": conditions,
        "while": conditions,
        "retry": {"type": "integer"},
        "timeout": {"type": "string", "description": "20s"},
    }
    fact = {"fact": {"type": "string"}, "value": {"type": "string"}}
    plan = {
        "explanation": {"type": "string", "description": "one line"},
        "cannot": {"type": "string", "description": "why there is no plan; else empty"},
        "assumes": _list(fact, "facts that the plan builds on"),
        "subgoals": {"type": "array", "items": {"type": "string"}},
        "nodes": {
            "type": "array",
            "items": _closed(node, ["id", "kind"]),
            "description": "the first is the root",
        },
    }
    return _closed(plan, list(plan))


def _closed(fields: dict[str, Any], required: list[str]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": fields,
        "required": required,
        "additionalProperties": False,
    }


def _list(fields: dict[str, Any], description: str) -> dict[str, Any]:
    return {"type": "array", "items": _closed(fields, list(fields)), "description": description}
