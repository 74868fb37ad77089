"""The answer in words, from the decisions of a set: every number comes from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

import yaml

from bt_exec_skills.image.bench import Answer, Candidates
from bt_exec_skills.image.perception.attributes import name_colour
from bt_exec_skills.image.perception.instances import Counted, Crop, count
from bt_exec_skills.image.perception.relations import place_in
from bt_exec_skills.image.rules.question import Kind
from bt_exec_skills.image.rules.words import said_in

__all__ = ["Speaker", "answer_of"]

_NO_WRITING = 0.8  # confidence that there is none where no line was found: some are missed


@lru_cache(maxsize=1)
def _sentences() -> Mapping[str, Any]:
    text = Path(__file__).with_name("phrasing.yaml").read_text(encoding="utf-8")
    return cast(Mapping[str, Any], yaml.safe_load(text))


class Speaker:
    """Says sentences and words in one language."""

    def __init__(self, language: str) -> None:
        self.language = language

    def say(self, name: str, **facts: Any) -> str:
        """Return a sentence of ``phrasing.yaml`` with what it names."""
        return str(_sentences()[name][self.language]).format(**facts)

    def word(self, name: str) -> str:
        """Return a word of ``phrasing.yaml``, or an attribute as people say it."""
        if name.startswith("not "):
            parts = self.word(name.removeprefix("not ")), self.word("not")
            return " ".join(parts if self.language == "ko" else reversed(parts))
        words = _sentences()["words"].get(name)
        if words is not None:
            return str(words[self.language])
        return " ".join(said_in(part, self.language) for part in name.split()) or self.word(
            "unclear"
        )


def answer_of(
    kind: Kind,
    found: Candidates,
    crops: Sequence[Crop],
    size: tuple[int, int],
    what: str,
    language: str,
    other: Candidates | None = None,
    other_what: str = "",
) -> Answer:
    """Return the answer to a question.

    Args:
        kind: Of the question.
        found: The set that is asked about.
        crops: Its crops.
        size: Height and width of the picture [px].
        what: What the set holds, in the words of the question.
        language: Of the answer.
        other: What it is compared with, for ``compare``; the lines in it, for ``read``.
        other_what: What that holds.
    """
    speaker = Speaker(language)
    total = count(found.instances, found.decisions)
    confidence, value = total.confidence, cast(Any, total.sure)
    if kind == "read" and other is not None:
        return _read(speaker, found, other, what)
    if kind == "compare" and other is not None:
        rival = count(other.instances, other.decisions)
        confidence = min(confidence, rival.confidence)
        value = {"target": total.sure, "other": rival.sure}
        said = _compared(speaker, total, rival, what, other_what)
    elif kind == "where":
        value = [" ".join(dict.fromkeys(place_in(one, size))) for one in found.accepted()]
        places = ", ".join(
            " ".join(dict.fromkeys(speaker.word(part) for part in text.split())) for text in value
        )
        said = speaker.say("where" if value else "none", what=what, places=places)
    elif kind == "colour":
        pairs = zip(crops, found.decisions, strict=True)
        named = [name_colour(crop) for crop, decision in pairs if decision.holds]
        value = [name for name, _ in named]
        confidence = min([confidence, *(clear for _, clear in named)])
        colours = ", ".join(speaker.word(name) for name in value)
        said = speaker.say("colour" if value else "none", what=what, colours=colours)
    elif kind == "exists":
        value = total.sure > 0 or (None if total.unsettled else False)
        name = {True: "exists_yes", False: "exists_no", None: "exists_unsure"}[value]
        said = speaker.say(name, what=what, n=total.sure or total.unsettled)
        if total.sure:  # one that is certain is enough
            confidence = max(
                decision.confidence * one.score
                for one, decision in zip(found.instances, found.decisions, strict=True)
                if decision.holds
            )
    else:
        said = speaker.say("count", what=what, n=total.sure)
    text = " ".join([said, *_left_out(speaker, found), _sure(speaker, confidence)])
    return Answer(text, value, confidence)


def _read(speaker: Speaker, found: Candidates, lines: Candidates, what: str) -> Answer:
    """Return what is written in what was found; in the picture if `what` is empty."""
    total, read = (count(one.instances, one.decisions) for one in (found, lines))
    value = [one.label for one in lines.accepted()]
    confidence = read.confidence if lines.instances else _NO_WRITING
    texts = " · ".join(f"“{text}”" for text in value)
    name = ("read" if what else "read_picture") if value else "read_nothing"
    notes = _left_out(speaker, lines)
    if what:
        name = name if total.sure else "none"
        confidence = min(confidence, total.confidence)
        notes = [*_left_out(speaker, found), *notes]
    said = speaker.say(name, what=what, texts=texts)
    return Answer(" ".join([said, *notes, _sure(speaker, confidence)]), value, confidence)


def _compared(speaker: Speaker, one: Counted, two: Counted, what: str, other: str) -> str:
    facts = {"what": what, "other": other, "n": one.sure, "m": two.sure}
    if one.sure == two.sure:
        return speaker.say("same", **facts)
    return speaker.say("more", winner=what if one.sure > two.sure else other, **facts)


def _left_out(speaker: Speaker, found: Candidates) -> list[str]:
    """Return what was rejected, by reason, and what is unsettled, by number."""
    reasons = Counter(one.found for one in found.decisions if one.holds is False)
    lines = []
    if reasons:
        said = ", ".join(f"{speaker.word(why)} ({n})" for why, n in reasons.most_common())
        lines.append(speaker.say("left_out", reasons=said))
    open_ones = [
        (number, one.found) for number, one in enumerate(found.decisions, 1) if one.holds is None
    ]
    if open_ones:
        numbers = ", ".join(f"#{number}" for number, _ in open_ones)
        said = ", ".join(dict.fromkeys(speaker.word(why) for _, why in open_ones))
        lines.append(speaker.say("unsettled", numbers=numbers, reasons=said))
    return lines


def _sure(speaker: Speaker, confidence: float) -> str:
    return speaker.say("confidence", confidence=f"{confidence:.2f}")
