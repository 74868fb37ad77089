"""Estimator ``outlines``: compares objects found by colour with those found by outlines.

It serves as a second method if neither an annotation nor a detector names the objects. It applies
if the picture has a plain background and the question is only about colours and shapes. If the
results differ, the picture is examined again at a larger size. Only a difference that is found both
times is an objection.
"""

from __future__ import annotations

from collections.abc import Sequence

from bt_exec_skills.image.perception.attributes import SHAPES
from bt_exec_skills.image.perception.colours import COLOURS
from bt_exec_skills.image.perception.outline_detector import Outline, find_outlines
from bt_exec_skills.image.perception.vision_model_queries import CrossCheck
from bt_exec_skills.image.workbench import Bench, Candidates, Step

__all__ = ["SELECTING", "cross_check_by_outlines"]

SELECTING = ("measure_places", "check_part", "compare_degrees")
"""Skills that select instances by their positions or by comparison with others."""
_SECOND_LOOK = 1.5


def cross_check_by_outlines(bench: Bench) -> list[CrossCheck]:
    """Return the verdict of outlines about each set whose instances come from colours alone."""
    cross_checks = []
    whole = True  # whether every set is confirmed; otherwise, outlines cannot support the answer
    for name, found in bench.sets.items():
        steps = _deciding_steps(bench, name)
        if steps is None or not all("colour" in one.source for one in found.instances):
            whole = False
            continue
        agrees, says = _confirmed_by_outlines(found, find_outlines(bench.picture), steps)
        if agrees is False:
            again, said = _confirmed_by_outlines(
                found, find_outlines(bench.picture, _SECOND_LOOK), steps
            )
            agrees, says = (False, said) if again is False else (None, says)
        whole = whole and agrees is True
        if says:
            cross_checks.append(CrossCheck("outlines", agrees, says))
    if whole:
        return cross_checks
    return [one._replace(agrees=False if one.agrees is False else None) for one in cross_checks]


def _deciding_steps(bench: Bench, name: str) -> list[Step] | None:
    """Return the steps that decided a set, or None if outlines cannot repeat them."""
    finds = [step for step in bench.steps if step.args.get("into") == name]
    if not finds or finds[-1].tool != "segment_colour":
        return None
    mine = [step for step in bench.steps if step.args.get("of") == name]
    if any(step.tool in (*SELECTING, "ask_vqa") for step in mine):
        return None
    verified = [step for step in mine if step.tool == "verify_attribute"]
    if any(step.args.get("any_of") for step in verified):
        return None
    asked = {one for step in verified for one in step.args["attributes"]}
    return [finds[-1], *verified] if asked <= {*COLOURS, *SHAPES} else None


def _confirmed_by_outlines(
    found: Candidates, outlines: Sequence[Outline] | None, steps: Sequence[Step]
) -> tuple[bool | None, str]:
    """Return whether outlines confirm a set, and the number of objects found by outlines."""
    if outlines is None:
        return None, ""
    holds = [(_satisfies_steps(one, steps), one.parts) for one in outlines]
    low = sum(parts for one, parts in holds if one)
    high = low + sum(parts for one, parts in holds if one is None)
    decided = [one.holds for one in found.decisions]
    sure = decided.count(True)
    most = sure + decided.count(None)
    says = str(low) if low == high else f"{low}-{high}"
    if high < sure or most < low:
        return False, says
    return (True if low == high == sure == most else None), says


def _satisfies_steps(one: Outline, steps: Sequence[Step]) -> bool | None:
    """Return whether an object satisfies the steps; None if its outline does not decide it."""
    found, *verified = steps
    colour = found.args["colour"]
    said = [True if colour in (None, "any") else _equals_shape(one.colour, colour)]
    for step in verified:
        each = [_equals_shape(one.colour if name in COLOURS else one.shape, name)
                for name in step.args["attributes"]]  # fmt: skip
        every = False if False in each else None if None in each else True
        said.append(every if step.args["wanted"] or every is None else not every)
    return False if False in said else None if None in said else True


def _equals_shape(found: str | None, wanted: str) -> bool | None:
    if found is None:
        return None
    return found == wanted or (wanted == "rectangle" and found == "square")
