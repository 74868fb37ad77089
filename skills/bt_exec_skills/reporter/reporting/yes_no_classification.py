"""Classification of answers as yes or no."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from bt_exec.language.messages import language_of
from bt_exec.spec.shipped_yaml import read_yaml

__all__ = ["is_yes"]


@cache
def _words() -> dict[str, list[str]]:
    words: dict[str, list[str]] = read_yaml(Path(__file__).with_name("yes_no_classification.yaml"))
    return words


def is_yes(answer: str) -> bool | None:
    """Return whether an answer means yes; None if it is neither yes nor no.

    An answer with a negation means no, unless it also begins with a word for yes.
    """
    text = unicodedata.normalize("NFC", answer).casefold()
    agrees = _contains(text, _words()["agreeing"], first=True)
    denies = _contains(text, _words()["denying"], first=False)
    return None if agrees == denies else agrees


def _contains(text: str, words: Iterable[str], *, first: bool) -> bool:
    """Return True if a text contains one of the words at the beginning of a word.

    Args:
        text: The text.
        words: Words to search for; English ones are whole words.
        first: Whether the word must be the first one.
    """
    begin = r"^\W*" if first else r"(?<!\w)"
    ends = {"en": r"(?!\w)", "ko": ""}
    return any(re.search(begin + re.escape(word) + ends[language_of(word)], text) for word in words)
