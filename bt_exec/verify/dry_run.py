"""Layer 4, dry run: known facts must contradict no skill's needs in any execution.

Code: ``NEED_NOT_MET``. All possible executions of a plan are followed at once: skips, failures,
retries, stops, and orders of parallel branches. A need is reported if a known fact contradicts it
in one of these executions. The assumptions are:

- A skill has its declared effects. If it fails or is stopped, the facts that it sets are unknown.
- An unknown fact contradicts no need. A condition about a known fact has the answer that follows
  from the fact.
- A condition that establishes no fact may determine whether an action runs (in ``skip_if``, or
  before further branches of a fallback). If it holds, all facts that the action would set are
  unknown.
- At any time, parallel branches may observe each other's effects, and a guard may observe the facts
  that it establishes.

The last assumption is conservative: the order of parallel branches is ignored, so a plan may be
rejected because of an impossible execution.

Only facts that are read later (liveness analysis) and may have changed before are tracked. Facts
that are read within a repeat, a retry or a parallel count as read until its end.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from bt_exec.pack import Catalogue
from bt_exec.spec.abstract_run import AbstractRun, Answers, Ends, Step
from bt_exec.spec.condition_expression import Is, named_conditions
from bt_exec.spec.model import Do, MissionSpec, Parallel, Tree
from bt_exec.spec.node_paths import Located, locate
from bt_exec.spec.yaml_source import Place
from bt_exec.verify.context import Context
from bt_exec.verify.effects_on_facts import (
    NEED_NOT_MET,
    Facts,
    contradicted_needs,
    established_facts,
    truth_value,
)
from bt_exec.verify.fact_states_and_changes import (
    Call,
    Calls,
    Change,
    ConcurrentChanges,
    States,
    common_facts,
    limit_states,
    observation_change,
    state_from_facts,
)

__all__ = ["Readers", "certain_effects", "check_dry_run"]


def check_dry_run(context: Context) -> None:
    """Simulate the document from the known facts, and report every need that may be unmet."""
    calls = Calls(context.catalogue)
    readers = Readers(context.root, context.catalogue, calls)
    document = context.document  # the known facts already include the effects of kept steps
    kept = document.mission.kept if isinstance(document, MissionSpec) else ()
    run = _DryRun(context.catalogue, calls, readers, kept)
    facts = {fact: value for fact, value in context.facts.items() if fact in readers}
    run.constant = {fact: facts.pop(fact) for fact in [*facts] if readers.is_constant(fact)}
    run.run_node(context.root, frozenset([state_from_facts(facts)]))
    for (place, fact, known), (skill, allowed, sure) in run.unmet.items():
        context.report_problem(
            NEED_NOT_MET,
            f"{skill} needs {fact} to be {' or '.join(allowed)}, but it "
            f"{'will' if sure else 'may'} be {known}",
            (*place, "do"),
            found=f"{fact}={known}",
            allowed=[f"{fact}={value}" for value in allowed],
        )


def certain_effects(document: MissionSpec, catalogue: Catalogue) -> Facts:
    """Return the facts that hold after every successful execution, with nothing known before."""
    run = _DryRun(catalogue, Calls(catalogue))
    return dict(
        common_facts(run.run_node(locate(document.root), frozenset([state_from_facts({})])).done)
    )


class _DryRun(AbstractRun[States]):
    """Abstract run whose values are sets of possible states, and which collects unmet needs.

    Attributes:
        unmet: Needs that may be contradicted, by place, fact and contradicting value. Each entry
            contains the skill, the allowed values, and whether the contradiction is certain.
        constant: Facts that do not change before they are last read; not part of the states.
    """

    nothing: States = frozenset()
    rounds = 8

    def __init__(
        self,
        catalogue: Catalogue,
        calls: Calls,
        readers: Readers | None = None,
        kept: Sequence[str] = (),
    ) -> None:
        self._calls = calls
        self._readers = readers  # facts without a later reader are not tracked
        self.unmet: dict[tuple[Place, str, str], tuple[str, list[str], bool]] = {}
        self.constant: dict[str, str] = {}
        self._catalogue = catalogue
        self._kept = frozenset(kept)
        self._others = ConcurrentChanges()  # changes that parallel branches may cause
        self._changes: dict[Step, Call] = {}
        self._known: dict[tuple[Step, States], Ends[States]] = {}

    def join_values(self, *values: States) -> States:
        """Return the union of the states, merged into one state if there are too many."""
        return limit_states(frozenset().union(*values))

    def after_tick(self, value: States) -> States:
        """Return the possible states after any changes of parallel branches."""
        return self._others.disturbed_states(value)

    def run_node(self, step: Step, before: States) -> Ends[States]:
        """Return the possible states after a node.

        Results are cached, because nested repeats reach the same states again.
        """
        if step.path in self._kept or not before:
            return self.known_ends(before)
        if (step, before) not in self._known:
            self._known[step, before] = super().run_node(step, before)
        return self._known[step, before]

    def run_condition(self, step: Step, expression: Any, before: States) -> Answers[States]:
        """Return the possible states after a condition."""
        yes, doubt, no = set(), set(), set()
        found_out = {
            fact: value
            for fact, value in established_facts(expression, self._catalogue).items()
            if self._is_read_later(fact, step)
        }
        given = self._constant_facts(expression)
        for state in before:
            found = truth_value(expression, given | dict(state), self._catalogue)
            if found is not False:
                yes.add(state_from_facts({**dict(state), **found_out}))
            if found is None:
                doubt.add(state)
            if found is not True:
                no.add(state)
        return Answers(frozenset(yes), frozenset(doubt), frozenset(no))

    def run_unexpanded_tree(self, step: Located[Tree], before: States) -> Ends[States]:
        """Return a state without facts, because the changes of an unexpanded tree are unknown."""
        del step, before
        return Ends(*[frozenset([state_from_facts({})])] * 4)

    def run_without_modifiers(self, step: Step, before: States) -> Ends[States]:
        """Return the ends of a node, whose guard may observe its facts in any tick."""
        if step.node.guard is None:
            return super().run_without_modifiers(step, before)
        others = self._others
        self._others = others.union_with(
            [observation_change(established_facts(step.node.guard, self._catalogue))]
        )
        ends = super().run_without_modifiers(step, before)
        self._others = others
        return ends

    def after_skip(self, value: States, condition: Any, steps: Sequence[Step]) -> States:
        """Return the states after a skip.

        If the condition establishes no fact, the facts that `steps` would set are unknown.
        """
        if established_facts(condition, self._catalogue):
            return value
        for step in (inner for one in steps for inner in one.walk(Do)):
            if (call := self._call_of(step)) is not None:
                value = frozenset(map(call.failure.apply, value))
        return value

    def run_skill(self, step: Located[Do], before: States) -> Ends[States]:
        """Return the states after a skill, and record the needs that they contradict."""
        call = self._call_of(step)
        if call is None:
            return Ends(before, before, self.nothing, before)
        needs, success, failure = call
        unmet: dict[tuple[str, str], list[str]] = {}
        given = {fact: self.constant[fact] for fact, _ in needs if fact in self.constant}
        ways = [contradicted_needs(given | dict(state), needs) for state in before] if needs else []
        for fact, allowed, known in (one for way in ways for one in way):
            unmet[fact, known] = allowed
        for (fact, known), allowed in sorted(unmet.items()):
            sure = all((fact, allowed, known) in way for way in ways)
            self.unmet.setdefault((step.place, fact, known), (step.node.do, allowed, sure))
        failed = frozenset(map(failure.apply, before))
        return Ends(frozenset(map(success.apply, before)), failed, self.nothing, failed)

    def run_parallel(self, step: Step, before: States) -> Ends[States]:
        """Follow each branch while the others act; return the states that enough branches allow."""
        assert isinstance(step.node, Parallel)
        needed, before_all = step.node.needed, self._others
        branches = []
        beside = before_all.disturbances_of_branches(
            [tuple(self._changes_during(child)) for child in step.children]
        )
        for child, others in zip(step.children, beside, strict=True):
            self._others = others
            branches.append(Ends(*map(self.after_tick, self.run_node(child, before))))
        self._others = before_all
        done, again, over, stopped = zip(*branches, strict=True)
        failing = len(branches) - needed + 1
        failed = _consistent_states(
            [one | two for one, two in zip(again, over, strict=True)], failing
        )
        return Ends(
            limit_states(_consistent_states(done, needed)),
            limit_states(failed & frozenset().union(*again)),
            limit_states(failed & frozenset().union(*over)),
            self.join_values(*stopped),
        )

    def _changes_during(self, step: Step) -> Iterator[Change]:
        """Yield the changes that may happen at any time while `step` runs in parallel."""
        if step.path in self._kept:
            return
        for asked in step.node.conditions.values():
            if facts := established_facts(asked, self._catalogue):
                yield observation_change(facts)
        if (call := self._call_of(step)) is not None:
            yield call.success
            yield call.failure
        for child in step.children:
            yield from self._changes_during(child)

    def _is_read_later(self, fact: str, step: Step) -> bool:
        """Return True if a fact is read after a node, so that its changes must be tracked."""
        return self._readers is None or self._readers.is_read_after(fact, step)

    def _constant_facts(self, expression: Any) -> dict[str, str]:
        """Return the constant facts that a condition reads."""
        if self._readers is None or not self.constant:
            return {}
        return self._readers.facts_read_by(expression, self.constant)

    def _call_of(self, step: Step) -> Call | None:
        """Return the call of a node's skill, restricted to changes of facts that are read later."""
        call = self._changes.get(step)
        if call is None and (call := self._calls.call_of(step.node)) is not None:
            if self._readers is not None:
                read = partial(self._is_read_later, step=step)
                call = Call(
                    call.needs, call.success.restricted_to(read), call.failure.restricted_to(read)
                )
            self._changes[step] = call
        return call


