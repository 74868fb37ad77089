"""Import of leaves of BehaviorTree.CPP as skills and checks, with arguments and results."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, TypeAlias

from bt_exec.interchange.report import Report
from bt_exec.interchange.value_conversion import decode, own_name
from bt_exec.interchange.xml_text import Element
from bt_exec.pack import Catalogue

__all__ = [
    "FALLBACKS",
    "SEQUENCES",
    "Data",
    "LeafReader",
    "element_and_line",
    "is_reference_text",
    "parse_metadata",
]

Data: TypeAlias = dict[str, Any]
"""A node as plain data, as in YAML."""

SEQUENCES = ("Sequence", "SequenceWithMemory", "SequenceStar", "AsyncSequence", "ReactiveSequence")
FALLBACKS = ("Fallback", "FallbackStar", "AsyncFallback", "ReactiveFallback")


class LeafReader:
    """Reader of XML elements as leaves.

    Args:
        report: Receives unsupported features.
        catalogue: Skills and conditions, to classify leaves without a model.

    Attributes:
        bodies: Expanded subtrees of missions, by ID.
        conditions: Names of conditions.
        outputs: Names of output ports, by action.
        subtrees: Models of subtrees by ID.
        own: Whether the current elements were exported by bt-exec.
    """

    def __init__(self, report: Report, catalogue: Catalogue | None) -> None:
        self.report = report
        self.own = False
        self.bodies: Mapping[str, Element] = {}
        self.conditions: set[str] = set(catalogue.conditions if catalogue is not None else ())
        self.outputs: dict[str, set[str]] = {}
        self.subtrees: dict[str, Element] = {}
        skills = catalogue.skills if catalogue is not None else {}
        for name, skill in skills.items():
            self.outputs[name] = set(skill.results) - set(skill.arguments)

    def add_models(self, models: Element) -> None:
        """Add the kinds and ports listed in a TreeNodesModel."""
        for model in models.children:
            ident = model.attributes.get("ID", "")
            if model.tag == "Condition":
                self.conditions.add(ident)
            elif model.tag == "SubTree":
                self.subtrees[ident] = model
            elif model.tag == "Action":
                self.outputs[ident] = _ports(model, "output_port") - _ports(model, "input_port")

    def tree_name(self, ident: str) -> str:
        """Return the name of a tree with a given ID; add a note if name and ID differ."""
        name = own_name(ident)
        if name != ident:
            self.report.add("RENAMED", f"BehaviorTree {ident}", name)
        return name

    def is_condition(self, element: Element) -> bool:
        """Return True if an element is a condition, or combines only conditions."""
        if element.tag == "Condition" or element.tag in self.conditions:
            return True
        if element.attributes.get("_as", "check") != "check" or "_tell" in element.attributes:
            return False
        groups = (*SEQUENCES, *FALLBACKS, "Inverter")
        return (
            element.tag in groups
            and bool(element.children)
            and all(map(self.is_condition, element.children))
        )

    def expression(self, element: Element) -> Any:
        """Return a condition, or a combination of them, as an expression."""
        if element.tag == "Inverter" and element.children:
            return {"not": self.expression(element.children[0])}
        if element.tag in SEQUENCES or element.tag in FALLBACKS:
            word = "all" if element.tag in SEQUENCES else "any"
            return {word: [self.expression(child) for child in element.children]}
        name = self._leaf_name(element)
        args = self.arguments(element, set())
        return {name: args} if args else name

    def leaf_check(self, element: Element) -> Data:
        """Return a condition as a check."""
        data: Data = {"check": self.expression(element)}
        if "_else" in element.attributes:
            data["else"] = element.attributes["_else"]
        return self.with_element_name(data, element)

    def skill_of_action(self, element: Element) -> Data:
        """Return an action as a node that runs a skill."""
        ident = (
            element.attributes.get("ID", element.tag) if element.tag == "Action" else element.tag
        )
        outputs = set(self.outputs.get(ident, ()))
        if ident not in self.outputs:
            self.report.add("UNKNOWN_NODE", element_and_line(element), ident)
        data: Data = {"do": self._leaf_name(element)}
        given = element.attributes
        if self.own:
            outputs = set(given.get("_outputs", "").split())
        if args := self.arguments(element, outputs):
            data["with"] = args
        if save := self._saved_outputs(element, outputs):
            data["save"] = save
        return self.with_element_name(data, element)

    def _saved_outputs(self, element: Element, outputs: set[str]) -> dict[str, str]:
        given = element.attributes
        if "_save" in given:
            return parse_metadata(element, "_save")
        found = {port: decode(given[port], port) for port in given if port in outputs}
        return {own_name(port): text[1:] for port, text in found.items() if is_reference_text(text)}

    def arguments(self, element: Element, outputs: set[str]) -> Data:
        """Return the arguments of an element; exact values stored as JSON take precedence."""
        given = element.attributes
        exact, names = parse_metadata(element, "_exact"), parse_metadata(element, "_ports")
        args: Data = {}
        for port, text in given.items():
            if port in ("name", "ID") or port.startswith("_") or port in outputs:
                continue
            name = names.get(port, port if port in exact else own_name(port))
            args[name] = exact.get(name, decode(text, port))
        return args

    def _leaf_name(self, element: Element) -> str:
        explicit = element.tag in ("Action", "Condition")
        ident = element.attributes.get("ID", element.tag) if explicit else element.tag
        plain = re.fullmatch(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)?", ident, re.ASCII)
        if plain and len(ident) <= 129:
            return ident
        self.report.add("RENAMED", element_and_line(element), ident)
        return own_name(ident)

    def with_element_name(self, data: Data, element: Element) -> Data:
        """Return a node with the name of its element, unless the name repeats the tag or the ID."""
        name = element.attributes.get("name", "")
        known = (element.tag, element.attributes.get("ID", ""))
        if name and (self.own or name not in known):
            data["name"] = name[:64]
        return data


def _ports(model: Element, tag: str) -> set[str]:
    return {port.attributes.get("name", "") for port in model.children if port.tag == tag}


def parse_metadata(element: Element, name: str) -> Data:
    """Return the mapping that an attribute contains as JSON; empty if there is no attribute.

    Raises:
        TypeError: If it is not a mapping.
        ValueError: If it is not JSON.
    """
    found = json.loads(element.attributes.get(name, "{}"))
    if not isinstance(found, dict):
        raise TypeError(f"{name} of {element_and_line(element)} is not a mapping")
    return found


def is_reference_text(value: Any) -> bool:
    """Return True if a value is a reference, ``$name``."""
    return isinstance(value, str) and value.startswith("$") and not value.startswith("$$")


def element_and_line(element: Element) -> str:
    """Return ``TAG:LINE`` of an element, for the report."""
    return f"{element.tag}:{element.line}"
