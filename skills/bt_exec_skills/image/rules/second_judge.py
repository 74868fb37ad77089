"""Every answer is judged: a pass puts `judge` after whatever answers, in every plan."""

from __future__ import annotations

from bt_exec.planning.passes import Pass, PassContext
from bt_exec.spec.model import Do, MissionSpec, NodeBase, Sequence, rebuild

__all__ = ["JUDGED"]

_ANSWERS = ("answer", "conclude")


def _judged(spec: MissionSpec, _: PassContext) -> tuple[MissionSpec, tuple[str, ...]]:
    """Put a judge after each answer that has none; it may send the last turn back."""
    judge = Do.model_validate({"do": "judge", "with": {"final": spec.mission.turn != "last"}})
    changed = False

    def change(node: NodeBase) -> NodeBase:
        nonlocal changed
        if not isinstance(node, Sequence):
            return node
        children: list[NodeBase] = []
        for place, child in enumerate(node.sequence):
            children.append(child)
            after = node.sequence[place + 1] if place + 1 < len(node.sequence) else None
            judged = isinstance(after, Do) and after.do == "judge"
            if isinstance(child, Do) and child.do in _ANSWERS and not judged:
                children.append(judge)
                changed = True
        return node.model_copy(update={"sequence": tuple(children)})

    root: NodeBase = spec.root
    if isinstance(root, Do) and root.do in _ANSWERS:
        root = Sequence.model_validate({"sequence": [root]})
    root = rebuild(root, change)
    if not changed:
        return spec, ()
    return spec.model_copy(update={"root": root}), ("the answer is judged",)


JUDGED = Pass("judged", _judged)
