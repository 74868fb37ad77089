"""Sentences of answers in one language, from ``phrasing.yaml``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from bt_exec.spec.shipped_yaml import read_yaml
from bt_exec_skills.image.perception.attributes import name_colour, name_thing
from bt_exec_skills.image.perception.relations import place_in
from bt_exec_skills.image.rules.lexicon import attribute_words
from bt_exec_skills.image.workbench import Candidates

__all__ = ["AnswerPhrasing", "confidence_phrase", "not_accepted_sentences"]

_MOST_NAMED = 8  # maximum number of undecided instances that are listed; more are counted
_CLEAR = 0.5  # minimum clarity of a colour or shape that describes an instance


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


def not_accepted_sentences(
    speaker: AnswerPhrasing, found: Candidates, size: tuple[int, int] | None = None
) -> list[str]:
    """Return sentences that count rejected instances by reason and list undecided ones.

    Args:
        speaker: Sentences of the language.
        found: The instances.
        size: Height and width of the picture [px], with which the places of undecided instances
            are named; None counts them.
    """
    reasons = Counter(one.found for one in found.decisions if one.holds is False)
    lines = []
    if reasons:
        said = ", ".join(f"{speaker.word(why)} ({n})" for why, n in reasons.most_common())
        lines.append(speaker.sentence("left_out", reasons=said))
    open_ones = [place for place, one in enumerate(found.decisions) if one.holds is None]
    if open_ones:
        named = open_ones[:_MOST_NAMED] if size is not None else ()
        parts = [_describe_instance(speaker, found, place, size) for place in named if size]
        if len(open_ones) > len(parts):
            parts.append(f"… ({len(open_ones)})" if parts else str(len(open_ones)))
        why = ", ".join(
            dict.fromkeys(speaker.word(found.decisions[place].found) for place in open_ones)
        )
        lines.append(speaker.sentence("unsettled", numbers=", ".join(parts), reasons=why))
    return lines


def _describe_instance(
    speaker: AnswerPhrasing, found: Candidates, place: int, size: tuple[int, int]
) -> str:
    """Return words for one instance: its text or colour, what it is, and its place."""
    one = found.instances[place]
    at = speaker.place_words([" ".join(dict.fromkeys(place_in(one, size)))])
    if one.source == "text" and one.label:
        return speaker.sentence("placed", what=f"“{one.label}”", place=at)
    if one.source in ("text", "difference") or found.crops is None:
        return at
    crop = found.crops[place]
    named = [name_thing(crop)] if "colour" in one.source else [name_colour(crop), name_thing(crop)]
    what = " ".join(speaker.word(name) for name, clear in named if name and clear >= _CLEAR)
    return speaker.sentence("placed", what=what, place=at) if what else at


def confidence_phrase(speaker: AnswerPhrasing, confidence: float) -> str:
    """Return a phrase for the confidence of an answer."""
    return speaker.sentence("confidence", confidence=f"{confidence:.2f}")
