"""Verified plan: the only input of the builder, made by `bt_exec.planning.plan.prepare` alone."""

from __future__ import annotations

from dataclasses import InitVar, dataclass

from bt_exec.observation import Situation
from bt_exec.spec.model import MissionSpec

__all__ = ["PREPARE", "VerifiedPlan"]

PREPARE = object()
"""What `prepare` gives to make a verified plan; the test kit, too, under a name that says so."""


@dataclass(frozen=True)
class VerifiedPlan:
    """A mission whose subtrees are expanded, whose passes are applied, and that was verified.

    Attributes:
        spec: The mission as it runs.
        written: The mission as its compiler wrote it.
        situation: What was known when it was verified; it holds for no other.
        made_by: The mark of `prepare`.

    Raises:
        TypeError: If somebody else makes one.
    """

    spec: MissionSpec
    written: MissionSpec
    situation: Situation
    made_by: InitVar[object]

    def __post_init__(self, made_by: object) -> None:
        """Refuse what was not prepared."""
        if made_by is not PREPARE:
            raise TypeError("a plan is verified by bt_exec.planning.plan.prepare, nowhere else")

    def is_of(self, written: MissionSpec, situation: Situation) -> bool:
        """Whether this is `written`, verified in this very situation: nothing is verified twice."""
        return self.written is written and self.situation is situation
