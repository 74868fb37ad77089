"""Command ``compile --commands``: compiles each line of a file and prints one JSON line for it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bt_exec.cli.output_streams import write_data

if TYPE_CHECKING:
    from bt_exec.observation import Situation
    from bt_exec.planning.compiler import Compiler
    from bt_exec.site.site import Site

__all__ = ["command_lines", "compile_lines"]

_LARGEST = 100_000_000  # maximum size of a file of commands [bytes]


def compile_lines(
    site: Site, source: str, compiler: Compiler, situation: Situation | None = None
) -> None:
    """Compile each line of the file `source` (``-``: standard input) and print the answers.

    Raises:
        UsageError: If the file cannot be read.
    """
    for line in command_lines(source):
        write_data(json.dumps(_answer(site, compiler, line, situation), ensure_ascii=False) + "\n")


def command_lines(source: str) -> list[str]:
    """Return the lines of the file `source` (``-``: standard input) that are not blank.

    Raises:
        UsageError: If the file cannot be read.
    """
    from bt_exec.failure import UsageError
    from bt_exec.files import read_at_most

    try:
        raw = None if source == "-" else read_at_most(Path(source), _LARGEST)
        if source != "-" and raw is None:
            raise UsageError(f"{source}: is larger than {_LARGEST} bytes; split it")
        text = sys.stdin.read() if raw is None else raw.decode()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{source}: cannot be read: {error}") from None
    return [line for line in text.splitlines() if line.strip()]


def _answer(
    site: Site, compiler: Compiler, command: str, situation: Situation | None
) -> dict[str, Any]:
    from bt_exec.failure import Refusal, SpecError
    from bt_exec.planning.compiler import Reply
    from bt_exec.planning.plan_preparation import prepare_answer
    from bt_exec.site.compile_command import first_request
    from bt_exec.spec.dump import to_data

    request = first_request(site, command, situation)
    answer = compiler.compile(request)
    if isinstance(answer, Refusal):
        found = {"code": answer.code, "message": answer.message}
        lists = {
            "missing": answer.missing,
            "did_you_mean": answer.did_you_mean,
            "nearest": answer.nearest,
        }
        return {"command": command, "ok": False, **found, **{k: list(v) for k, v in lists.items()}}
    if isinstance(answer, Reply):
        return {"command": command, "ok": True, "code": answer.code, "reply": answer.message}
    try:
        runs = prepare_answer(answer, request).spec
    except SpecError as error:
        return {"command": command, "ok": False, "code": "PLAN_REJECTED", "message": str(error)}
    return {"command": command, "ok": True, "plan": to_data(runs)}
