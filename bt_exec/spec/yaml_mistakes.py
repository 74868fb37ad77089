"""Readable messages for errors of the YAML parser.

The parser reports errors in terms of the grammar ("did not find expected key"). Most mistakes are
of a few kinds: a tab, a colon in plain text, an unclosed quote or bracket, wrong indentation.
"""

from __future__ import annotations

from typing import NamedTuple

import yaml

from bt_exec.failure import Problem

__all__ = ["NO_ANCHORS", "explain"]

NO_ANCHORS = (
    "anchors and aliases are not allowed; write it out, or put text that starts with '&' or '*' "
    "into quotes"
)


class _Kind(NamedTuple):
    """A kind of mistake, recognized by the parser's messages.

    Attributes:
        context: Text that the parser's context message contains.
        reason: Text that the parser's error message contains.
        message: Replacement message; ``{line}`` is the line where the parsed construct starts.
        code: Code of the problem.
        at_start: Whether the problem is reported where the parsed construct starts.
    """

    context: str
    reason: str
    message: str
    code: str = "NOT_YAML"
    at_start: bool = False


_KINDS = (
    _Kind("anchor", "", NO_ANCHORS, "ANCHOR", True),
    _Kind("alias", "", NO_ANCHORS, "ANCHOR", True),
    _Kind(
        "tag",
        "",
        "tags are not allowed, a file is data; put text that starts with '!' into quotes",
        "TAG",
        True,
    ),
    _Kind(
        "",
        "tag handle",
        "tags are not allowed, a file is data; put text that starts with '!' into quotes",
        "TAG",
    ),
    _Kind("", "tab character", "a tab cannot indent; indent with spaces"),
    _Kind(
        "",
        "mapping values",
        "':' is not expected here; put text that holds ': ' into quotes, or check the indentation",
    ),
    _Kind("quoted scalar", "end of stream", "this quote is never closed", at_start=True),
    _Kind("quoted scalar", "document indicator", "this quote is never closed", at_start=True),
    _Kind("quoted scalar", "Unicode", "write the character itself instead of its code"),
    _Kind(
        "quoted scalar",
        "",
        "in double quotes '\\' starts an escape; write '\\\\' or use single quotes",
    ),
    _Kind("simple key", "", "expected ':' after this; a field is 'name: value'", at_start=True),
    _Kind("", "block sequence entries", "a list starts on a separate line, below its key"),
    _Kind(
        "block collection",
        "",
        "this line is indented like the list that starts on line {line}, "
        "but does not start with '- '",
    ),
    _Kind(
        "block mapping",
        "",
        "this does not continue the mapping that starts on line {line}; check "
        "the indentation, and quotes around text",
    ),
    _Kind("flow sequence", "", "',' or ']' is missing in the list that starts on line {line}"),
    _Kind("flow mapping", "", "',' or '}}' is missing in the mapping that starts on line {line}"),
    _Kind("", "node content", "a value is missing here"),
    _Kind(
        "directive",
        "",
        "a line that starts with '%' is not part of a tree; remove it",
        at_start=True,
    ),
    _Kind("", "document start", "this follows the end of the document"),
    _Kind(
        "key given twice",
        "",
        "this key was first given on line {line}; keep one of the two",
        "DUPLICATE_KEY",
    ),
    _Kind("block scalar", "", "text after '|' or '>' starts on the next line"),
    # libyaml has its own limit on nesting depth
    _Kind("", "nesting depth", "is nested too deeply to be read", "TOO_DEEP"),
)


def explain(error: yaml.MarkedYAMLError, text: str, file: str) -> Problem:
    """Return a problem for a parser error, with the position of the likely mistake."""
    context, reason = error.context or "", error.problem or "cannot be read"
    mark = error.problem_mark or error.context_mark
    start = error.context_mark or mark
    if mark is None or start is None:
        return Problem("NOT_YAML", f"is not YAML: {reason}", file=file, line=1, column=1)
    code, message, spot = "NOT_YAML", f"is not YAML: {reason}", mark
    for kind in _KINDS:
        if kind.context in context and kind.reason in reason:
            code, message = kind.code, kind.message.format(line=start.line + 1)
            spot = start if kind.at_start else mark
            break
    here = _character_at(text, mark)
    if "cannot start any token" in reason:
        message = f"text cannot start with {here!r}; put it into quotes"
        if here == "\t":
            message = "a tab cannot indent; indent with spaces"
    elif "node content" in reason and not here:
        message = "the text ends here, but a '[' or '{' is still open"
    elif code != "TOO_DEEP" and _is_in_open_bracket(text, start, mark):
        opened = _character_at(text, start)
        closing = "]" if opened == "[" else "}"
        message = f"this {opened!r} is not closed; {closing!r} is missing"
        spot = start
    elif "flow" in context and '$"' in _text_left_of_mark(text, mark):
        message = "inside {…} or […], put a text with values into single quotes: '$\"{n} left\"'"
    return Problem(code, message, "", "", (), file, spot.line + 1, spot.column + 1)


def _is_in_open_bracket(text: str, start: yaml.Mark, mark: yaml.Mark) -> bool:
    """Return True if the parser was inside a bracket that was opened on an earlier line."""
    return mark.line > start.line and _character_at(text, start) in ("[", "{")


def _text_left_of_mark(text: str, mark: yaml.Mark) -> str:
    """Return the text between the start of the line and a position."""
    return text[mark.index - mark.column : mark.index]


def _character_at(text: str, mark: yaml.Mark) -> str:
    """Return the character at a position; empty at the end of the text."""
    return text[mark.index : mark.index + 1]
