"""Where the documents are in what a model wrote: fences, braces, lines that start with a key.

Everything here is linear in the text, and gives at most a few documents, in their order.
"""

from __future__ import annotations

import re
import textwrap
from collections import deque
from collections.abc import Iterator, Sequence
from typing import NamedTuple

__all__ = ["Candidate", "braces", "candidates", "without_thoughts"]

_MOST = 12
_FENCE = re.compile(r"[ \t]{0,12}(`{3,}|~{3,})[ \t]*[\w+.-]*[ \t]*\Z")
_THOUGHTS = re.compile(r"<(/?)(think|thinking|thought|reasoning)>", re.IGNORECASE)
_KEY = re.compile(r"""([ ]{0,12})["']?([A-Za-z_][\w -]{0,63}?)["']?[ ]?:(?:\s|\Z)""")
_BREAK = re.compile(r"[ ]{0,4}(---|\.\.\.)[ \t]*\Z")


class Candidate(NamedTuple):
    """A piece of text that may be a document.

    Attributes:
        text: It.
        note: What stood around it, if anything.
        sure: Whether somebody marked it as a document: by a fence, by braces, by a known key.
        open: What must be added to close it; empty for a complete one.
    """

    text: str
    note: str = ""
    sure: bool = True
    open: str = ""


def candidates(text: str, keys: Sequence[str]) -> list[Candidate]:
    """Return the pieces of `text` that may be documents, in order.

    Args:
        text: What a model wrote, its thoughts left out.
        keys: What documents may start with.
    """
    note = "taken out of a fence"
    bodies = deque(_fences(text), _MOST)
    fenced = [each._replace(note=note) for body in bodies for each in _marked(body)]
    if fenced:
        return fenced[-_MOST:]
    whole = text.strip()
    if whole[:1] == "{" and len(found := list(_marked(whole))) == 1:
        return found
    starts = list(deque(_runs(text, keys), _MOST))
    if len(starts) == 1 and starts[0].text.strip() == whole:
        return [Candidate(whole)]
    around = deque(braces(text), _MOST) if not starts else ()
    return [Candidate(whole, sure=False), *around, *starts]


def without_thoughts(text: str) -> tuple[str, bool]:
    """Return `text` without what stands in ``<think>``, and whether anything did.

    Thoughts without an end reach to the end of the text; without a beginning, from its start.
    """
    kept: list[str] = []
    place, depth, any_found = 0, 0, False
    for tag in _THOUGHTS.finditer(text):
        any_found = True
        if tag[1]:
            if depth == 0:
                kept.clear()
            depth = max(0, depth - 1)
        else:
            if depth == 0:
                kept.append(text[place : tag.start()])
            depth += 1
        place = tag.end()
    if depth == 0:
        kept.append(text[place:])
    return "".join(kept), any_found


def _marked(body: str) -> Iterator[Candidate]:
    """Yield what is marked as a document: as it is, or its pairs of braces, the last one open."""
    whole = body.strip()
    found = list(deque(braces(whole), _MOST)) if whole[:1] == "{" else []
    if len(found) > 1 or (found and found[0].open):
        yield from (each._replace(note="") for each in found)
    elif whole:
        yield Candidate(body)


def _fences(text: str) -> Iterator[str]:
    """Yield what stands in fences; one that is never closed reaches to the end."""
    sign, lines = "", list[str]()
    for line in text.splitlines():
        fence = _FENCE.match(line)
        if not sign:
            if fence:
                sign, lines = fence[1], []
        elif fence and line.strip().startswith(sign) and line.strip() == fence[1]:
            yield textwrap.dedent("\n".join(lines))
            sign = ""
        else:
            lines.append(line)
    if sign:
        yield textwrap.dedent("\n".join(lines))


def braces(text: str) -> Iterator[Candidate]:
    """Yield what stands in braces, outermost ones; the last one may lack its end."""
    note = "words around the document left out"
    stack: list[str] = []
    start, quote, before = 0, "", ""
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
        else:
            if char == '"' or (char == "'" and before in "{[,:"):
                quote = char
            elif char in "{[":
                stack.append("}" if char == "{" else "]")
            elif char in "}]" and char == stack[-1]:
                stack.pop()
                if not stack:
                    yield Candidate(text[start : place + 1], note)
            if not char.isspace():
                before = char
    if stack:
        yield Candidate(text[start:], note, open=quote + "".join(reversed(stack)))


def _runs(text: str, keys: Sequence[str]) -> Iterator[Candidate]:
    """Yield runs of lines that start with one of `keys` and what is indented below them."""
    known = {_plain(key) for key in keys}
    note = "words around the document left out"
    lines: list[str] = []
    seen: set[str] = set()
    base = 0

    def run() -> Iterator[Candidate]:
        body = "\n".join(lines).rstrip()
        if body:
            yield Candidate(textwrap.dedent(body), note)
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
            if _BREAK.match(line):
                yield from run()
            else:
                lines.append(line)
        else:
            yield from run()
    yield from run()


def _plain(key: str) -> str:
    return re.sub("[-_ ]", "", key).casefold()
