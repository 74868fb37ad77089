"""Questions about the robot itself: recognition, and answers when the compiler has none."""

from __future__ import annotations

import pytest

from bt_exec.failure import Refusal
from bt_exec.journal import Journal
from bt_exec.language.meaning import Context, Turn
from bt_exec.mission.conversation import SelfAnswers, asks_to_continue, question_of
from bt_exec.mission.session import Session
from bt_exec.observation import Situation
from bt_exec.planning.compiler import Reply, Request
from bt_exec.site.compile_command import request_of
from bt_exec.site.site import load_site


@pytest.mark.parametrize(
    ("command", "question"),
    [
        ("what did you see?", "SAW"),
        ("What do you see now?", "SAW"),
        ("who did you see?", "SAW"),
        ("뭐 봤어?", "SAW"),
        ("방금 뭐 봤어?", "SAW"),
        ("지금 뭐가 보여?", "SAW"),
        ("무엇을 보았습니까?", "SAW"),
        ("Where are you?", "WHERE"),
        ("where is the robot", "WHERE"),
        ("어디야?", "WHERE"),
        ("너 지금 어디에 있어?", "WHERE"),
        ("로봇이 어디에 있나요?", "WHERE"),
        ("What did you do?", "DID"),
        ("뭐 했어?", "DID"),
        ("what are you holding?", "HOLDS"),
        ("뭐 들고 있어?", "HOLDS"),
        ("손에 뭐 들고 있어?", "HOLDS"),
        ("why did you stop?", "WHY"),
        ("Why did it fail?", "WHY"),
        ("왜 멈췄어?", "WHY"),
        ("왜 멈춘 거야?", "WHY"),
        ("왜 실패했습니까?", "WHY"),
    ],
)
def test_question_about_the_robot_is_recognised(command: str, question: str) -> None:
    assert question_of(command) == question


@pytest.mark.parametrize(
    "command",
    [
        *("where is the professor?", "교수님 어디 계셔?", "what did you see in the lounge?"),
        *(
            "open the door",
            "look where you are going",
            "ask him why he stopped",
            "왜 늦는지 여쭤봐",
        ),
        *("자재가 보이는지 확인해", "문이 보이면 열어", "what do you want?", ""),
    ],
)
def test_other_commands_are_left_to_the_compiler(command: str) -> None:
    assert question_of(command) is None


@pytest.mark.parametrize(
    "command",
    [
        *("go on", "Go on.", "continue", "please continue", "resume the mission", "carry on"),
        *("finish what you were doing", "pick up where you left off", "keep going"),
        *(
            "하던 거 마저 해",
            "하던 일 마저 해 줘",
            "계속해",
            "이어서 해 주세요",
            "하던 걸 계속해 줘",
            "마저 해",
        ),
        *("아까 하던 거 마저 끝내 줘", "이어서 진행해"),
    ],
)
def test_request_to_resume_is_recognised(command: str) -> None:
    assert asks_to_continue(command)


@pytest.mark.parametrize(
    "command",
    [
        *(
            "go on the table",
            "continue to the lounge",
            "open the door",
            "go home",
            "finish the door",
        ),
        *("계속 문 열어", "문을 마저 열어", "이어서 문 닫아", "계속 둘러봐", ""),
    ],
)
def test_other_requests_are_not_requests_to_resume(command: str) -> None:
    assert not asks_to_continue(command)


class Refuses:
    name = "refuses"

    def compile(self, request: Request) -> Refusal | Reply:
        if "door" in request.command:
            return Reply("DONE", "own")
        return Refusal("NOT_UNDERSTOOD", "?")


class Knows(Refuses):
    def compile(self, request: Request) -> Reply:
        return Reply("FACTS", "The door is ajar.")


def answer(command: str, seen: str = "", *, context: Context | None = None, **facts: str) -> object:
    request = request_of(load_site("door"), command, Situation((), facts, ""), context or Context())
    return SelfAnswers(Refuses(), lambda language: seen).compile(request)


def test_last_observation_is_reported() -> None:
    assert answer("what did you see?", "door open") == Reply("WHERE", "I saw: door open.")
    assert answer("뭐 봤어?", "문 열림") == Reply("WHERE", "마지막으로 본 것: 문 열림.")
    assert answer("뭐 봤어?") == Reply("WHERE", "아직 살펴보지 않았습니다.")
    context = Context((Turn("how many circles are there?", "satisfied", "OK", "Three."),))
    assert answer("what did you see?", context=context) == Refusal("NOT_UNDERSTOOD", "?")


def test_location_is_reported_from_place_facts() -> None:
    facts = {"at.left": "home", "at.right": "home", "door": "closed"}
    assert answer("where are you?", **facts) == Reply("WHERE", "The arms are at home.")
    unknown = Reply("WHERE", "제가 어디 있는지 알 수 없습니다.")
    assert answer("어디야?", door="closed") == answer("지금 어디야?") == unknown


def test_location_is_unknown_without_place_facts() -> None:
    request = request_of(load_site("door"), "where are you?", Situation((), {"door": "ajar"}, ""))
    assert SelfAnswers(Knows(), lambda language: "").compile(request) == Reply(
        "WHERE", "I do not know where I am."
    )


def test_why_refers_to_the_last_mission_that_acted() -> None:
    context = Context((Turn("go", "blocked", "X", "Stuck."), Turn("is it open?", acted=False)))
    assert answer("why did you stop?", context=context) == Reply("WHY", "“go”: Stuck.")
    assert answer("why did you stop?") == Reply("WHY", "Nothing has moved here yet.")


def test_last_missions_that_acted_are_listed() -> None:
    turns = (Turn("go", "satisfied", "OK", "There."), Turn("is it open?", acted=False))
    told = Reply("DONE", "“go”: There.")
    assert answer("what did you do?", context=Context(turns)) == told
    assert answer("뭐 했어?") == Reply("DONE", "아직 아무것도 움직이지 않았습니다.")


def test_held_object_is_reported_from_facts() -> None:
    facts = {"hand.right": "material", "at.left": "home"}
    assert answer("what are you holding?", **facts) == Reply(
        "WHERE", "The right hand holds the material."
    )
    assert answer("뭐 들고 있어?") == Refusal("NOT_UNDERSTOOD", "?")


def test_answer_of_the_compiler_is_preferred() -> None:
    assert answer("is the door open") == Reply("DONE", "own")


def test_session_answers_from_its_own_world(site, tmp_path) -> None:
    journal = Journal.open(tmp_path / "j.sqlite")
    with Session(site, fast=True, journal=journal) as session:
        session.compiler = Refuses()
        outcome = session.run("where are you?")
    assert (outcome.status, outcome.reason_code) == ("satisfied", "WHERE")
