"""Verified plan: the only input of the builder, created only by `bt_exec.planning.plan.prepare`."""

from __future__ import annotations

from dataclasses import InitVar, dataclass

from bt_exec.observation import Situation
from bt_exec.spec.model import MissionSpec

__all__ = ["PREPARE", "VerifiedPlan"]

PREPARE = object()
"""Token with which `prepare` and the test kit create verified plans."""


@dataclass(frozen=True)
class VerifiedPlan:
    """A verified mission with expanded subtrees and applied passes.

    Attributes:
        spec: The mission as it runs.
        written: The mission as its compiler wrote it.
        situation: The situation for which it was verified.
        made_by: The token of `prepare`.

    Raises:
        TypeError: If it is created without the token.
    """

    spec: MissionSpec
    written: MissionSpec
    situation: Situation
    made_by: InitVar[object]

    def __post_init__(self, made_by: object) -> None:
        """Raise TypeError without the token."""
        if made_by is not PREPARE:
            raise TypeError("a plan is verified by bt_exec.planning.plan.prepare, nowhere else")

    def is_of(self, written: MissionSpec, situation: Situation) -> bool:
        """Whether this is `written`, already verified for this situation."""
        return self.written is written and self.situation is situation
