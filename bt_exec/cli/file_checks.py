"""Checks of files that may refer to each other: trees, plans, sites, packs, words and sentences."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bt_exec.failure import BtExecError, Problem
    from bt_exec.pack import Catalogue
    from bt_exec.site.site import Site
    from bt_exec.spec.library import Library
    from bt_exec.spec.load import Loaded
    from bt_exec.spec.yaml_source import Source

__all__ = ["FileChecker"]


class FileChecker:
    """Collector of the problems of files. Trees in them may use each other and trees of the site.

    Args:
        site: Name or file of the site against which trees and plans are checked.

    Attributes:
        problems: Problems found so far.
        loaded: The site, loaded when a file needs it.
        replaced: One sentence for each part of a pack that a checked site replaces.
    """

    def __init__(self, site: str) -> None:
        self.problems: list[Problem] = []
        self.loaded: Site | None = None
        self.replaced: list[str] = []
        self._name = site

    @property
    def site(self) -> Site:
        """The site against which trees and plans are checked, with its packs.

        Raises:
            SpecError: If it is invalid.
        """
        from bt_exec.site.site import load_site

        if self.loaded is None:
            self.loaded = load_site(self._name)
            self._check_failure_codes(self.loaded.catalogue)
        return self.loaded

    def add(self, files: Iterable[Path]) -> None:
        """Check files, and packs and sites that are given by name; add their problems."""
        from bt_exec.failure import RegistrationError, SpecError, UsageError
        from bt_exec.spec.load import parse
        from bt_exec.spec.yaml_source import scan_file

        loaded: list[Loaded] = []
        for path in files:
            try:
                if not self._check_non_yaml(path):
                    source = scan_file(path)
                    if not self._check_other_document(source, path):
                        loaded.append(parse(source))
            except SpecError as error:
                self.problems += error.problems
            except (RegistrationError, UsageError) as error:
                self.problems += getattr(error, "problems", ()) or [_load_problem(error)]
        if loaded:
            self._check_trees(loaded)

    def _check_non_yaml(self, path: Path) -> bool:
        """Check a plan of a pack, a Python file, or a pack or site by name.

        Returns:
            False for other paths, which remain to be read as YAML.
        """
        from bt_exec.cli.plan_from_file import is_pack_plan_file
        from bt_exec.pack import pack_names
        from bt_exec.site.shipped_data import site_names
        from bt_exec.site.site import load_site

        name = str(path)
        if is_pack_plan_file(path):
            self.problems += _problems_of_plan(path, self.site)
        elif path.suffix == ".py":
            self._check_failure_codes(load_site(self._name, [path]).catalogue)
        elif name in pack_names() and not path.exists():
            self._check_pack(name)
        elif name in site_names() and not path.exists():
            self._site(name)
        else:
            return False
        return True

    def _check_other_document(self, source: Source, path: Path) -> bool:
        """Check a site file, or a pack's file of words or sentences.

        Returns:
            False for other documents, which remain to be read as trees or missions.
        """
        if _is_site(source):
            self._site(str(path))
        elif _is_lexicon_file(source) or _is_message_file(source):
            if (pack := self._pack_of_words_file(path)) is not None:
                self._check_pack(pack)
                return True
            message = (
                "no pack of this site uses this file of words or sentences; check it with a site "
                "that uses its pack: bt-exec check SITE.yaml"
            )
            self.problems.append(source.problem("NOT_A_TREE", message))
        else:
            return False
        return True

    def _pack_of_words_file(self, path: Path) -> str | None:
        """Return the name of the pack whose words or sentences a file contains, or None."""
        for pack in self.site.catalogue.packs:
            for file in (pack.lexicon, pack.messages):
                if file is not None and os.path.realpath(file) == os.path.realpath(path):
                    return pack.name
        return None

    def _site(self, name: str) -> None:
        from bt_exec.site.check_utterances import check_utterances
        from bt_exec.site.site import load_site
        from bt_exec.verify.pack_message_checks import sentence_problems

        site = load_site(name)
        self.replaced += site.replaced
        self._check_failure_codes(site.catalogue)
        self._check_libraries(site.library, site.catalogue)
        self.problems += sentence_problems(site.catalogue, site.library)
        self.problems += check_utterances(site)

    def _check_pack(self, name: str) -> None:
        """Check a pack without a site: its facts, codes, trees, words and sentences."""
        from bt_exec.pack import Catalogue, find_pack
        from bt_exec.site.check_utterances import word_problems
        from bt_exec.spec.library import Library
        from bt_exec.verify.pack_declarations import fact_problems
        from bt_exec.verify.pack_message_checks import sentence_problems

        names = [name]
        for one in names:
            names += [other for other in find_pack(one).requires if other not in names]
        packs = [find_pack(one) for one in names]
        catalogue = Catalogue(packs)
        self.problems += fact_problems(catalogue)
        self._check_failure_codes(catalogue)
        library = Library.load(pack.trees for pack in packs if pack.trees is not None)
        self._check_libraries(library, catalogue)
        self.problems += sentence_problems(catalogue, library)
        self.problems += word_problems(catalogue, library)

    def _check_libraries(self, library: Library, catalogue: Catalogue) -> None:
        """Check every tree of a library; a tree shared by several robots is checked once."""
        from bt_exec.spec.load import Loaded
        from bt_exec.verify import verify_file

        for tree in library:
            loaded = Loaded(tree, library.source(tree.tree))
            self.problems += verify_file(loaded, catalogue, library)

    def _check_failure_codes(self, catalogue: Catalogue) -> None:
        """Check that the skills of a catalogue declare the failure codes that they raise."""
        from bt_exec.verify.pack_declarations import skill_problems

        self.problems += skill_problems(catalogue)

    def _check_trees(self, loaded: list[Loaded]) -> None:
        """Check trees and missions, then the utterances of trees."""
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
        library.add_missing(site.library)
        wrong = [found for one in loaded for found in verify_file(one, site.catalogue, library)]
        if own and not wrong and sound:
            wrong += check_utterances(replace(site, library=library), own)
        self.problems += wrong


def _load_problem(error: BtExecError) -> Problem:
    """Return the problem for code that cannot be loaded, at the line that raised the error.

    Raises:
        BtExecError: `error` itself, if no line outside bt-exec raised it.
    """
    from bt_exec.declarations.exception_description import source_line
    from bt_exec.failure import Problem

    for one in (error.__cause__, error):
        if one is not None and (found := source_line(one)) is not None:
            file, line = str(found[0]), found[1]
            why = str(error).removeprefix(f"tools {file}: ")
            said = f"cannot be loaded: {why}"
            return Problem("CANNOT_LOAD", said, file=file, line=line, column=1)
    raise error


def _is_site(source: Source) -> bool:
    return isinstance(source.data, dict) and "site" in source.data


def _is_lexicon_file(source: Source) -> bool:
    """Return True if a file is a pack's lexicon."""
    data = source.data
    return isinstance(data, dict) and not data.keys().isdisjoint(("verbs", "nouns"))


def _is_message_file(source: Source) -> bool:
    """Return True if a file contains a pack's messages: texts by language, or phrases."""
    data = source.data
    said = data.values() if isinstance(data, dict) else ()
    texts = any(isinstance(one, dict) and not one.keys().isdisjoint(("en", "ko")) for one in said)
    return texts or (isinstance(data, dict) and "phrases" in data)


def _problems_of_plan(path: Path, site: Site) -> Iterator[Problem]:
    """Yield the problems of a plan in the format of a pack, without line numbers.

    Raises:
        SpecError: If it cannot be read.
    """
    from dataclasses import replace

    from bt_exec.cli.plan_from_file import load_plan
    from bt_exec.planning.compiler import Request
    from bt_exec.planning.plan_preparation import examine

    spec = load_plan(path, site, "")
    language = spec.mission.language
    request = Request("", language, site.catalogue, site.library, settings=site.packs)
    found = examine(spec, request).problems
    yield from (replace(problem, file=str(path)) for problem in found)
