"""The nodes that do something: a skill, a check, and what is kept from an earlier plan."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Iterator, Mapping
from dataclasses import asdict, is_dataclass
from typing import Any

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from bt_exec.events import Asked, NodeChanged, Progress, SkillEnded, SkillStarting
from bt_exec.failure import Failed, Failure
from bt_exec.nodes.ask import Ask
from bt_exec.nodes.runtime import Runtime
from bt_exec.skill import Running, Skill, Steps, Verdict
from bt_exec.spec.model import Check, Do

__all__ = ["CRASHED", "CheckNode", "KeptNode", "SkillNode"]

CRASHED = "SKILL_CRASHED"
STUCK = "CANCEL_OVERDUE"


class Leaf(Behaviour):
    """A behaviour without py_trees' debug strings, which cost as much as all the rest of a tick."""

    def tick(self) -> Iterator[Behaviour]:
        """Start if need be, update, settle; the same as `py_trees.behaviour.Behaviour.tick`."""
        if self.status is not Status.RUNNING:
            self.initialise()
        status = self.update()
        if status is not Status.RUNNING:
            self.stop(status)
        self.status = status
        yield self


class SkillNode(Leaf):
    """Runs a skill: one step of its generator each tick.

    The start is on record before the generator runs. Cancelling closes the generator; if that
    takes longer than the deadline, the robot is stopped from another thread.
    """

    def __init__(self, spec: Do, path: str, skill: Skill, runtime: Runtime) -> None:
        super().__init__(path)
        self.spec = spec
        self.path = path
        self.skill = skill
        self.runtime = runtime
        self.failure: Failure | None = None
        self.args: dict[str, Any] = {}
        self._steps: Steps[Any] | None = None
        self._started = 0.0
        self._call = 0
        self._last: Running | None = None

    def initialise(self) -> None:
        """Announce and start the skill; called by py_trees once per attempt."""
        runtime = self.runtime
        self.failure = None
        self._steps = None
        self._last = None
        self._started = runtime.now()
        try:
            self.args = self.skill.validate(runtime.resolve(self.spec.args))
        except (ValueError, KeyError) as error:
            self.args = dict(self.spec.args)
            self.failure = self._fail("BAD_ARGUMENT", str(error), retryable=False)
            return
        self._call = runtime.calls[self.skill.name] = runtime.calls.get(self.skill.name, 0) + 1
        runtime.emit(
            SkillStarting(
                self._started, runtime.tick, self.path, self.skill.name, self.args, self._call
            )
        )
        trouble = runtime.unrecorded()
        if trouble:  # nothing moves unrecorded
            self.failure = self._fail("NOT_RECORDED", trouble, retryable=False)
            return
        fault = runtime.faults.code_for(self.skill.name, self._call)
        if fault is not None:
            message = f"made to fail by --fault at call {self._call}"
            self.failure = self._fail(fault, message, retryable=fault != CRASHED)
            return
        robot, world = runtime.surroundings(self.skill.name, self._started)
        self._steps = self.skill(**self.skill.inject(robot, world), **self.args)

    def update(self) -> Status:
        """Advance the skill by one step."""
        if self._steps is None:
            return self._end(Status.FAILURE)
        try:
            self._progress(next(self._steps))
        except StopIteration as stop:
            self._save(stop.value)
            return self._end(Status.SUCCESS, stop.value)
        except Failed as failed:
            self.failure = self._failure_of(failed)
        except Exception as error:  # noqa: BLE001 - a skill is somebody's code; it becomes a failure
            self.failure = self._fail(
                CRASHED,
                f"{type(error).__name__}: {error}",
                retryable=False,
                traceback=traceback.format_exc(),
            )
        else:
            return Status.RUNNING
        return self._end(Status.FAILURE)

    def terminate(self, new_status: Status) -> None:
        """Cancel a running skill; called by py_trees on every ending, acts only on a cancel."""
        if new_status is not Status.INVALID or self._steps is None:
            return
        overdue = self._close()
        state = NodeChanged(self.runtime.now(), self.runtime.tick, self.path, "stopped", overdue)
        self._ended("stopped")
        self.runtime.emit(state)

    def _close(self) -> str:
        """Close the generator; return what went wrong, or nothing."""
        steps, self._steps = self._steps, None
        rig = self.runtime.rigs.get(self.runtime.catalogue.owner(self.skill.name))
        late = threading.Event()

        def escalate() -> None:
            late.set()
            if rig is not None:
                rig.robot.stop()

        timer = threading.Timer(self.runtime.cancel_s, escalate)
        timer.daemon = True
        timer.start()
        trouble = ""
        try:
            if steps is not None:
                steps.close()
        except Exception as error:  # noqa: BLE001 - the clean-up failed, so the robot is stopped
            trouble = f"clean-up raised {type(error).__name__}: {error}; the robot was stopped"
            if rig is not None:
                rig.robot.stop()
        finally:
            timer.cancel()
        return (
            f"{STUCK}: clean-up took too long; the robot was stopped" if late.is_set() else trouble
        )

    def _progress(self, step: Any) -> None:
        if not isinstance(step, Running):
            raise TypeError(f"yielded {type(step).__name__} instead of Running")
        if step != self._last:
            self._last = step
            runtime = self.runtime
            runtime.emit(
                Progress(runtime.now(), runtime.tick, self.path, step.progress, step.doing)
            )

    def _save(self, result: Any) -> None:
        fields = _fields_of(result)
        for field, name in self.spec.save.items():
            self.runtime.results[name] = fields.get(field)

    def _end(self, status: Status, result: Any = None) -> Status:
        self._steps = None
        if self._call:
            done = status is Status.SUCCESS
            self._ended("done" if done else "failed", _fields_of(result))
        return status

    def _ended(self, state: Any, result: Mapping[str, Any] | None = None) -> None:
        runtime = self.runtime
        now = runtime.now()
        runtime.emit(
            SkillEnded(
                now,
                runtime.tick,
                self.path,
                self.skill.name,
                self._call,
                state,
                now - self._started,
                result or {},
                self.failure,
            )
        )

    def _failure_of(self, failed: Failed) -> Failure:
        if failed.code in self.skill.fails:
            again = failed.retryable
            return self._fail(failed.code, failed.message, retryable=again, **failed.evidence)
        message = f"raised the undeclared code {failed.code}: {failed.message}"
        return self._fail(CRASHED, message, retryable=False)

    def _fail(
        self, code: str, message: str, /, *, retryable: bool = True, **evidence: Any
    ) -> Failure:
        return Failure(
            code,
            message,
            self.path,
            "skill",
            self.skill.name,
            self.args,
            evidence,
            retryable,
        )


