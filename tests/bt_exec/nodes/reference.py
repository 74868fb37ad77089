"""Reference interpreter of trees, written from the timing table in `bt_exec.spec.model`.

A running node is a generator. It yields once for each tick that leaves it running, returns its
failure (None for success), and is stopped by closing it. No state outlives a generator, so no
state is left when a node is entered again. No code is shared with `bt_exec.nodes`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from typing import Any, TypeAlias

from bt_exec.events import Event, NodeChanged, Progress, SkillEnded, SkillStarting
from bt_exec.failure import Failure
from bt_exec.skill import Running
from bt_exec.spec.model import (
    Check,
    Do,
    Fallback,
    MissionSpec,
    NodeBase,
    Parallel,
)
from bt_exec.spec.node_paths import nodes_with_paths
from tests.bt_exec.nodes.reference_questions import Question, Surroundings
from tests.bt_exec.nodes.stage import CODES, OWN_TIMEOUT_S, Script

__all__ = ["Reference"]

Work: TypeAlias = Generator[None, None, Failure | None]
WAIT = "wait"


class Reference:
    """Mission as defined by the timing table. Call `tick` and `stop`, then compare.

    Attributes:
        status: ``running``, ``done``, ``failed`` or missing, by path.
        events: All emitted events, in order.
        log: All calls of skills and conditions, in order.
        finished: Leaves that are complete: (path, skill, arguments, skip reason).
    """

    def __init__(self, spec: MissionSpec, script: Script, faults: Mapping[Any, str]) -> None:
        self.faults = faults
        self.script = script
        self.kept = spec.mission.kept
        self.status: dict[str, str] = {}
        self.told: dict[str, str] = {}
        self.events: list[Event] = []
        self.args: dict[str, Mapping[str, Any]] = {}
        self.doing: dict[str, str] = {}
        self.reasons: dict[str, str] = {}
        self.around = Surroundings(self.events.append, script)
        self.log = self.around.log
        self.calls: dict[str, int] = {}
        self.by_id = {id(node): path for path, node in nodes_with_paths(spec.root)}
        self.root = spec.root
        self.work = self.node(spec.root)

    # -- from outside ------------------------------------------------------------------------

    def tick(self, now: float) -> str:
        """Run one tick at `now` [s]; return the status of the root."""
        self.around.now = now
        self.around.tick += 1
        next(self.work, None)
        return self.status[self.path(self.root)]

    def stop(self) -> None:
        """Stop every running node."""
        self.work.close()
        self.forget(self.root)

    def path(self, node: NodeBase) -> str:
        """Return the path of `node`."""
        return self.by_id[id(node)]

    @property
    def finished(self) -> list[tuple[Any, ...]]:
        """Return the complete leaves in document order, except those in failed branches."""
        return list(self._finished(self.root))

    def _finished(self, node: NodeBase) -> Any:
        path = self.path(node)
        leaf = isinstance(node, Do | Check) or path in self.kept
        if leaf and self.status.get(path) == "done":
            ran = isinstance(node, Do) and path not in self.kept
            reason = self.reasons.get(path, "")
            yield path, node.do if ran else "", self.args.get(path, {}) if ran else {}, reason
        for child in () if leaf else node.children:
            if not (isinstance(node, Fallback) and self.status.get(self.path(child)) == "failed"):
                yield from self._finished(child)

    # -- a node with its modifiers -----------------------------------------------------------

    def node(self, node: NodeBase) -> Work:
        """Run a node and emit its state after each tick."""
        path = self.path(node)
        if path in self.kept:
            self.status[path] = "done"
            return None
        self.forget(node)
        work = self.each(node)
        try:
            while True:
                try:
                    next(work)
                except StopIteration as ended:
                    failure = ended.value
                    break
                self.status[path] = "running"
                self.tell(path, "running")
                yield
        except GeneratorExit:
            work.close()
            self.forget(node)
            self.told.pop(path, None)
            raise
        self.status[path] = "failed" if failure else "done"
        if failure:
            self.tell(path, "failed", failure.message, failure)
        elif path in self.reasons:
            self.tell(path, "skipped", self.reasons[path])
        else:
            self.tell(path, "done")
        return failure

    def each(self, node: NodeBase) -> Work:
        """Run `for_each`: once per item of a list, one item per tick."""
        if node.for_each is None:
            return (yield from self.skipping(node))
        each, path = node.for_each, self.path(node)
        items = each.items
        if isinstance(items, str):
            items = self.around.results.get(items.removeprefix("$"))
        if not isinstance(items, list | tuple):
            said = f"{each} is not a list: {items!r}"
            return Failure("BAD_ARGUMENT", said, path, "check", retryable=False)
        if len(items) > each.most:
            facts = {"count": len(items), "limit": each.most}
            said = f"{len(items)} items; the limit is {each.most}"
            return Failure("TOO_MANY_ITEMS", said, path, "check", evidence=facts)
        skipped = 0
        for number, item in enumerate(items):
            self.around.results[each.item] = item
            if number:
                yield
                self.forget_children(node)
            self.reasons.pop(path, None)
            self.args.pop(path, None)
            failure = yield from self.skipping(node)
            if failure:
                return failure
            skipped += path in self.reasons
        if skipped < len(items):
            self.reasons.pop(path, None)
        return None

    def skipping(self, node: NodeBase) -> Work:
        """Run `skip_if`: evaluated on entry until it is known."""
        if node.skip_if is not None:
            path = self.path(node)
            question = Question(node.skip_if, path, "skip_if", self.around)
            while (answer := question.ask()).holds is None:
                if answer.given_up:
                    return question.doubt("check")
                yield
            if answer.holds:
                self.reasons[path] = question.skip_reason()
                return None
        return (yield from self.repeating(node))

    def repeating(self, node: NodeBase) -> Work:
        """Run `repeat`: the given number of successes in a row, one per tick."""
        for number in range(node.repeat or 1):
            if number:
                yield
            failure = yield from self.retrying(node)
            if failure:
                return failure
            if node.until is None:
                continue
            question = Question(node.until.condition, self.path(node), "until", self.around)
            while (answer := question.ask()).holds is None:
                if answer.given_up:
                    return question.doubt("check")
                yield
            if answer.holds:
                return None
            if number + 1 == node.repeat:
                return question.missed(node.until.code)
        return None

    def retrying(self, node: NodeBase) -> Work:
        """Run `retry`: up to the given number of attempts, one per tick."""
        earlier: list[Failure] = []
        for number in range(node.retry or 1):
            if number:
                yield
                self.forget_children(node)
            failure = yield from self.attempt(node)
            if failure is None:
                return None
            earlier.insert(0, failure)
            if not failure.retryable or number + 1 == (node.retry or 1):
                break
            said = f"attempt {number + 1} of {node.retry}"
            self.emit(NodeChanged, self.path(node), "running", said, failure)
        return chained(earlier)

    def attempt(self, node: NodeBase) -> Work:
        """Run one attempt: `timeout` around `while` around the node."""
        self.forget_children(node)
        self.args.pop(self.path(node), None)
        limit = node.timeout or (OWN_TIMEOUT_S[node.do] if isinstance(node, Do) else None)
        began = self.around.now

        def late() -> Failure | None:
            taken = self.around.now - began
            if limit is None or taken < limit - 1e-9:
                return None
            said = f"not done after {taken:.1f} s (limit {limit:g} s)"
            if doing := self.doing.get(self.path(node)):
                said += f"; last activity: {doing}"
            facts = {"seconds": round(taken, 3), "limit": limit}
            skill, args = "", {}
            if isinstance(node, Do):
                skill, args = node.do, self.args.get(self.path(node)) or self.given(node)
            return Failure("TIMEOUT", said, self.path(node), "timeout", skill, args, facts)

        return self.watched(node, self.guarded(node), late)

    def guarded(self, node: NodeBase) -> Work:
        """Run `while`: evaluated each tick before the node. An unknown verdict starts nothing."""
        if node.guard is None:
            return (yield from self.core(node))
        question = Question(node.guard, self.path(node), "while", self.around)
        started = False

        def broken() -> Failure | str | None:
            nonlocal started
            answer = question.ask()
            if answer.holds:
                started = True
            elif answer.holds is False:
                return question.broken(started=started)
            elif answer.given_up:
                return question.doubt("guard")
            return None if started else WAIT

        return (yield from self.watched(node, self.core(node), broken))

    def watched(self, node: NodeBase, work: Work, ask: Callable[[], Any]) -> Work:
        """Run `work` and call the check before each of its ticks. A failed check stops it."""
        try:
            while True:
                said = ask()
                if isinstance(said, Failure):
                    work.close()
                    self.forget_children(node)
                    return said
                if said != WAIT:
                    try:
                        next(work)
                    except StopIteration as ended:
                        return ended.value
                yield
        finally:
            work.close()

    # -- kinds -------------------------------------------------------------------------------

    def core(self, node: NodeBase) -> Work:
        """Run the node without its modifiers."""
        match node:
            case Do():
                return self.do(node)
            case Check():
                return self.check(node)
            case Parallel():
                return self.parallel(node)
            case Fallback():
                return self.fallback(node)
        return self.sequence(node)

    def sequence(self, node: NodeBase) -> Work:
        """Run the children in order until one fails."""
        for child in node.children:
            failure = yield from self.node(child)
            if failure:
                return failure
        return None

    def fallback(self, node: Fallback) -> Work:
        """Run the children in order until one succeeds.

        Earlier failures are causes of the last one.
        """
        failures: list[Failure] = []
        for child in node.children:
            failure = yield from self.node(child)
            if failure is None:
                return None
            failures.insert(0, failure)
            first = next(iter(child.children), None)
            if node.is_choice and self.status.get(self.path(first)) == "done":
                return chained(failures)  # the decision for this branch
        return chained(failures)

    def parallel(self, node: Parallel) -> Work:
        """Run all children at once, until enough have succeeded or too many have failed."""
        running = [self.node(child) for child in node.parallel]
        succeeded, failures = 0, []
        try:
            while True:
                for work in list(running):
                    try:
                        next(work)
                    except StopIteration as ended:
                        running.remove(work)
                        if ended.value is None:
                            succeeded += 1
                        else:
                            failures.append(ended.value)
                if succeeded >= node.needed:
                    return None
                if len(node.parallel) - len(failures) < node.needed:
                    return failures[0]
                yield
        finally:
            for work in running:
                work.close()

    def check(self, node: Check) -> Work:
        """Evaluate a check until it is known."""
        question = Question(node.check, self.path(node), "check", self.around, told=node.tell)
        while (answer := question.ask()).holds is None:
            if answer.given_up:
                return question.doubt("check")
            yield
        return None if answer.holds or node.tell else question.failed(node.code)

    # -- skills ------------------------------------------------------------------------------

    def given(self, node: Do) -> dict[str, Any]:
        """Return the current arguments, or the written ones if a result is missing."""
        value = node.args.get("value", 0)
        if not isinstance(value, str):
            return {"value": value}
        name = value.removeprefix("$")
        if self.around.results.get(name) is not None:
            return {"value": self.around.results[name]}
        return dict(node.args)

    def do(self, node: Do) -> Work:
        """Start a skill, run it and emit its end."""
        around, path, name = self.around, self.path(node), node.do
        began = around.now
        args = self.args[path] = self.given(node)
        if "$" in str(args.get("value")):
            return Failure(
                "BAD_ARGUMENT", repr(args["value"][1:]), path, "skill", name, args, retryable=False
            )
        number = self.calls[name] = self.calls.get(name, 0) + 1
        self.emit(SkillStarting, path, name, args, number)

        def ended(state: str, result: Any = None, failure: Failure | None = None) -> Any:
            taken = around.now - began
            self.doing.pop(path, None)
            self.emit(SkillEnded, path, name, number, state, taken, result or {}, failure)
            return failure

        def failed(code: str, message: str, *, retryable: bool, **evidence: Any) -> Any:
            return ended(
                "failed",
                None,
                Failure(code, message, path, "skill", name, args, evidence, retryable),
            )

        code = self.faults.get((name, number))
        if code is not None:
            said = f"made to fail on purpose at call {number}"
            return failed(code, said, retryable=code != "SKILL_CRASHED")
        call = self.script.skill(name)
        around.log.append(f"{name} {args['value']} start")
        told: Running | None = None
        try:
            for step in range(call.ticks):
                now = Running(None, call.doing(step))
                if now != told:
                    told = now
                    self.emit(Progress, path, None, now.doing)
                    self.doing[path] = now.doing
                yield
        except GeneratorExit:
            around.log.append(f"{name} closed")
            said = ""
            if call.messy:
                around.log.append("robot stop")
                said = "clean-up raised RuntimeError: messy; the robot was stopped"
            ended("stopped")
            self.emit(NodeChanged, path, "stopped", said)
            raise
        around.log.append(f"{name} closed")
        if call.messy:
            return failed("SKILL_CRASHED", "RuntimeError: messy", retryable=False, traceback="…")
        if call.end == "done":
            for field, saved in node.save.items():
                around.results[saved] = {"value": call.value}.get(field)
            return ended("done", {"value": call.value})
        if call.end == "crash":
            return failed("SKILL_CRASHED", "ValueError: broken", retryable=False, traceback="…")
        if call.end not in CODES:
            said = f"raised the undeclared code {call.end}: as written"
            return failed("SKILL_CRASHED", said, retryable=False)
        return failed(call.end, "as written", retryable=call.end != "HOPELESS", value=call.value)

    # -- events ------------------------------------------------------------------------------

    def emit(self, kind: Any, *facts: Any) -> None:
        """Emit an event with the current time and tick."""
        self.events.append(kind(self.around.now, self.around.tick, *facts))

    def tell(self, path: str, state: str, detail: str = "", failure: Any = None) -> None:
        """Emit the state of a node if it has changed."""
        settled = "done" if state == "skipped" else state
        if self.told.get(path) != settled:
            self.told[path] = settled
            self.emit(NodeChanged, path, state, detail, failure)

    def forget(self, node: NodeBase) -> None:
        """Reset the status of a node and its descendants."""
        self.status.pop(self.path(node), None)
        self.reasons.pop(self.path(node), None)
        self.args.pop(self.path(node), None)
        self.forget_children(node)

    def forget_children(self, node: NodeBase) -> None:
        """Reset the status of all descendants of a node."""
        for child in node.children:
            self.forget(child)


def chained(failures: list[Failure]) -> Failure:
    """Return the first of `failures` with the others appended to its causes."""
    first, *rest = failures
    return first.with_cause(chained(rest)) if rest else first
