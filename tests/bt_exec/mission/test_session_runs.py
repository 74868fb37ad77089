"""What a session makes of its site, its world and its commands."""

from __future__ import annotations

import dataclasses
import datetime as dt
import threading
from typing import Any

import pytest
from pydantic import Field, create_model

from bt_exec.events import MissionStarted
from bt_exec.failure import RegistrationError, UnknownName, UsageError
from bt_exec.journal import Journal
from bt_exec.mission.reporting import MissionReporter
from bt_exec.mission.rigs import parse_world
from bt_exec.mission.session import Session
from bt_exec.pack import Catalogue, Pack
from bt_exec.rig import PackSettings, Rig, WorldSettings
from bt_exec.site.site import Rates, Site
from bt_exec.spec.load import load_text
from bt_exec.spec.model import Mission, MissionSpec
from bt_exec.testing import FakeClock, FakeObservation, ScriptedRobot, scripted_skill
from bt_exec.testing.missions import scripted_site

GO = "tree: t\nutterances: [go]\nroot: {do: a}"


class Robots:
    """Makes rigs for sites and keeps what they were made of."""

    def __init__(self) -> None:
        self.made: list[tuple[dict[str, Any], dict[str, str]]] = []
        self.rigs: list[Rig] = []
        self.fields: dict[str, Any] = {}
        self.error: BaseException | None = None

    def __call__(self, settings: Any, world: Any) -> Rig:
        self.made.append((said(settings), said(world)))
        if self.error is not None:
            raise self.error
        fields = {"simulation": FakeClock(), **self.fields}
        self.rigs.append(Rig(ScriptedRobot(), **fields))
        return self.rigs[-1]

    @property
    def robot(self) -> Any:
        return self.rigs[-1].robot


@pytest.fixture
def robots() -> Robots:
    return Robots()


@pytest.fixture
def site(robots) -> Site:
    """A site of one pack that knows the world's door and seed."""
    found = scripted_site([scripted_skill("a")], [GO], rates=Rates(tick_hz=40), name="lab")
    world = world_of({"door": "open or closed", "seed": "a number"})
    return with_pack(found, robots={"arm": robots}, world=world)


def said(model: Any) -> dict[str, Any]:
    """Return what was said of a pack's settings or world."""
    return dict(model.model_dump(exclude_unset=True))


def world_of(known: dict[str, str]) -> Any:
    """Return the type of a world that knows these keys; each means something."""
    fields: Any = {key: (str, Field("", description=text)) for key, text in known.items()}
    return create_model("World", __base__=WorldSettings, **fields)


def with_pack(site: Site, *others: Pack, settings: Any = None, **fields: Any) -> Site:
    pack = dataclasses.replace(site.catalogue.packs[0], **fields)
    packs = {each.name: PackSettings() for each in (pack, *others)}
    packs[pack.name] = settings or PackSettings()
    return dataclasses.replace(site, catalogue=Catalogue([pack, *others]), packs=packs)


def recalling(recalled: list[list[str]]) -> Any:
    """Return a reporter that notes which missions it was reminded of."""

    class Recalls(MissionReporter):
        def recall(self, today: Any) -> None:
            recalled.append([line.command for line in today()])

    return Recalls


def given(command: str = "", language: str = "ko") -> MissionSpec:
    header = Mission(command=command, language=language)
    return MissionSpec(mission=header, root=load_text(GO).document.root)


class Heard(list):
    """A listener that keeps events."""

    def on(self, event: Any) -> None:
        self.append(event)


@pytest.mark.parametrize(
    ("texts", "expected"),
    [([], {}), (["door=closed", "a=b=c"], {"door": "closed", "a": "b=c"})],
)
def test_a_world_is_read_from_pairs(texts, expected):
    assert parse_world(texts) == expected


@pytest.mark.parametrize("text", ["door", "=closed", "door=", "", "="])
def test_a_pair_that_is_none_is_refused(text):
    with pytest.raises(UsageError) as told:
        parse_world(["a=b", text])
    assert str(told.value) == f"world setting {text!r} must be KEY=VALUE"


def test_a_key_that_stands_twice_is_refused():
    with pytest.raises(UsageError, match=r"^world setting door is given twice: open and closed$"):
        parse_world(["door=open", "door=closed"])


