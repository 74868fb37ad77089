"""Full hand after a stopped mission: it is reported, and explains why the next one cannot run."""

from __future__ import annotations

from dataclasses import replace

from bt_exec.events import Progress
from bt_exec.failure import Refusal
from bt_exec.mission.session import Session
from bt_exec.planning.compiler import Plan, Request
from bt_exec_llm.offline import OfflineCompiler


class StopsWhilePulling:
    session: Session

    def on(self, event) -> None:
        if isinstance(event, Progress) and event.doing == "pulling":
            self.session.abort()


def test_hand_stopped_on_the_handle_is_reported_and_explains_the_refusal(door_session):
    watcher = StopsWhilePulling()
    with door_session(listeners=[watcher]) as session:
        watcher.session = session
        stopped = session.run("open the door")
        assert stopped.status == "aborted"
        assert "The right hand holds the door handle" in stopped.message
        again = session.run("문 열어")
        assert (again.status, again.reason_code) == ("refused", "NEED_NOT_MET")
        assert again.message == "지금은 할 수 없습니다. 오른손이 손잡이를 잡고 있습니다."
        assert again.problems == ()
        assert session.run("bring your arms home").status == "satisfied"
        assert session.facts()["hand.right"] == "empty"


def test_plan_that_needs_an_empty_hand_after_a_grasp_is_refused(door_session):
    with door_session(world={"door": "open"}) as session:
        outcome = session.run("get the material and open the door")
    assert (outcome.status, outcome.reason_code) == ("refused", "NEED_NOT_MET")
    assert outcome.message == (
        "One step prevents a later one. At that point: The right hand holds the material."
    )


class FillsTheHandAgain(OfflineCompiler):
    """Compiler whose second plan is infeasible: it opens the door with the full hand."""

    def compile(self, request: Request) -> Plan | Refusal:
        again = request.previous is not None
        command = "get the material and open the door" if again else request.command
        return super().compile(replace(request, command=command, previous=None, failure=None))


def test_infeasible_second_plan_is_explained_in_whole_sentences(door_session):
    world, faults = {"door": "open"}, ["grasp:1=GRASP_SLIPPED"]
    with door_session(world=world, faults=faults) as session:
        session.compiler = FillsTheHandAgain()
        outcome = session.run("get the material")
    assert (outcome.status, outcome.reason_code) == ("blocked", "SKILL_FAILED")
    assert "At that point: The right hand holds the material." in outcome.message
    assert "…" not in outcome.message
