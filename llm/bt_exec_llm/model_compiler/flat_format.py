"""Trees without nesting: a list of nodes that name their children, for schemas without recursion.

A flat plan says the same as the nested YAML, but for conditions: the parts of a condition must all
hold (each can be negated); there is no ``any``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from bt_exec.failure import Problem

__all__ = ["Wired", "from_flat", "is_flat", "to_flat"]

_COMPOSITES = ("sequence", "fallback", "parallel")
_PLAIN = ("name", "retry", "repeat", "timeout", "tell", "succeed_when")
_FIELDS = (*_PLAIN, "id", "kind", "runs", "with", "asks", "else", "children", "skip_if", "while")


def is_flat(data: Mapping[str, Any]) -> bool:
    """Whether plain data is a flat plan."""
    return isinstance(data.get("nodes"), list)


class Wired(NamedTuple):
    """A flat plan as a nested one.

    Attributes:
        root: The nested root.
        places: Ids of nodes by their place in it: ``{"root/sequence[1]": "n3"}``.
        problems: What is wrong with the wiring.
    """

    root: Any
    places: dict[str, str]
    problems: list[Problem]


def from_flat(data: Mapping[str, Any]) -> Wired:
    """Return a flat plan as a nested one, and what is wrong with its wiring.

    Codes: ``NODE_TWICE``, ``UNKNOWN_NODE``, ``UNATTACHED_NODE``, ``ENDLESS_LOOP`` (a node that
    stands below itself), ``BAD_NODE``, ``UNKNOWN_FIELD``.
    """
    wiring = _Wiring(data)
    return Wired(wiring.root(), wiring.places, wiring.problems)


class _Wiring:
    def __init__(self, data: Mapping[str, Any]) -> None:
        self.problems: list[Problem] = []
        self.nodes: dict[str, Mapping[str, Any]] = {}
        self.used: dict[str, str] = {}
        self.places: dict[str, str] = {}
        for index, node in enumerate(data["nodes"]):
            if not isinstance(node, dict) or not isinstance(node.get("id", ""), str):
                message = "a node is an object with an id that is text"
                self._report("BAD_NODE", message, f"nodes[{index}]")
                continue
            name = node.get("id") or f"nodes[{index}]"
            if name in self.nodes:
                self._report("NODE_TWICE", "two nodes have this id", name, name)
            self.nodes.setdefault(name, node)
        first = data.get("root")
        self.first = first if isinstance(first, str) else next(iter(self.nodes), "")

    def root(self) -> Any:
        if self.first not in self.nodes:
            if self.nodes:
                self._report("UNKNOWN_NODE", "there is no node of this id", "root", self.first)
            return {"sequence": []}
        nested = self._node(self.first, (), "root")
        for name in self.nodes:
            if name != self.first and name not in self.used:
                message = "no node has this one among its children; attach it or leave it out"
                self._report("UNATTACHED_NODE", message, name, name)
        return nested

    def _node(self, name: str, above: tuple[str, ...], place: str) -> Any:
        self.places[place] = name
        node = self.nodes[name]
        kind = str(node.get("kind", ""))
        nested: dict[str, Any] = {}
        if kind in ("do", "tree"):
            nested[kind] = node.get("runs", "")
        elif kind == "check":
            nested[kind] = _expression(node.get("asks") or node.get("runs"))
        elif kind in _COMPOSITES:
            nested[kind] = list(self._children(name, above, f"{place}/{kind}"))
        else:
            nested[kind or "kind"] = node.get("runs")
        if args := _pairs(node.get("with")):
            nested["with"] = args
        if node.get("else"):
            nested["else"] = node["else"]
        nested.update({key: node[key] for key in _PLAIN if node.get(key) not in (None, "", False)})
        for key in ("skip_if", "while"):
            if node.get(key):
                nested[key] = _expression(node[key])
        for key in node:
            if key not in _FIELDS:
                message = f"a node has no field {key!r}"
                self._report("UNKNOWN_FIELD", message, name, key, _FIELDS)
        return nested

    def _children(self, name: str, above: tuple[str, ...], place: str) -> Iterator[Any]:
        listed = self.nodes[name].get("children")
        count = 0
        for child in listed if isinstance(listed, list) else []:
            if not isinstance(child, str) or child not in self.nodes:
                message = "there is no node of this id"
                self._report("UNKNOWN_NODE", message, f"{name}/children", str(child), self.nodes)
            elif child in (*above, name):
                message = f"{child} stands below itself: the plan would never end"
                self._report("ENDLESS_LOOP", message, f"{name}/children", child)
            elif child in self.used or child == self.first:
                self._report("NODE_TWICE", "a node has one parent", f"{name}/children", child)
            else:
                self.used[child] = name
                if len(above) < 60:  # nesting itself is judged where it is verified
                    yield self._node(child, (*above, name), f"{place}[{count}]")
                    count += 1

    def _report(
        self, code: str, message: str, place: str, found: str = "", allowed: Any = ()
    ) -> None:
        self.problems.append(Problem(code, message, place, found, tuple(allowed)))


def _pairs(value: Any) -> dict[str, Any]:
    """Return ``[{name, value}]`` as a mapping; a mapping is taken as it is."""
    if isinstance(value, dict):
        return value
    listed = value if isinstance(value, list) else []
    pairs = [pair for pair in listed if isinstance(pair, dict) and "name" in pair]
    return {str(pair["name"]): pair.get("value") for pair in pairs}


def _expression(parts: Any) -> Any:
    if not isinstance(parts, list):
        return parts
    found = []
    for part in parts:
        if not isinstance(part, dict) or "condition" not in part:
            found.append(part)
            continue
        args = _pairs(part.get("with"))
        one: Any = {part["condition"]: args} if args else part["condition"]
        found.append({"not": one} if part.get("holds") is False else one)
    return found[0] if len(found) == 1 else {"all": found}


def to_flat(root: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return a nested root (plain data) as a flat list of nodes, the root first."""
    nodes: list[dict[str, Any]] = []

    def add(node: Mapping[str, Any]) -> str:
        flat: dict[str, Any] = {"id": f"n{len(nodes) + 1}"}
        nodes.append(flat)
        kind = next(kind for kind in ("do", "check", "tree", *_COMPOSITES) if kind in node)
        flat["kind"] = kind
        if kind in _COMPOSITES:
            flat["children"] = [add(child) for child in node[kind]]
        elif kind == "check":
            flat["asks"] = _conditions(node[kind])
        else:
            flat["runs"] = node[kind]
        if node.get("with"):
            flat["with"] = _listed(node["with"])
        flat.update({key: node[key] for key in (*_PLAIN, "else") if key in node})
        for key in ("skip_if", "while"):
            if key in node:
                flat[key] = _conditions(node[key])
        return str(flat["id"])

    add(root)
    return nodes


def _listed(args: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{"name": name, "value": value} for name, value in args.items()]


def _conditions(expression: Any, *, holds: bool = True) -> list[dict[str, Any]]:
    if isinstance(expression, str):
        return [{"condition": expression, "with": [], "holds": holds}]
    ((name, inner),) = expression.items()
    if name == "not":
        return _conditions(inner, holds=not holds)
    if name == "all":
        return [one for part in inner for one in _conditions(part)]
    return [{"condition": name, "with": _listed(inner or {}), "holds": holds}]
