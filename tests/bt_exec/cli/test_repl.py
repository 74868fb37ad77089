"""Prompt: one command after another."""

from __future__ import annotations

import io
import re
import shutil
import sqlite3
from pathlib import Path

import pytest
from rich.cells import cell_len

from bt_exec.cli.app import run_command_line
from bt_exec.cli.history_and_why import open_journal, report_interrupted_mission
from bt_exec.cli.mission_display import MissionDisplay
from bt_exec.tui.paint import Painter
from tests.bt_exec.cli.conftest import Run
from tests.small_pictures import small_pictures

pytestmark = pytest.mark.sampled


def test_repl_reads_commands_from_a_pipe(bt: Run) -> None:
    words = (
        "# first\n\nopen the door\nstatus\nopen the door\nreset door=opn\nfly\nquit\n"
        "open the door\n"
    )
    ran = bt("repl", "--fast", "--no-journal", stdin=words)
    assert ran.code == 2, "the first thing that went wrong"
    assert ran.out.count("✓ satisfied") == 2
    assert "  The door is open.\n" in ran.out
    assert "already open" in ran.out
    assert "world setting door='opn'" in ran.out
    assert ran.out.count("command   ") == 3


def test_prompt_opens_without_a_command(bt: Run) -> None:
    ran = bt(stdin="help\n")
    assert ran.code == 0
    assert "\n  Open the door. · 문을 열어.\n" in ran.out
    assert "reset [KEY=VALUE]" in ran.out


def test_prompt_commands_are_answered_in_their_language(bt: Run) -> None:
    ran = bt(
        "repl", "--fast", "--no-journal", stdin="문 열어\n상태\n도움말\n초기화\n상태\nstatus\n"
    )
    assert ran.code == 0
    told = ran.out.partition("완료")[2]
    assert "  문이 열려 있습니다.\n" in told
    assert "  두 손은 비어 있습니다.\n" in told
    assert "Ctrl-C나 “멈춰”를 입력하면 임무를 멈추고" in told
    assert "시뮬레이션을 처음 상태로 되돌렸습니다." in told
    assert told.endswith("  The arms are in the home position.\n  Both hands are empty.\n")
    assert "hand.left" not in told


def test_facts_without_a_sentence_are_listed_on_request(bt: Run) -> None:
    ran = bt("repl", "--fast", "--no-journal", "-v", stdin="status\n")
    assert "  doorway: free\n" in ran.out


def test_status_separates_the_initial_world_from_the_current_state(bt: Run) -> None:
    lines = "close the door\nstatus\n상태\n"
    ran = bt("repl", "--fast", "--no-journal", "--world", "door=open", stdin=lines)
    english, korean = ran.out.partition("door · the simulated world began with door=open\n")[
        2
    ].split("door · 시뮬레이션을 시작할 때의 상태: door=open\n")
    assert "  The door is closed.\n" in english
    assert "  문이 닫혀 있습니다.\n" in korean


def test_history_is_listed_in_the_language_of_its_command(bt: Run) -> None:
    ran = bt("repl", "--fast", stdin="open the door\n기록\nhistory\n기록 --failed\n")
    korean, english = ran.out.partition("   번호  시각")[2].split("   no.  when")
    assert "완료" in korean
    assert "satisfied" in english
    assert english.endswith("맞는 임무가 없습니다\n")


@pytest.mark.parametrize(
    ("command", "question", "seen", "told", "other"),
    [
        ("문 열어", "why did you stop?", r"seen +door closed", "told ", "[가-힣]"),
        ("open the door", "왜 멈췄어?", r"관찰 +문 닫힘", "보고 ", "[a-z]{2}"),
    ],
)
def test_why_answers_in_the_language_of_the_question(
    bt: Run, command: str, question: str, seen: str, told: str, other: str
) -> None:
    fault = "open_door=DOOR_STUCK"
    ran = bt("repl", "--fast", "--fault", fault, stdin=f"{command}\n{question}\n")
    reason = ran.out.rpartition("bt-exec replay 1\n")[2]
    own = reason.partition(command)[2].partition("\n")[2].partition(told)[0]
    assert re.search(seen, own)
    assert re.findall(other, own) == []


