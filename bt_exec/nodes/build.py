"""Construction of a plan's nodes from its spec; the only place that creates behaviours."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Literal

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from bt_exec.events import NodeChanged
from bt_exec.failure import Failure
from bt_exec.nodes import composites
from bt_exec.nodes.check_node import CheckNode
from bt_exec.nodes.modifiers import ForEach, Guard, Repeat, Retry, SkipIf, Timeout
from bt_exec.nodes.node import KeptNode, Node
from bt_exec.nodes.runtime import Runtime
from bt_exec.nodes.skill_node import SkillNode
from bt_exec.planning.compiler import Done, VerifiedPlan
from bt_exec.spec.condition_expression import named_conditions
from bt_exec.spec.model import Check, Do, Fallback, MissionSpec, NodeBase, Parallel
from bt_exec.spec.node_paths import Located, locate

__all__ = ["Built", "build"]


@dataclass
class Built:
    """A plan ready to be ticked.

    Attributes:
        root: The py_trees root.
        by_path: The outermost behaviour of every node, whose status is the node's status.
        leaves: Behaviours of skills and checks by path, in document order.
    """

    root: Node
    by_path: dict[str, Node]
    leaves: dict[str, SkillNode | CheckNode | KeptNode]

    def finished_leaves(self) -> tuple[Done, ...]:
        """Return the leaves that succeeded, in document order.

        Leaves in a failed branch of a fallback are left out, because they did not contribute to the
        result and start from the beginning if the branch is tried again.
        """
        found = []
        for path, leaf in self.leaves.items():
            node = self.by_path[path]
            if node.status is Status.SUCCESS and not _is_in_failed_branch(node):
                skipped = getattr(node, "skipped", "")
                if isinstance(leaf, SkillNode):
                    done = Done(path, leaf.skill.name, leaf.args, skipped, leaf.result)
                else:
                    done = Done(path, "", {}, skipped)
                found.append(done)
        return tuple(found)

    def recorded_failures(self) -> tuple[tuple[str, Failure], ...]:
        """Return the failures that fallbacks only recorded, with the paths of the fallbacks."""
        return composites.recorded_failures_in(self.root)


def _is_in_failed_branch(node: Behaviour) -> bool:
    """Return True if `node` is in a failed branch of a fallback."""
    above = node.parent
    while above is not None:
        if isinstance(above, composites.Fallback) and node.status is Status.FAILURE:
            return True
        node, above = above, above.parent
    return False


def build(plan: VerifiedPlan, runtime: Runtime) -> Built:
    """Return the behaviours of a verified plan."""
    return _Builder(plan.spec, runtime).build()


_STATES: dict[Status, Literal["running", "done", "failed"]] = {
    Status.RUNNING: "running",
    Status.SUCCESS: "done",
    Status.FAILURE: "failed",
}


def _emit_status_change(node: Node, runtime: Runtime) -> None:
    """Emit the `NodeChanged` event for the new status of a node."""
    now, tick, path, status = runtime.now(), runtime.tick, node.path, node.status
    skipped = getattr(node, "skipped", "")
    if skipped and status is Status.SUCCESS:
        runtime.emit(NodeChanged(now, tick, path, "skipped", skipped))
    elif status is Status.FAILURE:
        failure = composites.failure_of(node)
        runtime.emit(NodeChanged(now, tick, path, "failed", failure.message, failure))
    else:
        runtime.emit(NodeChanged(now, tick, path, _STATES[status]))


class _Builder:
    def __init__(self, spec: MissionSpec, runtime: Runtime) -> None:
        self.spec = spec
        self.runtime = runtime
        self.kept = frozenset(spec.mission.kept)
        self.report = partial(_emit_status_change, runtime=runtime)
        self.by_path: dict[str, Node] = {}
        self.leaves: dict[str, SkillNode | CheckNode | KeptNode] = {}

    def build(self) -> Built:
        root = self.build_node(locate(self.spec.root))
        return Built(root, self.by_path, self.leaves)

    def build_node(self, step: Located[NodeBase]) -> Node:
        path = step.path
        if path in self.kept:
            kept = self.by_path[path] = self.leaves[path] = KeptNode(path)
            return kept
        core = self.build_unmodified(step)
        if isinstance(core, SkillNode | CheckNode):
            self.leaves[path] = core
        node = self.by_path[path] = self.wrap_in_modifiers(core, step.node, path)
        node.report = self.report
        return node

    def wrap_in_modifiers(self, node: Node, spec: NodeBase, path: str) -> Node:
        runtime = self.runtime
        skill = node if isinstance(node, SkillNode) else None
        if spec.guarded is not None:
            node = Guard(node, path, runtime, spec.guarded.condition, spec.guarded.code)
        seconds = spec.timeout
        if skill is not None:  # a skill without a timeout in the spec has its declared one
            seconds = seconds or skill.skill.timeout_s
        if seconds is not None:
            node = Timeout(node, path, runtime, seconds, skill)
        if spec.retry is not None:
            node = Retry(node, path, runtime, spec.retry)
        if spec.repeat is not None:
            node = Repeat(node, path, runtime, spec.repeat, spec.until)
        if spec.skip_if is not None:
            node = SkipIf(node, path, runtime, spec.skip_if)
        if spec.for_each is not None:
            node = ForEach(node, path, runtime, spec.for_each)
        return node

    def only_records_failure(self, spec: NodeBase) -> bool:
        """Return True if a node is a check whose condition only records an earlier failure."""
        conditions = self.runtime.catalogue.conditions
        return isinstance(spec, Check) and any(
            conditions[leaf.name].notes for leaf in named_conditions(spec.check)
        )

    def build_unmodified(self, step: Located[NodeBase]) -> Node:
        spec, path = step.node, step.path
        if isinstance(spec, Do):
            return SkillNode(spec, path, self.runtime.catalogue.skill(spec.do), self.runtime)
        if isinstance(spec, Check):
            return CheckNode(spec, path, self.runtime)
        children = [self.build_node(child) for child in step.children]
        if not children:
            raise ValueError(f"{path}: a mission is built after its subtrees are expanded")
        if isinstance(spec, Parallel):
            return composites.Parallel(path, spec.needed, children)
        if isinstance(spec, Fallback):
            notes = map(self.only_records_failure, spec.fallback)
            return composites.Fallback(path, children, notes, choice=spec.is_choice)
        return composites.Sequence(path, children)
