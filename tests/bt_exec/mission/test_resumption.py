"""Resumed missions after an interruption at every possible moment."""

from __future__ import annotations

import dataclasses
import shutil
import sqlite3
import time
from contextlib import closing
from typing import NamedTuple

import pytest

from bt_exec.journal import Journal
from bt_exec.mission.pack_reporters import MissionReporter
from bt_exec.mission.rerun import _same_settings, restore_world, verify
from bt_exec.mission.resumption import is_call_of, recorded_work
from bt_exec.mission.session import Session
from bt_exec.mission.steps_left import describe_steps_left, steps_left
from bt_exec.observation import Situation
from bt_exec.planning.compiler import Plan
from bt_exec.planning.failed_part_repair import repaired_plan
from bt_exec.rig import Rig
from bt_exec.site.compile_command import first_request
from bt_exec.site.site import load_site
from bt_exec.skill import Running, Service, Steps, skill
from bt_exec.spec.load import load_text
from bt_exec.spec.model import Do, Mission, MissionSpec
from bt_exec.testing import FakeClock, ScriptedRobot
from bt_exec.testing.tree_run import scripted_site
from tests.bt_exec.mission.session_robots import with_pack

pytestmark = pytest.mark.sampled

PLAN = """
tree: t
root:
  sequence:
    - do: open_box
    - {do: take, save: {grams: grams}}
    - {do: hand_over, with: {grams: $grams}}
    - do: close_box
"""


class Box:
    """World of the skills, with the facts that the robot reports."""

    def __init__(self) -> None:
        self.facts = {"box": "closed", "hand": "empty"}
        self.done: list[str] = []

    def work(self, name: str, **facts: str):
        """Take two ticks, change the facts, take one more."""
        yield Running(0.0, "working")
        yield Running(0.4, "working")
        self.facts.update(facts)
        self.done.append(name)
        yield Running(0.9, "leaving")


class Weight(NamedTuple):
    grams: int


@skill(effects={"box": "open"})
def open_box(robot, box: Service[Box]) -> Steps:
    """Open the box."""
    yield from box.work("open_box", box="open")


@skill(needs={"hand": "empty", "box": "open"}, effects={"hand": "full"})
def take(robot, box: Service[Box]) -> Steps[Weight]:
    """Take the object."""
    yield from box.work("take", hand="full")
    return Weight(250)


@skill(needs={"hand": "full"}, effects={"hand": "empty"}, irreversible=True)
def hand_over(robot, box: Service[Box], grams: int) -> Steps:
    """Hand the object over."""
    yield from box.work(f"hand_over {grams}", hand="empty")


@skill(effects={"box": "closed"})
def close_box(robot, box: Service[Box]) -> Steps:
    """Close the box."""
    yield from box.work("close_box", box="closed")


class Compiles:
    name = "fixed"

    def compile(self, request):
        if request.previous is not None and request.failure is not None:
            return Plan(repaired_plan(request, self.name))
        header = Mission(command=request.command, compiler=self.name)
        return Plan(MissionSpec(mission=header, root=load_text(PLAN).document.root))


@pytest.fixture
def boxes(monkeypatch):
    monkeypatch.setattr("bt_exec.mission.session.make_compiler", lambda *_: Compiles())
    monkeypatch.setattr("bt_exec.mission.rerun.load_site", lambda name: site)
    made: list[Box] = []

    def robots(settings, world):
        made.append(Box())
        box = made[-1]
        return Rig(
            ScriptedRobot(),
            simulation=FakeClock(),
            facts=lambda: dict(box.facts),
            services={"box": box},
        )

    site = with_pack(
        scripted_site([open_box, take, hand_over, close_box], [PLAN], name="lab"),
        robots={"arm": robots},
    )
    made.append(site)
    return made


@pytest.fixture
def finished(boxes, tmp_path) -> tuple[Journal, str]:
    journal = Journal.open(tmp_path / "whole.sqlite")
    with Session(boxes[0], fast=True, journal=journal) as session:
        outcome = session.run("deliver")
    assert outcome.ok
    return journal, outcome.mission_id


