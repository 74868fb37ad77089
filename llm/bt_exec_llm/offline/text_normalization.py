"""Normalisation of a typed command to one Unicode form, character width and kind of quote.

A command with invisible characters is refused, because a zero-width character or a direction mark
can hide a word from the operator.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from bt_exec.language.sanitize import one_line

__all__ = ["LONGEST", "Token", "normalize_command", "plain_words", "printable", "tokenize"]

LONGEST = 300
"""Maximum length of a command [characters]."""

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
    """Token of a normalised command.

    Attributes:
        kind: ``word``, ``number``, ``stop`` (a separator of parts) or ``sign``.
        text: Text in lower case.
        start: Start in the normalised command.
        end: End in the normalised command.
    """

    kind: str
    text: str
    start: int
    end: int


def normalize_command(command: str) -> tuple[str, str]:
    """Return the normalised `command`, and the code of the reason if it is invalid, else "".

    The codes are ``TOO_LONG``, ``BAD_CHARACTERS`` and ``EMPTY``.
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


def tokenize(text: str) -> tuple[Token, ...]:
    """Return the tokens of a normalised command; spaces, quotes and hyphens are separators."""
    tokens = []
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or "sign"
        if kind != "space":
            tokens.append(Token(kind, match[0].casefold(), *match.span()))
    return tuple(tokens)


def plain_words(text: str) -> str:
    """Return the words of a normalised command without spaces and punctuation."""
    return "".join(token.text for token in tokenize(text) if token.kind != "stop")


def printable(text: str, longest: int = 40) -> str:
    """Return `text` for use in a sentence: one line, printable, of limited length."""
    return one_line(text, longest)
