"""Skills and conditions that misbehave. Every skill that moves leaves the robot moving."""

from __future__ import annotations

import math
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from bt_exec.failure import Failed, PartBroken
from bt_exec.skill import Condition, Running, Skill, Steps, Verdict
from tests.bt_exec.mission.misbehaving_ground import (
    Case,
    block_again,
    case,
    hang,
    long_has_passed,
    resist,
    suppress_everything,
    swallow,
)

__all__ = ["CONDITIONS", "ERRORS", "SKILLS"]

DO = "{do: bad}"


def _skill(
    steps: Callable[..., Any], *, fails: str = "SLIPPED STOPPED", timeout_s: float = 2.0
) -> Skill:
    return Skill(
        *("bad", steps, "Misbehave.", "Misbehave.", {}, frozenset(), frozenset({"robot"}), {}),
        frozenset(fails.split()),
        *({}, {}, frozenset(), timeout_s, {}),
    )


def _raising(error: Any) -> Callable[..., Any]:
    def steps(robot: Any) -> Steps:
        robot.go()
        yield Running()
        raise error

    return steps


def _raise(error: BaseException) -> Callable[[], Any]:
    def ask() -> Any:
        raise error

    return ask


def _yielding(what: Any) -> Callable[..., Any]:
    def steps(robot: Any) -> Steps:
        robot.go()
        yield what
        yield Running()

    return steps


def _calling(function: Callable[[], Any], *, at: str) -> Callable[..., Any]:
    """Return a skill that calls a function in its first step, a later step or its clean-up."""

    def steps(robot: Any) -> Steps:
        robot.go()
        if at == "first":
            function()
        yield Running()
        if at == "later":
            function()
        try:
            while True:
                yield Running()
        finally:
            if at == "end":
                function()

    return steps


def _returning(result: Any) -> Callable[..., Any]:
    def steps(robot: Any) -> Steps[Any]:
        robot.go()
        yield Running()
        return result

    return steps


class _SilentError(Exception):
    def __str__(self) -> str:
        raise ValueError("no words")


class _HangingError(Exception):
    def __str__(self) -> str:
        hang()
        return "never"


class _LeavingError(Exception):
    def __str__(self) -> str:
        raise SystemExit(0)


class _Unnamed(type):
    @property
    def __name__(cls) -> str:  # type: ignore[override]
        raise ValueError("no name")


class _UnnamedError(Exception, metaclass=_Unnamed):
    pass


def _untraceable(field: str) -> Exception:
    """Return an exception with a property that raises."""

    def get(_: Any) -> Any:
        raise ValueError(f"no {field}")

    return type("UntraceableError", (Exception,), {field: property(get)})("oh")  # type: ignore[no-any-return]


def _caused() -> Exception:
    """Return an ordinary exception with a cause that cannot be read."""
    error = ValueError("oh")
    error.__cause__ = _UnnamedError()
    return error


class _OwnBroken(PartBroken):
    pass


ERRORS: dict[str, BaseException] = {
    "an error whose class has no name": _UnnamedError("oh"),
    "an error whose cause has no name": _caused(),
    "the error of a hang": PartBroken("skill other", "hangs", "STEP_HUNG"),
    "the error of a broken part with the code OK": PartBroken("skill other", "is fine", "OK"),
    "an own kind of the error of a hang": _OwnBroken("skill other", "hangs", "STEP_HUNG"),
    **{
        f"an error whose {field} raises": _untraceable(field)
        for field in ("__traceback__", "__cause__", "__context__", "__class__", "__notes__")
    },
}
"""Exceptions that imitate those of the watchdog or cannot be examined."""


class _Texts:
    def __str__(self) -> str:
        raise ValueError("no words")


class _Hostile:
    """Object whose methods raise SystemExit."""

    def _leave(self, *_: Any) -> Any:
        raise SystemExit(0)

    __str__ = __repr__ = __eq__ = __bool__ = __len__ = __iter__ = __getattr__ = _leave  # type: ignore[assignment]
    __hash__ = None  # type: ignore[assignment]


class _HostileItems(dict[str, Any]):
    def items(self) -> Any:
        raise SystemExit(0)


class _Torn:
    x: int = 1

    def _asdict(self) -> dict[str, Any]:
        raise ValueError("no fields")


def _deep() -> None:
    _deep()


def _spin() -> None:
    long_has_passed()
    while True:
        pass


def _lock() -> None:
    long_has_passed()
    lock = threading.Lock()
    lock.acquire()
    lock.acquire()


