"""Parts: the trees that steps become."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

from bt_exec_llm.offline.step import Step

__all__ = ["Held", "Part"]

Held: TypeAlias = tuple[str, tuple[tuple[str, Any], ...], bool]
"""A question tree that decides, its arguments, and the answer that is needed."""


@dataclass(frozen=True)
class Part:
    """A tree that a step becomes.

    Attributes:
        tree: Its name.
        args: Its arguments.
        text: The words of the step.
        condition: The question tree that decides, its arguments, and the answer that is needed.
        times: How often.
        case: Which of several conditions it hangs on; see `Step`.
    """

    tree: str
    args: dict[str, Any]
    text: str
    condition: Held | None = None
    times: int = 1
    case: int = 0
    borrowed: bool = field(default=False, compare=False)
    step: Step | None = field(default=None, compare=False)
