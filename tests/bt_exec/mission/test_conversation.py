"""Conversation of a session: recorded commands, ignored replies and missions before the session."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from bt_exec.events import Finished, SkillStarting
from bt_exec.journal import Journal
from bt_exec.language.meaning import MOST_TURNS, Context, Turn
from bt_exec.mission.conversation import Conversation
from bt_exec.mission_outcome import Outcome
from bt_exec.planning.compiler import REPLIES

REPLY = sorted(REPLIES)[0]


def end(command: str, code: str = "OK", status: str = "satisfied", **more: object) -> Outcome:
    return Outcome("m", command, status, code, f"{command}: so", **more)  # type: ignore[arg-type]


def turn(command: str, *, acted: bool = True) -> Turn:
    return Turn(command, "satisfied", "OK", f"{command}: so", acted=acted)


def on_record(
    journal: Journal, *ends: Outcome, site: str = "lab", acts: bool = False, session: str = ""
) -> None:
    for outcome in ends:
        with journal.begin(command=outcome.command, site=site, session=session) as recorder:
            if acts:
                recorder.on(SkillStarting(0.0, 0, "root", "move", {}, 1))
            recorder.on(Finished(0.0, 0, outcome))


def commands(said: Conversation) -> list[str]:
    return [turn.command for turn in said.context().acting_missions(datetime.now().date())]


@pytest.fixture
def journal(tmp_path) -> Journal:
    return Journal.open(tmp_path / "j.sqlite")


def test_commands_and_their_outcomes_are_recorded_in_order():
    said = Conversation(None, "lab")
    said.record_turn(end("one"))
    said.record_turn(end("two", "NOT_UNDERSTOOD", "refused", did_you_mean=("go",)))
    two = Turn("two", "refused", "NOT_UNDERSTOOD", "two: so", ("go",))
    assert said.context() == Context((turn("one"), two))
    assert said.context().last_mission() == two


@pytest.mark.parametrize("answer", ["yes", "Yes, please.", "That’s right!", "응", "네, 맞아요."])
def test_yes_accepts_the_only_suggestion_of_the_last_refusal(answer):
    said = Conversation(None, "lab")
    said.record_turn(end("og", "NOT_UNDERSTOOD", "refused", did_you_mean=("go",)))
    assert said.intended_command(answer) == "go"
    assert said.intended_command("no") == "no"
    said.record_turn(end("which", "CHOICE", "refused", did_you_mean=("go", "come")))
    assert said.intended_command(answer) == answer


@pytest.mark.parametrize("command", ["yes", "go"])
def test_answer_yes_is_unchanged_without_a_suggestion(command):
    assert Conversation(None, "lab").intended_command(command) == command


@pytest.mark.parametrize("trace", [end("thanks", REPLY), end("")])
def test_thanks_and_plans_without_a_command_are_not_recorded(trace):
    said = Conversation(None, "lab")
    said.record_turn(trace)
    assert said.context() == Context()


def test_forget_keeps_the_missions_that_acted_as_earlier_context():
    said = Conversation(None, "lab")
    said.record_turn(end("one"))
    said.record_turn(end("is it?"), acted=False)
    said.record_turn(end("two"))
    said.forget()
    said.record_turn(end("three"))
    said.forget()
    assert said.context() == Context((), (turn("one"), turn("two"), turn("three")))


def test_missions_that_acted_are_kept_even_after_many_questions():
    said = Conversation(None, "lab")
    said.record_turn(end("one"))
    for number in range(5 * MOST_TURNS):
        said.record_turn(end(f"is it {number}?"), acted=False)
    said.record_turn(end("two"))
    assert commands(said) == ["one", "two"]


def test_recorded_and_session_missions_are_listed_once(journal):
    on_record(journal, end("old"), acts=True)
    on_record(journal, end("is it?"))
    said = Conversation(journal, "lab", {"move"})
    said.record_turn(end("new"))
    assert commands(said) == ["old", "new"]
    said.forget()
    assert commands(said) == ["old"]  # the journal has no record of the other one here


def test_recorded_mission_of_this_session_is_listed_once(journal):
    on_record(journal, end("own"), acts=True, session="s")
    said = Conversation(journal, "lab", {"move"}, lambda: "s")
    said.record_turn(end("own"))
    assert commands(said) == ["own"]


def test_acting_missions_are_from_today_or_else_the_last_one():
    today = datetime(2026, 11, 20, 9, 0)
    before = [Turn(name, at=today - timedelta(days=days)) for name, days in (("a", 2), ("b", 1))]
    context = Context(earlier=tuple(before))
    assert context.acting_missions(today.date()) == (before[1],)
    now = Turn("c", at=today)
    assert context.with_turn(now).acting_missions(today.date()) == (now,)


@pytest.mark.parametrize("forgets", [False, True])
def test_earlier_missions_are_read_from_the_journal(journal, forgets):
    on_record(journal, end("first"), end("second"))
    on_record(journal, end("elsewhere"), site="hall")
    on_record(journal, end("thanks", REPLY))
    journal.begin(command="runs", site="lab").close()
    said = Conversation(journal, "lab")
    if forgets:
        said.forget()
    assert said.context().earlier_missions() == (turn("second", acted=False),)


def test_only_the_last_five_missions_are_searched(journal):
    on_record(journal, end("old"), *[end("thanks", REPLY)] * 4)
    assert Conversation(journal, "lab").context().earlier_missions() == (turn("old", acted=False),)
    on_record(journal, end("thanks", REPLY))
    assert Conversation(journal, "lab").context().earlier_missions() == ()


def test_without_a_journal_there_are_no_earlier_missions():
    assert Conversation(None, "lab").context().earlier_missions() == ()
