"""Command ``check``: tree, plan and site files, packs and utterances."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bt_exec.cli import options as opt
from bt_exec.cli.check_report import ReportFormat, report

if TYPE_CHECKING:
    from bt_exec.failure import Problem
    from bt_exec.pack import Catalogue
    from bt_exec.site.site import Site
    from bt_exec.spec.load import Loaded
    from bt_exec.spec.source import Source

__all__ = ["COMMANDS", "check", "files_in"]

_OF_A_SITE = ("UNKNOWN_CODE", "UNKNOWN_CONDITION", "UNKNOWN_SKILL", "UNKNOWN_TREE", "UNKNOWN_TYPE")
"""Mistakes that may be none at another site."""

_POSITION = re.compile(r"(?s)(\S[^\n]*?\.\w+):(\d+):(\d+): (.*)\Z")
"""A message that begins with a position: ``words.yaml:3:1: …``."""

_ENDINGS = (".yaml", ".yml", ".json")
_STARTS = ("tree", "mission", "site")


def check(
    files: Annotated[
        list[Path],
        typer.Argument(
            help="Tree, plan, site or Python files, folders that hold some, or names of packs and "
            "sites.",
            metavar="FILE|DIR|PACK|SITE...",
        ),
    ],
    site: opt.SiteName = "",
    json: opt.Json = False,
    form: Annotated[
        ReportFormat,
        typer.Option("--format", help="Form of the report; github and sarif are for CI."),
    ] = ReportFormat.text,
) -> None:
    """Check files: every mistake with file, line and column; exit code 2 if there is one.

    The utterances of trees are tried, too: each must lead to its tree. The packs of the site are
    checked as well: skills use declared facts only, and declare the failure codes they raise.
    """
    from bt_exec.failure import SpecError

    form = ReportFormat.json if json else form
    found, others = files_in(files)
    checked = _Checked(site)
    try:
        checked.add(found)
    except SpecError as error:
        checked.problems += error.problems
    names = {os.path.realpath(file): str(file) for file in found}
    problems = list(dict.fromkeys(_located(problem, names) for problem in checked.problems))
    closing = [*_site_hints(problems, found, checked), *checked.replaced]
    closing.append(_summary(problems, found))
    if others:
        left = ", ".join(map(str, others))
        closing.append(f"no tree, plan or site, so left alone: {left}")
    report(problems, form, closing)
    raise typer.Exit(2 if problems else 0)


def _summary(problems: Sequence[Problem], files: Sequence[Path]) -> str:
    count = f"{len(files)} file{'s' * (len(files) != 1)}"
    if not problems:
        return f"{count} in order"
    told = f"{len(problems)} problem{'s' * (len(problems) != 1)}"
    wrong = {problem.file for problem in problems}
    inside = wrong & set(map(str, files))
    beside = ", ".join(sorted(filter(None, wrong - inside)))
    if not beside:
        return f"{told} in {len(inside)} of {count}"
    return f"{told} in {len(inside)} of {count}, and in {beside}"


def _located(problem: Problem, names: Mapping[str, str]) -> Problem:
    """Return a problem with its position, where only its message names one.

    Args:
        problem: The problem.
        names: What the operator calls files, by their real paths.
    """
    from dataclasses import replace

    found = _POSITION.match(problem.message) if problem.line is None else None
    if found is not None:
        file, line, column, message = found.groups()
        problem = replace(problem, file=file, line=int(line), column=int(column), message=message)
    called = names.get(os.path.realpath(problem.file)) if problem.file else None
    return replace(problem, file=called) if called is not None else problem


def _site_hints(
    problems: Sequence[Problem], files: Sequence[Path], checked: _Checked
) -> Iterator[str]:
    """Yield which site knows the names that the one at hand does not know."""
    names = {problem.found for problem in problems if problem.code in _OF_A_SITE}
    if not names or checked.loaded is None:
        return
    own = checked.loaded.name
    best, most = "", 0
    others = dict(_known_elsewhere(own))
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


def _known_elsewhere(own: str) -> Iterator[tuple[str, set[str]]]:
    """Yield the other shipped sites and the names that they know."""
    from bt_exec.failure import BtExecError
    from bt_exec.site.data import site_names
    from bt_exec.site.site import load_site

    for name in site_names():
        if name == own:
            continue
        try:
            site = load_site(name)
        except BtExecError:
            continue  # a site that does not load is no advice
        catalogue = site.catalogue
        known = (catalogue.skills, catalogue.conditions, catalogue.types, site.library.names())
        yield name, {entry for names in known for entry in names}


def files_in(given: list[Path]) -> tuple[list[Path], list[Path]]:
    """Return the files to check, each once, and those of folders that are something else.

    Raises:
        UsageError: If a folder holds nothing to check.
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
        ours = [file for file in inside if not is_pipe_or_device(file) and _is_ours(file)]
        if not ours:
            raise UsageError(f"{path}: holds no tree, plan or site file ({', '.join(_ENDINGS)})")
        for file in ours:
            files.setdefault(os.path.realpath(file), file)
        others += [file for file in inside if file not in ours]
    return list(files.values()), others


