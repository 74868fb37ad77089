"""Failures and errors, classified by who can act on them.

::

    Failure              a value: the planner re-plans, or ends the mission with a reason
    └── made from Failed, which a skill raises; never a usage error

    BtExecError          an error that a user can correct; the program exits cleanly
    ├── SpecError        the author of a tree file: holds one Problem per mistake, with positions
    ├── UsageError       the operator: a flag, a file, a site, a missing package
    │   └── UnknownName  a name that does not exist; lists the nearest ones
    └── RegistrationError  the author of a pack: duplicate names, a signature that cannot work

    Problem              a value: one mistake in a spec, with code, place, found and allowed
                         (the same value goes back to a model that wrote the spec)

    Refusal              a value: the reason for no plan, reported to the author of the command

    SimulationLost       the simulation of a mission cannot be advanced any more: the mission ends
    PartBroken           a hook of a rig, a perception or a listener raised, or any part hangs:
                         the mission ends and names the part
    RobotStopped         the robot was stopped from outside: the mission ends and does not resume

Any other exception is a bug of bt-exec. An exception inside a skill becomes a `Failure` with code
``SKILL_CRASHED``; no error of a skill ends the executive while a robot is moving.
"""

from __future__ import annotations

import contextlib
import difflib
import os
import traceback
from abc import ABCMeta
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

__all__ = [
    "EFFECT_LOST",
    "OWN_CODES",
    "SKIP_MISTAKEN",
    "STOPPED",
    "BtExecError",
    "Failed",
    "Failure",
    "FailureKind",
    "Interrupted",
    "PartBroken",
    "Problem",
    "Refusal",
    "RegistrationError",
    "RobotStopped",
    "SimulationLost",
    "SpecError",
    "UnknownName",
    "UsageError",
    "describe_exception",
    "nearest_first",
    "nearest_names",
    "plain_error",
    "plain_evidence",
    "traceback_text",
]

INJECTED = "made to fail on purpose"
"""Beginning of the message of an injected failure."""

OWN_CODES = frozenset(
    {
        "BAD_ARGUMENT",
        "CHECK_FAILED",
        "CONDITION_CRASHED",
        "EFFECT_LOST",
        "GUARD_BROKEN",
        "GUARDIAN_STOPPED",
        "GUARD_LOST",
        "MOVED_WHILE_IDLE",
        "NOT_REACHED",
        "NOT_RECORDED",
        "PART_BROKEN",
        "SKILL_CRASHED",
        "SKIP_MISTAKEN",
        "STALLED",
        "STEP_HUNG",
        "STOP_FAILED",
        "TIMEOUT",
        "TOO_MANY_ITEMS",
    }
)
"""Failure codes that packs need not declare: codes of `bt_exec.nodes` and of mission endings."""

EFFECT_LOST = "EFFECT_LOST"
"""Code of a skill that succeeded, but whose effect no longer holds at the end of the plan."""

SKIP_MISTAKEN = "SKIP_MISTAKEN"
"""Code of a skill that was skipped because its effect seemed to hold, but does not."""

STOPPED = "STOPPED"
"""Code of a skill whose motion was stopped from outside, by the operator or by the robot."""

FailureKind = Literal["skill", "guard", "check", "timeout", "compiler", "robot"]


def nearest_names(word: str, names: Iterable[str], *, count: int = 3) -> tuple[str, ...]:
    """Return up to `count` of `names` that are similar to `word`, most similar first."""
    by_folded = {name.casefold(): name for name in names}
    hits = difflib.get_close_matches(word.casefold(), by_folded, n=count, cutoff=0.5)
    return tuple(by_folded[hit] for hit in hits)


def nearest_first(word: str, names: Iterable[str]) -> tuple[str, ...]:
    """Return `names` with those that are similar to `word` first."""
    known = tuple(names)
    return tuple(dict.fromkeys((*nearest_names(word, known), *known)))


_LONGEST, _LONGEST_TRACE = 4_000, 40_000
"""Maximum lengths of a message and of a traceback [characters]; longer ones delay the loop."""
_DEPTH = 48
"""Maximum nesting depth of evidence."""


