"""Layer 3, grounding: the objects of the first actions must be currently detected.

Code: ``LABEL_NOT_SEEN``. The scene may change when the robot acts, so only actions that can run
first are checked. Skills check their own labels again when they start.
"""

from __future__ import annotations

from typing import Any

from bt_exec.spec.abstract_run import AbstractRun, Answers, Ends, Step
from bt_exec.spec.model import Do
from bt_exec.spec.node_paths import Located
from bt_exec.verify.context import Context

__all__ = ["check_grounding"]


def check_grounding(context: Context) -> None:
    """Report labels that are not detected, in the arguments of actions that can run first."""
    if context.labels is not None:
        _Grounding(context).run_node(context.root, _FIRST)


_NEVER, _LATER, _FIRST, _ACTED = range(4)
"""Progress of an execution: impossible, in a later branch, before or after the first action."""


class _Grounding(AbstractRun[int]):
    """Abstract run whose value is the progress; it checks the skills that can run first."""

    nothing = _NEVER

    def __init__(self, context: Context) -> None:
        self._context = context

    def join_values(self, *values: int) -> int:
        """Return the largest progress."""
        return max(values)

    def run_condition(self, step: Step, expression: Any, before: int) -> Answers[int]:
        """Return the progress after a condition.

        After a ``skip_if``, no label is checked, because the node may not run at all.
        """
        if expression is step.node.skip_if:
            return Answers(_ACTED, _ACTED, _ACTED)
        return Answers(before, _LATER, _LATER)

    def run_parallel(self, step: Step, before: int) -> Ends[int]:
        """Check every branch as if it ran first."""
        return self.known_ends(
            self.join_values(*(self.run_node(child, before).done for child in step.children))
        )

    def run_skill(self, step: Located[Do], before: int) -> Ends[int]:
        """Check the labels of a skill that can run first."""
        if before == _FIRST:
            _check_labels(self._context, step)
        return self.known_ends(_ACTED, _LATER)


def _check_labels(context: Context, step: Located[Do]) -> None:
    skill = context.catalogue.skills.get(step.node.do)
    seen = context.labels_for(step.node.do)
    for name in sorted(skill.label_arguments()) if skill is not None else ():
        label = step.node.args.get(name)
        # the first action cannot use a $name, because names are bound by earlier actions
        if label is not None and label not in seen:
            context.report_problem(
                "LABEL_NOT_SEEN",
                f"{label!r} is not detected now",
                (*step.place, "with", name),
                found=str(label),
                allowed=seen,
            )
