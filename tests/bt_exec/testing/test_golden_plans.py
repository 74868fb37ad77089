"""Golden plans: comparison, update, and the fixture of the pytest plugin."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bt_exec.testing.golden_plans import check_plan

COMMAND = "Bring your arms home."


def test_check_plan_passes_until_the_plan_changes(tmp_path: Path) -> None:
    file = tmp_path / "golden" / "home.yaml"
    with pytest.raises(AssertionError, match=r"home\.yaml does not exist; pytest --bt-update"):
        check_plan(COMMAND, "door", file)
    check_plan(COMMAND, "door", file, update=True)
    check_plan(COMMAND, "door", file)
    file.write_text(file.read_text().replace("timeout: 20s", "timeout: 5s"))
    with pytest.raises(AssertionError, match=r"(?s)plan has changed.*-.*5s.*\+.*20s"):
        check_plan(COMMAND, "door", file)


def test_refused_command_has_no_plan(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=r"Dance\.: there is no plan\. "):
        check_plan("Dance.", "door", tmp_path / "a.yaml")


def test_fixture_names_the_file_after_the_test(golden_plan: Callable[..., None]) -> None:
    name = "test_fixture_names_the_file_after_the_test"
    with pytest.raises(AssertionError, match=rf"golden/{name}\.yaml does not exist"):
        golden_plan(COMMAND, "door")
    with pytest.raises(AssertionError, match=r"golden/home\.yaml does not exist"):
        golden_plan(COMMAND, "door", name="home")
