"""Robots, cameras, worlds, hooks, reporters and listeners that misbehave."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, ClassVar

from bt_exec.mission_reporter import MissionReporter
from bt_exec.testing import FakeClock, FakeObservation
from tests.bt_exec.mission.misbehaving_ground import Arm, Camera, Case, case, hang, swallow
from tests.bt_exec.mission.misbehaving_skills import ERRORS

__all__ = ["CAMERAS", "COMPILERS", "HOOKS", "LISTENERS", "ROBOTS", "WORLDS"]

HUNG = "STEP_HUNG"
BROKEN = "PART_BROKEN"
UNSTOPPED = "STOP_FAILED"
_NAME = type.__dict__["__name__"].__get__


def _raise(error: BaseException) -> Callable[..., Any]:
    def do(*_: Any, **__: Any) -> Any:
        raise error

    return do


def _give(what: Any) -> Callable[..., Any]:
    return lambda *_, **__: what


# -- robots ----------------------------------------------------------------------------------


def _arm(**methods: Any) -> Callable[[], Any]:
    """Return an arm class with replaced methods. `still` is a function of the arm."""
    if "still" in methods:
        methods["still"] = property(methods["still"])
    return type("BadArm", (Arm,), methods)


ROBOTS: list[Case] = [
    case(
        "robot's stop does nothing",
        "it still moves",
        UNSTOPPED,
        robot=_arm(stop=_give(None)),
        stops=False,
    ),
    case(
        "robot's stop raises",
        "connection lost",
        UNSTOPPED,
        stops=False,
        robot=_arm(stop=_raise(OSError("connection lost"))),
    ),
    *(
        case(
            f"robot's stop raises {name}",
            "raised",
            UNSTOPPED,
            robot=_arm(stop=_raise(error)),
            stops=False,
        )
        for name, error in ERRORS.items()
    ),
    case(
        "robot's stop leaves the program",
        "SystemExit",
        UNSTOPPED,
        stops=False,
        robot=_arm(stop=_raise(SystemExit(1))),
    ),
    case("robot is never still", "it still moves", UNSTOPPED, robot=_arm(still=_give(False))),
    *(
        case(f"robot's still is {name}", "still", UNSTOPPED, robot=_arm(still=_give(what)))
        for name, what in {
            "nothing": None,
            "a text": "yes",
            "a number": 1,
            "NaN": math.nan,
            "a method": lambda: True,
        }.items()
    ),
    *(
        case(f"robot's still raises {name}", "still", UNSTOPPED, robot=_arm(still=_raise(error)))
        for name, error in {
            "an error": OSError("gone"),
            "the end of the program": SystemExit(2),
            "no words": BaseException(),
            **ERRORS,
        }.items()
    ),
    case(
        "robot's still hangs", "still of the robot", f"{HUNG} {UNSTOPPED}", robot=_arm(still=hang)
    ),
    case(
        "robot's still hangs and swallows the word",
        "still of the robot",
        f"{HUNG} {UNSTOPPED}",
        robot=_arm(still=swallow),
    ),
]

# -- cameras ---------------------------------------------------------------------------------


def _camera(**methods: Any) -> Callable[[FakeClock], Any]:
    return type("BadCamera", (Camera,), methods)


def _sees(what: Any) -> Callable[[FakeClock], Any]:
    return _camera(interpret=_give(what))


def _scene(**methods: Any) -> Any:
    return type("BadScene", (FakeObservation,), methods)()


class _Once(FakeObservation):
    """Observation whose text can be read once and raises afterwards."""

    asked: ClassVar[list[int]] = []

    def facts(self) -> Any:
        self.asked.append(1)
        if len(self.asked) > 1:
            raise KeyError("forgotten")
        return {}


_SEEN: dict[str, Any] = {
    "nothing": None,
    "a text": "a door",
    "a dict": {"t": 0.0},
    "the class": FakeObservation,
    "a time that is NaN": FakeObservation(math.nan),
    "a time without end": FakeObservation(math.inf),
    "a time to come": FakeObservation(1e9),
    "a time that is a text": FakeObservation("now"),  # type: ignore[arg-type]
    "no time": FakeObservation(None),  # type: ignore[arg-type]
    "labels that are none": _scene(labels=_give(None)),
    "a label that is a text": _scene(labels=_give("door")),
    "labels that are numbers": _scene(labels=_give((1, 2))),
    "labels that raise": _scene(labels=_raise(KeyError("label"))),
    "facts that are none": _scene(facts=_give(None)),
    "facts that are a list": _scene(facts=_give(["door"])),
    "facts that are numbers": _scene(facts=_give({"door": 1})),
    "facts that raise": _scene(facts=_raise(KeyError("fact"))),
    "no words": _scene(describe=_give(None)),
    "words that raise": _scene(describe=_raise(KeyError("word"))),
    "a record that raises": _scene(record=_raise(KeyError("row"))),
    "a record that is none": _scene(record=_give(None)),
}
_BLIND = "OK"  # missions that need no observation continue; the journal names the camera

CAMERAS: list[Case] = [
    *(
        case(f"camera sees {name}", "test", _BLIND, camera=_sees(what))
        for name, what in _SEEN.items()
    ),
    *(
        case(
            f"camera's {method} raises {name}",
            "test",
            _BLIND,
            camera=_camera(**{method: _raise(error)}),
        )
        for method in ("capture", "interpret")
        for name, error in {
            "an error": OSError("dark"),
            "the end of the program": SystemExit(141),
            "an exit": GeneratorExit(),
            **ERRORS,
        }.items()
    ),
    case(
        "camera's detector raises an interrupt of its own",
        "test",
        _BLIND,
        camera=_camera(interpret=_raise(KeyboardInterrupt())),
    ),
    case("camera hangs", "the camera of test", HUNG, camera=_camera(capture=hang)),
    case(
        "camera hangs and swallows the word",
        "the camera of test",
        HUNG,
        camera=_camera(capture=swallow),
    ),
    case("camera's facts raise later", "the observation of test", BROKEN, camera=_sees(_Once())),
]

# -- worlds and hooks ------------------------------------------------------------------------


class _Stands(FakeClock):
    def step(self, seconds: float) -> None:
        del seconds


class _NoTime(FakeClock):
    def step(self, seconds: float) -> None:
        super().step(seconds)
        if self.time > 0.2:
            self.time = math.nan


class _Breaks(FakeClock):
    def step(self, seconds: float) -> None:
        super().step(seconds)
        if self.time > 0.2:
            raise RuntimeError("the physics exploded")


def _breaking(error: BaseException) -> Callable[[], Any]:
    class Breaks(FakeClock):
        def step(self, seconds: float) -> None:
            super().step(seconds)
            if self.time > 0.2:
                raise error

    return Breaks


class _Leaves(FakeClock):
    def step(self, seconds: float) -> None:
        super().step(seconds)
        if self.time > 0.2:
            raise SystemExit(5)


class _Hangs(FakeClock):
    def step(self, seconds: float) -> None:
        super().step(seconds)
        if 0.2 < self.time < 0.4:
            hang()


LOST = "SIMULATION_LOST"
WORLDS: list[Case] = [
    case("world's time stands still", "its time stays", LOST, simulation=_Stands),
    case("world's time is lost", "its time is nan", LOST, simulation=_NoTime),
    case("world breaks", "exploded", LOST, simulation=_Breaks),
    *(
        case(f"world raises {name}", _NAME(type(error)), LOST, simulation=_breaking(error))
        for name, error in ERRORS.items()
    ),
    case("world leaves the program", "SystemExit", LOST, simulation=_Leaves),
    case("world hangs", "the simulation", HUNG, simulation=_Hangs),
]


def _rig(facts: Any) -> dict[str, Any]:
    return {"facts": facts}


HOOKS: list[Case] = [
    *(
        case(f"facts of a rig are {name}", "the facts of test", BROKEN, rig=_rig(_give(what)))
        for name, what in {
            "nothing": None,
            "a text": "empty",
            "a list": ["hand"],
            "numbers": {"hand": 1},
            "without names": {None: "x"},
            "a method's name": print,
        }.items()
    ),
    *(
        case(f"facts of a rig raise {name}", "the facts of test", BROKEN, rig=_rig(_raise(error)))
        for name, error in {
            "an error": OSError("gone"),
            "the end of the program": SystemExit(),
            "an exit": GeneratorExit(),
            **ERRORS,
        }.items()
    ),
    case(
        "facts of a rig cannot be called", "the facts of test", BROKEN, rig=_rig({"hand": "empty"})
    ),
    case("facts of a rig hang", "the facts of test", HUNG, rig=_rig(hang)),
    case("facts of a rig hang and swallow the word", "the facts of test", HUNG, rig=_rig(swallow)),
]

# -- reporters and listeners -----------------------------------------------------------------


def _reporter(**methods: Any) -> dict[str, Any]:
    return {"reporter": type("BadReporter", (MissionReporter,), methods)}


class Bad:
    """Listener that misbehaves at every event, or at those of one kind."""

    def __init__(self, act: Callable[..., Any], kind: str = "") -> None:
        self.act = act
        self.kind = kind

    def on(self, event: Any) -> None:
        """Misbehave."""
        if self.kind in ("", type(event).__name__):
            self.act(event)


_REPORTS = ("load_earlier_missions", "on", "turn_report", "operator_messages")
LISTENERS: list[Case] = [
    *(
        case(
            f"reporter's {method} raises {name}",
            "the reporter of test",
            "OK",
            pack=_reporter(**{method: _raise(error)}),
        )
        for method in _REPORTS
        for name, error in {
            "an error": KeyError("x"),
            "the end of the program": SystemExit(),
            **ERRORS,
        }.items()
    ),
    *(
        case(
            f"reporter's {method} hangs",
            "the reporter of test",
            HUNG,
            pack=_reporter(**{method: hang}),
        )
        for method in _REPORTS
    ),
    case(
        "reporter's turn is a text",
        "the reporter of test",
        "OK",
        pack=_reporter(turn_report=_give("done")),
    ),
    case(
        "reporter says nothing",
        "the reporter of test",
        "OK",
        pack=_reporter(operator_messages=_give(None)),
    ),
    *(
        case(
            f"listener raises {name}", "Bad missed an event", "OK", listeners=(Bad(_raise(error)),)
        )
        for name, error in {
            "an error": KeyError("x"),
            "the end of the program": SystemExit(),
            **ERRORS,
            "an exit": GeneratorExit(),
        }.items()
    ),
    *(
        case(
            f"listener hangs at {kind or 'every event'}",
            "the listener Bad",
            "OK" if kind == "Finished" else HUNG,
            listeners=(Bad(hang, kind),),
        )
        for kind in ("", "MissionStarted", "SkillStarting", "SkillEnded", "Finished")
    ),
    case(
        "listener hangs and swallows the word", "the listener Bad", HUNG, listeners=(Bad(swallow),)
    ),
]

# -- compilers and checkers ------------------------------------------------------------------


class _Compiler:
    """Compiler that misbehaves."""

    name = "bad"

    def __init__(self, answer: Callable[..., Any]) -> None:
        self.compile = answer


COMPILERS: list[Case] = [
    *(
        case(
            f"compiler gives {name}",
            "COMPILER_CRASHED",
            "COMPILER_CRASHED",
            compiler=_Compiler(_give(what)),
        )
        for name, what in {"nothing": None, "a text": "open it", "a dict": {"root": {}}}.items()
    ),
    *(
        case(
            f"compiler raises {name}",
            "COMPILER_CRASHED",
            "COMPILER_CRASHED",
            compiler=_Compiler(_raise(error)),
        )
        for name, error in {
            "an error": KeyError("x"),
            "the end of the program": SystemExit(3),
            "an exit": GeneratorExit(),
            **ERRORS,
        }.items()
    ),
    case("checker hangs", "the verification of the plan", HUNG, pack={"checkers": (hang,)}),
]
