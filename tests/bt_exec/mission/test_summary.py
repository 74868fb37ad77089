"""The final sentences: the answer, the reason, and how things stand now."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bt_exec.events import Asked
from bt_exec.failure import Failure, Refusal
from bt_exec.language.messages import Messages
from bt_exec.mission.known import Known, state_of
from bt_exec.mission.progress import MissionProgress
from bt_exec.mission.reporting import Action, Reporters, Skip
from bt_exec.mission.summary import summarise
from bt_exec.outcome import Ending
from bt_exec.skill import Steps, Verdict, condition, skill
from bt_exec.spec.load import load_text
from bt_exec.spec.model import Mission, MissionSpec
from bt_exec.testing.missions import scripted_site

WORDS = """
"yes": {en: "Yes.", ko: "네."}
"no": {en: "No.", ko: "아니요."}
OK: {en: Done., ko: 마쳤습니다.}
ABORTED: {en: Stopped., ko: 멈췄습니다.}
SKILL_FAILED: {en: I stopped., ko: 실패}
STUCK: {en: "The door is stuck ({message}).", ko: 문이 걸렸습니다.}
TRIED_INSTEAD: {en: "I tried it another way:", ko: 다른}
SLIPPED: {en: "It slipped.", ko: 미끄러짐}
NO_GRIP: {en: "There is no grip ({message}).", ko: 손잡이}
NO_PROGRESS: {en: "The same again after {replans} plans.", ko: 또}
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
    """Whether the door is so."""
    return Verdict.yes()


@pytest.fixture
def words(tmp_path) -> Messages:
    file = tmp_path / "words.yaml"
    file.write_text(WORDS, encoding="utf-8")
    return Messages.load([file])


@pytest.fixture
def said(words):
    """Return a function that gives the final sentences of a mission with this plan."""

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
        # an argument by default: the state is told by the others
        (FINE, "{sequence: [{do: take}, " + OPEN + "]}", "The door is open."),
        (FINE, None, "Done."),
        (FINE, "{do: take}", "Done."),
        (FINE, "{sequence: [" + OPEN + ", " + OPEN + "]}", "The door is open."),
        # what a skill needs is told where the mission did not end well
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
def test_what_is_said_at_the_end(said, ending, tree, expected):
    assert said(ending, tree) == expected


def test_it_is_said_in_the_language_of_the_command(said):
    assert said(FINE, language="ko") == "문이 열려 있습니다."
    assert said(Ending("aborted", "ABORTED"), None, language="ko") == "멈췄습니다."


def test_a_refusal_speaks_for_itself(said):
    refusal = Refusal("NO", "I cannot do that.")
    assert said(Ending("refused", "NO", refusal=refusal), told=answer(True)) == refusal.message


@pytest.mark.parametrize(
    ("ending", "expected"),
    [
        (Ending("blocked", "STUCK", STUCK, why="NO_PROGRESS"), "The same again after 2 plans."),
        (
            Ending("blocked", "STUCK", STUCK, why="NO_PROGRESS", said="There is no other way."),
            "There is no other way.",  # the compiler's own words rather than a code's
        ),
    ],
)
def test_why_it_is_not_planned_again(said, ending, expected):
    text = said(ending, None, failures=[STUCK] * 3)
    assert text == f"The door is stuck (it moved 2 mm). {expected}"


@pytest.mark.parametrize(("holds", "expected"), [(True, "Yes."), (False, "No.")])
def test_an_answer_comes_first_and_what_it_is_about_follows(said, holds, expected):
    assert said(FINE, CHECK, told=answer(holds)) == f"{expected} The door is open."


def test_an_answer_to_another_question_says_nothing_of_this_one(said):
    assert said(FINE, CHECK, told=answer(True, "door_is shut")) == "Yes."


def test_where_nothing_was_needed_each_reason_is_told_once(said):
    skips = [Skip("a", reason) for reason in ("already open", "already held", "already open")]
    ending = Ending("satisfied", "ALREADY_OPEN")
    assert said(ending, skipped=skips) == "It is open already. I hold it already."


def test_a_state_that_the_reason_has_named_is_not_told_again(said, words):
    words._sentences["STUCK"] = {"en": "The door is open, but no further.", "ko": "문"}
    assert said(Ending("blocked", "STUCK", STUCK), OPEN) == (
        "The door is open, but no further. The left hand holds a cup."
    )


