"""Fault injection for tests of recovery; a fault has a part, a kind, a time and a count."""

from __future__ import annotations

import itertools
import os
import re
import signal
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from typing import Annotated, Any, Literal, NamedTuple, TypeVar

from pydantic import Field, ValidationError, model_validator

from bt_exec.failure import Failed, UnknownName, UsageError, nearest_first
from bt_exec.skill import Running, Skill, Steps
from bt_exec.spec.user_data_validation import UserData

__all__ = ["ACTIONS", "Fault", "Faults", "Unfired", "faults_for_rerun"]

T = TypeVar("T")

ACTIONS: Mapping[str, tuple[str, ...]] = {
    "skill": ("fail", "crash", "hang", "slow"),
    "camera": ("lose", "freeze", "crash", "slow"),
    "planner": ("crash", "slow"),
    "journal": ("fail",),
    "operator": ("stop",),
    "process": ("kill",),
}
"""Kinds of faults by part."""

_FORM = re.compile(
    r"(?P<skill>\w+(?:\.\w+)?)(?::(?P<call>[0-9]{1,9}))?=(?P<code>[A-Z][A-Z0-9_]*)\Z"
)
_IN_TEXT = {"part", "does", "name", "code", "call"}
_EVERY_SKILL = ("TIMEOUT", "SKILL_CRASHED")
_HANGS = Running(None, "hanging on purpose")


class Fault(UserData):
    """An injected fault.

    Attributes:
        part: The failing part. ``operator`` stops the mission, ``process`` kills its process.
        name: Name of the skill, or of the camera's pack; empty for all of them.
        does: Kind of failure, one of `ACTIONS` for the part. ``lose`` returns no frame,
            ``freeze`` repeats the previous frame, ``slow`` adds a delay of `seconds`.
        code: Failure code of a skill.
        call: Number of the skill's call in a mission, from 1; every call if None.
        after: Number of steps of the call before the fault; with 0, ``fail`` prevents its start.
        since: Start of the active period [s, from the start of the mission].
        until: End of the active period [s].
        times: Maximum number of times that the fault fires.
        seconds: Delay of a slow part [s, wall].
    """

    part: Literal["skill", "camera", "planner", "journal", "operator", "process"]
    does: Literal["fail", "crash", "hang", "slow", "lose", "freeze", "stop", "kill"]
    name: str = ""
    code: str = ""
    call: Annotated[int, Field(ge=1)] | None = None
    after: Annotated[int, Field(ge=0)] = 0
    since: Annotated[float, Field(ge=0)] = 0.0
    until: Annotated[float, Field(gt=0)] | None = None
    times: Annotated[int, Field(ge=1)] | None = None
    seconds: Annotated[float, Field(gt=0, le=60)] = 0.3

    @model_validator(mode="after")
    def _check_possible(self) -> Fault:
        if self.does not in ACTIONS[self.part]:
            allowed = ", ".join(ACTIONS[self.part])
            raise ValueError(f"a {self.part} cannot {self.does}; allowed: {allowed}")
        fails = self.part == "skill" and self.does == "fail"
        if fails is not bool(self.code):
            raise ValueError("'code' is required for a skill that fails, and not allowed otherwise")
        if self.until is not None and self.until <= self.since:
            raise ValueError("until must be later than since")
        return self

    @classmethod
    def parse(cls, text: str) -> Fault:
        """Parse ``SKILL[:N]=CODE``.

        Raises:
            UsageError: If the text does not have this form.
        """
        match = _FORM.match(text)
        if match is None:
            raise UsageError(
                f"fault {text[:80]!r} must be SKILL[:N]=CODE: a skill, the number of its "
                "call (every call if omitted), and one of its failure codes"
            )
        call = int(match["call"]) if match["call"] else None
        if call == 0:
            raise UsageError(f"fault {text!r}: calls are counted from 1")
        return cls(part="skill", does="fail", name=match["skill"], call=call, code=match["code"])

    def check(self, skills: Mapping[str, Skill]) -> None:
        """Raise an error for a fault that cannot fire.

        Raises:
            UnknownName: If there is no such skill.
            UsageError: If the skill does not declare that code.
        """
        if self.part != "skill" or not self.name:
            return
        if self.name not in skills:
            raise UnknownName("skill", self.name, skills)
        known = sorted({*skills[self.name].fails, *_EVERY_SKILL})
        if self.code and self.code not in known:
            listed = ", ".join(nearest_first(self.code, known))
            raise UsageError(
                f"skill {self.name!r} never fails with {self.code}; its failure codes: {listed}"
            )

    def to_source(self) -> str | dict[str, Any]:
        """Return the text or mapping from which `Faults.parse` creates this fault."""
        written = self.model_dump(exclude_defaults=True)
        if self.name and self.code and set(written) <= _IN_TEXT:
            return str(self)
        return written

    def __str__(self) -> str:
        """Return the fault as one line of text."""
        return " ".join(self.words())

    def words(self) -> tuple[str, ...]:
        """Return the fault in words: part, name and call, effect, delay, active period."""
        call = "" if self.call is None else f":{self.call}"
        if self.part == "skill" and self.does == "fail":
            said = [f"{self.name}{call}={self.code}"]
        else:
            said = [self.part, f"{self.name}{call}", self.does]
        if self.after:
            said.append(f"after {self.after} steps")
        if self.until is not None:
            said.append(f"{self.since:g} to {self.until:g} s")
        elif self.since:
            said.append(f"from {self.since:g} s")
        return tuple(filter(None, said))