# these descriptors bypass overrides in a class or metaclass, which may raise
_name_of = type.__dict__["__name__"].__get__
_traceback_of = BaseException.__dict__["__traceback__"].__get__
_LINKS = (BaseException.__dict__["__cause__"], BaseException.__dict__["__context__"])
_FIELDS = frozenset(
    {
        *("__class__", "__traceback__", "__cause__", "__context__", "__suppress_context__"),
        *("__notes__", "__getattribute__"),
    }
)
"""Attributes of exceptions that Python itself reads, and that pack code may override."""
_OWN = f"{Path(__file__).parent}{os.sep}"


def describe_exception(error: BaseException) -> str:
    """Return the type and message of an error; only the type if reading the message fails."""
    name, said = _name_of(type(error)), ""
    with contextlib.suppress(Exception, SystemExit, KeyboardInterrupt):  # __str__ may raise, too
        said = str(error)
    return _truncated(f"{name}: {said}" if said else name)


def traceback_text(error: BaseException) -> str:
    """Return the traceback of an error as text, truncated if it is long."""
    return _truncated("".join(traceback.format_exception(plain_error(error))), _LONGEST_TRACE)


def plain_error(error: BaseException) -> BaseException:
    """Return `error` if it can be printed safely, otherwise an ordinary exception of the same name.

    An exception is replaced if its class overrides attributes that Python reads, or if it is a
    `PartBroken` that pack code raised, for instance with the code ``STEP_HUNG``. In the
    chain of causes, exceptions whose class overrides such attributes are replaced, too.
    """
    kind, trace = type(error), _traceback_of(error)
    if issubclass(kind, PartBroken):
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        own = trace is None or trace.tb_frame.f_code.co_filename.startswith(_OWN)
        if kind is not PartBroken or not own:
            return _ordinary_copy(error)
    elif not _has_standard_attributes(kind):
        return _ordinary_copy(error)
    chain, known = [error], {id(error)}
    for one in chain:
        for link in _LINKS:
            cause = link.__get__(one)
            if cause is None or id(cause) in known:
                continue
            known.add(id(cause))
            if _has_standard_attributes(type(cause)):
                chain.append(cause)
            else:
                link.__set__(one, _ordinary_copy(cause))
    return error


def _ordinary_copy(error: BaseException) -> BaseException:
    """Return an ordinary exception with the name, message and traceback of an error."""
    name, _, said = describe_exception(error).partition(": ")
    ordinary: BaseException = type(name, (Exception,), {})(said)
    return ordinary.with_traceback(_traceback_of(error))


def _has_standard_attributes(kind: type[BaseException]) -> bool:
    """Return True if an exception class overrides none of the attributes that Python reads."""
    bases = (base for base in kind.__mro__ if base not in (BaseException, object))
    return type(kind) in (type, ABCMeta) and not any(_FIELDS & vars(base).keys() for base in bases)


def plain_evidence(value: Any, depth: int = 0) -> Any:
    """Return evidence as plain data.

    Objects of a pack are replaced by their text, because their methods may raise.
    """
    kind = type(value)
    if value is None or kind in (bool, int, float, str) or kind.__module__ == "numpy":
        return value
    if kind in (list, tuple) and depth < _DEPTH:
        return kind(plain_evidence(item, depth + 1) for item in value)
    if kind is dict and depth < _DEPTH:
        return {
            str(plain_evidence(key)): plain_evidence(item, depth + 1) for key, item in value.items()
        }
    with contextlib.suppress(Exception, SystemExit, KeyboardInterrupt):
        return "".join((_truncated(str(value)),))
    return f"<{_name_of(kind)}>"


def _truncated(text: str, longest: int = _LONGEST) -> str:
    """Return `text` truncated to `longest` characters; its original length is then appended."""
    if len(text) <= longest:
        return text
    end = f"… ({len(text)} characters)"
    return text[: longest - len(end)] + end


class SimulationLost(Exception):  # noqa: N818 - named for what has happened, as `Failed` is
    """Raised by the mission's clock if a simulation cannot be advanced within its time limit.

    Args:
        why: The exception, or the step that timed out.
    """

    def __init__(self, why: BaseException | str) -> None:
        super().__init__(why if isinstance(why, str) else describe_exception(why))


class Interrupted(KeyboardInterrupt):
    """Raised for a Ctrl-C of the operator, as opposed to a KeyboardInterrupt raised by pack code.

    It is a separate class, because ``python -m`` ends the process by a signal after a plain
    KeyboardInterrupt.
    """


