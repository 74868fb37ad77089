"""Modifiers of a node as py_trees decorators.

Their order and timing are specified in `bt_exec.spec.model` and applied by `bt_exec.nodes.build`.
py_trees' own Timeout is not used, because it checks after ticking and uses the wall clock.
"""

from __future__ import annotations

from typing import Any

from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.decorators import Decorator

from bt_exec.events import NodeChanged
from bt_exec.failure import Failure
from bt_exec.nodes.composites import failure_of, recorded_failures_in, reset_status
from bt_exec.nodes.condition_evaluation import ConditionEvaluation
from bt_exec.nodes.node import RUNNING, Collector, Node, collect_running, step
from bt_exec.nodes.runtime import Runtime
from bt_exec.nodes.skill_node import SkillNode
from bt_exec.spec.model import Each
from bt_exec.spec.model import Guard as UntilSpec

__all__ = ["ForEach", "Guard", "Modifier", "Repeat", "Retry", "SkipIf", "Timeout"]


class Modifier(Node, Decorator):
    """A decorator that may decide before its child is stepped.

    Attributes:
        path: Path of the node it modifies.
        failure: Own failure; None if its child's failure is the reason.
    """

    def __init__(self, child: Behaviour, path: str, runtime: Runtime) -> None:
        super().__init__(f"{path} ({type(self).__name__})", child)
        self.path = path
        self.runtime = runtime
        self.failure: Failure | None = None

    def step(self) -> Status:
        """Call `before_child`; step the child unless that decided; call `after_child`."""
        if self.status is not Status.RUNNING:
            reset_status(self)
            self.failure = None
            self.initialise()
            self.status = Status.RUNNING  # so that an interrupt in the first tick stops it, too
        decided = self.before_child()
        if decided is None:
            decided = self.after_child(step(self.decorated))
        return self.settle(decided)

    def resume(self, child: Behaviour) -> Status:
        """Call `after_child`."""
        return self.settle(self.after_child(child.status))

    def settle(self, status: Status) -> Status:
        """Stop the child if it still runs when this node ends."""
        if status is not Status.RUNNING and self.decorated.status is Status.RUNNING:
            self.decorated.stop(Status.INVALID)
        return super().settle(status)

    def collect_running(self, frontier: Collector) -> None:
        """Add the running nodes of the child, or this node while it waits to start the child."""
        if self.decorated.status is Status.RUNNING:
            collect_running(self.decorated, frontier)
        else:
            frontier.add(self)

    def before_child(self) -> Status | None:
        """Return a status to end the tick without the child, or None to step the child."""
        return None

    def after_child(self, status: Status) -> Status:
        """Return the status of this node for the child's `status`."""
        return status

    def update(self) -> Status:
        """Return the status. py_trees requires this method; `step` does the work."""
        return self.status


class SkipIf(Modifier):
    """Decorator with a condition on entry; if it holds, the node succeeds without running."""

    skipped: str  # why the node was not needed; read by the executive
    _entered: bool

    def __init__(self, child: Behaviour, path: str, runtime: Runtime, expression: Any) -> None:
        super().__init__(child, path, runtime)
        self.ask = ConditionEvaluation(expression, runtime)

    def initialise(self) -> None:
        """Start evaluating."""
        self._entered = False
        self.skipped = ""
        self.ask.begin()

    def before_child(self) -> Status | None:
        """Decide on entry; wait while the condition is unknown."""
        if self._entered:
            return None
        verdict = self.ask.verdict()
        self.ask.report_verdict(verdict, self.path, "skip_if")
        if verdict.holds is None:
            if not self.ask.expired:
                return Status.RUNNING
            self.failure = self.ask.uncertainty_failure(verdict, self.path, "check")
            return Status.FAILURE
        if verdict.holds:
            self.skipped = self.ask.skip_reason()
            return Status.SUCCESS
        self._entered = True
        return None


