"""History of missions on the command line and at the prompt."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bt_exec.cli.prompt_words import asks_why
from tests.bt_exec.cli.conftest import Run

GET = "문 안의 자재를 가져와"
STUCK = ("--fast", "--fault", "open_door:1=DOOR_STUCK")
ALWAYS = ("--fast", "--fault", "open_door=DOOR_STUCK")


def bare(text: str) -> str:
    """Return the output without mission dates, times and durations, which differ between runs."""
    text = re.sub(r"\d{4}-\d\d-\d\d-(\d{4})", r"DAY-\1", text)
    text = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d", "DAY AND TIME", text)
    text = re.sub(r"\d\d-\d\d \d\d:\d\d", "DAY   TIME ", text)
    return re.sub(r" · \d+\.\d( s|초) +DAY", " · TOOK  DAY", text)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder that `day` recorded into. Every test starts from a copy."""
    return tmp_path_factory.mktemp("recorded") / "data"


@pytest.fixture
def day(bt: Run, recorded: Path, tmp_path: Path) -> Run:
    """Run three missions: one fails, one succeeds, one is refused."""
    if recorded.exists():
        shutil.copytree(recorded, tmp_path / "data")
        return bt
    assert bt("run", GET, *ALWAYS).code == 3
    assert bt("run", "open the door", "--fast").code == 0
    assert bt("run", "fly away", "--fast").code == 5
    shutil.copytree(tmp_path / "data", recorded)
    return bt


def rows(out: str) -> list[list[str]]:
    return [re.split(r" {2,}| · ", line.strip()) for line in bare(out).splitlines()]


@pytest.mark.slow
def test_history_lists_missions(day: Run) -> None:
    _, *found = rows(day("history").out)
    assert [[row[0], row[-3], row[-2]] for row in found] == [
        ["■", GET, "blocked"],
        ["✓", "open the door", "satisfied"],
        ["↷", "fly away", "refused"],
    ]


@pytest.mark.parametrize("width", [80, 40])
def test_mission_list_fits_the_width_and_contains_whole_commands(
    day: Run, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    out = bare(day("history").out)
    assert all(len(line) < width for line in out.splitlines())
    assert set(out.split()) >= {*GET.split(), "open", "the", "door", "fly", "away", "refused"}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ((), ["blocked", "satisfied", "refused"]),
        (("--failed",), ["blocked", "refused"]),
        (("--today", "-n", "2"), ["satisfied", "refused"]),
        (("--failed", "-n", "1"), ["refused"]),
        (("-n", "0"), ["blocked", "satisfied", "refused"]),
        (("--site", "door"), ["blocked", "satisfied", "refused"]),
        (("--status", "blocked"), ["blocked"]),
        (("--status", "막힘"), ["blocked"]),
        (("--command", "the door"), ["satisfied"]),
        (("--search", "stuck"), ["blocked"]),
        (("--search", "자재", "--failed"), ["blocked"]),
    ],
)
def test_json_mission_list_has_one_object_per_line(
    day: Run, options: tuple[str, ...], expected: list[str]
) -> None:
    ran = day("history", "--json", *options)
    assert [json.loads(line)["status"] for line in ran.out.splitlines()] == expected
    assert ran.err == ""


def test_empty_mission_list_is_reported(bt: Run) -> None:
    assert bt("history").out == "no mission yet\n"
    assert bt("history", "--today").out == "no mission matches\n"
    assert bt("history", "--json").out == ""


def test_why_answers_in_korean(day: Run) -> None:
    said = bare(day("why", "1").out)
    assert said.startswith(
        " ■ 막힘 · TOOK  DAY-0001\n"
        "   문이 제대로 움직이지 않습니다: 첫 번째 실행을 일부러 실패시켰습니다.\n"
        "   명령       문 안의 자재를 가져와 (DAY AND TIME, door)\n"
    )
    labels = [line[3:].split("  ")[0].strip() for line in said.splitlines()[2:]]
    assert [label for label in labels if label][:8] == [
        *("명령", "계획", "첫 실패", "시각", "관찰", "다른 시도", "실패", "다른 시도"),
    ]


@pytest.mark.parametrize(
    ("which", "cause"),
    [("2", "It was done as asked."), ("last", "I do not know the action “fly”.")],
)
def test_why_reports_the_ending_of_a_mission_without_a_failure(
    day: Run, which: str, cause: str
) -> None:
    assert day("why", which).out.splitlines()[1].startswith(f"   {cause}")
    assert json.loads(day("why", which, "--json").out)["cause"].startswith(cause)


@pytest.mark.slow
def test_mission_is_found_by_its_name_by_its_number_and_as_the_last_one(day: Run) -> None:
    whole = json.loads(day("why", "--json").out)["mission_id"]
    assert day("why", whole).out == day("why", "3").out == day("why", "last").out