def test_missions_without_a_journal_are_named_by_the_day_and_counted(site):
    heard = Heard()
    with Session(site, fast=True, listeners=[heard]) as session:
        outcomes = [session.run("go") for _ in range(2)]
        assert session.missions == 2
    day = dt.date.today().isoformat()[:8]  # midnight may pass
    assert [o.mission_id[:8] for o in outcomes] == [day, day]
    assert [o.mission_id[-5:] for o in outcomes] == ["-0001", "-0002"]
    assert [o.journal for o in outcomes] == [None, None]
    started = [event for event in heard if isinstance(event, MissionStarted)]
    assert [event.mission_id for event in started] == [o.mission_id for o in outcomes]


def test_the_record_hears_of_an_event_before_robots_and_whoever_else_listens(
    site, robots, tmp_path, monkeypatch
):
    order: list[str] = []

    class Hears:
        def __init__(self, name: str) -> None:
            self.name = name

        def on(self, event: Any) -> None:
            order.append(self.name)

    class Reports(MissionReporter):
        def on(self, event: Any) -> None:
            order.append("robot")

    site = with_pack(site, robots={"arm": robots}, reporter=Reports)
    journal = Journal.open(tmp_path / "j.sqlite")
    begin = journal.begin

    def noting(**facts: Any) -> Any:
        recorder = begin(**facts)
        on = recorder.on
        recorder.on = lambda event: (order.append("record"), on(event))
        return recorder

    journal.begin = noting
    with Session(site, fast=True, journal=journal, listeners=[Hears("others")]) as session:
        outcome = session.run("go")
    assert order[:3] == ["record", "robot", "others"]
    assert outcome.journal == str(tmp_path / "j.sqlite")
    assert journal.mission("last").id == outcome.mission_id


@pytest.mark.parametrize(
    ("command", "plan", "language"),
    [
        ("go", None, "en"),
        ("가", None, "ko"),
        ("go", given(), "en"),  # the command's own
        ("", given(), "ko"),  # no command: the plan's
    ],
)
def test_what_is_on_record_of_a_mission(site, tmp_path, command, plan, language):
    journal = Journal.open(tmp_path / "j.sqlite")
    facts: list[dict[str, Any]] = []
    begin = journal.begin
    journal.begin = lambda **given: facts.append(given) or begin(**given)
    world = {"door": "open", "seed": "7"}
    heard = Heard()
    with Session(site, world=world, fast=True, journal=journal, listeners=[heard]) as session:
        session.run(command, plan)
    (given_facts,) = facts
    assert given_facts.pop("tell").__name__ == "warning"
    assert given_facts == {
        "command": command,
        "language": language,
        "site": "lab",
        "settings": {"packs": {"lab": {}}, "world": world, "fast": True},
        "seeds": {"seed": 7},
        "frames": False,
    }
    assert heard[0].language == language


def test_a_plan_that_is_given_is_run_instead_of_the_compilers(site):
    with Session(site, fast=True) as session:
        outcome = session.run("whatever nobody understands", given("x"))
    assert (outcome.status, outcome.command) == ("satisfied", "whatever nobody understands")


def test_robots_that_want_it_are_reminded_of_todays_finished_missions(site, robots, tmp_path):
    journal = Journal.open(tmp_path / "j.sqlite")
    recalled: list[list[str]] = []
    site = with_pack(site, robots={"arm": robots}, reporter=recalling(recalled))
    journal.begin(command="unfinished", site="lab").close()
    journal.begin(command="elsewhere", site="hall").close()
    with Session(site, fast=True, journal=journal) as session:
        session.run("go")
        session.run("go", given("second"))
        session.run("go")
    assert recalled == [[], ["go"], ["go", "go"]]


def test_reminding_comes_oldest_first(site, robots, tmp_path):
    journal = Journal.open(tmp_path / "j.sqlite")
    recalled: list[list[str]] = []
    site = with_pack(site, robots={"arm": robots}, reporter=recalling(recalled))
    with Session(site, fast=True, journal=journal) as session:
        for command in ("first", "second", "third"):
            session.run(command, given())
    assert recalled[-1] == ["first", "second"]


def test_without_a_robot_that_wants_it_nobody_reads_the_journal(site, tmp_path):
    journal = Journal.open(tmp_path / "j.sqlite")
    journal.missions = None
    with Session(site, fast=True, journal=journal) as session:
        assert session.run("go").status == "satisfied"


