"""Verdicts of the estimators (judges) about an answer, and the three scores of the answer.

A judge supports an answer only with a separate computation from the picture. For a model's answer,
only the tools can support it: they answer each claim as a separate question, on a bench without
data of the model. All other judges can only object. They compare the answer with:

  ``crops``     the sets verified on crops: one of them must explain each number in the answer
  ``looker``    the model's answer to the same question about the whole picture
  ``model``     the opinion of a second vision model, if the site names one
  ``colours``   the colours of the whole picture, instead of the colours of crops
  ``detector``  the count of a second source of instances, if it can detect the objects
  ``outlines``  the objects found by outlines, hue and notches instead of colours, if no other
                source names them; `perception.outline_detector` explains why the two are
                independent
  ``light``     the result of the same steps in other plausible light; see
                `perception.light_correction`

Scores, each 0..1:

  confidence        confidence of the least certain decision. For a model's answer: of the
                    least certain claim, if tools support every claim and one of them answers the
                    question; otherwise at most 0.5, and at most 0.3 with an objection
  evidence coverage share of the instances whose requested property was checked on crops; None
                    without instances
  reasoning         share of the reasoning steps that observations support: 1 for a plan of tools,
                    since each step ran; for a model, the share of its "Step N:" lines that name an
                    observation and no unobserved number
"""

from __future__ import annotations

from collections.abc import Sequence

from bt_exec_skills.image.perception.colour_segmentation import segment_colour, separate_touching
from bt_exec_skills.image.perception.colours import COLOURS, ColourName
from bt_exec_skills.image.perception.instances import Counted, count
from bt_exec_skills.image.perception.vision_model_queries import CrossCheck
from bt_exec_skills.image.perception.whole_picture_colour_check import (
    agree_with_regions,
    find_disputed,
)
from bt_exec_skills.image.rules.answer_claims import content_words, find_amounts, parse_yes_or_no
from bt_exec_skills.image.rules.outline_crosscheck import SELECTING, cross_check_by_outlines
from bt_exec_skills.image.workbench import Bench, Candidates, CheckedClaim, Judgement, Step

__all__ = [
    "evidence_confidence",
    "rate_answer",
    "run_cross_checks",
    "share_of_crops_asked",
    "share_of_decided",
    "tool_answer_steps",
]

_UNJUDGED, _DISPUTED = 0.5, 0.3


def run_cross_checks(bench: Bench) -> list[CrossCheck]:
    """Return the verdicts of the judges that need no model."""
    if bench.by_model:
        return [
            *_compare_with_crops(bench),
            *_compare_with_whole_picture_queries(bench),
            *_compare_colours(bench),
        ]
    return [*_compare_colours(bench), *_compare_counts(bench), *cross_check_by_outlines(bench)]


def rate_answer(
    bench: Bench,
    cross_checks: Sequence[CrossCheck],
    claims: Sequence[CheckedClaim] = (),
    coverage: float | None = None,
) -> Judgement:
    """Return the judgement of the answer, with its confidence limited by the evidence.

    Args:
        bench: Bench with the answer.
        cross_checks: Verdicts of the judges.
        claims: Findings about each claim of a model's answer.
        coverage: Evidence coverage of a model's answer.
    """
    assert bench.answer is not None
    if bench.by_model:
        return _judge_claims(bench, cross_checks, claims, coverage)
    verdicts = [one.agrees for one in cross_checks if one.agrees is not None]
    agrees = all(verdicts) if verdicts else None
    confidence = bench.answer.confidence
    if agrees is False:
        confidence = min(confidence, _DISPUTED)
    return Judgement(
        agrees, tuple(cross_checks), confidence, share_of_decided(bench), bench.reasoning
    )


