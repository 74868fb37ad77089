"""Numbered examples: each prints the output in its comments."""

import json
import os
import re
import runpy
import subprocess
import sys
import tomllib
from functools import partial
from pathlib import Path

import pytest

pytestmark = pytest.mark.sampled

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("[0-9]*.py"))


def expected(text: str) -> str:
    """Return the comment lines after ``# Output:``."""
    _, _, tail = text.partition("# Output:\n")
    return "".join(re.sub(r"^# ?", "", line) for line in tail.splitlines(keepends=True))


def test_examples_are_numbered_without_gaps():
    numbers = sorted({int(path.name[:2]) for path in (ROOT / "examples").glob("[0-9]*")})
    assert numbers == list(range(1, len(numbers) + 1))


LONG = {
    "06_eyes_that_doubt",
    "07_go_and_tell",
    "15_one_arm_in_the_doorway",
    "20_places_on_a_table",  # 17 sorts a table in the fast tests
    "31_go_on_after_a_crash",  # tests/missions/test_kill_and_resume.py
    "39_faults_on_purpose",  # tests/bt_exec/campaign runs single missions with faults
    "38_a_campaign",  # starts processes; tests/bt_exec/campaign runs the same in this one
    "26_a_model_writes_the_program",  # 05 and 24 each show one half of it
}


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=path.stem, marks=[pytest.mark.slow] if path.stem in LONG else [])
        for path in EXAMPLES
    ],
)
def test_example_prints_its_documented_output(path, tmp_path, monkeypatch, capsys):
    """Each runs as a program in this process, so that imports are loaded once."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [str(path)])
    runpy.run_path(str(path), run_name="__main__")
    assert capsys.readouterr().out == expected(path.read_text(encoding="utf-8"))


def test_example_runs_as_a_separate_program(tmp_path):
    # the one with the fewest imports
    path = next(path for path in EXAMPLES if path.stem == "08_a_tree_and_its_test")
    words = [sys.executable, "-W", "error", str(path)]
    run = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, timeout=120)
    assert run.returncode == 0, run.stderr
    assert run.stdout == expected(path.read_text(encoding="utf-8"))


@pytest.fixture(params=["linked", pytest.param("wheel", marks=pytest.mark.slow)])
def kitchen(tmp_path, request):
    """Install the example pack: its folder and entry points on the path, or from a wheel."""
    folder = ROOT / "examples" / "04_a_pack_of_your_own"
    if request.param == "wheel":
        build = ["build", "--wheel", "--no-isolation", "--outdir", str(tmp_path), str(folder)]
        install = ["pip", "install", "--quiet", "--no-index", "--no-deps", "--target"]
        run = partial(subprocess.run, check=True, capture_output=True, timeout=300)
        run([sys.executable, "-m", *build])
        (wheel,) = tmp_path.glob("*.whl")
        run([sys.executable, "-m", *install, str(tmp_path / "site"), str(wheel)])
        return folder, {**os.environ, "PYTHONPATH": str(tmp_path / "site")}
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    info = tmp_path / "site" / "bt_exec_kitchen-0.1.0.dist-info"
    info.mkdir(parents=True)
    points = project["entry-points"]["bt_exec.packs"]
    lines = [f"{name} = {value}" for name, value in points.items()]
    (info / "entry_points.txt").write_text("\n".join(["[bt_exec.packs]", *lines]))
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: bt-exec-kitchen\nVersion: 0.1.0\n")
    path = [str(tmp_path / "site"), str(folder), *filter(None, [os.environ.get("PYTHONPATH")])]
    return folder, {**os.environ, "PYTHONPATH": os.pathsep.join(path)}


# One program with the installed pack, which runs several command lines.
EACH = """
import json, sys
from bt_exec.cli.app import run_command_line
print([run_command_line(words) for words in json.loads(sys.argv[1])], file=sys.stderr)
"""


def test_installed_example_pack_is_found_and_runs(kitchen, tmp_path):
    folder, environment = kitchen
    told = {
        ("Boil the water, please!",): ("OK", "Done."),
        ("물을 끓여 줘",): ("OK", "마쳤습니다."),
        ("물을 끓여 줘", "--world", "water=90"): ("ALREADY_HOT", "물이 이미 뜨겁습니다."),
    }
    where = ["--site", str(folder / "kitchen.yaml"), "--journal", str(tmp_path / "journal.sqlite")]
    lines = [["run", *words, "--fast", "--json", *where] for words in told]
    program = [sys.executable, "-c", EACH, json.dumps(lines)]
    run = subprocess.run(program, capture_output=True, text=True, env=environment, timeout=120)
    assert run.stderr.splitlines()[-1] == "[0, 0, 0]", run.stderr
    outcomes = [json.loads(line) for line in run.stdout.splitlines()]
    assert [one["status"] for one in outcomes] == ["satisfied"] * 3
    assert [(one["reason_code"], one["message"]) for one in outcomes] == list(told.values())
