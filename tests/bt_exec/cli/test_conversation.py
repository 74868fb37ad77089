"""Conversations of ten turns at the prompt, in each language, over a pseudo-terminal.

They contain pronouns, a correction, questions about the past and the answer to a question.
"""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import pytest

pty = pytest.importorskip("pty", reason="pseudo-terminals are of Unix")

PATIENCE_S = 120
CONTROLS = re.compile(r"\x1b\[[?0-9;]*[A-Za-z]|\x1b[=>]|\x07|\r")

ENGLISH = [
    ("hello", "Hello. Tell me what to do."),
    ("is the door open?", "No. The door is closed."),
    ("open it", "The door is open."),
    ("no wait, close it", "The door is closed."),
    (
        "what did you do?",
        "(7.5 s) “no wait, close it” was completed. My report was: “The door is closed.”",
    ),
    ("fetch the materiel", "Did you mean “fetch the material”?"),
    ("y", "The right hand holds the material."),
    ("put it down", "done open the right hand"),
    ("why did you stop?", "It was done as asked."),
    ("thank you", "You're welcome."),
]
KOREAN = [
    ("안녕하세요", "안녕하세요. 무엇을 할지 말씀해 주세요."),
    ("문 열려 있어?", "아니요. 문이 닫혀 있습니다."),
    ("열어", "문이 열려 있습니다."),
    ("아니 닫아", "문이 닫혀 있습니다."),
    ("방금 뭐 했어?", "(7.5초) “아니 닫아”: 마쳤습니다. 그때의 보고: “문이 닫혀 있습니다.”"),
    ("자잭를 가져와", "라고 말씀하신 건가요?"),
    ("네", "오른손에 자재가 있습니다."),
    ("그거 내려놔", "마침 오른손 펴기"),
    ("왜 멈췄어?", "지시대로 마쳤습니다."),
    ("고마워", "별말씀을요."),
]


class Person:
    """Operator who types at a terminal of 60 columns and reads its output."""

    def __init__(self, *arguments: str, folder: Path) -> None:
        self.pid, self.screen = pty.fork()
        if self.pid == 0:
            own = {"COLUMNS": "60", "TERM": "xterm", "LC_ALL": "C.UTF-8", "NO_COLOR": "1"}
            places = {"XDG_DATA_HOME": str(folder), "XDG_STATE_HOME": str(folder)}
            command = [sys.executable, "-m", "bt_exec", *arguments]
            os.execve(sys.executable, command, {**os.environ, **own, **places})
        self.shown = ""

    def reads(self, ends: Sequence[str]) -> str:
        """Return the output until a prompt ends with one of `ends`; fail after a timeout.

        The space after the prompt must arrive, too. Otherwise it would be taken for later output.
        """
        start, limit = len(self.shown), time.monotonic() + PATIENCE_S
        prompts, raw = tuple(f"{end} " for end in ends), b""
        while time.monotonic() < limit:
            if not select.select([self.screen], [], [], 0.1)[0]:
                continue
            try:
                raw += os.read(self.screen, 65536)
            except OSError:  # the program has ended
                break
            self.shown = self.shown[:start] + CONTROLS.sub("", raw.decode("utf-8", "ignore"))
            if self.shown.endswith(prompts) and self.shown[start:].strip():
                return " ".join(self.shown[start:].split())
        pytest.fail(f"nothing like {ends} in: {self.shown[start:]}")

    def types(self, text: str) -> None:
        """Type a line."""
        os.write(self.screen, f"{text}\n".encode())

    def presses_ctrl_c(self) -> None:
        """Press Ctrl-C until a reaction is printed.

        If Ctrl-C arrives after readline has drawn the prompt and before it waits for a key, Python
        handles it with the next key.
        """
        for _ in range(PATIENCE_S):
            os.write(self.screen, b"\x03")
            if select.select([self.screen], [], [], 1.0)[0]:
                return

    def leaves(self) -> int:
        """Press Ctrl-D and return the exit code of the program."""
        os.write(self.screen, b"\x04")
        with suppress(OSError):
            while os.read(self.screen, 65536):
                pass
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


@pytest.fixture
def person(door: str, tmp_path: Path) -> Iterator[Person]:
    one = Person("repl", "--site", door, "--fast", "--plain", folder=tmp_path)
    yield one
    with suppress(ProcessLookupError, ChildProcessError):
        os.kill(one.pid, signal.SIGKILL)
        os.waitpid(one.pid, 0)
    os.close(one.screen)


@pytest.mark.slow
@pytest.mark.parametrize("turns", [ENGLISH, KOREAN], ids=["en", "ko"])
def test_ten_turns_of_a_conversation_have_the_expected_answers(person, turns):
    person.reads(["door>"])
    for said, told in turns:
        person.types(said)
        shown = person.reads(["door>", "[Y/n]"])
        assert told in shown.replace("\u2019", "'"), f"{said}: {shown}"
    assert person.leaves() == 0


@pytest.mark.slow
def test_suggested_spelling_can_be_declined(person):
    person.reads(["door>"])
    person.types("fetch the materiel")
    person.reads(["[Y/n]"])
    person.types("no")
    assert "satisfied" not in person.reads(["door>"])
    person.types("fetch the materiel")
    person.reads(["[Y/n]"])
    person.presses_ctrl_c()
    person.reads(["door>"])
    person.types("close the door")
    while "already closed" not in person.reads(["door>"]):
        pass  # the prompt may be drawn once more after the key; `reads` has its own timeout
    assert person.leaves() == 0


@pytest.mark.slow
@pytest.mark.parametrize("view", [(), ("--plain",)])
def test_typed_stop_stops_the_mission_and_drops_earlier_lines(door, tmp_path, view):
    one = Person("repl", "--site", door, *view, folder=tmp_path)
    one.reads(["door>"])
    one.types("문 열어")
    one.types("close the door")
    time.sleep(1.0)
    one.types("멈춰")
    shown = one.reads(["door>"])
    assert "After this mission: close the door" in shown
    assert "지시에 따라 멈췄습니다." in shown
    assert "Not run, because the mission was stopped: close the door" in shown
    assert one.leaves() == 0


@pytest.mark.slow
def test_line_typed_during_a_mission_is_the_next_command(person):
    person.reads(["door>"])
    person.types("open the door")
    person.types("close the door")
    person.reads(["door>"])
    while "The door is closed." not in person.shown:
        person.reads(["door>"])
    assert person.leaves() == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("said", "question", "answer", "told"),
    [
        ("open or close the door", "Which one: “open the door” or", "close", "already closed"),
        ("문 열거나 닫아", "“문을 닫아” 중 어느 것입니까?", "닫아요", "이미"),
    ],
)
def test_ambiguous_command_leads_to_a_question(person, said, question, answer, told):
    person.reads(["door>"])
    person.types(said)
    assert question in person.reads(["\n>"])
    person.types(answer)
    assert told in person.reads(["door>"])
    assert person.leaves() == 0


@pytest.mark.slow
def test_new_prompt_reports_that_the_earlier_world_is_gone(door, tmp_path):
    words = ["run", "open the door", "--site", door, "--fast", "--fault", "open_door=DOOR_STUCK"]
    places = {"XDG_DATA_HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path)}
    command = [sys.executable, "-m", "bt_exec", *words]
    assert subprocess.run(command, env={**os.environ, **places}, capture_output=True).returncode
    person = Person("repl", "--site", door, "--fast", "--plain", folder=tmp_path)
    assert (
        "This simulated world is new and does not contain the results of “open the door”"
        in person.reads(["door>"])
    )
    assert person.leaves() == 0
