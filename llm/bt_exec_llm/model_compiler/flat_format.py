"""Flat format of trees: a list of nodes that name their children, for schemas without recursion.

A flat plan is equivalent to the nested YAML, except that a condition is always a conjunction, whose
operands may be negated; ``any`` does not exist. The field ``step`` of a node contains the skill,
check or tree and its arguments. The fields ``runs`` and ``with`` in the node itself are accepted,
too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from bt_exec.failure import Problem

__all__ = ["NestedPlan", "from_flat", "is_flat", "to_flat"]

_COMPOSITES = ("sequence", "fallback", "parallel")
_PLAIN = ("name", "retry", "repeat", "timeout", "tell", "succeed_when")
_CONDITIONS = ("skip_if", "while", "while_else")
_ID = re.compile("[A-Za-z0-9_.-]{1,32}")
_FIELDS = (*_PLAIN, "id", "kind", "runs", "with", "asks", "else", "children", *_CONDITIONS)


def is_flat(data: Mapping[str, Any]) -> bool:
    """Return True if plain data is a flat plan."""
    return isinstance(data.get("nodes"), list)


class NestedPlan(NamedTuple):
    """A flat plan converted to a nested one.

    Attributes:
        root: Root of the nested plan.
        places: Id of each flat node by its position in the nested plan, such as
            ``{"root/sequence[1]": "n3"}``.
        problems: Problems of the conversion, such as references to unknown nodes.
    """

    root: Any
    places: dict[str, str]
    problems: list[Problem]


def from_flat(data: Mapping[str, Any]) -> NestedPlan:
    """Convert a flat plan to a nested plan, and report problems of nodes and references.

    Codes: ``NODE_TWICE``, ``UNKNOWN_NODE``, ``UNATTACHED_NODE``, ``ENDLESS_LOOP`` (a node that is
    its own descendant), ``BAD_NODE``, ``UNKNOWN_FIELD``, ``ARGUMENT_TWICE``, ``BAD_ARGUMENTS``,
    ``BAD_HOLDS``.
    """
    wiring = _Wiring(data)
    return NestedPlan(wiring.root(), wiring.places, wiring.problems)


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
            if node.get("id") and not _ID.fullmatch(name):
                message = "an id is short and made of plain letters and digits: n1, n2"
                self._report("BAD_NODE", message, f"nodes[{index}]/id", name[:60])
            if name in self.nodes:
                self._report("NODE_TWICE", "two nodes have this id", name, name)
            self.nodes.setdefault(name, self._with_inlined_step(name, node))
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
                message = "no node has this child; attach it or leave it out"
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
            nested[kind] = self._expression(node.get("asks") or node.get("runs"), f"{name}/asks")
        elif kind in _COMPOSITES:
            nested[kind] = list(self._children(name, above, f"{place}/{kind}"))
        else:
            nested[kind or "kind"] = node.get("runs")
        if args := self._arguments_mapping(node.get("with"), f"{name}/with"):
            nested["with"] = args
        if node.get("else"):
            nested["else"] = node["else"]
        nested.update({key: node[key] for key in _PLAIN if node.get(key) not in (None, "", False)})
        for key in ("skip_if", "while"):
            if node.get(key):
                nested[key] = self._expression(node[key], f"{name}/{key}")
        if node.get("while_else") and "while" in nested:
            guard = nested["while"]
            named = {guard: {}} if isinstance(guard, str) else guard
            nested["while"] = {**named, "else": node["while_else"]}
        self._report_unused_fields(name, node, kind)
        for key in node:
            if key not in _FIELDS:
                message = f"a node has no field {key!r}"
                self._report("UNKNOWN_FIELD", message, name, key, _FIELDS)
        return nested

    def _children(self, name: str, above: tuple[str, ...], place: str) -> Iterator[Any]:
        listed = self.nodes[name].get("children")
        if listed is not None and not isinstance(listed, list):
            message = "children are a list of ids"
            self._report("BAD_NODE", message, f"{name}/children", str(listed)[:60])
        count = 0
        for child in listed if isinstance(listed, list) else []:
            if not isinstance(child, str) or child not in self.nodes:
                message = "there is no node of this id"
                self._report("UNKNOWN_NODE", message, f"{name}/children", str(child), self.nodes)
            elif child in (*above, name):
                message = f"{child} is its own descendant: the plan would never end"
                self._report("ENDLESS_LOOP", message, f"{name}/children", child)
            elif child in self.used or child == self.first:
                self._report("NODE_TWICE", "a node has one parent", f"{name}/children", child)
            else:
                self.used[child] = name
                if len(above) < 60:  # deeper plans are rejected by verification in any case
                    yield self._node(child, (*above, name), f"{place}[{count}]")
                    count += 1

    def _with_inlined_step(self, name: str, node: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a node with ``runs`` and ``with`` moved out of its field ``step``."""
        if "step" not in node:
            return node
        step = node["step"]
        if not isinstance(step, dict):
            self._report("BAD_NODE", "a step holds 'runs' and 'with'", f"{name}/step")
            return {key: value for key, value in node.items() if key != "step"}
        for key in step:
            if key not in ("runs", "with") or node.get(key) not in (None, "", [], {}):
                message = f"{key!r} is not allowed here; a step has 'runs' and 'with', once"
                self._report("UNKNOWN_FIELD", message, f"{name}/step/{key}", str(key)[:60])
        return {**{key: value for key, value in node.items() if key != "step"}, **step}

    def _report_unused_fields(self, name: str, node: Mapping[str, Any], kind: str) -> None:
        """Add a problem for each field that this kind of node does not use."""
        uses = {"do": ("runs", "with"), "tree": ("runs", "with"), "check": ("asks", "else", "tell")}
        mine = uses.get(kind, ("children", "succeed_when") if kind in _COMPOSITES else None)
        if mine is None:
            return
        if kind == "check" and not node.get("asks"):
            mine = (*mine, "runs")
        own = ("runs", "with", "asks", "else", "tell", "children", "succeed_when")
        for key in own:
            if key not in mine and node.get(key) not in (None, "", False, [], {}):
                message = f"a node of kind {kind!r} has no use for {key!r}"
                self._report("UNKNOWN_FIELD", message, f"{name}/{key}", key, mine)

    def _arguments_mapping(self, value: Any, place: str) -> Any:
        """Return ``[{name, value}]`` as a mapping; a mapping is returned unchanged."""
        if value is None or isinstance(value, dict):
            return value
        args: dict[str, Any] = {}
        if not isinstance(value, list):
            self._unreadable(place, value)
            return args
        for pair in value:
            name = pair.get("name") if isinstance(pair, dict) else None
            if not isinstance(name, str) or "value" not in pair or len(pair) != 2:
                self._unreadable(place, pair)
            elif name in args:
                self._report("ARGUMENT_TWICE", f"{name!r} is given twice", place, name)
            else:
                args[name] = pair["value"]
        return args

    def _unreadable(self, place: str, found: Any) -> None:
        message = "arguments are a list of {name, value}"
        self._report("BAD_ARGUMENTS", message, place, str(found)[:60])

    def _expression(self, parts: Any, place: str) -> Any:
        if not isinstance(parts, list):
            return parts
        found = []
        for part in parts:
            if not isinstance(part, dict) or "condition" not in part:
                found.append(part)
                continue
            holds = part.get("holds", True)
            odd = [key for key in part if key not in ("condition", "with", "holds")]
            if not isinstance(holds, bool):
                message = "'holds' is true or false"
                self._report("BAD_HOLDS", message, f"{place}/holds", repr(holds)[:60])
            for key in odd:
                message = f"a condition has no field {key!r}"
                self._report("UNKNOWN_FIELD", message, place, str(key)[:60])
            args = self._arguments_mapping(part.get("with"), f"{place}/with")
            one: Any = {part["condition"]: args} if args else part["condition"]
            found.append(one if holds else {"not": one})
        return found[0] if len(found) == 1 else {"all": found}

    def _report(
        self, code: str, message: str, place: str, found: str = "", allowed: Any = ()
    ) -> None:
        self.problems.append(Problem(code, message, place, found, tuple(allowed)))


