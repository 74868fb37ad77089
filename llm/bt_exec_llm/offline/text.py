"""A command as people type it, made plain: one Unicode form, one width, one kind of quote.

What cannot be shown is refused rather than dropped: a zero-width character or a direction mark
can hide a word from the person who reads the command.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from bt_exec.language.sanitize import one_line

__all__ = ["LONGEST", "Token", "clean", "lex", "plain_words", "printable"]

LONGEST = 300
"""Commands longer than this are refused [characters]."""

_QUOTES = str.maketrans(dict.fromkeys("‘’ʼ`´", "'"))
_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}
_GAP = re.compile(r"[^\S\n]+")
_HIDDEN = ("Cc", "Cf", "Cs", "Co", "Cn")
_TOKEN = re.compile(
    r"(?P<word>[^\W\d_]+(?:'[^\W\d_]+)*)"
    r"|(?P<number>\d+(?:[.,:/]\d+)*)"
    r"|(?P<stop>->|=>|(?<!&)&(?!&)|[.,;:!?…。、·—–→⇒\n]+)"
    r"|(?P<space>(?:[\s\"'“”()~]|-(?!>))+)"
    r"|(?P<sign>.)",
    re.DOTALL,
)


class Token(NamedTuple):
    """A piece of a cleaned command.

    Attributes:
        kind: ``word``, ``number``, ``stop`` (what may stand between parts) or ``sign``.
        text: As it stands, in lower case.
        start: Where it begins in the cleaned command.
        end: Where it ends.
    """

    kind: str
    text: str
    start: int
    end: int


def clean(command: str) -> tuple[str, str]:
    """Return the plain form of `command` and why it cannot be read at all (``""`` if it can).

    The reasons are ``TOO_LONG``, ``BAD_CHARACTERS`` and ``EMPTY``.
    """
    if len(command) > LONGEST:
        return "", "TOO_LONG" if command[: 4 * LONGEST].strip() else "EMPTY"
    if any(unicodedata.category(char) in _HIDDEN and char not in "\t\r\n" for char in command):
        return "", "BAD_CHARACTERS"
    text = unicodedata.normalize("NFC", command).translate(_WIDTH).translate(_QUOTES).strip()
    text = _GAP.sub(" ", text)
    if not any(char.isalnum() for char in text):
        return "", "EMPTY"
    return text, ""


def lex(text: str) -> tuple[Token, ...]:
    """Return the tokens of a cleaned command; spaces, quotes and hyphens only separate."""
    tokens = []
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or "sign"
        if kind != "space":
            tokens.append(Token(kind, match[0].casefold(), *match.span()))
    return tuple(tokens)


def plain_words(text: str) -> str:
    """Return the words of a cleaned command without spaces and punctuation."""
    return "".join(token.text for token in lex(text) if token.kind != "stop")


def printable(text: str, longest: int = 40) -> str:
    """Return `text` fit for a sentence: one line, nothing hidden, not too long."""
    return one_line(text, longest)
