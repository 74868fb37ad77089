"""The words of the table, as they stand in ``goals/``; read once."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from bt_exec.spec.plain_yaml import parse_yaml

__all__ = ["first_word", "lexicon"]

_GOALS = Path(__file__).with_name("goals")


@cache
def lexicon(name: str = "words") -> dict[str, Any]:
    """Return the words of a list, ``words`` or ``question_words``: by kind, value and language."""
    loaded: dict[str, Any] = parse_yaml((_GOALS / f"{name}.yaml").read_text(encoding="utf-8"))
    return loaded


def first_word(kind: str, value: str, language: str) -> str:
    """Return the word that is said for a value: the first of its list; empty if there is none."""
    forms = lexicon().get(kind, {}).get(value, {}).get(language) or ("",)
    return str(forms[0])
