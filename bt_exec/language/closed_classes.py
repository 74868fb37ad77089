"""Closed word classes of each language, which lexicons cannot extend.

The words are data in one file per language: ``closed_en.yaml`` and ``closed_ko.yaml``.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, cast

from bt_exec.spec.shipped_yaml import read_yaml

__all__ = ["CLOSED_FILES", "closed_classes", "closed_words", "is_no", "is_yes"]

CLOSED_FILES = tuple(
    Path(__file__).with_name(f"closed_{language}.yaml") for language in ("en", "ko")
)


@cache
def closed_classes(language: str) -> Mapping[str, Any]:
    """Return the closed classes of a language, ``ko`` or ``en``, by section of its file."""
    path = Path(__file__).with_name(f"closed_{language}.yaml")
    return cast(Mapping[str, Any], read_yaml(path))


def closed_words(language: str, name: str) -> tuple[str, ...]:
    """Return the words of a class in the section ``commands``, used by the offline compiler."""
    return tuple(closed_classes(language)["commands"][name])


def is_yes(answer: str) -> bool:
    """Return True if an answer means yes, in any language."""
    return _is_answer(answer, "yes")


def is_no(answer: str) -> bool:
    """Return True if an answer means no, in any language."""
    return _is_answer(answer, "no")


def _is_answer(text: str, kind: str) -> bool:
    said = " ".join(text.casefold().replace("’", "'").replace(",", " ").split()).strip(" .!")
    return any(said in closed_classes(one)["answers"][kind] for one in ("en", "ko"))
