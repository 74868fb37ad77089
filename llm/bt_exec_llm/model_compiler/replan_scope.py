"""Scope of a new plan: the whole plan, or the part that failed."""

from __future__ import annotations

from bt_exec.planning.compiler import Request
from bt_exec.planning.repair import failed_part, kept_paths
from bt_exec.spec.model import (
    Fallback,
    Mission,
    MissionSpec,
    NodeBase,
    Parallel,
    Sequence,
    rebuild,
)
from bt_exec.spec.paths import encloses, label_of, paths, place_of_children
from bt_exec.spec.source import Place

__all__ = ["at", "part_of", "with_part"]


def part_of(request: Request) -> tuple[str, NodeBase, Place] | None:
    """Return path, node and position of the part that a new plan replaces; None for a first plan.

    It is the innermost subtree around the failure or, without one, the failed step of the mission's
    sequence.
    """
    if request.previous is None or request.failure is None:
        return None
    root = request.previous.root
    path, part = failed_part(request.previous, request.failure)
    by_identity = {id(node): where for where, node in paths(root)}
    if part is root and isinstance(root, Sequence):
        for child in root.sequence:
            inner = {id(node) for _, node in paths(child)}
            if any(
                encloses(where, request.failure.path)
                for node, where in by_identity.items()
                if node in inner
            ):
                path, part = by_identity[id(child)], child
    place = _place(root, part, ("root",))
    assert place is not None, "the part was found in the plan"
    return path, part, place


def with_part(written: MissionSpec, request: Request) -> MissionSpec:
    """Return the plan with the failed part replaced; finished work is kept."""
    found = part_of(request)
    if found is None:
        return written
    assert request.previous is not None
    _, old, _ = found
    new = written.root
    if old is not request.previous.root and isinstance(new, Sequence | Fallback | Parallel):
        new = new.model_copy(update={"name": new.name or label_of(old)})
    before = dict(paths(request.previous.root))
    kept_nodes = {id(before[path]) for path in kept_paths(request)}
    root = rebuild(request.previous.root, lambda node: new if node is old else node)
    kept = tuple(path for path, node in paths(root) if id(node) in kept_nodes)
    header: Mission = written.mission.model_copy(update={"kept": kept})
    return MissionSpec.model_construct(mission=header, root=root)


def at(root: NodeBase, place: Place) -> NodeBase:
    """Return the node at a position that exists."""
    here: Place = ("root",)
    node = root
    while here != place:
        for child, where in place_of_children(node, here):
            if place[: len(where)] == where:
                node, here = child, where
                break
        else:
            raise KeyError(place)
    return node


def _place(node: NodeBase, wanted: NodeBase, here: Place) -> Place | None:
    if node is wanted:
        return here
    for child, where in place_of_children(node, here):
        found = _place(child, wanted, where)
        if found is not None:
            return found
    return None
