"""Repairs of small syntax errors in a document, one after the other, each with a note.

Repairs change the form only and add no word. Every expression takes time linear in the length of
the text: repetitions are possessive (``*+``), and an open quote or comment is matched to the end,
so that nothing is searched twice.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator

__all__ = ["json_comments", "mends", "softened"]

_STRINGS = r'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)' + r"|'[^'\n]*+'"
_COMMENT = re.compile(rf"({_STRINGS})|//[^\n]*+|/\*[^*]*+(?:\*(?!/)[^*]*+)*+(?:\*/|\Z)", re.DOTALL)
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
    r"^([ ]*+(?:-[ ]++)*+(?:do|check|tree|sequence|fallback|parallel|root|with|name|summary|"
    r"timeout|retry|repeat|while|skip_if|else|save)):(?=[^\s:/])",
    re.MULTILINE,
)
_COLON = re.compile(
    r"^([ ]*+(?:-[ ]++)*+[A-Za-z_]\w*+:[ ]++)([^\s\"'\[{|>&*!%@`#][^\n]*+)$", re.MULTILINE
)


def softened(text: str) -> str:
    """Return a text with no-break spaces in its indentation replaced by spaces."""
    return _HARD.sub(lambda match: match[0].replace("\u00a0", " "), text)


def mends(text: str) -> Iterator[tuple[str, str]]:
    """Yield texts with one more repair each, and the name of that repair."""
    steps: list[tuple[str, Callable[[str], str]]]
    if text.lstrip()[:1] in ("{", "["):
        steps = [
            ("invisible characters removed", lambda t: _ODD_APART.sub(_odd, t)),
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
            ("quotes put around text that holds a colon", lambda t: _COLON.sub(_quoted, t)),
        ]
    for note, step in steps:
        mended = step(text)
        if mended != text:
            text = mended
            yield text, note


def json_comments(text: str) -> list[str]:
    """Return the comments of JSON, which a repair removes."""
    return [match[0].strip("/* \n") for match in _COMMENT.finditer(text) if match[1] is None]


def _spaces(match: re.Match[str]) -> str:
    return match[0].replace("\t", "  ")


def _odd(match: re.Match[str]) -> str:
    return match[1] or match[0].translate(_ODD)


def _keep_string(match: re.Match[str]) -> str:
    return match[1] or ""


def _quoted(match: re.Match[str]) -> str:
    value = match[2].rstrip(" ")
    if ": " not in value and not value.endswith(":"):
        return match[0]
    return match[1] + json.dumps(value, ensure_ascii=False)