class Guard(Modifier):
    """Decorator with a condition before each tick; if it does not hold, the child is stopped.

    An unknown condition does not start the child. A running child continues during the condition's
    patience and is stopped after it.
    """

    CODE = "GUARD_BROKEN"
    _started: bool

    def __init__(
        self,
        child: Behaviour,
        path: str,
        runtime: Runtime,
        expression: Any,
        code: str | None = None,
    ) -> None:
        super().__init__(child, path, runtime)
        self.ask = ConditionEvaluation(expression, runtime)
        self.code = code or self.CODE

    def initialise(self) -> None:
        """Start evaluating."""
        self._started = False
        self.ask.begin()

    def collect_running(self, frontier: Collector) -> None:
        """Add this guard, evaluated in each tick, and the running nodes of the child."""
        frontier.add(self)
        if self.decorated.status is Status.RUNNING:
            collect_running(self.decorated, frontier)

    def advance(self) -> Status | None:
        """Evaluate the condition; running nodes of the child have their own frontier entries."""
        return self.before_child() if self.decorated.status is RUNNING else self.step()

    def before_child(self) -> Status | None:
        """Stop the child if the condition does not hold."""
        verdict = self.ask.verdict()
        self.ask.report_verdict(verdict, self.path, "while")
        if verdict.holds:
            self._started = True
            return None
        if verdict.holds is None and not self.ask.expired:
            return None if self._started else RUNNING
        if verdict.holds is None:
            self.failure = self.ask.uncertainty_failure(verdict, self.path, "guard")
        else:
            lost = "no longer holds" if self._started else "does not hold"
            message = f"{self.ask.text} {lost}" + (f": {verdict.why}" if verdict.why else "")
            self.failure = self.ask.unmet_failure(verdict, self.path, "guard", self.code, message)
        return Status.FAILURE


class Timeout(Modifier):
    """Decorator that ends a long attempt with TIMEOUT; checked before the child is ticked."""

    CODE = "TIMEOUT"
    _began: float  # mission clock [s]

    def __init__(
        self,
        child: Behaviour,
        path: str,
        runtime: Runtime,
        seconds: float,
        skill: SkillNode | None = None,
    ) -> None:
        super().__init__(child, path, runtime)
        self.seconds = seconds
        self.skill = skill  # the modified skill, possibly inside a guard

    def initialise(self) -> None:
        """Start the timer of the attempt."""
        self._began = self.runtime.now()

    def collect_running(self, frontier: Collector) -> None:
        """Schedule a step of this node for the tick in which the time may be over."""
        frontier.wake_at(self._began + self.seconds)
        super().collect_running(frontier)

    def before_child(self) -> Status | None:
        """Fail when the time is over."""
        taken = self.runtime.now() - self._began
        if taken < self.seconds - 1e-9:
            return None
        doing = self.skill.doing if self.skill is not None else ""
        self.failure = Failure(
            self.CODE,
            f"not done after {taken:.1f} s (limit {self.seconds:g} s)"
            + (f"; last activity: {doing}" if doing else ""),
            self.path,
            "timeout",
            self.skill.skill.name if self.skill is not None else "",
            self.skill.attempt_arguments() if self.skill is not None else {},
            {"seconds": round(taken, 3), "limit": self.seconds},
        )
        return Status.FAILURE


class Retry(Modifier):
    """Decorator that makes up to `attempts` attempts, one per tick; the last failure counts."""

    _used: int
    _earlier: Failure | None

    def __init__(self, child: Behaviour, path: str, runtime: Runtime, attempts: int) -> None:
        super().__init__(child, path, runtime)
        self.attempts = attempts

    def initialise(self) -> None:
        """Reset the attempts."""
        self._used = 0
        self._earlier = None

    def after_child(self, status: Status) -> Status:
        """Start another attempt after a failure that is retryable."""
        if status is not Status.FAILURE:
            return status
        self._used += 1
        latest = failure_of(self.decorated)
        failure = latest.with_cause(self._earlier)
        if self._used < self.attempts and failure.retryable:
            self._earlier = failure
            self._report_attempt(latest)
            return Status.RUNNING
        self.failure = failure
        return Status.FAILURE

    def _report_attempt(self, failure: Failure) -> None:
        """Report an attempt that failed and is followed by another."""
        runtime = self.runtime
        said = f"attempt {self._used} of {self.attempts}"
        runtime.emit(NodeChanged(runtime.now(), runtime.tick, self.path, "running", said, failure))