def test_only_facts_with_a_sentence_and_a_value_are_told(words):
    catalogue = scripted_site([open_door]).catalogue
    progress = MissionProgress("go", "en", Reporters([], {}), {}, {}, lambda event: None)
    assert state_of(progress, words, catalogue, Known(FACTS)) == ()
    root = load_text(f"tree: t\nroot: {OPEN}").document.root
    progress.spec = MissionSpec(mission=Mission(command="go", compiler="x"), root=root)
    assert state_of(progress, words, catalogue, Known({"door": "ajar", "hand.left": "cup"})) == ()
    assert state_of(progress, words, catalogue, Known({})) == ()
    assert state_of(progress, words, catalogue, Known(FACTS), well=False) == (
        *("The door is open.", "The left hand holds a cup."),
    )


JAM = Failure("STUCK", "jammed", "t/open_door", node="open_door", args={"arm": "left"})
GRIP = Failure("NO_GRIP", "edge", "t/take", node="take", args={"arm": "left"})
SLIP = Failure("SLIPPED", "", "t/take", node="take", args={"arm": "left"})
OPENED = Action("open_door", {"arm": "right"}, "t/open_door")


@pytest.mark.parametrize(
    ("failures", "done", "expected"),
    [
        # the door jams, then the other way fails as well: both are told, the cause first
        (
            [JAM, GRIP],
            [],
            "The door is stuck (jammed). I tried it another way: There is no grip (edge).",
        ),
        # the same again says nothing new
        ([JAM, JAM], [], "The door is stuck (jammed)."),
        ([JAM, replace(JAM, message="3 mm")], [], "The door is stuck (jammed)."),
        (
            [JAM, JAM, GRIP, GRIP],
            [],
            "The door is stuck (jammed). I tried it another way: There is no grip (edge).",
        ),
        # the other hand opened it: what failed later is the cause
        ([JAM, SLIP], [OPENED], "It slipped."),
        # an earlier attempt of the same step is where it began
        (
            [replace(GRIP, cause=SLIP)],
            [],
            "It slipped. I tried it another way: There is no grip (edge).",
        ),
        # of many ways the latest two
        (
            [JAM, SLIP, GRIP, replace(GRIP, message="rim")],
            [],
            "The door is stuck (jammed). I tried it another way: There is no grip (edge). "
            "There is no grip (rim).",
        ),
    ],
)
def test_the_first_cause_is_told_before_what_was_tried(said, failures, done, expected):
    ending = Ending("blocked", "STUCK", failures[-1])
    before = {"_done_before": [0] * (len(failures) - 1), "done": done}
    assert said(ending, None, failures=failures, **before) == expected


def test_a_lost_simulation_is_its_own_cause(said):
    lost = Failure("STUCK", "the simulation is gone", kind="robot")
    assert said(Ending("failed", "SIMULATION_LOST", lost), None, failures=[SLIP]) == (
        "The door is stuck (the simulation is gone)."
    )


WAS = "{do: open_door, with: {arm: left}, skip_if: {door_is: {state: open}}}"


@pytest.mark.parametrize(
    ("door", "expected"),
    [("open", "It is open already."), ("ajar", "It was open 2 s ago.")],
)
def test_a_reason_that_no_longer_holds_is_told_as_it_was(said, words, door, expected):
    words._sentences["was door=open"] = {"en": "It was open {when}.", "ko": "열림"}
    known = Known({"door": door}, now=5.0)
    skipped = [Skip("a", "already open", "open_door", 3.0)]
    ending = Ending("satisfied", "ALREADY_OPEN")
    assert said(ending, WAS, known=known, skipped=skipped) == expected


@pytest.mark.parametrize("own", [False, True])
def test_a_fact_of_another_moment_is_told_with_it(said, words, own):
    words._sentences["AS_OF"] = {"en": "{when}: {state}", "ko": "그때"}
    if own:
        words._sentences["was door=open"] = {"en": "It was open {when}.", "ko": "열림"}
    known = Known({"door": "open"}, since={"door": 3.0}, now=5.0)
    expected = "It was open 2 s ago." if own else "2 s ago: The door is open."
    assert said(FINE, OPEN, known=known) == expected
