"""Conversation of a session: recorded commands, ignored replies and missions before the session."""

from __future__ import annotations

import pytest

from bt_exec.events import Finished
from bt_exec.journal import Journal
from bt_exec.language.meaning import Context, Turn
from bt_exec.mission.conversation import Conversation
from bt_exec.outcome import Outcome
from bt_exec.planning.compiler import REPLIES

REPLY = sorted(REPLIES)[0]


def end(command: str, code: str = "OK", status: str = "satisfied", **more: object) -> Outcome:
    return Outcome("m", command, status, code, f"{command}: so", **more)  # type: ignore[arg-type]


def turn(command: str, *, acted: bool = True) -> Turn:
    return Turn(command, "satisfied", "OK", f"{command}: so", acted=acted)


def on_record(journal: Journal, *ends: Outcome, site: str = "lab") -> None:
    for outcome in ends:
        with journal.begin(command=outcome.command, site=site) as recorder:
            recorder.on(Finished(0.0, 0, outcome))


@pytest.fixture
def journal(tmp_path) -> Journal:
    return Journal.open(tmp_path / "j.sqlite")


def test_commands_and_their_outcomes_are_recorded_in_order():
    said = Conversation(None, "lab")
    said.heard(end("one"))
    said.heard(end("two", "NOT_UNDERSTOOD", "refused", did_you_mean=("go",)))
    two = Turn("two", "refused", "NOT_UNDERSTOOD", "two: so", ("go",))
    assert said.context() == Context((turn("one"), two))
    assert said.context().last() == two


@pytest.mark.parametrize("trace", [end("thanks", REPLY), end("")])
def test_thanks_and_plans_without_a_command_are_not_recorded(trace):
    said = Conversation(None, "lab")
    said.heard(trace)
    assert said.context() == Context()


def test_forget_keeps_only_the_last_mission_as_earlier_context():
    said = Conversation(None, "lab")
    said.heard(end("one"))
    said.heard(end("two"))
    said.forget()
    assert said.context() == Context((), (turn("two"),))


@pytest.mark.parametrize("forgets", [False, True])
def test_earlier_missions_are_read_from_the_journal(journal, forgets):
    on_record(journal, end("first"), end("second"))
    on_record(journal, end("elsewhere"), site="hall")
    on_record(journal, end("thanks", REPLY))
    journal.begin(command="runs", site="lab").close()
    said = Conversation(journal, "lab")
    if forgets:
        said.forget()
    assert said.context().before() == (turn("second", acted=False),)


def test_only_the_last_five_missions_are_searched(journal):
    on_record(journal, end("old"), *[end("thanks", REPLY)] * 4)
    assert Conversation(journal, "lab").context().before() == (turn("old", acted=False),)
    on_record(journal, end("thanks", REPLY))
    assert Conversation(journal, "lab").context().before() == ()


def test_without_a_journal_there_are_no_earlier_missions():
    assert Conversation(None, "lab").context().before() == ()
