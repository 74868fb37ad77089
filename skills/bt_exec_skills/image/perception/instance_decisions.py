"""Decisions about all instances in a question, by attributes, exclusions, relations and places."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from math import inf
from typing import Literal

from bt_exec_skills.image.perception.attributes import AttributeName, verify_attribute
from bt_exec_skills.image.perception.instances import (
    Counted,
    Crop,
    Decision,
    Instance,
    with_boxes_of_overlapping_others,
)
from bt_exec_skills.image.perception.relations import (
    Column,
    RelationName,
    Row,
    has_relation,
    has_relation_partly,
    is_between,
    is_in_part,
    measure_pair,
)
from bt_exec_skills.image.perception.text_recognition import READ

__all__ = [
    "Bound",
    "all_hold",
    "any_holds",
    "decide_place",
    "decide_relation",
    "has_accepted_instance",
    "instances_of_kind",
    "is_count_within",
    "is_true_of_all",
    "start_decisions",
    "verify_all",
]

Bound = Literal["at_least", "at_most", "more", "fewer", "exactly"]

_RANGES: Mapping[Bound, Callable[[int], tuple[float, float]]] = {
    "at_least": lambda number: (number, inf),
    "at_most": lambda number: (0, number),
    "more": lambda number: (number + 1, inf),
    "fewer": lambda number: (0, number - 1),
    "exactly": lambda number: (number, number),
}
_DIAGONAL = 0.5  # confidence that an object diagonal to another one is not beside it
_UNDECIDED_PARTLY = ("beside", "missing")  # relations that are undecided if they hold only partly
_SEVERAL = "perhaps several objects"
_ONE_THING = 0.5  # an instance with a lower score may be several objects


def instances_of_kind(
    instances: Sequence[Instance], label: str, without: str = ""
) -> list[Instance]:
    """Return the instances with a label, ignoring case; all instances if `label` is empty.

    Instances with a label in `without` are dropped. Several labels are separated by ``|``. In the
    result, `Instance.beside` has the boxes of all `instances` that overlap the instance.
    """
    labels, others = label.lower().split("|"), without.lower().split("|") if without else []
    mine = [
        one
        for one in instances
        if (not label or one.label.lower() in labels) and one.label.lower() not in others
    ]
    return with_boxes_of_overlapping_others(mine, instances)


def start_decisions(instances: Sequence[Instance]) -> list[Decision]:
    """Return the decisions before crops are examined; an instance is accepted if its score is high.

    Other instances are undecided, because they may be misread text, noise or several objects.
    """
    return [_start_decision(one) for one in instances]


def _start_decision(one: Instance) -> Decision:
    if one.score >= (READ if one.source == "text" else _ONE_THING):
        return Decision(True, "", 1.0)
    if one.source == "text":
        return Decision(None, "perhaps misread", 0.5)
    why = "perhaps only noise" if one.source == "difference" else _SEVERAL
    return Decision(None, why, one.score)


def verify_all(
    crops: Sequence[Crop],
    decisions: Sequence[Decision],
    attributes: Sequence[AttributeName],
    *,
    wanted: bool = True,
    any_of: bool = False,
) -> list[Decision]:
    """Return the decisions after the attributes of the crops were verified.

    Args:
        crops: Crop of each candidate.
        decisions: Earlier decisions; rejected candidates stay rejected.
        attributes: Required attributes.
        wanted: False accepts the objects without the attributes.
        any_of: Whether one of the attributes is enough.
    """
    open_crops = [
        crop for crop, one in zip(crops, decisions, strict=True) if one.holds is not False
    ]
    result = []
    for one, before in zip(crops, decisions, strict=True):
        if before.holds is False:
            result.append(before)
            continue
        each = [verify_attribute(one, name, open_crops) for name in attributes]
        now = any_holds(each) if any_of else all_hold(each)
        if not wanted:
            now = now._replace(holds=None if now.holds is None else not now.holds)
        result.append(all_hold([before, now]))
    return result


def all_hold(decisions: Sequence[Decision]) -> Decision:
    """Return the decision on whether all decisions hold, with the finding that determines it."""
    no = [one for one in decisions if one.holds is False]
    if no:
        return max(no, key=lambda one: one.confidence)
    open_ones = [one for one in decisions if one.holds is None]
    if open_ones:
        return min(open_ones, key=lambda one: one.confidence)
    found = " ".join(one.found for one in decisions if one.found)
    return Decision(True, found, min((one.confidence for one in decisions), default=1.0))


def any_holds(decisions: Sequence[Decision]) -> Decision:
    """Return the decision on whether at least one decision holds, with the clearest finding."""
    holding = [one for one in decisions if one.holds]
    if holding:
        return max(holding, key=lambda one: one.confidence)
    open_ones = [one for one in decisions if one.holds is None]
    return open_ones[0] if open_ones else max(decisions, key=lambda one: one.confidence)


def decide_relation(
    instances: Sequence[Instance],
    decisions: Sequence[Decision],
    relation: RelationName,
    landmarks: Sequence[Instance],
    *,
    wanted: bool = True,
    others: Sequence[Instance] = (),
) -> list[Decision]:
    """Return the decisions after the positions of candidates and landmarks were compared.

    A candidate must have the relation to at least one landmark. Without landmarks, every candidate
    counts as ``overlapping``. ``nearest`` and ``farthest`` keep the candidate with the smallest, or
    largest, distance from its nearest landmark.

    Args:
        instances: The candidates.
        decisions: Earlier decisions; rejected candidates stay rejected.
        relation: Required relation.
        landmarks: The objects to which a candidate must have the relation.
        wanted: False keeps the candidates that have the relation to none of the landmarks.
        others: For ``between``, the objects on the other side of the candidate.
    """
    if relation in ("nearest", "farthest"):
        return _decide_by_distance(instances, decisions, landmarks, relation == "nearest")
    result = []
    for one, before in zip(instances, decisions, strict=True):
        known = [other for other in landmarks if other.bbox != one.bbox]
        if relation == "overlapping":
            there = not landmarks or any(has_relation(one, relation, other) for other in landmarks)
            partly = False
        elif relation == "between":
            pairs = product(known, (other for other in others if other.bbox != one.bbox))
            found = [is_between(one, *pair) for pair in pairs]
            there, partly = True in found, None in found and True not in found
        else:
            there = any(has_relation(one, relation, other) for other in known)
            partly = not there and any(has_relation_partly(one, relation, other) for other in known)
        clear = _DIAGONAL if partly else 0.9
        place = Decision(there is wanted, relation if there else f"not {relation}", clear)
        if partly and relation in _UNDECIDED_PARTLY:
            place = Decision(None, relation, clear)
        result.append(all_hold([before, place]))
    return result


def decide_place(
    instances: Sequence[Instance],
    decisions: Sequence[Decision],
    size: tuple[int, int],
    row: Row,
    column: Column,
    *,
    wanted: bool = True,
) -> list[Decision]:
    """Return the decisions after the candidates' positions in the picture were examined.

    Args:
        instances: The candidates.
        decisions: Earlier decisions; rejected candidates stay rejected.
        size: Height and width of the picture [px].
        row: Required row; empty for any row.
        column: Required column; empty for any column.
        wanted: False keeps the candidates outside that part of the picture.
    """
    result = []
    for one, before in zip(instances, decisions, strict=True):
        inside, clear = is_in_part(one, size, row, column)
        found = " ".join(filter(None, (row, column)))
        place = Decision(inside is wanted, found if inside else f"not {found}",
                         0.9 if clear else _DIAGONAL)  # fmt: skip
        result.append(all_hold([before, place]))
    return result


_EQUALLY_FAR = 1.1  # two distances up to this ratio count as equal


def _decide_by_distance(
    instances: Sequence[Instance],
    decisions: Sequence[Decision],
    landmarks: Sequence[Instance],
    nearest: bool,
) -> list[Decision]:
    word = "nearest" if nearest else "farthest"
    marks = {one.bbox for one in landmarks}
    far = [
        min((measure_pair(one, other).distance_px for other in landmarks), default=inf) + 1
        for one in instances
    ]
    asked = [
        distance
        for one, before, distance in zip(instances, decisions, far, strict=True)
        if before.holds is not False and one.bbox not in marks
    ]
    best = (min if nearest else max)(asked, default=inf)
    alike = [max(one, best) / min(one, best) <= _EQUALLY_FAR for one in asked if marks]
    result = []
    for one, before, distance in zip(instances, decisions, far, strict=True):
        if (
            one.bbox in marks
            or not marks
            or max(distance, best) > _EQUALLY_FAR * min(distance, best)
        ):
            now = Decision(False, f"not {word}", 0.9)
        else:
            sure = alike.count(True) == 1
            now = Decision(True if sure else None, word, 0.9 if sure else 0.5)
        result.append(all_hold([before, now]))
    return result


def has_accepted_instance(decisions: Sequence[Decision]) -> bool | None:
    """Return whether at least one object is accepted; None if undecided.

    A region that may be several objects counts, because it is at least one.
    """
    if any(one.holds or (one.holds is None and one.found == _SEVERAL) for one in decisions):
        return True
    return None if any(one.holds is None for one in decisions) else False


def is_count_within(counted: Counted, bound: Bound, number: int) -> bool | None:
    """Return whether a count satisfies a bound; None if undecided instances could change it."""
    least, most = counted.sure, counted.sure + counted.unsettled
    low, high = _RANGES[bound](number)
    if low <= least and most <= high:
        return True
    return None if least <= high and most >= low else False


def is_true_of_all(holding: Sequence[Decision], every: Sequence[Decision]) -> bool | None:
    """Return whether all instances have a property; None if undecided or without instances.

    Args:
        holding: Decisions on whether each instance has the property.
        every: Decisions on whether each instance counts at all.
    """
    mine, theirs = ([one.holds for one in some] for some in (holding, every))
    if mine.count(True) + mine.count(None) < theirs.count(True):
        return False
    if None in mine or None in theirs or not theirs.count(True):
        return None
    return mine.count(True) == theirs.count(True)
