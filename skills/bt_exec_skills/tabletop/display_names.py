"""Display names of objects, such as "purple bowl 0" for ``object_purple_bowl_0``.

An object has one display name per language, which depends only on the name of the object. Live
view, refusals, final messages and earlier records therefore use the same name. The number is always
included, so that the name can be typed as a command and identifies the object. (Shorter names such
as "the bowl" are also understood if they are unambiguous.)
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from bt_exec_skills.tabletop.lexicon import first_word
from bt_exec_skills.tabletop.name_attributes import attributes_in_name
from bt_exec_skills.tabletop.output_sentences import sentence

__all__ = ["MOST_NAMED", "display_name", "display_name_or_id", "list_names", "value_word"]

MOST_NAMED = 8
"""Maximum number of objects that are listed one by one."""
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_\-]{0,59}")
_SPOKEN = re.compile(r"[A-Za-z][A-Za-z0-9\- ]{0,59}")
_JOINTS = re.compile(r"(, | → |: )")
_AND_MORE = re.compile(r"and (\d+) more")


@lru_cache(maxsize=4096)
def display_name(name: str, language: str) -> str | None:
    """Return the display name of an object; None if `name` is not the name of an object.

    English display names are accepted as well, also several names separated by commas, colons or
    arrows. English text of a skill or condition can thus be translated to Korean.
    """
    parts = _JOINTS.split(name)
    if len(parts) > 1:
        names = [display_name(part, language) for part in parts[::2]]
        if not any(names) or (None in names and ": " in parts):
            return None
        parts[::2] = [name or part for name, part in zip(names, parts[::2], strict=True)]
        return "".join(parts)
    if more := _AND_MORE.fullmatch(name):
        return sentence("more", language, count=more[1])
    if not (_NAME.fullmatch(name) or _SPOKEN.fullmatch(name)):
        return None
    looks = attributes_in_name(name)
    kind = first_word("noun", looks.kind, language)
    known = bool(kind)
    if looks.kind in ("object", "thing"):
        known = bool(looks.colour or looks.size) and (
            looks.kind == "thing" or looks.number is not None
        )
        kind = sentence("unnamed", language)
    own = name.casefold().startswith(("object_", "obj_"))
    if name.isalpha() and looks.kind != name.casefold():  # "can" may be a verb here
        known = False
    if not (own or known):
        return None
    words = [
        first_word("size", looks.size, language),
        first_word("colour", looks.colour, language),
        first_word("material", looks.material, language),
        kind or looks.kind.replace("_", " "),
        "" if looks.number is None else str(looks.number),
    ]
    return " ".join(filter(None, words))


def display_name_or_id(name: str, language: str) -> str:
    """Return the display name of an object, or `name` itself if it has no display name."""
    return display_name(name, language) or name


def value_word(value: str, language: str, *, alone: bool = False) -> str:
    """Return the word for a colour, size or shape; a Korean colour used `alone` ends in "색"."""
    if colour := first_word("colour", value, language):
        korean = alone and language == "ko"
        return f"{colour.removesuffix('색')}색" if korean else colour
    return first_word("size", value, language) or first_word("noun", value, language) or value


def list_names(names: Iterable[str], language: str, most: int = MOST_NAMED) -> str:
    """Return the first `most` names of objects or values in one line, and the number of others."""
    found = [
        display_name(name, language) or value_word(name, language, alone=True) for name in names
    ]
    if len(found) > most + 1:  # "and 1 more" would save no space
        found = [*found[:most], sentence("more", language, count=len(found) - most)]
    return ", ".join(found) or "-"
