"""Checks of the message files of packs for unknown names and unknown placeholders.

Codes: ``UNKNOWN_PHRASE`` for a phrase of an unknown skill, condition or tree;
``UNKNOWN_CONDITION``, ``UNKNOWN_TYPE``, ``UNKNOWN_FACT`` and ``UNKNOWN_FACT_VALUE`` for a sentence
about an unknown condition, type, fact or value; ``UNKNOWN_CODE`` for a failure code that is never
raised; ``UNKNOWN_PLACEHOLDER`` for a placeholder that never gets a value.

Failure codes and the values of placeholders may come from any Python code of the pack. A code or a
placeholder of a sentence is reported only if it does not occur as a word in this Python code.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from bt_exec.failure import OWN_CODES, Problem, SpecError, nearest_first
from bt_exec.files import read_at_most
from bt_exec.language.message_files import LANGUAGES, SECTIONS, placeholders
from bt_exec.language.messages import OWN_MESSAGES
from bt_exec.mission_outcome import code_of_reason
from bt_exec.pack import Catalogue, Pack
from bt_exec.spec.library import Library
from bt_exec.spec.model import Check, walk
from bt_exec.spec.yaml_source import MAX_BYTES, Place, Source, read_file, sorted_by_position

__all__ = ["sentence_problems"]

_CODE = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*")
_FACT = re.compile(r"(?:was |first )?([^\s=]+)=(\S.*)")
_OF_CONDITION = re.compile(r"(?:unmet|met|told) (\w[\w.]*)")
_ASKED = "ASK_"
_WORD = re.compile(r"[^\W\d]\w*")
_PROVIDED = frozenset({"cause", "message", "why"})
"""Placeholders that every sentence may use."""


def sentence_problems(catalogue: Catalogue, library: Library) -> list[Problem]:
    """Return the mistakes in the message files of the packs of a catalogue.

    Args:
        catalogue: The packs. Their message files have been loaded, so their syntax is correct.
        library: The trees.
    """
    problems: list[Problem] = []
    for pack in {pack.kind: pack for pack in catalogue.packs}.values():
        if pack.messages is not None:
            try:
                source = read_file(pack.messages)
            except SpecError:
                continue  # the parser with positions is stricter than the loader of messages
            problems += sorted_by_position(_File(pack, catalogue, library, source).problems())
    return problems


class _File:
    """The message file of one pack, and the names that it may use."""

    def __init__(self, pack: Pack, catalogue: Catalogue, library: Library, source: Source) -> None:
        self.pack = pack
        self.catalogue = catalogue
        self.library = library
        self.source = source

    def problems(self) -> Iterator[Problem]:
        data: Mapping[str, Any] = self.source.data or {}
        for key, said in data.get("phrases", {}).items():
            yield from self._phrase_problems(key, said)
        for key, said in data.items():
            if key not in SECTIONS:
                yield from self._sentence_problems(key, said)

    def _phrase_problems(self, key: str, said: Mapping[str, str]) -> Iterator[Problem]:
        place: Place = ("phrases", key)
        kind, _, name = key.rpartition(" ")
        known = self._allowed_placeholders(name, kind)
        if known is None:
            yield self._unknown_name_problem(
                "UNKNOWN_PHRASE", "skill, condition or tree", key, self._parts, place
            )
            return
        yield from self._placeholder_problems(place, said, known, ())

    def _sentence_problems(self, key: str, said: Mapping[str, str]) -> Iterator[Problem]:
        place: Place = (key,)
        if asked := _OF_CONDITION.fullmatch(key):
            conditions = self.catalogue.conditions
            if asked[1] not in self._names_in_both_forms(conditions):
                yield self._unknown_name_problem(
                    "UNKNOWN_CONDITION", "condition", asked[1], conditions, place
                )
        elif key.startswith(_ASKED):
            types = self._types
            if (name := key.removeprefix(_ASKED)) not in types:
                yield self._unknown_name_problem(
                    "UNKNOWN_TYPE", "type of a parameter", name, types, place
                )
        elif _CODE.fullmatch(key):
            if (
                key not in self._codes
                and key not in self._words_in_code | _words_in_executive_code()
            ):
                yield self._unknown_name_problem(
                    "UNKNOWN_CODE", "failure code", key, self._codes, place
                )
            else:
                yield from self._placeholder_problems(
                    place, said, self._allowed_names, self._words_in_code
                )
        else:
            for part in key.split(" + "):
                if fact := _FACT.fullmatch(part):
                    yield from self._fact_problems(fact[1], fact[2], place)

    def _fact_problems(self, name: str, value: str, place: Place) -> Iterator[Problem]:
        declared = self.catalogue.facts_usable_by(self.pack.name)
        for mistake in declared.mistakes(name, value, may_be_unknown=True):
            if mistake.code == "UNKNOWN_FACT" or "*" not in value:
                yield self.source.problem(
                    mistake.code,
                    f"{mistake.message}; the sentence is never used",
                    place,
                    found=mistake.found,
                    allowed=mistake.allowed,
                    key=True,
                )

    def _placeholder_problems(
        self, place: Place, said: Mapping[str, str], known: Iterable[str], more: Iterable[str]
    ) -> Iterator[Problem]:
        names = {*known, *_PROVIDED}
        for language in LANGUAGES:
            for alternatives in placeholders(said[language]):
                for name in alternatives:
                    if name not in names and name not in more:
                        message = f"nothing gives a value for {{{name}}} here"
                        allowed = nearest_first(name, sorted(names))
                        yield self.source.problem(
                            "UNKNOWN_PLACEHOLDER",
                            message,
                            (*place, language),
                            found=name,
                            allowed=allowed,
                        )

    def _unknown_name_problem(
        self, code: str, kind: str, name: str, known: Iterable[str], place: Place
    ) -> Problem:
        names = sorted(known)
        message = f"there is no {kind} {name!r}; the sentence is never used"
        allowed = nearest_first(name, names)
        return self.source.problem(code, message, place, found=name, allowed=allowed, key=True)

    def _names_in_both_forms(self, names: Iterable[str]) -> set[str]:
        """Return each name as used on the site, and also without the prefix of its pack."""
        return {one for name in names for one in (name, name.rpartition(".")[2])}

    def _allowed_placeholders(self, name: str, kind: str) -> set[str] | None:
        """Return the placeholders that a phrase may use; None for an unknown skill or tree."""
        site_name = self.catalogue.name_on_site(self.pack.name, name)
        skill = self.catalogue.skills.get(site_name)
        if kind == "found":
            return None if skill is None else {*skill.arguments, *skill.results}
        if kind not in ("", "tree"):
            return None
        parts = [skill, self.catalogue.conditions.get(site_name)] if not kind else []
        found = [set(part.arguments) for part in parts if part is not None]
        tree = self.catalogue.tree_name_on_site(self.pack.name, name)
        if tree in self.library:
            found.append(set(self.library.get(tree).params))
        return set().union(*found) if found else None

    @cached_property
    def _parts(self) -> set[str]:
        parts = (*self.catalogue.skills, *self.catalogue.conditions, *self.library.names())
        return self._names_in_both_forms(parts)

    @cached_property
    def _types(self) -> set[str]:
        params = (param.type for tree in self.library for param in tree.params.values())
        return self._names_in_both_forms((*self.catalogue.types, *filter(None, params)))

    @cached_property
    def _codes(self) -> set[str]:
        declared = {code for skill in self.catalogue.skills.values() for code in skill.fails}
        checks = (node for tree in self.library for node in walk(tree.root, Check))
        codes = {node.code for node in checks if node.code}
        reasons = (key for key in self.source.data if not _CODE.fullmatch(key))
        skipped = map(code_of_reason, reasons)
        return {*declared, *codes, *skipped, *OWN_CODES, *_own_sentences()}

    @cached_property
    def _allowed_names(self) -> set[str]:
        """Names of all arguments, and placeholders in the messages of the executive."""
        parts = (*self.catalogue.skills.values(), *self.catalogue.conditions.values())
        return {name for part in parts for name in part.arguments} | _own_placeholders()

    @cached_property
    def _words_in_code(self) -> frozenset[str]:
        """Every word in the Python code of the pack."""
        parts = (*self.pack.skills, *self.pack.conditions)
        modules = {part.function.__module__.partition(".")[0] for part in parts}
        files = {Path(part.function.__code__.co_filename) for part in parts}
        for name in modules:
            for folder in getattr(sys.modules.get(name), "__path__", ()):
                files.update(Path(folder).rglob("*.py"))
        return frozenset().union(*map(_words_of, sorted(files)))


@lru_cache(maxsize=4096)
def _words_of(file: Path) -> frozenset[str]:
    try:
        raw = read_at_most(file, MAX_BYTES)
    except (OSError, ValueError):
        return frozenset()
    return frozenset(_WORD.findall((raw or b"").decode("utf-8", "replace")))


@lru_cache(maxsize=1)
def _words_in_executive_code() -> frozenset[str]:
    """Return every word in the Python code of `bt_exec`.

    They are accepted as message codes, because `bt_exec` uses codes that no pack declares.
    """
    return frozenset().union(*map(_words_of, OWN_MESSAGES.parents[1].rglob("*.py")))


@lru_cache(maxsize=1)
def _own_sentences() -> Mapping[str, Any]:
    data: Mapping[str, Any] = read_file(OWN_MESSAGES).data
    return {key: said for key, said in data.items() if key not in SECTIONS}


@lru_cache(maxsize=1)
def _own_placeholders() -> frozenset[str]:
    texts = (text for said in _own_sentences().values() for text in said.values())
    return frozenset(name for text in texts for names in placeholders(text) for name in names)