class Repeat(Modifier):
    """Decorator that runs the child N times in a row, one round per tick; any failure ends it.

    With a condition, the rounds end when it holds. They fail if it does not hold after the last
    round.

    Attributes:
        noted: Parts that were not done in rounds before the last.
    """

    CODE = "NOT_REACHED"
    _done: int
    _asking: bool
    noted: tuple[tuple[str, Failure], ...]

    def __init__(
        self,
        child: Behaviour,
        path: str,
        runtime: Runtime,
        times: int,
        until: UntilSpec | None = None,
    ) -> None:
        super().__init__(child, path, runtime)
        self.times = times
        self.code = (until.code if until is not None else None) or self.CODE
        self.ask = ConditionEvaluation(until.condition, runtime) if until is not None else None

    def initialise(self) -> None:
        """Reset the count."""
        self._done = 0
        self._asking = False
        self.noted = ()

    def before_child(self) -> Status | None:
        """Evaluate the condition again after a round if it was unknown."""
        return self._rounds_are_over() if self._asking else None

    def after_child(self, status: Status) -> Status:
        """Count successes."""
        if status is not Status.SUCCESS:
            return status
        self._done += 1
        if self.ask is not None:
            self.ask.begin()
            self._asking = True
            return self._rounds_are_over()
        return self._next_round()

    def _rounds_are_over(self) -> Status:
        """Decide by the condition whether the rounds are over."""
        assert self.ask is not None
        verdict = self.ask.verdict()
        self.ask.report_verdict(verdict, self.path, "until")
        if verdict.holds is None and not self.ask.expired:
            return Status.RUNNING
        self._asking = False
        if verdict.holds is None:
            self.failure = self.ask.uncertainty_failure(verdict, self.path, "check")
            return Status.FAILURE
        if verdict.holds:
            return Status.SUCCESS
        if self._done < self.times:
            return self._next_round()
        self.failure = self.ask.unmet_failure(verdict, self.path, "check", self.code)
        return Status.FAILURE

    def _next_round(self) -> Status:
        if self._done >= self.times:
            return Status.SUCCESS
        self.noted += recorded_failures_in(self.decorated)
        return Status.RUNNING


class ForEach(Modifier):
    """Decorator that runs the child once per list item, one item per tick; any failure ends it.

    Attributes:
        noted: Parts that were not done for items before the last.
        skipped: Why no item required an action; empty if one did.
    """

    CODE = "TOO_MANY_ITEMS"
    skipped: str
    _skips: int
    _items: list[Any]
    _done: int
    noted: tuple[tuple[str, Failure], ...]

    def __init__(self, child: Behaviour, path: str, runtime: Runtime, each: Each) -> None:
        super().__init__(child, path, runtime)
        self.each = each

    def initialise(self) -> None:
        """Read the list."""
        self._done = self._skips = 0
        self.skipped = ""
        self.noted = ()
        try:
            found = self.runtime.resolve_references({"items": self.each.items})["items"]
        except KeyError:  # not saved, because an earlier part failed
            found = None
        self._items = []
        if not isinstance(found, list | tuple):
            message = f"{self.each} is not a list: {found!r:.60}"
            self.failure = Failure("BAD_ARGUMENT", message, self.path, "check", retryable=False)
        elif len(found) > self.each.most:
            count, limit = len(found), self.each.most
            message = f"{count} items; the limit is {limit}"
            evidence = {"count": count, "limit": limit}
            self.failure = Failure(self.CODE, message, self.path, "check", evidence=evidence)
        else:
            self._items = list(found)
            self._take()

    def before_child(self) -> Status | None:
        """Fail if the list is missing or too long; succeed at once if it is empty."""
        if self.failure is not None:
            return Status.FAILURE
        return None if self._items else Status.SUCCESS

    def after_child(self, status: Status) -> Status:
        """Continue with the next item after a success."""
        if status is not Status.SUCCESS:
            return status
        self._done += 1
        reason = getattr(self.decorated, "skipped", "")
        self._skips += bool(reason)
        if self._done >= len(self._items):
            self.skipped = reason if self._skips == self._done else ""
            return Status.SUCCESS
        self.noted += recorded_failures_in(self.decorated)
        self._take()
        return Status.RUNNING

    def _take(self) -> None:
        if self._done < len(self._items):
            self.runtime.results[self.each.item] = self._items[self._done]