class Unfired(NamedTuple):
    """A fault that did not fire.

    Attributes:
        fault: The fault.
        calls: Number of calls of its skill; None for a fault of another part.
    """

    fault: Fault
    calls: int | None


class Faults:
    """Faults of a session, with a record of those that fired.

    Attributes:
        faults: The faults.
    """

    def __init__(self, faults: Iterable[Fault] = ()) -> None:
        self.faults = tuple(faults)
        self._fired: Counter[Fault] = Counter()
        self._calls: Counter[str] = Counter()
        self._now: Callable[[], float] = float
        self._start = 0.0
        self._captures: dict[str, Any] = {}
        self._lock: sqlite3.Connection | None = None

    @classmethod
    def parse(
        cls, written: Iterable[str | Mapping[str, Any]], skills: Mapping[str, Skill]
    ) -> Faults:
        """Parse ``SKILL[:N]=CODE`` strings and the mappings of fault plans.

        Raises:
            UsageError: If one is malformed, or the skill does not declare its code.
            UnknownName: If there is no such skill.
        """
        faults = []
        for one in written:
            try:
                fault = Fault.parse(one) if isinstance(one, str) else Fault.model_validate(one)
            except ValidationError as error:
                raise UsageError(f"fault {one}: {error.errors()[0]['msg']}") from None
            fault.check(skills)
            faults.append(fault)
        return cls(faults)

    def to_source(self) -> list[str | dict[str, Any]]:
        """Return the strings and mappings from which `parse` creates these faults."""
        return [fault.to_source() for fault in self.faults]

    def begin(self, now: Callable[[], float]) -> None:
        """Start a mission: active periods count from now, on the clock `now` [s]."""
        self._now, self._start = now, now()

    def end(self) -> None:
        """End a mission; unlock the journal if a fault locked it."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def unused(self) -> Iterator[Unfired]:
        """Yield every fault that did not fire."""
        for fault in self.faults:
            if not self._fired[fault]:
                yield Unfired(fault, self._calls[fault.name] if fault.part == "skill" else None)

    # -- parts -------------------------------------------------------------------------------

    def for_call(self, skill: str, call: int) -> Fault | None:
        """Return the fault of a skill call, or None.

        A fault that prevents the start of the skill counts as fired.
        """
        self._calls[skill] += 1
        for fault in self._due("skill", skill):
            if fault.call in (None, call):
                if fault.does == "fail" and not fault.after:
                    self._fired[fault] += 1
                return fault
        return None

    def steps_with_fault(self, fault: Fault, steps: Steps[Any]) -> Steps[Any]:
        """Return a skill's generator with a fault injected into its steps."""
        return _steps_with_fault(fault, steps, lambda: self._fired.update([fault]))

    def capture(self, pack: str, capture: Callable[[], T]) -> T:
        """Take a capture with the camera of a pack, with a fault if one is due.

        Raises:
            RuntimeError: If the fault loses the frame.
        """
        for fault in self._due("camera", pack, ("lose", "freeze")):
            if fault.does == "lose":
                self._fired[fault] += 1
                raise RuntimeError("the frame was lost on purpose")
            if pack in self._captures:
                self._fired[fault] += 1
                frozen: T = self._captures[pack]
                return frozen
        taken = capture()
        if any(fault.does == "freeze" for fault in self.faults):
            self._captures[pack] = taken
        return taken

    def interpreter(self, pack: str, interpret: Callable[[Any], T]) -> Callable[[Any], T]:
        """Return the function that interprets a pack's captures, with a fault if one is due."""
        for fault in self._due("camera", pack, ("crash", "slow")):
            self._fired[fault] += 1
            return lambda capture: _call_with_fault(fault, lambda: interpret(capture))
        return interpret

    def call_compiler(self, compile_: Callable[[], T]) -> T:
        """Call a compiler, with a fault if one is due.

        Raises:
            RuntimeError: If the fault is a crash.
        """
        for fault in self._due("planner", ""):
            self._fired[fault] += 1
            return _call_with_fault(fault, compile_)
        return compile_()

    def trigger_outside_faults(self, stop: Callable[[str], object], journal: str | None) -> None:
        """Trigger faults from outside the mission: a stop, a kill, a locked journal.

        Args:
            stop: Requests a stop of the mission, with a reason.
            journal: Path of the journal to lock.
        """
        if not self.faults:
            return
        for fault in self._due("operator", ""):
            if not self._fired[fault]:
                self._fired[fault] += 1
                stop("on purpose")
        for fault in self._due("process", ""):
            self._fired[fault] += 1
            os.kill(os.getpid(), signal.SIGKILL)
        failing = list(self._due("journal", ""))
        if failing and self._lock is None and journal is not None:
            self._lock = _lock_journal(journal)
            self._fired[failing[0]] += self._lock is not None
        elif not failing:
            self.end()

    def _due(self, part: str, name: str, does: tuple[str, ...] | None = None) -> Iterator[Fault]:
        """Yield the faults of a part that are due."""
        if not self.faults:
            return
        t = self._now() - self._start
        for fault in self.faults:
            if (
                fault.part == part
                and (not name or fault.name in ("", name))
                and (does is None or fault.does in does)
                and fault.since <= t
                and (fault.until is None or t < fault.until)
                and (fault.times is None or self._fired[fault] < fault.times)
            ):
                yield fault


