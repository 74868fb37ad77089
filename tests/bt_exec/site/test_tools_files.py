"""Skills from a file of the user: ``--tools FILE``."""

import json

import pytest

from bt_exec.cli.app import run_command_line
from bt_exec.failure import RegistrationError, UsageError
from bt_exec.mission.session import Session
from bt_exec.pack import Pack
from bt_exec.site.own_parts import with_tool_files
from bt_exec.site.site import load_site
from bt_exec.spec.load import load_text

TOOL = """
from __future__ import annotations
from typing import NamedTuple
from bt_exec import Running, Service, Steps, skill
from bt_exec_skills.image.workbench import Bench, SetName

class Width(NamedTuple):
    widest_px: int

@skill(needs={"boxes.{of}": "known"})
def measure_widest(bench: Service[Bench], of: SetName) -> Steps[Width]:
    \"\"\"Return the width of the widest instance of a set.\"\"\"
    yield Running(None, "measuring")
    boxes = [one.bbox for one in bench.candidates(of).instances]
    return Width(max((box[2] - box[0] for box in boxes), default=0))
"""
PLAN = """
mission: {command: how wide}
root:
  sequence:
    - {do: segment_colour, with: {into: target}}
    - {do: measure_widest, with: {of: target}}
"""


@pytest.fixture
def tool(tmp_path):
    file = tmp_path / "widest.py"
    file.write_text(TOOL)
    return file


def test_skill_of_a_tools_file_is_listed(tool, capsys):
    assert run_command_line(["skills", "--site", "image", "--tools", str(tool), "--json"]) == 0
    found = {one["name"]: one for one in json.loads(capsys.readouterr().out)["skills"]}
    assert "widest" in str(found["measure_widest"])
    assert "crop" in found
    assert (
        run_command_line(["skills", "measure_widest", "--site", "image", "--tools", str(tool)]) == 0
    )
    assert "widest_px" in capsys.readouterr().out


def test_skill_of_a_tools_file_runs_in_a_plan(tool, tmp_path):
    import cv2
    import numpy as np

    picture = np.full((80, 120, 3), 235, np.uint8)
    cv2.rectangle(picture, (20, 20), (59, 50), (30, 30, 200), -1)
    cv2.imwrite(str(tmp_path / "box.png"), picture)
    plan = load_text(PLAN).document
    site = load_site("image", [tool])
    with Session(site, world={"image": str(tmp_path / "box.png")}) as session:
        outcome = session.run("how wide", plan)
    assert outcome.ok, outcome
    with Session("image", world={"image": str(tmp_path / "box.png")}) as session:
        assert session.run("how wide", plan).reason_code != "OK"  # other sites do not have it


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (None, "there is no such file"),
        ("def (", "SyntaxError"),
        ("1 / 0", "ZeroDivisionError"),
        ("import sys\nsys.exit(3)", "SystemExit: 3"),
        ("import not_there", "No module named 'not_there'"),
        ("x = 1", "contains no skill and no condition"),
        ("from bt_exec_skills.image.skills.crop_skills import crop", "contains no skill"),
        ("from bt_exec import skill\n@skill()\ndef f():\n    return 1\n", "tools .*f"),
    ],
)
def test_invalid_tools_file_is_reported(tmp_path, text, says):
    file = tmp_path / "mine.py"
    if text is not None:
        file.write_text(text)
    with pytest.raises(UsageError, match=says):
        load_site("image", [file])


def test_name_in_use_is_refused(tmp_path, tool):
    file = tmp_path / "again.py"
    file.write_text(tool.read_text().replace("measure_widest", "crop"))
    with pytest.raises(RegistrationError, match="crop"):
        load_site("image", [file])


def test_file_that_is_not_python_is_refused(tmp_path):
    file = tmp_path / "tool.txt"
    file.write_text(TOOL)
    with pytest.raises(UsageError, match=r"must end in \.py"):
        load_site("image", [file])


def test_edit_of_equal_length_within_a_second_is_detected(tool):
    for word in ("widest", "narrow"):
        tool.write_text(TOOL.replace("measure_widest", f"measure_{word}"))
        [pack] = with_tool_files([Pack("own")], [tool])
        assert [one.name for one in pack.skills] == [f"measure_{word}"]