class CheckNode(Leaf):
    """Asks a condition: each tick until it is known, at most as long as its patience."""

    def __init__(self, spec: Check, path: str, runtime: Runtime) -> None:
        super().__init__(path)
        self.spec = spec
        self.path = path
        self.runtime = runtime
        self.ask = Ask(spec.check, runtime)
        self.failure: Failure | None = None
        self.told: Verdict | None = None

    def initialise(self) -> None:
        """Start asking; what was seen before is not fresh."""
        self.failure = None
        self.ask.begin()

    def update(self) -> Status:
        """Ask once."""
        verdict = self.ask.verdict()
        emit_verdict(self.runtime, self.path, "check", self.ask, verdict, told=self.spec.tell)
        if verdict.holds is None:
            if not self.ask.expired:
                return Status.RUNNING
            self.failure = doubt(self.ask, verdict, self.path, "check")
            return Status.FAILURE
        if verdict.holds or self.spec.tell:
            self.told = verdict if self.spec.tell else None
            return Status.SUCCESS
        self.failure = Failure(
            self.spec.code or "CHECK_FAILED",
            verdict.why or f"{self.ask.text} does not hold",
            self.path,
            "check",
            self.ask.name,
            evidence={"question": self.ask.text, "evidence": list(verdict.evidence)},
            retryable=False,
        )
        return Status.FAILURE


class KeptNode(Leaf):
    """A node that an earlier plan finished: succeeds at once, does nothing."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path
        self.failure = None

    def update(self) -> Status:
        """Succeed."""
        return Status.SUCCESS


def emit_verdict(
    runtime: Runtime, path: str, role: Any, ask: Ask, verdict: Verdict, *, told: bool = False
) -> None:
    """Tell listeners about a verdict, if it says something new."""
    said = (verdict.holds, verdict.why)
    if said == ask.said:
        return
    ask.said = said
    runtime.emit(Asked(runtime.now(), runtime.tick, path, role, ask.text, verdict, told))


def doubt(ask: Ask, verdict: Verdict, path: str, kind: Any) -> Failure:
    """Return the failure of a question that nobody could answer in time."""
    evidence: dict[str, Any] = {"question": ask.text, "evidence": list(verdict.evidence)}
    if ask.crash:
        evidence["traceback"] = ask.crash
    message = verdict.why or f"cannot tell whether {ask.text}"
    return Failure(ask.code, message, path, kind, ask.name, {}, evidence, retryable=False)


def _fields_of(result: Any) -> dict[str, Any]:
    """Return the fields of a skill's result."""
    if result is None:
        return {}
    if is_dataclass(result) and not isinstance(result, type):
        return asdict(result)
    if isinstance(result, Mapping):
        return dict(result)
    if hasattr(result, "_asdict"):
        return dict(result._asdict())
    return {"result": result}
