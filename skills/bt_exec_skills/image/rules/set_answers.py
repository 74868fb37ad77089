"""Answers about sets of instances or text, computed from the decisions about them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from bt_exec.language.messages import language_of
from bt_exec_skills.image.perception.attributes import name_colour
from bt_exec_skills.image.perception.instance_decisions import has_accepted_instance
from bt_exec_skills.image.perception.instances import SUREST, Counted, Crop, count
from bt_exec_skills.image.perception.object_detection import NOTHING_KNOWN
from bt_exec_skills.image.perception.relations import place_in
from bt_exec_skills.image.rules.answer_sentences import (
    AnswerPhrasing,
    confidence_phrase,
    not_accepted_sentences,
)
from bt_exec_skills.image.rules.question import Kind
from bt_exec_skills.image.workbench import Answer, Bench, Candidates, CheckedClaim, Judgement

__all__ = ["final_report", "phrase_answer"]

_SOME = 0.65  # confidence if regions were found, but the number of objects is undecided
_NO_WRITING = 0.5  # confidence if no line was found; handwriting, for example, is not detected


def phrase_answer(
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
        kind: Kind of the question.
        found: Set that the question is about.
        crops: Crops of the set.
        size: Height and width of the picture [px].
        what: Description of the set in the words of the question.
        language: Language of the answer.
        other: Set to compare with; for ``read``, the lines of text.
        other_what: Description of the other set.
    """
    speaker = AnswerPhrasing(language)
    total = count(found.instances, found.decisions)
    confidence, value = min(total.confidence, found.whole), cast(Any, total.sure)
    if kind == "read" and other is not None:
        return _answer_text(speaker, found, other, what, size)
    if kind in ("compare", "which", "difference", "share") and other is not None:
        rival = count(other.instances, other.decisions)
        confidence = min(confidence, rival.confidence, other.whole)
        value = {"target": total.sure, "other": rival.sure}
        if kind == "which" and total.sure == rival.sure:
            confidence = min(confidence, _NO_WRITING)
        tell = _which_set_sentence if kind == "which" else _compare_counts_sentence
        said = tell(speaker, total, rival, what, other_what)
        if kind == "difference":
            value = total.sure - rival.sure
            said = speaker.sentence("count_difference", d=abs(value), said=said)
        if kind == "share":
            value = round(100 * total.sure / rival.sure) if rival.sure else None
            name = "none" if value is None else "share"
            said = speaker.sentence(
                name, what=what if rival.sure else other_what, n=total.sure, m=rival.sure, p=value
            )
    elif kind == "where":
        value = [" ".join(dict.fromkeys(place_in(one, size))) for one in found.accepted_instances()]
        said = speaker.sentence(
            "where" if value else "none", what=what, places=speaker.place_words(value)
        )
    elif kind == "colour":
        pairs = zip(crops, found.decisions, strict=True)
        named = [name_colour(crop) for crop, decision in pairs if decision.holds]
        value = [name for name, _ in named]
        confidence = min([confidence, *(clear for _, clear in named)])
        colours = ", ".join(speaker.word(name) for name in value)
        said = speaker.sentence("colour" if value else "none", what=what, colours=colours)
    elif kind == "exists":
        value = has_accepted_instance(found.decisions)
        name = {True: "exists_yes", False: "exists_no", None: "exists_unsure"}[value]
        name = name if total.sure or not value else "exists_some"
        said = speaker.sentence(name, what=what, n=total.sure or total.unsettled)
        if total.sure:  # one certain instance is enough
            clearest = max(
                decision.confidence * one.score
                for one, decision in zip(found.instances, found.decisions, strict=True)
                if decision.holds
            )
            confidence = min(SUREST, clearest)
        elif value:
            confidence = _SOME
    else:
        said = speaker.sentence("count", what=what, n=total.sure)
    notes = not_accepted_sentences(speaker, found, size)
    if not found.instances and found.whole <= NOTHING_KNOWN:
        notes.append(speaker.sentence("nothing_known"))
    return Answer(
        " ".join([said, *notes, confidence_phrase(speaker, confidence)]), value, confidence
    )


def _answer_text(
    speaker: AnswerPhrasing,
    found: Candidates,
    lines: Candidates,
    what: str,
    size: tuple[int, int],
) -> Answer:
    """Return the text on the objects `what`, or in the whole picture if `what` is empty."""
    total, read = (count(one.instances, one.decisions) for one in (found, lines))
    value = [one.label for one in lines.accepted_instances()]
    confidence = read.confidence if lines.instances else _NO_WRITING
    texts = " · ".join(f"“{text}”" for text in value)
    name = ("read" if what else "read_picture") if value else "read_nothing"
    notes = not_accepted_sentences(speaker, lines, size)
    if what:
        name = name if total.sure else "none"
        confidence = min(confidence, total.confidence)
        notes = [*not_accepted_sentences(speaker, found, size), *notes]
    said = speaker.sentence(name, what=what, texts=texts)
    return Answer(
        " ".join([said, *notes, confidence_phrase(speaker, confidence)]), value, confidence
    )


def _compare_counts_sentence(
    speaker: AnswerPhrasing, one: Counted, two: Counted, what: str, other: str
) -> str:
    facts = {"what": what, "other": other, "n": one.sure, "m": two.sure}
    if one.sure == two.sure:
        return speaker.sentence("same", **facts)
    return speaker.sentence("more", winner=what if one.sure > two.sure else other, **facts)


def _which_set_sentence(
    speaker: AnswerPhrasing, one: Counted, two: Counted, what: str, other: str
) -> str:
    names = [name for name, found in ((what, one), (other, two)) if found.sure]
    return speaker.sentence(
        "which" if names else "neither", what=", ".join(names) or what, other=other
    )


def final_report(bench: Bench) -> str:
    """Return the answers with objections of judges, unchecked claims and confidence."""
    answered = [_report_text(bench, *one) for one in bench.earlier]
    if bench.answer is not None:
        answered.append(_report_text(bench, bench.answer, bench.judgement))
    return " ".join(answered)


def _report_text(bench: Bench, answer: Answer, found: Judgement | None) -> str:
    speaker = AnswerPhrasing(language_of(answer.text))
    said = [answer.text]
    if found is not None and found.agrees is False:
        against = ", ".join(
            f"{speaker.word('judge ' + one.who)} ({one.says})"
            for one in found.cross_checks
            if one.agrees is False
        )
        said.append(speaker.sentence("differ", against=against))
    elif found is not None and found.agrees is None and bench.by_model:
        said.append(_unchecked_claims_sentence(speaker, found.claims))
    last = confidence_phrase(speaker, answer.confidence)
    if bench.by_model or (found is not None and found.agrees is False and last not in answer.text):
        said.append(last)
    return " ".join(said)


def _unchecked_claims_sentence(speaker: AnswerPhrasing, claims: Sequence[CheckedClaim]) -> str:
    """Return a sentence that lists unchecked claims, or says that no claim answers the question."""
    open_ones = [one.text for one in claims if one.holds is None]
    if len(open_ones) == len(claims):
        return speaker.sentence("unjudged")
    if open_ones:
        return speaker.sentence("unchecked", claims=" ".join(f"“{text}”" for text in open_ones))
    return speaker.sentence("beside")
