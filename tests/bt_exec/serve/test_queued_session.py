"""Queue of a served session: commands are recorded, run in order and stopped one by one."""

from __future__ import annotations

import contextlib
import dataclasses
import threading

import pytest

from bt_exec.failure import UsageError
from bt_exec.journal import Journal
from bt_exec.mission_outcome import Outcome
from bt_exec.rig import Rig
from bt_exec.serve.errors import ServiceError
from bt_exec.serve.queued_session import QueuedSession
from tests.bt_exec.mission.test_session import site_with as site_of
from tests.bt_exec.serve.conftest import GATE, Served

pytestmark = pytest.mark.sampled


def test_command_is_run_to_its_end(served: Served):
    booked = served.service.submit("wave")
    assert booked.ended.result(10).status == "satisfied"
    assert served.journal.mission_summary(booked.mission_id).status == "satisfied"


def test_accepted_command_is_recorded_before_its_turn(served: Served):
    first, second = served.service.submit("hold"), served.service.submit("wave")
    line = served.journal.mission_summary(second.mission_id)
    assert (line.status, line.begun, line.interrupted) == ("unfinished", False, False)
    GATE.set()
    assert first.ended.result(10).ok
    assert second.ended.result(10).ok
    assert first.mission_id < second.mission_id


def test_full_queue_refuses_the_next_command(served: Served):
    taken = [served.service.submit("hold") for _ in range(3)]
    served.until(lambda: len(served.service.waiting_missions) == 2)
    with pytest.raises(ServiceError) as found:
        served.service.submit("wave")
    assert (found.value.code, found.value.status) == ("QUEUE_FULL", 429)
    GATE.set()
    assert [one.ended.result(10).status for one in taken] == ["satisfied"] * 3


def test_second_command_without_a_queue_is_refused_and_names_the_first(serve):
    served = serve(queue=0)
    first = served.service.submit("hold")
    served.until(lambda: served.service.running_mission is first)
    with pytest.raises(ServiceError, match=first.mission_id) as found:
        served.service.submit("wave")
    assert (found.value.code, found.value.status) == ("BUSY", 409)
    GATE.set()
    first.ended.result(10)
    served.until(lambda: served.service.running_mission is None)
    assert served.service.submit("wave").ended.result(10).ok


def test_abort_stops_the_running_mission(served: Served):
    booked = served.service.submit("hold")
    served.until(lambda: served.service.running_mission is booked)
    assert served.service.abort(booked.mission_id) == "stopping"
    assert booked.ended.result(10).status == "aborted"
    assert served.robot.still


def test_command_to_stop_stops_the_running_mission_at_once(served: Served):
    first, second = served.service.submit("hold"), served.service.submit("wave")
    served.until(lambda: served.service.running_mission is first)
    stop = served.service.submit("stop it!")
    assert first.ended.result(10).status == "aborted"
    assert stop.ended.result(10).message == f"Mission {first.mission_id} was stopped."
    served.until(lambda: served.service.held == first.mission_id)
    assert served.service.waiting_missions == (second,)


def test_command_combined_with_a_stop_waits_for_consent(served: Served):
    first = served.service.submit("hold")
    served.until(lambda: served.service.running_mission is first)
    rest = served.service.submit("stop and wave")
    assert first.ended.result(10).status == "aborted"
    served.until(lambda: served.service.held == first.mission_id)
    assert served.service.waiting_missions == (rest,)


def test_command_to_stop_is_queued_like_others_while_nothing_runs(served: Served):
    assert served.service.submit("stop").ended.result(10).status == "refused"


def test_second_abort_stops_the_robot_at_once(served: Served):
    booked = served.service.submit("hold")
    served.until(lambda: served.service.running_mission is booked)
    for _ in range(2):
        served.service.abort(booked.mission_id)
    assert booked.ended.result(10).status == "aborted"
    served.until(lambda: served.robot.stops >= 1)


def test_abort_directly_after_a_command_stops_its_mission(served: Served):
    """This also holds between the acceptance of the command and the start of its mission."""
    for _ in range(20):
        booked = served.service.submit("hold")
        served.service.abort(booked.mission_id)
        assert booked.ended.result(10).status == "aborted"


@pytest.mark.slow
def test_queued_command_is_withdrawn_by_an_abort(served: Served):
    first, second = served.service.submit("hold"), served.service.submit("wave")
    served.until(lambda: served.service.running_mission is first)
    assert served.service.abort(second.mission_id) == "withdrawn"
    outcome = second.ended.result(10)
    assert (outcome.status, outcome.ticks) == ("aborted", 0)
    assert "before it began" in served.journal.mission_summary(second.mission_id).message
    GATE.set()
    assert first.ended.result(10).ok


