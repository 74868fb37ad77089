"""Blackboard entries of foreign trees as parameters, saved results and returned results.

A blackboard has no declarations. An entry that a tree reads before it writes it becomes a
parameter; one that a subtree writes for its caller becomes a returned result.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from bt_exec.interchange.report import Report

__all__ = ["bind_entries"]

Data = dict[str, Any]


def bind_entries(trees: Mapping[str, Data], report: Report) -> None:
    """Add parameters and returned results to trees, in place; callees before callers."""
    by_name = {data["tree"]: data for data in trees.values() if "tree" in data}
    done: set[str] = set()
    for name in by_name:
        _bind(name, by_name, done, report)


def _bind(name: str, trees: Mapping[str, Data], done: set[str], report: Report) -> None:
    if name in done or name not in trees:
        return
    done.add(name)  # a recursive tree is rejected by verification
    tree = trees[name]
    for call in _calls(tree["root"]):
        _bind(call["tree"], trees, done, report)
        if call["tree"] in trees:
            _remap(call, trees[call["tree"]], name, report)
        call.pop("<autoremap>", None)
    params = dict(tree.get("params", {}))
    for entry in _read_first(tree["root"]):
        params.setdefault(entry, {"type": "text"})
    if params:
        root = tree.pop("root")
        tree["params"] = params
        tree["root"] = root
    known = ("text", "number", "integer", "boolean")
    for entry, param in params.items():
        if param["type"] not in known:
            report.add("TYPE", name, f"{entry}: {param['type']}")
            param["type"] = "text"


def _remap(call: Data, callee: Data, caller: str, report: Report) -> None:
    """Classify the ports of a call as arguments or results."""
    params, saved = callee.get("params", {}), set(_saved_entries(callee["root"]))
    args: Data = call.pop("with", {})
    if call.get("<autoremap>"):
        args = {**{name: f"${name}" for name in (*params, *sorted(saved))}, **args}
    save: dict[str, str] = dict(call.pop("save", {}))
    kept: Data = {}
    for port, value in args.items():
        if port in params:
            kept[port] = value
        elif port in saved and isinstance(value, str) and value.startswith("$"):
            save[port] = value[1:]
            callee.setdefault("returns", {})[port] = f"${port}"
        else:
            report.add("UNUSED_PORT", caller, f"{call['tree']}.{port}")
    if kept:
        call["with"] = kept
    if save:
        call["save"] = save


def _nodes(node: Data) -> Iterator[Data]:
    yield node
    for kind in ("sequence", "fallback", "parallel"):
        for child in node.get(kind, ()):
            yield from _nodes(child)


def _calls(root: Data) -> list[Data]:
    return [node for node in _nodes(root) if "tree" in node]


def _saved_entries(root: Data) -> Iterator[str]:
    for node in _nodes(root):
        yield from node.get("save", {}).values()


def _read_first(root: Data) -> list[str]:
    """Return the entries that are read before an earlier node of the document wrote them."""
    written: set[str] = set()
    found: dict[str, None] = {}
    for node in _nodes(root):
        conditions = [node.get(key) for key in ("check", "skip_if", "while")]
        values = (*node.get("with", {}).values(), node.get("repeat"), *conditions)
        for name in _references(values):
            if name not in written:
                found[name] = None
        written.update(node.get("save", {}).values())
    return list(found)


def _references(values: Iterable[Any]) -> Iterator[str]:
    for value in values:
        if isinstance(value, str) and value.startswith("$") and not value.startswith("$$"):
            yield value[1:]
        elif isinstance(value, list):
            yield from _references(value)
        elif isinstance(value, dict):
            yield from _references(value.values())
