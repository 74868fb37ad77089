"""Formatting of tree and site files: the layout changes, the data and the comments do not.

Indentation is two spaces, list items are indented under their key, and the fields of a node are in
the order of the documentation, kind first. Quotes and flow style are kept. Mappings with comments
between their fields keep their order, so that comments stay in place.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import yaml

from bt_exec.failure import Problem, SpecError
from bt_exec.spec.model import KINDS
from bt_exec.spec.source import Source, read_text

if TYPE_CHECKING:
    from ruamel.yaml import YAML

__all__ = ["format_source"]

_FIRST = ("tree", "mission", "site", "summary", "utterances", "params", "returns", "otherwise")
_NODE = (*KINDS, "name", "succeed_when", "body", "else", "tell", "with", "save")
_MODIFIERS = ("for_each", "skip_if", "while", "retry", "timeout", "repeat", "until")
_MOST_ROUNDS = 4


def format_source(source: Source) -> str:
    """Return the text of a tree, plan or site file in the layout of the documentation.

    Formatting is idempotent.

    Raises:
        SpecError: With ``NOT_FORMATTED`` if formatting would change its data or comments.
        ModuleNotFoundError: Without the extra ``author``.
    """
    found = source.text
    for _ in range(_MOST_ROUNDS):
        before, found = found, _format_once(found)
        if before == found:
            break
    else:
        raise _not_formatted(source)
    same_data = read_text(found, source.file).data == source.data
    if not same_data or _comments(found) != _comments(source.text):
        raise _not_formatted(source)
    return found


def _not_formatted(source: Source) -> SpecError:
    message = "is left as it is: its layout cannot be changed without changing what it says"
    return SpecError([Problem("NOT_FORMATTED", message, file=source.file, line=1, column=1)])


def _format_once(text: str) -> str:
    round_trip = _round_trip()
    data = round_trip.load(text)
    lines, inside = text.split("\n"), _inside_scalars(text)
    comments = {
        number
        for number, line in enumerate(lines)
        if line.lstrip().startswith("#") and number not in inside
    }
    _order(data, lines, comments)
    stream = io.StringIO()
    round_trip.dump(data, stream)
    return _tidy(stream.getvalue())


def _round_trip() -> YAML:
    from ruamel.yaml import YAML

    round_trip = YAML()
    round_trip.preserve_quotes = True
    round_trip.width = 4096
    round_trip.indent(mapping=2, sequence=4, offset=2)
    return round_trip


def _order(value: Any, lines: list[str], comments: set[int]) -> None:
    """Sort the fields of nodes and of documents in place.

    Args:
        value: A mapping or list from ruamel, with the lines of its fields.
        lines: The lines of the text.
        comments: Numbers of the lines that contain only a comment.
    """
    if isinstance(value, dict):
        node: Any = value  # ruamel's mappings are ordered dictionaries
        if any(kind in node for kind in KINDS) or "root" in node:
            first = _FIRST if {"tree", "root"} <= node.keys() else _NODE
            fields = [key for key in first if key in node]
            fields += [key for key in node if key not in fields and key not in _MODIFIERS]
            fields += [key for key in _MODIFIERS if key in node]
            if fields != list(node) and not _is_commented(node, lines, comments):
                for key in fields:
                    node.move_to_end(key)
        for inner in node.values():
            _order(inner, lines, comments)
    elif isinstance(value, list):
        for inner in value:
            _order(inner, lines, comments)


def _is_commented(node: Any, lines: list[str], comments: set[int]) -> bool:
    """Return True if there is a comment between the fields of a mapping, or above the first."""
    taken = set(_lines_of(node))
    first, last = min(taken), max(taken)
    if comments & set(range(first, last)):
        return True
    above = first - 1
    while above >= 0 and not lines[above].strip():
        above -= 1
    return above in comments and not lines[first].lstrip().startswith("- ")


def _lines_of(value: Any) -> Iterator[int]:
    """Yield the lines of all fields and items of a mapping or list."""
    places = getattr(getattr(value, "lc", None), "data", None) or {}
    yield from (place[0] for place in places.values())
    for inner in value.values() if isinstance(value, dict) else value:
        if isinstance(inner, dict | list):
            yield from _lines_of(inner)


def _tidy(text: str) -> str:
    """Return text without trailing spaces, with comment lines indented like the following line."""
    lines = text.split("\n")
    inside = _inside_scalars(text)
    indent = ""
    for number in range(len(lines) - 1, -1, -1):
        if number in inside:
            continue
        line = lines[number].rstrip()
        body = line.lstrip(" ")
        if body.startswith("#"):
            line = indent + body
        elif body:
            indent = line[: len(line) - len(body)]
        lines[number] = line
    return "\n".join(lines).rstrip("\n") + "\n"


def _inside_scalars(text: str) -> set[int]:
    """Return the numbers, from 0, of lines inside a multi-line scalar."""
    found: set[int] = set()
    for token in yaml.scan(text):
        if isinstance(token, yaml.ScalarToken):
            found.update(range(token.start_mark.line + 1, token.end_mark.line + 1))
    return found


def _comments(text: str) -> list[str]:
    """Return the comments of a text in alphabetical order, to check that they are unchanged."""
    lines = text.split("\n")
    spots: dict[int, int] = {}
    for token in yaml.scan(text):
        line = token.end_mark.line
        if isinstance(token, yaml.ScalarToken) and token.style in ("|", ">"):
            for number in range(token.start_mark.line + 1, line):
                spots[number] = len(lines[number])
        elif line < len(lines):
            spots[line] = max(spots.get(line, 0), token.end_mark.column)
    found = [line[spots.get(number, 0) :].strip() for number, line in enumerate(lines)]
    return sorted(comment for comment in found if comment.startswith("#"))
