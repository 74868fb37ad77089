"""Campaigns from the command line: results, resumes, comparisons and exit codes."""

from __future__ import annotations

import json
import os
import shlex
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from bt_exec.campaign.model import Campaign
from bt_exec.campaign.report import rerun_command
from bt_exec.campaign.run import read_results, run_campaign
from bt_exec.cli.app import run_command_line
from bt_exec.failure import UsageError

from .conftest import DATA


@pytest.mark.slow
def test_resumed_campaign_matches_an_uninterrupted_one(
    campaign: Campaign, inline: Callable[..., None], tmp_path: Path
) -> None:
    whole = run_campaign(campaign, tmp_path / "whole")
    for count in (7, 0, 20, None):
        inline(count)
        lines = run_campaign(campaign, tmp_path / "parts", resume=True)
    assert lines == whole
    files = [tmp_path / name / "results.parquet" for name in ("whole", "parts")]
    assert files[0].read_bytes() == files[1].read_bytes()
    assert read_results(tmp_path / "whole") == whole


def test_extended_campaign_runs_only_its_new_cells(
    campaign: Campaign, inline: Callable[..., None], tmp_path: Path
) -> None:
    run_campaign(campaign, tmp_path / "out")
    told: list[tuple[int, int, int]] = []
    grown = campaign.model_copy(update={"seeds": 6})
    run_campaign(grown, tmp_path / "out", resume=True, tell=lambda *now: told.append(now))
    assert (told[0][0], told[0][2], told[-1][0]) == (60, 72, 72)
    assert len(told) == 1 + 12


def test_folder_of_another_run_is_refused(
    campaign: Campaign, inline: Callable[..., None], tmp_path: Path
) -> None:
    run_campaign(campaign, tmp_path / "out")
    with pytest.raises(UsageError, match="continue it with --resume"):
        run_campaign(campaign, tmp_path / "out")
    manifest = json.loads((tmp_path / "out" / "run.json").read_text())
    manifest["digests"]["trees"] = "other"
    (tmp_path / "out" / "run.json").write_text(json.dumps(manifest))
    with pytest.raises(UsageError, match="contains another run: digests differ"):
        run_campaign(campaign, tmp_path / "out", resume=True)


def test_page_shows_rates_and_a_command_for_each_failed_cell(
    file: Path, inline: Callable[..., None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert run_command_line(["campaign", str(file), "-o", str(out)]) == 4
    said = capsys.readouterr().out
    lines = read_results(out)
    failed = [line for line in lines if not line["expected"]]
    assert f"({60 - len(failed)} of 60, 95 % interval" in said
    page = (out / "report.html").read_text()
    assert page.count("<code>") == len(failed) > 10
    words = shlex.split(rerun_command(failed[0]))
    world = dict(words[n + 1].split("=") for n, word in enumerate(words) if word == "--world")
    assert (words[:3], world) == (["bt-exec", "run", failed[0]["command"]], failed[0]["world"])
    assert f"{len(failed) - 10} more failed cells are on the page" in said


@pytest.mark.parametrize(("require", "code"), [(0.5, 0), (0.999, 4)])
def test_exit_code_depends_on_the_required_rate(
    file: Path, inline: Callable[..., None], tmp_path: Path, require: float, code: int
) -> None:
    file.write_text(yaml.safe_dump({**DATA, "require": require}), encoding="utf-8")
    assert run_command_line(["campaign", str(file), "-o", str(tmp_path / "out"), "--json"]) == code


def test_campaign_with_remaining_cells_exits_as_stopped(
    file: Path,
    inline: Callable[..., None],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    inline(10)
    assert run_command_line(["campaign", str(file), "-o", str(tmp_path / "out")]) == 130
    assert "50 cells remain" in capsys.readouterr().out


def test_comparison_lists_regressions(
    file: Path,
    inline: Callable[..., None],
    campaign: Campaign,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    before, after = tmp_path / "before", tmp_path / "after"
    healed = campaign.model_copy(update={"expect": ("satisfied", "blocked")})
    run_campaign(healed, before)
    run_campaign(campaign, after)
    assert run_command_line(["campaign", "--compare", str(before), str(after)]) == 4
    said = capsys.readouterr().out
    assert "all: 100.0 % to " in said
    assert "worse, p = " in said
    assert "! worse: blocked OK: bt-exec run" in said
    assert run_command_line(["campaign", "--compare", str(after), str(before)]) == 0
    assert run_command_line(["campaign", "--compare", str(before)]) == 2
    assert run_command_line(["campaign", "--compare", str(before), str(tmp_path)]) == 2
    assert "contains no results.parquet" in capsys.readouterr().err


SMALL = {
    "campaign": "killed",
    "site": "building",
    "commands": ["go to the lounge"],
    "worlds": {"blocked": ["none", "lounge"]},
    "seeds": 3,
    "require": 0.0,
}


def started(file: Path, out: Path, *more: str) -> subprocess.Popen[str]:
    words = [sys.executable, "-m", "bt_exec", "campaign", str(file), "-o", str(out), "-j", "2"]
    return subprocess.Popen([*words, *more], stdout=subprocess.PIPE, text=True)


def done_in(out: Path) -> int:
    try:
        with sqlite3.connect(f"file:{out / 'run.sqlite'}?mode=ro", uri=True) as connection:
            return int(connection.execute("SELECT count(*) FROM answers").fetchone()[0])
    except sqlite3.Error:
        return 0


def children_of(process: int) -> list[int]:
    return [int(n) for n in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


@pytest.mark.slow
def test_killed_campaign_resumes_to_the_same_bytes(tmp_path: Path) -> None:
    file, out = tmp_path / "killed.yaml", tmp_path / "out"
    file.write_text(yaml.safe_dump(SMALL), encoding="utf-8")
    run = started(file, out)
    while done_in(out) < 2 and run.poll() is None:
        time.sleep(0.05)
    workers = children_of(run.pid)
    os.kill(run.pid, signal.SIGKILL)
    run.communicate()
    assert workers
    for _ in range(600):  # workers end with their parent
        if not any(Path(f"/proc/{worker}").exists() for worker in workers):
            break
        time.sleep(0.1)
    assert not any(Path(f"/proc/{worker}").exists() for worker in workers)
    said = started(file, out, "--resume").communicate()[0]
    assert "50.0 % (3 of 6" in said
    started(file, tmp_path / "whole").communicate()
    files = [folder / "results.parquet" for folder in (out, tmp_path / "whole")]
    assert files[0].read_bytes() == files[1].read_bytes()
    failed = [line for line in read_results(out) if not line["expected"]]
    assert {line["world"]["blocked"] for line in failed} == {"lounge"}
    assert {line["status"] for line in failed} <= {"blocked", "failed"}