class PartBroken(BaseException):
    """Raised if pack code outside skills and conditions raises, or if any pack code hangs.

    It does not derive from `Exception`, so that ``except Exception`` between the part and the
    executive does not catch it.

    Args:
        part: Name of the part: "the facts of door", "condition door_open".
        why: Cause, as the rest of a sentence: "raised KeyError: 'arm'".
        code: ``PART_BROKEN`` or ``STEP_HUNG``.
    """

    def __init__(self, part: str, why: str, code: str = "PART_BROKEN") -> None:
        super().__init__(f"{part} {why}")
        self.part = part
        self.code = code

    def failure(self) -> Failure:
        """Return the failure that ends the mission."""
        evidence = {"part": self.part}
        return Failure(self.code, str(self), kind="robot", evidence=evidence, retryable=False)


class RobotStopped(BaseException):
    """Raised when a skill's robot was stopped from outside: no other branch may run.

    Args:
        failure: The failure of the skill.
    """

    def __init__(self, failure: Failure) -> None:
        super().__init__(str(failure))
        self.failure = failure


class Failed(Exception):  # noqa: N818 - it is a verdict of the skill, not an error of the program
    """Raised by a skill that failed.

    Args:
        code: One of the codes the skill declares in ``@skill(fails=…)``.
        message: Measured deviation, in a sentence: "stopped at 12 deg (wanted 69)".
        retryable: Whether another attempt, or another plan, could help.
        evidence: Further facts by name, available to the sentences of the message catalogue.

    Example:
        ``raise Failed("DOOR_STUCK", "stopped at 12 deg", angle_deg=12)``
    """

    def __init__(
        self, code: str, message: str = "", /, *, retryable: bool = True, **evidence: Any
    ) -> None:
        super().__init__(f"{code}: {message}" if message else code)
        self.code = code
        self.message = message
        self.retryable = retryable
        self.evidence = evidence


@dataclass(frozen=True, slots=True)
class Failure:
    """Failure of a node: the value that describes a FAILURE status.

    Attributes:
        code: Stable name of the reason, such as ``GRASP_SLIPPED``.
        message: Description in English, for detailed output.
        path: Path of the node that failed first, such as ``get_material/take/grasp``.
        kind: Kind of part that failed: a skill, a guard, a check, a timeout, a compiler, the robot.
        node: Name of the skill or condition.
        args: Arguments of the skill or condition.
        evidence: Measured facts by name.
        retryable: Whether another attempt may succeed. A condition that stays unknown and a crash
            are not retryable.
        cause: The failure that led to this one (an earlier attempt, an earlier branch).
    """

    code: str
    message: str = ""
    path: str = ""
    kind: FailureKind = "skill"
    node: str = ""
    args: Mapping[str, Any] = field(default_factory=dict)
    evidence: Mapping[str, Any] = field(default_factory=dict)
    retryable: bool = True
    cause: Failure | None = None

    def __post_init__(self) -> None:
        if isinstance(self.message, str):  # a pack may pass another type
            object.__setattr__(self, "message", _truncated(self.message))

    @property
    def is_of_condition(self) -> bool:
        """Whether a condition failed, so that the node is a check, not an action."""
        return bool(self.node) and self.kind in ("guard", "check")

    @property
    def is_false(self) -> bool:
        """Whether a check failed because its condition is known not to hold."""
        return self.kind == "check" and self.retryable

    @property
    def signature(self) -> tuple[str, str, str]:
        """Code, node and arguments, which identify repeated failures with different evidence."""
        return self.code, self.node, str(dict(self.args))

    def chain(self) -> tuple[Failure, ...]:
        """Return this failure and its causes, latest first."""
        found: list[Failure] = [self]
        while found[-1].cause is not None:
            found.append(found[-1].cause)
        return tuple(found)

    def with_cause(self, cause: Failure | None) -> Failure:
        """Return a copy of this failure with `cause` appended to its chain of causes."""
        if cause is None:
            return self
        rest = self.cause.with_cause(cause) if self.cause is not None else cause
        return replace(self, cause=rest)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON; `from_dict` is the inverse."""
        return {
            "code": self.code,
            "message": self.message,
            "path": self.path,
            "kind": self.kind,
            "node": self.node,
            "args": dict(self.args),
            "evidence": dict(self.evidence),
            "retryable": self.retryable,
            "cause": None if self.cause is None else self.cause.to_dict(),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Failure:
        """Return the failure that `to_dict` converted to `data`."""
        cause = data["cause"]
        return cls(**{**data, "cause": None if cause is None else cls.from_dict(cause)})

    def __str__(self) -> str:
        """Return code, path and message in one line."""
        return " · ".join(part for part in (self.code, self.path, self.message) if part)


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake in a spec: a stable code, the place, what was found, what is allowed.

    Attributes:
        code: Stable name, such as ``UNKNOWN_SKILL``; see the layers of `bt_exec.verify`.
        message: A sentence that states the mistake and how to correct it.
        place: Path of the node or field in the document, such as ``root/sequence[1]/with/arm``.
        found: The text or value at that place.
        allowed: Allowed values, nearest first; empty if they cannot be listed.
        file: File name, or a description of where the text came from.
        line: Line number from 1, if the text is known.
        column: Column number from 1, if the text is known.
    """

    code: str
    message: str
    place: str = ""
    found: str = ""
    allowed: tuple[str, ...] = ()
    file: str = ""
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        """Return ``file:line:column: place: message (found …; allowed: …) [CODE]``."""
        return f"{self.without_code()} [{self.code}]"

    def without_code(self) -> str:
        """Return the text without the code, for readers who are not authors of specs."""
        spot = self.file
        if self.line is not None:
            spot += f":{self.line}:{self.column}" if spot else f"line {self.line}:{self.column}"
        head = ": ".join(part for part in (spot, self.place, self.message) if part)
        facts = []
        if self.found:
            facts.append(f"found {self.found}")
        if self.allowed:
            shown = ", ".join(self.allowed[:12])
            more = len(self.allowed) - 12
            facts.append(f"allowed: {shown}" + (f" and {more} more" if more > 0 else ""))
        return head + (f" ({'; '.join(facts)})" if facts else "")


