"""Answers with values: from text in the picture, from bars of a chart, and from measurements."""

from __future__ import annotations

from typing import NamedTuple

from bt_exec_skills.image.perception.bar_chart import BarFact, bar_value
from bt_exec_skills.image.perception.instances import count
from bt_exec_skills.image.perception.measurements import Extent, measure_objects
from bt_exec_skills.image.perception.written_values import Value, Written
from bt_exec_skills.image.rules.answer_sentences import (
    AnswerPhrasing,
    confidence_phrase,
    not_accepted_sentences,
)
from bt_exec_skills.image.rules.lexicon import object_names
from bt_exec_skills.image.workbench import Answer, Candidates

__all__ = ["Scale", "bar_answer", "measure_answer", "value_answer"]

_MISSING = (
    "total", "date", "dearest", "cheapest", "articles", "line", "last_line", "first_sum",
)  # fmt: skip
"""Requested values with a separate sentence in case they are missing."""
_MAX_MEASURE_CONFIDENCE = 0.9  # below 1, because the last digit is uncertain
_UNSURE = 0.5
_BAR_SURE = 0.85  # confidence of a value read at an axis


class Scale(NamedTuple):
    """Known size that defines the scale of a picture.

    Attributes:
        of: Set with the single instance whose size is known.
        extent: Kind of the size, such as a width.
        length: Value of the size [`unit`].
        unit: Unit of the value.
    """

    of: Candidates
    extent: Extent
    length: float
    unit: str


def value_answer(found: Value, wanted: Written, name: str, language: str) -> Answer:
    """Return the answer to a question about a receipt, price list or form.

    Args:
        found: The value.
        wanted: Requested value.
        name: Name of the article, for a price.
        language: Language of the answer.
    """
    speaker = AnswerPhrasing(language)
    if found.value is None:
        missing = f"no_{wanted}" if wanted in _MISSING else "no_price"
        said, confidence = speaker.sentence(missing, what=name), _UNSURE
    else:
        confidence = found.sure
        if isinstance(found.value, bool):
            parts = [speaker.sentence("yes" if found.value else "no", what=name)]
        else:
            parts = [_value_sentence(speaker, found, wanted, name)]
        if found.row:
            parts.append(speaker.sentence("read_from", row=found.row))
        if wanted == "total":
            checked = {True: "adds_up", False: "does_not_add_up", None: "summed"}[found.adds_up]
            parts += (
                [speaker.sentence(checked)] if found.adds_up is not None or not found.row else []
            )
        said = " ".join(parts)
    return Answer(f"{said} {confidence_phrase(speaker, confidence)}", found.value, confidence)


def _value_sentence(speaker: AnswerPhrasing, found: Value, wanted: Written, name: str) -> str:
    value, ahead = found.value, ""
    if found.ahead is not None:
        wanted, ahead = ("gap" if not found.ahead else wanted), _format_number(found.ahead)
        value = value if found.ahead else found.ahead
    if isinstance(value, list):
        said = ", ".join(value)
        return speaker.sentence(wanted if value else f"no_{wanted}", what=name, value=said)
    said = value if isinstance(value, str) else _format_number(float(value or 0))
    return speaker.sentence(wanted, what=name, value=said, ahead=ahead)


def bar_answer(
    found: Candidates, lines: Candidates, name: str, what: str, wanted: BarFact, language: str
) -> Answer:
    """Return the answer with the value or the label of a bar in a chart.

    Args:
        found: Regions that match the description.
        lines: Recognised text.
        name: Text below the bar; empty if the description identifies it.
        what: The bar, in the words of the question.
        wanted: Whether the value at the axis or the text below the bar is asked for.
        language: Language of the answer.
    """
    speaker = AnswerPhrasing(language)
    names = object_names(name) if name else frozenset[str]()
    bar = bar_value(found.accepted_instances(), found.instances, lines.instances, names)
    confidence = _UNSURE
    known = bar.label if wanted == "label" else bar.value
    if known not in (None, ""):
        told_by = 1.0 if name else count(found.instances, found.decisions).confidence
        confidence = min(_BAR_SURE, told_by)
    value = "" if bar.value is None else _format_number(bar.value)
    facts = {"what": name or what, "value": value, "label": bar.label}
    if wanted == "label" and bar.label:
        said = speaker.sentence("bar_label" if value else "bar_name", **facts)
    else:
        said = speaker.sentence("bar" if value and wanted == "value" else "not_measured", **facts)
    return Answer(f"{said} {confidence_phrase(speaker, confidence)}", known or None, confidence)


def measure_answer(
    found: Candidates,
    other: Candidates | None,
    words: tuple[str, str],
    extent: Extent,
    scale: Scale | None,
    language: str,
) -> Answer:
    """Return the answer to a question about the length, area or distance of objects.

    The confidence is low unless each description fits exactly one object, or exactly the two
    objects whose distance is asked for.

    Args:
        found: Set that the question is about.
        other: The other set, for ``distance``; `found` for the distance of its two objects.
        words: Descriptions of the sets in the words of the question.
        extent: Requested measure.
        scale: A known size, or None for pixels.
        language: Language of the answer.
    """
    speaker = AnswerPhrasing(language)
    pair = other is found
    others_and_scale = (None if pair else other, scale.of if scale else None)
    sets = [found, *(one for one in others_and_scale if one is not None)]
    totals = [count(one.instances, one.decisions) for one in sets]
    known = (scale.of.accepted_instances(), scale.extent, scale.length) if scale else None
    others = other.accepted_instances() if other is not None else []
    value = measure_objects(found.accepted_instances(), others, extent, known)
    confidence = min(
        _MAX_MEASURE_CONFIDENCE, *(one.confidence for one in totals), *(one.whole for one in sets)
    )
    fitting = [2 if pair else 1] + [1] * (len(totals) - 1)
    several = any(
        one.sure != number or one.unsettled for one, number in zip(totals, fitting, strict=True)
    )
    if several or value is None:
        confidence = min(confidence, _UNSURE)
    unit = (scale.unit if scale else "px") + ("²" if extent == "area" else "")
    name = ("distance_of_two" if pair else extent) if value is not None else "not_measured"
    facts = {"what": words[0], "other": words[1], "unit": unit}
    said = speaker.sentence(name, value="" if value is None else _format_number(value), **facts)
    notes = [speaker.sentence("several_measured")] if several and value is not None else []
    notes += not_accepted_sentences(speaker, found)
    return Answer(
        " ".join([said, *notes, confidence_phrase(speaker, confidence)]), value, confidence
    )


def _format_number(value: float) -> str:
    """Return a number with thousands separators, without insignificant digits."""
    if value == int(value):
        return f"{value:,.0f}"
    return f"{value:,.1f}" if value == round(value, 1) else f"{value:,.2f}"
