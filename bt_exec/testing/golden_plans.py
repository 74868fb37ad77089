"""Comparison of the plan of a command with a reviewed file (a golden plan)."""

from __future__ import annotations

import difflib
from pathlib import Path

from bt_exec.files import write_user_file
from bt_exec.observation import Situation
from bt_exec.site.compile_command import compile_command
from bt_exec.site.site import load_site
from bt_exec.spec.dump import dump_yaml

__all__ = ["check_plan"]


def check_plan(
    command: str,
    site: str,
    file: Path,
    *,
    situation: Situation | None = None,
    update: bool = False,
) -> None:
    """Compile a command, and compare the verified plan with a file.

    Args:
        command: The command.
        site: Name or file of the site.
        file: File with the expected plan.
        situation: The observed situation; empty by default.
        update: Whether to write the plan to the file instead.

    Raises:
        AssertionError: If the command is refused or its plan differs; shows the difference.
    """
    compiled = compile_command(load_site(site), command, situation=situation)
    refusal = "" if compiled.refusal is None else compiled.refusal.message
    assert compiled.plan is not None, f"{command}: there is no plan. {refusal}".rstrip()
    text = dump_yaml(compiled.plan)
    if update:
        write_user_file(file, text, folders=True)
        return
    assert file.is_file(), f"{file} does not exist; pytest --bt-update writes it"
    lines = file.read_text(encoding="utf-8").splitlines(), text.splitlines()
    changed = "\n".join(difflib.unified_diff(*lines, "reviewed", "now", lineterm=""))
    message = f"{command}: the plan has changed; pytest --bt-update accepts it\n{changed}"
    assert not changed, message