def to_flat(root: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the root of a nested plan, as plain data, as a flat list of nodes, the root first."""
    nodes: list[dict[str, Any]] = []

    def add_node(node: Mapping[str, Any]) -> str:
        flat: dict[str, Any] = {"id": f"n{len(nodes) + 1}"}
        nodes.append(flat)
        kind = next(kind for kind in ("do", "check", "tree", *_COMPOSITES) if kind in node)
        flat["kind"] = kind
        if kind in _COMPOSITES:
            flat["children"] = [add_node(child) for child in node[kind]]
        elif kind == "check":
            flat["asks"] = _conditions(node[kind])
        else:
            flat["step"] = {"runs": node[kind], "with": dict(node.get("with") or {})}
        flat.update({key: node[key] for key in (*_PLAIN, "else") if key in node})
        if "skip_if" in node:
            flat["skip_if"] = _conditions(node["skip_if"])
        if "while" in node:
            condition, code = _split_guard(node["while"])
            flat["while"] = _conditions(condition)
            flat.update({"while_else": code} if code else {})
        return str(flat["id"])

    add_node(root)
    return nodes


def _split_guard(guard: Any) -> tuple[Any, str]:
    """Return the condition of a guard, and its failure code; empty without a code."""
    if not isinstance(guard, dict) or "else" not in guard:
        return guard, ""
    return {name: args for name, args in guard.items() if name != "else"}, str(guard["else"])


def _argument_list(args: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{"name": name, "value": value} for name, value in args.items()]


def _conditions(expression: Any, *, holds: bool = True) -> list[dict[str, Any]]:
    if isinstance(expression, str):
        return [{"condition": expression, "with": [], "holds": holds}]
    ((name, inner),) = expression.items()
    if name == "not":
        return _conditions(inner, holds=not holds)
    if name == "all":
        return [one for part in inner for one in _conditions(part)]
    return [{"condition": name, "with": _argument_list(inner or {}), "holds": holds}]
