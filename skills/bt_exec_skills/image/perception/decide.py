"""Decisions about all instances of a question: several attributes, exclusions, relations."""

from __future__ import annotations

from collections.abc import Sequence

from bt_exec_skills.image.perception.attributes import AttributeName, verify_attribute
from bt_exec_skills.image.perception.instances import Crop, Decision, Instance, among
from bt_exec_skills.image.perception.relations import RelationName, holds
from bt_exec_skills.image.perception.text import READ

__all__ = ["all_hold", "of_kind", "related", "start_decisions", "verify_all"]

_ONE_THING = 0.5  # a score below it: perhaps not one thing


def of_kind(instances: Sequence[Instance], label: str) -> list[Instance]:
    """Return the instances with a label, by its letters without case; all if it is empty.

    Each knows the boxes of the others that overlap it.
    """
    mine = [one for one in instances if not label or one.label.lower() == label.lower()]
    return among(mine, instances)


def start_decisions(instances: Sequence[Instance]) -> list[Decision]:
    """Return the decisions before any crop is looked at: what is one thing is accepted."""
    return [_start(one) for one in instances]


def _start(one: Instance) -> Decision:
    if one.score >= (READ if one.source == "text" else _ONE_THING):
        return Decision(True, "", 1.0)
    if one.source == "text":
        return Decision(None, "perhaps not so written", 0.5)
    why = "perhaps only noise" if one.source == "difference" else "perhaps not one thing"
    return Decision(None, why, one.score)


def verify_all(
    crops: Sequence[Crop],
    decisions: Sequence[Decision],
    attributes: Sequence[AttributeName],
    *,
    wanted: bool = True,
) -> list[Decision]:
    """Return the decisions after the crops were looked at.

    Args:
        crops: What the picture shows of each candidate.
        decisions: What was decided before; what was rejected stays so.
        attributes: A thing has them all.
        wanted: Whether those are meant that have them; those that do not if False.
    """
    open_crops = [
        crop for crop, one in zip(crops, decisions, strict=True) if one.holds is not False
    ]
    result = []
    for one, before in zip(crops, decisions, strict=True):
        if before.holds is False:
            result.append(before)
            continue
        now = all_hold([verify_attribute(one, name, open_crops) for name in attributes])
        if not wanted:
            now = now._replace(holds=None if now.holds is None else not now.holds)
        result.append(all_hold([before, now]))
    return result


def all_hold(decisions: Sequence[Decision]) -> Decision:
    """Return whether all hold; what settles it says why, and how clearly."""
    no = [one for one in decisions if one.holds is False]
    if no:
        return max(no, key=lambda one: one.confidence)
    open_ones = [one for one in decisions if one.holds is None]
    if open_ones:
        return min(open_ones, key=lambda one: one.confidence)
    found = " ".join(one.found for one in decisions if one.found)
    return Decision(True, found, min((one.confidence for one in decisions), default=1.0))


def related(
    instances: Sequence[Instance],
    decisions: Sequence[Decision],
    relation: RelationName,
    landmarks: Sequence[Instance],
) -> list[Decision]:
    """Return the decisions after places were compared: one landmark with the relation is enough."""
    result = []
    for one, before in zip(instances, decisions, strict=True):
        others = [other for other in landmarks if other.bbox != one.bbox]
        there = any(holds(one, relation, other) for other in others)
        place = Decision(there, relation if there else f"not {relation}", 0.9)
        result.append(all_hold([before, place]))
    return result
