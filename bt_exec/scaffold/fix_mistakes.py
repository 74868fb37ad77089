"""Automatic correction of misspelt names in tree, site, lexicon and message files.

A name is corrected only if exactly one allowed name differs from it by one letter (one that is
missing, too many or another, or two that changed places), in a word of four letters or more. Names
that differ in a digit or in a short word, ``tray_1`` and ``arm_a``, may both be meant, and stay.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from bt_exec.failure import Problem

__all__ = ["correction", "fixed_text"]

_CODES = re.compile(r"UNKNOWN_\w+|BAD_VALUE|WRONG_TYPE|NO_KIND")
_NAME = re.compile(r"""['"$]?(?P<name>[\w.-]+)""")
_VALUE = re.compile(rf"""['"]?[\w.-]+['"]?:[ ]+{_NAME.pattern}""")  # the position is that of a key
_BETWEEN_WORDS = re.compile(r"([\W\d_]+)")
_SHORTEST = 4
"""Letters of a word in which a single letter is taken for a slip."""


def correction(found: str, allowed: Iterable[str]) -> str:
    """Return the only plausible correction of a name; empty if there is none or several."""
    names = set(allowed)
    near = [name for name in names if _is_misspelling(found, name)]
    return near[0] if len(near) == 1 and found not in names else ""


def fixed_text(text: str, problems: Iterable[Problem]) -> str:
    """Return a text with its certain misspellings corrected; everything else stays as it is.

    Args:
        text: The text of a file.
        problems: Its mistakes, with lines and columns.
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
            meant = {correction(spot["name"], one.allowed) for one in own} - {""}
            if len(meant) == 1:
                start, end = spot.span("name")
                lines[number - 1] = f"{line[:start]}{meant.pop()}{line[end:]}"
                break
    return "\n".join(lines)


def _is_misspelling(found: str, name: str) -> bool:
    """Return True if a name and another differ by one letter in one of their words."""
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
