"""Speakers: scripted people, and the operator at the keyboard, without blocking."""

from __future__ import annotations

import os
import threading
import time

import pytest

from bt_exec_skills.reporter.reporting.speech_interface import Reply, ScriptedSpeaker
from bt_exec_skills.reporter.reporting.terminal_speech import Pacing, TerminalSpeech, is_refusal
from bt_exec_skills.reporter.sim.options import STOCK, scripted_replies


def test_scripted_persons_answer_after_a_delay():
    now = [0.0]
    speaker = ScriptedSpeaker(lambda: now[0], {"kim": {"en": Reply("Yes.")}}, delay_s=2.0)
    speaker.say("kim", "Well?", "en")
    listening = speaker.listen("kim", "en")
    assert listening.reply is None
    now[0] = 2.0
    assert listening.reply == Reply("Yes.")
    listening.stop()
    assert listening.reply is None
    assert speaker.said[0] == (0.0, "kim", "Well?")
    assert speaker.listen("lee", "en").reply is None


def test_person_out_of_earshot_does_not_answer():
    speaker = ScriptedSpeaker(lambda: 9.0, {"*": {"en": Reply("Yes.")}}, lambda who: who == "kim")
    now = [speaker.listen(who, "en") for who in ("kim", "lee")]
    assert now[0]._at == 11.5
    assert now[1]._reply is None


def test_simulated_persons_reply_as_configured():
    assert scripted_replies("none", 0) == {"*": None}
    assert scripted_replies("refuse", 0)["*"]["ko"].refused
    assert scripted_replies("네!", 0)["*"]["ko"] == Reply("네!")
    assert scripted_replies("random", 7)["*"]["en"].text == STOCK[7 % len(STOCK)]["en"]


@pytest.mark.parametrize(
    ("text", "refuses"),
    [("거절합니다.", True), ("No.", True), ("화요일 3시", False), ("No way", False)],
)
def test_refusals_are_recognised(text, refuses):
    assert is_refusal(text) is refuses


@pytest.fixture
def keyboard():
    read, write = os.pipe()
    with os.fdopen(read, encoding="utf-8") as source, os.fdopen(write, "w", buffering=1) as typed:
        yield source, typed


def wait_for(listening, seconds=60.0):
    limit = time.monotonic() + seconds
    while listening.reply is None and time.monotonic() < limit:
        time.sleep(0.01)
    return listening.reply


def test_typed_line_is_the_reply(keyboard):
    source, typed = keyboard
    lines = []
    speaker = TerminalSpeech(lines.append, source, lambda person, language: f"{person}/{language}")
    speaker.say("professor", "언제입니까?", "ko")
    listening = speaker.listen("professor", "ko")
    assert listening.reply is None  # no blocking before a line is typed
    typed.write("화요일 3시\n")
    assert wait_for(listening) == Reply("화요일 3시")
    assert lines == ["🤖 → professor/ko: 언제입니까?", "professor/ko ▸"]


def test_empty_line_is_ignored_as_reply(keyboard):
    source, typed = keyboard
    speaker = TerminalSpeech(lambda line: None, source)
    listening = speaker.listen("professor", "ko")
    typed.write("\n")
    assert wait_for(listening, 0.3) is None
    assert speaker.listening
    typed.write("화요일 3시\n")
    assert wait_for(listening) == Reply("화요일 3시")


def test_listening_ends_at_the_end_of_input(keyboard):
    source, typed = keyboard
    listening = TerminalSpeech(lambda line: None, source).listen("professor", "ko")
    typed.close()
    limit = time.monotonic() + 60
    while not listening.over and time.monotonic() < limit:
        time.sleep(0.01)
    assert (listening.over, listening.reply) == (True, None)


def test_lines_after_listening_are_left_in_the_input(keyboard):
    source, typed = keyboard
    speaker = TerminalSpeech(lambda line: None, source)
    listening = speaker.listen("user", "en")
    speaker.close()
    time.sleep(0.25)
    typed.write("for the prompt\n")
    assert wait_for(listening, 0.3) is None
    assert source.readline() == "for the prompt\n"


def test_replies_are_read_from_a_file_until_its_end(tmp_path):
    answers = tmp_path / "answers.txt"
    answers.write_text("no\n", encoding="utf-8")
    with answers.open(encoding="utf-8") as source:
        speaker = TerminalSpeech(lambda line: None, source)
        assert wait_for(speaker.listen("user", "en")) == Reply("no", refused=True)
        assert wait_for(speaker.listen("user", "en"), 0.2) is None


def test_closed_input_gives_no_reply(tmp_path):
    answers = tmp_path / "answers.txt"
    answers.write_text("no\n", encoding="utf-8")
    with answers.open(encoding="utf-8") as source:
        speaker = TerminalSpeech(lambda line: None, source)
    listening = speaker.listen("user", "en")
    for thread in threading.enumerate():
        if thread.name == "reporter-ears":
            thread.join(timeout=60.0)  # an exception there fails the test
    assert listening.reply is None


def test_fast_simulation_waits_for_a_reply():
    class World:
        time = 0.0

        def step(self, seconds):
            self.time += seconds

    slept = []
    listens = iter([False, True, True])
    walls = iter([0.0, 0.01, 0.02, 0.05, 0.5, 0.5])
    paced = Pacing(World(), lambda: next(listens), lambda: next(walls), slept.append)
    for _ in range(3):
        paced.step(0.05)
    assert slept == [pytest.approx(0.04), 0.0]
    assert paced.time == pytest.approx(0.15)


def test_listening_lasts_from_the_question_to_the_reply(keyboard):
    source, _ = keyboard
    speaker = TerminalSpeech(lambda line: None, source)
    assert not speaker.listening
    line = speaker.listen("user", "en")
    assert speaker.listening
    line.stop()
    assert not speaker.listening
