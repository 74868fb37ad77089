"""Closed word classes of each language, which lexicons cannot extend.

They are data in one file per language: ``closed_en.yaml`` and ``closed_ko.yaml``.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, cast

from bt_exec.spec.shipped_yaml import read_yaml

__all__ = ["CLOSED_FILES", "closed_classes", "closed_words"]

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
