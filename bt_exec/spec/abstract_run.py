"""Abstract interpretation of plans: follows all possible executions at once.

`AbstractRun` implements the nodes and their modifiers as described in `bt_exec.spec.model`. Each
subclass defines a domain of values, such as known facts or bound names: the values after a skill
and after a condition, and the join of the values of several executions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from bt_exec.spec.model import Check, Do, Fallback, NodeBase, Parallel, Tree
from bt_exec.spec.node_paths import Located

__all__ = ["AbstractRun", "Answers", "Ends"]

Value = TypeVar("Value")
Step = Located[NodeBase]


class Ends(NamedTuple, Generic[Value]):
    """Values after a node has ended, by the way in which it ended.

    Attributes:
        done: Value if the node succeeded.
        again: Value if the node failed and a retry may repeat it.
        over: Value if the node failed permanently, because a condition stayed unknown.
        stopped: Value if the node was stopped from outside while it ran.
    """

    done: Value
    again: Value
    over: Value
    stopped: Value


class Answers(NamedTuple, Generic[Value]):
    """Values after a condition was evaluated, by the verdict of the condition.

    Attributes:
        yes: Value if the condition holds.
        doubt: Value if the condition is unknown.
        no: Value if the condition does not hold.
    """

    yes: Value
    doubt: Value
    no: Value


class AbstractRun(Generic[Value]):
    """Base of abstract runs; a subclass defines the domain of values.

    Attributes:
        nothing: Value that stands for an impossible execution.
        rounds: Maximum number of rounds, attempts and items that are followed. A subclass must set
            it so high that further rounds would add no new values.
    """

    nothing: Value
    rounds = 1

    def join_values(self, *values: Value) -> Value:
        """Return the join of values, which represents every execution with one of these values."""
        raise NotImplementedError

    def run_skill(self, step: Located[Do], before: Value) -> Ends[Value]:
        """Return the values after a skill."""
        raise NotImplementedError

    def run_condition(self, step: Step, expression: Any, before: Value) -> Answers[Value]:
        """Return the values after a condition of a node was evaluated."""
        del step, expression
        return Answers(before, before, before)

    def run_unexpanded_tree(self, step: Located[Tree], before: Value) -> Ends[Value]:
        """Return the values after a tree whose body is not expanded."""
        del step
        return self.known_ends(before)

    def after_tick(self, value: Value) -> Value:
        """Return the value a tick later, after other branches may have acted."""
        return value

    def after_skip(self, value: Value, condition: Any, steps: Sequence[Step]) -> Value:
        """Return the value after `steps` were skipped because a condition held."""
        del condition, steps
        return value

    def known_ends(self, done: Value, again: Value | None = None) -> Ends[Value]:
        """Return the ends of a node that is never stopped and has no unknown condition."""
        return Ends(done, self.nothing if again is None else again, self.nothing, self.nothing)

    def run_node(self, step: Step, before: Value) -> Ends[Value]:
        """Return the values after a node with all its modifiers."""
        each, start = step.node.for_each, self.after_tick(before)
        if each is None:
            return self.run_for_item(step, start)
        ends = self.known_ends(start)
        for _ in range(min(each.most, self.rounds)):
            now = self.run_for_item(step, self.after_tick(start))
            ends, start = self._join_ends(ends, now), now.done
        return ends

    def run_for_item(self, step: Step, before: Value) -> Ends[Value]:
        """Return the values after a node has run once: for one item if it has a ``for_each``."""
        condition = step.node.skip_if
        if condition is None:
            return self._run_repeated(step, before)
        skipped, doubted, entered = self._ask_condition(step, condition, before)
        ends = self._run_repeated(step, entered)
        return Ends(
            self.join_values(self.after_skip(skipped, condition, [step]), ends.done),
            ends.again,
            self.join_values(doubted, ends.over),
            self.join_values(doubted, ends.stopped),
        )

    def _run_repeated(self, step: Step, before: Value) -> Ends[Value]:
        until = step.node.until
        if step.node.repeat is None:
            return self._run_with_retries(step, before)
        ends, reached, unknown = self.known_ends(before), self.nothing, self.nothing
        for number in range(min(step.node.repeat, self.rounds)):
            now = self._run_with_retries(step, self.after_tick(ends.done) if number else before)
            if until is not None:
                yes, doubt, no = self._ask_condition(
                    step, until.condition, self.after_tick(now.done)
                )
                reached, unknown = self.join_values(reached, yes), self.join_values(unknown, doubt)
                now = now._replace(done=no, stopped=self.join_values(now.stopped, doubt))
            ends = self._join_ends(ends, now)._replace(done=now.done)
        if until is None:
            return ends
        again, over = self.join_values(ends.again, ends.done), self.join_values(ends.over, unknown)
        return Ends(reached, again, over, ends.stopped)

    def _run_with_retries(self, step: Step, before: Value) -> Ends[Value]:
        ends = self._run_attempt(step, before)
        for _ in range(min(step.node.retry or 1, self.rounds) - 1):
            now = self._run_attempt(step, self.after_tick(ends.again))
            ends = self._join_ends(ends, now)._replace(again=now.again)
        return ends

    def _run_attempt(self, step: Step, before: Value) -> Ends[Value]:
        """Return the ends of one attempt, which its guard or timeout may stop."""
        guard, broken, doubted = step.node.guard, self.nothing, self.nothing
        if guard is None and step.node.timeout is None:
            return self.run_without_modifiers(step, before)
        if guard is not None:
            before, doubted, broken = self._ask_condition(step, guard, before)
        ends = self.run_without_modifiers(step, before)
        if guard is not None:
            broken = self.join_values(broken, self._ask_condition(step, guard, ends.stopped).no)
        if step.node.timeout is not None:
            broken = self.join_values(broken, ends.stopped)
        again, over = self.join_values(ends.again, broken), self.join_values(ends.over, doubted)
        return Ends(ends.done, again, over, ends.stopped)

    def run_without_modifiers(self, step: Step, before: Value) -> Ends[Value]:
        """Return the ends of a node without its modifiers."""
        node: Any = step.node
        if before == self.nothing:
            return self.known_ends(before)
        match node:
            case Do():
                return self.run_skill(step, before)  # type: ignore[arg-type]
            case Check():
                return self._check(step, node, before)
            case Fallback():
                return self.run_fallback(step, before)
            case Parallel():
                return self.run_parallel(step, before)
            case Tree(body=None):
                return self.run_unexpanded_tree(step, before)  # type: ignore[arg-type]
        return self.run_sequence(step, before)

    def _check(self, step: Step, node: Check, before: Value) -> Ends[Value]:
        yes, doubt, no = self.run_condition(step, node.check, before)
        return (
            Ends(before, self.nothing, doubt, doubt) if node.tell else Ends(yes, no, doubt, doubt)
        )

    def run_sequence(self, step: Step, before: Value) -> Ends[Value]:
        """Return the ends of children that run in order."""
        every = []
        for child in step.children:
            every.append(self.run_node(child, before))
            before = every[-1].done
        _, again, over, stopped = zip(*every, strict=True)
        return Ends(
            before, self.join_values(*again), self.join_values(*over), self.join_values(*stopped)
        )

    def run_fallback(self, step: Step, before: Value) -> Ends[Value]:
        """Return the ends of a fallback, in which a branch runs after all earlier ones failed.

        In a choice, a branch runs only if the check of the earlier branch failed.
        """
        choice = isinstance(step.node, Fallback) and step.node.is_choice
        every, left = [], before
        for number, child in enumerate(step.children, 1):
            ends = self.run_node(child, left)
            if isinstance(child.node, Check):
                others = step.children[number:]
                ends = ends._replace(done=self.after_skip(ends.done, child.node.check, others))
            every.append(ends)
            fails = (ends.again, ends.over) != (self.nothing, self.nothing)
            if choice and fails:  # a branch that was finished by an earlier plan cannot fail
                ends = self.run_node(child.children[0], self.after_tick(left))
            left = self.join_values(ends.again, ends.over)
        done, again, over, stopped = (
            self.join_values(*values) for values in zip(*every, strict=True)
        )
        ends = every[-1]
        if not choice:
            again, over = ends.again, ends.over
        return Ends(done, again, over, stopped)

    def run_parallel(self, step: Step, before: Value) -> Ends[Value]:
        """Return the ends of a parallel node; interleavings of its branches are not modelled.

        If all branches must succeed, they are followed in order; otherwise each is followed alone.
        """
        node: Any = step.node
        if node.needed == len(step.children):
            return self.run_sequence(step, before)
        return Ends(
            *map(self.join_values, *(self.run_node(child, before) for child in step.children))
        )

    def _ask_condition(self, step: Step, condition: Any, before: Value) -> Answers[Value]:
        if before == self.nothing:
            return Answers(before, before, before)
        return self.run_condition(step, condition, before)

    def _join_ends(self, one: Ends[Value], other: Ends[Value]) -> Ends[Value]:
        return Ends(*map(self.join_values, one, other))
