"""Policy for failures: re-plan, or end the mission."""

from __future__ import annotations

from collections.abc import Mapping

from bt_exec.failure import Failure
from bt_exec.outcome import Ending
from bt_exec.pack import Catalogue
from bt_exec.spec.dump import dump_yaml
from bt_exec.spec.model import Mission, MissionSpec

__all__ = ["ReplanPolicy"]

_BROKEN = ("SKILL_CRASHED", "CONDITION_CRASHED", "BAD_ARGUMENT", "NOT_RECORDED")


class ReplanPolicy:
    """Policy of one mission: re-plan after a failure or not.

    There is no re-plan if no plan could help (a failed check, a condition that stays unknown, a
    failure that is not retryable), if the same plan failed in the same way without any change, or
    if the budget is used up.

    Args:
        budget: Maximum number of plans after the first.
        catalogue: Declares which failures mean an unknown condition.
        turns: Maximum number of turns of a plan that is made turn by turn.

    Attributes:
        replans: Number of re-plans so far.
    """

    def __init__(self, budget: int, catalogue: Catalogue, turns: int = 24) -> None:
        self.replans = 0
        self._turns_left = turns
        self._budget = budget
        self._doubts = {condition.unknown for condition in catalogue.conditions.values()}
        self._met: set[tuple[object, ...]] = set()

    def ends(self, failure: Failure, spec: MissionSpec, facts: Mapping[str, str]) -> Ending | None:
        """Return the ending of the mission after a failure, or None to re-plan.

        Args:
            failure: The plan's failure.
            spec: The plan.
            facts: Known facts.
        """
        if failure.code in _BROKEN:
            return Ending("failed", failure.code, failure)
        if failure.code in self._doubts or failure.kind == "check":
            return Ending("blocked", failure.code, failure)
        if not failure.retryable:
            return Ending("blocked", "SKILL_FAILED", failure)
        kept = spec.mission.kept
        same = spec.model_copy(update={"mission": Mission(command="", kept=kept)})
        met = (dump_yaml(same), failure.code, failure.path, *sorted(facts.items()))
        if met in self._met:
            return Ending("blocked", "SKILL_FAILED", failure, why="NO_PROGRESS")
        self._met.add(met)
        if self.replans >= self._budget:
            return Ending("blocked", "SKILL_FAILED", failure, why="BUDGET_SPENT")
        self.replans += 1
        return None

    def ends_turns(self, failure: Failure | None) -> Ending | None:
        """Return the ending of the mission after a turn, or None to request the next one.

        A failed tool call is an observation for the next turn. Compilers that plan in turns limit
        their number; this limit applies to those that do not.

        Args:
            failure: The turn's failure, or None.
        """
        if failure is not None and failure.code == "NOT_RECORDED":
            return Ending("failed", failure.code, failure)
        self._turns_left -= 1
        return (
            None
            if self._turns_left > 0
            else Ending("blocked", "TURNS_SPENT", failure, why="TURNS_SPENT")
        )
