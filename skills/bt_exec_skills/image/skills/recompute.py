"""Questions answered by tools on a bench of their own, beside the mission: how claims are checked.

Nothing that a model found, chose or said is on that bench: the picture, the annotation and the
detector are all that it shares with the mission.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import Any

from bt_exec.failure import Failed, UsageError
from bt_exec.skill import Steps
from bt_exec_skills.image.bench import Bench
from bt_exec_skills.image.rules.planning import CannotTell, plan_of
from bt_exec_skills.image.rules.question import Question
from bt_exec_skills.image.skills.compare import (
    compare_degrees,
    compare_pictures,
    compare_things,
)
from bt_exec_skills.image.skills.conclude import answer, count
from bt_exec_skills.image.skills.find import (
    detect,
    read_annotation,
    segment_colour,
    separate_touching,
)
from bt_exec_skills.image.skills.look import crop, measure_places, verify_attribute
from bt_exec_skills.image.skills.read import read_text

__all__ = ["answered"]

_POLL_S = 0.0005
_SKILLS = {
    one.name: one
    for one in (
        answer, compare_degrees, compare_pictures, compare_things, count, crop, detect,
        measure_places, read_annotation, read_text, segment_colour, separate_touching,
        verify_attribute,
    )
}  # fmt: skip
_TREES: Mapping[str, tuple[str, ...]] = {
    "from_annotation": ("read_annotation",),
    "from_detector": ("detect",),
    "from_colours": ("segment_colour", "separate_touching"),
}
"""The skills of the pack's library trees, in order."""


def answered(bench: Bench, question: Question, language: str) -> Bench | None:
    """Return a bench on which tools answered a question; None if they cannot. Blocks.

    Args:
        bench: With the picture; it is not changed.
        question: What is asked.
        language: Of the answer.
    """
    fresh = bench.fresh()
    try:
        root = plan_of(question, language, fresh.facts())
        for name, given in _calls(root):
            _finished(_SKILLS[name](bench=fresh, **given))
    except (CannotTell, Failed, UsageError):
        return None
    return fresh if fresh.answer is not None else None


def _calls(root: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for node in root["sequence"]:
        given = dict(node["with"])
        if "tree" not in node:
            yield node["do"], given
            continue
        first, *rest = _TREES[node["tree"]]
        yield first, given
        for name in rest:
            yield name, {"of": given["into"]}


def _finished(steps: Steps[Any]) -> None:
    """Run a skill to its end; what it does on a thread is waited for."""
    for _ in steps:
        time.sleep(_POLL_S)
