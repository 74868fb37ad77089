"""Display names of lexicon values: the first phrase of each language.

Commands and reports use the same word for a value ("토마토"), without a second list in the messages
of the pack.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from bt_exec.spec.plain_yaml import read_yaml

__all__ = ["value_names"]

_OPTIONAL = re.compile(r"\[[^\[\]()]*\]")
_CHOICE = re.compile(r"\(([^()\[\]|]*)[^()\[\]]*\)")


def value_names(lexicon: Path | None) -> dict[str, dict[str, str]]:
    """Return the names of the values of a lexicon, by value and language.

    Values that stand for others ("everywhere", "the other arm"), values without a phrase in every
    language and Korean predicates (조용하다) have no name. An unreadable file gives no names; its
    mistakes are reported where the lexicon is loaded.
    """
    if lexicon is None:
        return {}
    try:
        data = read_yaml(lexicon)
    except (OSError, UnicodeDecodeError, yaml.YAMLError):
        return {}
    types = data.get("values") if isinstance(data, Mapping) else None
    found: dict[str, dict[str, str]] = {}
    for values in types.values() if isinstance(types, Mapping) else ():
        for value, words in values.items() if isinstance(values, Mapping) else ():
            if isinstance(words, Mapping) and not words.get("each") and not words.get("other"):
                said = {language: _first(words.get(language)) for language in ("en", "ko")}
                if all(said.values()) and not said["ko"].endswith("다"):
                    found.setdefault(str(value), said)
    return found


def _first(phrases: Any) -> str:
    """Return the first phrase of a list in its shortest form: "left" for "left [arm|hand]"."""
    text = str(phrases[0]) if isinstance(phrases, list) and phrases else ""
    before = ""
    while text != before:
        before, text = text, _CHOICE.sub(r"\1", _OPTIONAL.sub("", text))
    return " ".join(text.split())
