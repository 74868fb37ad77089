"""Complete answers to "why", in both languages, wide, narrow and in ASCII."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from bt_exec.events import SkillEnded, SkillStarting
from bt_exec.failure import Failure
from bt_exec.journal import MissionSummary, SkillRun
from bt_exec.journal.explain import Attempt, Cause, Explanation
from bt_exec.language.messages import Messages
from bt_exec.planning.assumed_facts_and_first_cause import DoneAction
from bt_exec.tui.terminal_text import ASCII, UNICODE, without_styles
from bt_exec.tui.why import Why

SENTENCES = """
STUCK: {en: "The door is stuck ({message}).", ko: "문이 걸렸습니다({message})."}
NO_GRIP: {en: There is no grip., ko: 손잡이가 없습니다.}
WHY_DONE: {en: It was done as asked., ko: 지시대로 마쳤습니다.}
WHY_NEEDED_NOTHING: {en: Nothing had to be done., ko: 할 일이 없었습니다.}
AFTER_STOP: {en: Go on?, ko: 계속할까요?}
ABORTED: {en: You stopped it., ko: 지시에 따라 멈췄습니다.}
ABORTED on purpose: {en: A fault stopped it., ko: 고장 때문에 멈췄습니다.}
ABORTED_BY: {en: "It was stopped: {who}.", ko: "멈췄습니다: {who}."}
STOPPED_BY_SIGNAL: {en: "Stopped by {signal}.", ko: "{signal} 때문에 멈췄습니다."}
WHY_BLIND: {en: "The camera failed: {message}.", ko: "카메라 오류: {message}."}
WHY_SAID: {en: "I said “{message}”", ko: "답: “{message}”"}
WHY_RUNNING: {en: It is still running., ko: 아직 실행 중입니다.}
WHY_MAY_HAVE_CHANGED: {en: "It may have changed: “{state}”", ko: "달라졌을 수 있음: “{state}”"}
WHY_INTERRUPTED: {en: The program ended., ko: 프로그램이 끝났습니다.}
WHY_INTERRUPTED_IN: {en: "The program ended during: {doing}.", ko: "끝났을 때: {doing}."}
door=ajar: {en: The door is ajar., ko: 문이 조금 열려 있습니다.}
was door=ajar: {en: "The door was ajar {when}.", ko: "{when} 문이 조금 열려 있었습니다."}
hand.left=*: {en: "The left hand holds {value}.", ko: "왼손에 {value}."}
at.table=*: {en: "I am at {value}.", ko: "{value} 앞."}
hand.right=?: {en: It is not known what the right hand holds., ko: 오른손은 알 수 없습니다.}
hand.right=cup: {en: The right hand holds the cup., ko: 오른손에 컵이 있습니다.}
words:
  right: {en: right, ko: 오른손}
  door: {en: door, ko: 문}
  jammed: {en: jammed, ko: 끼임}
  operator: {en: operator, ko: 조작자}
