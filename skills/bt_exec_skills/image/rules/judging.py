"""What judges say of an answer, and its three scores.

Judges
  ``crops``     what was decided on crops, against the number, or yes or no, that the answer claims
  ``colours``   the colours of the whole picture, against those of the crops
  ``detector``  the count of one source against that of another, where both can see it
  ``outlines``  things by outlines, hue and notches, against those by colour, where nothing else
                names them; see `perception.outlines` for why these are two ways
  ``model``     a second vision model, if the site names one

Scores, each 0..1
  confidence        that of the least clear decision or answer behind it; at most 0.5 where a
                    language model worded it and no judge could tell, at most 0.3 where one differs
  evidence coverage share of the instances, of all sets, that crops settled; None without instances
  reasoning         share of the steps of the reasoning that observations support: for a plan of
                    tools 1, for every step of it ran; for a model the share of its "Step N:" lines
                    that name something observed and no number that nobody observed
"""

from __future__ import annotations

from collections.abc import Sequence

from bt_exec_skills.image.bench import Bench, Candidates, Judgement, Step
from bt_exec_skills.image.perception.colours import COLOURS, ColourName
from bt_exec_skills.image.perception.instances import Counted, count
from bt_exec_skills.image.perception.looker import CrossCheck
from bt_exec_skills.image.perception.segment import segment_colour, separate_touching
from bt_exec_skills.image.perception.whole_look import disputed, placed
from bt_exec_skills.image.rules.claims import claimed_numbers, claims_yes
from bt_exec_skills.image.rules.outlining import of_outlines

__all__ = ["answering_steps", "confidence_of", "coverage_of", "cross_checks_of", "judged"]

_UNJUDGED, _DISPUTED = 0.5, 0.3


def cross_checks_of(bench: Bench) -> list[CrossCheck]:
    """Return what the ways that need no model say of the answer."""
    return [*_of_crops(bench), *_of_colours(bench), *_of_counts(bench), *of_outlines(bench)]


def judged(bench: Bench, cross_checks: Sequence[CrossCheck]) -> Judgement:
    """Return the judgement of the answer, its confidence lowered as `cross_checks` call for."""
    assert bench.answer is not None
    told = [one.agrees for one in cross_checks if one.agrees is not None]
    agrees = all(told) if told else None
    confidence = bench.answer.confidence
    if agrees is False:
        confidence = min(confidence, _DISPUTED)
    elif agrees is None and bench.by_model:
        confidence = min(confidence, _UNJUDGED)
    return Judgement(agrees, tuple(cross_checks), confidence, coverage_of(bench), bench.reasoning)


def coverage_of(bench: Bench) -> float | None:
    """Return the share of all instances that crops settled; None if there are none."""
    pairs = [(found, one) for found in bench.sets.values() for one in found.decisions]
    if not pairs:
        return None
    settled = [found.crops is not None and one.holds is not None for found, one in pairs]
    return sum(settled) / len(pairs)


def confidence_of(bench: Bench) -> float:
    """Return how sure the evidence is: the least clear of what was decided and answered."""
    sure = [
        min(found.whole, count(found.instances, found.decisions).confidence)
        for found in bench.sets.values()
        if found.looked
    ]
    sure += [one.confidence for one in bench.asked]
    return min(sure, default=0.0)


def answering_steps(bench: Bench) -> list[Step]:
    """Return the steps by which tools alone come to the answer of a model, for its program.

    They are a count of the first set that bears the answer out; without one, a step that no program
    can do.
    """
    assert bench.answer is not None
    claimed = bench.answer.value
    for name, found in bench.sets.items():
        if claimed is None or found.crops is None:
            continue
        if _fits(claimed, count(found.instances, found.decisions)):
            kind = "exists" if isinstance(claimed, bool) else "count"
            last = {"kind": kind, "of": name, "other": "other"}
            return [Step("count", {"of": name}), Step("answer", last)]
    return [Step("conclude", {})]