@pytest.mark.parametrize("command", [("why",), ("history", "show")])
@pytest.mark.parametrize("which", ["77", "2020-01-01-0001", "x"])
def test_unknown_mission_is_reported_in_one_line(
    day: Run, command: tuple[str, ...], which: str
) -> None:
    ran = day(*command, which)
    assert (ran.code, ran.out) == (2, "")
    head, _, known = " ".join(bare(ran.err).split()).partition(" known, nearest first: ")
    assert head == f"bt-exec: there is no mission {bare(which)!r};"
    names, _, hint = known.partition(". ")
    assert (sorted(names.split(", ")), hint) == (
        ["DAY-0001", "DAY-0002", "DAY-0003"],
        "See: bt-exec history",
    )


@pytest.mark.slow
def test_history_show_lists_the_attempts_plan_by_plan(bt: Run) -> None:
    assert bt("run", "open the door", *STUCK).code == 0
    shown = bare(bt("history", "show", "1").out)
    heads = [line for line in shown.splitlines() if not line.startswith("  ") and line[1:2] == "p"]
    assert [head.split(" · ")[0] for head in heads] == [" plan 1", " plan 2"]
    assert shown.count("✗ open the door") == 1
    assert shown.count("✓ open the door") == 1
    assert "recovered" in shown
    data = json.loads(bt("history", "show", "--json").out)
    assert [plan["plan"] for plan in data["plans"]] == [1, 2]
    assert data["complete"] is True


@pytest.mark.slow
def test_summary_suggests_why_and_replay(bt: Run) -> None:
    assert "record DAY-0001 · bt-exec why 1 · bt-exec replay 1\n" in bare(
        bt("run", "open the door", *BRIEF).out
    )
    assert "기록 DAY-0002 · bt-exec why 2 · bt-exec replay 2\n" in bare(
        bt("run", "문 열어", *BRIEF).out
    )


BRIEF = ("--fast", "--world", "door=open")


KILLED = """
import os, signal, sys
from bt_exec.events import Listener, SkillStarting
from bt_exec.journal import Journal
from bt_exec.mission.session import Session
from bt_exec.cli.plan_from_file import load_plan
from bt_exec.site.site import load_site
from pathlib import Path
class Kill:
    def on(self, event):
        if isinstance(event, SkillStarting) and event.skill == "grasp":
            os.kill(os.getpid(), signal.SIGKILL)
journal = Journal.open(None)
site, world = load_site(os.environ["BT_EXEC_SITE"]), {"door": "open"}
plan = load_plan(Path(sys.argv[2]), site, sys.argv[1])  # the Korean reader is not loaded
with Session(site, fast=True, world=world, journal=journal, listeners=[Kill()]) as session:
    session.run(sys.argv[1], plan)
"""


@pytest.mark.slow
def test_interrupted_mission_is_reported_once_and_marked(bt: Run, tmp_path: Path) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text(bt("compile", GET).out, encoding="utf-8")
    program = [sys.executable, "-c", KILLED, GET, str(plan)]
    done = subprocess.run(program, check=False, timeout=120, env={**os.environ})
    assert done.returncode == -signal.SIGKILL
    ran = bt("run", "open the door", *BRIEF)
    first = " ".join(bare(ran.out).split("bt-exec why 1")[0].split())
    assert first == (
        "“문 안의 자재를 가져와” from DAY AND TIME was interrupted. "
        "The program ended during this step: grasp the material with the right hand. "
        "Last known: The door is open. "
        "No longer certain: It is not known what the right hand holds. "
        "It is not known where the right arm is. "
        "This may have changed: “The material is behind the door.” "
        "Intended state: The right hand holds the material. ·"
    )
    assert "중단" not in bt("run", "open the door", *BRIEF).out
    assert " interrupted" in bt("history", "--failed").out
    assert json.loads(bt("why", "1", "--json").out)["possible"]["hand.right"] == "material"


@pytest.mark.slow
def test_prompt_answers_why_from_the_journal_without_moving(bt: Run) -> None:
    words = "문 열어\nwhy did you stop?\n왜 멈췄어?\nwhy\n"
    ran = bt("repl", *ALWAYS, stdin=words)
    assert ran.out.count("command   ") + ran.out.count("명령      문 열어\n") == 1
    causes = [line.strip() for line in ran.out.splitlines() if "by" not in line]
    assert causes.count("The door does not move as it should: injected failure at call 1.") == 1
    assert causes.count("문이 제대로 움직이지 않습니다: 첫 번째 실행을 일부러 실패시켰습니다.") == 2
    assert [json.loads(line)["command"] for line in bt("history", "--json").out.splitlines()] == [
        "문 열어"
    ]


