"""Questions about the robot itself: recognition, and answers when the compiler has none."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from bt_exec.failure import Failure, Refusal
from bt_exec.journal import Journal, MissionSummary
from bt_exec.language.meaning import Context, Turn
from bt_exec.mission.self_questions import (
    PastAction,
    SelfAnsweringCompiler,
    asks_to_continue,
    asks_to_stop,
    only_stops,
    question_of,
)
from bt_exec.mission.session import Session
from bt_exec.observation import Situation
from bt_exec.planning.compiler import Compiler, Plan, Reply, Request
from bt_exec.site.compile_command import first_request
from bt_exec.site.site import load_site
from bt_exec.spec.model import Do, Mission, MissionSpec

pytestmark = pytest.mark.sampled


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
        ("지금 어디 있어?", "WHERE"),
        ("너 어디 있니?", "WHERE"),
        ("Are you back in your home pose yet?", "WHERE"),
        ("Have you arrived?", "WHERE"),
        ("벌써 도착했어?", "WHERE"),
        ("그 다음엔 뭐 할 거야?", "NOW"),
        ("So did you see the material?", "SAW"),
        ("자재 봤어?", "SAW"),
        ("What did you do?", "DID"),
        ("뭐 했어?", "DID"),
        ("what are you holding?", "HOLDS"),
        ("뭐 들고 있어?", "HOLDS"),
        ("손에 뭐 들고 있어?", "HOLDS"),
        ("why did you stop?", "STOPPED"),
        ("Why did it fail?", "STOPPED"),
        ("왜 멈췄어?", "STOPPED"),
        ("왜 멈춘 거야?", "STOPPED"),
        ("왜 실패했습니까?", "STOPPED"),
        ("where are your arms?", "ARMS"),
        ("왼팔 지금 어디 있어?", "ARMS"),
        ("what are you doing right now?", "NOW"),
        ("where are you going?", "NOW"),
        ("how many are left?", "COUNT_LEFT"),
        ("아직 몇 개 남았어?", "COUNT_LEFT"),
        ("what will you do next?", "NOW"),
        ("지금 뭐 하고 있어?", "NOW"),
        ("다음엔 뭐 할 거야?", "NOW"),
        ("어디 가는 중이야?", "NOW"),
        ("what is on your tray?", "HOLDS"),
        ("손에 뭐 있어?", "HOLDS"),
        ("where is the professor?", "THING"),
        ("지금 자재 어디 있어?", "THING"),
        ("what's left to do?", "LEFT"),
        ("what remains?", "LEFT"),
        ("남은 거 뭐야?", "LEFT"),
        ("what failed?", "FAILED"),
        ("what was the last command?", "DID"),
        ("how long did it take?", "DID"),
        ("did it go well?", "WELL"),
        ("what did you just do?", "DID"),
        ("what did you just move?", "DID"),
        ("방금 뭐 옮겼지?", "DID"),
        ("어떤 거 옮겼어?", "DID"),
        ("what have you just done?", "DID"),
        ("what were you doing?", "DID"),
        ("잘 됐어?", "WELL"),
        ("일이 제대로 끝났어?", "WELL"),
        ("was there any problem?", "TROUBLE"),
        ("뭐 하고 있었어?", "DID"),
        ("내가 뭐 시켰지?", "DID"),
        ("문 언제 열었어?", "DID"),
        ("did that work?", "WELL"),
        ("다 했어?", "WELL"),
        ("did anything go wrong?", "TROUBLE"),
        ("문제 있었어?", "TROUBLE"),
        ("what is left?", "LEFT"),
        ("성공했어?", "WELL"),
        ("다 됐어?", "WELL"),
        ("is the mission finished?", "WELL"),
        ("is everything done yet?", "WELL"),
        ("has the last task been completed?", "WELL"),
        ("임무 끝났어?", "WELL"),
        ("마지막 명령은 완료됐습니까?", "WELL"),
        ("did it fail?", "TROUBLE"),
        ("실패했어?", "TROUBLE"),
        ("뭐 들고 있었어?", "PAST"),
        ("쟁반에 뭐 있었어?", "PAST"),
        ("is there anything left to do?", "LEFT"),
        ("뭐 남았어?", "LEFT"),
        ("남은 일 있어?", "LEFT"),
        ("which missions failed?", "FAILED"),
        ("which missions failed today?", "FAILED"),
        ("did any mission fail?", "FAILED"),
        ("실패한 임무 있어?", "FAILED"),
        ("오늘 실패한 일이 뭐야?", "FAILED"),
        ("what happened?", "WHY"),
        ("무슨 일이야?", "WHY"),
        ("what can you do?", "HELP"),
        ("뭐 할 수 있어?", "HELP"),
        ("what did you see in the lounge?", "PAST"),
        ("did anything fail?", "PAST"),
        ("which rooms have you visited?", "PAST"),
        ("where were you before?", "PAST"),
        ("어느 팔 썼어?", "PAST"),
        ("너 어디 있었어?", "PAST"),
        ("교수님이 뭐라고 하셨어?", "PAST"),
        ("누구한테 전해 줬는지 누가 봤니", "PAST"),
    ],
)
def test_question_about_the_robot_is_recognised(command: str, question: str) -> None:
    assert question_of(command) == question


@pytest.mark.parametrize(
    "command",
    [
        *("교수님 어디 계셔?", "라운지에 누구 있어?"),
        *(
            "open the door",
            "look where you are going",
            "ask him why he stopped",
            "왜 늦는지 여쭤봐",
        ),
        *("자재가 보이는지 확인해", "문이 보이면 열어", "what do you want?", ""),
        *("have the door opened", "교수님이 어제 가셨대", "복도가 조용했어", "뭐가 있겠어?"),
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
        if "됐어" in request.command:
            return Reply("COURTESY", "네.")
        return Refusal("NOT_UNDERSTOOD", "?")


class Knows(Refuses):
    def compile(self, request: Request) -> Reply:
        return Reply("FACTS", "The door is ajar.")


def asking(compiler: Compiler, seen: str = "", left: str = "") -> SelfAnsweringCompiler:
    return SelfAnsweringCompiler(
        compiler,
        lambda _: seen,
        lambda command, _: left if command else "",
        lambda _: None,
        lambda: None,
    )


def answer(command: str, seen: str = "", *, context: Context | None = None, **facts: str) -> object:
    request = first_request(
        load_site("door"), command, Situation((), facts, ""), context or Context()
    )
    return asking(Refuses(), seen).compile(request)


def test_last_observation_is_reported() -> None:
    assert answer("what did you see?", "door open") == Reply(
        "WHERE", "The last thing I saw: door open."
    )
    assert answer("뭐 봤어?", "문 열림") == Reply("WHERE", "마지막으로 본 것: 문 열림.")
    assert answer("뭐 봤어?") == Reply("WHERE", "아직 관찰한 것이 없습니다.")
    context = Context((Turn("how many circles are there?", "satisfied", "OK", "Three."),))
    assert answer("what did you see?", context=context) == Refusal("NOT_UNDERSTOOD", "?")


def test_last_observation_is_followed_by_the_report_of_the_last_mission() -> None:
    found = answer("what did you see?", "no people", context=Context((GOES,)))
    reported = f"{WENT} My report was: “There.”"
    assert found == Reply("WHERE", f"The last thing I saw: no people. {reported}")


def test_question_about_the_past_is_not_read_as_small_talk() -> None:
    context = Context((Turn("문 열어", "satisfied", "OK", "문이 열려 있습니다."),))
    replied = answer("잘 됐어?", context=context)
    assert isinstance(replied, Reply)
    assert "문이 열려 있습니다." in replied.message
    assert answer("이제 됐어") == Reply("COURTESY", "네.")


def test_location_is_reported_from_place_facts() -> None:
    facts = {"at.left": "home", "at.right": "home", "door": "closed"}
    assert answer("where are you?", **facts) == Reply("WHERE", "The arms are in the home position.")
    stopped = Reply("WHERE", "It is not known where the right arm is.")
    assert answer("where are you?", **{"at.left": "home", "door": "ajar"}) == stopped
    unknown = Reply("WHERE", "지금 위치를 알 수 없습니다.")
    assert answer("어디야?", door="closed") == answer("지금 어디야?") == unknown


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("where are your arms?", "The position of the arms is not known."),
        ("팔 어디 있어?", "팔의 위치를 알 수 없습니다."),
    ],
)
def test_question_about_arms_is_answered_from_arm_facts_only(command: str, told: str) -> None:
    assert answer(command, at="kitchen") == Reply("WHERE", told)


GOES = Turn("go", "satisfied", "OK", "There.")
STUCK = Turn("open it", "blocked", "X", "Stuck.")
SLIPPED = replace(GOES, failure=Failure("GRASP_SLIPPED", "the box moved", node="grasp"))
NEEDLESS = Turn("shut it", "satisfied", "ALREADY_CLOSED", "It is closed already.", acted=False)
UNSEEN = Turn("is it open?", "blocked", "NO_FRAMES", "I see nothing.", acted=False)
ANSWERED = Turn("is it open?", "satisfied", "OK", "Yes.", acted=False)
WENT = "“go” was completed."
SAW_NOTHING = "My report was: “I see nothing.”"
HALTED = "“open it” could not be finished."


@pytest.mark.parametrize(
    ("turns", "command", "begins"),
    [
        ((STUCK, GOES), "did that work?", f"Yes. {WENT}"),
        ((GOES, STUCK), "did it go well?", f"No. {HALTED}"),
        ((STUCK,), "다 했어?", "아니요. “open it”: 끝까지 하지 못했습니다."),
        ((replace(GOES, status="partial"),), "did it work?", "“go” was only partly done."),
        ((GOES,), "did anything go wrong?", f"No. {WENT}"),
        (
            (GOES, replace(STUCK, status="refused", acted=False)),
            "did it work?",
            f"No. “open it” was refused. My report was: “Stuck.” Before that: {WENT}",
        ),
        ((STUCK, GOES), "why did you stop?", HALTED),
        ((STUCK, GOES), "what happened?", WENT),
        ((SLIPPED,), "did anything go wrong?", f"Yes. {WENT} The mission recovered from a failure"),
        ((STUCK,), "was there any problem?", f"Yes. {HALTED}"),
        ((STUCK, GOES), "which missions failed?", HALTED),
        ((GOES,), "which missions failed?", "No recent mission failed."),
        ((STUCK, GOES), "what is left?", HALTED),
        ((STUCK, replace(STUCK, status="satisfied")), "what is left?", "“open it” is finished;"),
        ((), "뭐 남았어?", "이 사이트의 기록에는 끝나지 않은 임무가 없습니다."),
        ((), "did it work?", "I have not done anything here yet."),
        ((GOES, STUCK, NEEDLESS), "did it work?", "Yes. “shut it” was completed."),
        ((GOES, UNSEEN), "which missions failed?", "“is it open?” could not be finished."),
        (
            (GOES, UNSEEN),
            "did it work?",
            f"No. “is it open?” could not be finished. {SAW_NOTHING} Before that: {WENT}",
        ),
        (
            (STUCK, GOES),
            "are you finished?",
            f"Yes. {WENT} My report was: “There.” “open it” is",
        ),
        ((STUCK, ANSWERED), "did it work?", "No. “open it” could not be finished."),
    ],
)
def test_question_about_success_is_answered_from_recorded_missions(
    turns: tuple[Turn, ...], command: str, begins: str
) -> None:
    found = answer(command, context=Context(turns))
    assert isinstance(found, Reply)
    assert found.message.startswith(begins)


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("what is left?", f"{HALTED} My report was: “stuck” Steps left to do: grasp, go home."),
        ("뭐 남았어?", "“open it”: 끝까지 하지 못했습니다. 남은 동작: grasp, go home."),
    ],
)
def test_remaining_steps_of_an_unfinished_mission_are_listed(command: str, told: str) -> None:
    context = Context((replace(STUCK, message="stuck", failure=None, state={}),))
    request = first_request(load_site("door"), command, Situation((), {}, ""), context)
    found = asking(Refuses(), left="grasp, go home").compile(request)
    assert found == Reply("DONE", told)


@pytest.mark.parametrize(
    ("own", "told"),
    [
        pytest.param(
            (GOES,),
            "“go” is finished; nothing is left to do. Other unfinished missions:",
            id="all done in this session",
        ),
        pytest.param(
            (replace(STUCK, command="lift it"), GOES),
            "“lift it” could not be finished.",
            id="one of this session",
        ),
    ],
)
def test_unfinished_missions_of_earlier_sessions_are_listed_without_their_steps(
    own, told: str
) -> None:
    earlier = replace(STUCK, at=datetime.now().replace(hour=9, minute=5))
    context = Context(own, recall=lambda: (earlier,))
    said = answer("what is left?", context=context).message
    assert said.startswith(told)
    assert said.endswith("Other unfinished missions: “open it” (09:05).")


CHANGED = "(later missions may have changed the state): “Stuck.”"


@pytest.mark.parametrize("command", ["what is left?", "why did it stop?"])
@pytest.mark.parametrize(
    ("turns", "marked"),
    [((GOES, STUCK), False), ((STUCK, UNSEEN), False), ((STUCK, GOES), True)],
)
def test_report_is_marked_as_outdated_after_later_missions(
    command: str, turns, marked: bool
) -> None:
    said = answer(command, context=Context(turns)).message
    assert HALTED in said
    assert (CHANGED in said) is marked


def test_earlier_failed_mission_is_listed_beside_the_same_failure_in_this_session() -> None:
    today = datetime.now()
    earlier, own = replace(STUCK, at=today - timedelta(seconds=9)), replace(STUCK, at=today)
    context = Context((own,), recall=lambda: (earlier,))
    assert len(answer("which missions failed?", context=context).message.splitlines()) == 2


def test_request_to_resume_is_not_a_question_about_the_past() -> None:
    class Answers(Refuses):
        def compile(self, request: Request) -> Reply:
            return Reply("DONE", "“go” was completed.")

    request = first_request(
        load_site("door"), "하던 거 마저 해", Situation((), {}, ""), Context((GOES,))
    )
    assert asking(Answers()).compile(request) == Refusal(
        "NOTHING_LEFT", "“go” 임무는 이미 끝났습니다. 남은 일이 없습니다."
    )


@pytest.mark.parametrize(
    ("turns", "repeats"),
    [((STUCK,), True), ((GOES, UNSEEN), False), ((STUCK, UNSEEN), False), ((GOES,), False)],
)
def test_request_to_resume_repeats_only_an_unfinished_last_command(turns, repeats) -> None:
    spec = MissionSpec.model_validate(
        {"mission": {"command": "x", "plan_version": 1, "compiler": "x"}, "root": {"do": "wait"}}
    )

    class Repeats(Refuses):
        def compile(self, request: Request) -> Plan:
            return Plan(spec)

    request = first_request(load_site("door"), "go on", Situation((), {}, ""), Context(turns))
    found = asking(Repeats()).compile(request)
    assert found == (Plan(spec) if repeats else Refusal("NOTHING_LEFT", found.message))


def test_location_is_unknown_without_place_facts() -> None:
    request = first_request(
        load_site("door"), "where are you?", Situation((), {"door": "ajar"}, "")
    )
    assert asking(Knows()).compile(request) == Reply("WHERE", "My position is not known.")


def test_question_why_refers_to_the_last_mission_that_acted() -> None:
    context = Context((Turn("go", "blocked", "X", "Stuck."), Turn("is it open?", acted=False)))
    assert answer("why did you stop?", context=context) == Reply(
        "WHY", "“go” could not be finished. My report was: “Stuck.”"
    )
    assert answer("why did you stop?") == Reply("WHY", "I have not done anything here yet.")


def test_stored_report_in_another_language_is_replaced_by_the_cause() -> None:
    stuck = Failure("GRASP_SLIPPED", "the box moved", node="grasp")
    turns = (Turn("자재 잡아", "failed", "SKILL_FAILED", "놓쳤습니다.", failure=stuck),)
    told = "“자재 잡아” failed. The grasp failed: the box moved."
    assert answer("what did you do?", context=Context(turns)) == Reply("DONE", told)
    assert "놓쳤습니다" in answer("뭐 했어?", context=Context(turns)).message


def test_state_at_the_end_is_reported_in_the_language_of_the_question() -> None:
    opened = Turn("open it", "satisfied", "OK", "Open.", state={"door": "open", "at.left": "home"})
    told = "“open it”: 마쳤습니다. 그 임무가 끝났을 때의 상태: “문이 열려 있습니다.”"
    assert answer("뭐 했어?", context=Context((opened,))) == Reply("DONE", told)


def test_state_that_was_not_current_at_the_end_is_reported_with_its_age() -> None:
    state = {"door": "open", "at.right": "?"}
    stopped = Turn("문 열어", "aborted", "ABORTED", "멈춤", state=state, ages={"door": 0.4})
    told = (
        "“문 열어” was stopped. The state at the end of that mission: “The door was open when I "
        "looked a moment ago. It is not known where the right arm is.”"
    )
    assert answer("what did you do?", context=Context((stopped,))) == Reply("DONE", told)


LEFT_IT = Turn("leave the box there", "satisfied", "OK", "The box is in the lounge.")


@pytest.mark.parametrize(
    ("command", "facts", "said"),
    [
        ("where is the material?", {"hand.right": "material"}, "The right hand holds the material"),
        ("where is the box?", {"hand.right": "material"}, "“leave the box there” was completed."),
        ("자재 어디 있어?", {"hand.right": "material"}, "오른손에 자재가 있습니다."),
        ("자재는 어디에 뒀어?", {"hand.left": "material"}, "왼손에 자재가 있습니다."),
        ("상자 어디 있어?", {}, "“상자”가 어디에 있는지 모릅니다."),
        ("where is the elephant?", {}, "I do not know where “elephant” is."),
        (
            "상자 어디 있어?",
            {"hand.right": "material"},
            "“상자”가 어디에 있는지 모릅니다. 오른손에 자재가 있습니다.",
        ),
    ],
)
def test_object_location_is_the_hand_or_its_last_destination(command, facts, said) -> None:
    found = answer(command, context=Context((LEFT_IT,)), **facts)
    assert found.message.startswith(said)


def test_last_actions_and_observations_are_listed() -> None:
    looked = Turn("is it open?", "satisfied", "OK", "Yes.", acted=False)
    refused = Turn("fly", "refused", "UNKNOWN_ACTION", "?", acted=False)
    turns = (Turn("go", "satisfied", "OK", "There."), looked, refused)
    lines = (
        "“go” was completed. My report was: “There.”",
        "“is it open?” was completed. My report was: “Yes.”",
    )
    told = Reply("DONE", "\n".join(lines))
    assert answer("what did you do?", context=Context(turns)) == told
    assert answer("뭐 했어?") == Reply("DONE", "아직 한 일이 없습니다.")


@pytest.mark.parametrize(
    "question",
    ["what did you do before that?", "and before that?", "그 전에는 뭐 했어?", "그 전에는?"],
)
def test_question_about_what_was_before_omits_the_last_mission(question: str) -> None:
    turns = (Turn("go", "satisfied", "OK", "There."), Turn("stay", "satisfied", "OK", "Here."))
    said = answer(question, context=Context(turns)).message
    assert "go" in said
    assert "stay" not in said
    assert "기록" in (nothing := answer(question, context=Context(turns[:1])).message) or (
        nothing == "Nothing before that is on record today."
    )


def test_number_of_unlisted_missions_is_reported() -> None:
    context = Context(tuple(Turn(f"go {number}", "satisfied") for number in range(7)))
    lines = answer("what did you do?", context=context).message.splitlines()
    assert (lines[0], len(lines)) == ("Earlier missions that are not listed: 2.", 6)
    lines = answer("뭐 했어?", context=context).message.splitlines()
    assert lines[0] == "이 밖에 이전 임무가 2건 더 있습니다."


@pytest.mark.parametrize("language", ["en", "ko"])
def test_recovered_failure_is_not_reported_as_the_end(language: str) -> None:
    slip = Failure("GRASP_SLIPPED", "the box moved", node="grasp")
    context = Context((Turn("go", "satisfied", "OK", "There.", failure=slip),))
    said = {"en": "what did you do?", "ko": "뭐 했어?"}[language]
    found = answer(said, context=context).message
    recovered = {"en": "recovered from a failure", "ko": "복구했습니다"}[language]
    assert recovered in found


def test_listed_missions_include_their_time_and_duration() -> None:
    at = datetime(2026, 11, 20, 14, 5)
    turns = (
        Turn("open it", "satisfied", "OK", "Open.", at=at, seconds=7.0),
        Turn("shut the window", "refused", "NOT_UNDERSTOOD", "?", acted=False),
        Turn("go", "interrupted", at=at),
    )
    killed = "11-20 14:05 “go” was interrupted: the program ended during the mission."
    told = "11-20 14:05 (7.0 s) “open it” was completed. My report was: “Open.”"
    assert answer("when did you open it?", context=Context(turns)) == Reply(
        "DONE", f"{told}\n{killed}"
    )


def test_earlier_missions_are_listed_if_the_session_has_none() -> None:
    refused = Turn("shut the window", "refused", "NOT_UNDERSTOOD", "?", acted=False)
    context = Context((refused,), recall=lambda: (Turn("go", "satisfied", "OK", "There."),))
    assert answer("뭐 했어?", context=context) == Reply("DONE", "“go”: 마쳤습니다.")


def test_unrecognised_question_about_the_past_is_answered_with_the_last_missions() -> None:
    context = Context((Turn("go", "satisfied", "OK", "There."),))
    assert answer("which arm did you use?", context=context) == Reply(
        "DONE",
        "I have no exact answer to this. The last missions were:\n"
        "“go” was completed. My report was: “There.”",
    )
    assert answer("어느 팔 썼어?") == Reply("DONE", "아직 한 일이 없습니다.")


def test_action_absent_from_all_missions_is_reported_as_not_done() -> None:
    context = Context((Turn("go", "satisfied", "OK", "There."),))
    request = first_request(load_site("door"), "did you open it?", Situation((), {}, ""), context)
    compiler = SelfAnsweringCompiler(
        Refuses(), lambda _: "", lambda *_: "", lambda _: PastAction(None, False), lambda: None
    )
    assert compiler.compile(request) == Reply(
        "DONE",
        "No mission today did exactly that. The last missions were:\n"
        "“go” was completed. My report was: “There.”",
    )


def test_question_about_the_current_activity_is_answered_with_nothing_runs() -> None:
    assert answer("what are you doing?") == Reply(
        "WHERE", "I am waiting for a command. Nothing is running."
    )


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (
            "stop",
            "Another program has been running “go” since 07:05. To stop it, press Ctrl-C there.",
        ),
        (
            "뭐 하고 있어?",
            "다른 프로그램이 07:05부터 “go” 임무를 실행하고 있습니다. 멈추려면 그 프로그램에서"
            " Ctrl-C를 누르십시오.",
        ),
    ],
)
def test_mission_of_another_process_is_named(command: str, told: str) -> None:
    began = datetime(2026, 11, 20, 7, 5).astimezone()
    other = MissionSummary("1", "go", "en", "door", "unfinished", "", "", began, None)
    compiler = SelfAnsweringCompiler(
        Refuses(), lambda _: "", lambda *_: "", lambda _: None, lambda: other
    )
    request = first_request(load_site("door"), command, Situation((), {}, ""))
    assert compiler.compile(request).message == told


REFUSED = Turn("shut it", "refused", "UNKNOWN", "Shut what?", acted=False)


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("why did nothing move?", "“shut it” was refused. My report was: “Shut what?”"),
        ("왜 안 했어?", "“shut it”: 거절했습니다. 이렇게 답했습니다: “Shut what?”"),
    ],
)
def test_question_why_after_a_refusal_is_answered_with_that_refusal(
    command: str, told: str
) -> None:
    assert answer(command, context=Context((GOES, REFUSED, ANSWERED))) == Reply("WHY", told)


def test_understood_commands_are_listed_on_request() -> None:
    found = answer("what can you do?")
    assert isinstance(found, Reply)
    assert found.message.startswith(
        "You can say: “Bring your left arm home”, “Bring your arms home”"
    )
    assert "“Open the door”" in found.message
    assert "“문을 닫아”" in answer("뭐 할 수 있어?").message


def test_misspelt_question_is_left_to_the_compiler() -> None:
    class Suggests(Refuses):
        def compile(self, request: Request) -> Refusal:
            return Refusal("NOT_UNDERSTOOD", "?", did_you_mean=("Is the door open?",))

    request = first_request(load_site("door"), "was teh door open?", Situation((), {}, ""))
    found = asking(Suggests()).compile(request)
    assert isinstance(found, Refusal)
    request = replace(request, command="what did you see?")
    assert asking(Suggests(), "door open").compile(request).message == (
        "The last thing I saw: door open."
    )


def test_held_object_is_reported_from_facts() -> None:
    facts = {"hand.right": "material", "at.left": "home"}
    assert answer("what are you holding?", **facts) == Reply(
        "WHERE",
        "The right hand holds the material. It is not known what the left hand holds.",
    )
    assert answer("뭐 들고 있어?") == Refusal("NOT_UNDERSTOOD", "?")


def test_answer_of_the_compiler_is_preferred() -> None:
    assert answer("is the door open") == Reply("DONE", "own")


def test_question_is_answered_from_the_world_of_the_session(site, tmp_path) -> None:
    journal = Journal.open(tmp_path / "j.sqlite")
    with Session(site, fast=True, journal=journal) as session:
        session.compiler = Refuses()
        outcome = session.run("where are you?")
    assert (outcome.status, outcome.reason_code) == ("satisfied", "WHERE")


STOPS = """stop|Stop!|please stop|stop it now|no, stop|emergency stop|stop the mission|hold on
wait a second|don't move|no!|cancel that|멈춰|멈춰 줘|그만해 주세요|비상 정지|동작 그만|안돼 멈춰
서!|잠깐만|움직이지 마|야 멈춰"""
FURTHER = "stop and come back|stop, come back|멈추고 돌아와|멈춰. 돌아와"
OTHERS = """close the door|no, the left arm|why did you stop?|wait 10 seconds, then come back|quit
nothing|문 닫아|멈췄어?|서류 가져와|세워 둔 상자 가져와|잠깐 기다렸다가 문 닫아|서재로 가
문 열고 멈춰|정지선까지 가"""


@pytest.mark.parametrize("said", re.split(r"[|\n]", STOPS))
def test_command_that_only_stops_is_recognised(said):
    assert asks_to_stop(said)
    assert only_stops(said)


@pytest.mark.parametrize("said", FURTHER.split("|"))
def test_command_after_a_stop_is_recognised(said):
    assert asks_to_stop(said)
    assert not only_stops(said)


@pytest.mark.parametrize("said", re.split(r"[|\n]", OTHERS))
def test_other_commands_and_questions_are_not_requests_to_stop(said):
    assert not asks_to_stop(said)


class Comes:
    """Compiler that knows one command and refuses others."""

    name = "comes"

    def compile(self, request: Request) -> Plan | Refusal:
        if request.command not in ("come back", "돌아와"):
            return Refusal("NOT_UNDERSTOOD", request.command)
        return Plan(MissionSpec(mission=Mission(command=request.command), root=Do(do="come")))


@pytest.mark.parametrize(
    ("said", "planned"),
    [
        *((one, True) for one in FURTHER.split("|")),
        ("stop it now, then come back", True),
        ("그만하고 돌아와", True),
        ("stop at the lounge and come back", False),
        ("stop opening doors, come back", False),
        ("그만 열고 돌아와", False),
        ("stop and dance", False),
    ],
)
def test_command_after_a_stop_is_planned_when_nothing_runs(said: str, planned: bool) -> None:
    request = first_request(load_site("door"), said)
    assert isinstance(asking(Comes()).compile(request), Plan) is planned


SLIPPED = MissionSummary(
    *("1", "go", "en", "door", "failed", "SKILL_FAILED", "", datetime(2026, 11, 21, 7, 5), None),
    failure=Failure("GRASP_SLIPPED", "the box moved", node="grasp"),
)


class Explains(Refuses):
    def compile(self, request: Request) -> Reply:
        return Reply("WHY", "the last mission")


@pytest.mark.parametrize(
    ("action", "told"),
    [
        (None, "the last mission"),
        (PastAction(None, False), "No mission on record did exactly that."),
        (
            PastAction(SLIPPED, False),
            "I began that at 07:05 (“go”), but it was not finished. "
            "The grasp failed: the box moved.",
        ),
        (PastAction(SLIPPED, True), "I did that at 07:05 (“go”)."),
    ],
)
def test_answer_to_why_states_first_that_an_action_was_not_done(
    action: PastAction | None, told: str
) -> None:
    context = Context((GOES,))
    request = first_request(load_site("door"), "why didn't you stay?", None, context)
    found = SelfAnsweringCompiler(
        Explains(), lambda _: "", lambda *_: "", lambda _: action, lambda: None
    ).compile(request)
    assert isinstance(found, Reply)
    assert found.code == "WHY"
    assert found.message.startswith(told)
