"""The judge ``light``: it repeats the steps of an answer under other plausible lighting."""

from __future__ import annotations

import json
from typing import Any

from bt_exec_skills.image.perception.light_correction import relit_versions
from bt_exec_skills.image.perception.vision_model_queries import CrossCheck
from bt_exec_skills.image.skills.answer_recomputation import repeat_on_other_picture
from bt_exec_skills.image.workbench import Bench, Step

__all__ = ["cross_check_in_other_light"]

_BY_COLOUR = ("segment_colour", "verify_attribute", "compare_things", "compare_degrees")
_WITHOUT_LIGHT = ("read_text", "read_codes", "answer_measure", "compare_pictures", "conclude")
_LONGEST_VALUE = 60


def cross_check_in_other_light(bench: Bench) -> list[CrossCheck]:
    """Return an objection if an answer that depends on colours changes in other lighting.

    This call blocks.

    Args:
        bench: Bench with the steps and the answer of tools; it is not changed.
    """
    tools = {step.tool for step in bench.steps}
    colours = any(_asks_colour(step) for step in bench.steps)
    if bench.answer is None or tools & {*_WITHOUT_LIGHT} or not (colours or tools & {*_BY_COLOUR}):
        return []
    for picture in relit_versions(bench.picture):
        found = repeat_on_other_picture(bench, picture)
        if found is not None and found.value != bench.answer.value:
            return [CrossCheck("light", False, _value_text(found.value))]
    return []


def _asks_colour(step: Step) -> bool:
    return step.tool == "answer" and step.args["kind"] == "colour"


def _value_text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)[:_LONGEST_VALUE]
