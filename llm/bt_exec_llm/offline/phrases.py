"""Phrases with alternatives, such as ``(right|just) now`` and ``[over] here``."""

from __future__ import annotations

import re
from functools import lru_cache

from bt_exec.failure import RegistrationError

__all__ = ["expand_phrase"]

_INNERMOST = re.compile(r"\(([^()\[\]]*)\)|\[([^()\[\]]*)\]")
_MOST = 400
_MARKS = "()[]|"


@lru_cache(maxsize=4096)
def expand_phrase(phrase: str) -> tuple[str, ...]:
    """Return every expansion of a phrase such as ``(a|b) [c] d``.

    Raises:
        RegistrationError: If brackets do not match or there are more than 400 expansions.
    """
    if not any(mark in phrase for mark in _MARKS):
        text = " ".join(phrase.split())
        return (text,) if text else ()
    todo, found = [phrase], []
    while todo:
        text = todo.pop()
        match = _INNERMOST.search(text)
        if match is None:
            found.append(" ".join(text.split()))
        else:
            options = (match[1] if match[1] is not None else match[2] + "|").split("|")
            before, after = text[: match.start()], text[match.end() :]
            todo.extend(before + option + after for option in options)
        if len(todo) + len(found) > _MOST:
            raise RegistrationError(f"phrase {phrase!r} stands for more than {_MOST} phrases")
    if any(mark in text for text in found for mark in _MARKS):
        raise RegistrationError(f"phrase {phrase!r}: brackets do not match")
    return tuple(dict.fromkeys(text for text in reversed(found) if text))