def test_ended_mission_cannot_be_aborted(served: Served):
    booked = served.service.submit("wave")
    booked.ended.result(10)
    served.until(lambda: served.service.running_mission is None)
    with pytest.raises(ServiceError) as found:
        served.service.abort(booked.mission_id)
    assert found.value.code == "NOT_RUNNING"


def test_close_stops_the_running_mission_and_ends_queued_ones(serve):
    served = serve(queue=5)
    taken = [served.service.submit("hold") for _ in range(4)]
    served.until(lambda: served.service.running_mission is taken[0])
    assert served.service.close("SIGTERM")
    outcomes = [one.ended.result(60) for one in taken]
    assert [one.status for one in outcomes] == ["aborted"] * 4
    assert "before this mission began" in outcomes[-1].message
    assert served.robot.still
    assert all(line.ended_at is not None for line in served.journal.missions(None))
    with pytest.raises(ServiceError) as found:
        served.service.submit("wave")
    assert found.value.code == "CLOSING"


def test_stop_between_two_missions_refuses_later_commands(served: Served):
    served.service.submit("wave").ended.result(10)
    served.service.stop("SIGTERM")
    with pytest.raises(ServiceError):
        served.service.submit("hold")
    assert served.service.close()


def test_unavailable_robot_is_a_usage_error_of_the_constructor(tmp_path):
    def switched_off() -> Rig:
        raise ConnectionRefusedError("192.0.2.7")

    journal = Journal.open(tmp_path / "journal.sqlite")
    service = QueuedSession(site_of(arm=switched_off), journal)
    with pytest.raises(UsageError, match=r"192\.0\.2\.7"):
        service.open()
    assert service.why_unavailable() != ""


def test_command_is_refused_when_the_journal_cannot_be_written(served: Served, monkeypatch):
    def full(**facts: object) -> None:
        raise UsageError("the disk is full")

    monkeypatch.setattr(served.service.journal, "book", full)
    with pytest.raises(UsageError, match="the disk is full"):
        served.service.submit("wave")
    assert not served.service.waiting_missions


def test_crashed_mission_ends_and_the_next_one_runs(served: Served, monkeypatch):
    session = served.service.session
    run = session.run

    def breaks(command: str, plan: object = None, **given: object) -> object:
        if command == "hold":
            raise RuntimeError("no memory")
        return run(command, **given)

    monkeypatch.setattr(session, "run", breaks)
    outcome = served.service.submit("hold").ended.result(10)
    assert (outcome.status, outcome.reason_code) == ("failed", "EXECUTIVE_CRASHED")
    assert served.service.submit("wave").ended.result(10).ok


