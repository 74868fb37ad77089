"""Labelled commands from persons outside the project: most are understood, none wrongly.

Each file records the date and the score of its first trial; later scores are not on unseen data.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from bt_exec.site import load_site
from bt_exec.site.shipped_data import data_path
from bt_exec.spec.shipped_yaml import parse_yaml, read_yaml
from tests.llm.scoring import score

FOLDER = Path(__file__).parents[1] / "data" / "commands"


@pytest.mark.parametrize("step", [10, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ["door", "building"])
def test_most_commands_are_understood_and_none_wrongly(name, step):
    files = sorted(FOLDER.glob(f"{name}_*.yaml"))
    cases = [case for file in files for case in parse_yaml(file.read_text(encoding="utf-8"))]
    cases += read_yaml(data_path("configs", "commands", f"{name}.yaml"))["commands"]
    assert len(cases[::step]) >= 600 // step  # a sample of every file
    found = score(load_site(name), cases[::step])
    assert found.wrong == 0, found.faults
    assert found.understood >= 0.9 * found.asked, found.faults