def _is_ours(file: Path) -> bool:
    """Return whether a file is, or was meant to be, a tree, a plan or a site."""
    from difflib import get_close_matches

    from bt_exec.cli.plan_input import is_other_form
    from bt_exec.failure import SpecError
    from bt_exec.spec.source import scan_file

    if is_other_form(file):
        return True
    try:
        data = scan_file(file).data
    except SpecError:
        return True  # unreadable, whatever it was meant to be
    return isinstance(data, dict) and any(get_close_matches(key, _STARTS, 1, 0.7) for key in data)


class _Checked:
    """The problems of files; trees of the files may use each other and those of the site.

    Args:
        site: Name or file of the site that trees and plans are checked for.

    Attributes:
        problems: What was found so far.
        loaded: The site, once a file needed it.
        replaced: Parts of packs that the checked sites replace.
    """

    def __init__(self, site: str) -> None:
        self.problems: list[Problem] = []
        self.loaded: Site | None = None
        self.replaced: list[str] = []
        self._name = site

    @property
    def site(self) -> Site:
        """The site that trees and plans are checked for, with its packs.

        Raises:
            SpecError: If it is wrong.
        """
        from bt_exec.site.site import load_site

        if self.loaded is None:
            self.loaded = load_site(self._name)
            self._codes(self.loaded.catalogue)
        return self.loaded

    def add(self, files: Iterable[Path]) -> None:
        """Check files, and what packs and sites of these names bring."""
        from bt_exec.failure import RegistrationError, SpecError
        from bt_exec.spec.load import parse
        from bt_exec.spec.source import scan_file

        loaded: list[Loaded] = []
        for path in files:
            try:
                if not self._special(path):
                    source = scan_file(path)
                    if not self._other_document(source, path):
                        loaded.append(parse(source))
            except SpecError as error:
                self.problems += error.problems
            except RegistrationError as error:
                if not error.problems:
                    raise
                self.problems += error.problems
        if loaded:
            self._trees(loaded)

    def _special(self, path: Path) -> bool:
        """Check what is not a YAML document; return whether `path` is such."""
        from bt_exec.cli.plan_input import is_other_form
        from bt_exec.pack import pack_names
        from bt_exec.site.data import site_names
        from bt_exec.site.site import load_site

        name = str(path)
        if is_other_form(path):
            self.problems += _problems_of_plan(path, self.site)
        elif path.suffix == ".py":
            self._codes(load_site(self._name, [path]).catalogue)
        elif name in pack_names() and not path.exists():
            self._pack(name)
        elif name in site_names() and not path.exists():
            self._site(name)
        else:
            return False
        return True

    def _other_document(self, source: Source, path: Path) -> bool:
        """Check a site file, or the words or sentences of a pack; return whether it is one."""
        if _is_site(source):
            self._site(str(path))
        elif _is_words(source) or _is_sentences(source):
            if (pack := self._pack_with(path)) is not None:
                self._pack(pack)
                return True
            message = (
                "no pack of this site uses this file of words or sentences; check it with a site "
                "that uses its pack: bt-exec check SITE.yaml"
            )
            self.problems.append(source.problem("NOT_A_TREE", message))
        else:
            return False
        return True

    def _pack_with(self, path: Path) -> str | None:
        """Return the pack of the site that has this file of words or sentences."""
        for pack in self.site.catalogue.packs:
            for file in (pack.lexicon, pack.messages):
                if file is not None and os.path.realpath(file) == os.path.realpath(path):
                    return pack.name
        return None

    def _site(self, name: str) -> None:
        from bt_exec.site.check_utterances import check_utterances
        from bt_exec.site.site import load_site
        from bt_exec.verify.sentences import sentence_problems

        site = load_site(name)
        self.replaced += site.replaced
        self._codes(site.catalogue)
        self.problems += sentence_problems(site.catalogue, site.library)
        self.problems += check_utterances(site)

    def _pack(self, name: str) -> None:
        """Check a pack without a site: its facts, codes, trees, words and sentences."""
        from bt_exec.pack import Catalogue, find_pack
        from bt_exec.site.check_utterances import word_problems
        from bt_exec.spec.library import Library
        from bt_exec.spec.load import Loaded
        from bt_exec.verify import verify_file
        from bt_exec.verify.packs import fact_problems
        from bt_exec.verify.sentences import sentence_problems

        names = [name]
        for one in names:
            names += [other for other in find_pack(one).requires if other not in names]
        packs = [find_pack(one) for one in names]
        catalogue = Catalogue(packs)
        self.problems += fact_problems(catalogue)
        self._codes(catalogue)
        library = Library.load(pack.trees for pack in packs if pack.trees is not None)
        for tree in library:
            loaded = Loaded(tree, library.source(tree.tree))
            self.problems += verify_file(loaded, catalogue, library)
        self.problems += sentence_problems(catalogue, library)
        self.problems += word_problems(catalogue, library)

    def _codes(self, catalogue: Catalogue) -> None:
        """Check the failure codes of packs whose code was not looked at yet."""
        from bt_exec.verify.packs import code_problems

        self.problems += code_problems(catalogue)

    def _trees(self, loaded: list[Loaded]) -> None:
        """Check trees and missions, then what people say to get them."""
        from dataclasses import replace

        from bt_exec.failure import SpecError
        from bt_exec.site.check_utterances import check_utterances
        from bt_exec.spec.library import Library
        from bt_exec.spec.model import TreeSpec
        from bt_exec.verify import verify_file

        library = Library()
        for one in loaded:
            if isinstance(one.document, TreeSpec):
                try:
                    library.add(one.document, one.source)
                except SpecError as error:
                    self.problems += error.problems
        own = library.names()
        sound = not self.problems
        site = self.site
        library.fill_up(site.library)
        wrong = [found for one in loaded for found in verify_file(one, site.catalogue, library)]
        if own and not wrong and sound:
            wrong += check_utterances(replace(site, library=library), own)
        self.problems += wrong


