"""Leaf node that records the start of a skill, runs the skill, and always cleans up after it."""

from __future__ import annotations

import logging
import math
import threading
from collections.abc import Callable, Generator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from py_trees.common import Status
from pydantic import ValidationError

from bt_exec.events import NodeChanged, Progress, SkillEnded, SkillStarting
from bt_exec.failure import (
    INJECTED,
    STOPPED,
    Failed,
    Failure,
    PartBroken,
    RobotStopped,
    describe_exception,
    plain_error,
    plain_evidence,
    traceback_text,
)
from bt_exec.nodes.node import SLOW_S, Leaf
from bt_exec.nodes.runtime import Runtime, known_facts
from bt_exec.rig import Rig, stop_all
from bt_exec.skill import Running, Skill, Steps
from bt_exec.spec.model import Do
from bt_exec.standby_threads import STANDBY
from bt_exec.verify.effects_on_facts import NEED_NOT_MET, unmet_needs

__all__ = ["SkillNode", "unmet_need"]

CRASHED = "SKILL_CRASHED"
STUCK = "CANCEL_OVERDUE"

_log = logging.getLogger("bt_exec")


class SkillNode(Leaf):
    """Leaf that runs a skill, one step of its generator per tick.

    The start is recorded before the generator runs. Cancelling closes the generator; if that takes
    longer than the deadline, the robot is stopped from another thread. If an attempt does not
    succeed, a robot that still moves is stopped, unless another skill of the pack is running. After
    a crash, it is always stopped.
    """

    _started: float  # start of the attempt [s]

    def __init__(self, spec: Do, path: str, skill: Skill, runtime: Runtime) -> None:
        super().__init__(path)
        self.spec = spec
        self.skill = skill
        self.part = f"skill {skill.name}"
        self._present = runtime.watch.present
        self.runtime = runtime
        self.failure: Failure | None = None
        self.args: dict[str, Any] = {}
        self.result: Mapping[str, Any] = {}
        self._steps: Steps[Any] | None = None
        self._call = 0  # number of the call in progress; 0 if there is none
        self._last: Any = None  # last yielded value
        self._held_s = 0.0  # duration of the longest slow step of the attempt [s, wall]

    def initialise(self) -> None:
        """Record the start of the skill, then start it; called once per attempt."""
        runtime = self.runtime
        if runtime.broken is not None:
            raise runtime.broken
        self.failure = None
        self.result = {}
        self._steps = None
        self._last = self  # a value that the skill cannot yield
        self._held_s = 0.0
        self._started = runtime.now()
        self.args = dict(self.spec.args)
        try:
            self.args = runtime.resolve_references(self.args)
            self.args = self.skill.validate(self.args)
        except (ValueError, KeyError) as error:
            why = _validation_errors(error) if isinstance(error, ValidationError) else str(error)
            self.failure = self._make_failure("BAD_ARGUMENT", why, retryable=False)
            return
        unmet = unmet_need(self.skill, self.args, runtime)
        if unmet is not None:
            message, evidence = unmet
            self.failure = self._make_failure(NEED_NOT_MET, message, retryable=True, **evidence)
            return
        self._call = runtime.calls[self.skill.name] = runtime.calls.get(self.skill.name, 0) + 1
        runtime.emit(
            SkillStarting(
                self._started, runtime.tick, self.path, self.skill.name, self.args, self._call
            )
        )
        trouble = runtime.unrecorded()
        if trouble:  # nothing may move without a record
            self.failure = self._make_failure("NOT_RECORDED", trouble, retryable=False)
            return
        runtime.working.add((self._owner, self.path))
        fault = runtime.faults.for_call(self.skill.name, self._call)
        if fault is not None and fault.code and not fault.after:
            message = f"{INJECTED} at call {self._call}"
            self.failure = self._make_failure(fault.code, message, retryable=fault.code != CRASHED)
            return
        injected = runtime.injected_parameters(self.skill, self._started)
        try:
            self._steps = self._start_generator({**injected, **self.args})
            if fault is not None:
                self._steps = runtime.faults.steps_with_fault(fault, self._steps)
        except (KeyboardInterrupt, PartBroken):
            raise
        except BaseException as error:  # noqa: BLE001 - a skill is pack code; it becomes a failure
            self.failure = self._make_failure(
                CRASHED, describe_exception(error), retryable=False, traceback=traceback_text(error)
            )

    def _start_generator(self, given: Mapping[str, Any]) -> Steps[Any]:
        """Return the generator of the skill.

        The watchdog monitors the call, because a function without ``yield`` would run immediately.
        """
        steps: Any = self.runtime.watch.call(self.part, self.skill, **given)
        if not isinstance(steps, Generator):
            raise TypeError(f"returns {type(steps).__name__} instead of a generator; it must yield")
        return steps

    def update(self) -> Status:
        """Run one step under the watchdog; return the status."""
        if self._steps is None:
            return self._end(Status.FAILURE)
        self._present.begin(self.part)
        status = self.advance()
        self.handle_long_call(self._present.end())
        return status or Status.RUNNING

    def advance(self) -> Status | None:
        """Advance the skill by one step."""
        assert self._steps is not None
        try:
            try:
                step = next(self._steps)
            except StopIteration as stop:
                self.handle_long_call(self._present.end())
                result = self._save_results(stop.value)
            else:
                if step is not self._last:
                    self.handle_long_call(self._present.end())
                    self._progress(step)
                return None
        except BaseException as error:  # noqa: BLE001 - a skill is pack code; it becomes a failure
            return self._status_after_exception(error)
        return self._end(Status.SUCCESS, result)

    def handle_long_call(self, seconds: float) -> None:
        """Store the duration of a slow step for `SkillEnded`; log the first one of an attempt."""
        if seconds <= SLOW_S:
            return
        if not self._held_s:
            said = self.runtime.sentence("SKILL_BLOCKED", self.skill.name, self.args, seconds)
            _log.warning("%s", said)
        self._held_s = max(self._held_s, round(seconds, 1))

    def _status_after_exception(self, error: BaseException) -> Status:
        """Return the status after a step that raised `error`."""
        self.handle_long_call(self._present.end())
        error = plain_error(error)
        if isinstance(error, KeyboardInterrupt | PartBroken):
            raise error  # raised by the operator or the watchdog, not by the skill
        # watched, because methods of the error may belong to the skill
        self.failure = self.runtime.watch.call(self.part, self._failure_of, error)
        return self._end(Status.FAILURE)

    def _save_results(self, value: Any) -> Mapping[str, Any]:
        """Save the results that the plan refers to; return all fields of the result."""
        found = _result_fields(value)
        for field, name in self.spec.save.items():
            self.runtime.results[name] = found.get(field)
        return found

    @property
    def _owner(self) -> str:
        return self.runtime.catalogue.owner(self.skill.name)

    def _own_rigs(self) -> dict[str, Rig]:
        return {name: rig for name, rig in self.runtime.rigs.items() if name == self._owner}

    def terminate(self, _: Status) -> None:
        """Cancel a running skill and reset the attempt; also called if no skill is running."""
        if self._call:  # the skill is running
            overdue = self._close_generator()
            now, tick = self.runtime.now(), self.runtime.tick
            try:
                self._emit_end("stopped")
                self.runtime.emit(NodeChanged(now, tick, self.path, "stopped", overdue))
            except PartBroken as error:  # raised later, after the other skills were stopped
                self.runtime.broken = error
        self.args = {}

    @property
    def doing(self) -> str:
        """Last reported activity of the running attempt; empty if there is none."""
        last = self._last if self._call else None
        return str(last.doing) if isinstance(last, Running) else ""

    def attempt_arguments(self) -> Mapping[str, Any]:
        """Return the arguments of the current attempt, or of the next one if none is running."""
        if self._call:
            return self.args
        try:
            return self._arguments()
        except (ValueError, KeyError):
            return dict(self.spec.args)

    def _arguments(self) -> dict[str, Any]:
        return self.skill.validate(self.runtime.resolve_references(self.spec.args))

    def _close_generator(self) -> str:
        """Close the generator; return a message about an error, or an empty string."""
        steps, self._steps = self._steps, None
        own = self._own_rigs()
        late = threading.Event()

        def escalate() -> None:
            late.set()
            stop_all(own)

        alarm = STANDBY.run_after(self.runtime.cancel_s, escalate)
        trouble = ""
        try:
            if steps is not None:
                watch, part = self.runtime.watch, f"the clean-up of {self.skill.name}"
                watch.call_within(self.runtime.cancel_s + watch.limit_s, part, steps.close)
        except KeyboardInterrupt:
            raise  # raised by the operator, not by the skill
        except PartBroken as error:  # raised later, after the other skills were cleaned up
            self.runtime.broken = error
            late.set()
        except BaseException as error:  # noqa: BLE001 - the clean-up failed, so the robot is stopped
            trouble = f"clean-up raised {describe_exception(error)}; the robot was stopped"
            stop_all(own)
        finally:
            alarm.cancel()
        return (
            f"{STUCK}: clean-up took too long; the robot was stopped" if late.is_set() else trouble
        )

    def _progress(self, step: Any) -> None:
        if not isinstance(step, Running):
            raise TypeError(f"yielded {type(step).__name__} instead of Running")
        if step != self._last:
            self._last = step
            runtime = self.runtime
            progress = None if step.progress is None else float(step.progress)
            if progress is not None and math.isnan(progress):
                progress = None
            doing = str(step.doing)
            runtime.emit(Progress(runtime.now(), runtime.tick, self.path, progress, doing))

    def _end(self, status: Status, result: Mapping[str, Any] | None = None) -> Status:
        self.result = result or {}
        if self._call:
            self._emit_end("done" if status is Status.SUCCESS else "failed", result)
        if self.failure is not None and self.failure.code == STOPPED:
            raise RobotStopped(self.failure)
        return status

    def _emit_end(self, state: Any, result: Mapping[str, Any] | None = None) -> None:
        runtime = self.runtime
        runtime.working.discard((self._owner, self.path))
        if state != "done":
            self._stop_what_moves()
        now = runtime.acted = runtime.now()
        call, self._call = self._call, 0
        runtime.emit(
            SkillEnded(
                now,
                runtime.tick,
                self.path,
                self.skill.name,
                call,
                state,
                now - self._started,
                result or {},
                self.failure,
                self._held_s,
            )
        )

    def _stop_what_moves(self) -> None:
        """Stop the pack's robot if it moves, unless another skill uses it.

        After a crash, it is stopped even if another skill uses it, because the remaining motion may
        be that of the crashed skill.
        """
        crashed = self.failure is not None and self.failure.code == CRASHED
        if not crashed and any(owner == self._owner for owner, _ in self.runtime.working):
            return
        for pack in self._own_rigs():
            if self.runtime.may_be_moving(pack):
                _log.info(
                    "%s ended while its robot is moving; the robot is stopped", self.skill.name
                )
                self.runtime.stop_robot(pack)

    def _failure_of(self, error: BaseException) -> Failure:
        if not isinstance(error, Failed):
            trace = traceback_text(error)
            return self._make_failure(
                CRASHED, describe_exception(error), retryable=False, traceback=trace
            )
        if error.code in self.skill.fails:
            again, evidence = error.retryable is not False, plain_evidence(error.evidence)
            return self._make_failure(error.code, error.message, retryable=again, **evidence)
        message = f"raised the undeclared code {error.code}: {error.message}"
        return self._make_failure(CRASHED, message, retryable=False)

    def _make_failure(
        self, code: str, message: str, /, *, retryable: bool, **evidence: Any
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


def _result_fields(result: Any) -> dict[str, Any]:
    """Return the fields of a skill's result."""
    if result is None:
        return {}
    if is_dataclass(result) and not isinstance(result, type):
        return {field.name: getattr(result, field.name) for field in fields(result)}
    if isinstance(result, Mapping):
        return dict(result)
    if hasattr(result, "_asdict"):
        return dict(result._asdict())
    return {"result": result}


def _validation_errors(error: ValidationError) -> str:
    """Return the validation errors of arguments, in one line."""
    return "; ".join(
        f"{'.'.join(map(str, found['loc']))}: {found['msg'].lower()}, found {found['input']!r:.80}"
        for found in error.errors()
    )


def unmet_need(
    skill: Skill, args: Mapping[str, Any], runtime: Runtime
) -> tuple[str, dict[str, Any]] | None:
    """Return why a skill may not start now, with evidence; None if no known fact prevents it.

    The facts come from the robots and from the newest observations. Observations captured before
    the last action ended are ignored, because they may be outdated.
    """
    if not skill.needs:
        return None

    def read_facts(part: str, facts: Callable[[], dict[str, str]]) -> dict[str, str]:
        try:
            return runtime.watch.call(part, facts)
        except Exception as error:  # noqa: BLE001 - facts that cannot be read prevent nothing
            _log.error("%s could not be read", part, exc_info=error)
            return {}

    known = known_facts(runtime.catalogue, runtime.rigs, runtime.buffers, read_facts, runtime.acted)
    found = unmet_needs(known, skill, args)
    if not found:
        return None
    fact, allowed, value = found[0]
    message = f"{skill.name} needs {fact} to be {' or '.join(allowed)}, but it is {value}"
    facts_text = ", ".join(f"{fact}={value}" for fact, _, value in found)
    return message, {"facts": facts_text, "allowed": [f"{fact}={value}" for value in allowed]}
