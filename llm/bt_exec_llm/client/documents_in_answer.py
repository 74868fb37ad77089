"""Search for documents in a model's text: in fences, in braces, and in lines that start with a key.

All searches take time linear in the length of the text. Text outside the documents is returned,
too, because it may contradict a document.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from typing import NamedTuple

__all__ = ["Candidate", "Pieces", "pieces_of", "without_thoughts"]

MOST = 8
"""Maximum number of candidate documents in an answer."""
FENCED, AROUND = "taken out of a fence", "words around the document left out"
_THOUGHTS = re.compile(r"<(/?)(think|thinking|thought|reasoning)>", re.IGNORECASE)
_FENCE_NAMES = ("", "yaml", "yml", "json", "jsonc", "json5", "python", "py", "text", "txt", "bt")
"""Accepted names after the backticks of a fence; other words there may be the model's prose."""
_KEY = re.compile(r"""([ ]{0,12})["']?([A-Za-z_][\w -]{0,63}?)["']?[ ]?:(?:\s|\Z)""")


class Candidate(NamedTuple):
    """Part of a text that may be a document.

    Attributes:
        text: The text of the candidate.
        note: Note about what surrounds the candidate, such as a fence; may be empty.
        open: Missing closing brackets and quotes; empty for complete text.
    """

    text: str
    note: str = ""
    open: str = ""


class Pieces(NamedTuple):
    """Candidate documents in an answer, and the text outside them.

    Attributes:
        documents: Candidates in order; at most `MOST` + 1.
        words: All text outside the candidates.
    """

    documents: tuple[Candidate, ...]
    words: str


def pieces_of(text: str, keys: Sequence[str]) -> Pieces:
    """Return the candidate documents in `text`, and the words outside them.

    Args:
        text: Text of a model without its thinking sections.
        keys: Keys with which a document may start.
    """
    found, words = [], []
    for piece in _pieces(text, keys):
        if isinstance(piece, Candidate):
            found.append(piece)
            if len(found) > MOST:
                break
        else:
            words.append(piece)
    said = "\n".join(words).strip()
    if said or len(found) > 1:
        found = [piece if piece.note else piece._replace(note=AROUND) for piece in found]
    return Pieces(tuple(found), said)


def without_thoughts(text: str) -> tuple[str, bool]:
    """Return `text` without its ``<think>`` sections, and whether there were any.

    A section without an end tag extends to the end of the text. The first section may lack a start
    tag; it then begins at the start of the text.
    """
    kept: list[str] = []
    place, depth, any_found = 0, 0, False
    for tag in _THOUGHTS.finditer(text):
        if depth == 0 and (any_found or not tag[1]):
            kept.append(text[place : tag.start()])
        depth = max(0, depth - 1) if tag[1] else depth + 1
        any_found, place = True, tag.end()
    if depth == 0:
        kept.append(text[place:])
    return "".join(kept), any_found


def _pieces(text: str, keys: Sequence[str]) -> Iterator[Candidate | str]:
    fenced = _limited_pieces(_fences(text))
    if any(isinstance(piece, Candidate) for piece in fenced):
        for piece in fenced:
            if isinstance(piece, Candidate):
                yield from _fence_content(piece)
            else:
                yield piece
        return
    runs = [] if text.lstrip()[:1] == "{" else _limited_pieces(_key_runs(text, keys))
    if any(isinstance(piece, Candidate) for piece in runs):
        yield from runs
    else:
        yield from _braces(text)


def _limited_pieces(pieces: Iterator[Candidate | str]) -> list[Candidate | str]:
    """Return the pieces up to and including candidate number `MOST` + 1."""
    kept: list[Candidate | str] = []
    count = 0
    for piece in pieces:
        kept.append(piece)
        count += isinstance(piece, Candidate)
        if count > MOST:
            break
    return kept