def _is_site(source: Source) -> bool:
    return isinstance(source.data, dict) and "site" in source.data


def _is_words(source: Source) -> bool:
    """Return whether a file is a pack's lexicon."""
    data = source.data
    return isinstance(data, dict) and not data.keys().isdisjoint(("verbs", "nouns"))


def _is_sentences(source: Source) -> bool:
    """Return True if a file is a pack's messages: a text per language for each key."""
    data = source.data
    said = data.values() if isinstance(data, dict) else ()
    return any(isinstance(one, dict) and {"en", "ko"} <= one.keys() for one in said)


def _problems_of_plan(path: Path, site: Site) -> Iterator[Problem]:
    """Yield what is wrong with a plan in a form of a pack; in a tree it has no lines.

    Raises:
        SpecError: If it cannot be read.
    """
    from dataclasses import replace

    from bt_exec.cli.plan_input import load_plan
    from bt_exec.planning.compiler import Request
    from bt_exec.planning.plan import examine

    spec = load_plan(path, site, "")
    language = spec.mission.language
    request = Request("", language, site.catalogue, site.library, settings=site.packs)
    found = examine(spec, request).problems
    yield from (replace(problem, file=str(path)) for problem in found)


COMMANDS: Mapping[str, Callable[..., None]] = {"check": check}
