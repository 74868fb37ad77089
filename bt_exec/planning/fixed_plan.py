"""Compiler of an existing plan, from a file or another planner."""

from __future__ import annotations

from bt_exec.failure import Refusal
from bt_exec.planning.compiler import Plan, Request
from bt_exec.planning.repair import repaired
from bt_exec.spec.model import MissionSpec

__all__ = ["FixedPlan"]


class FixedPlan:
    """Compiler that returns one given plan, and repairs it by the library's rules."""

    name = "given"

    def __init__(self, spec: MissionSpec) -> None:
        self.spec = spec

    def compile(self, request: Request) -> Plan | Refusal:
        """Return the plan as given; after a failure, with the failed part done another way."""
        if request.previous is not None and request.failure is not None:
            return Plan(repaired(request, self.name))
        whole = {"command": request.command, "language": request.language, "turn": None}
        header = self.spec.mission.model_copy(update=whole)
        return Plan(self.spec.model_copy(update={"mission": header}))