def _judge_claims(
    bench: Bench,
    cross_checks: Sequence[CrossCheck],
    claims: Sequence[CheckedClaim],
    coverage: float | None,
) -> Judgement:
    """Return the judgement of a model's answer: disputed, supported completely, or undecided."""
    assert bench.answer is not None
    refuted = [one for one in claims if one.holds is False]
    supported = bool(claims) and all(one.holds for one in claims)
    # sets chosen by a model are not evidence against findings of the tools
    kept = [one for one in cross_checks if one.who == "model" or not supported]
    said = [*kept, *(CrossCheck("tools", False, one.found) for one in refuted)]
    if any(one.agrees is False for one in said):
        agrees: bool | None = False
        confidence = min(bench.answer.confidence, _DISPUTED)
    elif supported and any(one.answers for one in claims):
        agrees, confidence = True, min(one.confidence for one in claims)
    else:
        agrees, confidence = None, min(bench.answer.confidence, _UNJUDGED)
    return Judgement(agrees, tuple(said), confidence, coverage, bench.reasoning, tuple(claims))


def share_of_decided(bench: Bench, names: Sequence[str] | None = None) -> float | None:
    """Return the share of instances that were decided on crops, or None without instances.

    Args:
        bench: Bench with the sets.
        names: Names of the sets to consider; None for all.
    """
    sets = [found for name, found in bench.sets.items() if names is None or name in names]
    pairs = [(found, one) for found in sets for one in found.decisions]
    if not pairs:
        return None
    settled = [found.crops is not None and one.holds is not None for found, one in pairs]
    return sum(settled) / len(pairs)


def share_of_crops_asked(bench: Bench) -> float | None:
    """Return the share of decided instances in the sets whose crops a model was asked about.

    Only queries with the same content words as the question count. The result is 0.0 without such
    a query, and None without instances.
    """
    asked = content_words(bench.question)
    looks = [step for step in bench.steps if step.tool == "ask_vqa"]
    same = [step for step in looks if content_words(str(step.args["question"])) == asked]
    names = [str(step.args["of"]) for step in same if step.args["of"] in bench.sets]
    if names:
        return share_of_decided(bench, names)
    return None if share_of_decided(bench) is None else 0.0


def evidence_confidence(bench: Bench) -> float:
    """Return the confidence of the evidence: the minimum over examined sets and model queries."""
    sure = [
        min(found.whole, count(found.instances, found.decisions).confidence)
        for found in bench.sets.values()
        if found.looked
    ]
    sure += [one.confidence for one in bench.asked]
    return min(sure, default=0.0)


def tool_answer_steps(bench: Bench) -> list[Step]:
    """Return the steps with which tools alone find the answer of a model, for its program.

    The steps are a count of the first set whose count agrees with the answer, and the answer
    itself. If there is no such set, the only step is ``conclude``, which no program can repeat.
    """
    assert bench.answer is not None
    claimed = bench.answer.value
    for name, found in bench.sets.items():
        if claimed is None or found.crops is None:
            continue
        if _count_agrees(claimed, count(found.instances, found.decisions)):
            kind = "exists" if isinstance(claimed, bool) else "count"
            last = {"kind": kind, "of": name, "other": "other"}
            return [Step("count", {"of": name}), Step("answer", last)]
    return [Step("conclude", {})]


def _compare_with_crops(bench: Bench) -> list[CrossCheck]:
    """Compare the numbers in a model's answer, or its yes or no, with the sets decided on crops.

    Agreement is not support, because the answer was derived from the crops.
    """
    assert bench.answer is not None
    sets = [found for found in bench.sets.values() if found.crops is not None]
    if not sets:
        return []
    totals = [count(found.instances, found.decisions) for found in sets]
    says = ", ".join(str(one.sure) for one in totals)
    numbers = find_amounts(bench.answer.text)
    if len(numbers) > 1:  # "3 of the 4": the sets must explain each number
        explained = find_amounts(bench.question).union(*map(_possible_counts, sets))
        return [CrossCheck("crops", None if numbers <= explained else False, says)]
    claimed = next(iter(numbers)) if numbers else parse_yes_or_no(bench.answer.text)
    if claimed is None:
        return []
    fits = any(_count_agrees(claimed, one) is not False for one in totals)
    return [CrossCheck("crops", None if fits else False, says)]


