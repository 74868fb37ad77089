"""``check``: tree, plan and site files, and what people say to get the trees."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bt_exec.cli import options as opt

if TYPE_CHECKING:
    from bt_exec.failure import Problem
    from bt_exec.site.site import Site
    from bt_exec.spec.load import Loaded
    from bt_exec.spec.source import Source

__all__ = ["COMMANDS", "check"]

_OF_A_SITE = ("UNKNOWN_CODE", "UNKNOWN_CONDITION", "UNKNOWN_SKILL", "UNKNOWN_TREE", "UNKNOWN_TYPE")
"""Mistakes that may be none at another site."""

_ENDINGS = (".yaml", ".yml", ".json")
_STARTS = ("tree", "mission", "site")


def check(
    files: Annotated[
        list[Path],
        typer.Argument(
            help="Tree, plan or site files, or folders that hold some.", metavar="FILE|DIR..."
        ),
    ],
    site: opt.SiteName = "",
    json: opt.Json = False,
) -> None:
    """Check files: every mistake with file, line and column; exit code 2 if there is one.

    What people say to get a tree is tried, too: it must lead to that tree.
    """
    from dataclasses import asdict

    from bt_exec.cli.output import emit, for_people
    from bt_exec.site.data import site_names
    from bt_exec.site.site import load_site

    loaded = load_site(site)
    found, others = _files(files)
    problems = _problems(found, loaded)
    painter = for_people(beside=json)
    for problem in problems:
        painter.say(str(problem))
    wrong = len({problem.file for problem in problems})
    if problems:
        told = f"{len(problems)} problem{'s' * (len(problems) != 1)}"
        sites = [name for name in site_names() if name != loaded.name]
        if sites and any(problem.code in _OF_A_SITE for problem in problems):
            painter.say(
                f"allowed are the names of the site {loaded.name}; --site NAME checks for another: "
                + ", ".join(sites)
            )
        painter.say(f"{told} in {wrong} of {len(found)} file{'s' * (len(found) != 1)}")
    else:
        painter.say(f"{len(found)} file{'s' * (len(found) != 1)} in order")
    if others:
        painter.say(f"no tree, plan or site, so left alone: {', '.join(map(str, others))}")
    if json:
        emit([asdict(problem) for problem in problems])
    raise typer.Exit(2 if problems else 0)


def _files(given: list[Path]) -> tuple[list[Path], list[Path]]:
    """Return the files to check, and those of folders that are something else.

    Raises:
        UsageError: If a folder holds nothing to check.
    """
    from bt_exec.failure import UsageError
    from bt_exec.read_at_most import is_pipe_or_device

    files: list[Path] = []
    others: list[Path] = []
    for path in given:
        if not path.is_dir():
            files.append(path)
            continue
        inside = sorted(file for file in path.rglob("*") if file.suffix.lower() in _ENDINGS)
        ours = [file for file in inside if not is_pipe_or_device(file) and _is_ours(file)]
        if not ours:
            raise UsageError(f"{path}: holds no tree, plan or site file ({', '.join(_ENDINGS)})")
        files += ours
        others += [file for file in inside if file not in ours]
    return files, others


def _is_ours(file: Path) -> bool:
    """Whether a file is, or was meant to be, a tree, a plan or a site."""
    from difflib import get_close_matches

    from bt_exec.cli.given import is_other_form
    from bt_exec.failure import SpecError
    from bt_exec.spec.source import scan_file

    if is_other_form(file):
        return True
    try:
        data = scan_file(file).data
    except SpecError:
        return True  # unreadable, whatever it was meant to be
    return isinstance(data, dict) and any(get_close_matches(key, _STARTS, 1, 0.7) for key in data)


def _problems(files: list[Path], site: Site) -> list[Problem]:
    """Return every mistake; trees of the files may use each other and those of the site."""
    from dataclasses import replace

    from bt_exec.cli.given import is_other_form
    from bt_exec.failure import SpecError
    from bt_exec.site.check_utterances import check_utterances
    from bt_exec.site.site import load_site
    from bt_exec.spec.library import Library
    from bt_exec.spec.load import parse
    from bt_exec.spec.model import TreeSpec
    from bt_exec.spec.source import scan_file
    from bt_exec.verify import verify_file

    problems: list[Problem] = []
    loaded: list[Loaded] = []
    library = Library()
    for path in files:
        try:
            if is_other_form(path):
                problems += _problems_of_plan(path, site)
                continue
            source = scan_file(path)
            if _is_site(source):
                problems += check_utterances(load_site(str(path)))
                continue
            if _is_words(source):
                message = (
                    "these are the words of a pack; they are checked with a site that uses it: "
                    "bt-exec check SITE.yaml"
                )
                problems.append(source.problem("NOT_A_TREE", message))
                continue
            one = parse(source)
            loaded.append(one)
            if isinstance(one.document, TreeSpec):
                library.add(one.document, one.source)
        except SpecError as error:
            problems += error.problems
    own = library.names()
    library.fill_up(site.library)
    wrong = [problem for one in loaded for problem in verify_file(one, site.catalogue, library)]
    if own and not wrong and not problems:
        wrong += check_utterances(replace(site, library=library), own)
    return problems + wrong


def _is_site(source: Source) -> bool:
    return isinstance(source.data, dict) and "site" in source.data


def _is_words(source: Source) -> bool:
    """Whether a file is a pack's lexicon."""
    data = source.data
    return isinstance(data, dict) and not data.keys().isdisjoint(("verbs", "nouns"))


def _problems_of_plan(path: Path, site: Site) -> Iterator[Problem]:
    """Yield what is wrong with a plan in a form of a pack; in a tree it has no lines.

    Raises:
        SpecError: If it cannot be read.
    """
    from dataclasses import replace

    from bt_exec.cli.given import load_plan
    from bt_exec.planning.compiler import Request
    from bt_exec.planning.plan import examine

    spec = load_plan(path, site, "")
    language = spec.mission.language
    request = Request("", language, site.catalogue, site.library, settings=site.packs)
    found = examine(spec, request).problems
    yield from (replace(problem, file=str(path)) for problem in found)


COMMANDS: Mapping[str, Callable[..., None]] = {"check": check}
