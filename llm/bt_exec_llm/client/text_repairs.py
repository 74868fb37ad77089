"""Repairs of the syntax of a document in a model's text, each with a note.

Repairs add no words. Every regular expression takes time linear in the length of the text:
repetitions are possessive (``*+``) or cannot fail, and an unclosed quote or comment matches to the
end of the text. No group is possessive: Python 3.11.0 to 3.11.4 match those wrongly
(https://github.com/python/cpython/issues/106052).

The spelling of keys such as ``Tree``, ``SEQUENCE``, ``skipIf`` and ``skip-if`` is normalised. Only
keywords of the tree language are changed; values, arguments and names are not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from bt_exec.spec.model import KINDS
from bt_exec.spec.modifier_table import MODIFIERS
from bt_exec.spec.yaml_source import Place, Source

__all__ = [
    "SPEC_KEYS",
    "json_comments",
    "normalise_keywords",
    "repair_steps",
    "without_no_break_spaces",
]


_STRINGS = r'"(?:[^"\\]++|\\.)*(?:"|\\?\Z)' + r"|'[^'\n]*+'"
_COMMENT = re.compile(rf"({_STRINGS})|//[^\n]*+|/\*.*?(?:\*/|\Z)", re.DOTALL)
_NONE = re.compile(rf"({_STRINGS})|\bNone\b", re.DOTALL)
_COMMAS = re.compile(rf"({_STRINGS})|,(?=\s*+[,}}\]])", re.DOTALL)
_TABS = re.compile(r"^[ ]*+\t[ \t]*+", re.MULTILINE)
_ODD = {
    ord("\u00a0"): " ",
    **dict.fromkeys(map(ord, "\u200b\u200c\u200d\ufeff\u2060"), None),
}
_HARD = re.compile("^[ \t]*+\u00a0[ \t\u00a0]*+", re.MULTILINE)
_ODD_APART = re.compile(rf"({_STRINGS})|[{''.join(map(chr, _ODD))}]", re.DOTALL)
_CURLY = str.maketrans({"“": '"', "”": '"', "„": '"'})
_TIGHT = re.compile(
    r"^([ ]*+(?:-[ ]++)*(?:do|check|tree|sequence|fallback|parallel|root|with|name|summary|"
    r"timeout|retry|repeat|while|skip_if|else|save)):(?=[^\s:/])",
    re.MULTILINE,
)
_COLON = re.compile(
    r"^([ ]*+(?:-[ ]++)*[A-Za-z_]\w*+:[ ]++)([^\s\"'\[{|>&*!%@`#][^\n]*+)$", re.MULTILINE
)


def without_no_break_spaces(text: str) -> str:
    """Return a text with spaces in place of no-break spaces in the indentation."""
    return _HARD.sub(lambda match: match[0].replace("\u00a0", " "), text)


def repair_steps(text: str) -> Iterator[tuple[str, str]]:
    """Apply the repairs one after another; yield the text after each, and a note about it."""
    steps: list[tuple[str, Callable[[str], str]]]
    if text.lstrip()[:1] in ("{", "["):
        steps = [
            ("invisible characters removed", lambda t: _ODD_APART.sub(_odd_characters, t)),
            ("curly quotes made straight", lambda t: t.translate(_CURLY)),
            ("comments left out", lambda t: _COMMENT.sub(_keep_string, t)),
            ("None read as null", lambda t: _NONE.sub(lambda m: m[1] or "null", t)),
            ("surplus commas removed", lambda t: _COMMAS.sub(_keep_string, t)),
        ]
    else:
        steps = [
            ("invisible characters removed", lambda t: t.translate(_ODD)),
            ("tabs turned into spaces", lambda t: _TABS.sub(_spaces, t)),
            ("a space put after a colon", lambda t: _TIGHT.sub(r"\1: ", t)),
            (
                "quotes put around text that holds a colon",
                lambda t: _COLON.sub(_quote_value_with_colon, t),
            ),
        ]
    for note, step in steps:
        mended = step(text)
        if mended != text:
            text = mended
            yield text, note


def json_comments(text: str) -> list[str]:
    """Return the comments in a JSON text; one of the repairs removes them."""
    return [match[0].strip("/* \n") for match in _COMMENT.finditer(text) if match[1] is None]


def _spaces(match: re.Match[str]) -> str:
    return match[0].replace("\t", "  ")


def _odd_characters(match: re.Match[str]) -> str:
    return match[1] or match[0].translate(_ODD)


def _keep_string(match: re.Match[str]) -> str:
    return match[1] or ""


def _quote_value_with_colon(match: re.Match[str]) -> str:
    value = match[2].rstrip(" ")
    if ": " not in value and not value.endswith(":"):
        return match[0]
    return match[1] + json.dumps(value, ensure_ascii=False)


SPEC_KEYS = ("tree", "mission", "summary", "utterances", "params", "returns", "otherwise", "root")
"""Keys that can start a tree or a mission."""

_MODIFIERS = ("name", *(one.name for one in MODIFIERS))
_NODE_KEYS = (*KINDS, *_MODIFIERS, "with", "save", "else", "tell", "succeed_when", "body")
_PARAM_KEYS = ("type", "default", "summary")
_OPERATORS = ("not", "all", "any")
_DEEPEST = 100


def normalise_keywords(source: Source, keys: Sequence[str]) -> tuple[Source, tuple[str, ...]]:
    """Return the document with normalised keywords, and a note if any was changed.

    Args:
        source: The document; the result has the same positions.
        keys: Allowed keys at its top level; `SPEC_KEYS` for trees.
    """
    folder = _Folder()
    data = folder.normalise_mapping(source.data, (), keys)
    if not folder.renamed:
        return source, ()
    shown = ", ".join(sorted({f"{place[-1]} for {key}" for place, key in folder.renamed.items()}))
    marks = {folder.renamed_path(place): mark for place, mark in source.marks.items()}
    at_keys = {folder.renamed_path(place): mark for place, mark in source.keys.items()}
    note = f"keys in another case: {shown[:120]}"
    return replace(source, data=data, marks=marks, keys=at_keys), (note,)


class _Folder:
    """Traversal that normalises the keys of a document and records the renamed ones by path."""

    def __init__(self) -> None:
        self.renamed: dict[Place, str] = {}

    def renamed_path(self, old: Place) -> Place:
        """Return a path in which renamed keys have their new names."""
        parts = range(len(old))
        return tuple(self.renamed.get(old[: index + 1], old[index]) for index in parts)

    def normalise_mapping(self, data: Any, place: Place, known: Sequence[str]) -> Any:
        """Return a mapping with normalised keys, also in the values under known keys."""
        if not isinstance(data, dict) or len(place) > _DEEPEST:
            return data
        by_folded: dict[str, str] = {_folded_key(key): key for key in known}
        folded: dict[str, Any] = {}
        for key, value in data.items():
            new = str(key) if key in known else by_folded.get(_folded_key(key)) or str(key)
            if new in folded or (new != key and new in data):
                new = key
            if new != key:
                self.renamed[(*place, key)] = new
            folded[new] = self._normalise_nested_keys(new, value, (*place, key))
        return folded

    def _normalise_nested_keys(self, key: str, value: Any, place: Place) -> Any:
        if key in ("root", "body"):
            return self.normalise_mapping(value, place, _NODE_KEYS)
        if key in ("sequence", "fallback", "parallel") and isinstance(value, list):
            items = enumerate(value)
            return [
                self.normalise_mapping(item, (*place, index), _NODE_KEYS) for index, item in items
            ]
        if key in ("skip_if", "while", "until", "check"):
            return self._normalise_condition(value, place)
        if key == "params" and isinstance(value, dict):
            return {
                name: self.normalise_mapping(param, (*place, name), _PARAM_KEYS)
                for name, param in value.items()
            }
        return value

    def _normalise_condition(self, value: Any, place: Place) -> Any:
        if not isinstance(value, dict) or len(value) != 1 or len(place) > _DEEPEST:
            return value
        (key, inner), here = next(iter(value.items())), (*place, next(iter(value)))
        new = key if key in _OPERATORS else key.casefold()
        if new not in _OPERATORS:
            return value
        if new != key:
            self.renamed[here] = new
        if isinstance(inner, list):
            below = [
                self._normalise_condition(item, (*here, index)) for index, item in enumerate(inner)
            ]
            return {new: below}
        return {new: self._normalise_condition(inner, here)}


def _folded_key(key: str) -> str:
    """Return a key in lower case without separators; letters of other alphabets are unchanged."""
    return re.sub("[-_ ]", "", key).casefold() if key.isascii() else key