def _compare_with_whole_picture_queries(bench: Bench) -> list[CrossCheck]:
    """Compare a model's answer with the replies to queries about the same question.

    A reply whose numbers, or yes or no, differ from the answer is an objection. No reply supports
    an answer.
    """
    assert bench.answer is not None
    asked = content_words(bench.question)
    mine = find_amounts(bench.answer.text), parse_yes_or_no(bench.answer.text)
    found = []
    for one in bench.asked:
        if not one.answer or content_words(one.question) != asked:
            continue
        theirs = find_amounts(one.answer), parse_yes_or_no(one.answer)
        differs = any(a and b and a != b for a, b in zip(mine, theirs, strict=True))
        differs |= {mine[1], theirs[1]} == {True, False}
        found.append(CrossCheck("looker", False if differs else None, one.answer))
    return found


def _possible_counts(found: Candidates) -> set[int]:
    """Return the numbers that an answer may contain if it is based on this set.

    These are the possible counts of accepted instances, and the counts of rejected, undecided and
    all instances.
    """
    holds = [one.holds for one in found.decisions]
    sure, unsettled = holds.count(True), holds.count(None)
    return {*range(sure, sure + unsettled + 1), holds.count(False), unsettled, len(holds)}


def _count_agrees(claimed: int | bool, total: Counted) -> bool | None:
    """Return whether a count agrees with a claim; None if it depends on undecided instances."""
    most = total.sure + total.unsettled
    if isinstance(claimed, bool):
        return (total.sure > 0) == claimed if total.sure or not total.unsettled else None
    return True if total.sure == claimed else None if total.sure <= claimed <= most else False


def _compare_colours(bench: Bench) -> list[CrossCheck]:
    """Compare the colours of crops with those of the whole picture, for boxes from other sources.

    The result supports the answer only if regions of the colour agree with the boxes.
    """
    cross_checks = []
    for name, found in bench.sets.items():
        wanted = _wanted_colours(bench, name)
        if found.crops is None or len(wanted) != 1 or not _has_boxes(found):
            continue
        places = find_disputed(bench.picture, found.crops, found.decisions, wanted[0])
        numbers = ", ".join(f"#{place + 1}" for place in places)
        there = not places and agree_with_regions(
            bench.picture, found.accepted_instances(), wanted[0]
        )
        agrees = False if places else True if there else None
        cross_checks.append(CrossCheck("colours", agrees, numbers))
    return cross_checks


def _compare_counts(bench: Bench) -> list[CrossCheck]:
    """Compare the count of a detector or an annotation with the count of colour regions.

    Colours determine all objects only if the question names no class. If it names one, objects of
    other classes may have the same colour. Then an equal count supports the answer, but a
    different count is not an objection.
    """
    cross_checks = []
    for name, found in bench.sets.items():
        wanted = _wanted_colours(bench, name)
        if len(wanted) != 1 or not _has_boxes(found):
            continue
        regions = separate_touching(segment_colour(bench.picture, wanted[0]))
        if any("uneven" in one.source for one in regions):
            continue  # without a plain background, regions need not be objects
        same = len(regions) == len(found.accepted_instances())
        if same or not _is_labelled(bench, name):
            cross_checks.append(CrossCheck("detector", same, str(len(regions))))
    return cross_checks


def _has_boxes(found: Candidates) -> bool:
    return bool(found.instances) and all("colour" not in one.source for one in found.instances)


def _is_labelled(bench: Bench, name: str) -> bool:
    finds = [step for step in bench.steps if step.args.get("into") == name]
    return bool(finds and finds[-1].args.get("label"))


def _wanted_colours(bench: Bench, name: str) -> list[ColourName]:
    """Return the colours that the objects of a set must have, if they are the only condition."""
    mine = [s for s in bench.steps if s.args.get("of") == name]
    if any(step.tool in (*SELECTING, "ask_vqa") for step in mine):
        return []
    verified = [step for step in mine if step.tool == "verify_attribute"]
    if any(not step.args["wanted"] or step.args.get("any_of") for step in verified):
        return []
    wanted = [one for step in verified for one in step.args["attributes"]]
    names = [one for one in COLOURS if one in wanted]
    return names if set(names) == set(wanted) else []