"""
BEGAN = datetime(2026, 11, 21, 9, 30)
JAM = Failure(
    "STUCK",
    "jammed",
    "open_door",
    node="open_door",
    args={"arm": "right", "object": "door"},
    evidence={"angle_rad": 0.2, "traceback": "…", "trail": "x" * 99},
)
GRIP = Failure("NO_GRIP", path="pull", node="pull", args={"arm": "right"})
OPEN = (("open_door", {"arm": "right", "object": "door"}), ("door_is open", {}))
PULL = (("pull", {"arm": "right"}),)
FIRST = Attempt(1, "offline", OPEN, failure=JAM, passed=[JAM])
SECOND = Attempt(2, "offline", PULL, failure=GRIP)
THIRD = Attempt(3, "offline", PULL, failure=GRIP)


def line(status: str = "blocked", **facts: Any) -> MissionSummary:
    code = {"satisfied": "OK", "unfinished": ""}.get(status, "SKILL_FAILED")
    message = "" if status == "unfinished" else "No grip. The door is ajar."
    ended = None if status == "unfinished" else BEGAN + timedelta(seconds=12.4)
    given = ("2026-11-21-0007", "open the door", "en", "door", status, code, message, BEGAN, ended)
    lasted = None if status == "unfinished" else 12.4
    return MissionSummary(*given, lasted, **facts)


def known(of: MissionSummary | None = None, **facts: Any) -> Explanation:
    nothing: dict[str, Any] = {
        **dict.fromkeys(("attempts", "problems", "skipped", "running", "incomplete"), ()),
        "cause": None,
        "refusal": "",
        "stopped": "",
        "facts": {},
        "possible": {},
    }
    return Explanation(line=of or line(), **{**nothing, **facts})


FAILED = known(
    attempts=(FIRST, SECOND, THIRD), cause=Cause(JAM, 1, 7.6, ("door ajar 0.9", "hand empty"))
)
TAKE = SkillRun(1, SkillStarting(1.0, 20, "take", "take", {"arm": "right"}, 1), None)
KILLED = known(
    line("unfinished", interrupted=True),
    running=(TAKE,),
    facts={"door": "ajar", "nobody": "knows"},
    possible={"hand.right": "cup"},
)

SCREENS: list[tuple[Explanation, str, int, bool, str]] = [
    (
        FAILED,
        "en",
        80,
        False,
        """\
 ■ blocked · SKILL_FAILED · 12.4 s                              2026-11-21-0007
   The door is stuck (jammed).
   asked          open the door (2026-11-21 09:30, door)
   planned        open_door right → door, door_is open (plan 1, offline)
   failed first   open_door right → door: The door is stuck (jammed).
   evidence       STUCK · angle_rad 0.2 · after 7.6 s
   seen           door ajar 0.9; hand empty
   tried instead  pull right (plan 2, offline)
   failed         pull right: There is no grip.
   tried instead  the same again (plan 3, offline)
   failed         pull right: There is no grip.
   reported       No grip. The door is ajar.""",
    ),
    (
        FAILED,
        "ko",
        80,
        False,
        """\
 ■ 막힘 · SKILL_FAILED · 12.4초                                 2026-11-21-0007
   문이 걸렸습니다(끼임).
   명령       open the door (2026-11-21 09:30, door)
   계획       open_door 오른손 → 문, door_is open (계획 1, offline)
   첫 실패    open_door 오른손 → 문: 문이 걸렸습니다(끼임).
   근거       STUCK · angle_rad 0.2 · 7.6초 뒤
   관찰       door ajar 0.9; hand empty
   다른 시도  pull 오른손 (계획 2, offline)
   실패       pull 오른손: 손잡이가 없습니다.
   다른 시도  같은 계획 (계획 3, offline)
   실패       pull 오른손: 손잡이가 없습니다.""",
    ),
    (
        known(attempts=(FIRST,), cause=Cause(JAM, 1, None, ())),
        "en",
        40,
        True,
        """\
 # blocked - SKILL_FAILED - 12.4 s    7
   The door is stuck (jammed).
   asked
     open the door (2026-11-21 09:30,
     door)
   planned
     open_door right -> door, door_is
     open (plan 1, offline)
   failed first
     open_door right -> door: The door
     is stuck (jammed).
   evidence
     STUCK - angle_rad 0.2
   reported
     No grip. The door is ajar.""",
    ),
    (
        KILLED,
        "en",
        80,
        False,
        """\
 ■ interrupted                                                  2026-11-21-0007
   The program ended during: take right.
   asked           open the door (2026-11-21 09:30, door)
   last known      The door is ajar.
   intended state  The right hand holds the cup.""",
    ),
    (
        KILLED,
        "ko",
        80,
        False,
        """\
 ■ 중단됨                                                       2026-11-21-0007
   끝났을 때: take 오른손.
   명령         open the door (2026-11-21 09:30, door)
   마지막 상태  문이 조금 열려 있습니다.
   의도한 상태  오른손에 컵이 있습니다.""",
    ),
]


@pytest.fixture(scope="module")
def messages(tmp_path_factory: pytest.TempPathFactory) -> Messages:
    path: Path = tmp_path_factory.mktemp("words") / "words.yaml"
    path.write_text(SENTENCES, encoding="utf-8")
    return Messages.load([path])


@pytest.mark.parametrize(("explanation", "language", "width", "ascii_only", "expected"), SCREENS)
def test_why_explains_a_mission_in_either_language(
    messages: Messages,
    explanation: Explanation,
    language: str,
    width: int,
    ascii_only: bool,
    expected: str,
) -> None:
    glyphs = ASCII if ascii_only else UNICODE
    assert (
        without_styles(Why(explanation, messages, language, verbose=True).lines(width, glyphs))
        == expected
    )


@pytest.mark.parametrize(
    ("explanation", "cause"),
    [
        (known(line("satisfied")), "It was done as asked."),
        (known(line("satisfied"), skipped=("already open",)), "Nothing had to be done."),
        (
            known(
                line("satisfied"),
                skipped=("already open",),
                attempts=(Attempt(1, "offline", OPEN, failure=GRIP), Attempt(2, "offline", OPEN)),
            ),
            "It was done as asked.",
        ),
        (known(line("aborted"), stopped="operator"), "You stopped it."),
        (known(line("aborted"), stopped="SIGTERM"), "Stopped by SIGTERM."),
        (known(line("aborted"), stopped="on purpose"), "A fault stopped it."),
        (
            known(line("aborted"), stopped="the end of the shift"),
            "It was stopped: the end of the shift.",
        ),
        (
            known(line("refused"), refusal="I see no cup.", blind={"table": "no network"}),
            "I see no cup. The camera failed: no network.",
        ),
        (known(line("refused"), refusal="I know no window."), "I know no window."),
        (known(line("refused"), problems=("a: b",)), "No grip. The door is ajar."),
        (known(line("unfinished")), "It is still running."),
        (known(line("unfinished", interrupted=True)), "The program ended."),
        (FAILED, "The door is stuck (jammed)."),
    ],
)
def test_cause_is_reported_in_one_sentence(
    messages: Messages, explanation: Explanation, cause: str
) -> None:
    why = Why(explanation, messages, "en")
    assert why.cause() == cause
    assert why.data()["cause"] == cause


@pytest.mark.parametrize("verbose", [False, True])
def test_code_of_a_problem_is_shown_only_with_details(messages: Messages, verbose: bool) -> None:
    rejected = known(line("refused"), problems=("the right arm takes it [ARM_IS_POLICY]",))
    rows = dict(Why(rejected, messages, "en", verbose=verbose).course_lines())
    assert rows["problem"].endswith("[ARM_IS_POLICY]") is verbose


def test_refusal_in_another_language_is_quoted_and_facts_are_translated(messages: Messages) -> None:
    refused = known(line("refused"), refusal="I know no window.", facts={"door": "ajar"})
    why = Why(refused, messages, "ko")
    assert why.cause() == "답: “I know no window.”"
    assert "문이 조금 열려 있습니다." in dict(why.course_lines()).values()


def test_state_that_was_uncertain_at_the_end_is_reported_as_unknown(messages: Messages) -> None:
    stopped = known(line("aborted", state={"hand.right": "?"}), facts={"hand.right": "cup"})
    rows = dict(Why(stopped, messages, "ko").course_lines())
    assert rows["마지막 상태"] == "오른손은 알 수 없습니다."


def test_state_that_was_not_current_at_the_end_is_reported_with_its_age(
    messages: Messages,
) -> None:
    stopped = known(line("aborted", state={"door": "ajar"}, ages={"door": 2.0}))
    rows = dict(Why(stopped, messages, "ko").course_lines())
    assert rows["마지막 상태"] == "2 s ago 문이 조금 열려 있었습니다."


@pytest.mark.parametrize(("age", "shown"), [(0.4, ""), (4.1, " · 4.1 s old")])
def test_old_observation_is_shown_with_its_age(messages: Messages, age: float, shown: str) -> None:
    cause = Cause(JAM, 1, 7.6, ("door ajar 0.9",), seen_age=age)
    why = Why(known(attempts=(FIRST,), cause=cause), messages, "en")
    assert dict(why.course_lines())["seen"] == f"door ajar 0.9{shown}"


def test_time_of_the_first_failure_is_shown_without_details(messages: Messages) -> None:
    assert dict(Why(FAILED, messages, "en").course_lines())["when"] == "after 7.6 s"
    assert "when" not in dict(Why(FAILED, messages, "en", verbose=True).course_lines())


def test_perception_error_without_a_failure_and_slow_skill_are_listed(messages: Messages) -> None:
    held = SkillRun(1, TAKE.start, SkillEnded(3.0, 60, "take", "take", 1, "done", 2.0, held_s=2.4))
    done = known(line("satisfied"), blind={"table": "no network"}, held=(held,))
    rows = dict(Why(done, messages, "en").course_lines())
    assert rows["delayed by"] == "take right: 2.4 s"
    assert rows["perception error"] == "The camera failed: no network."


def test_recovered_failures_are_listed_separately(messages: Messages) -> None:
    attempt = Attempt(1, "offline", OPEN, failure=GRIP, passed=[JAM, GRIP])
    why = Why(known(attempts=(attempt,), cause=Cause(GRIP, 1, 1.0, ())), messages, "en")
    assert [row for row in why.course_lines() if row[0].startswith(("continued", "failed"))] == [
        ("continued after", "open_door right → door: The door is stuck (jammed)."),
        ("failed first", "pull right: There is no grip."),
    ]


def test_failed_step_that_succeeded_in_a_later_attempt_is_listed_as_retried(
    messages: Messages,
) -> None:
    done = [DoneAction(JAM.node, JAM.args)]
    attempt = Attempt(1, "offline", OPEN, passed=[JAM], done=done)
    rows = Why(known(line("satisfied"), attempts=(attempt,)), messages, "en").course_lines()
    said = "open_door right → door: The door is stuck (jammed). Then it succeeded."
    assert [row for row in rows if row[0] in ("retried", "continued after")] == [("retried", said)]
    other = replace(attempt, done=[DoneAction(JAM.node, {"arm": "left"})])
    rows = Why(known(line("satisfied"), attempts=(other,)), messages, "en").course_lines()
    assert [row[0] for row in rows if row[0] in ("retried", "continued after")] == [
        "continued after"
    ]


def test_unmet_conditions_of_a_satisfied_mission_are_shown_as_negative_answers(
    messages: Messages,
) -> None:
    shut = Failure("CHECK_FAILED", "jammed", "check:open", "check", "open", {"object": "door"})
    attempt = Attempt(1, "offline", OPEN, unmet=[shut, replace(shut, message="")])
    rows = Why(known(line("satisfied"), attempts=(attempt,)), messages, "ko").course_lines()
    assert [text for label, text in rows if label == "조건"] == [
        "open 문: 아님 (끼임)",
        "open 문: 아님",
    ]


def test_recovered_failures_of_one_kind_are_counted_in_chronological_order(
    messages: Messages,
) -> None:
    again = [replace(JAM, message=f"at call {number}") for number in range(3)]
    attempt = Attempt(1, "offline", OPEN, failure=GRIP, passed=[GRIP, JAM, *again])
    why = Why(known(attempts=(attempt,), cause=Cause(GRIP, 1, 1.0, ())), messages, "en")
    assert [row for row in why.course_lines() if row[0].startswith(("continued", "failed"))] == [
        ("failed first", "pull right: There is no grip."),
        ("continued after", "open_door right → door: The door is stuck (jammed) (4 times)."),
    ]


def test_facts_that_a_running_skill_may_have_changed_are_reported_as_unknown(messages: Messages):
    killed = known(
        line("unfinished", interrupted=True),
        facts={"at.table": "table 1"},
        uncertain={"hand.left": "a bowl", "hand.right": "empty", "lid": "?"},
        possible={"hand.left": "a bowl", "hand.right": "cup"},
    )
    told = dict(Why(killed, messages, "en").course_lines())
    assert told["last known"] == "I am at table 1."
    assert told["no longer certain"] == (
        "It is not known what the right hand holds. "
        "It may have changed: “The left hand holds a bowl.”"
    )
    assert told["intended state"] == "The right hand holds the cup."


def test_long_lists_of_steps_are_counted(messages: Messages) -> None:
    attempt = Attempt(1, "offline", tuple((f"step_{n}", {}) for n in range(11)))
    ((_, said),) = Why(known(), messages, "en", verbose=True).attempt_text(attempt, again=False)
    assert said == (
        "step_0, step_1, step_2, step_3, step_4, step_5, step_6, step_7, "
        "and 3 more (plan 1, offline)"
    )


def test_missing_result_is_shown_as_its_name_in_parentheses(messages: Messages) -> None:
    nothing: tuple[Any, ...] = ()
    known = Explanation(line(), nothing, None, "", nothing, "", nothing, nothing, {}, {}, nothing)
    why = Why(known, messages, "en")
    assert why.step_phrase("carry", {"thing": "$found_2", "price": "$5"}) == "carry (found) → $5"


@pytest.mark.parametrize(
    ("before", "said"),
    [
        (line(), "No grip. The door is ajar."),
        (
            replace(line("aborted"), message="You stopped it. Go on? The door is ajar."),
            "You stopped it. The door is ajar.",
        ),
        (line("unfinished", interrupted=True), "interrupted"),
    ],
)
def test_continued_mission_is_listed_with_its_outcome(before, said, messages):
    why = Why(FAILED, messages, "en", continued=before)
    assert ("continues", f"2026-11-21-0007: {said}") in why.course_lines()
    assert not any(label == "continues" for label, _ in Why(FAILED, messages, "en").course_lines())
