"""Correction of unambiguous misspellings in a plan before it is checked.

Three kinds are corrected, each with a note: wrong case and separators (``OpenDoor``, ``Right``),
other words for the kinds of nodes (``selector``), and nodes with a ``type`` (``{type: sequence,
children: […]}``). A name that is only similar to a known name is not changed; it is reported to the
model.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Literal, get_args, get_origin

from bt_exec.planning.compiler import Request
from bt_exec.skill import Signature
from bt_exec.spec.model import KINDS, Check, walk
from bt_exec.spec.modifier_table import MODIFIERS

__all__ = ["corrected_plan", "fixed_values"]

_KINDS = {
    **{kind: kind for kind in KINDS},
    "seq": "sequence",
    "selector": "fallback",
    "priority": "fallback",
    "action": "do",
    "skill": "do",
    "condition": "check",
    "subtree": "tree",
}
_FIELDS = ("with", "save", "else", "tell", "name", *(one.name for one in MODIFIERS))
_KEYS = {
    **{key: key for key in (*_FIELDS, "succeed_when")},
    "args": "with",
    "params": "with",
    "parameters": "with",
    "arguments": "with",
}
_MOST_DEPTH = 60
_CODE = re.compile("[A-Z][A-Z0-9_]*")


def corrected_plan(root: Any, request: Request) -> tuple[Any, tuple[str, ...]]:
    """Return the plain data of a plan with corrected spelling, and a note for each change."""
    tidy = _Tidy(request)
    return tidy.corrected_node(root, 0), tuple(dict.fromkeys(tidy.notes))


def fixed_values(hint: Any) -> tuple[str, ...]:
    """Return the values of a type with a fixed set of values; empty for other types."""
    while hint is not None and hasattr(hint, "__metadata__"):
        hint = get_args(hint)[0]
    words = get_args(hint) if get_origin(hint) is Literal else ()
    return tuple(word for word in words if isinstance(word, str))


def site_failure_codes(request: Request) -> frozenset[str]:
    """Return the failure codes that are possible on this site."""
    checks = (node for tree in request.library for node in walk(tree.root, Check))
    return frozenset(
        {
            *(node.code for node in checks if node.code),
            *(code for skill in request.catalogue.skills.values() for code in skill.fails),
            *(condition.unknown for condition in request.catalogue.conditions.values()),
        }
    )


class _Tidy:
    def __init__(self, request: Request) -> None:
        catalogue = request.catalogue
        self.skills: Mapping[str, Signature] = catalogue.skills
        self.conditions: Mapping[str, Signature] = catalogue.conditions
        self.trees = request.library.names()
        self.codes = site_failure_codes(request)
        self.notes: list[str] = []

    def corrected_node(self, node: Any, depth: int) -> Any:
        if not isinstance(node, dict) or depth > _MOST_DEPTH:
            return node
        found: dict[str, Any] = {}
        for key, value in self._as_node(node).items():
            name = self._corrected_key(key)
            name = key if name in found else name
            if name in ("sequence", "fallback", "parallel") and isinstance(value, list):
                value = [self.corrected_node(child, depth + 1) for child in value]
            found[name] = value
        for kind, known in (("do", self.skills), ("tree", self.trees)):
            if isinstance(found.get(kind), str):
                found[kind] = self._name(found[kind], known)
        if not found.get("tell") and self._is_invented(found.get("else")):
            del found["else"]
        signature = self.skills.get(str(found.get("do")))
        if signature is not None and isinstance(found.get("with"), dict):
            found["with"] = self._corrected_arguments(found["with"], signature)
        for key in ("check", "skip_if", "while", "until"):
            if key in found:
                found[key] = self._condition(found[key], depth)
        return found

    def _is_invented(self, code: Any) -> bool:
        """Return True, and add a note, if a failure code is unknown on the site."""
        if not isinstance(code, str) or code in self.codes or not _CODE.fullmatch(code):
            return False
        self.notes.append(f"'else: {code[:40]}' was left out: unknown code")
        return True

    def _as_node(self, node: dict[str, Any]) -> dict[str, Any]:
        """Convert ``{type: do, runs: grasp}`` and ``{type: sequence, children: []}`` to nodes."""
        if any(_normal_name(key) in _KINDS for key in node):
            return node
        word = next((node[key] for key in ("type", "kind", "node") if key in node), None)
        kind = _KINDS.get(_normal_name(word)) if isinstance(word, str) else None
        if kind is None:
            return node
        inner = ("children", "nodes") if kind in ("sequence", "fallback", "parallel") else ()
        keys = (*inner, "runs", "skill", "action", "condition", "tree", "id", "name")
        value = next((key for key in keys if key in node), None)
        if value is None:
            return node
        self.notes.append(f"'type: {word}' was read as the kind {kind!r}")
        rest = {k: v for k, v in node.items() if k not in ("type", "kind", "node", value)}
        return {kind: node[value], **rest}

    def _corrected_key(self, key: str) -> str:
        table = {**_KEYS, **_KINDS}
        name = table.get(_normal_name(key), key)
        if name != key:
            self.notes.append(f"{key!r} was read as {name!r}")
        return name

    def _name(self, name: str, known: Iterable[str]) -> str:
        names = tuple(known)
        if name in names:
            return name
        flat = _normal_name(name)
        alike = [other for other in names if _normal_name(other) == flat]
        if len(alike) != 1:
            return name
        self.notes.append(f"{name!r} was read as {alike[0]!r}")
        return alike[0]

    def _corrected_arguments(self, args: Mapping[str, Any], signature: Signature) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in args.items():
            texts = fixed_values(signature.arguments.get(key))
            found[key] = self._name(value, texts) if isinstance(value, str) and texts else value
        return found

    def _condition(self, part: Any, depth: int) -> Any:
        if isinstance(part, str):
            return self._name(part, self.conditions)
        # a guard with its failure code
        if isinstance(part, dict) and len(part) == 2 and "else" in part:
            condition = {name: inner for name, inner in part.items() if name != "else"}
            found = self._condition(condition, depth)
            if self._is_invented(part["else"]):
                return found
            named = {found: {}} if isinstance(found, str) else found
            return {**named, "else": part["else"]}
        if not isinstance(part, dict) or len(part) != 1 or depth > _MOST_DEPTH:
            return part
        ((name, inner),) = part.items()
        if name == "not":
            return {name: self._condition(inner, depth + 1)}
        if name in ("all", "any") and isinstance(inner, list):
            return {name: [self._condition(one, depth + 1) for one in inner]}
        name = self._name(name, self.conditions)
        if name in self.conditions and isinstance(inner, dict):
            inner = self._corrected_arguments(inner, self.conditions[name])
        return {name: inner}


def _normal_name(name: str) -> str:
    """Return a name in lower case without separators, for comparison with known names.

    Letters of other alphabets are unchanged, because case folding converts some to Latin letters.
    """
    if not str(name).isascii():
        return str(name)
    folded = str(name).casefold()
    if folded in _KEYS or folded in _KINDS:
        return folded
    return re.sub(r"[\s_-]", "", folded)