def test_a_stop_without_a_mission_stops_the_robots_and_says_that_there_was_none(site, robots):
    stopped = threading.Event()
    with Session(site, fast=True) as session:
        robots.robot.stop = stopped.set
        assert session.abort() is False
        assert stopped.wait(60)
        assert session.run("go").status == "satisfied"  # it stops nothing that comes later
        assert session.abort() is False, "the mission has ended"


def test_a_stop_while_a_mission_is_prepared_stops_it_before_it_moves(site, robots, tmp_path):
    journal = Journal.open(tmp_path / "j.sqlite")
    answers: list[bool] = []
    with Session(site, fast=True, journal=journal) as session:
        begin = journal.begin

        def interrupted(**facts: Any) -> Any:
            answers.append(session.abort("SIGTERM"))
            return begin(**facts)

        journal.begin = interrupted
        heard = Heard()
        session.listeners.append(heard)
        outcome = session.run("go")
        journal.begin = begin
        assert (answers, outcome.status, robots.robot.log) == ([True], "aborted", [])
        assert [event.reason for event in heard if hasattr(event, "how")] == ["SIGTERM"]
        assert session.run("go").status == "satisfied"  # the word was for the one before


def test_a_stop_while_a_mission_runs_is_for_that_mission(site, robots):
    answers = []

    class Aborts:
        def on(self, event: Any) -> None:
            if isinstance(event, MissionStarted):
                answers.append(session.abort("enough"))

    with Session(site, fast=True, listeners=[Aborts()]) as session:
        outcome = session.run("go")
    assert (answers, outcome.status, robots.robot.log) == ([True], "aborted", [])


def test_what_is_known_is_what_robots_and_the_newest_scenes_say(site, robots):
    class PerceptionWorker:
        def capture(self):
            return None

        def interpret(self, capture):
            return FakeObservation(0.0, (), {"door": "open"})

    robots.fields = {"facts": lambda: {"hand": "empty"}, "perception": PerceptionWorker()}
    with Session(site, fast=True) as session:
        assert session.facts() == {"hand": "empty"}
        session.run("go")
        assert session.facts() == {"hand": "empty", "door": "open"}


@pytest.mark.parametrize(
    ("simulated", "waits"), [(True, True), (False, False)], ids=["simulation", "real"]
)
def test_eyes_of_a_simulation_are_waited_for(site, robots, simulated, waits):
    robots.fields = {"perception": object(), "simulation": FakeClock() if simulated else None}
    with Session(site) as session:
        assert [(name, worker.wait) for name, worker in session.perception_workers.items()] == [
            ("lab", waits)
        ]
        assert session.clock.period_s == 0.025
        assert session.clock.simulations == ((robots.rigs[0].simulation,) if simulated else ())
        assert (
            session.perception_workers["lab"].buffer.now() == session.clock.now() or not simulated
        )


def test_a_blind_robot_has_no_eyes(site):
    with Session(site) as session:
        assert session.perception_workers == {}
        assert not session.fast
        assert not session.clock.fast


def test_real_time_cannot_be_hurried(site, robots):
    robots.fields = {"simulation": None}
    with pytest.raises(UsageError) as told:
        Session(site, fast=True)
    assert str(told.value) == "only simulated robots run faster than real time"
    assert robots.robot.stops == 1  # it was up already


def test_a_world_made_anew(site, robots):
    with Session(site, world={"door": "closed"}, fast=True) as session:
        session.reset()
        session.reset({"door": "open"})
        assert session.world == {"door": "open"}
        assert [world for _, world in robots.made] == [
            *({"door": "closed"}, {"door": "closed"}, {"door": "open"}),
        ]
        assert [rig.robot.stops for rig in robots.rigs] == [1, 1, 0]
        assert session.run("go").status == "satisfied"


def test_a_world_that_cannot_be_made_leaves_the_old_one(site, robots):
    with Session(site, world={"door": "closed"}, fast=True) as session:
        with pytest.raises(UsageError, match="'doors'"):
            session.reset({"doors": "open"})
        assert len(robots.rigs) == 1  # nothing was put away for a word that means nothing
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


