"""Skills that answer with a value, such as a written price or date, a size, or a bar's value."""

from __future__ import annotations

from typing import Any, Literal

from bt_exec.skill import Running, Service, Steps, skill
from bt_exec_skills.image.perception.bar_chart import BarFact
from bt_exec_skills.image.perception.measurements import Extent
from bt_exec_skills.image.perception.written_values import LINES, Written, written_value
from bt_exec_skills.image.rules.lexicon import names_of_each, object_name
from bt_exec_skills.image.rules.value_answers import Scale, bar_answer, measure_answer, value_answer
from bt_exec_skills.image.skills.worker_thread import SET_FAILS
from bt_exec_skills.image.workbench import Bench, SetName, Step

__all__ = ["answer_bar", "answer_measure", "answer_value"]


@skill(fails=SET_FAILS, needs={"crops.{of}": "cut"}, effects={"answer": "told"})
def answer_value(
    bench: Service[Bench],
    of: SetName,
    value: Written,
    name: str = "",
    number: int = 1,
    language: Literal["en", "ko"] = "en",
) -> Steps:
    """Answer with a price, the total, the date or a line of the recognised text.

    Args:
        bench: The picture and its sets.
        of: Set with the recognised lines.
        value: price, total, date, line or another value; see `written_value`.
        name: Article, for a price; the prices of several articles, separated by ``|``, are added.
        number: Number of the line, or number of prices.
        language: Language of the answer.
    """
    yield Running(None, "answering")
    found, _ = bench.candidates_with_crops(of)
    lines = found.instances if value in LINES else found.accepted_instances()
    read = written_value(lines, value, *names_of_each(name), number=number)
    said = ", ".join(object_name(one, language) for one in name.split("|"))
    bench.answer = value_answer(read, value, said or str(number), language)
    args = {"of": of, "value": value, "name": name, "number": number}
    bench.steps.append(Step("answer_value", args))


@skill(fails=SET_FAILS, needs={"crops.{of}": "cut"}, effects={"answer": "told"})
def answer_measure(
    bench: Service[Bench],
    of: SetName,
    extent: Extent,
    what: str,
    to: SetName | None = None,
    other_what: str = "",
    known: SetName | None = None,
    known_extent: Extent = "width",
    length: int = 1,
    unit: str = "px",
    language: Literal["en", "ko"] = "en",
) -> Steps:
    """Answer with the area, width or height of an object, or the distance between two objects.

    Without an object of known size, the answer is in pixels.

    Args:
        bench: The picture and its sets.
        of: Set that the question is about.
        extent: Measure: area, width, height or distance (between the centres of the boxes).
        what: Description of the set in the words of the question.
        to: For distance, the other set; the same set for the distance between its two objects.
        other_what: Description of the other set.
        known: Set of an object of known size, which defines the scale.
        known_extent: Kind of the known size.
        length: Value of the known size.
        unit: Unit of the known size and of the answer.
        language: Language of the answer.
    """
    yield Running(None, "measuring")
    found, _ = bench.candidates_with_crops(of)
    other = found if to == of else bench.candidates_with_crops(to)[0] if to is not None else None
    scale = (
        Scale(bench.candidates_with_crops(known)[0], known_extent, length, unit)
        if known is not None
        else None
    )
    bench.answer = measure_answer(found, other, (what, other_what), extent, scale, language)
    args: dict[str, Any] = {"of": of, "extent": extent, "to": to, "known": known}
    args |= {"known_extent": known_extent, "length": length, "unit": unit} if known else {}
    bench.steps.append(Step("answer_measure", args))


@skill(
    fails=SET_FAILS, needs={"crops.{of}": "cut", "crops.{lines}": "cut"}, effects={"answer": "told"}
)
def answer_bar(
    bench: Service[Bench],
    of: SetName,
    lines: SetName,
    what: str,
    name: str = "",
    wanted: BarFact = "value",
    language: Literal["en", "ko"] = "en",
) -> Steps:
    """Answer with the value of a bar in a chart, read from the axis, or with the label of the bar.

    Args:
        bench: The picture and its sets.
        of: Set of regions; the accepted region is the bar.
        lines: Set with the recognised lines.
        what: Description of the bar in the words of the question.
        name: Label of the bar, if the question identifies the bar by it.
        wanted: Whether the value or the label is requested.
        language: Language of the answer.
    """
    yield Running(None, "answering")
    found, written = bench.candidates_with_crops(of)[0], bench.candidates_with_crops(lines)[0]
    bench.answer = bar_answer(found, written, name, what, wanted, language)
    args = {"of": of, "lines": lines, "name": name, "wanted": wanted}
    bench.steps.append(Step("answer_bar", args))
