"""Server-sent events: live events, and resumption after a lost connection."""

from __future__ import annotations

import contextlib
import json

import pytest

from bt_exec.events import Finished
from bt_exec.journal import Journal
from bt_exec.journal import mission_row as processes
from bt_exec.mission_outcome import Outcome
from tests.bt_exec.serve.conftest import GATE, Served, events_of


def test_mission_is_followed_to_its_end(served: Served):
    mission_id = served.send("wave")
    events = served.follow(f"/missions/{mission_id}/events")
    rows = served.journal.rows(mission_id)
    recorded = [(int(number), kind) for number, kind, _ in events if number]
    assert recorded == [(row.seq, row.kind) for row in rows if row.kind != "Progress"]
    kinds = [kind for _, kind in recorded]
    assert kinds[0] == "MissionStarted"
    assert kinds[-1] == "Finished"
    assert events[-1][1:] == ("end", {"status": "ended"})
    started = next(data for _, kind, data in events if kind == "SkillStarting")
    assert started["data"] == {"skill": "wave", "args": {"hand": "right"}}
    assert {"t", "tick", "plan", "path", "call"} <= set(started)


def test_reconnected_client_receives_each_event_once(served: Served):
    mission_id = served.send("wave")
    whole = [one for one in served.follow(f"/missions/{mission_id}/events") if one[0]]
    half = len(whole) // 2
    rest = served.follow(f"/missions/{mission_id}/events", Last_Event_ID=whole[half - 1][0])
    assert [one for one in rest if one[0]] == whole[half:]
    after = served.follow(f"/missions/{mission_id}/events?after={whole[half - 1][0]}")
    assert after == rest


def test_event_stream_of_a_fully_received_mission_returns_204(served: Served):
    """A browser stops reconnecting after status 204."""
    mission_id = served.send("wave")
    last = [one for one in served.follow(f"/missions/{mission_id}/events") if one[0]][-1][0]
    answer = served.ask("GET", f"/missions/{mission_id}/events", headers={"Last-Event-ID": last})
    assert (answer.status, answer.body) == (204, b"")


def test_stream_resumes_with_another_process_of_the_service(serve):
    first = serve()
    mission_id = first.send("wave")
    whole = [one for one in first.follow(f"/missions/{mission_id}/events") if one[0]]
    second = serve()
    rest = second.follow(f"/missions/{mission_id}/events", Last_Event_ID=whole[3][0])
    assert [one for one in rest if one[0]] == whole[4:]


def test_events_of_a_running_mission_are_streamed_live(served: Served):
    mission_id = served.send("hold")
    text = b""
    with served.stream(f"/missions/{mission_id}/events") as answer:
        while b"event: Progress" not in text:
            text += answer.read1(65536)
        assert b"event: Finished" not in text
        GATE.set()
        text += answer.read()
    events = events_of(text.decode())
    progress = [(number, data) for number, kind, data in events if kind == "Progress"]
    assert progress[0] == ("", {"path": "hold", "progress": 0.5, "doing": "waiting at the gate"})
    assert [kind for _, kind, _ in events][-2:] == ["Finished", "end"]


def test_mission_of_a_dead_process_ends_as_interrupted(served: Served, monkeypatch):
    booking = served.journal.book(command="wave", site="test")
    monkeypatch.setattr("bt_exec.journal.read.has_process_ended", lambda process: True)
    events = served.follow(f"/missions/{booking.mission_id}/events")
    assert events == [("", "end", {"status": "interrupted"})]
    listed = served.ask("GET", "/missions").data["missions"]
    assert listed[0]["status"] == "interrupted"
    why = served.ask("GET", f"/missions/{booking.mission_id}").data["why"]["cause"]
    assert "nothing moved" in why


def test_mission_of_another_program_is_streamed(served: Served):
    """The command line writes into the same journal."""
    other = Journal.open(served.journal.path)
    booking = other.book(command="wave", site="test")
    outcome = Outcome(booking.mission_id, "wave", "satisfied", "OK", "Done.")
    with served.stream(f"/missions/{booking.mission_id}/events") as answer:
        with other.record(booking) as recorder:
            recorder.on(Finished(0.0, 0, outcome))
        events = events_of(answer.read().decode())
    assert [kind for _, kind, _ in events] == ["Finished", "end"]
    assert not processes.has_process_ended(processes.process_identifier())


@pytest.mark.parametrize("given", ["x", "-1", "1e3", "9" * 40, "１"])
def test_invalid_event_id_is_refused(served: Served, given: str):
    mission_id = served.send("wave")
    headers = {"Last-Event-ID": given.encode().decode("latin-1")}
    answer = served.ask("GET", f"/missions/{mission_id}/events", headers=headers)
    assert (answer.status, answer.data["error"]["code"]) == (422, "BAD_REQUEST")


def test_number_of_streams_is_limited(served: Served, monkeypatch):
    monkeypatch.setattr("bt_exec.serve.api._STREAMS", 2)
    mission_id = served.send("hold")
    with contextlib.ExitStack() as stack:
        for _ in range(2):
            answer = stack.enter_context(served.stream(f"/missions/{mission_id}/events"))
            answer.read1(10)
        refused = served.ask("GET", "/live")
    assert (refused.status, refused.data["error"]["code"]) == (503, "TOO_MANY")
    GATE.set()
    served.ended(mission_id)
    served.until(lambda: served.ask("GET", f"/missions/{mission_id}/events").status == 200)


def test_live_stream_sends_the_complete_state(served: Served):
    mission_id = served.send("both")
    text, found = b"", None
    with served.stream("/live") as answer:
        for _ in range(100):
            text += answer.read1(65536)
            for block in text.decode(errors="ignore").split("\n\n")[:-1]:
                found = json.loads(block.partition("data: ")[2])
            mission = (found or {}).get("mission") or {"subgoals": []}
            states = [one["state"] for one in mission["subgoals"]]
            if states == ["done", "running"] and found["pictures"]:
                break
    assert found["running"] == mission_id
    assert found["mission"]["subgoals"][1] == {"text": "then hold", "state": "running"}
    assert found["sees"][0]["text"] == "cup"
    assert found["question"] is None


def test_streams_end_with_the_service(serve):
    served = serve()
    mission_id = served.send("hold")
    with served.stream(f"/missions/{mission_id}/events") as events, served.stream("/live") as live:
        served.until(lambda: served.service.running_mission is not None)
        served.service.close()
        served.server.stop()
        assert b"aborted" in events.read()
        assert b'"status":"aborted"' in live.read()
    assert not served.server.alive
