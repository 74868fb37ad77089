"""``run --faults`` and ``torture``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bt_exec.nodes.fault_plan import load_fault_plan
from tests.bt_exec.cli.conftest import Run

pytestmark = pytest.mark.sampled

PLAN = """\
command: open the door
world: {seed: 2}
faults:
  - {part: skill, name: open_door, does: fail, code: DOOR_STUCK, call: 1}
  - {part: operator, does: stop, since: 99}
"""


def test_mission_runs_with_the_command_and_the_faults_of_a_plan(bt: Run, tmp_path: Path) -> None:
    file = tmp_path / "plan.yaml"
    file.write_text(PLAN)
    ran = bt("run", "--faults", str(file), "--fast", "--no-journal", "--json")
    assert ran.code == 0, ran.err
    outcome = json.loads(ran.out)
    assert outcome["command"] == "open the door"
    assert [failure["code"] for failure in outcome["failures"]] == ["DOOR_STUCK"]
    assert "The injected fault operator stop from 99 s did not occur." in ran.err


def test_unfired_faults_are_reported_in_the_language_of_the_command(
    bt: Run, tmp_path: Path
) -> None:
    file = tmp_path / "plan.yaml"
    file.write_text("faults: [{part: process, does: kill, since: 90, until: 99}]")
    ran = bt("run", "팔을 제자리로 돌려", "--fast", "--no-journal", "--faults", str(file))
    assert "발생하지 않았습니다: 프로그램 강제 종료 90~99초." in ran.out
    words = ["run", "팔을 제자리로 돌려", "--fast", "--no-journal"]
    ran = bt(*words, "--fault", "open_door:7=TIMEOUT")
    assert (
        "주입한 결함이 발생하지 않았습니다: open_door:7=TIMEOUT. 문 열기는 한 번도 실행되지"
        in ran.out
    )


def test_invalid_plan_is_reported_with_its_line(bt: Run, tmp_path: Path) -> None:
    file = tmp_path / "plan.yaml"
    file.write_text("faults: [{part: skill, does: lose}]")
    ran = bt("run", "open the door", "--faults", str(file), "--no-journal")
    assert ran.code == 2
    assert "plan.yaml:1:10" in ran.err
    assert "a skill cannot lose; allowed: fail, crash, hang, slow" in ran.err


def test_torture_reports_and_keeps_failing_cases(bt: Run, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(
        "bt_exec.testing.random_fault_missions._outcome_violations",
        lambda outcome: [f"bad {outcome.status}"],
    )
    keep = tmp_path / "kept"
    ran = bt("torture", "--runs", "1", "--seed", "5", "--no-kills", "--keep", str(keep), "--json")
    assert ran.code == 4, ran.err
    report = json.loads(ran.out)
    (failing,) = report["failing"]
    assert failing["broken"][0].startswith("bad ")
    plan = load_fault_plan(Path(failing["file"]))
    assert plan.command
    assert plan.summary == failing["broken"][0]


def test_torture_lists_the_tested_cases(bt: Run, tmp_path: Path) -> None:
    ran = bt("torture", "--runs", "1", "--seed", "5", "--no-kills", "--keep", str(tmp_path / "x"))
    assert ran.code == 0, ran.out + ran.err
    assert "1 missions: " in ran.out
    assert "every invariant held" in ran.out
    assert not (tmp_path / "x").exists()


def test_ctrl_c_ends_torture_after_the_mission_that_it_stopped(bt: Run, monkeypatch) -> None:
    monkeypatch.setattr("bt_exec.cli.torture.was_interrupted", lambda: True)
    ran = bt("torture", "--runs", "9", "--seed", "5", "--no-kills", "--json")
    assert sum(json.loads(ran.out)["statuses"].values()) == 1
    assert "the report covers the finished missions" in ran.err