WORDS = [
    ("replay", "command   open the door"),
    ("replay 1", "✓ satisfied"),
    ("show", "open the door · door"),
    ("bt-exec why 1", "It was done as asked."),
    ("bt-exec history", "no.  when"),
    ("재생", "✓ satisfied"),
    ("watch", "no mission is running"),
    ("bt-exec run x", "bt-exec run does not run at this prompt"),
    ("bt-exec", "does not run at this prompt"),
    ("replay the mission", "not a valid use of the prompt command replay"),
    ("history please", "not a valid use of the prompt command history"),
    ("resume one", "not a valid use of the prompt command resume"),
    ("quit now", "not a valid use of the prompt command quit"),
    ("재생 부탁해", "입력창 명령 재생의 올바른 사용법이 아닙니다."),
    ("resume 1", "is finished; nothing is left to do"),
    ("resume 99", "there is no mission '99'"),
]


@pytest.fixture(scope="module")
def opened(door: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a data folder with the record of one mission."""
    folder = tmp_path_factory.mktemp("opened")
    with pytest.MonkeyPatch.context() as patch, small_pictures():
        patch.setenv("XDG_DATA_HOME", str(folder))
        patch.setenv("BT_EXEC_SITE", door)
        assert run_command_line(["run", "open the door", "--fast"]) == 0
    return folder


@pytest.mark.parametrize(("line", "said"), WORDS)
def test_prompt_commands_are_not_passed_to_the_robot(
    bt: Run, opened: Path, tmp_path: Path, line: str, said: str
) -> None:
    shutil.copytree(opened, tmp_path / "data")
    ran = bt("repl", "--fast", stdin=f"{line}\n")
    assert said in ran.out + ran.err
    assert "0002" not in bt("history").out
    assert "mean" not in ran.out


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("show me the door", "command   show me the door"),
        ("help me", "You can say:"),
        ("what is the status of the door", "The door is closed"),
    ],
)
def test_robot_command_may_contain_a_prompt_command_word(bt: Run, line: str, said: str) -> None:
    assert said in bt("repl", "--fast", stdin=f"{line}\n").out


@pytest.mark.parametrize(
    ("command", "line", "said"),
    [
        ("open the door", "resume 1", "Resuming “open the door”"),
        ("open the door", "bt-exec resume", "Resuming “open the door”"),
        ("open the door", "bt-exec resume 1", "Resuming “open the door”"),
        ("open the door", "재개 1", "Resuming “open the door”"),
        ("문 열어", "resume 1", "“문 열어” 임무를 이어서"),
    ],
)
def test_prompt_resumes_a_mission_in_the_language_of_its_command(
    bt: Run, command: str, line: str, said: str
) -> None:
    bt("run", command, "--fast", "--fault", "open_door=DOOR_STUCK")
    ran = bt("repl", "--fast", stdin=f"{line}\n")
    assert said in ran.out
    assert "bt-exec why 2" in ran.out


def test_question_about_the_past_is_about_the_last_mission_that_acted(bt: Run) -> None:
    first = "open the door\nwhat are you holding?\nwhat happened?\n"
    lines = f"{first}fly\nwhat went wrong?\nwhat happened?\n"
    told = bt("repl", "--fast", stdin=lines).out.split("asked ")
    assert told[1].strip().startswith("open the door")
    assert told[2].strip().startswith("fly")
    assert told[3].strip().startswith("open the door")


@pytest.mark.parametrize(("line", "said"), [("why abc", "no mission 'abc'"), ("왜 abc", "'abc'")])
def test_unknown_mission_name_is_refused(bt: Run, line: str, said: str) -> None:
    ran = bt("repl", "--fast", stdin=f"open the door\n{line}\n")
    assert said in ran.err
    assert "asked" not in ran.out


def test_stopped_mission_reports_how_to_restore_its_world(bt: Run, tmp_path: Path) -> None:
    faults = tmp_path / "stop.yaml"
    faults.write_text("{summary: s, faults: [{part: operator, does: stop, since: 1}]}")
    ran = bt("run", "문 열어", "--fast", "--faults", str(faults))
    assert "주입한 결함 때문에 임무가 멈췄습니다." in ran.out
    assert ran.out.endswith("이어서 하려면: bt-exec resume 1\n")
    told = " ".join(bt("repl", "--fast", stdin="what did you do?\ngo on\n").out.split())
    state = "“The door was closed when I looked a moment ago."
    assert f"“문 열어” was stopped. The state at the end of that mission: {state}" in told
    assert "Resuming “문 열어”" in told


def test_preparation_line_fits_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    screen = io.StringIO()
    display = MissionDisplay(Painter(screen))
    display.live = True
    with display.preparation_line("restoring the world of mission 2026-11-29-0014"):
        assert cell_len(screen.getvalue()) < 40


def test_errors_of_a_restored_mission_are_not_logged_again(bt: Run, tmp_path: Path) -> None:
    faults = tmp_path / "planner.yaml"
    crash = "{part: planner, does: crash}"
    slip = "{part: skill, name: open_door, does: fail, code: DOOR_STUCK, call: 1}"
    faults.write_text(f"{{summary: s, faults: [{slip}, {crash[:-1]}, since: 0.04}}]}}")
    assert (
        "The planner crashed" in bt("run", "open the door", "--fast", "--faults", str(faults)).err
    )
    assert bt("resume", "--fast").err == ""


def test_interruption_notice_suggests_commands_valid_at_the_prompt(bt: Run, tmp_path: Path) -> None:
    bt("run", "open the door", "--fast")
    journal = open_journal(None)
    with sqlite3.connect(journal.path) as database:
        database.execute("UPDATE missions SET status = NULL, process = NULL")
    for prompt, ways in ((True, "· why 1 · resume 1"), (False, "· bt-exec why 1 · bt-exec res")):
        screen = io.StringIO()
        with sqlite3.connect(journal.path) as database:
            database.execute("UPDATE missions SET told_at = NULL")
        report_interrupted_mission(Painter(screen), open_journal(None), prompt=prompt)
        assert ways.replace("·", "-") in screen.getvalue()


NEW_WORLD = "This simulated world is new and does not contain the results of “open the door”"


@pytest.mark.parametrize("command", ["is the door open?", "go on", "close the door"])
def test_new_world_is_reported_after_an_interruption_unless_restored(bt: Run, command: str) -> None:
    bt("run", "open the door", "--fast")
    with sqlite3.connect(open_journal(None).path) as database:
        database.execute("UPDATE missions SET status = NULL, process = NULL")
    assert (NEW_WORLD in bt("run", command, "--fast").out) == (command != "go on")


@pytest.mark.parametrize("fault", [(), ("--fault", "open_door=DOOR_STUCK")])
def test_new_world_is_reported_once_before_the_first_question(
    bt: Run, fault: tuple[str, ...]
) -> None:
    bt("run", "open the door", "--fast", *fault)
    asked = bt("repl", "--fast", stdin="is the door open?\nwhat are you holding?\n").out
    assert asked.count(NEW_WORLD) == 1
    assert NEW_WORLD not in bt("run", "close the door", "--fast").out


def test_world_is_not_reported_as_new_after_a_mission_in_it(bt: Run) -> None:
    bt("run", "open the door", "--fast", "--fault", "open_door=DOOR_STUCK")
    asked = bt("repl", "--fast", stdin="bring your left arm home\nis the door open?\n").out
    assert NEW_WORLD not in asked


def test_answer_about_a_past_action_names_its_mission(bt: Run) -> None:
    asked = ("did you open the door?", "문 닫았어?", "when did you close the door?")
    lines = "\n".join(("open the door", "bring your arms home", *asked))
    said = " ".join(bt("repl", "--fast", stdin=lines).out.split())
    assert re.search(r"Yes\. I did that at \d\d:\d\d \(“open the door”\)\.", said)
    assert "오늘 한 임무 중에 꼭 그 일을 한 것은 없습니다" in said
    assert "No mission today did exactly that" in said
    assert said.count("I did that") == 1


def test_question_about_a_past_action_ignores_values_that_it_does_not_name(bt: Run) -> None:
    asked = (
        "did you open the door?",
        "아까 문 열었어?",
        "did you open the door with the right arm?",
    )
    lines = "\n".join(("open the door with your left arm", *asked))
    said = " ".join(bt("repl", "--fast", stdin=lines).out.split())
    assert said.count("Yes. I did that at") == 1
    assert re.search(r"네\. \d\d:\d\d에 했습니다", said)
    assert "No mission today did exactly that" in said


def test_question_about_an_unfinished_action_is_answered_no_with_its_last_attempt(bt: Run) -> None:
    bt("run", "open the door", "--fast", "--fault", "open_door=DOOR_STUCK")
    said = bt("repl", "--fast", stdin="did you open the door?\n아까 문 열었어?\n").out
    said = " ".join(said.split())
    assert re.search(r"No\. I began that at \d\d:\d\d \(“open the door”\), but it was not", said)
    assert re.search(r"아니요\. \d\d:\d\d에 시작했지만 끝내지 못했습니다", said)


def test_question_about_a_repeated_action_names_the_finished_and_the_last_attempt(bt: Run) -> None:
    bt("run", "open the door", "--fast")
    bt("run", "open the door", "--fast", "--fault", "open_door=DOOR_STUCK")
    said = " ".join(bt("repl", "--fast", stdin="did you open the door?\n").out.split())
    assert re.search(r"Yes\. I did that at \d\d:\d\d .* I began that at \d\d:\d\d .* not", said)


@pytest.mark.parametrize(
    ("question", "command"),
    [
        ("why did you not close the door?", "if the door is ajar, close it"),
        ("왜 문 안 닫았어?", "if the door is ajar, close it"),
        ("왜 문을 닫지 않았어?", "if the door is ajar, close it"),
        ("why did you close the door?", "close the door"),
    ],
)
def test_question_why_an_action_was_not_done_is_about_the_mission_that_left_it_out(
    bt: Run, question: str, command: str
) -> None:
    lines = ("open the door", "close the door", "if the door is ajar, close it", question)
    out = bt("repl", "--fast", stdin="\n".join(lines) + "\n").out
    assert f"{command} (" in out


def test_question_about_a_message_is_answered_from_the_record(bt: Run) -> None:
    lines = (
        "교수님께 점심이 준비됐다고 전해 줘",
        "교수님께 점심이 준비됐다고 전했어?",
        "did you tell the professor that the meeting is cancelled?",
    )
    out = bt("repl", "--site", "building", "--fast", stdin="\n".join(lines) + "\n").out
    said = " ".join(out.split())
    assert re.search(r"네\. \d\d:\d\d에 했습니다", said)
    assert "No mission today did exactly that." in said


def test_mission_that_was_blocked_before_its_first_motion_can_be_continued(bt: Run) -> None:
    world = ("--world", "door=open", "--world", "material=absent")
    bt("run", "get the material", "--fast", *world)
    said = bt("repl", "--fast", *world, stdin="what is left?\ngo on\n").out
    assert "“get the material” could not be finished." in " ".join(said.split())
    assert "Resuming “get the material”" in said


def test_why_of_an_unrecorded_action_explains_the_last_mission(bt: Run) -> None:
    lines = "open the door\nwhy did you close the door?\nwhy did you do that?\n"
    said = bt("repl", "--fast", stdin=lines).out
    assert said.count("No mission on record did exactly that.") == 1
    assert len(re.findall("asked +open the door", said)) == 2


@pytest.mark.parametrize("needless", ["문 열어", "문이 닫혀 있으면 열어"])
def test_why_explains_a_command_that_required_no_action(bt: Run, needless: str) -> None:
    said = bt("repl", "--fast", stdin=f"문 열어\n{needless}\n왜 안 했어?\n").out
    assert re.search(f"할 일이 없었습니다\\.\n +명령 +{needless} ", said)


def test_why_explains_the_mission_that_did_the_action_in_the_question(bt: Run) -> None:
    lines = "open the door\nclose the door\nis the door open?\nwhy did you open the door?\n"
    said = " ".join(bt("repl", "--fast", stdin=lines).out.split())
    assert "asked open the door (" in said
    assert "asked close the door (" not in said
