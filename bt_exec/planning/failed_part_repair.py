"""Repair of failed plans, shared by all compilers: which parts are kept, repeated or replaced.

The **failed part** is the innermost subtree that encloses the failed node. Finished steps outside
it are kept, unless their effects were undone (a door that has fallen shut is opened again) or will
no longer hold when a step that runs again needs them (`bt_exec.planning.finished_step_reuse`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from bt_exec.failure import Failure, Refusal, SpecError
from bt_exec.pack import Catalogue
from bt_exec.planning.assumed_facts_and_first_cause import (
    achieved_facts,
    facts_with_assumed_effects,
    outdated_leaves,
)
from bt_exec.planning.compiler import Plan, Request
from bt_exec.planning.finished_step_reuse import kept_finished_paths
from bt_exec.spec.expand import expand
from bt_exec.spec.model import (
    Do,
    Fallback,
    Mission,
    MissionSpec,
    NodeBase,
    Sequence,
    Tree,
    rebuild,
    walk,
)
from bt_exec.spec.node_paths import Located, encloses, locate, moved_paths, nodes_with_paths
from bt_exec.verify.effects_on_facts import established_facts, facts_after_part

__all__ = [
    "FixedPlanCompiler",
    "failed_part",
    "find_alternative",
    "kept_paths",
    "repaired_plan",
    "replace_part",
    "skip_condition_states_last_effects",
    "unrepeated_leaf_paths",
    "with_decided_conditions",
]


def failed_part(spec: MissionSpec, failure: Failure) -> tuple[str, NodeBase]:
    """Return the path and the node of the innermost subtree that encloses the failed node.

    If no subtree encloses the node, the root of the mission is returned.
    """
    around = [one for one in nodes_with_paths(spec.root, Tree) if encloses(one[0], failure.path)]
    return around[-1] if around else next(nodes_with_paths(spec.root))


def repaired_plan(request: Request, compiler: str) -> MissionSpec:
    """Return the failed plan with its failed part replaced by an alternative of the library.

    Finished steps outside the failed part are kept. Without an alternative, the part is repeated
    unchanged, because skills may act differently at a second attempt; the executive detects if
    nothing changes.
    """
    assert request.previous is not None
    before = request.previous.mission
    root: NodeBase = request.previous.root
    way = find_alternative(request)
    if way is None:
        kept = kept_paths(request)
    else:
        root, kept = replace_part(request, *way)
    header = Mission(
        command=before.command,
        language=before.language,
        plan_version=before.plan_version + 1,
        compiler=compiler,
        parent=before.plan_version,
        subgoals=before.subgoals,
        kept=kept,
    )
    return request.previous.model_copy(update={"mission": header, "root": root})


def replace_part(
    request: Request, old: NodeBase, new: NodeBase
) -> tuple[NodeBase, tuple[str, ...]]:
    """Return the plan's root with `new` in place of `old`, and the paths of the kept steps.

    `old` may be larger than the failed part. No finished step in it is kept.
    """
    assert request.previous is not None
    before = request.previous.root
    root = rebuild(before, lambda node: new if node is old else node)
    try:
        whole = expand(request.previous.model_copy(update={"root": root}), request.library)
    except SpecError:  # verification reports the problem; nothing can be kept
        return root, ()
    return root, _finished_leaves_to_keep(request, moved_paths(before, root), whole.root)


def find_alternative(request: Request) -> tuple[NodeBase, Tree] | None:
    """Return the subtree to replace and its replacement; None if the library has no alternative.

    The innermost subtree around the failure is considered first, then the enclosing ones. Another
    tree is always an alternative; the same tree only if it has not failed with the same arguments.
    """
    failure, previous = request.failure, request.previous
    if failure is None or previous is None:
        return None
    around = [
        node
        for path, node in nodes_with_paths(previous.root, Tree)
        if encloses(path, failure.path) and node.tree in request.library
    ]
    for node in reversed(around):
        for way in request.library.get(node.tree).otherwise:
            name = way.tree or node.tree
            if failure.code not in way.after or name not in request.library:
                continue
            params = request.library.get(name).params
            args = {key: value for key, value in node.args.items() if key in params}
            args.update(way.args)
            skills = {inner.do for inner in walk(node, Do)}
            if name != node.tree or not _already_tried(args, skills, request.tried):
                update = {"tree": name, "args": args, "body": None}
                return node, node.model_copy(update=update)
    return None


def _already_tried(
    args: dict[str, object], skills: set[str], failures: tuple[Failure, ...]
) -> bool:
    """Return True if one of `skills` already failed with the values in `args`.

    Only arguments that the failed skill accepts are compared.
    """
    for failure in failures:
        shared = [key for key in args if key in failure.args]
        same = all(failure.args[key] == args[key] for key in shared)
        if failure.node in skills and shared and same:
            return True
    return False


def kept_paths(request: Request) -> tuple[str, ...]:
    """Return the paths of finished leaves that a new plan does not run again, in order.

    It is assumed that the failed part runs again unchanged. If a compiler replaces the part, the
    new plan is verified from the known facts.
    """
    if request.previous is None or request.failure is None:
        return ()
    part, _ = failed_part(request.previous, request.failure)
    root = request.previous.root
    outside = {path: path for path, _ in nodes_with_paths(root) if not encloses(part, path)}
    return _finished_leaves_to_keep(request, outside, root)


def unrepeated_leaf_paths(request: Request) -> tuple[str, ...]:
    """Return the paths of all finished leaves that need not run again, even in the failed part.

    This is for a plan that is continued unchanged and does not repeat the steps that finished
    before the failed one.
    """
    if request.previous is None:
        return ()
    root = request.previous.root
    return _finished_leaves_to_keep(
        request, {path: path for path, _ in nodes_with_paths(root)}, root
    )


def _finished_leaves_to_keep(
    request: Request, outside: Mapping[str, str], root: NodeBase
) -> tuple[str, ...]:
    """Return the paths of finished leaves that the plan `root` does not run again, in order.

    Args:
        request: The request with the failure, the finished steps and the known facts.
        outside: Path in `root` of each node outside the replaced part, by path in the old plan.
        root: The new plan, expanded.
    """
    lost = outdated_leaves(request)
    achieved = {
        outside[path]: gave
        for path, gave in achieved_facts(request).items()
        if path in outside and path not in lost
    }
    return kept_finished_paths(
        root, achieved, facts_with_assumed_effects(request), request.catalogue
    )


def with_decided_conditions(request: Request) -> Request:
    """Return a request whose previous plan does not evaluate answered conditions again.

    A condition such as "if the door is ajar, open it and get the material" is evaluated when the
    plan enters the part. The part itself may change the answer, so that a repeated evaluation would
    skip the rest, or run the other branch. Skip conditions of entered parts are removed, and a
    choice is replaced by its entered branch. Skip conditions that state the last effects of the
    part itself are kept. Conditions inside loops are kept, too, because they are evaluated in each
    repetition.
    """
    previous, failure = request.previous, request.failure
    if previous is None:
        return request
    reached = {one.path for one in request.done}
    if failure is not None and failure.kind != "check":
        reached.add(failure.path)
    root = _without_decided_conditions(locate(previous.root), reached, request.catalogue)
    if root is previous.root:
        return request
    moved = moved_paths(previous.root, root)
    kept = tuple(moved[path] for path in previous.mission.kept if path in moved)
    return replace(
        request,
        previous=previous.model_copy(update={"root": root}).with_header(kept=kept),
        done=tuple(replace(one, path=moved.get(one.path, one.path)) for one in request.done),
        failure=None
        if failure is None
        else replace(failure, path=moved.get(failure.path, failure.path)),
    )


def _without_decided_conditions(
    step: Located[NodeBase], reached: Collection[str], catalogue: Catalogue
) -> NodeBase:
    """Return a node without the conditions that were evaluated on the way to `reached` leaves."""
    node = step.node
    loops = node.repeat is not None or node.for_each is not None
    if loops or not step.children or not any(one.path in reached for one in step.walk()):
        return node
    children = [_without_decided_conditions(child, reached, catalogue) for child in step.children]
    if isinstance(node, Fallback) and node.is_choice:
        entered = [any(one.path in reached for one in branch.walk()) for branch in step.children]
        branch = children[entered.index(True)]
        if isinstance(branch, Sequence) and len(branch.sequence) > 1:
            children = [branch.with_children(branch.sequence[1:])]
    node = node.with_children(children)
    if node.skip_if is not None and not skip_condition_states_last_effects(node, catalogue):
        node = node.model_copy(update={"skip_if": None})
    return node


def skip_condition_states_last_effects(node: NodeBase, catalogue: Catalogue) -> bool:
    """Return True if the skip condition of a node states the effects of its last acting skills.

    If further skills change facts after the stated effects have been reached, the condition may
    hold although the work of the node is not done: the material may be in the hand while the door
    is still to be closed.
    """
    stated = established_facts(node.skip_if, catalogue)
    after: list[Mapping[str, str]] = [{}]
    for step in walk(node, Do, failing=False):
        after.append(facts_after_part(step, after[-1], catalogue))
    reached = next((facts for facts in after if stated.items() <= facts.items()), None)
    return bool(stated) and reached == after[-1]


class FixedPlanCompiler:
    """Compiler that returns a given plan, and repairs it with alternatives from the library."""

    name = "given"

    def __init__(self, spec: MissionSpec) -> None:
        self.spec = spec

    def compile(self, request: Request) -> Plan | Refusal:
        """Return the given plan, repaired if the request reports a failure."""
        if request.previous is not None and request.failure is not None:
            return Plan(repaired_plan(request, self.name))
        whole = {"command": request.command, "language": request.language, "turn": None}
        return Plan(self.spec.with_header(**whole))
