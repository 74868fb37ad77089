"""Parts of a planned command: trees with arguments, to which steps are bound."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

from bt_exec_llm.offline.step import Step

__all__ = ["BranchCondition", "Part"]

BranchCondition: TypeAlias = tuple[str, tuple[tuple[str, Any], ...], bool]
"""Condition of a branch: question tree, its arguments, and the required answer."""


@dataclass(frozen=True)
class Part:
    """Tree with arguments, to which a step is bound.

    Attributes:
        tree: Name of the tree.
        args: Arguments.
        text: Text of the step.
        condition: Condition on which the part depends.
        times: Number of repetitions.
        case: Index of the condition among alternatives, or of the rescue; see `Step.case`.
        rescues: Whether the part runs only if the part before it fails.
        turns: Number of repetitions of the sequence of this part and its neighbours.
        tries: Maximum number of attempts.
        awaited: Conditions, one for each place, any of which ends the repetition of the part.
        borrowed: Whether objects of earlier steps complete the step.
        step: Completed step that is bound to the tree.
    """

    tree: str
    args: dict[str, Any]
    text: str
    condition: BranchCondition | None = None
    times: int = 1
    case: int = 0
    rescues: bool = False
    turns: int = 1
    tries: int = 1
    awaited: tuple[BranchCondition, ...] = ()
    borrowed: bool = field(default=False, compare=False)
    step: Step | None = field(default=None, compare=False)

    @property
    def effect(self) -> tuple[Any, ...]:
        """All fields that determine what the part does."""
        repeated = self.times, self.turns, self.tries, self.awaited
        return self.tree, self.args, self.condition, self.case, self.rescues, *repeated
