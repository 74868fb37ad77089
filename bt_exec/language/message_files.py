"""Reading and validation of message files, and display names of the values of lexicons.

Reports use the word that commands use for a value ("토마토"), so that the pack's messages need not
list it again.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias

import yaml

from bt_exec.failure import Problem, RegistrationError, SpecError
from bt_exec.spec.shipped_yaml import parse_yaml
from bt_exec.spec.yaml_mistakes import explain
from bt_exec.spec.yaml_source import Place, Source, scan_file, show_place, sorted_by_position

__all__ = ["LANGUAGES", "SECTIONS", "form_problems", "placeholders", "read_messages", "value_names"]


LANGUAGES = ("en", "ko")
SECTIONS = ("words", "phrases")
"""Sections of a message file other than its sentences."""

_FIELD = re.compile(r"[^\W\d]\w*(?:\|[^\W\d]\w*)*")
_QUOTE = 'in YAML, yes, no, on and off without quotes are booleans; write "on" in quotes'

Table: TypeAlias = Mapping[str, dict[str, str]]
"""Sentences, words or phrases by key, each a mapping from language to text."""

_Mistake: TypeAlias = tuple[str, Place, str]
"""Code, place and message of a mistake in a message file."""


def read_messages(path: Path) -> tuple[Table, Table, Table]:
    """Return the sentences, words and phrases in a message file.

    Raises:
        RegistrationError: If it cannot be read or has a mistake.
    """
    try:
        return _entries(path, path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        problem = Problem("UNREADABLE", f"cannot be read: {error}", file=str(path))
        raise RegistrationError([problem]) from None


@lru_cache(maxsize=64)
def _entries(path: Path, text: str) -> tuple[Table, Table, Table]:
    try:
        data = parse_yaml(text) or {}
    except yaml.MarkedYAMLError as error:
        why = explain(error, text, str(path))
        raise RegistrationError([replace(why, message=f"cannot be read: {why.message}")]) from None
    if wrong := form_problems(path, data):
        raise RegistrationError(wrong)
    words, phrases = (data.pop(name, {}) for name in SECTIONS)
    return data, words, phrases


def form_problems(path: Path, data: Any) -> list[Problem]:
    """Return the mistakes in the structure of a message file, in the order of the text.

    Args:
        path: The file; it is parsed again for positions if there is a mistake.
        data: Content.
    """
    found = list(_mistakes(data))
    if not found:
        return []
    try:
        source = scan_file(path)
    except SpecError:
        source = Source(str(path))
    problems = []
    for code, place, message in found:
        line, column = source.line_and_column(place, key=True)
        problems.append(
            Problem(code, message, show_place(place), file=str(path), line=line, column=column)
        )
    return sorted_by_position(problems)


def placeholders(template: str) -> list[tuple[str, ...]]:
    """Return the placeholders of a template, each with its alternatives: ``{who|recipient}``."""
    fields = (field for _, field, _, _ in string.Formatter().parse(template) if field)
    return [tuple(field.split("|")) for field in fields]


def _mistakes(data: Any) -> Iterator[_Mistake]:
    if not isinstance(data, dict):
        yield _no_mapping((), data)
        return
    tables: dict[Place, Any] = {
        (): {key: said for key, said in data.items() if key not in SECTIONS}
    }
    tables |= {(name,): data[name] for name in SECTIONS if name in data}
    for place, table in tables.items():
        if not isinstance(table, dict):
            yield _no_mapping(place, table)
            continue
        for key, sentences in table.items():
            yield from _entry_mistakes((*place, key), sentences, words=place == ("words",))


def _entry_mistakes(place: Place, sentences: Any, *, words: bool) -> Iterator[_Mistake]:
    """Yield the mistakes of one entry, which needs a text in every language."""
    key = place[-1]
    if not isinstance(key, str):
        yield "KEY_NOT_TEXT", (*place[:-1], str(key)), f"{key!r} is not a name; {_QUOTE}"
        return
    if not isinstance(sentences, dict):
        yield _no_mapping(place, sentences)
        return
    for name in sentences:
        if name not in LANGUAGES:
            allowed = ", ".join(LANGUAGES)
            yield "UNKNOWN_FIELD", (*place, name), f"{name!r} is not a language; allowed: {allowed}"
    for name in LANGUAGES:
        said = sentences.get(name)
        if name not in sentences:
            yield "MISSING_FIELD", place, f"{key} has no sentence in {name!r}"
        elif not isinstance(said, str):
            yield "BAD_VALUE", (*place, name), f"{key}: {name} is not text ({said!r}); {_QUOTE}"
        elif words:
            for mark in "#*":
                if said.count(mark) != key.count(mark):
                    message = f"{key}: the number of {mark} differs in {name!r}"
                    yield "BAD_VALUE", (*place, name), message
        else:
            yield from _template_mistakes((*place, name), said)


def _template_mistakes(place: Place, template: str) -> Iterator[_Mistake]:
    """Yield the mistakes that would prevent a template from being filled at run time."""
    where = f"{place[-2]}: {place[-1]}"
    try:
        parts = list(string.Formatter().parse(template))
    except ValueError as error:
        message = (
            f"{where}: {error}: {template!r}; a fact is written in braces, {{name}}; "
            "for braces themselves write {{ and }}"
        )
        yield "BAD_TEMPLATE", place, message
        return
    for _, field, _, conversion in parts:
        if field is not None and (conversion or not _FIELD.fullmatch(field)):
            found = f"{{{field}!{conversion}}}" if conversion else f"{{{field}}}"
            message = (
                f"{where}: {found} names no fact; write {{name}}, "
                "or {name|other} for the first of them that is there"
            )
            yield "BAD_TEMPLATE", place, message


def _no_mapping(place: Place, data: Any) -> _Mistake:
    where = f"{'/'.join(SECTIONS)}: " if place and place[-1] in SECTIONS else ""
    if place and not where:
        where = f"{place[-1]}: "
    return "BAD_VALUE", place, f"{where}is a mapping, CODE: {{en: …, ko: …}}; found {data!r:.40}"


_OPTIONAL = re.compile(r"\[[^\[\]()]*\]")
_CHOICE = re.compile(r"\(([^()\[\]|]*)[^()\[\]]*\)")


def value_names(lexicon: Path | None) -> dict[str, dict[str, str]]:
    """Return the names of the values of a lexicon, by value and language.

    Values that refer to other values ("everywhere", "the other arm"), values without a phrase in
    every language and Korean predicates (조용하다) have no name. An unreadable file has no names;
    its mistakes are reported where the lexicon is loaded.
    """
    if lexicon is None:
        return {}
    try:
        return _value_names(lexicon.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError):
        return {}


@lru_cache(maxsize=64)
def _value_names(text: str) -> dict[str, dict[str, str]]:
    data = parse_yaml(text)
    types = data.get("values") if isinstance(data, Mapping) else None
    found: dict[str, dict[str, str]] = {}
    for values in types.values() if isinstance(types, Mapping) else ():
        for value, words in values.items() if isinstance(values, Mapping) else ():
            if isinstance(words, Mapping) and not words.get("each") and not words.get("other"):
                said = {language: _shortest_form(words.get(language)) for language in ("en", "ko")}
                if all(said.values()) and not said["ko"].endswith("다"):
                    found.setdefault(str(value), said)
    return found


def _shortest_form(phrases: Any) -> str:
    """Return the first phrase of a list in its shortest form: "left" for "left [arm|hand]"."""
    text = str(phrases[0]) if isinstance(phrases, list) and phrases else ""
    before = ""
    while text != before:
        before, text = text, _CHOICE.sub(r"\1", _OPTIONAL.sub("", text))
    return " ".join(text.split())
