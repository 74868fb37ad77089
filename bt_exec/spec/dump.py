"""Serialization of specs as YAML or JSON; loading the text returns an equal spec."""

from __future__ import annotations

import json
import re
from typing import Any

import yaml

from bt_exec.spec.model import KINDS, Document
from bt_exec.spec.yaml_source import NUMBER

__all__ = ["dump_json", "dump_yaml", "to_data"]

_FIRST = ("after", "name", *KINDS, "succeed_when", "else", "tell", "with", "save")
_GUARDS = ("while", "until")
_BASE: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
_ESCAPED = re.compile("[\x85\u2028\u2029\ufeff]")
"""Characters that JSON leaves unescaped and YAML treats as line breaks or a byte order mark."""


class _Dumper(_BASE):  # type: ignore[misc]
    """YAML dumper that quotes strings which `bt_exec.spec.yaml_source` would parse as numbers."""


_Dumper.add_implicit_resolver("tag:yaml.org,2002:float", NUMBER, list("-+0123456789"))


def to_data(document: Document) -> dict[str, Any]:
    """Return a document as plain data without default values; in nodes, the kind comes first."""
    data = document.model_dump(by_alias=True, exclude_defaults=True, mode="json")
    if "mission" in data:  # the header keeps its default values
        data["mission"] = document.mission.model_dump(  # type: ignore[union-attr]
            by_alias=True, exclude_none=True, mode="json"
        )
    ordered: dict[str, Any] = _with_kind_first(data)
    return ordered


def dump_yaml(document: Document) -> str:
    """Return a document as YAML; `bt_exec.spec.load.load_text` is the inverse."""
    text: str = yaml.dump(
        to_data(document),
        Dumper=_Dumper,
        sort_keys=False,
        allow_unicode=True,
        width=100,
        default_flow_style=False,
    )
    return text


def dump_json(document: Document) -> str:
    """Return a document as indented JSON, which can be loaded like YAML."""
    text = json.dumps(to_data(document), ensure_ascii=False, indent=2)
    return _ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _with_kind_first(value: Any) -> Any:
    """Return plain data with the kind of each node and its own fields before the modifiers."""
    if isinstance(value, list):
        return [_with_kind_first(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "tree" in value and "root" in value:
        return {key: _with_kind_first(item) for key, item in value.items()}
    first = [key for key in _FIRST if key in value]
    ordered = (*first, *(key for key in value if key not in first))
    # the condition of a guard comes before its other fields
    return {key: value[key] if key in _GUARDS else _with_kind_first(value[key]) for key in ordered}
