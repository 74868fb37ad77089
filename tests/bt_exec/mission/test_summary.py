"""Final message of a mission: the answer, the reason and the current state."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bt_exec.events import Asked
from bt_exec.failure import Failure, Refusal
from bt_exec.language.fact_sentences import Known
from bt_exec.language.messages import Messages
from bt_exec.mission.final_fact_sentences import state_sentences
from bt_exec.mission.pack_reporters import Reporters
from bt_exec.mission.progress import MissionProgress
from bt_exec.mission.summary import summarise
from bt_exec.mission.undone_parts import Undone
from bt_exec.mission_outcome import UNMET, Ending, code_of_reason
from bt_exec.mission_reporter import Action, Skip
from bt_exec.skill import Steps, Verdict, condition, skill
from bt_exec.spec.load import load_text
from bt_exec.spec.model import Mission, MissionSpec
from bt_exec.spec.node_paths import nodes_with_paths
from bt_exec.testing.tree_run import scripted_site

WORDS = """
"yes": {en: "Yes.", ko: "네."}
"no": {en: "No.", ko: "아니요."}
OK: {en: Done., ko: 마쳤습니다.}
ABORTED: {en: Stopped., ko: 멈췄습니다.}
SKILL_FAILED: {en: I stopped., ko: 실패}
STUCK: {en: "The door is stuck ({message}).", ko: 문이 걸렸습니다.}
LATER_ATTEMPTS: {en: "Later attempts failed, too:", ko: 다른}
SLIPPED: {en: "It slipped.", ko: 미끄러짐}
NO_GRIP: {en: "There is no grip ({message}).", ko: 손잡이}
NO_PROGRESS: {en: "The same again after {replans} plans.", ko: 또}
UNMET: {en: "The condition did not hold.", ko: "조건이 맞지 않았습니다."}
UNMET_ONE: {en: "Not done: {condition} does not hold.", ko: "조건이 맞지 않습니다({condition})."}
MET_ONE: {en: "Not done: {condition} holds.", ko: "조건과 다릅니다({condition})."}
already open: {en: It is open already., ko: 이미 열림}
already held: {en: I hold it already., ko: 이미 잡음}
door=open: {en: The door is open., ko: 문이 열려 있습니다.}
hand.left=cup: {en: "The left hand holds a cup.", ko: 컵}
hand.left=empty: {en: "The left hand is empty.", ko: 빈손}
hand.right=cup: {en: "The right hand holds a cup.", ko: 컵}
"""
FACTS = {"hand.right": "cup", "hand.left": "cup", "door": "open", "at": "dock"}
OPEN = "{do: open_door, with: {arm: left}}"


@skill(needs={"hand.{arm}": "empty"}, effects={"door": "open"})
def open_door(arm: str) -> Steps:
    """Open the door."""
    yield


@skill(effects={"hand.{arm}": "cup"})
def take(arm: str = "right") -> Steps:
    """Take the cup."""
    yield


@condition(establishes={"door": "{state}"})
def door_is(state: str) -> Verdict:
    """Return True if the door is in the given state."""
    return Verdict.yes()


@pytest.fixture
def words(tmp_path) -> Messages:
    file = tmp_path / "words.yaml"
    file.write_text(WORDS, encoding="utf-8")
    return Messages.load([file])


@pytest.fixture
def said(words):
    """Return a function that gives the final message of a mission with this plan."""

    def said(
        ending: Ending,
        tree: str | None = OPEN,
        language: str = "en",
        known: Known | None = None,
        **progress: Any,
    ) -> str:
        catalogue = scripted_site([open_door, take, door_is]).catalogue
        found = MissionProgress("go", language, Reporters([], {}), {}, {}, lambda event: None)
        if tree is not None:
            root = load_text(f"tree: t\nroot: {tree}").document.root
            found.spec = MissionSpec(mission=Mission(command="go", compiler="x"), root=root)
        for name, value in progress.items():
            setattr(found, name, value)
        return summarise(ending, found, words, catalogue, known or Known(FACTS))

    return said


def answer(holds: bool, question: str = "door_is open") -> dict[str, Asked]:
    return {question: Asked(0.0, 0, "x", "check", question, Verdict(holds), True)}


FINE = Ending("satisfied", "OK")
STUCK = Failure("STUCK", "it moved 2 mm")
FAILED = Ending("blocked", "SKILL_FAILED", STUCK)
CHECK = "{check: {door_is: {state: open}}, tell: true}"


@pytest.mark.parametrize(
    ("ending", "tree", "expected"),
    [
        (FINE, OPEN, "The door is open."),
        (FINE, "{do: take, with: {arm: left}}", "The left hand holds a cup."),
        # a default argument: the sentence is selected by the other ones
        (FINE, "{sequence: [{do: take}, " + OPEN + "]}", "The door is open."),
        (FINE, None, "Done."),
        (FINE, "{do: take}", "Done."),
        (FINE, "{sequence: [" + OPEN + ", " + OPEN + "]}", "The door is open."),
        # the needs of a skill are reported when the mission did not succeed
        (
            Ending("aborted", "ABORTED"),
            OPEN,
            "Stopped. The door is open. The left hand holds a cup.",
        ),
        (Ending("aborted", "ABORTED"), None, "Stopped."),
        (
            FAILED,
            "{do: take, with: {arm: left}}",
            "I stopped. The door is stuck (it moved 2 mm). The left hand holds a cup.",
        ),
        (
            Ending("blocked", "STUCK", STUCK),
            "{do: take, with: {arm: left}}",
            "The door is stuck (it moved 2 mm). The left hand holds a cup.",
        ),
    ],
)
def test_final_message_depends_on_the_ending(said, ending, tree, expected):
    assert said(ending, tree) == expected


def test_final_message_is_in_the_language_of_the_command(said):
    assert said(FINE, language="ko") == "문이 열려 있습니다."
    assert said(Ending("aborted", "ABORTED"), None, language="ko") == "멈췄습니다."


def test_message_of_a_refusal_is_used_unchanged(said):
    refusal = Refusal("NO", "I cannot do that.")
    assert said(Ending("refused", "NO", refusal=refusal), answered=answer(True)) == refusal.message


@pytest.mark.parametrize(
    ("ending", "expected"),
    [
        (Ending("blocked", "STUCK", STUCK, why="NO_PROGRESS"), "The same again after 2 plans."),
        (
            Ending("blocked", "STUCK", STUCK, why="NO_PROGRESS", said="There is no other way."),
            "There is no other way.",  # the text of the compiler is preferred to that of a code
        ),
    ],
)
def test_message_explains_why_the_mission_is_not_planned_again(said, ending, expected):
    text = said(ending, None, failures=[STUCK] * 3)
    assert text == f"The door is stuck (it moved 2 mm). {expected}"


@pytest.mark.parametrize(("holds", "expected"), [(True, "Yes."), (False, "No.")])
def test_answer_precedes_the_state_that_it_is_about(said, holds, expected):
    assert said(FINE, CHECK, answered=answer(holds)) == f"{expected} The door is open."


def test_answer_that_decides_about_another_step_names_its_question(said, words):
    words._phrases["door_is"] = {"en": "the door is {state}", "ko": "문"}
    closed = "{not: {door_is: {state: open}}}"
    tree = f"{{sequence: [{CHECK}, {{do: take, skip_if: {closed}}}]}}"
    assert said(FINE, tree, answered=answer(True)).startswith("The door is open: yes.")


def test_answer_to_another_question_does_not_change_the_state(said):
    assert said(FINE, CHECK, answered=answer(True, "door_is shut")) == "Yes."


def test_each_skip_reason_is_reported_once(said):
    skips = [Skip("a", reason) for reason in ("already open", "already held", "already open")]
    ending = Ending("satisfied", "ALREADY_OPEN")
    assert said(ending, skipped=skips) == "It is open already. I hold it already."


@pytest.mark.parametrize(
    ("skip_if", "language", "expected"),
    [
        (
            "{not: {door_is: {state: ajar}}}",
            "en",
            "Not done: door is ajar does not hold. The door is open.",
        ),
        (
            "{not: {door_is: {state: ajar}}}",
            "ko",
            "조건이 맞지 않습니다(door is ajar). 문이 열려 있습니다.",
        ),
        ("{door_is: {state: open}}", "en", "Not done: door is open holds. The door is open."),
        (
            "{any: [{door_is: {state: open}}, {door_is: {state: ajar}}]}",
            "en",
            "The condition did not hold.",
        ),
    ],
)
def test_unmet_condition_is_reported_as_a_sentence(said, skip_if, language, expected):
    tree = f"{{do: take, skip_if: {skip_if}}}"
    root = load_text(f"tree: t\nroot: {tree}").document.root
    skips = [Skip("take", UNMET, path) for path, node in nodes_with_paths(root)]
    ending = Ending("satisfied", code_of_reason(UNMET))
    assert said(ending, tree, language, skipped=skips) == expected


def test_state_named_in_the_reason_is_not_repeated(said, words):
    words._sentences["STUCK"] = {"en": "The door is open, but no further.", "ko": "문"}
    assert said(Ending("blocked", "STUCK", STUCK), OPEN) == (
        "The door is open, but no further. The left hand holds a cup."
    )


def test_only_facts_with_a_sentence_and_a_value_are_reported(words):
    catalogue = scripted_site([open_door]).catalogue
    progress = MissionProgress("go", "en", Reporters([], {}), {}, {}, lambda event: None)
    assert state_sentences(progress, words, catalogue, Known(FACTS)) == ()
    root = load_text(f"tree: t\nroot: {OPEN}").document.root
    progress.spec = MissionSpec(mission=Mission(command="go", compiler="x"), root=root)
    assert (
        state_sentences(progress, words, catalogue, Known({"door": "ajar", "hand.left": "cup"}))
        == ()
    )
    assert state_sentences(progress, words, catalogue, Known({})) == ()
    assert state_sentences(progress, words, catalogue, Known(FACTS), well=False) == (
        *("The door is open.", "The left hand holds a cup."),
    )


def test_fact_made_unknown_by_a_stopped_skill_is_reported(words):
    catalogue = scripted_site([open_door]).catalogue
    progress = MissionProgress("go", "en", Reporters([], {}), {}, {}, lambda event: None)
    root = load_text(f"tree: t\nroot: {OPEN}").document.root
    progress.spec = MissionSpec(mission=Mission(command="go", compiler="x"), root=root)
    words._sentences["door=?"] = {"en": "The door may be open."}
    known = Known({"hand.left": "cup"})
    assert state_sentences(progress, words, catalogue, known, well=False) == (
        "The left hand holds a cup.",
    )
    progress.started.add("open_door")
    assert "The door may be open." in state_sentences(progress, words, catalogue, known, well=False)
    assert state_sentences(progress, words, catalogue, known) == ()


JAM = Failure("STUCK", "jammed", "t/open_door", node="open_door", args={"arm": "left"})
GRIP = Failure("NO_GRIP", "edge", "t/take", node="take", args={"arm": "left"})
SLIP = Failure("SLIPPED", "", "t/take", node="take", args={"arm": "left"})
OPENED = Action("open_door", {"arm": "right"}, "t/open_door")


@pytest.mark.parametrize(
    ("failures", "done", "expected"),
    [
        # the door jams, then the alternative fails: both are reported, the cause first
        (
            [JAM, GRIP],
            [],
            "The door is stuck (jammed). Later attempts failed, too: There is no grip (edge).",
        ),
        # a repeated failure adds nothing
        ([JAM, JAM], [], "The door is stuck (jammed)."),
        ([JAM, replace(JAM, message="3 mm")], [], "The door is stuck (jammed)."),
        (
            [JAM, JAM, GRIP, GRIP],
            [],
            "The door is stuck (jammed). Later attempts failed, too: There is no grip (edge).",
        ),
        # the other hand opened it: the later failure is the cause
        ([JAM, SLIP], [OPENED], "It slipped."),
        # an earlier attempt of the same step is the cause
        (
            [replace(GRIP, cause=SLIP)],
            [],
            "It slipped. Later attempts failed, too: There is no grip (edge).",
        ),
        # the latest two of several alternatives
        (
            [JAM, SLIP, GRIP, replace(GRIP, message="rim")],
            [],
            "The door is stuck (jammed). Later attempts failed, too: There is no grip (edge). "
            "There is no grip (rim).",
        ),
    ],
)
def test_first_cause_is_reported_before_the_alternatives(said, failures, done, expected):
    ending = Ending("blocked", "STUCK", failures[-1])
    before = {"_done_before": [0] * (len(failures) - 1), "done": done}
    assert said(ending, None, failures=failures, **before) == expected


def test_failures_named_in_the_answer_of_the_planner_are_not_repeated(said):
    ending = Ending("blocked", "STUCK", GRIP, said="There is no grip (edge). It slipped.")
    before = {"_done_before": [0, 0], "done": []}
    assert said(ending, None, failures=[JAM, SLIP, GRIP], **before) == (
        "The door is stuck (jammed). There is no grip (edge). It slipped."
    )


def test_lost_simulation_is_the_only_cause(said):
    lost = Failure("STUCK", "the simulation is gone", kind="robot")
    assert said(Ending("failed", "SIMULATION_LOST", lost), None, failures=[SLIP]) == (
        "The door is stuck (the simulation is gone)."
    )


WAS = "{do: open_door, with: {arm: left}, skip_if: {door_is: {state: open}}}"


@pytest.mark.parametrize(
    ("door", "expected"),
    [("open", "It is open already."), ("ajar", "It was open 2 s ago.")],
)
def test_skip_reason_that_no_longer_holds_is_reported_in_past_tense(said, words, door, expected):
    words._sentences["was door=open"] = {"en": "It was open {when}.", "ko": "열림"}
    known = Known({"door": door}, now=5.0)
    skipped = [Skip("a", "already open", "open_door", 3.0)]
    ending = Ending("satisfied", "ALREADY_OPEN")
    assert said(ending, WAS, known=known, skipped=skipped) == expected


@pytest.mark.parametrize("own", [False, True])
def test_old_fact_is_reported_with_its_age(said, words, own):
    words._sentences["AS_OF"] = {"en": "{when}: {state}", "ko": "그때"}
    if own:
        words._sentences["was door=open"] = {"en": "It was open {when}.", "ko": "열림"}
    known = Known({"door": "open"}, since={"door": 3.0}, now=5.0)
    expected = "It was open 2 s ago." if own else "2 s ago: The door is open."
    assert said(FINE, OPEN, known=known) == expected


TALK = """
ANSWERED_THEN: {en: "{answer} That was {when}.", ko: 그때}
was lid=shut: {en: "The lid was shut {when}.", ko: 닫힘}
told weight_is: {en: "It weighs {why}.", ko: 무게}
phrases:
  door_is: {en: "the door is {state}", ko: 문}
  weight_is: {en: "the weight", ko: 무게}
  cup_is_here: {en: "is the cup here?", ko: 컵}
