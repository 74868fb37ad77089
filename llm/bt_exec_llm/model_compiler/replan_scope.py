"""Selection of the part of a failed plan that a re-plan replaces."""

from __future__ import annotations

from bt_exec.planning.compiler import Request
from bt_exec.planning.failed_part_repair import failed_part, kept_paths
from bt_exec.spec.model import Mission, MissionSpec, NodeBase, Sequence, rebuild
from bt_exec.spec.node_paths import Located, encloses, label_of, locate, moved_paths

__all__ = ["part_to_replace", "with_part"]


def part_to_replace(request: Request) -> Located[NodeBase] | None:
    """Return the part of a failed plan that a new plan replaces; None for a first plan.

    The part is the innermost subtree that contains the failed node. If no subtree contains it, the
    part is the failed step of the sequence at the root.
    """
    if request.previous is None or request.failure is None:
        return None
    root, at = locate(request.previous.root), request.failure.path
    path, _ = failed_part(request.previous, request.failure)
    if path == root.path and isinstance(root.node, Sequence):
        steps = [
            child
            for child in root.children
            if any(encloses(inner.path, at) for inner in child.walk())
        ]
        return steps[-1] if steps else root
    return next(step for step in root.walk() if step.path == path)


def with_part(written: MissionSpec, request: Request) -> MissionSpec:
    """Return the failed plan with `written` in place of the failed part; finished steps stay."""
    found = part_to_replace(request)
    if found is None:
        return written
    assert request.previous is not None
    before, old, new = request.previous.root, found.node, written.root
    if old is not before and len(new.children) > 0 and new.kind != "tree":
        new = new.model_copy(update={"name": new.name or label_of(old)})
    root = rebuild(before, lambda node: new if node is old else node)
    inside = moved_paths(before, root)
    kept = tuple(inside[path] for path in kept_paths(request) if path in inside)
    header: Mission = written.mission.model_copy(update={"kept": kept})
    return MissionSpec.model_construct(mission=header, root=root)
