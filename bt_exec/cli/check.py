"""Command ``check``: checks tree, plan and site files, packs and utterances."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bt_exec.cli import options as opt
from bt_exec.cli.check_report import ReportFormat, write_report
from bt_exec.cli.file_checks import FileChecker
from bt_exec.files import write_user_file

if TYPE_CHECKING:
    from bt_exec.failure import Problem

__all__ = ["COMMANDS", "check", "files_in"]

_OF_A_SITE = ("UNKNOWN_CODE", "UNKNOWN_CONDITION", "UNKNOWN_SKILL", "UNKNOWN_TREE", "UNKNOWN_TYPE")
"""Codes of unknown names, which another site may define."""

_POSITION = re.compile(r"(?s)(\S[^\n]*?\.\w+):(\d+):(\d+): (.*)\Z")
"""Pattern of a message that begins with a position: ``words.yaml:3:1: …``."""

_MOST_ROUNDS = 10  # maximum number of correction rounds; a correction may reveal another mistake
_ENDINGS = (".yaml", ".yml", ".json")
_STARTS = ("tree", "mission", "site")


def check(
    files: Annotated[
        list[Path],
        typer.Argument(
            help="Tree, plan, site or Python files, folders of them, or names of packs and sites.",
            metavar="FILE|DIR|PACK|SITE...",
        ),
    ],
    site: opt.SiteName = "",
    json: opt.Json = False,
    form: Annotated[
        ReportFormat,
        typer.Option("--format", help="Format of the report; github and sarif are for CI."),
    ] = ReportFormat.text,
    fix: Annotated[
        bool,
        typer.Option(
            "--fix", help="Correct names that are misspelt by one letter, and print a diff."
        ),
    ] = False,
) -> None:
    """Check files: every mistake with file, line and column; exit code 2 if there is one.

    The utterances of trees are tried, too: each must lead to its tree. The packs of the site are
    checked as well: skills use declared facts only, and declare the failure codes they raise.
    """
    form = ReportFormat.json if json else form
    found, others = files_in(files)
    checked, problems = _file_problems(found, site)
    if fix:
        checked, problems = _fix_files(found, site, checked, problems, form)
    closing = [*_site_hints(problems, found, checked), *checked.replaced]
    closing.append(_summary(problems, found))
    if others:
        left = ", ".join(map(str, others))
        closing.append(f"not a tree, plan or site, skipped: {left}")
    write_report(problems, form, closing)
    raise typer.Exit(2 if problems else 0)


def _file_problems(files: Sequence[Path], site: str) -> tuple[FileChecker, list[Problem]]:
    """Return the problems of files, with the file names given by the operator."""
    from bt_exec.failure import SpecError

    checked = FileChecker(site)
    try:
        checked.add(files)
    except SpecError as error:
        checked.problems += error.problems
    names = {os.path.realpath(file): str(file) for file in files}
    return checked, list(
        dict.fromkeys(_with_position(problem, names) for problem in checked.problems)
    )


def _fix_files(
    files: Sequence[Path],
    site: str,
    checked: FileChecker,
    problems: list[Problem],
    form: ReportFormat,
) -> tuple[FileChecker, list[Problem]]:
    """Correct names in files as long as that removes mistakes; print the changes."""
    from bt_exec.cli.output_streams import operator_painter

    painter = operator_painter(beside=form is not ReportFormat.text)
    for _ in range(_MOST_ROUNDS):
        before = dict(_corrections(files, problems))
        if not before:
            break
        for file, (_, corrected) in before.items():
            write_user_file(file, corrected)
        again, left = _file_problems(files, site)
        if set(problems) <= set(left):
            for file, (text, _) in before.items():
                write_user_file(file, text)
            break
        for file, (text, corrected) in before.items():
            lines = text.splitlines(), corrected.splitlines()
            for line in unified_diff(*lines, str(file), str(file), n=0, lineterm=""):
                painter.write_text(line)
        checked, problems = again, left
    return checked, problems


def _corrections(
    files: Iterable[Path], problems: Sequence[Problem]
) -> Iterator[tuple[Path, tuple[str, str]]]:
    """Yield each file with correctable names, and its text before and after the correction."""
    from bt_exec.failure import SpecError
    from bt_exec.scaffold.format_and_correct_yaml import correct_misspellings
    from bt_exec.spec.yaml_source import scan_file

    for file in files:
        own = [problem for problem in problems if problem.file == str(file)]
        if not own or file.suffix.lower() not in _ENDINGS:
            continue
        try:
            text = scan_file(file).text
        except SpecError:
            continue
        if (corrected := correct_misspellings(text, own)) != text:
            yield file, (text, corrected)


def _summary(problems: Sequence[Problem], files: Sequence[Path]) -> str:
    count = f"{len(files)} file{'s' * (len(files) != 1)}"
    if not problems:
        return f"{count} checked: no problems"
    problem_count = f"{len(problems)} problem{'s' * (len(problems) != 1)}"
    wrong = {problem.file for problem in problems}
    inside = wrong & set(map(str, files))
    beside = ", ".join(sorted(filter(None, wrong - inside)))
    if not inside:
        return f"{problem_count} in {beside}"
    if not beside:
        return f"{problem_count} in {len(inside)} of {count}"
    return f"{problem_count} in {len(inside)} of {count}, and in {beside}"


def _with_position(problem: Problem, names: Mapping[str, str]) -> Problem:
    """Return a problem with its position, read from its message if necessary.

    Args:
        problem: The problem.
        names: File names as given by the operator, by their real paths.
    """
    from dataclasses import replace

    found = _POSITION.match(problem.message) if problem.line is None else None
    if found is not None:
        file, line, column, message = found.groups()
        problem = replace(problem, file=file, line=int(line), column=int(column), message=message)
    called = names.get(os.path.realpath(problem.file)) if problem.file else None
    return replace(problem, file=called) if called is not None else problem


def _site_hints(
    problems: Sequence[Problem], files: Sequence[Path], checked: FileChecker
) -> Iterator[str]:
    """Yield a hint to check with another site: the one that defines most of the unknown names."""
    names = {problem.found for problem in problems if problem.code in _OF_A_SITE}
    if not names or checked.loaded is None:
        return
    own = checked.loaded.name
    best, most = "", 0
    others = dict(_sites_that_define(own))
    for name, known in others.items():
        if len(names & known) > most:
            best, most = name, len(names & known)
    if best:
        wrong = dict.fromkeys(p.file for p in problems if p.code in _OF_A_SITE)
        given = " ".join(file for file in wrong if file in set(map(str, files)))
        yield f"checked for the site {own}; try: bt-exec check {given} --site {best}"
    else:
        listed = f": {', '.join(others)}" if others else ""
        yield f"checked for the site {own}; --site NAME checks for another{listed}"


def _sites_that_define(own: str) -> Iterator[tuple[str, set[str]]]:
    """Yield the other shipped sites and the names that they define."""
    from bt_exec.failure import BtExecError
    from bt_exec.site.shipped_data import site_names
    from bt_exec.site.site import load_site

    for name in site_names():
        if name == own:
            continue
        try:
            site = load_site(name)
        except BtExecError:
            continue  # skip sites that do not load
        catalogue = site.catalogue
        known = (catalogue.skills, catalogue.conditions, catalogue.types, site.library.names())
        yield name, {entry for names in known for entry in names}


def files_in(given: list[Path]) -> tuple[list[Path], list[Path]]:
    """Return the distinct files to check, and the other YAML or JSON files in the folders.

    Raises:
        UsageError: If a folder contains no files to check.
    """
    from bt_exec.failure import UsageError
    from bt_exec.files import is_pipe_or_device

    files: dict[str, Path] = {}
    others: list[Path] = []
    for path in given:
        if not os.path.isdir(path):  # noqa: PTH112 - Path.is_dir raises for names that are too long
            files.setdefault(os.path.realpath(path), path)
            continue
        inside = sorted(file for file in path.rglob("*") if file.suffix.lower() in _ENDINGS)
        ours = [file for file in inside if not is_pipe_or_device(file) and _is_spec_file(file)]
        if not ours:
            raise UsageError(f"{path}: contains no tree, plan or site file ({', '.join(_ENDINGS)})")
        for file in ours:
            files.setdefault(os.path.realpath(file), file)
        others += [file for file in inside if file not in ours]
    return list(files.values()), others


def _is_spec_file(file: Path) -> bool:
    """Return True if a file seems to be a tree, plan or site, even an invalid one."""
    from difflib import get_close_matches

    from bt_exec.cli.plan_from_file import is_pack_plan_file
    from bt_exec.failure import SpecError
    from bt_exec.spec.yaml_source import scan_file

    if is_pack_plan_file(file):
        return True
    try:
        data = scan_file(file).data
    except SpecError:
        return True  # the check reports that the file is unreadable
    return isinstance(data, dict) and any(get_close_matches(key, _STARTS, 1, 0.7) for key in data)


COMMANDS: Mapping[str, Callable[..., None]] = {"check": check}