def test_concurrent_commands_are_accepted_or_refused_and_none_is_lost(serve):
    served = serve(queue=10)
    taken, refused = [], []

    def send() -> None:
        try:
            taken.append(served.service.submit("wave"))
        except ServiceError as error:
            refused.append(error.code)

    threads = [threading.Thread(target=send) for _ in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(taken) + len(refused) == 40
    assert len(taken) >= 11
    assert set(refused) <= {"QUEUE_FULL"}
    assert {one.ended.result(20).status for one in taken} == {"satisfied"}
    assert len(served.journal.missions(None)) == len(taken)


def test_stop_holds_the_queue_until_resumed(served: Served):
    first, second = served.service.submit("hold"), served.service.submit("wave")
    served.until(lambda: served.service.running_mission is first)
    served.service.abort(first.mission_id)
    assert first.ended.result(10).status == "aborted"
    served.until(lambda: served.service.held == first.mission_id)
    third = served.service.submit("wave")
    assert [one.mission_id for one in served.service.waiting_missions] == [
        second.mission_id,
        third.mission_id,
    ]
    assert served.service.running_mission is None
    assert not served.journal.mission_summary(second.mission_id).begun
    assert served.service.resume_queue()
    assert second.ended.result(10).ok
    assert third.ended.result(10).ok
    assert not served.service.resume_queue()


def test_resume_after_a_failed_stop_requires_an_inspection(served: Served):
    life = served.service.session.life
    first, second = served.service.submit("hold"), served.service.submit("wave")
    served.until(lambda: served.service.running_mission is first)
    life.require_inspection("its stop() raised OSError")
    GATE.set()
    first.ended.result(10)
    served.until(lambda: served.service.held == first.mission_id)
    refused = served.ask("POST", "/queue/resume", {})
    assert (refused.status, refused.data["error"]["code"]) == (409, "INSPECT")
    assert "its stop() raised OSError" in refused.data["error"]["message"]
    assert not second.ended.done()
    assert served.ask("POST", "/queue/resume", {"inspected": True}).status == 200
    assert second.ended.result(10).ok
    assert life.why == ""


def test_stalled_mission_holds_the_queue(served: Served, monkeypatch):
    run = served.service.session.run

    def stalled(*words, **more):
        return dataclasses.replace(run(*words, **more), status="failed", reason_code="STALLED")

    monkeypatch.setattr(served.service.session, "run", stalled)
    first, second = served.service.submit("hold"), served.service.submit("wave")
    GATE.set()
    served.until(lambda: served.service.held == first.mission_id)
    assert served.service.waiting_missions == (second,)


def test_held_queue_is_released_when_all_commands_are_withdrawn(served: Served):
    first, second = served.service.submit("hold"), served.service.submit("wave")
    served.until(lambda: served.service.running_mission is first)
    served.service.abort(first.mission_id)
    first.ended.result(10)
    served.until(lambda: served.service.held)
    served.service.abort(second.mission_id)
    served.until(lambda: not served.service.held)
    assert served.service.submit("wave").ended.result(10).ok


def test_stop_does_not_hold_an_empty_queue(served: Served):
    booked = served.service.submit("hold")
    served.service.abort(booked.mission_id)
    booked.ended.result(10)
    assert served.service.submit("wave").ended.result(10).ok


def test_second_stop_does_not_affect_another_mission(serve, monkeypatch):
    """This also holds if the first mission ends at that moment."""
    served = serve(queue=2)
    aborted: list[str] = []
    session = served.service.session
    abort = session.abort

    def noted(reason: str = "operator") -> bool:
        aborted.append(served.service.running_mission.mission_id)
        return abort(reason)

    monkeypatch.setattr(session, "abort", noted)
    for _ in range(5):
        first, second = served.service.submit("wave"), served.service.submit("wave")
        for wait_s in (0.0, 0.001, 0.01):
            with contextlib.suppress(ServiceError, TimeoutError):
                served.service.abort(first.mission_id)
                first.ended.result(wait_s)
        first.ended.result(10)
        served.until(lambda one=first: served.service.running_mission is not one)
        with pytest.raises(ServiceError, match="has ended"):
            served.service.abort(first.mission_id)
        served.until(lambda ends=second.ended: served.service.held or ends.done())
        served.service.resume_queue()
        assert second.ended.result(10).ok
        assert second.mission_id not in aborted


def test_hung_step_makes_the_service_not_ready(served: Served, monkeypatch):
    booked, waits = served.service.submit("hold"), served.service.submit("wave")
    served.until(lambda: served.service.running_mission is booked)
    monkeypatch.setattr(type(served.service.session), "hanging_part", lambda self: "the skill hold")
    assert served.ask("GET", "/ready").status == 503
    assert "the skill hold hangs" in served.service.why_unavailable()
    monkeypatch.undo()
    outcome = Outcome(booked.mission_id, "hold", "failed", "STEP_HUNG", "hold hangs")
    served.service.session.abandoned(outcome)
    assert booked.ended.result(1) is outcome
    assert served.service.running_mission is None
    ready, health = served.ask("GET", "/ready"), served.ask("GET", "/health")
    assert (ready.status, health.status) == (503, 503)
    assert health.data["error"]["code"] == "HUNG"
    with pytest.raises(ServiceError) as found:
        served.service.submit("wave")
    assert found.value.code == "NOT_READY"
    assert not waits.ended.done()
    GATE.set()
    served.until(lambda: waits.ended.done())


def test_close_completes_every_record_when_a_part_hangs(serve, monkeypatch):
    served = serve(queue=3)
    monkeypatch.setattr("bt_exec.serve.queued_session._CLOSE_S", 0.3)
    stuck = threading.Event()
    monkeypatch.setattr(served.service.session, "run", lambda *_, **__: stuck.wait(60))
    taken = [served.service.submit("hold") for _ in range(3)]
    served.until(lambda: served.service.running_mission is taken[0])
    try:
        assert not served.service.close("SIGTERM")
        outcomes = [one.ended.result(60) for one in taken]
        assert [one.status for one in outcomes] == ["failed", "aborted", "aborted"]
        assert outcomes[0].reason_code == "STEP_HUNG"
        assert all(line.ended_at is not None for line in served.journal.missions(None))
    finally:
        stuck.set()
        served.until(lambda: not served.service._thread.is_alive())


def test_queue_is_reordered_while_it_is_held(served: Served):
    first = served.service.submit("hold")
    second, third = served.service.submit("wave"), served.service.submit("wave")
    served.until(lambda: served.service.running_mission is first)
    served.service.hold_waiting()
    assert served.service.move_in_queue(third.mission_id, 0) == (
        third.mission_id,
        second.mission_id,
    )
    GATE.set()
    assert first.ended.result(10).ok
    served.until(lambda: served.service.running_mission is None)
    assert not served.journal.mission_summary(third.mission_id).begun
    with pytest.raises(ServiceError, match="is not waiting"):
        served.service.move_in_queue(first.mission_id, 0)
    served.service.resume_queue()
    assert second.ended.result(10).ok
    lines = served.journal.missions(None)
    assert max(lines, key=lambda line: line.ended_at).id == second.mission_id
