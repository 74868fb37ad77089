"""Sentences of answers in one language, from ``phrasing.yaml``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from bt_exec.spec.shipped_yaml import read_yaml
from bt_exec_skills.image.rules.lexicon import attribute_words
from bt_exec_skills.image.workbench import Candidates

__all__ = ["AnswerPhrasing", "confidence_phrase", "rejection_sentences"]

_MOST_NAMED = 8  # maximum number of undecided instances that are listed; more are counted


@lru_cache(maxsize=1)
def _sentences() -> Mapping[str, Any]:
    return cast(Mapping[str, Any], read_yaml(Path(__file__).with_name("phrasing.yaml")))


class AnswerPhrasing:
    """Sentences and words in one language.

    Args:
        language: ``en`` or ``ko``.
    """

    def __init__(self, language: str) -> None:
        self.language = language

    def sentence(self, name: str, **facts: Any) -> str:
        """Return a sentence of ``phrasing.yaml`` with its arguments inserted."""
        return str(_sentences()[name][self.language]).format(**facts)

    def word(self, name: str) -> str:
        """Return a word of ``phrasing.yaml``, or the word for an attribute."""
        words = _sentences()["words"].get(name)
        if words is not None:
            return str(words[self.language])
        if name.startswith("not "):
            parts = self.word(name.removeprefix("not ")), self.word("not")
            return " ".join(parts if self.language == "ko" else reversed(parts))
        if " " in name:
            return " ".join(map(self.word, name.split()))
        return attribute_words(name, self.language) if name else self.word("unclear")

    def place_words(self, places: Sequence[str]) -> str:
        """Return the words for places in a picture, such as ``top left``."""
        return ", ".join(
            " ".join(dict.fromkeys(self.word(part) for part in text.split())) for text in places
        )


def rejection_sentences(speaker: AnswerPhrasing, found: Candidates) -> list[str]:
    """Return sentences that count rejected instances by reason and list undecided ones."""
    reasons = Counter(one.found for one in found.decisions if one.holds is False)
    lines = []
    if reasons:
        said = ", ".join(f"{speaker.word(why)} ({n})" for why, n in reasons.most_common())
        lines.append(speaker.sentence("left_out", reasons=said))
    open_ones = [
        (number, one.found) for number, one in enumerate(found.decisions, 1) if one.holds is None
    ]
    if open_ones:
        numbers = ", ".join(f"#{number}" for number, _ in open_ones[:_MOST_NAMED])
        if len(open_ones) > _MOST_NAMED:
            numbers += f", … ({len(open_ones)})"
        said = ", ".join(dict.fromkeys(speaker.word(why) for _, why in open_ones))
        lines.append(speaker.sentence("unsettled", numbers=numbers, reasons=said))
    return lines


def confidence_phrase(speaker: AnswerPhrasing, confidence: float) -> str:
    """Return a phrase for the confidence of an answer."""
    return speaker.sentence("confidence", confidence=f"{confidence:.2f}")