def cut(journal: Journal, rows: int, folder) -> Journal:
    """Return a copy of a journal whose process was killed after these rows of the last mission."""
    path = folder / f"cut-{rows}.sqlite"
    with closing(sqlite3.connect(journal.path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    shutil.copy(journal.path, path)
    with closing(sqlite3.connect(path)) as connection, connection:
        last = "(SELECT max(no) FROM missions)"
        connection.execute(f"DELETE FROM events WHERE seq > ? AND mission = {last}", (rows,))
        connection.execute(
            "UPDATE missions SET status = NULL, ended_at = NULL, outcome = NULL, message = NULL,"
            f" reason_code = NULL, process = 'gone 1 2' WHERE no = {last}"
        )
    return Journal.open(path)


@pytest.mark.parametrize(
    "share", [0.15, 0.55, 0.75, pytest.param(1.0, marks=pytest.mark.slow, id="every moment")]
)
def test_mission_resumes_from_any_moment_without_repeating_irreversible_actions(
    finished, boxes, tmp_path, share
):
    journal, name = finished
    numbers = [row.seq for row in journal.rows(name) if row.kind != "Finished"]
    numbers = numbers if share == 1.0 else [numbers[int(share * len(numbers))]]
    for number in numbers:
        short = cut(journal, number, tmp_path)
        record = short.mission("last")
        asked: list[str] = []

        def confirm(spec, why, over, asked=asked):
            asked.append(why)
            return False

        with Session(boxes[0], fast=True, journal=short, confirm=confirm) as session:
            found = restore_world(session, short, record)
            assert found.agrees, (number, found)
            box = boxes[-1]
            before = list(box.done)
            outcome = session.resume(record)
        done = box.done
        assert done.count("hand_over 250") <= 1, (number, done)
        if asked:  # the hand-over may have happened: the mission is refused and nothing moves
            assert outcome.status == "refused"
            assert done == before
            assert len(asked) == 1
        elif outcome.reason_code == "NEED_NOT_MET":  # taken, but its weight is not recorded
            assert (before, box.facts["hand"]) == (["open_box", "take"], "full")
        else:
            assert outcome.ok, (number, outcome)
            assert box.facts == {"box": "closed", "hand": "empty"}, (number, done)
            assert done.count("take") == 1, (number, done)
        assert short.mission("last").continues == record.id


@pytest.mark.parametrize("planned", [False, True])
def test_second_resume_does_not_repeat_irreversible_steps(finished, boxes, tmp_path, planned):
    journal, name = finished
    handed = [r.seq for r in journal.rows(name) if r.kind == "SkillEnded"][2]
    short = cut(journal, handed, tmp_path)
    first = short.mission("last")
    with Session(boxes[0], fast=True, journal=short) as session:
        restore_world(session, short, first)
        resumed = session.resume(first).mission_id
    plan = next(row.seq for row in short.rows(resumed) if row.kind == "Planned")
    killed = cut(short, plan if planned else plan - 1, tmp_path)
    second = killed.mission("last")
    assert (second.id, second.continues, bool(second.plans)) == (resumed, first.id, planned)
    asked: list[str] = []
    with Session(
        boxes[0], fast=True, journal=killed, confirm=lambda *why: asked.append(why[1])
    ) as s:
        assert restore_world(s, killed, second).agrees
        outcome = s.resume(second)
    assert asked or outcome.ok
    assert boxes[-1].done.count("hand_over 250") == 1
    assert killed.mission("last").continues == second.id


def test_restored_and_resumed_mission_is_verified_as_recorded(finished, boxes, tmp_path):
    journal, name = finished
    row = next(r.seq for r in journal.rows(name) if r.kind == "SkillEnded")
    short = cut(journal, row, tmp_path)
    record = short.mission("last")
    with Session(boxes[0], fast=True, journal=short) as session:
        restore_world(session, short, record)
        outcome = session.resume(record)
        assert outcome.ok
        later = session.run("deliver")
    for one in (outcome, later):
        found = verify(short, one.mission_id)
        assert found.agrees, found


def test_lost_world_is_created_again(finished, boxes, tmp_path):
    journal, _ = finished
    record = cut(journal, 30, tmp_path).mission("last")
    with Session(boxes[0], fast=True) as session:
        outcome = session.resume(record, lost=True)
    assert outcome.ok
    assert boxes[-1].done == ["open_box", "take", "hand_over 250", "close_box"]


def test_step_whose_effect_no_longer_holds_is_repeated(finished, boxes, tmp_path):
    journal, name = finished
    row = next(r.seq for r in journal.rows(name) if r.kind == "SkillEnded")
    short = cut(journal, row, tmp_path)
    record = short.mission("last")
    with Session(boxes[0], fast=True, journal=short) as session:
        restore_world(session, short, record)
        boxes[-1].facts["box"] = "closed"  # closed by something else meanwhile
        outcome = session.resume(record)
    assert outcome.ok
    assert boxes[-1].done.count("open_box") == 2


def test_facts_of_the_interrupted_step_are_unknown(finished, boxes, tmp_path):
    journal, name = finished
    rows = [r for r in journal.rows(name) if r.kind == "SkillStarting"]
    record = cut(journal, rows[1].seq, tmp_path).mission("last")
    work = recorded_work(record, boxes[0].catalogue)
    assert work.assumed["hand"] == "?"
    assert work.assumed["box"] == "open"
    assert [one.path for one in work.done] == ["sequence/open_box"] or [
        one.skill for one in work.done
    ] == ["open_box"]
    assert work.failure is not None
    assert (work.failure.code, work.failure.node) == ("INTERRUPTED_STEP", "take")


def test_stopped_mission_resumes_in_its_own_session(boxes, tmp_path):
    journal = Journal.open(tmp_path / "j.sqlite")
    with Session(boxes[0], fast=True, journal=journal) as session:
        session.clock.call_at(0.2, lambda: session.abort("operator"))
        first = session.run("deliver")
        assert first.status == "aborted"
        outcome = session.resume(journal.mission(first.mission_id))
    assert outcome.ok
    assert boxes[-1].done.count("open_box") == 1
    assert journal.mission(outcome.mission_id).continues == first.mission_id


def test_resumed_mission_reports_in_the_language_of_the_request(boxes, tmp_path):
    journal = Journal.open(tmp_path / "j.sqlite")
    with Session(boxes[0], fast=True, journal=journal) as session:
        session.clock.call_at(0.2, lambda: session.abort("operator"))
        first = journal.mission(session.run("deliver").mission_id)
        outcome = session.resume(first, language="ko")
        assert session.conversation.context().turns[-1].language == "ko"
    assert journal.mission(outcome.mission_id).line.language == "ko"


def test_saved_results_are_available_after_resuming(finished, boxes, tmp_path):
    journal, name = finished
    ends = [r.seq for r in journal.rows(name) if r.kind == "SkillEnded"]
    short = cut(journal, ends[1], tmp_path)
    record = short.mission("last")
    assert record.saved == {"grams": 250}
    with Session(boxes[0], fast=True, journal=short, confirm=lambda *_: True) as session:
        restore_world(session, short, record)
        assert session.resume(record).ok
    assert "hand_over 250" in boxes[-1].done


def test_settings_changed_for_a_rerun_are_not_compared(finished, tmp_path):
    site, (journal, name) = load_site("building"), finished
    (pack,) = site.packs
    record = journal.mission(name)
    for speaker, same in (("terminal", True), ("nobody", False)):
        packs = {pack: {**site.settings()[pack], "speaker": speaker}}
        other = dataclasses.replace(record, settings={**record.settings, "packs": packs})
        assert _same_settings(site, other) is same


def test_mission_with_other_settings_is_not_restored(finished, boxes, tmp_path):
    journal, name = finished
    record = journal.mission(name)
    other = dataclasses.replace(record, settings={**record.settings, "packs": {"lab": {"x": 1}}})
    with Session(boxes[0], fast=True) as session:
        with pytest.raises(Exception, match="ran with other settings"):
            restore_world(session, journal, other)
        assert session.run("deliver").ok


def test_reporter_loads_finished_steps_of_the_continued_mission(boxes, tmp_path):
    loaded = []

    class Reporter(MissionReporter):
        def load_finished_steps(self, done):
            loaded.extend(done)

    journal = Journal.open(tmp_path / "j.sqlite")
    site, agree = with_pack(boxes[0], reporter=Reporter), lambda *_: True
    with Session(site, fast=True, journal=journal, confirm=agree) as session:
        session.clock.call_at(0.4, lambda: session.abort("operator"))
        first = session.run("deliver")
        record = journal.mission(first.mission_id)
        assert session.resume(record).ok
        assert session._clock_shift(record) == 0.0
        session.world_id, session.robots.rigs = "another", {}  # as with a real robot after a crash
        begun_s = record.line.started_at.timestamp() - record.events[0].t
        now_s = time.time() - session.clock.now()
        assert session._clock_shift(record) == pytest.approx(begun_s - now_s, abs=2.0)
    steps = [(one.skill, one.result) for one in loaded]
    assert steps == [("open_box", {}), ("take", {"grams": 250})]
    assert [one.t for one in loaded] == [run.end.t for run in record.skills[:2]]


@pytest.mark.parametrize(
    ("command", "stop_s", "done"),
    [
        ("take the document to the lounge", 25.0, ["deliver_object"]),
        ("라운지에 서류를 갖다 놔", 16.0, ["deliver_object"]),
        (
            "ask the professor when the meeting is and come back and tell me",
            16.0,
            ["navigate", "talk_to_person", "summarize_mission"],
        ),
    ],
)
def test_resumed_mission_executes_the_rest_of_the_plan_without_confirmation(
    tmp_path, command, stop_s, done
):
    journal = Journal.open(tmp_path / "j.sqlite")
    with Session("building", fast=True, journal=journal) as session:
        session.clock.call_at(stop_s, lambda: session.abort("operator"))
        first = journal.mission(session.run(command).mission_id)
        assert first.status == "aborted"
        session.clock.call_at(None)
        outcome = session.resume(first)
    assert outcome.ok, outcome.message
    assert [run.start.skill for run in journal.mission(outcome.mission_id).skills] == done


TWICE = """
tree: t
root:
  sequence:
    - {do: take}
    - {do: hand_over, with: {grams: 1}}
    - {do: take}
    - {do: hand_over, with: {grams: 1}}
"""


@pytest.mark.parametrize(
    ("starts", "asks"),
    [
        pytest.param(1, False, id="before the first"),
        pytest.param(3, False, id="between them"),
        pytest.param(4, True, id="during the second"),
    ],
)
def test_only_started_irreversible_steps_need_confirmation(
    boxes, tmp_path, monkeypatch, starts, asks
):
    monkeypatch.setattr(f"{__name__}.PLAN", TWICE)
    world = tmp_path / "whole.sqlite"
    with Session(boxes[0], fast=True, journal=Journal.open(world)) as session:
        boxes[-1].facts["box"] = "open"
        name = session.run("deliver").mission_id
    journal = Journal.open(world)
    rows = [row.seq for row in journal.rows(name) if row.kind == "SkillStarting"]
    record = cut(journal, rows[starts - 1], tmp_path).mission("last")
    asked: list[str] = []
    with Session(boxes[0], fast=True, confirm=lambda *why: not asked.append(why[1])) as session:
        boxes[-1].facts.update(box="open")
        if asks:
            del boxes[-1].facts["hand"]  # otherwise the effect is known
        assert session.resume(record).ok
    assert bool(asked) is asks


@pytest.mark.parametrize("stop_s", [8.0, 14.0])  # with the apple in the hand, and after placing it
def test_resumed_mission_keeps_a_place_that_was_named_relative_to_the_robot(tmp_path, stop_s):
    journal = Journal.open(tmp_path / "j.sqlite")
    world = {"seed": "3", "by": "mixed", "objects": "5"}
    with Session("tabletop", fast=True, journal=journal, world=world) as session:
        session.clock.call_at(stop_s, lambda: session.abort("operator"))
        first = journal.mission(session.run("put the apple on the right table").mission_id)
        session.clock.call_at(None)
        outcome = session.resume(first)
    assert outcome.ok, outcome.message
    goals = [plan.event.spec.mission.subgoals for plan in first.plans]
    again = journal.mission(outcome.mission_id)
    assert [plan.event.spec.mission.subgoals for plan in again.plans] == goals


def test_resumed_mission_does_not_fetch_the_held_object_again(tmp_path):
    journal = Journal.open(tmp_path / "j.sqlite")
    with Session("tabletop", fast=True, journal=journal, world={"objects": "2"}) as session:
        session.clock.call_at(11.0, lambda: session.abort("operator"))
        first = journal.mission(session.run("sort by colour").mission_id)
        assert first.status == "aborted"
        held = session.facts()["hand"]
        assert held != "empty"
        session.clock.call_at(None)
        outcome = session.resume(first)
    assert outcome.ok, outcome.message
    record = journal.mission(outcome.mission_id)
    assert [run.start.skill for run in record.skills[:2]] == ["go_to_object", "place_object"]
    assert record.skills[1].start.args["object"] == held


def test_resumption_moves_the_arm_home_if_the_interrupted_step_is_skipped(tmp_path):
    journal = Journal.open(tmp_path / "j.sqlite")
    with Session("door", fast=True, journal=journal, world={"seed": "0"}) as session:
        session.clock.call_at(5.2, lambda: session.abort("operator"))  # the arm is on its way home
        first = journal.mission(session.run("open the door").mission_id)
        session.clock.call_at(None)
        outcome = session.resume(first)
        assert outcome.ok, outcome.message
        record = journal.mission(outcome.mission_id)
    assert [run.start.skill for run in record.skills] == ["return_home"]
    assert (record.facts_at_end["door"], record.facts_at_end["at.right"]) == ("open", "home")


DOOR_LEFT = ["move_arm", "grasp", "close_door", "return_home"]
LOOK_LEFT = [
    *("observe_scene", "navigate", "observe_scene", "navigate"),
    *("talk_to_person", "summarize_mission"),
]


@pytest.mark.parametrize(
    ("site", "command", "stop_s", "fault", "left"),
    [
        pytest.param("door", "get the material", 11.0, "", DOOR_LEFT[1:], id="in progress"),
        pytest.param("door", "get the material", 12.2, "", DOOR_LEFT[2:], id="in effect"),
        pytest.param("door", "open the door", 5.2, "", ["arms_home"], id="halfway"),
        pytest.param(
            "door",
            "get the material",
            None,
            "open_door=DOOR_STUCK",
            ["open_door", *DOOR_LEFT],
            id="replaced",
        ),
        pytest.param(
            "building",
            "look around the corridor and the lounge and come back and tell me",
            20.0,
            "",
            LOOK_LEFT,
            id="done in a branch",
        ),
        pytest.param(
            "tabletop",
            "sort by colour",
            None,
            "pick_object=GRASP_MISSED",
            [*["move_object"] * 6, "pick_object", "go_to_object", "place_object"],
            id="left out by plans",
        ),
    ],
)
def test_remaining_steps_are_those_that_are_not_done(tmp_path, site, command, stop_s, fault, left):
    journal = Journal.open(tmp_path / "j.sqlite")
    faults = [fault] if fault else []
    with Session(site, fast=True, journal=journal, faults=faults, world={"seed": "0"}) as session:
        session.clock.call_at(stop_s, lambda: session.abort("operator"))
        record = journal.mission(session.run(command).mission_id)
        request = first_request(session.site, command, Situation((), record.facts_at_end, ""))
        work = recorded_work(record, session.site.catalogue)
    assert [part.callee_name for part in steps_left(record, work, request)] == left


def test_many_remaining_steps_are_counted(tmp_path):
    journal = Journal.open(tmp_path / "j.sqlite")
    with Session("tabletop", fast=True, journal=journal, world={"objects": "4"}) as session:
        session.clock.call_at(1.0, lambda: session.abort("operator"))
        record = journal.mission(session.run("sort by colour").mission_id)
        request = first_request(session.site, "", Situation((), record.facts_at_end, ""))
    *named, more = describe_steps_left(record, request).split(", ")
    assert (len(named), more) == (8, "and 8 more")


@pytest.mark.parametrize(
    ("given", "called", "same"),
    [
        ({"grams": 1}, {"grams": 1.0, "to": "Ada"}, True),
        ({"item": "서류"}, {"item": "document"}, True),
        ({"item": "box"}, {"item": "document"}, False),
        ({"item": "$found"}, {"item": "document"}, True),
        ({"item": "box"}, {}, False),
    ],
)
def test_recorded_call_is_matched_with_a_step_in_any_form_of_its_arguments(given, called, same):
    words = {"서류": "document"}
    node = Do.model_validate({"do": "give", "with": given})
    assert is_call_of(node, "give", called, lambda one: str(words.get(one, one))) is same
    assert not is_call_of(node, "take", called)
