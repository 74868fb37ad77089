"""Answers to comparisons: two pictures, objects by an aspect, counts with bounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bt_exec_skills.image.perception.attributes import (
    Grouping,
    count_by,
    least_frequent,
    most_frequent,
    name_by,
    name_thing,
)
from bt_exec_skills.image.perception.instance_decisions import (
    Bound,
    is_count_within,
    is_true_of_all,
)
from bt_exec_skills.image.perception.instances import SUREST, Crop, Decision, count
from bt_exec_skills.image.perception.picture_comparison import Aspect
from bt_exec_skills.image.perception.relations import place_in
from bt_exec_skills.image.rules.answer_sentences import (
    AnswerPhrasing,
    confidence_phrase,
    not_accepted_sentences,
)
from bt_exec_skills.image.rules.question import Kind
from bt_exec_skills.image.workbench import Answer, Candidates

__all__ = ["answer_alike", "answer_all", "answer_bound", "answer_names", "answer_same_pictures"]

_GROUPING = ("groups", "most", "least", "shared", "variety")
_NOTHING_SEEN = 0.9  # confidence that pictures are equal; very small changes are not detected


def answer_same_pictures(found: Candidates, size: tuple[int, int], language: str) -> Answer:
    """Return the answer to whether two pictures are equal, and where they differ.

    Args:
        found: Regions in which the pictures differ.
        size: Height and width of the first picture [px].
        language: Language of the answer.
    """
    speaker = AnswerPhrasing(language)
    total = count(found.instances, found.decisions)
    value: Any = False if total.sure else None if total.unsettled else True
    name = {True: "same_yes", False: "same_no", None: "same_unsure"}[value]
    places = [" ".join(dict.fromkeys(place_in(one, size))) for one in found.accepted_instances()]
    said = speaker.sentence(name, n=total.sure, places=speaker.place_words(places))
    confidence = total.confidence
    if total.sure:  # one certain region is enough
        confidence = min(SUREST, max(one.score for one in found.accepted_instances()))
    elif not total.unsettled:
        confidence = _NOTHING_SEEN
    return Answer(
        " ".join(
            [
                said,
                *not_accepted_sentences(speaker, found, size),
                confidence_phrase(speaker, confidence),
            ]
        ),
        value,
        confidence,
    )


def answer_alike(
    sets: tuple[Candidates, Candidates],
    compared: Decision | None,
    words: tuple[str, str],
    aspect: Aspect,
    language: str,
) -> Answer:
    """Return the answer to whether the objects of two sets are alike.

    Args:
        sets: Both sets.
        compared: Result of the comparison; None if one of the sets is empty.
        words: Descriptions of the sets in the words of the question; the second is empty if the
            objects of one set are compared with each other.
        aspect: Aspect of the comparison.
        language: Language of the answer.
    """
    speaker = AnswerPhrasing(language)
    counts = [count(one.instances, one.decisions) for one in sets]
    clear = min(*(one.confidence for one in counts), *(one.whole for one in sets))
    if compared is None:
        missing = words[0] if not counts[0].sure else words[1]
        said = speaker.sentence("none", what=missing)
        return Answer(f"{said} {confidence_phrase(speaker, clear)}", None, clear)
    confidence = min(compared.confidence, clear)
    name = {True: "alike_yes", False: "alike_no", None: "alike_unsure"}[compared.holds]
    found = ", ".join(speaker.word(part) for part in compared.found.split())
    what = ", ".join(filter(None, words))
    said = speaker.sentence(name, aspect=speaker.word(f"by {aspect}"), what=what, found=found)
    return Answer(f"{said} {confidence_phrase(speaker, confidence)}", compared.holds, confidence)


def answer_all(
    holding: Candidates, every: Candidates, what: str, every_what: str, language: str
) -> Answer:
    """Return the answer to whether all objects of a kind have a quality.

    Args:
        holding: Objects with the quality.
        every: All objects of the kind.
        what: Description of `holding` in words.
        every_what: Description of `every` in words.
        language: Language of the answer.
    """
    speaker = AnswerPhrasing(language)
    mine, theirs = (count(one.instances, one.decisions) for one in (holding, every))
    value = is_true_of_all(holding.decisions, every.decisions)
    confidence = min(mine.confidence, theirs.confidence, holding.whole, every.whole)
    name = {True: "all_yes", False: "all_no", None: "all_unsure"}[value]
    if not theirs.sure and not theirs.unsettled:
        name, what = "none", every_what
    said = speaker.sentence(name, what=what, every=every_what, n=mine.sure, m=theirs.sure)
    notes = not_accepted_sentences(speaker, holding) if value is None else []
    return Answer(
        " ".join([said, *notes, confidence_phrase(speaker, confidence)]), value, confidence
    )


def answer_names(
    kind: Kind,
    found: Candidates,
    crops: Sequence[Crop],
    size: tuple[int, int],
    what: str,
    by: Grouping,
    language: str,
    listed: Sequence[str] = (),
) -> Answer:
    """Return the answer that names the shapes or classes of objects, or the number in each group.

    Args:
        kind: ``shape``, ``name``, ``groups``, ``most`` (largest group), ``least``,
            ``shared`` (whether a group has several objects) or ``variety`` (number of groups).
        found: The objects.
        crops: Their crops.
        size: Height and width of the picture [px].
        what: Description of `found` in the words of the question.
        by: Aspect of the groups.
        language: Language of the answer.
        listed: Groups that are named even if they are empty.
    """
    speaker = AnswerPhrasing(language)
    total = count(found.instances, found.decisions)
    kept = [crop for crop, yes in zip(crops, found.decisions, strict=True) if yes.holds]
    named = [
        name_thing(one) if kind == "name" else name_by(one, "shape" if kind == "shape" else by)
        for one in kept
    ]
    confidence = min([total.confidence, found.whole, *(clear for _, clear in named)])
    names = [name for name, _ in named]
    groups = count_by(kept, by, listed) if kind in _GROUPING else {}
    extreme = least_frequent if kind == "least" else most_frequent
    value: Any = groups if kind == "groups" else extreme(groups) if groups else names
    parts = (
        [f"{speaker.word(name)} {number}" for name, number in groups.items()]
        if kind == "groups"
        else [speaker.word(name) for name in value]
    )
    if kind == "name":
        places = (" ".join(dict.fromkeys(place_in(one.instance, size))) for one in kept)
        parts = [
            speaker.sentence("placed", what=part, place=speaker.place_words([place]))
            for part, place in zip(parts, places, strict=True)
        ]
    if kind == "shared":
        value = any(number > 1 for number in groups.values())
        parts = [f"{speaker.word(name)} {number}" for name, number in groups.items()]
    if kind == "variety":
        value, parts = len(groups), [speaker.word(name) for name in groups]
    sentence: str = kind if kind in _GROUPING else "colour"
    if kind == "shared":
        sentence = "shared_yes" if value else "shared_no"
    facts = {"what": what, "colours": ", ".join(parts), "every": speaker.word(f"every {by}")}
    said = speaker.sentence(sentence if kept else "none", n=len(groups), **facts)
    return Answer(
        " ".join(
            [
                said,
                *not_accepted_sentences(speaker, found, size),
                confidence_phrase(speaker, confidence),
            ]
        ),
        value,
        confidence,
    )


def answer_bound(found: Candidates, bound: Bound, number: int, what: str, language: str) -> Answer:
    """Return the answer to whether the number of objects satisfies a bound: "at least three".

    Args:
        found: The objects.
        bound: Kind of the bound.
        number: Value of the bound.
        what: Description of `found` in the words of the question.
        language: Language of the answer.
    """
    speaker = AnswerPhrasing(language)
    total = count(found.instances, found.decisions)
    value = is_count_within(total, bound, number)
    confidence = min(total.confidence, found.whole)
    name = {True: "bound_yes", False: "bound_no", None: "exists_unsure"}[value]
    said = speaker.sentence(name, what=what, n=total.unsettled if value is None else total.sure)
    notes = not_accepted_sentences(speaker, found)
    return Answer(
        " ".join([said, *notes, confidence_phrase(speaker, confidence)]), value, confidence
    )
