"""Formatting of YAML files, and correction of misspelt names in them.

Indentation is two spaces, and list items are indented under their key. The fields of a node are
sorted, with the kind first and modifiers last. Quotes and flow style are kept.
Mappings with comments between their fields are not sorted, so that comments stay in place.

A name is corrected only if exactly one allowed name differs from it by one letter (missing,
additional, replaced, or swapped with its neighbour), in a word of four letters or more. Names that
differ in a digit or in a short word, such as ``tray_1`` and ``tray_2``, are not corrected.
"""

from __future__ import annotations

import io
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import yaml

from bt_exec.failure import Problem, SpecError
from bt_exec.spec.model import KINDS
from bt_exec.spec.yaml_source import Source, read_text

if TYPE_CHECKING:
    from ruamel.yaml import YAML

__all__ = ["correct_misspellings", "format_source", "only_correction"]


_FIRST = ("tree", "mission", "site", "summary", "utterances", "params", "returns", "otherwise")
_NODE = (*KINDS, "name", "succeed_when", "body", "else", "tell", "with", "save")
_MODIFIERS = ("for_each", "skip_if", "while", "retry", "timeout", "repeat", "until")
_MOST_ROUNDS = 4


def format_source(source: Source) -> str:
    """Return the text of a tree, plan or site file in the layout of the documentation.

    Formatting is idempotent.

    Raises:
        SpecError: With ``NOT_FORMATTED`` if formatting would change data or comments.
        ModuleNotFoundError: If the extra ``author`` is not installed.
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
    message = "is not formatted: a new layout would change its content"
    return SpecError([Problem("NOT_FORMATTED", message, file=source.file, line=1, column=1)])


def _format_once(text: str) -> str:
    round_trip = _round_trip()
    data = round_trip.load(text)
    lines, inside = text.split("\n"), _lines_inside_scalars(text)
    comments = {
        number
        for number, line in enumerate(lines)
        if line.lstrip().startswith("#") and number not in inside
    }
    _sort_fields(data, lines, comments)
    stream = io.StringIO()
    round_trip.dump(data, stream)
    return _tidy_lines(stream.getvalue())


def _round_trip() -> YAML:
    from ruamel.yaml import YAML

    round_trip = YAML()
    round_trip.preserve_quotes = True
    round_trip.width = 4096
    round_trip.indent(mapping=2, sequence=4, offset=2)
    return round_trip


def _sort_fields(value: Any, lines: list[str], comments: set[int]) -> None:
    """Sort the fields of nodes and of documents in place.

    Args:
        value: A mapping or list from ruamel, which stores the line numbers of its fields.
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
            _sort_fields(inner, lines, comments)
    elif isinstance(value, list):
        for inner in value:
            _sort_fields(inner, lines, comments)


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


def _tidy_lines(text: str) -> str:
    """Return text without trailing spaces, with each comment line indented as the line after it."""
    lines = text.split("\n")
    inside = _lines_inside_scalars(text)
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


def _lines_inside_scalars(text: str) -> set[int]:
    """Return the numbers of the lines inside multi-line scalars, counted from 0."""
    found: set[int] = set()
    for token in yaml.scan(text):
        if isinstance(token, yaml.ScalarToken):
            found.update(range(token.start_mark.line + 1, token.end_mark.line + 1))
    return found


def _comments(text: str) -> list[str]:
    """Return the comments of a text in alphabetical order, for comparison."""
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


_CODES = re.compile(r"UNKNOWN_\w+|BAD_VALUE|WRONG_TYPE|NO_KIND")
_NAME = re.compile(r"""['"$]?(?P<name>[\w.-]+)""")
_VALUE = re.compile(rf"""['"]?[\w.-]+['"]?:[ ]+{_NAME.pattern}""")  # for positions of keys
_BETWEEN_WORDS = re.compile(r"([\W\d_]+)")
_SHORTEST = 4
"""Minimum length of the longer of two words for one differing letter to count as a misspelling."""


def only_correction(found: str, allowed: Iterable[str]) -> str:
    """Return the correction of a name if exactly one allowed name is similar; empty otherwise."""
    names = set(allowed)
    near = [name for name in names if _is_misspelling(found, name)]
    return near[0] if len(near) == 1 and found not in names else ""


def correct_misspellings(text: str, problems: Iterable[Problem]) -> str:
    """Return a text in which misspelt names with exactly one correction are corrected.

    Args:
        text: The text of a file.
        problems: Problems of the file, with lines and columns.
    """
    lines = text.split("\n")
    spots: defaultdict[tuple[int, int], list[Problem]] = defaultdict(list)
    for one in problems:
        if _CODES.fullmatch(one.code) and one.line and one.column and one.line <= len(lines):
            spots[one.line, one.column].append(one)
    for (number, column), here in sorted(spots.items(), reverse=True):
        line = lines[number - 1]
        for spot in filter(None, (form.match(line, column - 1) for form in (_NAME, _VALUE))):
            own = (one for one in here if one.found in ("", spot["name"]))
            meant = {only_correction(spot["name"], one.allowed) for one in own} - {""}
            if len(meant) == 1:
                start, end = spot.span("name")
                lines[number - 1] = f"{line[:start]}{meant.pop()}{line[end:]}"
                break
    return "\n".join(lines)


def _is_misspelling(found: str, name: str) -> bool:
    """Return True if two names differ by one letter in one of their words."""
    words, others = _BETWEEN_WORDS.split(found), _BETWEEN_WORDS.split(name)
    if len(words) != len(others):
        return False
    differing = [pair for pair in zip(words, others, strict=True) if pair[0] != pair[1]]
    return len(differing) == 1 and _is_one_letter(*differing[0])


def _is_one_letter(one: str, other: str) -> bool:
    if _BETWEEN_WORDS.match(one):
        return False
    if min(len(one), len(other)) < _SHORTEST - 1 or max(len(one), len(other)) < _SHORTEST:
        return False
    start = 0
    while one[start : start + 1] == other[start : start + 1] != "":
        start += 1
    one, other = one[start:], other[start:]
    while one and other and one[-1] == other[-1]:
        one, other = one[:-1], other[:-1]
    return max(len(one), len(other)) <= 1 or (len(one) == 2 and one == other[::-1])
