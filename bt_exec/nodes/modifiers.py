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
    """Base of decorators, which may end a tick before their child is stepped.

    Attributes:
        path: Path of the modified node.
        failure: Failure of the modifier; None if the failure of its child is to be used.
    """

    def __init__(self, child: Behaviour, path: str, runtime: Runtime) -> None:
        super().__init__(f"{path} ({type(self).__name__})", child)
        self.path = path
        self.runtime = runtime
        self.failure: Failure | None = None

    def step(self) -> Status:
        """Call `before_child`; if it returns None, step the child and call `after_child`."""
        if self.status is not Status.RUNNING:
            reset_status(self)
            self.failure = None
            self.initialise()
            self.status = Status.RUNNING  # so that an interrupt in the first tick stops the node
        decided = self.before_child()
        if decided is None:
            decided = self.after_child(step(self.decorated))
        return self.settle(decided)

    def resume(self, child: Behaviour) -> Status:
        """Return the status of this node after its running `child` has ended."""
        return self.settle(self.after_child(child.status))

    def settle(self, status: Status) -> Status:
        """Set the status; if this node has ended, stop a child that still runs."""
        if status is not Status.RUNNING and self.decorated.status is Status.RUNNING:
            self.decorated.stop(Status.INVALID)
        return super().settle(status)

    def collect_running(self, frontier: Collector) -> None:
        """Add the running nodes of the child; this node while it waits to start the child."""
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
        """Return the current status; required by py_trees but not used by `step`."""
        return self.status


class SkipIf(Modifier):
    """Decorator with a condition on entry; if it holds, the node succeeds without running."""

    skipped: str  # why the node was not needed; read by the executive
    _entered: bool

    def __init__(self, child: Behaviour, path: str, runtime: Runtime, expression: Any) -> None:
        super().__init__(child, path, runtime)
        self.ask = ConditionEvaluation(expression, runtime)

    def initialise(self) -> None:
        """Start evaluating the condition."""
        self._entered = False
        self.skipped = ""
        self.ask.begin()

    def before_child(self) -> Status | None:
        """Evaluate the condition on entry; keep running while it is unknown."""
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
    """Decorator that evaluates a condition before each tick of the child.

    If the condition does not hold, the child is stopped and the node fails.

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
        """Start evaluating the condition."""
        self._started = False
        self.ask.begin()

    def collect_running(self, frontier: Collector) -> None:
        """Add this guard, which is evaluated in each tick, and the running nodes of the child."""
        frontier.add(self)
        if self.decorated.status is Status.RUNNING:
            collect_running(self.decorated, frontier)

    def advance(self) -> Status | None:
        """Evaluate the condition; running nodes of the child have their own frontier entries."""
        return self.before_child() if self.decorated.status is RUNNING else self.step()

    def before_child(self) -> Status | None:
        """Evaluate the condition.

        Return FAILURE if it does not hold or its patience has ended, RUNNING while it is unknown
        and the child has not been started, and None to step the child.
        """
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
    """Decorator that fails with TIMEOUT if its child takes too long; checked before each tick."""

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
        """Schedule a step for the tick that may reach the timeout; add the child's nodes."""
        frontier.wake_at(self._began + self.seconds)
        super().collect_running(frontier)

    def before_child(self) -> Status | None:
        """Return FAILURE if the timeout is reached."""
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
    """Decorator that runs the child up to `attempts` times, with at most one start per tick.

    If no attempt succeeds, it fails with the last failure.
    """

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
        """Report a failed attempt that is followed by another one."""
        runtime = self.runtime
        said = f"attempt {self._used} of {self.attempts}"
        runtime.emit(NodeChanged(runtime.now(), runtime.tick, self.path, "running", said, failure))


class Repeat(Modifier):
    """Decorator that repeats the child, with at most one round per tick. Any failure ends it.

    With a condition, the repetition ends when the condition holds after a round. It fails if the
    condition does not hold after the last round.

    Attributes:
        noted: Failures, by path, that were only recorded; those of the last round are not included.
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
        """Reset the number of rounds."""
        self._done = 0
        self._asking = False
        self.noted = ()

    def before_child(self) -> Status | None:
        """Evaluate the condition again if it was unknown after the last round."""
        return self._status_after_round() if self._asking else None

    def after_child(self, status: Status) -> Status:
        """Count a successful round; return the resulting status of this node."""
        if status is not Status.SUCCESS:
            return status
        self._done += 1
        if self.ask is not None:
            self.ask.begin()
            self._asking = True
            return self._status_after_round()
        return self._next_round()

    def _status_after_round(self) -> Status:
        """Return the status of this node after a round, as determined by its condition."""
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
    """Decorator that runs the child for each item of a list. Any failure ends it.

    At most one item is begun per tick.

    Attributes:
        noted: Failures, by path, that were only recorded; those of the last item are not included.
        skipped: Why the child was skipped for every item; empty if it ran for one.
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
        except KeyError:  # the step that should save the list has failed
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
            self._take_next_item()

    def before_child(self) -> Status | None:
        """Return FAILURE if the list is missing or too long, and SUCCESS if it is empty."""
        if self.failure is not None:
            return Status.FAILURE
        return None if self._items else Status.SUCCESS

    def after_child(self, status: Status) -> Status:
        """Take the next item after a success; return the status of the loop."""
        if status is not Status.SUCCESS:
            return status
        self._done += 1
        reason = getattr(self.decorated, "skipped", "")
        self._skips += bool(reason)
        if self._done >= len(self._items):
            self.skipped = reason if self._skips == self._done else ""
            return Status.SUCCESS
        self.noted += recorded_failures_in(self.decorated)
        self._take_next_item()
        return Status.RUNNING

    def _take_next_item(self) -> None:
        if self._done < len(self._items):
            self.runtime.results[self.each.item] = self._items[self._done]