"""
ASKS = (
    "{sequence: [{check: {door_is: {state: open}}}, {check: {lid_is: {state: shut}}},"
    " {check: weight_is}, {check: cup_is_here},"
    " {check: {all: [{door_is: {state: open}}, {lid_is: {state: shut}}]}}]}"
)


@condition(establishes={"lid": "{state}"})
def lid_is(state: str) -> Verdict:
    """Return True if the lid is in the given state."""
    return Verdict.yes()


@condition
def weight_is() -> Verdict:
    """Return the weight."""
    return Verdict.yes()


@condition
def cup_is_here() -> Verdict:
    """Return True if the cup is here."""
    return Verdict.yes()


DOOR, LID, WEIGHT, BOTH = "door_is open", "lid_is shut", "weight_is", "all"
CUP = "cup_is_here"


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ([(DOOR, 9.0)], "Yes."),
        ([(WEIGHT, 9.0)], "It weighs 2 kg."),
        ([(BOTH, 9.0)], "Yes."),  # a combination of conditions has no sentence
        # several answers name their questions if these have a phrase
        ([(DOOR, 9.0), (WEIGHT, 9.0)], "The door is open: yes. It weighs 2 kg."),
        ([(DOOR, 9.0), (LID, 9.0)], "The door is open: yes. Yes."),
        ([(DOOR, 9.0), (BOTH, 9.0)], "The door is open: yes. Yes."),
        ([(DOOR, 9.0), (CUP, 9.0)], "The door is open: yes. Is the cup here? Yes."),
        # an old answer is reported with its age, also when a current one follows
        ([(WEIGHT, 2.0)], "It weighs 2 kg. That was 8 s ago."),
        ([(LID, 2.0)], "The lid was shut 8 s ago."),
        ([(DOOR, 2.0)], "The door is open: yes. That was 8 s ago."),
        ([(BOTH, 2.0)], "The lid was shut 8 s ago."),
        ([(LID, 2.0), (DOOR, 9.0)], "The lid was shut 8 s ago. The door is open: yes."),
        ([("elsewhere", 2.0)], "Yes. That was 8 s ago."),
    ],
)
def test_answers_name_their_question_and_age_when_ambiguous(words, tmp_path, answers, expected):
    (tmp_path / "talk.yaml").write_text(TALK, encoding="utf-8")
    talk = Messages.load([tmp_path / "words.yaml", tmp_path / "talk.yaml"])
    catalogue = scripted_site([door_is, lid_is, weight_is, cup_is_here]).catalogue
    found = MissionProgress("go", "en", Reporters([], {}), {}, {}, lambda event: None)
    root = load_text(f"tree: t\nroot: {ASKS}").document.root
    found.spec = MissionSpec(mission=Mission(command="go", compiler="x"), root=root)
    questions = {BOTH: str(root.sequence[-1].check)}
    for name, t in answers:
        question = questions.get(name, name)
        verdict = Verdict(True, "2 kg")
        found.answered[question] = Asked(t, 0, "x", "check", question, verdict, True)
        found.seen[question] = {"lid": "shut", "door": "open"}
    assert summarise(FINE, found, talk, catalogue, Known({}, now=10.0)) == expected


def test_answer_from_an_old_observation_reports_only_the_facts_seen_then(words, said):
    words._sentences["was door=open"] = {"en": "It was open {when}.", "ko": "열림"}
    words._sentences["was door=ajar"] = {"en": "It was ajar {when}.", "ko": "틈"}
    words._sentences["ANSWERED_THEN"] = {"en": "{answer} That was {when}.", "ko": "그때"}
    known = Known({}, now=9.0, acted=3.0)
    for seen, expected in (
        ({"door": "open"}, "It was open 9 s ago."),
        ({"door": "ajar"}, "It was ajar 9 s ago."),
        ({"lid": "shut"}, "No. That was 9 s ago."),
        ({}, "No. That was 9 s ago."),
    ):
        question = {"door_is open": seen}
        assert said(FINE, CHECK, known=known, answered=answer(False), seen=question) == expected


def test_old_and_current_facts_are_not_joined_in_one_sentence(words, said):
    words._sentences["AS_OF"] = {"en": "{when}: {state}", "ko": "그때"}
    words._sentences["door=open + hand.left=cup"] = {"en": "Open, with a cup.", "ko": "둘"}
    stopped = Ending("aborted", "ABORTED")
    now = Known(FACTS, now=5.0)
    assert said(stopped, known=now) == "Stopped. Open, with a cup."
    then = Known(FACTS, now=5.0, since={"hand.left": 2.0})
    assert (
        said(stopped, known=then)
        == "Stopped. The door is open. 3 s ago: The left hand holds a cup."
    )


def test_incomplete_part_is_reported_unless_the_robot_has_reported_it(words):
    words._sentences["PARTLY_DONE"] = {"en": "Not all is done.", "ko": "일부"}
    words._sentences["NOTHING_DONE"] = {"en": "Nothing is done.", "ko": "없음"}
    words._sentences["NOT_DONE"] = {"en": "{what}: {why}", "ko": "{what}"}
    catalogue = scripted_site([open_door]).catalogue
    found = MissionProgress("go", "en", Reporters([], {}), {}, {}, lambda event: None)
    node = load_text(f"tree: t\nroot: {OPEN}").document.root
    found.undone = (Undone("x", node, GRIP), Undone("y", node, SLIP))
    both = "open door left: There is no grip (edge). open door left: It slipped."
    for ending, first in (
        (Ending("partial", "PARTLY_DONE"), "Not all is done."),
        (Ending("blocked", "NOTHING_DONE", GRIP), "Nothing is done."),
    ):
        told = summarise(ending, found, words, catalogue, Known({}))
        assert told == f"{first} {both}"
        said = summarise(ending, found, words, catalogue, Known({}), "I told you.")
        assert said == "I told you."


@pytest.mark.parametrize(
    ("started", "code", "after"),
    [(True, "ABORTED", True), (True, "STOPPED", True), (True, "STOP_FAILED", True),
     (True, "STEP_HUNG", True), (False, "ABORTED", False), (True, "STUCK", False)],
)  # fmt: skip
def test_next_action_is_reported_after_a_stop_of_a_started_mission(
    said, words, started, code, after
):
    words._sentences["AFTER_STOP"] = {"en": "Bring it home.", "ko": "집"}
    status = "aborted" if code == "ABORTED" else "failed"
    ending = Ending(status, code, None if code == "ABORTED" else STUCK)
    text = said(ending, None, started=started, latest="open_door")
    assert text.endswith("Bring it home.") is after


def test_reply_replaces_the_final_message(said):
    ending = Ending("satisfied", "THANKS", said="You are welcome.")
    assert said(ending, CHECK, answered=answer(True)) == "You are welcome."


def test_failure_without_a_sentence_is_reported_by_its_code(said):
    odd = Failure("ODD", "it hums")
    assert said(Ending("blocked", "SKILL_FAILED", odd), None) == "I stopped. ODD: it hums"


def test_reason_code_without_a_failure_is_reported_by_its_sentence(said):
    assert said(Ending("blocked", "NO_PROGRESS", why="ABORTED"), None) == "Stopped."