@dataclass(frozen=True)
class Refusal:
    """Reason why there is no plan, for the author of the command.

    Attributes:
        code: Stable name: ``NOT_UNDERSTOOD``, ``UNKNOWN_OBJECT``, ``NEGATED``, ``EMPTY`` …
        message: One or two sentences in the language of the command.
        nearest: Commands that would be understood, nearest first, in that language.
        calls: Number of planner calls, repair rounds of a model included.
        problems: Problems of the plans that were rejected, for detailed output.
        requests: Number of requests that were sent to a language model.
        did_you_mean: Similar commands; each of them would be understood.
        missing: Missing information as names of types, or the words that were not understood.
        question: A short question to the operator whose answer completes the command.
    """

    code: str
    message: str
    nearest: tuple[str, ...] = ()
    calls: int = 1
    problems: tuple[str, ...] = ()
    requests: int = 0
    did_you_mean: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    question: str = ""


class BtExecError(Exception):
    """Base class of errors that a user can correct; the message states how."""


class SpecError(BtExecError):
    """Raised when a tree, a site or another file cannot be used; contains every mistake found.

    Attributes:
        problems: The mistakes, in the order of the text; never empty.
        checkable: Whether ``bt-exec check`` can check files of this kind.
    """

    def __init__(self, problems: Sequence[Problem], *, checkable: bool = True) -> None:
        self.problems = tuple(problems)
        self.checkable = checkable
        super().__init__("\n".join(str(problem) for problem in self.problems))


class UsageError(BtExecError):
    """Raised when a flag, file or setting of the operator is invalid."""


class UnknownName(UsageError):  # noqa: N818 - named for the mistake, as `Failed` is
    """Raised when a name does not exist.

    Args:
        kind: Kind of object: "tree", "site", "skill", "compiler".
        name: The unknown name.
        known: All existing names.
        owner: Object to which the name would belong, such as "skill pour"; empty if it would
            belong to the site.
    """

    def __init__(self, kind: str, name: str, known: Iterable[str], owner: str = "") -> None:
        self.kind = kind
        self.name = name
        self.known = tuple(sorted(known))
        listed = ", ".join(nearest_first(name, self.known)) or "none"
        missing = f"{owner} has no" if owner else "there is no"
        super().__init__(f"{missing} {kind} {name!r}; known, nearest first: {listed}")


class RegistrationError(BtExecError):
    """Raised when a pack with a mistake, such as a duplicate name, is loaded.

    Args:
        why: A sentence, or the mistakes found in a file.

    Attributes:
        problems: The mistakes, in the order of the text; empty if they have no place in a file.
    """

    def __init__(self, why: str | Sequence[Problem]) -> None:
        self.problems = () if isinstance(why, str) else tuple(why)
        super().__init__(why if isinstance(why, str) else "\n".join(map(str, why)))
