"""Specs back into YAML or JSON text: what is loaded from it equals what was dumped."""

from __future__ import annotations

import json
from typing import Any

import yaml

from bt_exec.spec.model import KINDS, Document

__all__ = ["dump_json", "dump_yaml", "to_data"]

_FIRST = ("name", *KINDS, "succeed_when", "else", "tell", "with", "save")
_DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


def to_data(document: Document) -> dict[str, Any]:
    """Return a document as plain data: only what differs from the defaults, kinds first."""
    data = document.model_dump(by_alias=True, exclude_defaults=True, mode="json")
    if "mission" in data:  # the header is the first thing people look for, whole
        data["mission"] = document.mission.model_dump(  # type: ignore[union-attr]
            by_alias=True, exclude_none=True, mode="json"
        )
    ordered: dict[str, Any] = _order(data)
    return ordered


def dump_yaml(document: Document) -> str:
    """Return a document as YAML; `bt_exec.spec.load.load_text` gives the same document back."""
    text: str = yaml.dump(
        to_data(document),
        Dumper=_DUMPER,
        sort_keys=False,
        allow_unicode=True,
        width=100,
        default_flow_style=False,
    )
    return text


def dump_json(document: Document) -> str:
    """Return a document as JSON, indented; it loads like YAML."""
    return json.dumps(to_data(document), ensure_ascii=False, indent=2)


def _order(value: Any) -> Any:
    """Put the kind and its fields before the modifiers of every node."""
    if isinstance(value, list):
        return [_order(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "tree" in value and "root" in value:
        return {key: _order(item) for key, item in value.items()}
    first = [key for key in _FIRST if key in value]
    return {key: _order(value[key]) for key in (*first, *(k for k in value if k not in first))}
