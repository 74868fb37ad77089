"""TreeNodesModel of an export: its skills, conditions and trees with their ports."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from bt_exec.interchange.value_conversion import encode, entry_name, is_exact, port_name, to_json
from bt_exec.interchange.xml_text import Element
from bt_exec.pack import Catalogue
from bt_exec.skill import Signature, Skill
from bt_exec.spec.condition_expression import named_conditions
from bt_exec.spec.model import Do, Document, NodeBase, TreeSpec, walk
from bt_exec.verify.type_checks import type_name

__all__ = ["conditions_in", "node_models"]


def node_models(
    documents: Iterable[Document], catalogue: Catalogue, ident_of: Callable[[str], str]
) -> Element:
    """Return models of the skills, conditions and trees in documents, in alphabetical order.

    Args:
        documents: The trees and missions.
        catalogue: Skills and conditions with their ports.
        ident_of: Returns the ID of a tree.
    """
    actions: dict[str, list[Do]] = {}
    conditions: dict[str, set[str]] = {}
    models: list[Element] = []
    for document in documents:
        for node in walk(document.root):
            if isinstance(node, Do):
                actions.setdefault(node.do, []).append(node)
            for name, args in conditions_in(node):
                conditions.setdefault(name, set()).update(args)
        if isinstance(document, TreeSpec) and document.params:
            models.append(_subtree(document, ident_of(document.tree)))
    for name, used in actions.items():
        models.append(_action(name, used, catalogue.skills.get(name)))
    for name, arguments in conditions.items():
        condition = catalogue.conditions.get(name)
        ports = (
            _inputs(condition)
            if condition is not None
            else _models_of_kind("input_port", arguments)
        )
        models.append(Element("Condition", {"ID": name}, ports, ""))
    models.sort(key=lambda model: (model.tag, model.attributes["ID"]))
    return Element("TreeNodesModel", {}, models)


def conditions_in(node: NodeBase) -> Iterable[tuple[str, Mapping[str, Any]]]:
    """Yield the name and arguments of every condition of a node, but not of its children."""
    for expression in node.conditions.values():
        for leaf in named_conditions(expression):
            yield leaf.name, leaf.args


def _action(name: str, used: Iterable[Do], skill: Skill | None) -> Element:
    if skill is not None:
        outputs = [
            Element("output_port", {"name": port_name(field, 0), "type": type_name(hint)})
            for field, hint in skill.results.items()
        ]
        return Element("Action", {"ID": name}, [*_inputs(skill), *outputs])
    arguments = {argument for node in used for argument in node.args}
    fields = {field for node in used for field in node.save} - arguments
    ports = [*_models_of_kind("input_port", arguments), *_models_of_kind("output_port", fields)]
    return Element("Action", {"ID": name}, ports)


def _models_of_kind(kind: str, names: Iterable[str]) -> list[Element]:
    return [Element(kind, {"name": port_name(name, 0)}) for name in sorted(names)]


def _inputs(part: Signature) -> list[Element]:
    fields = part.model.model_fields
    ports: list[Element] = []
    for number, (name, hint) in enumerate(part.arguments.items()):
        attributes = {"name": port_name(name, number), "type": type_name(hint)}
        if name not in part.required:
            attributes["default"] = _text(fields[name].default)
        ports.append(Element("input_port", attributes))
    return ports


def _text(default: Any) -> str:
    return (
        default if isinstance(default, str) else encode(default) if _is_plain_data(default) else ""
    )


def _is_plain_data(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return all(map(_is_plain_data, value))
    if isinstance(value, dict):
        return all(map(_is_plain_data, value.values()))
    return value is None or isinstance(value, str | int | float)


def _subtree(tree: TreeSpec, ident: str) -> Element:
    ports: list[Element] = []
    for name, param in tree.params.items():
        attributes = {"name": entry_name(name), "type": param.type}
        if param.default is not None:
            attributes["default"] = encode(param.default)
            if not param.default or not is_exact(param.default):
                attributes["_default"] = to_json(param.default)
        written = param.model_dump(by_alias=True, exclude_defaults=True, mode="json")
        for key in ("choices", "min", "max", "many", "optional", "spoken"):
            if key in written:
                attributes[f"_{key}"] = to_json(written[key])
        if param.summary:
            attributes["_summary"] = param.summary
        ports.append(Element("input_port", attributes, [], ""))
    return Element("SubTree", {"ID": ident}, ports)
