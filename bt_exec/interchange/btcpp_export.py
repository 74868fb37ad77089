"""Trees and missions as BehaviorTree.CPP 4 XML.

=================  ==========================================================================
tree language      BehaviorTree.CPP
=================  ==========================================================================
``do``             an action with ports; ``save`` as output ports
``check``          a condition; ``not``, ``all``, ``any`` as Inverter, ReactiveSequence and
                   ReactiveFallback
``tree``           SubTree with remapped ports; its tree is exported, too
``sequence`` …     Sequence, Fallback, Parallel with both thresholds
``until``          the condition in the loop of ``repeat``, and once more at its end
``for_each``       the node once, with a note in the report
``skip_if``        a Fallback of the condition and the node
``while``          a ReactiveSequence of the condition and the node
``timeout``        Timeout
``retry``          a loop of KeepRunningUntilFailure that counts attempts in a private
                   blackboard entry
``repeat``         the same loop, counting rounds
=================  ==========================================================================

RetryUntilSuccessful and Repeat are not used, because they begin the next attempt within the same
tick.

Features without an equivalent are written as attributes that begin with ``_``, which
BehaviorTree.CPP ignores. `bt_exec.interchange.btcpp_import` restores the same documents.
Unsupported features are listed in the report.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bt_exec.interchange.node_models import conditions_in, node_models
from bt_exec.interchange.report import Report
from bt_exec.interchange.value_conversion import (
    BUILT_IN,
    FORMAT_MARK,
    encode,
    entry_name,
    is_exact,
    port_name,
    to_json,
)
from bt_exec.interchange.xml_text import Element, dump_xml
from bt_exec.pack import Catalogue
from bt_exec.spec.condition_expression import All, Any_, Is, Not, dump_expression, named_conditions
from bt_exec.spec.dump import to_data
from bt_exec.spec.expand import is_reference, reference_name
from bt_exec.spec.library import Library
from bt_exec.spec.model import (
    Check,
    Do,
    Document,
    Fallback,
    Guard,
    MissionSpec,
    NodeBase,
    Parallel,
    Sequence,
    Tree,
    TreeSpec,
    walk,
)
from bt_exec.spec.node_paths import label_of
from bt_exec.spec.text_template import is_template
from bt_exec.spec.yaml_source import parse_scalar

__all__ = ["export_btcpp"]

_HEADER = "mission"


def export_btcpp(document: Document, library: Library, catalogue: Catalogue) -> tuple[str, Report]:
    """Return a document as XML, with every tree of the library that it uses, and the report.

    Args:
        document: The tree or mission.
        library: The trees that it may use.
        catalogue: The skills and conditions, for the ports of TreeNodesModel.
    """
    report = Report()
    trees = _Trees(library, report, document)
    main = trees.add_all()
    root = Element("root", {"BTCPP_format": "4", "main_tree_to_execute": main})
    root.children = [*trees.elements]
    documents = tuple(trees.documents)
    root.children.append(node_models(documents, catalogue, trees.id_of))
    if any(any(walk(one.root, Do)) for one in documents):
        report.add("SKILL_TIMEOUT", main)
    return dump_xml(root), report


def _with_used_trees(document: Document, library: Library) -> list[Document]:
    """Return a document and every library tree that it uses, each once."""
    found: list[Document] = [document]
    for one in found:
        for node in walk(one.root, Tree):
            if node.body is None and node.tree in library:
                used = library.get(node.tree)
                if used not in found:
                    found.append(used)
    return found


class _Trees:
    """The BehaviorTree elements of an export: one for each tree, mission and expanded subtree.

    Attributes:
        elements: The elements, the main tree first.
        documents: The document, and the trees of the library that it uses.
        ambiguous: Names that are used for both a skill and a condition.
    """

    def __init__(self, library: Library, report: Report, document: Document) -> None:
        self.elements: list[Element] = []
        self.report = report
        self.library = library
        self.documents = _with_used_trees(document, library)
        nodes = [node for one in self.documents for node in walk(one.root)]
        conditions = {name for node in nodes for name, _ in conditions_in(node)}
        actions = {node.do for node in nodes if isinstance(node, Do)}
        self.ambiguous = actions & conditions
        self._taken = {*actions, *conditions, *BUILT_IN}
        self._idents: dict[str, str] = {}

    def add_all(self) -> str:
        """Add every document; return the ID of the first."""
        for one in self.documents:
            if isinstance(one, MissionSpec):
                header = to_json(to_data(one)["mission"])
                self._idents[_HEADER] = self._element(_HEADER, one.root, {"_mission": header})
            else:
                ident = self.id_of(one.tree)
                self._add_element(ident, one.tree, one.root, self._tree_fields(one))
        return self.elements[0].attributes["ID"]

    def id_of(self, tree: str) -> str:
        """Return the ID of a tree: its name, with a number appended if the name is taken."""
        if tree not in self._idents:
            self._idents[tree] = self._free_id(tree)
        return self._idents[tree]

    def add_subtree_body(self, tree: Tree) -> str:
        """Add the expanded body of a subtree of a mission; return its ID."""
        assert tree.body is not None
        return self._element(tree.tree, tree.body, {"_body": "true"})

    def _free_id(self, name: str) -> str:
        ident, count = name, 1
        while ident in self._taken:
            count += 1
            ident = f"{name}_{count}"
        self._taken.add(ident)
        return ident

    def _element(self, name: str, root: NodeBase, attributes: Mapping[str, str]) -> str:
        ident = self._free_id(name)
        self._add_element(ident, name, root, attributes)
        return ident

    def _add_element(
        self, ident: str, name: str, root: NodeBase, attributes: Mapping[str, str]
    ) -> None:
        called = {"_tree": name} if ident != name else {}
        element = Element("BehaviorTree", {"ID": ident, FORMAT_MARK: "1", **called, **attributes})
        self.elements.append(element)
        element.children.append(_Nodes(self).node(root, ident))

    def _tree_fields(self, tree: TreeSpec) -> dict[str, str]:
        """Return the exported fields of a tree file other than its nodes and parameters."""
        data = to_data(tree)
        if "otherwise" in data:
            self.report.add("OTHERWISE", tree.tree)
        return {
            f"_{key}": data[key] if isinstance(data[key], str) else to_json(data[key])
            for key in ("summary", "utterances", "returns", "otherwise")
            if key in data
        }


class _Nodes:
    """Converter of the nodes of one tree to XML elements."""

    def __init__(self, trees: _Trees) -> None:
        self.trees = trees
        self.report = trees.report
        self.counters = 0

    def node(self, node: NodeBase, path: str) -> Element:
        """Return a node as an element, wrapped by its modifiers, the innermost first."""
        element = self.without_modifiers(node, path)
        if node.guarded is not None:
            condition = self.expression(node.guarded.condition, path)
            marks = {"_as": "while"}
            if node.guarded.code is not None:
                marks["_else"] = node.guarded.code
                self.report.add("FAILURE_CODE", path, node.guarded.code)
            self.report.add("UNKNOWN_ANSWER", path)
            element = Element("ReactiveSequence", marks, [condition, element])
        if node.timeout is not None or "timeout" in node.open_modifiers:
            element = self.with_timeout(node, element, path)
        if node.retry is not None:
            self.report.add("NOT_RETRYABLE", path)
            element = self.with_loop("retry", str(node.retry), element)
        if node.repeat is not None or "repeat" in node.open_modifiers:
            count = str(node.open_modifiers.get("repeat", node.repeat))
            element = self.with_loop("repeat", count, element, node.until, path)
        if node.skip_if is not None:
            self.report.add("DOUBT", path)
            condition = self.expression(node.skip_if, path)
            element = Element("Fallback", {"_as": "skip_if"}, [condition, element])
        if node.for_each is not None:
            self.report.add("FOR_EACH", path, str(node.for_each))
            each = to_json(node.model_dump(by_alias=True, include={"for_each"})["for_each"])
            element = Element("Sequence", {"_as": "for_each", "_each": each}, [element])
        return element

    def with_timeout(self, node: NodeBase, element: Element, path: str) -> Element:
        """Return a Timeout that contains the element of a node."""
        self.report.add("WALL_CLOCK", path)
        if "timeout" in node.open_modifiers:
            self.report.add("TIMEOUT_PARAMETER", path, node.open_modifiers["timeout"])
            marks = {"msec": str(24 * 3600 * 1000), "_timeout": node.open_modifiers["timeout"]}
            return Element("Timeout", marks, [element])
        assert node.timeout is not None
        return Element("Timeout", {"msec": str(round(node.timeout * 1000))}, [element])

    def with_loop(
        self, kind: str, count: str, element: Element, until: Guard | None = None, path: str = ""
    ) -> Element:
        """Return a loop around the element of a node, with at most one attempt or round per tick.

        The inner sequence succeeds as long as another round is needed. KeepRunningUntilFailure
        starts it again in the next tick. The last condition determines how the loop ended.
        """
        self.counters += 1
        entry = f"_{kind}_{self.counters}"
        most = entry_name(reference_name(count)) if is_reference(count) else count
        inner = Element("Inverter", {}, [element]) if kind == "retry" else element
        more = [
            Element("Script", {"code": f"{entry} += 1"}),
            Element("ScriptCondition", {"code": f"{entry} < {most}"}),
        ]
        ended = f"{entry} < {most}" if kind == "retry" else f"{entry} == {most}"
        last = Element("ScriptCondition", {"code": ended})
        marks = {"_as": kind, "_count": count}
        if until is not None:
            self.report.add("UNTIL", path)
            more.insert(1, Element("Inverter", {}, [self.expression(until.condition, path)]))
            last = self.expression(until.condition, path)
            marks["_until"] = until.code or ""
        keep = Element("KeepRunningUntilFailure", {}, [Element("Sequence", {}, [inner, *more])])
        first = Element("Script", {"code": f"{entry} := 0"})
        return Element("Sequence", marks, [first, Element("ForceSuccess", {}, [keep]), last])

    def without_modifiers(self, node: NodeBase, path: str) -> Element:
        """Return a node as an element, without its modifiers."""
        name = {"name": node.name} if node.name is not None else {}
        match node:
            case Do():
                return self.action_of_skill(node, name, path)
            case Check():
                return self.condition_of_check(node, name, path)
            case Tree():
                return self.subtree(node, name, path)
            case Parallel():
                name |= {
                    "success_count": str(-1 if node.succeed_when == "all" else node.needed),
                    "failure_count": str(max(1, len(node.parallel) - node.needed + 1)),
                }
                name["_succeed_when"] = str(node.succeed_when)
        kinds = {Sequence: "Sequence", Fallback: "Fallback", Parallel: "Parallel"}
        children = [self.node(child, f"{path}/{label_of(child)}") for child in node.children]
        return Element(kinds[type(node)], name, children)

    def action_of_skill(self, node: Do, name: dict[str, str], path: str) -> Element:
        """Return a node that runs a skill as an action."""
        attributes = {**name, **self.port_attributes(node.args, path)}
        outputs: list[str] = []
        for field, saved in node.save.items():
            port = port_name(field, 0)
            if field.isidentifier() and port not in attributes:
                attributes[port] = f"{{{entry_name(saved)}}}"
                outputs.append(port)
        if node.save:
            attributes["_save"] = to_json(dict(node.save))
            attributes["_outputs"] = " ".join(outputs)
        return self.leaf("Action", node.do, attributes, path)

    def condition_of_check(self, node: Check, name: dict[str, str], path: str) -> Element:
        """Return a check as a condition, or as a small tree of conditions."""
        marks = dict(name)
        if node.code is not None:
            marks["_else"] = node.code
            self.report.add("FAILURE_CODE", path, node.code)
        element = self.expression(node.check, path)
        if not isinstance(node.check, Is):
            marks["_as"] = "check"
        if node.tell:
            self.report.add("TOLD_ANSWER", path)
            return Element("ForceSuccess", {**marks, "_tell": "true"}, [element])
        element.attributes = {**marks, **element.attributes}
        return element

    def expression(self, part: Any, path: str) -> Element:
        """Return a condition expression as an element."""
        if isinstance(part, Is):
            return self.leaf("Condition", part.name, self.port_attributes(part.args, path), path)
        if isinstance(part, Not):
            return Element("Inverter", {}, [self.expression(part.of, path)])
        assert isinstance(part, All | Any_)
        tag = "ReactiveSequence" if isinstance(part, All) else "ReactiveFallback"
        if len(list(named_conditions(part))) > 1:
            self.report.add("UNKNOWN_ANSWER", path, str(dump_expression(part))[:60])
        return Element(tag, {}, [self.expression(inner, path) for inner in part.of])

    def leaf(self, kind: str, ident: str, attributes: dict[str, str], path: str) -> Element:
        """Return the element of an action or condition, in the compact form if its name allows it.

        The compact form is ``<grasp …/>``, the other ``<Action ID="grasp" …/>``.
        """
        if ident in BUILT_IN:
            self.report.add("NAME_CLASH", path, ident)
        if ident in BUILT_IN or "." in ident or ident in self.trees.ambiguous:
            return Element(kind, {"ID": ident, **attributes})
        return Element(ident, attributes)

    def subtree(self, node: Tree, name: dict[str, str], path: str) -> Element:
        """Return a subtree as an element with its remapped ports."""
        if node.body is None:
            attributes = {"ID": self.trees.id_of(node.tree), **name}
        else:
            attributes = {"ID": self.trees.add_subtree_body(node), **name, "_autoremap": "true"}
        if attributes["ID"] != node.tree:
            attributes["_tree"] = node.tree
        attributes |= self.port_attributes(node.args, path, subtree=True)
        outputs: list[str] = []
        if node.save:
            self.report.add("RETURNED", path, ", ".join(node.save))
            attributes["_save"] = to_json(dict(node.save))
        if node.save and node.body is None and node.tree in self.trees.library:
            returns = self.trees.library.get(node.tree).returns
            for field, saved in node.save.items():
                port = entry_name(reference_name(returns.get(field, f"${field}")))
                if port not in attributes:
                    attributes[port] = f"{{{entry_name(saved)}}}"
                    outputs.append(port)
        if outputs:
            attributes["_outputs"] = " ".join(outputs)
        return Element("SubTree", attributes)

    def port_attributes(
        self, args: Mapping[str, Any], path: str, *, subtree: bool = False
    ) -> dict[str, str]:
        """Return arguments as attributes; values that text cannot represent are added as JSON."""
        attributes: dict[str, str] = {}
        exact: dict[str, Any] = {}
        renamed: dict[str, str] = {}
        for number, (name, value) in enumerate(args.items()):
            port = port_name(name, number)
            if port != name:
                renamed[port] = name
                self.report.add("RENAMED_PORT", path, name)
            attributes[port] = encode(value)
            if not is_exact(value):
                exact[name] = value
                self._note_unsupported(value, path, name, subtree=subtree)
        if exact:
            attributes["_exact"] = to_json(exact)
        if renamed:
            attributes["_ports"] = to_json(renamed)
        return attributes

    def _note_unsupported(self, value: Any, path: str, name: str, *, subtree: bool) -> None:
        """Add a note about a value that an attribute cannot represent."""
        if is_template(value):
            self.report.add("TEMPLATE", path, name)
        elif not isinstance(value, str):
            self.report.add("LIST_ARGUMENT", path, name)
        elif value.startswith("{"):
            self.report.add("TEXT_LIKE_REFERENCE", path, name)
        elif subtree and type(parse_scalar(value)) in (int, float):
            self.report.add("NUMERIC_TEXT", path, name)
