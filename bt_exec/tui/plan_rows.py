"""Rows for displaying a plan, without nodes that only group others.

An unnamed sequence without modifiers is shown as its children. A tree that only runs a skill of the
same name is merged with that skill into one row, which is found by both paths.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from bt_exec.events import NodeState
from bt_exec.failure import Failure
from bt_exec.skill import Verdict
from bt_exec.spec.model import Check, Do, Fallback, NodeBase, Sequence, Tree
from bt_exec.spec.node_paths import Located, choice_checks, locate
from bt_exec.tui.node_text import detail_beside_label, is_labelled_by_first_branch, label_node
from bt_exec.tui.terminal_text import safe_line

__all__ = ["Forest", "RowState", "ViewNode", "only_checks_continuation"]

RowState: TypeAlias = NodeState | Literal["unmet"]
"""State of a row: its node's state, or ``unmet`` if the condition of its branch does not hold."""


@dataclass(slots=True)
class ViewNode:
    """Row for a node of a plan, with the current state of the node.

    Attributes:
        label: Label of the row.
        about: Arguments, or the number of children that must succeed.
        path: Path of the node in the plan.
        spec: The node of the plan.
        children: Rows under this row.
        state: Current state; None if the node was not reached yet.
        detail: Brief reason for a skip, a failure, or a condition that does not hold.
        failure: The failure, if the node failed.
        began: Time of the last start [s, mission clock].
        ended: Time of the last end [s, mission clock].
        progress: Completed fraction of the skill, 0..1.
        doing: Current phase of the skill.
        attempts: Number of starts.
        tries: Failures of earlier attempts, in order.
        guard: Last verdict of the node's guard.
        answer: Last verdict of the node's check, or of another condition except its guard.
        passed: Whether the mission continues if the node fails.
        named: Enclosing node from which the row takes its name, or None.
        inside: Number of rows under this row.
        steps: Number of leaves in this row and under it.
    """

    label: str
    about: str
    path: str
    spec: NodeBase
    children: list[ViewNode] = field(default_factory=list)
    state: RowState | None = None
    detail: str = ""
    failure: Failure | None = None
    began: float | None = None
    ended: float | None = None
    progress: float | None = None
    doing: str = ""
    attempts: int = 0
    tries: list[Failure] = field(default_factory=list)
    guard: Verdict | None = None
    answer: Verdict | None = None
    passed: bool = False
    named: NodeBase | None = None
    inside: int = 0
    steps: int = 1

    def walk(self) -> Iterator[ViewNode]:
        """Yield this row and all rows under it, parents first."""
        yield self
        for child in self.children:
            yield from child.walk()

    def set_state(self, state: RowState, t: float, detail: str, failure: Failure | None) -> None:
        """Set a new state at time `t` [s]."""
        if state == self.state == "kept":
            return
        if state == "running":
            if self.state != "running":
                self.began, self.ended = t, None
                self.progress, self.doing = None, ""
        else:
            self.ended = t
        self.state = state
        self.detail = safe_line(detail)
        self.failure = failure


class Forest:
    """Rows of a plan, found by path.

    Args:
        root: Root of the plan; None for no rows.
        folded: Whether to leave out fallbacks that only check whether to continue after a failure.
    """

    def __init__(self, root: NodeBase | None = None, *, folded: bool = False) -> None:
        self._folded = folded
        self.by_path: dict[str, ViewNode] = {}
        self._shells: set[str] = set()
        self.roots: list[ViewNode] = []
        self._choices: frozenset[str] = frozenset()
        if root is not None:
            plan = locate(root)
            self._choices = frozenset(choice_checks(plan))
            self.roots = self._rows_of_node(plan)

    def __iter__(self) -> Iterator[ViewNode]:
        """Iterate over every row, parents first."""
        for root in self.roots:
            yield from root.walk()

    def set_state(
        self, path: str, state: NodeState, t: float, detail: str, failure: Failure | None
    ) -> ViewNode | None:
        """Set the state of the node at `path` and return its row.

        If all children of a node that is done were kept, the row gets the state ``kept``. The
        result is None if no row shows the node, or if a merged row keeps the state of its inner
        node.
        """
        node = self.by_path.get(path)
        if node is None or (path in self._shells and not _should_show_outer_state(node, state)):
            return None
        unmet = failure is not None and failure.is_false and failure.path in self._choices
        kept = state == "done" and {child.state for child in node.children} == {"kept"}
        if unmet:
            node.set_state("unmet", t, detail, None)
        elif kept:
            node.set_state("kept", t, node.children[0].detail, None)
        else:
            node.set_state(state, t, detail, failure)
        return node

    def _rows_of_node(self, step: Located[NodeBase]) -> list[ViewNode]:
        spec, path = step.node, step.path
        if self._folded and only_checks_continuation(spec):
            rows = self._rows_of_node(step.children[0])
            for row in (each for one in rows for each in one.walk()):
                row.passed = True
            return rows
        inner = [row for child in step.children for row in self._rows_of_node(child)]
        if isinstance(spec, Sequence) and spec.is_plain:
            return inner
        if isinstance(spec, Tree) and len(inner) == 1 and _only_runs_skill(spec, inner[0]):
            self.by_path[path] = inner[0]
            self._shells.add(path)
            return inner
        label, about = label_node(spec), detail_beside_label(spec)
        if len(inner) == 1 and _only_adds_name(spec, inner[0]):
            row = self.by_path[path] = inner[0]
            self._shells.add(path)
            row.label, row.about, row.named = label, about, spec
            return inner
        if is_labelled_by_first_branch(spec):
            first, *others = inner
            label = first.label
            about = " or ".join([first.about, *(row.label for row in others)]).removeprefix(" ")
        under = sum(1 + one.inside for one in inner)
        steps = sum(one.steps for one in inner) or 1
        row = ViewNode(label, about, path, spec, inner, inside=under, steps=steps)
        self.by_path[path] = row
        return [row]


def only_checks_continuation(spec: NodeBase) -> bool:
    """Return True for a fallback with one acting branch that is followed only by checks.

    Such checks decide whether the mission continues if the branch fails.
    """
    if not isinstance(spec, Fallback) or not spec.is_plain or len(spec.fallback) < 2:
        return False
    work, *others = spec.fallback
    return not isinstance(work, Check) and all(
        isinstance(one, Check) and one.is_plain and not one.tell for one in others
    )


def _only_runs_skill(tree: Tree, inner: ViewNode) -> bool:
    """Return True if a tree only runs a skill with the name of the tree or of its node."""
    own = tree.name or tree.tree
    return not tree.modifiers and isinstance(inner.spec, Do) and inner.label == own


def _only_adds_name(spec: NodeBase, inner: ViewNode) -> bool:
    """Return True if a node only adds a name to the row under it."""
    if isinstance(spec, Tree):
        return not spec.retry and isinstance(inner.spec, Sequence) and inner.spec.name is None
    named = isinstance(spec, Sequence) and spec.name is not None and not spec.modifiers
    return named and isinstance(inner.spec, Sequence) and inner.spec.name is None


def _should_show_outer_state(node: ViewNode, state: NodeState) -> bool:
    """Return True if a merged row should show the new state of its outer node."""
    if state in ("running", "done"):
        return node.state is None
    return not (state == "failed" and node.state == "failed")
