"""Search for documents in a model's text: in fences, in braces, and in lines that start with a key.

All searches take time linear in the length of the text. Text outside the documents is also
returned, because it may contradict a document.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from typing import NamedTuple

__all__ = ["Candidate", "Pieces", "pieces_of", "without_thoughts"]

MOST = 8
"""Limit of the pieces of an answer that are searched."""
FENCED, AROUND = "taken out of a fence", "words around the document left out"
_THOUGHTS = re.compile(r"<(/?)(think|thinking|thought|reasoning)>", re.IGNORECASE)
_FENCE_NAMES = ("", "yaml", "yml", "json", "jsonc", "json5", "python", "py", "text", "txt", "bt")
"""Languages of fences; another word there may be a message."""
_KEY = re.compile(r"""([ ]{0,12})["']?([A-Za-z_][\w -]{0,63}?)["']?[ ]?:(?:\s|\Z)""")


class Candidate(NamedTuple):
    """A piece of text that may be a document.

    Attributes:
        text: The piece.
        note: Description of the text around the piece, such as a fence; may be empty.
        open: Missing closing brackets and quotes; empty for a complete piece.
    """

    text: str
    note: str = ""
    open: str = ""


class Pieces(NamedTuple):
    """Parts of an answer.

    Attributes:
        documents: Candidates in order; at most one more than `MOST`.
        words: All other text.
    """

    documents: tuple[Candidate, ...]
    words: str


def pieces_of(text: str, keys: Sequence[str]) -> Pieces:
    """Return the candidate documents in `text`, and the words outside them.

    Args:
        text: Text of a model without its thinking sections.
        keys: Keys that a document may start with.
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

    A section without an end tag reaches to the end of the text, one without a start tag from its
    start. Only the first section can lack a start tag.
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
    """Return the pieces up to the first document beyond the limit `MOST`."""
    kept: list[Candidate | str] = []
    count = 0
    for piece in pieces:
        kept.append(piece)
        count += isinstance(piece, Candidate)
        if count > MOST:
            break
    return kept


def _fence_content(fenced: Candidate) -> Iterator[Candidate | str]:
    """Yield the content of a fence: its objects in braces if there are several, else the whole."""
    whole = fenced.text.strip()
    found = _limited_pieces(_braces(whole)) if whole[:1] == "{" else []
    if len(found) > 1 or (found and isinstance(found[0], Candidate) and found[0].open):
        yield from (c._replace(note=FENCED) if isinstance(c, Candidate) else c for c in found)
    elif whole:
        yield fenced


def _fences(text: str) -> Iterator[Candidate | str]:
    """Yield contents of fences, and the text outside as words. The last fence may be unclosed."""
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
    """Return the three or more backticks of a line that opens or closes a fence; otherwise ""."""
    plain = line.strip()
    for char in "`~":
        rest = plain.lstrip(char)
        sign = plain[: len(plain) - len(rest)]
        name = rest.strip()
        if len(sign) >= 3 and name.casefold() in _FENCE_NAMES:
            return sign
    return ""


def _braces(text: str) -> Iterator[Candidate | str]:  # noqa: C901 - a state machine over characters
    """Yield the outermost pairs of braces, and the words between. The last pair may be unclosed."""
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
    """Yield blocks of successive lines that start with one of `keys` or are indented below one."""
    known = {_plain(key) for key in keys}
    lines: list[str] = []
    seen: set[str] = set()
    base = 0

    def run() -> Iterator[Candidate]:
        body = "\n".join(lines).rstrip()
        if body:
            yield Candidate(textwrap.dedent(body))
        lines.clear()
        seen.clear()

    for line in text.splitlines():
        key = _KEY.match(line)
        name = _plain(key[2]) if key else ""
        indent = len(line) - len(line.lstrip(" \t"))
        starts = key is not None and name in known and (not lines or indent == base)
        if starts:
            if name in seen:
                yield from run()
            if not lines:
                base = indent
            seen.add(name)
            lines.append(line)
        elif lines and (not line.strip() or indent > base or line[indent : indent + 1] in "-#]}"):
            if line.strip() in ("---", "..."):
                yield from run()
            else:
                lines.append(line)
        else:
            yield from run()
            yield line
    yield from run()


def _plain(key: str) -> str:
    return re.sub("[-_ ]", "", key).casefold()
