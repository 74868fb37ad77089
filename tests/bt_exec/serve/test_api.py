"""Routes of the service, requested over HTTP."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from bt_exec.serve.errors import ServiceError
from bt_exec.serve.openapi import PAGE
from tests.bt_exec.serve.conftest import GATE, Served, serving


@pytest.fixture(scope="module")
def listed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, list[str]]]:
    """Service with four recorded missions, and their ids."""
    with serving(tmp_path_factory.mktemp("listed")) as make:
        served = make(queue=4)
        names = [served.send(command) for command in ("wave", "crack", "wave", "fly")]
        for name in names:
            served.ended(name)
        yield served, names


def test_mission_is_started_and_queried_over_http(served: Served):
    answer = served.ask("POST", "/missions", {"command": "wave"})
    assert answer.status == 202
    mission_id = answer.data["mission_id"]
    assert answer.data["events"] == f"/missions/{mission_id}/events"
    served.ended(mission_id)
    found = served.ask("GET", f"/missions/{mission_id}").data
    assert found["status"] == "satisfied"
    assert found["state"]["command"] == "wave"
    assert found["state"]["objects"] == ["cup"]
    assert found["plan"]["tasks"][0]["tasks"] == [
        {"skill": "wave", "target": "right", "args": {"hand": "right"}}
    ]
    assert [row["state"] for row in found["run"]["rows"]] == ["done"]
    assert found["results"]["tasks"] == [{"skill": "wave", "target": "right", "result": "Ok"}]
    assert found["results"]["outcome"]["status"] == "satisfied"
    assert found["why"]["cause"]


def test_failure_is_reported_with_its_reason(served: Served):
    mission_id = served.send("crack")
    served.ended(mission_id)
    found = served.ask("GET", "/missions/last").data
    assert (found["mission_id"], found["status"]) == (mission_id, "blocked")
    assert [one["result"] for one in found["results"]["tasks"]] == [
        "Ok",
        "Failed: CRACKED: the shell is 3 mm thick",
        "Not done",
    ]
    assert "3 mm" in found["why"]["cause"]
    codes = [row.get("code") for row in found["run"]["rows"]]
    assert "CRACKED" in codes


@pytest.mark.slow
def test_missions_are_listed_newest_first_and_filtered_by_failure(served: Served):
    names = [served.send(command) for command in ("wave", "crack", "wave")]
    for name in names:
        served.ended(name)
    listed = served.ask("GET", "/missions").data["missions"]
    assert [one["mission_id"] for one in listed] == names[::-1]
    failed = served.ask("GET", "/missions?failed=true").data["missions"]
    assert [one["mission_id"] for one in failed] == [names[1]]
    assert len(served.ask("GET", "/missions?limit=1").data["missions"]) == 1


def test_missions_are_listed_in_pages(listed: tuple[Served, list[str]]):
    served, names = listed
    read, before = [], ""
    while before is not None:
        page = served.ask("GET", f"/missions?limit=2&before={before}").data
        read += [one["mission_id"] for one in page["missions"]]
        before = page["next"]
    assert read == names[::-1]
    unknown = served.ask("GET", "/missions?before=2020-01-01-0001")
    assert unknown.data["error"]["code"] == "NO_MISSION"


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("status=refused", [3]),
        ("status=satisfied", [2, 0]),
        ("command=AVE", [2, 0]),
        ("search=cracked", [1]),
        ("search=wave+cracked", []),
        ("failed=true&limit=1", [3]),
        ("day=2020-01-01", []),
    ],
)
def test_missions_are_filtered(listed: tuple[Served, list[str]], query: str, found: list[int]):
    served, names = listed
    page = served.ask("GET", f"/missions?{query}").data
    assert [one["mission_id"] for one in page["missions"]] == [names[number] for number in found]


def test_missions_of_other_sites_are_listed_only_on_request(serve):
    served = serve()
    served.journal.begin(command="x", site="elsewhere", settings={}).close()
    assert served.ask("GET", "/missions").data["missions"] == []
    assert served.ask("GET", "/missions/last").data["error"]["code"] == "NO_MISSION"
    (other,) = served.ask("GET", "/missions?all_sites=true").data["missions"]
    assert other["site"] == "elsewhere"


def test_ended_mission_is_reported_as_ended_in_the_next_response(served: Served):
    name = served.send("hold")
    served.until(lambda: served.journal.mission_summary(name).begun)
    assert served.ask("GET", f"/missions/{name}").data["status"] == "running"
    GATE.set()
    assert served.follow(f"/missions/{name}/events")[-1][1] == "end"
    found = served.ask("GET", f"/missions/{name}").data
    assert (found["status"], found["run"]["state"]) == ("satisfied", "ended")


def test_queued_mission_is_listed_as_waiting(served: Served):
    first, second = served.send("hold"), served.send("hold")
    served.until(lambda: served.service.running_mission is not None)
    served.until(lambda: served.journal.mission_summary(first).begun)
    states = {
        one["mission_id"]: one["status"] for one in served.ask("GET", "/missions").data["missions"]
    }
    assert states == {first: "running", second: "waiting"}
    why = served.ask("GET", f"/missions/{second}").data["why"]
    assert why["cause"] == "It is waiting in the queue."


def test_abort_stops_a_running_mission_and_rejects_an_ended_one(served: Served):
    mission_id = served.send("hold")
    served.until(lambda: served.service.running_mission is not None)
    answer = served.ask("POST", f"/missions/{mission_id}/abort")
    assert (answer.status, answer.data["result"]) == (200, "stopping")
    assert served.ended(mission_id).status == "aborted"
    served.until(lambda: served.service.running_mission is None)
    late = served.ask("POST", f"/missions/{mission_id}/abort")
    assert (late.status, late.data["error"]["code"]) == (409, "NOT_RUNNING")


def test_uncertain_plan_requires_a_confirmation(served: Served):
    mission_id = served.send("sure?")
    question = served.until(lambda: served.service.questions.pending)
    told = served.ask("GET", f"/missions/{mission_id}").data["question"]
    assert told == {"question": question.number, "why": "Only a model understands this."}
    wrong = served.ask(
        "POST", f"/missions/{mission_id}/answer", {"question": question.number + 7, "yes": True}
    )
    assert (wrong.status, wrong.data["error"]["code"]) == (409, "NO_QUESTION")
    body = {"question": question.number, "yes": True}
    assert served.ask("POST", f"/missions/{mission_id}/answer", body).status == 200
    assert served.ended(mission_id).status == "satisfied"


def test_rejected_plan_is_not_run(served: Served):
    mission_id = served.send("sure?")
    question = served.until(lambda: served.service.questions.pending)
    body = {"question": question.number, "yes": False}
    served.ask("POST", "/missions/last/answer", body)
    line = served.ended(mission_id)
    assert (line.status, line.reason_code) == ("refused", "NOT_CONFIRMED")


def test_unanswered_confirmation_rejects_the_plan(serve):
    served = serve(confirm_s=0.2)
    assert served.ended(served.send("sure?")).reason_code == "NOT_CONFIRMED"


def test_plan_is_compiled_without_running_it(served: Served, monkeypatch):
    from bt_exec.serve import api

    def planned(site, command, compiler, situation):
        return {"ok": command, "labels": situation.labels}

    monkeypatch.setattr(api, "compile_in_situation", planned)
    answer = served.ask("POST", "/compile", {"command": "wave"})
    assert answer.data == {"ok": "wave", "labels": ["cup"]}
    assert served.journal.missions(None) == ()


def test_llm_command_reports_actual_results(served: Served):
    well = served.ask("POST", "/llm_command", {"command": "wave"}).data
    assert (well["status"], well["user_command"]) == ("success", "wave")
    assert well["results"] == [{"skill": "Wave", "target": "right", "result": "Ok"}]
    assert well["task_outputs"][0]["tasks"] == [{"skill": "Wave", "target": "right"}]
    assert "do: wave" in well["plan"]
    assert json.loads(well["generated_code"]) == well["results"]
    badly = served.ask("POST", "/llm_command", {"command": "crack"}).data
    assert (badly["status"], badly["outcome"]) == ("error", "blocked")
    assert [one["result"] for one in badly["results"]] == [
        "Ok",
        "Failed: CRACKED: the shell is 3 mm thick",
        "Not done",
    ]
    refused = served.ask("POST", "/llm_command", {"command": "fly"}).data
    assert (refused["status"], refused["outcome"]) == ("error", "refused")
    assert (refused["generated_code"], refused["results"]) == ("", [])
    assert refused["message"]


@pytest.mark.parametrize("body", [{}, {"command": ""}, {"command": " "}, {"command": "\x1e\x00"}])
def test_llm_command_without_a_command_is_refused_in_its_format(shared: Served, body: Any):
    answer = shared.ask("POST", "/llm_command", body)
    assert answer.status == 400
    assert (answer.data["status"], answer.data["message"]) == (
        "error",
        "The request contains no command.",
    )
    assert answer.data["error"]["code"] == "NO_COMMAND"


def test_stopped_service_is_healthy_but_not_ready(served: Served):
    assert served.ask("GET", "/health").status == 200
    assert served.ask("GET", "/ready").data["site"] == "test"
    served.service.stop("test")
    assert served.ask("GET", "/health").status == 200
    closing = served.ask("GET", "/ready")
    assert (closing.status, closing.data["error"]["code"]) == (503, "NOT_READY")


def test_pictures_are_png_with_boxes_as_json(served: Served):
    served.ended(served.send("wave"))
    picture = served.until(lambda: served.service.watching.pictures.newest())[0]
    (box,) = picture.boxes
    assert (box["label"], box["score"], box["box"]) == ("cup", 0.9, [4.0, 4.0, 20.0, 16.0])
    answer = served.ask("GET", f"/pictures/{picture.number}.png")
    assert (answer.headers["content-type"], answer.body[:4]) == ("image/png", b"\x89PNG")
    assert served.ask("GET", "/pictures/999999.png").data["error"]["code"] == "NO_PICTURE"


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("POST", "/missions", {}, 422, "BAD_REQUEST"),
        ("POST", "/missions", {"command": ""}, 422, "BAD_REQUEST"),
        ("POST", "/missions", {"command": "   "}, 422, "BAD_REQUEST"),
        ("POST", "/missions", {"command": "x" * 2001}, 422, "BAD_REQUEST"),
        ("POST", "/missions", {"command": ["wave"]}, 422, "BAD_REQUEST"),
        ("POST", "/missions", {"command": "wave", "sudo": True}, 422, "BAD_REQUEST"),
        ("POST", "/missions", "{", 422, "BAD_REQUEST"),
        ("POST", "/missions", '{"command": "\\ud800"}', 422, "BAD_REQUEST"),
        ("POST", "/missions", "[" * 5000, 422, "BAD_REQUEST"),
        ("POST", "/missions", b"\xff\xfe", 422, "BAD_REQUEST"),
        ("GET", "/missions/2026-01-01-0001", None, 404, "NO_MISSION"),
        ("GET", "/missions/1%20OR%201", None, 422, "BAD_REQUEST"),
        ("GET", "/missions/last", None, 404, "NO_MISSION"),
        ("GET", "/missions?limit=0", None, 422, "BAD_REQUEST"),
        ("POST", "/missions/2026-01-01-0001/abort", {}, 404, "NO_MISSION"),
        ("POST", "/missions/last/answer", {"question": 1, "yes": "yes"}, 422, "BAD_REQUEST"),
        ("GET", "/nothing", None, 404, "NOT_FOUND"),
        ("GET", "/../../etc/passwd", None, 404, "NOT_FOUND"),
        ("DELETE", "/missions", None, 405, "NOT_ALLOWED"),
    ],
)
def test_invalid_requests_have_one_error_format(shared, method, path, body, status, code):
    answer = shared.ask(method, path, body)
    assert answer.status == status, answer.body
    assert answer.data["error"]["code"] == code
    assert answer.data["error"]["message"]
    assert shared.journal.missions(None) == ()


@pytest.mark.parametrize(
    ("path", "allowed"), [("/missions", "GET, POST"), ("/missions/last/abort", "POST")]
)
def test_wrong_method_error_lists_the_allowed_ones(shared: Served, path: str, allowed: str):
    answer = shared.ask("DELETE", path, {})
    assert (answer.status, answer.data["error"]["allowed"]) == (405, allowed)
    assert f"allowed: {allowed}." in answer.data["error"]["message"]
    assert answer.headers["allow"] == allowed


def test_errors_are_in_the_language_of_the_client(shared: Served):
    korean = shared.ask("GET", "/nothing", headers={"Accept-Language": "ko-KR,ko;q=0.9,en;q=0.8"})
    assert "없습니다" in korean.data["error"]["message"]
    english = shared.ask("GET", "/nothing", headers={"Accept-Language": "fr, en"})
    assert "does not exist" in english.data["error"]["message"]


def test_internal_error_is_reported_without_a_traceback(served: Served, monkeypatch):
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("secret")

    monkeypatch.setattr(served.service.journal, "find", broken)
    answer = served.ask("GET", "/missions")
    assert (answer.status, answer.data["error"]["code"]) == (500, "BUG")
    assert b"secret" not in answer.body
    assert b"Traceback" not in answer.body


def test_every_error_code_has_a_message_in_both_languages():
    for code in (*ServiceError.statuses, "ENDED_FIRST", "WITHDRAWN"):
        english, korean = (ServiceError.sentences.say(code, one) for one in ("en", "ko"))
        assert english != code, code
        assert korean != english, code


def test_page_loads_no_external_resources(shared: Served):
    for path in PAGE:
        answer = shared.ask("GET", path)
        assert answer.status == 200
        text = answer.body.decode().replace("http://www.w3.org/2000/svg", "")
        assert "http://" not in text
        assert "https://" not in text
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert not re.search("innerHTML|insertAdjacentHTML|eval\\(", text)


def test_every_text_of_the_page_exists_in_both_languages(shared: Served):
    script = shared.ask("GET", "/words.js").body.decode()
    html = shared.ask("GET", "/").body.decode()
    english, _, korean = script.partition("  ko: {")
    for part in html.split('data-word="')[1:]:
        key = part.partition('"')[0]
        assert f" {key}: " in english, key
        assert f" {key}: " in korean, key


def test_response_with_nan_is_valid_json(served: Served):
    from bt_exec.web.app_factory import Json

    body = Json({"nan": float("nan"), "text": "문"}).body
    assert json.loads(body) == {"nan": "NaN", "text": "문"}