def test_why_without_a_journal_has_no_answer(bt: Run) -> None:
    ran = bt("repl", "--no-journal", "--fast", stdin="why\n")
    assert ran.out == "bt-exec: no record is kept here (--no-journal), so the reason is unknown\n"
    assert bt("repl", "--fast", stdin="why\n").out.startswith(
        "bt-exec: no mission is on record yet"
    )


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        *((text, True) for text in ("why", "Why?", "WHY did you stop?", "why is it blocked")),
        *(
            (text, True)
            for text in ("what happened?", "what went wrong", "왜?", "왜", "왜 멈췄어?")
        ),
        *(
            (text, True)
            for text in ("왜 안 됐어", "왜 실패했지?", "무슨 일이야?", "뭐가 잘못됐어?")
        ),
        *((text, False) for text in ("what happened today?", "what happened in the lounge?")),
        *((text, False) for text in ("open the door", "whyever", "what is there", "문 열어", "")),
        *(
            (text, False)
            for text in ("왜 늦는지 교수님께 여쭤봐", "왜 그런지 물어봐 줘", "왜가리를 찾아")
        ),
        *((text, False) for text in ("why he is late, ask him", "왜 늦었는지 가서 알려줘.")),
    ],
)
def test_why_questions_are_recognised(text: str, asks: bool) -> None:
    assert asks_why(text) is asks


def test_damaged_journal_is_reported_in_one_line(bt: Run, tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a record, and long enough to have a header" * 20)
    for command in (("why",), ("history",), ("history", "show")):
        ran = bt(*command, "--journal", str(path))
        assert (ran.code, ran.out) == (2, "")
        assert "file is not a database" in " ".join(ran.err.split())


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--site", "dor"), "there is no site 'dor'; known, nearest first: door, "),
        (("--status", "blockd"), "there is no status 'blockd'; known, nearest first: blocked, "),
    ],
)
def test_unknown_filters_are_refused(day: Run, options: tuple[str, ...], said: str) -> None:
    ran = day("history", *options)
    assert (ran.code, ran.out) == (2, "")
    assert said in " ".join(ran.err.split())


def test_statuses_are_in_the_language_of_the_user(
    day: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LC_ALL", raising=False)
    monkeypatch.delenv("LC_MESSAGES", raising=False)
    monkeypatch.setenv("LANG", "ko_KR.UTF-8")
    out = day("history").out
    assert [word in out for word in ("막힘", "완료", "거절", "번호")] == [True] * 4
    assert "blocked" not in out


@pytest.mark.slow
def test_suggested_commands_are_accepted_at_the_prompt(day: Run) -> None:
    """The prompt prints the same output as the command outside."""
    for line in ("why 1", "history", "history --failed", "show 2", "show get_material", "replay 2"):
        outside = day(*line.replace("show 2", "history show 2").split()).out
        assert outside
        assert day("repl", "--fast", stdin=f"{line}\n").out == outside
    assert day("repl", "--fast", stdin="왜 1\n").out == day("why", "1").out


def test_failing_line_does_not_end_the_prompt(day: Run) -> None:
    ran = day("repl", "--fast", stdin="why 99\nhistory --status well\nwhy 2\n")
    assert ran.code == 2
    assert "there is no mission '99'" in ran.err
    assert "there is no status 'well'" in ran.err
    assert ran.out == day("why", "2").out


def test_command_why_refers_to_the_last_mission_that_acted(day: Run) -> None:
    said = day("repl", "--fast", stdin="is the door open?\nwhat happened?\n").out
    assert "asked open the door" in " ".join(said.split())


def test_question_why_after_a_stop_refers_to_the_last_mission_that_did_not_end_well(
    day: Run,
) -> None:
    said = day("repl", "--fast", stdin="is the door open?\nwhy did you stop?\n").out
    assert f"asked          {GET}" in said or f"asked  {GET}" in " ".join(said.split())


def test_prune_requires_valid_units(day: Run) -> None:
    assert day("history", "prune", "--older", "1d").out == "0 missions removed, 0.0 MB\n"
    said = day("history", "prune", "--larger", "0.001M", "--dry-run").out
    assert said.startswith("3 missions would be removed, ")
    ran = day("history", "prune", "--older", "90")
    assert (ran.code, "write a number with a unit: 90d, 90w, 90y" in ran.err) == (2, True)
    assert "specify a limit" in " ".join(day("history", "prune").err.split())
    assert len(day("history", "--json").out.splitlines()) == 3
    data = json.loads(day("history", "prune", "--larger", "0.001M", "--json").out)
    assert len(data["missions"]) == 3
    assert day("history").out == "no mission yet\n"


def test_check_reports_an_intact_journal(day: Run) -> None:
    ran = day("history", "check")
    assert (ran.code, ran.out.split()[-3:]) == (0, ["is", "in", "order"])
    assert json.loads(day("history", "check", "--json").out) == []


def test_retention_time_of_a_site_is_applied(bt: Run, tmp_path: Path) -> None:
    site = tmp_path / "short.yaml"
    site.write_text(
        "site: short\npacks: {door: {robot: sim, detector: oracle}}\nkeep: {megabytes: 0.001}\n"
    )
    for _ in range(2):
        assert bt("run", "fly away", "--fast", "--site", str(site)).code == 5
    assert len(bt("history", "--json").out.splitlines()) == 1


def test_text_export_goes_to_standard_output(day: Run) -> None:
    ran = day("history", "export", "1", "--to", "jsonl", "-o", "-")
    assert json.loads(ran.out.splitlines()[0])["line"] == "mission"
    assert ran.code == 0
    ran = day("history", "export", "1", "--to", "mcap", "-o", "-")
    assert (ran.code, "name a file" in ran.err) == (2, True)