def _of_crops(bench: Bench) -> list[CrossCheck]:
    """Compare what a worded answer claims with the sets that were decided on crops.

    Crops speak against an answer that they contradict. They speak for one only where a model's word
    about the whole picture claims the same: otherwise they are what it was read from.
    """
    assert bench.answer is not None
    sets = [found for found in bench.sets.values() if found.crops is not None]
    if not bench.by_model or not sets:
        return []
    totals = [count(found.instances, found.decisions) for found in sets]
    numbers = claimed_numbers(bench.answer.text)
    says = ", ".join(str(one.sure) for one in totals)
    if len(numbers) > 1:  # "3 of the 4": each must be one that the sets explain
        explained = claimed_numbers(bench.question).union(*map(_numbers, sets))
        return [CrossCheck("crops", None if numbers <= explained else False, says)]
    claimed = _claim(bench.answer.text)
    if claimed is None:
        return []
    fits = [_fits(claimed, one) for one in totals]
    if not any(fit is not False for fit in fits):
        return [CrossCheck("crops", False, says)]
    whole = [_claim(one.answer) for one in bench.asked if one.answer]
    same = True in fits and any(type(one) is type(claimed) and one == claimed for one in whole)
    return [CrossCheck("crops", True if same else None, says)]


def _claim(text: str) -> int | bool | None:
    """Return the one thing that a text claims: a number, else yes or no."""
    numbers = claimed_numbers(text)
    return claims_yes(text) if not numbers else next(iter(numbers)) if len(numbers) == 1 else None


def _numbers(found: Candidates) -> set[int]:
    """Return the numbers that an answer may name of a set."""
    holds = [one.holds for one in found.decisions]
    sure, unsettled = holds.count(True), holds.count(None)
    return {*range(sure, sure + unsettled + 1), holds.count(False), unsettled, len(holds)}


def _fits(claimed: int | bool, total: Counted) -> bool | None:
    """Return whether a count bears a claim out; None if what is unsettled could."""
    most = total.sure + total.unsettled
    if isinstance(claimed, bool):
        return (total.sure > 0) == claimed if total.sure or not total.unsettled else None
    return True if total.sure == claimed else None if total.sure <= claimed <= most else False


def _of_colours(bench: Bench) -> list[CrossCheck]:
    """Compare the colours of crops with those of the whole picture, where boxes came otherwise.

    It speaks for the answer only where regions of the colour lie as the boxes do.
    """
    cross_checks = []
    for name, found in bench.sets.items():
        wanted = _wanted_colours(bench, name)
        if found.crops is None or len(wanted) != 1 or not _boxed(found):
            continue
        places = disputed(bench.picture, found.crops, found.decisions, wanted[0])
        numbers = ", ".join(f"#{place + 1}" for place in places)
        there = not places and placed(bench.picture, found.accepted(), wanted[0])
        agrees = False if places else True if there else None
        cross_checks.append(CrossCheck("colours", agrees, numbers))
    return cross_checks


def _of_counts(bench: Bench) -> list[CrossCheck]:
    """Compare the count of a detector or an annotation with the count of regions of the colour.

    Only where the question names no thing the colours show all that is meant. Where it names one,
    things of other kinds may have the colour: an equal count speaks for the answer, another is no
    objection.
    """
    cross_checks = []
    for name, found in bench.sets.items():
        wanted = _wanted_colours(bench, name)
        if len(wanted) != 1 or not _boxed(found):
            continue
        regions = separate_touching(segment_colour(bench.picture, wanted[0]))
        if any("uneven" in one.source for one in regions):
            continue  # no plain ground: regions are not surely things
        same = len(regions) == len(found.accepted())
        if same or not _labelled(bench, name):
            cross_checks.append(CrossCheck("detector", same, str(len(regions))))
    return cross_checks


def _boxed(found: Candidates) -> bool:
    return bool(found.instances) and all("colour" not in one.source for one in found.instances)


def _labelled(bench: Bench, name: str) -> bool:
    finds = [step for step in bench.steps if step.args.get("into") == name]
    return bool(finds and finds[-1].args.get("label"))


def _wanted_colours(bench: Bench, name: str) -> list[ColourName]:
    """Return the colours that the things of a set must have, if nothing else was asked of them."""
    mine = [s for s in bench.steps if s.args.get("of") == name]
    if any(step.tool in ("measure_places", "compare_degrees", "ask_vqa") for step in mine):
        return []
    verified = [step for step in mine if step.tool == "verify_attribute"]
    if any(not step.args["wanted"] or step.args.get("any_of") for step in verified):
        return []
    wanted = [one for step in verified for one in step.args["attributes"]]
    names = [one for one in COLOURS if one in wanted]
    return names if set(names) == set(wanted) else []
