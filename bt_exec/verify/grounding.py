"""Layer 3, grounding: the objects of the first actions exist now.

Code: ``LABEL_NOT_SEEN``. The scene may change once the robot acts, so only actions that can run
first are checked; skills check their own labels again when they start.
"""

from __future__ import annotations

from bt_exec.spec.model import Check, Do, Fallback, NodeBase, Parallel, walk
from bt_exec.spec.paths import place_of_children
from bt_exec.spec.source import Place
from bt_exec.verify.context import Context

__all__ = ["check_grounding"]


def check_grounding(context: Context) -> None:
    """Report labels of first actions that are not detected."""
    if context.labels is not None:
        _node(context, context.document.root, ("root",))


def _node(context: Context, node: NodeBase, place: Place) -> bool:
    """Check the nodes that can run first under `node`; return whether an action may have run."""
    if node.skip_if is not None:
        return True  # whether it runs depends on later observations
    if isinstance(node, Do):
        _labels(context, node, place)
        return True
    if isinstance(node, Check):
        return False
    children = list(place_of_children(node, place))
    if isinstance(node, Fallback):  # only its first branch certainly runs
        _node(context, *children[0])
        return any(walk(node, Do))
    if isinstance(node, Parallel):  # every branch runs first
        acted = [_node(context, child, where) for child, where in children]
        return any(acted)
    return any(_node(context, child, where) for child, where in children)


def _labels(context: Context, node: Do, place: Place) -> None:
    skill = context.catalogue.skills.get(node.do)
    seen = context.labels_for(node.do)
    for name in sorted(skill.labels()) if skill is not None else ():
        label = node.args.get(name)
        if label is not None and label not in seen:  # a $name is bound by an earlier action
            context.report(
                "LABEL_NOT_SEEN",
                f"{label!r} is not detected now",
                (*place, "with", name),
                found=str(label),
                allowed=seen,
            )