def _sleep() -> None:
    long_has_passed()
    time.sleep(1e6)


def _never(robot: Any) -> Steps:
    robot.go()
    while True:
        yield Running()


def _stubborn(robot: Any) -> Steps:
    robot.go()
    while True:
        try:
            yield Running()
        except GeneratorExit:
            robot.go()
            yield Running()
            return


def _nothing(robot: Any) -> Any:
    robot.go()


def _list(robot: Any) -> Any:
    robot.go()
    return [Running()]


def _plain(robot: Any) -> Any:
    robot.go()
    raise ValueError("boom")


CRASH = "SKILL_CRASHED"
ENDS = "TIMEOUT SKILL_FAILED"
HUNG = "STEP_HUNG"
_RAISED: dict[str, Any] = {
    "an error": ValueError("boom"),
    "an assertion": AssertionError(),
    "an error without words": _SilentError(),
    "an error whose words leave the program": _LeavingError(),
    "memory": MemoryError(),
    "the end of the program": SystemExit(3),
    "an end without a code": SystemExit(),
    "a generator's exit": GeneratorExit(),
    "an own kind of exit": BaseException("out"),
    "a stop iteration": StopIteration(),
    "not implemented": NotImplementedError(),
    "an undeclared code": Failed("NOBODY_KNOWS", "what"),
    "a lost connection": ConnectionResetError("gone"),
    **ERRORS,
    "a unicode error": UnicodeDecodeError("utf-8", b"\xff", 0, 1, "no"),
}
_YIELDED: dict[str, Any] = {
    "nothing": None,
    "a number": 0.5,
    "a verdict": Verdict.yes(),
    "a class": Running,
    "a progress that is a text": Running("half"),  # type: ignore[arg-type]
    "a progress that is a list": Running([]),  # type: ignore[arg-type]
    "a doing without words": Running(0.5, _Texts()),  # type: ignore[arg-type]
}
_HANGS: dict[str, Callable[[], Any]] = {
    "waits for ever": hang,
    "sleeps": _sleep,
    "waits for itself": _lock,
    "loops": _spin,
    "hangs and swallows the word": swallow,
    "hangs and swallows three interruptions": resist,
    "hangs and suppresses everything": suppress_everything,
    "hangs and blocks again in its clean-up": block_again,
}

SKILLS: list[Case] = [
    *(
        case(f"skill raises {name}", "bad", CRASH, parts=(_skill(_raising(error)),), tree=DO)
        for name, error in _RAISED.items()
    ),
    *(
        case(f"skill yields {name}", "bad", CRASH, parts=(_skill(_yielding(what)),), tree=DO)
        for name, what in _YIELDED.items()
    ),
    *(
        case(
            f"skill {name} in its {at} step",
            "bad",
            HUNG,
            tree=DO,
            parts=(_skill(_calling(function, at=at)),),
        )
        for at in ("first", "later")
        for name, function in _HANGS.items()
    ),
    *(
        case(
            f"skill's clean-up {name}",
            "bad",
            HUNG,
            tree=DO,
            parts=(_skill(_calling(function, at="end")),),
        )
        for name, function in _HANGS.items()
    ),
    case(
        "skill's clean-up raises",
        "bad",
        ENDS,
        tree=DO,
        parts=(_skill(_calling(lambda: 1 / 0, at="end")),),
    ),
    *(
        case(
            f"skill's clean-up raises {name}",
            "bad",
            ENDS,
            tree=DO,
            parts=(_skill(_calling(_raise(error), at="end")),),
        )
        for name, error in ERRORS.items()
    ),
    case(
        "skill's clean-up leaves the program",
        "bad",
        ENDS,
        tree=DO,
        parts=(_skill(_calling(sys.exit, at="end")),),
    ),
    case(
        "skill raises an error whose words hang",
        "bad",
        HUNG,
        tree=DO,
        parts=(_skill(_raising(_HangingError())),),
    ),
    case(
        "skill recurses for ever",
        "bad",
        CRASH,
        tree=DO,
        parts=(_skill(_calling(_deep, at="later")),),
    ),
    case("skill never ends", "bad", ENDS, parts=(_skill(_never),), tree=DO),
    case(
        "skill never ends and is tried again",
        "bad",
        ENDS,
        parts=(_skill(_never),),
        tree="{do: bad, timeout: 1s, retry: 2}",
    ),
    case("skill goes on after its cancel", "bad", ENDS, parts=(_skill(_stubborn),), tree=DO),
    case(
        "skill fails and leaves the robot moving",
        "bad",
        "SKILL_FAILED",
        tree=DO,
        parts=(_skill(_raising(Failed("SLIPPED", "lost"))),),
    ),
    *(
        case(
            f"skill fails with {name}",
            "bad",
            "SKILL_FAILED",
            tree=DO,
            parts=(_skill(_raising(error)),),
        )
        for name, error in (
            ("hostile evidence", Failed("SLIPPED", "lost", at=_Hostile())),
            ("hostile evidence in a list", Failed("SLIPPED", "lost", at=[{"x": _Hostile()}])),
            ("a hostile mapping", Failed("SLIPPED", "lost", at=_HostileItems(x=1))),
            ("a hostile answer", Failed("SLIPPED", "lost", retryable=_Hostile())),  # type: ignore[arg-type]
        )
    ),
    case(
        "skill crashes where another branch would go on",
        "bad",
        "OK",
        parts=(_skill(_raising(ValueError("boom"))),),
        tree="{fallback: [{do: bad}, {do: other}]}",
    ),
    case(
        "skill's robot was stopped",
        "bad",
        "STOPPED",
        tree="{fallback: [{do: bad}, {do: go_well}]}",
        parts=(_skill(_raising(Failed("STOPPED", "by hand"))),),
    ),
    case(
        "skill's robot was stopped, and is tried again",
        "bad",
        "STOPPED",
        tree="{do: bad, retry: 5}",
        parts=(_skill(_raising(Failed("STOPPED", "by hand"))),),
    ),
    case("skill is a plain function that raises", "bad", CRASH, parts=(_skill(_plain),), tree=DO),
    case("skill is a plain function that hangs", "bad", HUNG, parts=(_skill(hang),), tree=DO),
    case("skill is not a generator", "bad", CRASH, parts=(_skill(_nothing),), tree=DO),
    case("skill gives a list of steps", "bad", CRASH, parts=(_skill(_list),), tree=DO),
    case(
        "skill's result has torn fields",
        "bad",
        CRASH,
        parts=(_skill(_returning(_Torn())),),
        tree=DO,
    ),
    case(
        "skill is done while its robot moves",
        "robot stop",
        "OK",
        tree=DO,
        parts=(_skill(_returning(None)),),
    ),
]