def _consistent_states(branches: Sequence[States], count: int) -> States:
    """Return the states that at least `count` branches have in common."""
    branching = Counter(state for branch in branches for state in branch)
    found = frozenset(state for state, among in branching.items() if among >= count)
    if not found and sum(map(bool, branches)) >= count:  # some branch has merged its states
        return frozenset([common_facts(branching)])
    return found


class Readers:
    """Liveness analysis: the last reader and the first writer of each fact of a document.

    Args:
        root: Root of the document.
        catalogue: Skills and conditions.
        calls: Cache of the calls of skills.
    """

    def __init__(self, root: Step, catalogue: Catalogue, calls: Calls) -> None:
        self._catalogue = catalogue
        self._calls = calls
        self._number: dict[Step, int] = {}  # number of each node in document order
        self._last: dict[str, int] = {}  # number of the last reader, by fact
        self._first: dict[str, int] = {}  # number of the first writer, by fact
        self._forms: dict[re.Pattern[str], int] = {}  # the same for facts with unknown arguments
        self._beside = False  # whether a guard or a parallel branch may observe facts at any time
        self._visit(root, None)

    def __contains__(self, fact: str) -> bool:
        """Return True if a fact is read anywhere in the document."""
        return fact in self._last

    def is_constant(self, fact: str) -> bool:
        """Return True if a fact does not change before its last reader."""
        if self._beside:  # an observation could contradict the constant fact
            return False
        last = self._last.get(fact, -1)
        forms = (number for form, number in self._forms.items() if form.fullmatch(fact))
        return last <= min((self._first.get(fact, last), *forms))

    def facts_read_by(self, expression: Any, facts: Mapping[str, str]) -> dict[str, str]:
        """Return the part of `facts` that a condition reads."""
        read = (
            fact
            for leaf in named_conditions(expression)
            for fact in established_facts(leaf, self._catalogue)
        )
        return {fact: facts[fact] for fact in read if fact in facts}

    def is_read_after(self, fact: str, step: Step) -> bool:
        """Return True if a fact is read after a node was entered."""
        return self._last.get(fact, -1) > self._number[step]

    def _visit(self, step: Step, end: int | None) -> None:
        """Assign a node its number and record the facts that it reads.

        Args:
            step: The node.
            end: Number that follows the outermost enclosing node that may run again or in
                parallel, because facts count as read until then; None without such a node.
        """
        node, number = step.node, len(self._number)
        self._number[step] = number
        beside = node.guard is not None or isinstance(node, Parallel)
        self._beside = self._beside or beside
        self._record_reads(named_conditions(node.skip_if), number if end is None else end)
        if end is None and (node.repeat or node.retry or beside):
            end = number + sum(1 for _ in step.walk())
        last = number if end is None else end
        self._record_reads(named_conditions(node.guard), last)
        self._record_reads(named_conditions(node.conditions.get("check")), last)
        if (call := self._calls.call_of(node)) is not None:
            self._last.update(dict.fromkeys((fact for fact, _ in call.needs), last))
            for fact in call.failure.clears:
                self._first.setdefault(fact, number)
            for form in call.failure.forms:
                self._forms.setdefault(form, number)
        for child in step.children:
            self._visit(child, end)

    def _record_reads(self, conditions: Iterable[Is], last: int) -> None:
        for leaf in conditions:
            self._last.update(dict.fromkeys(established_facts(leaf, self._catalogue), last))