def faults_for_rerun(written: Iterable[str | Mapping[str, Any]]) -> list[str | Mapping[str, Any]]:
    """Return the recorded faults that a new run of a mission injects again.

    A stop and a kill are left out, because the rerun repeats the recorded end of the mission.
    """
    return [
        one for one in written if isinstance(one, str) or one["part"] not in ("operator", "process")
    ]


def _steps_with_fault(
    fault: Fault, steps: Steps[Any], fired: Callable[[], object]
) -> Generator[Running, None, Any]:
    try:
        for number in itertools.count():
            if number == fault.after:
                fired()
                while fault.does == "hang":
                    yield _HANGS
                if fault.does == "fail":
                    raise Failed(fault.code, "made to fail on purpose")
                _call_with_fault(fault, lambda: None)
            try:
                step = next(steps)
            except StopIteration as stop:
                return stop.value
            yield step
    finally:
        steps.close()


def _call_with_fault(fault: Fault, function: Callable[[], T]) -> T:
    """Call a function with a fault: ``slow`` delays the call, ``crash`` raises an error instead."""
    if fault.does == "crash":
        raise RuntimeError("made to crash on purpose")
    time.sleep(fault.seconds)
    return function()


def _lock_journal(journal: str) -> sqlite3.Connection | None:
    """Return a connection that locks a journal for writing; None if another process writes."""
    connection = sqlite3.connect(journal, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("BEGIN IMMEDIATE")
    except sqlite3.Error:
        connection.close()
        return None
    return connection