def test_closing_stops_robots_and_closes_what_they_hold_whatever_raises(site, robots, caplog):
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
    assert caplog.messages == ["the rig of lab could not be put away: OSError: gone"]
    assert sorted(closed) == ["arm", "leg"]
    assert (robots.robot.stops, other.robot.stops) == (1, 1)
    assert (session.rigs, session.perception_workers) == ({}, {})
    with pytest.raises(RuntimeError):
        worker._pool.submit(print)
    with pytest.raises(UsageError) as told:
        session.run("go")
    assert str(told.value) == "this session is closed; make another"
    session.close()  # there is nothing left to close
    assert robots.robot.stops == 1


def test_a_site_without_robots_runs_what_needs_none(site):
    with Session(with_pack(site, robots={})) as session:
        assert session.rigs == {}


@pytest.mark.parametrize(
    ("world", "known", "said"),
    [
        (
            {"dor": "open"},
            {"seed": "a number", "door": "open or closed"},
            "world setting dor=open: site 'lab' has no 'dor'; "
            "it knows door: open or closed; seed: a number",
        ),
        ({"dor": "open"}, {}, "world setting dor=open: site 'lab' has no 'dor'; it knows none"),
        (
            {"door": "open", "x": "1"},
            {"door": "open or closed"},
            "world setting x=1: site 'lab' has no 'x'; it knows door: open or closed",
        ),
    ],
)
def test_a_world_that_nobody_knows_is_refused_before_anything_is_made(
    site, robots, world, known, said
):
    with pytest.raises(UsageError) as told:
        Session(with_pack(site, robots={"arm": robots}, world=world_of(known)), world=world)
    assert str(told.value) == said
    assert robots.made == []


def test_each_pack_gets_the_part_of_the_world_that_it_knows(site, robots):
    made: list[dict[str, str]] = []

    def leg(settings: Any, world: Any) -> Rig:
        made.append(said(world))
        return Rig(ScriptedRobot(), simulation=FakeClock())

    other = Pack("leg", robots={"leg": leg}, world=world_of({"floor": "wet or dry"}))
    both = with_pack(site, other, settings=PackSettings(robot="arm"))
    with Session(both, world={"floor": "wet", "door": "open"}):
        assert robots.made == [({"robot": "arm"}, {"door": "open"})]
        assert made == [{"floor": "wet"}]


def test_the_robot_of_the_settings_is_made(site, robots):
    both = {"first": None, "second": robots}
    with Session(with_pack(site, robots=both, settings=PackSettings(robot="second"))) as session:
        assert session.rigs == {"lab": robots.rigs[0]}
    with pytest.raises(UnknownName) as told:
        Session(with_pack(site, robots=both, settings=PackSettings(robot="third")))
    assert str(told.value) == (
        "there is no robot of pack lab 'third'; known, nearest first: first, second"
    )


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
def test_a_robot_that_cannot_be_made_says_why(site, robots, error, kind, said):
    robots.error = error
    with pytest.raises(kind) as told:
        Session(site)
    assert str(told.value) == said


def test_what_is_no_rig_is_named(site):
    with pytest.raises(RegistrationError) as told:
        Session(with_pack(site, robots={"arm": lambda settings, world: "arm"}))
    assert str(told.value) == "robot 'arm' of pack lab made no Rig"


def test_a_fault_that_no_skill_has_is_refused_before_anything_is_made(site, robots):
    with pytest.raises(UnknownName):
        Session(site, faults=["b=TIMEOUT"])
    assert robots.made == []
    with Session(site, faults=["a:1=TIMEOUT"], fast=True) as session:
        assert [failure["code"] for failure in session.run("go").failures] == ["TIMEOUT"]


def test_a_stop_without_a_reason_while_a_mission_is_prepared_is_one(site, robots, tmp_path):
    journal = Journal.open(tmp_path / "j.sqlite")
    begin = journal.begin
    with Session(site, fast=True, journal=journal) as session:
        journal.begin = lambda **facts: (session.abort(""), begin(**facts))[1]
        assert session.run("go").status == "aborted"
    assert robots.robot.log == []


def test_a_robot_that_cannot_say_what_it_knows_is_an_error_of_a_person(site, robots):
    robots.fields = {"facts": lambda: ["hand"]}
    with Session(site, fast=True) as session, pytest.raises(UsageError) as told:
        session.facts()
    said = "what is known cannot be told: TypeError: facts are texts by texts; found ['hand']"
    assert str(told.value) == said
