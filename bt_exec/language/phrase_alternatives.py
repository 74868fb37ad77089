"""Phrases with alternatives, such as ``(right|just) now`` and ``[over] here``."""

from __future__ import annotations

import re
from functools import lru_cache

from bt_exec.failure import RegistrationError

__all__ = ["expand_phrase"]

_MOST = 400
_MARK = re.compile(r"[()[\]|]")
_CLOSING = {"(": ")", "[": "]"}


@lru_cache(maxsize=32768)
def expand_phrase(phrase: str) -> tuple[str, ...]:
    """Return every expansion of a phrase such as ``(a|b) [c] d``.

    Raises:
        RegistrationError: If brackets do not match or there are more than 400 expansions.
    """
    if _MARK.search(phrase) is None:
        text = " ".join(phrase.split())
        return (text,) if text else ()
    found = dict.fromkeys(" ".join(text.split()) for text in _expand(phrase, phrase))
    return tuple(text for text in found if text)


def _expand(text: str, phrase: str) -> list[str]:
    """Return the expansions of `text`, a part of `phrase`; errors quote the whole phrase."""
    mark = _MARK.search(text)
    if mark is None:
        return [text]
    start = mark.start()
    end, options = _read_group(text, start)
    if end < 0:
        raise RegistrationError(f"phrase {phrase!r}: brackets do not match")
    chosen = [found for option in options for found in _expand(option, phrase)]
    rest = _expand(text[end:], phrase)
    if len(chosen) * len(rest) > _MOST:
        raise RegistrationError(f"phrase {phrase!r} stands for more than {_MOST} phrases")
    return [text[:start] + option + after for option in chosen for after in rest]


def _read_group(text: str, start: int) -> tuple[int, list[str]]:
    """Return the end index of the group at `start` and its options; -1 if it is not closed."""
    options: list[str] = []
    open_marks: list[str] = []
    begin = start + 1
    for at in range(start, len(text)):
        char = text[at]
        if char in _CLOSING:
            open_marks.append(_CLOSING[char])
        elif char in ")]":
            if not open_marks or open_marks.pop() != char:
                return -1, []
            if not open_marks:
                return at + 1, [*options, text[begin:at], *([""] if char == "]" else [])]
        elif char == "|" and len(open_marks) == 1:
            options.append(text[begin:at])
            begin = at + 1
    return -1, []
