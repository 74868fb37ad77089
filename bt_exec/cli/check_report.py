"""Reports of ``check``: text, JSON, annotations of GitHub Actions, SARIF 2.1.0."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bt_exec.cli.output_streams import operator_painter, reader_language, write_data, write_json

if TYPE_CHECKING:
    from bt_exec.failure import Problem

__all__ = ["ReportFormat", "write_report"]


class ReportFormat(StrEnum):
    """Formats of a report."""

    text = "text"
    json = "json"
    github = "github"
    sarif = "sarif"


def write_report(problems: Sequence[Problem], form: ReportFormat, closing: Sequence[str]) -> None:
    """Write a report: data on standard output, text for the operator on standard error.

    Args:
        problems: The mistakes, in the order of the report.
        form: The format of the report.
        closing: Closing lines for the operator.
    """
    painter = operator_painter(beside=form is not ReportFormat.text)
    format_problem: Callable[[Problem], str] = str
    format_closing: Callable[[str], str] = str
    if reader_language() == "ko" and not painter.is_ascii_only:
        from bt_exec.language.korean_errors import korean_error, korean_problem

        format_problem, format_closing = korean_problem, korean_error
    for line in (*map(format_problem, problems), *map(format_closing, closing)):
        painter.write_text(line)
    if form in _WRITERS:
        _WRITERS[form](problems)


def _write_json(problems: Sequence[Problem]) -> None:
    write_json([asdict(problem) for problem in problems])


def _write_github(problems: Sequence[Problem]) -> None:
    """Write workflow commands: ``::error file=…,line=…,col=…,title=…::message``."""
    for problem in problems:
        place: dict[str, Any] = {"file": _relative_path(problem.file)}
        if problem.line is not None:
            place |= {"line": problem.line, "col": problem.column}
        place["title"] = problem.code
        fields = ",".join(f"{key}={_escape(str(value), ',:')}" for key, value in place.items())
        write_data(f"::error {fields}::{_escape(_message_without_position(problem))}\n")


def _escape(text: str, more: str = "") -> str:
    for character in "%\r\n" + more:
        text = text.replace(character, f"%{ord(character):02X}")
    return text


def _write_sarif(problems: Sequence[Problem]) -> None:
    codes = sorted({problem.code for problem in problems})
    rules = [{"id": code} for code in codes]
    driver = {
        "name": "bt-exec check",
        "rules": rules,
    }
    results = [_sarif_result(problem, codes.index(problem.code)) for problem in problems]
    write_json(
        {
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [
                {
                    "tool": {"driver": driver},
                    "columnKind": "unicodeCodePoints",
                    "results": results,
                }
            ],
        }
    )


def _sarif_result(problem: Problem, rule: int) -> dict[str, Any]:
    location: dict[str, Any] = {"artifactLocation": {"uri": _uri(problem.file)}}
    if problem.line is not None:
        location["region"] = {"startLine": problem.line, "startColumn": problem.column}
    return {
        "ruleId": problem.code,
        "ruleIndex": rule,
        "level": "error",
        "message": {"text": _message_without_position(problem)},
        "locations": [{"physicalLocation": location}],
    }


def _message_without_position(problem: Problem) -> str:
    """Return the text of a mistake without its position and code, which the report adds."""
    from dataclasses import replace

    text = str(replace(problem, file="", line=None, column=None))
    return text.removesuffix(f" [{problem.code}]")


def _relative_path(file: str) -> str:
    """Return a path relative to the working folder; unchanged if it is outside of it."""
    path = os.path.relpath(file) if file and Path(file).exists() else file
    return file if path.startswith("..") else path


def _uri(file: str) -> str:
    from urllib.parse import quote

    path = Path(_relative_path(file))
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())


_WRITERS: Mapping[ReportFormat, Callable[[Sequence[Problem]], None]] = {
    ReportFormat.json: _write_json,
    ReportFormat.github: _write_github,
    ReportFormat.sarif: _write_sarif,
}
