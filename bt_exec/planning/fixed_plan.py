"""Compiler of an existing plan, from a file or another planner."""

from __future__ import annotations

from bt_exec.failure import Refusal
from bt_exec.planning.compiler import Plan, Request
from bt_exec.planning.repair import repaired
from bt_exec.spec.model import MissionSpec

__all__ = ["FixedPlan"]


class FixedPlan:
    """Compiler that returns a given plan, and repairs it with alternatives of the library."""

    name = "given"

    def __init__(self, spec: MissionSpec) -> None:
        self.spec = spec

    def compile(self, request: Request) -> Plan | Refusal:
        """Return the given plan; after a failure, with an alternative for the failed part."""
        if request.previous is not None and request.failure is not None:
            return Plan(repaired(request, self.name))
        whole = {"command": request.command, "language": request.language, "turn": None}
        return Plan(self.spec.with_header(**whole))