def _fence_content(fenced: Candidate) -> Iterator[Candidate | str]:
    """Yield the objects in braces in a fence if there are several, or else its whole content."""
    whole = fenced.text.strip()
    found = _limited_pieces(_braces(whole)) if whole[:1] == "{" else []
    if len(found) > 1 or (found and isinstance(found[0], Candidate) and found[0].open):
        yield from (c._replace(note=FENCED) if isinstance(c, Candidate) else c for c in found)
    elif whole:
        yield fenced


def _fences(text: str) -> Iterator[Candidate | str]:
    """Yield the content of each fence as a candidate, and the text outside as strings.

    The last fence may be unclosed.
    """
    sign, lines = "", list[str]()
    for line in text.splitlines():
        mark = _fence_marks(line)
        if not sign:
            if mark and len(line) - len(line.lstrip(" \t")) <= 12:
                yield "\n".join(lines)
                sign, lines = mark, []
                continue
        elif mark.startswith(sign) and line.strip() == mark:
            yield Candidate(textwrap.dedent("\n".join(lines)), FENCED)
            sign, lines = "", []
            continue
        lines.append(line)
    body = "\n".join(lines)
    yield Candidate(textwrap.dedent(body), FENCED) if sign else body


def _fence_marks(line: str) -> str:
    """Return the backticks or tildes of a line that opens or closes a fence; empty otherwise."""
    plain = line.strip()
    for char in "`~":
        rest = plain.lstrip(char)
        sign = plain[: len(plain) - len(rest)]
        name = rest.strip()
        if len(sign) >= 3 and name.casefold() in _FENCE_NAMES:
            return sign
    return ""


def _braces(text: str) -> Iterator[Candidate | str]:  # noqa: C901 - a state machine over characters
    """Yield each outermost pair of braces as a candidate, and the text between as strings.

    The last pair may be unclosed.
    """
    stack: list[str] = []
    start, quote, before, done = 0, "", "", 0
    skip = False
    for place, char in enumerate(text):
        if skip:
            skip = False
        elif quote:
            skip = char == "\\" and quote == '"'
            if char == quote:
                quote, before = "", char
        elif not stack:
            if char == "{":
                stack, start, before = ["}"], place, char
                yield text[done:start]
        else:
            if char == '"' or (char == "'" and before in "{[,:"):
                quote = char
            elif char in "{[":
                stack.append("}" if char == "{" else "]")
            elif char in "}]" and char == stack[-1]:
                stack.pop()
                if not stack:
                    done = place + 1
                    yield Candidate(text[start:done])
            if not char.isspace():
                before = char
    if stack:
        yield Candidate(text[start:], open=quote + "".join(reversed(stack)))
    else:
        yield text[done:]


def _key_runs(text: str, keys: Sequence[str]) -> Iterator[Candidate | str]:
    """Yield blocks of lines that start with one of `keys` or are indented below such a line."""
    known = {_folded_key(key) for key in keys}
    lines: list[str] = []
    seen: set[str] = set()
    base = 0

    def take_run() -> Iterator[Candidate]:
        body = "\n".join(lines).rstrip()
        if body:
            yield Candidate(textwrap.dedent(body))
        lines.clear()
        seen.clear()

    for line in text.splitlines():
        key = _KEY.match(line)
        name = _folded_key(key[2]) if key else ""
        indent = len(line) - len(line.lstrip(" \t"))
        starts = key is not None and name in known and (not lines or indent == base)
        if starts:
            if name in seen:
                yield from take_run()
            if not lines:
                base = indent
            seen.add(name)
            lines.append(line)
        elif lines and (not line.strip() or indent > base or line[indent : indent + 1] in "-#]}"):
            if line.strip() in ("---", "..."):
                yield from take_run()
            else:
                lines.append(line)
        else:
            yield from take_run()
            yield line
    yield from take_run()


def _folded_key(key: str) -> str:
    return re.sub("[-_ ]", "", key).casefold()
