"""What was said in a session: what is kept, what leaves no trace, what was done before it."""

from __future__ import annotations

import pytest

from bt_exec.events import Finished
from bt_exec.journal import Journal
from bt_exec.language.context import Context, Turn
from bt_exec.mission.conversation import Conversation
from bt_exec.outcome import Outcome
from bt_exec.planning.compiler import REPLIES

REPLY = sorted(REPLIES)[0]


def end(command: str, code: str = "OK", status: str = "satisfied", **more: object) -> Outcome:
    return Outcome("m", command, status, code, f"{command}: so", **more)  # type: ignore[arg-type]


def turn(command: str) -> Turn:
    return Turn(command, "satisfied", "OK", f"{command}: so")


def on_record(journal: Journal, *ends: Outcome, site: str = "lab") -> None:
    for outcome in ends:
        with journal.begin(command=outcome.command, site=site) as recorder:
            recorder.on(Finished(0.0, 0, outcome))


@pytest.fixture
def journal(tmp_path) -> Journal:
    return Journal.open(tmp_path / "j.sqlite")


def test_commands_and_their_ends_are_kept_in_order():
    said = Conversation(None, "lab")
    said.heard(end("one"))
    said.heard(end("two", "NOT_UNDERSTOOD", "refused", did_you_mean=("go",)))
    two = Turn("two", "refused", "NOT_UNDERSTOOD", "two: so", ("go",))
    assert said.context() == Context((turn("one"), two))
    assert said.context().last() == two


@pytest.mark.parametrize("trace", [end("thanks", REPLY), end("")])
def test_thanks_and_a_plan_without_a_command_leave_no_trace(trace):
    said = Conversation(None, "lab")
    said.heard(trace)
    assert said.context() == Context()


def test_in_a_new_world_the_last_mission_may_be_asked_about_and_nothing_points_at_it():
    said = Conversation(None, "lab")
    said.heard(end("one"))
    said.heard(end("two"))
    said.forget()
    assert said.context() == Context((), (turn("two"),))


@pytest.mark.parametrize("forgets", [False, True])
def test_what_was_done_before_a_session_is_read_from_the_record(journal, forgets):
    on_record(journal, end("first"), end("second"))
    on_record(journal, end("elsewhere"), site="hall")
    on_record(journal, end("thanks", REPLY))
    journal.begin(command="runs", site="lab").close()
    said = Conversation(journal, "lab")
    if forgets:
        said.forget()
    assert said.context().before() == (turn("second"),)


def test_only_the_last_five_missions_are_looked_through(journal):
    on_record(journal, end("old"), *[end("thanks", REPLY)] * 4)
    assert Conversation(journal, "lab").context().before() == (turn("old"),)
    on_record(journal, end("thanks", REPLY))
    assert Conversation(journal, "lab").context().before() == ()


def test_without_a_record_nothing_was_done_before():
    assert Conversation(None, "lab").context().before() == ()
