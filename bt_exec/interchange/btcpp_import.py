"""Trees and missions from BehaviorTree.CPP XML.

Files written by `bt_exec.interchange.btcpp_export` are restored exactly. Other files (version 3 or
4) are converted as far as the tree language supports them; the report lists the rest. Leaves
without a TreeNodesModel become skills of the same name.

A blackboard has no declarations. A blackboard entry that a tree reads before writing it becomes a
parameter of the tree; an entry that a subtree writes for its caller becomes a returned result.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from pydantic import ValidationError

from bt_exec.failure import Problem, SpecError
from bt_exec.interchange.nodes_import import NodeReader
from bt_exec.interchange.report import Report
from bt_exec.interchange.value_conversion import FORMAT_MARK, decode, own_name
from bt_exec.interchange.xml_text import Element
from bt_exec.pack import Catalogue
from bt_exec.spec.model import Document, MissionSpec, TreeSpec
from bt_exec.spec.user_data_validation import first_error

__all__ = ["Imported", "add_parameters_and_results", "import_btcpp"]


class Imported(NamedTuple):
    """Result of an import.

    Attributes:
        documents: The trees and missions, in the order of the files.
        report: Unsupported features.
    """

    documents: tuple[Document, ...]
    report: Report


@dataclass(frozen=True)
class _Tree:
    """A BehaviorTree element and its file."""

    element: Element
    file: str


def import_btcpp(
    files: Iterable[tuple[str, Element]], catalogue: Catalogue | None = None
) -> Imported:
    """Return the documents of XML files that belong together.

    Args:
        files: Names and root elements; TreeNodesModel may be in a separate file.
        catalogue: Skills and conditions, to classify leaves without a model.

    Raises:
        SpecError: If a file cannot be imported. The code is ``NOT_BTCPP``, ``EMPTY``, ``TOO_DEEP``,
            ``DUPLICATE_TREE``, ``BAD_METADATA`` or ``NOT_SAYABLE`` (no valid tree or mission).
    """
    report = Report()
    reader = NodeReader(report, catalogue)
    trees: dict[str, _Tree] = {}
    given = tuple(files)
    for file, root in given:
        _check_root(root, file, report)
        for element in root.walk():
            if element.tag == "TreeNodesModel":
                reader.add_models(element)
            elif element.tag == "BehaviorTree":
                _add(trees, _Tree(element, file))
            elif element.tag == "include":
                report.add("INCLUDE", f"include:{element.line}", element.attributes.get("path", ""))
    reader.bodies = {
        ident: tree.element for ident, tree in trees.items() if "_body" in tree.element.attributes
    }
    written: dict[str, dict[str, Any]] = {}
    for ident, tree in trees.items():
        if "_body" not in tree.element.attributes:
            written[ident] = _tree_data(tree, reader)
    foreign = [i for i in written if FORMAT_MARK not in trees[i].element.attributes]
    add_parameters_and_results({ident: written[ident] for ident in foreign}, report)
    documents = tuple(_document(written[ident], trees[ident]) for ident in written)
    if not documents:
        message = "contains no <BehaviorTree>"
        raise SpecError([Problem("EMPTY", message, file=", ".join(file for file, _ in given))])
    return Imported(documents, report)


def _check_root(root: Element, file: str, report: Report) -> None:
    if root.tag != "root":
        message = f"is not BehaviorTree.CPP XML: it begins with <{root.tag}>, not with <root>"
        raise SpecError([Problem("NOT_BTCPP", message, file=file, line=root.line, column=1)])
    if root.attributes.get("BTCPP_format", "3") != "4":
        report.add("FORMAT_3", f"root:{root.line}")


def _add(trees: dict[str, _Tree], tree: _Tree) -> None:
    ident = tree.element.attributes.get("ID", "MainTree")
    if ident in trees:
        message = f"tree {ident!r} is already defined in {trees[ident].file}"
        raise SpecError([_problem("DUPLICATE_TREE", message, tree)])
    trees[ident] = tree


def _problem(code: str, message: str, tree: _Tree) -> Problem:
    element = tree.element
    return Problem(code, message, file=tree.file, line=element.line, column=element.column)


def _tree_data(tree: _Tree, reader: NodeReader) -> dict[str, Any]:
    """Return a BehaviorTree as the plain data of a tree or mission."""
    attributes = tree.element.attributes
    reader.own = FORMAT_MARK in attributes
    try:
        root = reader.only_child(tree.element)
        if root is None:
            raise SpecError([_problem("EMPTY", "contains no node that can be imported", tree)])
        if "_mission" in attributes:
            return {"mission": json.loads(attributes["_mission"]), "root": root}
        name = attributes.get("_tree") or reader.tree_name(attributes.get("ID", "MainTree"))
        data: dict[str, Any] = {"tree": name}
        if "_summary" in attributes:
            data["summary"] = attributes["_summary"]
        for key in ("utterances", "returns", "otherwise"):
            if f"_{key}" in attributes:
                data[key] = json.loads(attributes[f"_{key}"])
        if params := _params(reader.subtrees.get(attributes.get("ID", ""))):
            data["params"] = params
    except RecursionError:
        raise SpecError(
            [_problem("TOO_DEEP", "is nested too deeply to be imported", tree)]
        ) from None
    except (ValueError, AttributeError, TypeError) as error:
        message = f"an attribute that begins with '_' is not the JSON that was exported: {error}"
        raise SpecError([_problem("BAD_METADATA", message, tree)]) from None
    return {**data, "root": root}


def _params(model: Element | None) -> dict[str, Any]:
    """Return the parameters that a SubTree model declares."""
    params: dict[str, Any] = {}
    for port in model.children if model is not None else ():
        given = port.attributes
        if port.tag not in ("input_port", "inout_port") or "name" not in given:
            continue
        param: dict[str, Any] = {"type": given.get("type", "text")}
        if "_default" in given:
            param["default"] = json.loads(given["_default"])
        elif given.get("default"):
            param["default"] = decode(given["default"])
        if summary := given.get("_summary", port.text):
            param["summary"] = summary
        for key in ("choices", "min", "max"):
            if f"_{key}" in given:
                param[key] = json.loads(given[f"_{key}"])
        for key in ("many", "optional", "spoken"):
            if given.get(f"_{key}") == "true":
                param[key] = True
        params[own_name(given["name"])] = param
    return params


def _document(data: dict[str, Any], tree: _Tree) -> Document:
    try:
        if "mission" in data:
            return MissionSpec.model_validate(data)
        return TreeSpec.model_validate(data)
    except ValidationError as error:
        message = f"tree {tree.element.attributes.get('ID')!r}: {first_error(error)}"
        raise SpecError([_problem("NOT_SAYABLE", message, tree)]) from None


Data = dict[str, Any]


def add_parameters_and_results(trees: Mapping[str, Data], report: Report) -> None:
    """Add parameters and returned results to trees in place, to callees before their callers."""
    by_name = {data["tree"]: data for data in trees.values() if "tree" in data}
    done: set[str] = set()
    for name in by_name:
        _classify_ports_of_calls(name, by_name, done, report)


def _classify_ports_of_calls(
    name: str, trees: Mapping[str, Data], done: set[str], report: Report
) -> None:
    if name in done or name not in trees:
        return
    done.add(name)  # a recursive tree is rejected by verification
    tree = trees[name]
    for call in _calls(tree["root"]):
        _classify_ports_of_calls(call["tree"], trees, done, report)
        if call["tree"] in trees:
            _classify_ports(call, trees[call["tree"]], name, report)
        call.pop("<autoremap>", None)
    params = dict(tree.get("params", {}))
    for entry in _entries_read_first(tree["root"]):
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


def _classify_ports(call: Data, callee: Data, caller: str, report: Report) -> None:
    """Classify the ports of a subtree call as arguments or results, in place."""
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


def _entries_read_first(root: Data) -> list[str]:
    """Return the blackboard entries that a node reads before any node writes them."""
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
