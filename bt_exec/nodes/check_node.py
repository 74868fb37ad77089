"""Leaf node that evaluates a condition."""

from __future__ import annotations

from py_trees.common import Status

from bt_exec.failure import Failure
from bt_exec.nodes.condition_evaluation import ConditionEvaluation
from bt_exec.nodes.node import Leaf
from bt_exec.nodes.runtime import Runtime
from bt_exec.spec.model import Check

__all__ = ["CheckNode"]


class CheckNode(Leaf):
    """Leaf that evaluates a condition each tick until it is known or its patience has ended."""

    def __init__(self, spec: Check, path: str, runtime: Runtime) -> None:
        super().__init__(path)
        self.spec = spec
        self.runtime = runtime
        self.ask = ConditionEvaluation(spec.check, runtime)
        self.failure: Failure | None = None

    def initialise(self) -> None:
        """Start evaluating; only observations captured from now on are fresh."""
        self.ask.begin()

    def advance(self) -> Status | None:
        """Evaluate the condition once."""
        verdict = self.ask.verdict()
        self.ask.report_verdict(verdict, self.path, "check", to_operator=self.spec.tell)
        if verdict.holds is None:
            if not self.ask.expired:
                return None
            self.failure = self.ask.uncertainty_failure(verdict, self.path, "check")
            return Status.FAILURE
        if verdict.holds or self.spec.tell:
            return Status.SUCCESS
        self.failure = Failure(
            self.spec.code or "CHECK_FAILED",
            verdict.why or f"{self.ask.text} does not hold",
            self.path,
            "check",
            self.ask.name,
            self.ask.args,
            {"question": self.ask.text, "evidence": list(verdict.evidence)},
        )
        return Status.FAILURE
