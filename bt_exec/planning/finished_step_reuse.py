"""Reuse of finished steps whose effects still hold.

A new plan is simulated from the known and assumed facts: kept steps do nothing, every other step
has its declared effects. A kept step must run again in these cases:

- A skill that runs again needs a fact achieved by the step, and the fact now has another value or
  is unknown, for example because a failed step or an earlier repeated step changes it.
- A check or a guard tests such a fact, and the fact has another value or was changed again.
- None of the step's effects holds any more, and a skill without declared needs, which may depend
  on them, starts before another step sets the facts again (whether that step succeeds or fails).
- The step is a check, and a repeated step changes the checked fact before it.
- No later step sets one of the step's facts, and a repeated step before it has changed that fact,
  so that the plan would end with another value.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from bt_exec.pack import Catalogue
from bt_exec.spec.abstract_run import AbstractRun, Answers, Ends, Step
from bt_exec.spec.model import Check, Do, NodeBase
from bt_exec.spec.node_paths import Located, locate
from bt_exec.verify.effects_on_facts import Facts, established_facts, truth_value
from bt_exec.verify.fact_states_and_changes import Calls

__all__ = ["kept_finished_paths"]


def kept_finished_paths(
    root: NodeBase, achieved: Mapping[str, Facts], now: Mapping[str, str], catalogue: Catalogue
) -> tuple[str, ...]:
    """Return the paths of `achieved` that a plan need not run again, in order.

    Args:
        root: The new plan, expanded.
        achieved: Facts achieved by each finished step, by its path in `root`.
        now: Known and assumed facts; a missing fact is uncertain.
        catalogue: Declares needs and effects of skills, and facts of conditions.
    """
    kept, plan, calls = dict(achieved), locate(root), Calls(catalogue)
    while True:
        try:
            run = _ReuseRun(kept, catalogue, calls)
            run.require_final_facts(run.run_node(plan, _State(dict(now), {}, frozenset())).done)
        except _RunAgain as again:
            del kept[again.path]
        else:
            return tuple(kept)


class _State(NamedTuple):
    """State of the simulation of a plan.

    Attributes:
        facts: Known facts; a missing fact is uncertain.
        givers: Paths of the kept skills that may have been the last to set a fact, by fact.
        anew: Facts that a repeated skill may have changed.
        replaced: Facts that a repeated skill set later than every kept skill.
    """

    facts: Facts
    givers: Mapping[str, tuple[str, ...]]
    anew: frozenset[str]
    replaced: frozenset[str] = frozenset()


class _RunAgain(Exception):  # noqa: N818 - control flow: ends the simulation, not an error
    """Raised to end the simulation when a kept step must run again."""

    def __init__(self, path: str) -> None:
        self.path = path


class _ReuseRun(AbstractRun[_State | None]):
    """Abstract run of a plan; raises `_RunAgain` at the first kept step that must run again."""

    nothing = None

    def __init__(self, kept: Mapping[str, Facts], catalogue: Catalogue, calls: Calls) -> None:
        self._kept = kept
        self._catalogue = catalogue
        self._calls = calls

    def join_values(self, *values: _State | None) -> _State | None:
        """Return a state with the facts that all possible states have in common."""
        possible = [value for value in values if value is not None]
        if len(possible) < 2:
            return next(iter(possible), None)
        first, *rest = possible
        facts = {k: v for k, v in first.facts.items() if all(one.facts.get(k) == v for one in rest)}
        givers: dict[str, tuple[str, ...]] = {}
        for one in possible:
            for fact, paths in one.givers.items():
                givers[fact] = tuple(dict.fromkeys((*givers.get(fact, ()), *paths)))
        anew = frozenset().union(*(one.anew for one in possible))
        replaced = first.replaced.intersection(*(one.replaced for one in rest))
        return _State(facts, givers, anew, replaced)

    def run_node(self, step: Step, before: _State | None) -> Ends[_State | None]:
        """Return the states after a node; a kept step can fail only if its effect was changed."""
        if step.path not in self._kept or before is None:
            return super().run_node(step, before)
        gave = self._kept[step.path]
        if not isinstance(step.node, Check):
            givers = {**before.givers, **dict.fromkeys(gave, (step.path,))}
            after = before._replace(givers=givers, replaced=before.replaced - gave.keys())
            return self.known_ends(after, after if before.anew & gave.keys() else None)
        if before.anew & gave.keys():
            raise _RunAgain(step.path)
        return self.known_ends(before)

    def run_condition(
        self, step: Step, expression: Any, before: _State | None
    ) -> Answers[_State | None]:
        """Return the states after a condition, by its answer; None if facts exclude the answer."""
        assert before is not None
        found = truth_value(expression, before.facts, self._catalogue)
        if found is not None and expression is step.node.skip_if:
            return Answers(before, None, None) if found else Answers(None, None, before)
        if isinstance(step.node, Check) and step.node.tell:
            return Answers(before, None, before)
        wanted = established_facts(expression, self._catalogue)
        for fact, value in wanted.items():
            if fact in before.facts or fact in before.anew:
                self._require_fact(fact, [value], before)
        yes = None if found is False else before._replace(facts={**before.facts, **wanted})
        return Answers(yes, None, None if found else before)

    def run_skill(self, step: Located[Do], before: _State | None) -> Ends[_State | None]:
        """Return the states after a skill that runs again."""
        call = self._calls.call_of(step.node)
        if before is None or call is None:
            return self.known_ends(before, before)
        for fact, allowed in call.needs:
            self._require_fact(fact, allowed, before)
        written = call.failure.clears
        if not self._catalogue.skill(step.node.do).needs:
            self._require_lost_step(written, before)
        anew, replaced = before.anew | written, before.replaced | written
        givers = {fact: paths for fact, paths in before.givers.items() if fact not in written}
        return self.known_ends(
            _State(call.success.applied_to(before.facts), givers, anew, replaced),
            before._replace(
                facts=call.failure.applied_to(before.facts), anew=anew, replaced=replaced
            ),
        )

    def require_final_facts(self, end: _State | None) -> None:
        """Raise `_RunAgain` for a kept step whose effect a successful plan would not end with.

        Args:
            end: State after the plan; None if it cannot succeed.
        """
        if end is None:
            return
        for fact, givers in end.givers.items():
            for path in givers if fact in end.anew - end.replaced else ():
                if end.facts.get(fact) != self._kept[path][fact]:
                    raise _RunAgain(path)

    def _require_fact(self, fact: str, allowed: list[str], before: _State) -> None:
        """Raise `_RunAgain` if `fact` has no allowed value, but a kept step would give it one."""
        if before.facts.get(fact) in allowed:
            return
        for path in before.givers.get(fact, ()):
            if self._kept[path][fact] in allowed:
                raise _RunAgain(path)

    def _require_lost_step(self, written: frozenset[str], before: _State) -> None:
        """Raise `_RunAgain` for a kept step whose effects are all lost.

        Args:
            written: Facts that the current skill sets; lost effects on these do not matter.
            before: State before the skill.
        """
        again = written | before.replaced
        for fact, givers in before.givers.items():
            for path in givers if fact not in again else ():
                if not self._may_hold(self._kept[path], before):
                    raise _RunAgain(path)

    def _may_hold(self, gave: Facts, before: _State) -> bool:
        """Return True if an effect of a step may still hold, such as one that nothing changed."""
        return any(
            before.facts.get(fact, None if fact in before.anew else value) == value
            for fact, value in gave.items()
        )