def _condition(function: Callable[[], Any]) -> Condition:
    def ask() -> Any:
        return function()

    return Condition(
        *("bad", ask, "Misbehave.", "Misbehave.", {}, frozenset(), frozenset(), {}),
        *(0.5, "UNCERTAIN", ""),
    )


_GIVEN: dict[str, Any] = {
    "nothing": None,
    "a truth": True,
    "a text": "yes",
    "a verdict of a text": Verdict("yes"),  # type: ignore[arg-type]
    "a verdict of NaN": Verdict(math.nan),  # type: ignore[arg-type]
    "a verdict without a reason": Verdict(True, None),  # type: ignore[arg-type]
    "evidence that is a list": Verdict(True, "", []),  # type: ignore[arg-type]
    "an age that is a text": Verdict(True, "", (), "old"),  # type: ignore[arg-type]
    "the class": Verdict,
}
_BROKEN: dict[str, Callable[[], Any]] = {
    **{
        f"raises {name}": _raise(error)
        for name, error in (*list(_RAISED.items())[:9], *ERRORS.items())
    },
    **{f"gives {name}": (lambda given=given: given) for name, given in _GIVEN.items()},
}

CONDITIONS: list[Case] = [
    *(
        case(
            f"condition {name}",
            "bad",
            "CONDITION_CRASHED UNCERTAIN",
            parts=(_condition(function),),
            tree="{sequence: [{check: bad}, {do: go_well}]}",
        )
        for name, function in _BROKEN.items()
    ),
    *(
        case(
            f"condition {name} as a guard",
            "bad",
            HUNG,
            parts=(_condition(function),),
            tree="{do: go_well, while: bad}",
        )
        for name, function in _HANGS.items()
    ),
    case(
        "condition hangs before a node",
        "bad",
        HUNG,
        parts=(_condition(hang),),
        tree="{do: go_well, skip_if: bad}",
    ),
    case(
        "condition never knows",
        "bad",
        "UNCERTAIN",
        tree="{check: bad}",
        parts=(_condition(lambda: Verdict.unknown("dark")),),
    ),
    case(
        "condition's age is a text, in company",
        "bad",
        "CONDITION_CRASHED",
        tree=("{check: {all: [bad, holds]}}"),
        parts=(_condition(lambda: Verdict(True, "", (), "old")),),
    ),  # type: ignore[arg-type]
]
