"""Names of object kinds and their attributes, from the pack's lexicon."""

from __future__ import annotations

from functools import cache

from bt_exec.language.reading.generate import Generator
from bt_exec_skills.tabletop.goals.read import lexicon, reader

__all__ = ["first_word"]

_SECTIONS = {"noun": "things", "table": "things"}
_BODY = ("hand",)  # parts of the robot: no names of objects


@cache
def first_word(kind: str, value: str, language: str) -> str:
    """Return the word that is said for a value, before a noun; empty if there is none.

    Args:
        kind: ``noun``, ``table``, or the kind of an attribute.
        value: The thing or the attribute.
        language: ``en`` or ``ko``.
    """
    if kind in _SECTIONS:
        entry = None if value in _BODY else lexicon()["things"].get(value)
        return str(entry[language][0]).split("/")[0] if entry else ""
    entry = lexicon()["attributes"].get(value)
    if entry is None or entry["kind"] != kind:
        return ""
    return Generator(reader().lexicon(language)).leading(value)
