"""Skills that count, answer, and draw the annotated picture."""

from __future__ import annotations

from typing import Any, Literal

from bt_exec.failure import Failed
from bt_exec.skill import Running, Service, Steps, skill
from bt_exec_skills.image.perception.attributes import AttributeName, Grouping
from bt_exec_skills.image.perception.instance_decisions import Bound
from bt_exec_skills.image.perception.instances import Counted
from bt_exec_skills.image.perception.instances import count as counted
from bt_exec_skills.image.perception.overlay import overlay, save_image
from bt_exec_skills.image.rules.comparison_answers import (
    answer_alike,
    answer_all,
    answer_bound,
    answer_names,
    answer_same_pictures,
)
from bt_exec_skills.image.rules.question import Kind
from bt_exec_skills.image.rules.set_answers import phrase_answer
from bt_exec_skills.image.skills.worker_thread import SET_FAILS, run_on_worker
from bt_exec_skills.image.workbench import Bench, SetName, Step

__all__ = ["answer", "count", "draw_overlay"]

_OF_TWO_SETS = ("compare", "difference", "which", "read", "alike", "all", "share")


@skill(fails=SET_FAILS, needs={"crops.{of}": "cut"})
def count(bench: Service[Bench], of: SetName) -> Steps[Counted]:
    """Count the accepted and the undecided instances of the set `of`.

    The confidence is that of the least clear decision, and at most 0.5 if any is undecided.
    """
    yield Running(None, "counting")
    found, _ = bench.candidates_with_crops(of)
    bench.steps.append(Step("count", {"of": of}))
    return counted(found.instances, found.decisions)


@skill(fails=SET_FAILS, needs={"crops.{of}": "cut"}, effects={"answer": "told"})
def answer(
    bench: Service[Bench],
    kind: Kind,
    of: SetName,
    what: str,
    language: Literal["en", "ko"] = "en",
    other: SetName = "other",
    other_what: str = "",
    aspect: Grouping = "colour",
    bound: Bound | None = None,
    number: int = 1,
    listed: list[AttributeName] | None = None,
) -> Steps:
    """Answer a question from the decisions; name excluded instances, reasons and confidence.

    Args:
        bench: The picture and its sets.
        kind: Kind of question: count, exists, all, where, colour, shape, name, compare, difference
            (of two counts), share (percentage of the other set), which (of two sets has more),
            groups (the number of each colour, shape or kind), most (the largest group), least (the
            smallest), shared (whether a group has several objects), variety (the number of groups),
            read, same or alike.
        of: Set that the question is about.
        what: Description of the set in the words of the question.
        language: Language of the answer.
        other: Set to compare with; for read, the recognised lines; for all, every object of the
            kind.
        other_what: Description of the other set.
        aspect: Aspect of the comparison or of the groups; only for alike, groups, most and
            variety.
        bound: Kind of the limit of the count; only for exists.
        number: Limit of the count.
        listed: For groups, the groups that are named even if they are empty.
    """
    yield Running(None, "answering")
    found, crops = bench.candidates_with_crops(of)
    rival = bench.candidates_with_crops(other)[0] if kind in _OF_TWO_SETS else None
    height, width = bench.picture_named(found.picture).shape[:2]
    size = height, width
    if kind == "same":
        bench.answer = answer_same_pictures(found, size, language)
    elif kind in ("groups", "most", "least", "shared", "variety", "shape", "name"):
        more = listed or ()
        bench.answer = answer_names(kind, found, crops, size, what, aspect, language, more)
    elif kind == "alike" and rival is not None and aspect != "kind":
        words = what, other_what
        bench.answer = answer_alike((found, rival), bench.compared, words, aspect, language)
    elif kind == "all" and rival is not None:
        bench.answer = answer_all(found, rival, what, other_what, language)
    elif bound is not None:
        bench.answer = answer_bound(found, bound, number, what, language)
    else:
        bench.answer = phrase_answer(kind, found, crops, size, what, language, rival, other_what)
    args: dict[str, Any] = {
        "kind": kind,
        "of": of,
        "other": other,
        "bound": bound,
        "number": number,
    }
    if kind in ("alike", "groups", "most", "least", "shared", "variety"):
        args |= {"aspect": aspect, "listed": listed or []}
    bench.steps.append(Step("answer", args))


@skill(fails={*SET_FAILS, "NO_FILE_NAMED", "UNREADABLE"}, needs={"boxes.{of}": "known"})
def draw_overlay(bench: Service[Bench], of: SetName) -> Steps:
    """Write the picture with numbered boxes to the output file that the user gave.

    Boxes of accepted instances are solid, those of rejected ones dashed and crossed out, those of
    undecided ones dashed with a question mark.
    """
    found, out = bench.candidates(of), bench.out
    if out is None:
        raise Failed("NO_FILE_NAMED", "there is no output file for the picture", retryable=False)
    yield from run_on_worker(
        lambda: save_image(
            overlay(bench.picture_named(found.picture), found.instances, found.decisions), out
        ),
        "drawing",
    )
