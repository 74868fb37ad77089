"""Computation of answers by tools on a separate bench, independently of the mission.

The separate bench shares only the picture, the annotation and the detector with the mission; it
contains no results or choices of a model. It is used to check claims, and to repeat the steps of an
answer on another picture of the same objects.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from bt_exec.failure import Failed, UsageError
from bt_exec.skill import Steps
from bt_exec_skills.image.perception.instance_decisions import start_decisions
from bt_exec_skills.image.perception.instances import Instance
from bt_exec_skills.image.rules.question import Question
from bt_exec_skills.image.rules.question_plans import CannotTell, build_plan
from bt_exec_skills.image.skills.compare_pictures_and_sets import (
    compare_degrees,
    compare_pictures,
    compare_things,
    sort,
)
from bt_exec_skills.image.skills.count_and_answer import answer, count
from bt_exec_skills.image.skills.crop_skills import (
    check_part,
    crop,
    measure_places,
    verify_attribute,
)
from bt_exec_skills.image.skills.find_instances import (
    detect,
    read_annotation,
    segment_colour,
    separate_touching,
)
from bt_exec_skills.image.skills.read_text_and_codes import match_text, read_codes, read_text
from bt_exec_skills.image.skills.value_answer_skills import (
    answer_bar,
    answer_measure,
    answer_value,
)
from bt_exec_skills.image.workbench import Answer, Bench, Candidates
from bt_exec_skills.perception.pictures_and_boxes import Frame

__all__ = ["answer_with_tools", "repeat_on_other_picture"]

_POLL_S = 0.0005
_BOXED = ("read_annotation", "detect")
_WORDED = ("answer", "answer_bar", "answer_measure")
"""Skills with a text argument that affects only the wording of the answer."""
_SKILLS = {
    one.name: one
    for one in (
        answer, answer_bar, answer_measure, answer_value, check_part, compare_degrees,
        compare_pictures, compare_things, count, crop, detect, match_text, measure_places,
        read_annotation, read_codes, read_text, segment_colour, separate_touching, sort,
        verify_attribute,
    )
}  # fmt: skip
_TREES: Mapping[str, tuple[str, ...]] = {
    "from_annotation": ("read_annotation",),
    "from_detector": ("detect",),
    "from_colours": ("segment_colour", "separate_touching"),
}
"""Skills in each library tree of the pack, in order."""


def answer_with_tools(bench: Bench, question: Question, language: str) -> Bench | None:
    """Return a bench on which tools answered a question; None if they cannot.

    This call blocks.

    Args:
        bench: Bench with the picture; it is not changed.
        question: Question as data for tools.
        language: Language of the answer.
    """
    fresh = bench.empty_copy()
    try:
        root = build_plan(question, language, fresh.facts())
        for name, given in _skill_calls(root):
            _run_to_end(_SKILLS[name](bench=fresh, **given))
    except (CannotTell, Failed, UsageError):
        return None
    return fresh if fresh.answer is not None else None


def repeat_on_other_picture(bench: Bench, picture: Frame) -> Answer | None:
    """Return the answer of the same steps on another picture of the same objects.

    This call blocks.

    Boxes from an annotation or a detector are reused; colour regions are searched again.

    Args:
        bench: Bench with the steps; it is not changed.
        picture: Picture with the same aspect ratio, perhaps smaller.

    Returns:
        The answer, or None if the steps cannot be repeated.
    """
    fresh = bench.empty_copy()
    fresh.__dict__["picture"], fresh.again = picture, True
    scale = picture.shape[1] / bench.picture.shape[1]
    try:
        for step in bench.steps:
            args = {key: value for key, value in step.args.items() if value is not None}
            if step.tool in _BOXED:
                fresh.sets[args["into"]] = _scale_instances(
                    bench.sets[args["into"]].instances, scale
                )
            else:
                args |= {"what": ""} if step.tool in _WORDED else {}
                _run_to_end(_SKILLS[step.tool](bench=fresh, **args))
    except (Failed, KeyError):
        return None
    return fresh.answer


def _scale_instances(instances: Sequence[Instance], scale: float) -> Candidates:
    boxes = [tuple(round(side * scale) for side in one.bbox) for one in instances]
    found = [
        replace(one, bbox=(x1, y1, max(x1 + 1, x2), max(y1 + 1, y2)), beside=())
        for one, (x1, y1, x2, y2) in zip(instances, boxes, strict=True)
    ]
    return Candidates(found, start_decisions(found))


def _skill_calls(root: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for node in root["sequence"]:
        given = dict(node["with"])
        if "tree" not in node:
            yield node["do"], given
            continue
        first, *rest = _TREES[node["tree"]]
        yield first, given
        for name in rest:
            yield name, {"of": given["into"]}


def _run_to_end(steps: Steps[Any]) -> None:
    """Run a skill to its end, waiting for its worker thread."""
    for _ in steps:
        time.sleep(_POLL_S)
