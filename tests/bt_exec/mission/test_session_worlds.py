"""Robots and worlds of a session: settings of the site, given world keys, reset and close."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from bt_exec.failure import RegistrationError, UnknownName, UsageError
from bt_exec.mission import session as session_module
from bt_exec.mission import site_robots
from bt_exec.mission.rig_construction import parse_world_settings
from bt_exec.mission.session import Session
from bt_exec.pack import Pack
from bt_exec.rig import PackSettings, Rig
from bt_exec.testing import FakeClock, ScriptedRobot
from tests.bt_exec.mission.session_robots import Robots, said, with_pack, world_of


@pytest.mark.parametrize(
    ("texts", "expected"),
    [([], {}), (["door=closed", "a=b=c"], {"door": "closed", "a": "b=c"})],
)
def test_world_is_parsed_from_key_value_pairs(texts, expected):
    assert parse_world_settings(texts) == expected


@pytest.mark.parametrize("text", ["door", "=closed", "door=", "", "="])
def test_invalid_key_value_pair_is_refused(text):
    with pytest.raises(UsageError) as told:
        parse_world_settings(["a=b", text])
    assert str(told.value) == f"world setting {text!r} must be KEY=VALUE"


def test_duplicate_key_is_refused():
    with pytest.raises(UsageError, match=r"^world setting door is given twice: open and closed$"):
        parse_world_settings(["door=open", "door=closed"])


def test_real_robot_cannot_run_faster_than_real_time(site, robots):
    robots.fields = {"simulation": None}
    with pytest.raises(UsageError) as told:
        Session(site, fast=True)
    assert str(told.value) == "only simulated robots run faster than real time"
    assert robots.robot.stops == 1  # it was already opened


def test_reset_creates_the_robots_in_the_new_world(site, robots):
    with Session(site, world={"door": "closed"}, fast=True) as session:
        session.reset()
        session.reset({"door": "open"})
        assert session.world == {"door": "open"}
        assert [world for _, world in robots.made] == [
            *({"door": "closed"}, {"door": "closed"}, {"door": "open"}),
        ]
        assert [rig.robot.stops for rig in robots.rigs] == [1, 1, 0]
        assert session.run("go").status == "satisfied"


def test_reset_to_an_invalid_world_keeps_the_old_one(site, robots):
    with Session(site, world={"door": "closed"}, fast=True) as session:
        with pytest.raises(UsageError, match="'doors'"):
            session.reset({"doors": "open"})
        assert len(robots.rigs) == 1  # an unknown key closes nothing
        make = robots.__class__.__call__

        def fails_once(self: Robots, settings: Any, world: Any) -> Rig:
            if said(world) == {"door": "ajar"}:
                raise ValueError("door is open or closed")
            return make(self, settings, world)

        robots.__class__.__call__ = fails_once
        try:
            with pytest.raises(UsageError, match=r"^door is open or closed$"):
                session.reset({"door": "ajar"})
        finally:
            robots.__class__.__call__ = make
        assert session.world == {"door": "closed"}
        assert session.run("go").status == "satisfied"


def test_close_stops_and_closes_every_robot_when_one_raises(site, robots, caplog):
    closed: list[str] = []

    def broken() -> None:
        closed.append("arm")
        raise OSError("gone")

    leg = Pack("leg", robots={"leg": lambda settings, world: other})
    other = Rig(ScriptedRobot(), simulation=FakeClock(), close=lambda: closed.append("leg"))
    robots.fields = {"close": broken, "perception": object()}
    session = Session(with_pack(site, leg, robots={"arm": robots}, world=world_of({})), fast=True)
    worker = session.perception_workers["lab"]
    session.close()
    assert caplog.messages == ["the rig of lab could not be closed: OSError: gone"]
    assert sorted(closed) == ["arm", "leg"]
    assert (robots.robot.stops, other.robot.stops) == (1, 1)
    assert (session.rigs, session.perception_workers) == ({}, {})
    with pytest.raises(RuntimeError):
        worker._pool.submit(print)
    with pytest.raises(UsageError) as told:
        session.run("go")
    assert str(told.value) == "this session is closed; create another one"
    session.close()  # everything is already closed
    assert robots.robot.stops == 1


@pytest.mark.parametrize(
    ("world", "known", "said"),
    [
        (
            {"dor": "open"},
            {"seed": "a number", "door": "open or closed"},
            "world setting dor=open: site 'lab' has no 'dor'; "
            "known: door: open or closed; seed: a number",
        ),
        ({"dor": "open"}, {}, "world setting dor=open: site 'lab' has no 'dor'; known: none"),
        (
            {"door": "open", "x": "1"},
            {"door": "open or closed"},
            "world setting x=1: site 'lab' has no 'x'; known: door: open or closed",
        ),
    ],
)
def test_unknown_world_key_is_refused_before_robots_are_created(site, robots, world, known, said):
    with pytest.raises(UsageError) as told:
        Session(with_pack(site, robots={"arm": robots}, world=world_of(known)), world=world)
    assert str(told.value) == said
    assert robots.made == []


def test_each_pack_gets_its_own_keys_of_the_world(site, robots):
    made: list[dict[str, str]] = []

    def leg(settings: Any, world: Any) -> Rig:
        made.append(said(world))
        return Rig(ScriptedRobot(), simulation=FakeClock())

    other = Pack("leg", robots={"leg": leg}, world=world_of({"floor": "wet or dry"}))
    both = with_pack(site, other, settings=PackSettings(robot="arm"))
    with Session(both, world={"floor": "wet", "door": "open"}):
        assert robots.made == [({"robot": "arm"}, {"door": "open"})]
        assert made == [{"floor": "wet"}]


def test_robot_named_in_the_settings_is_created(site, robots):
    both = {"first": pytest.fail, "second": robots}
    with Session(with_pack(site, robots=both, settings=PackSettings(robot="second"))) as session:
        assert session.rigs == {"lab": robots.rigs[0]}
    with pytest.raises(UnknownName) as told:
        Session(with_pack(site, robots=both, settings=PackSettings(robot="third")))
    assert str(told.value) == ("pack lab has no robot 'third'; known, nearest first: first, second")


@pytest.mark.parametrize(
    ("error", "kind", "said"),
    [
        (ValueError("door is open or closed"), UsageError, "door is open or closed"),
        (RegistrationError("a mistake"), RegistrationError, "a mistake"),
        (
            OSError("no route"),
            UsageError,
            "robot 'arm' of pack lab is unavailable: OSError: no route",
        ),
    ],
)
def test_robot_that_cannot_be_created_reports_its_error(site, robots, error, kind, said):
    robots.error = error
    with pytest.raises(kind) as told:
        Session(site)
    assert str(told.value) == said


def test_factory_that_returns_no_rig_is_reported_by_name(site):
    with pytest.raises(RegistrationError) as told:
        Session(with_pack(site, robots={"arm": lambda settings, world: "arm"}))
    assert str(told.value) == "robot 'arm' of pack lab did not return a Rig"


def test_fault_of_an_unknown_skill_is_refused_before_robots_are_created(site, robots):
    with pytest.raises(UnknownName):
        Session(site, faults=["b=TIMEOUT"])
    assert robots.made == []
    with Session(site, faults=["a:1=TIMEOUT"], fast=True) as session:
        assert [failure["code"] for failure in session.run("go").failures] == ["TIMEOUT"]


def other_pack(name: str, rig: Rig) -> Pack:
    return Pack(name, robots={name: lambda settings, world: rig})


def test_one_real_robot_prevents_a_fast_session(site, robots):
    real = other_pack("leg", Rig(ScriptedRobot()))
    with pytest.raises(UsageError, match="only simulated robots run faster"):
        Session(with_pack(site, real, robots={"arm": robots}), fast=True)
    eyes = other_pack("eyes", Rig())  # it has no moving part
    with Session(with_pack(site, eyes, robots={"arm": robots}), fast=True) as session:
        assert session.clock.fast


def test_closed_session_with_a_pack_without_robots_refuses_commands(site, robots):
    session = Session(with_pack(site, Pack("words"), robots={"arm": robots}), fast=True)
    session.close()
    with pytest.raises(UsageError, match="closed"):
        session.run("go")


class Sees:
    def __init__(self, error: BaseException | None = None) -> None:
        self.error = error

    def capture(self) -> str:
        if self.error is not None:
            raise self.error
        return "picture"

    def interpret(self, capture: str) -> str:
        return f"seen in a {capture}"


def test_camera_is_used_when_an_earlier_robot_has_none(site, robots):
    other = other_pack("eyes", Rig(simulation=FakeClock(), perception=Sees()))
    with Session(with_pack(site, other, robots={"arm": robots}), fast=True) as session:
        assert session.observe() == {"eyes": "seen in a picture"}


def test_observe_facts_and_close_propagate_keyboard_interrupt(site, robots):
    def interrupted() -> Any:
        raise KeyboardInterrupt

    robots.fields = {"facts": interrupted, "perception": Sees(KeyboardInterrupt())}
    session = Session(site, fast=True)
    with pytest.raises(KeyboardInterrupt):
        session.observe()
    with pytest.raises(KeyboardInterrupt):
        session.facts()
    robots.robot.stop = interrupted
    with pytest.raises(KeyboardInterrupt):
        session.close()


def test_hang_limit_outside_a_mission_is_ten_seconds(site, monkeypatch):
    limits: list[float] = []
    watchdog = site_robots.Watchdog

    def noting(limit_s: float, stop: Any) -> Any:
        limits.append(limit_s)
        return watchdog(limit_s, stop)

    monkeypatch.setattr(site_robots, "Watchdog", noting)
    with Session(site, fast=True) as session:
        session.observe()
        session.facts()
    assert limits == [10.0] * 3


def test_session_arguments_are_passed_to_each_mission(site, robots, monkeypatch):
    given: list[dict[str, Any]] = []
    made = session_module.Executive

    def noting(*parts: Any, **more: Any) -> Any:
        given.append(more)
        return made(*parts, **more)

    monkeypatch.setattr(session_module, "Executive", noting)
    confirm = object()
    with Session(site, fast=True, confirm=confirm, faults=["a:9=TIMEOUT"]) as session:
        session.run("go")
        session.run("go")
    first, second = given
    assert first["confirm"] is confirm
    assert first["faults"] is session.faults
    assert first["listeners"] is session.listeners
    assert [first[name] for name in ("recorder", "journal", "unrecorded", "record")] == [None] * 4
    assert first["today"]() == ()
    assert [turn.command for turn in second["context"].turns] == ["go"]


def test_simulation_step_limit_is_taken_from_the_site(site):
    limits = site.limits.model_copy(update={"step_s": 7.0})
    with Session(dataclasses.replace(site, limits=limits), fast=True) as session:
        assert (session.clock.step_s, session.clock.period_s) == (7.0, 0.025)
