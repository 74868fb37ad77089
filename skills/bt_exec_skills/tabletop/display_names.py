"""Display names of objects: ``object_purple_bowl_0`` is "purple bowl 0".

A thing has one name in a language, made of its own name alone, whatever else is there: the live
view, refusals, last words and the record of yesterday say the same. The number is always said, if
the name has one: what is said may be typed back and means that thing and no other. (Shorter words,
"the bowl", are understood as well, where they leave no doubt.)
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from bt_exec_skills.tabletop.lexicon import first_word
from bt_exec_skills.tabletop.names import looks_of
from bt_exec_skills.tabletop.sentences import sentence

__all__ = ["MOST_NAMED", "called", "listed", "said", "value_said"]

MOST_NAMED = 8
"""More things than this are not named one by one."""
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_\-]{0,59}")
_SPOKEN = re.compile(r"[A-Za-z][A-Za-z0-9\- ]{0,59}")
_JOINTS = re.compile(r"(, | → |: )")
_AND_MORE = re.compile(r"and (\d+) more")


@lru_cache(maxsize=4096)
def called(name: str, language: str) -> str | None:
    """Return what a thing is called; None for what is not a name of a thing.

    Its English name is a name as well, and so are several with commas, colons or arrows between:
    what a skill or a condition tells in English is said in Korean, too.
    """
    parts = _JOINTS.split(name)
    if len(parts) > 1:
        names = [called(part, language) for part in parts[::2]]
        if not any(names) or (None in names and ": " in parts):
            return None
        parts[::2] = [name or part for name, part in zip(names, parts[::2], strict=True)]
        return "".join(parts)
    if more := _AND_MORE.fullmatch(name):
        return sentence("more", language, count=more[1])
    if not (_NAME.fullmatch(name) or _SPOKEN.fullmatch(name)):
        return None
    looks = looks_of(name)
    kind = first_word("noun", looks.kind, language)
    known = bool(kind)
    if looks.kind in ("object", "thing"):
        known = bool(looks.colour or looks.size) and (
            looks.kind == "thing" or looks.number is not None
        )
        kind = sentence("unnamed", language)
    own = name.casefold().startswith(("object_", "obj_"))
    if name.isalpha() and looks.kind != name.casefold():  # "can" is a cylinder, and a word
        known = False
    if not (own or known):
        return None
    words = [
        first_word("size", looks.size, language),
        first_word("colour", looks.colour, language),
        kind or looks.kind.replace("_", " "),
        "" if looks.number is None else str(looks.number),
    ]
    return " ".join(filter(None, words))


def said(name: str, language: str) -> str:
    """Return what a thing is called; a name that says nothing stays as it is."""
    return called(name, language) or name


def value_said(value: str, language: str, *, alone: bool = False) -> str:
    """Return the word for a colour, a size or a shape, as it stands before a noun, or `alone`."""
    if colour := first_word("colour", value, language):
        korean = alone and language == "ko"
        return f"{colour.removesuffix('색')}색" if korean else colour
    return first_word("size", value, language) or first_word("noun", value, language) or value


def listed(names: Iterable[str], language: str, most: int = MOST_NAMED) -> str:
    """Return the names of things, or values, in one line; of many the first, and how many more."""
    found = [called(name, language) or value_said(name, language, alone=True) for name in names]
    if len(found) > most + 1:  # "and 1 more" takes as much room as a name
        found = [*found[:most], sentence("more", language, count=len(found) - most)]
    return ", ".join(found) or "-"
