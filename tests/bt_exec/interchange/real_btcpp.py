"""Scripted leaves with the same behaviour here and in the real BehaviorTree.CPP.

The behaviour of a leaf depends only on its name and the tick in which it is entered.
"""

from __future__ import annotations

import hashlib
import re
from typing import Any

import behaviortreepy as btcpp

from bt_exec.interchange.value_conversion import BUILT_IN
from bt_exec.interchange.xml_text import Element, dump_xml, parse_xml

SKILLS = tuple(f"skill_{number}" for number in range(6))
CONDITIONS = tuple(f"condition_{number}" for number in range(4))
MOST_TICKS = 40


def plan_of(name: str, tick: int) -> tuple[int, bool]:
    """Return the number of further ticks of a skill, and its success."""
    dice = hashlib.sha256(f"{name}/{tick}".encode()).digest()
    return (0, 0, 1, 1, 2, 5)[dice[0] % 6], dice[1] % 3 > 0


def holds(name: str, tick: int) -> bool:
    """Return the value of a condition in a tick."""
    return hashlib.sha256(f"{name}/{tick}".encode()).digest()[0] % 4 > 0


class Recorder:
    """Root statuses of an exported tree, ticked by the real library."""

    def __init__(self, text: str) -> None:
        self.tick = 0
        self.text = text

    def _tree(self) -> tuple[Any, Any]:
        """Return the tree and the factory that it needs.

        They refer to this recorder, and the garbage collector cannot traverse the library. Stored
        in the recorder, neither they nor the thread of each timeout would ever be freed.
        """
        factory = btcpp.BehaviorTreeFactory()
        for name in CONDITIONS:
            factory.register_simple_condition(name, self._condition(name))
        for name in SKILLS:
            factory.register_simple_stateful_action(name, *self._action(name))
        return factory.create_tree_from_text(without_ports(self.text)), factory

    def statuses(self) -> list[str]:
        """Tick to the end, and return the status of each tick."""
        tree, _factory = self._tree()
        found: list[str] = []
        while len(found) < MOST_TICKS and (not found or found[-1] == "RUNNING"):
            self.tick += 1
            found.append(tree.tick_exactly_once().name)
        return found

    def _condition(self, name: str) -> Any:
        def ask(node: Any) -> Any:
            yes, no = btcpp.NodeStatus.SUCCESS, btcpp.NodeStatus.FAILURE
            return yes if holds(name, self.tick) else no

        return ask

    def _action(self, name: str) -> tuple[Any, Any]:
        entered: dict[str, int] = {}

        def status(node: Any) -> Any:
            ticks, success = plan_of(name, entered[node.full_path])
            if self.tick - entered[node.full_path] < ticks:
                return btcpp.NodeStatus.RUNNING
            return btcpp.NodeStatus.SUCCESS if success else btcpp.NodeStatus.FAILURE

        def start(node: Any) -> Any:
            entered[node.full_path] = self.tick
            return status(node)

        return start, status


def without_ports(text: str, *, everywhere: bool = False) -> str:
    """Return an export whose leaves have no ports, which Python leaves cannot declare.

    Args:
        text: The export.
        everywhere: Remove the ports of all elements that are not the library's own, not only of
            scripted leaves.
    """
    root = parse_xml(text)
    keep = [child for child in root.children if child.tag != "TreeNodesModel"]
    bare = Element(root.tag, root.attributes, keep)
    for element in bare.walk():
        leaf = element.tag not in BUILT_IN if everywhere else re.match("skill_|cond", element.tag)
        if leaf:
            given = element.attributes.items()
            element.attributes = {k: v for k, v in given if k == "name" or k.startswith("_")}
    return dump_xml(bare)
