"""Parts: the trees that steps become."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from bt_exec_llm.offline.step import Step

__all__ = ["Part"]


@dataclass(frozen=True)
class Part:
    """A tree that a step becomes.

    Attributes:
        tree: Its name.
        args: Its arguments.
        text: The words of the step.
        condition: The question tree that decides, its arguments, and the answer that is needed.
        times: How often.
    """

    tree: str
    args: dict[str, Any]
    text: str
    condition: tuple[str, tuple[tuple[str, Any], ...], bool] | None = None
    times: int = 1
    borrowed: bool = field(default=False, compare=False)
    step: Step | None = field(default=None, compare=False)
