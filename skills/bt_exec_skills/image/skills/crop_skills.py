"""Skills that crop instances, verify their attributes and compare their positions."""

from __future__ import annotations

from typing import NamedTuple

from bt_exec.skill import Running, Service, Steps, skill
from bt_exec_skills.image.perception.attributes import AttributeName
from bt_exec_skills.image.perception.colour_region_confidence import DOUBTFUL
from bt_exec_skills.image.perception.colours import ground_colours
from bt_exec_skills.image.perception.instance_decisions import (
    decide_place,
    decide_relation,
    verify_all,
)
from bt_exec_skills.image.perception.instances import crop as cut
from bt_exec_skills.image.perception.relations import Column, RelationName, Row, measure_pair
from bt_exec_skills.image.skills.worker_thread import SET_FAILS, run_on_worker
from bt_exec_skills.image.workbench import Bench, Candidates, SetName, Step

__all__ = ["Kept", "Near", "check_part", "crop", "measure_places", "verify_attribute"]


class Kept(NamedTuple):
    """Remaining instances of a set.

    Attributes:
        accepted: Number of accepted instances.
        rejected: Number of rejected instances.
        unsettled: Number of undecided instances.
    """

    accepted: int
    rejected: int
    unsettled: int


class Near(NamedTuple):
    """Remaining instances of a set, and the distance of the nearest pair.

    Attributes:
        accepted: Number of instances with the relation.
        distance_px: Distance between the centres of the nearest pair [px]; -1 without a pair.
    """

    accepted: int
    distance_px: float


@skill(
    fails={*SET_FAILS, "UNREADABLE"}, needs={"boxes.{of}": "known"}, effects={"crops.{of}": "cut"}
)
def crop(bench: Service[Bench], of: SetName) -> Steps:
    """Cut every instance of the set `of` out of the picture, at its full size."""
    found = bench.candidates(of)
    try:
        found.crops = yield from run_on_worker(
            lambda: cut(bench.picture_named(found.picture), found.instances), "cropping"
        )
    except Exception:
        found.crop_failed = True  # allows questions about the whole picture
        raise
    bench.steps.append(Step("crop", {"of": of}))


@skill(
    fails={*SET_FAILS, "UNREADABLE"}, needs={"crops.{of}": "cut"}, effects={"looked.{of}": "yes"}
)
def verify_attribute(
    bench: Service[Bench],
    of: SetName,
    attributes: list[AttributeName],
    wanted: bool = True,
    any_of: bool = False,
) -> Steps[Kept]:
    """Examine each crop of the set `of` and keep those with all `attributes`.

    A colour is the nearest name in CIELAB, with a margin over the second. Shapes are circle,
    square, rectangle and triangle, and require a mask. Big and small compare the candidates with
    each other. Undecided instances stay in the set. A set must be cropped before it is verified.

    If the background has one of the `attributes` as its colour, objects of that colour cannot be
    detected with certainty.

    Args:
        bench: The picture and its sets.
        of: The set.
        attributes: Required attributes.
        wanted: False keeps the objects without the attributes.
        any_of: True keeps the objects with at least one of the attributes.
    """
    found, crops = bench.candidates_with_crops(of)
    found.decisions = yield from run_on_worker(
        lambda: verify_all(crops, found.decisions, attributes, wanted=wanted, any_of=any_of),
        "verifying",
    )
    found.looked = True
    by_colour = all("colour" in one.source for one in found.instances)
    picture = bench.picture_named(found.picture)
    if wanted and by_colour and ground_colours(picture) & set(attributes):
        found.whole = min(found.whole, DOUBTFUL)
    args = {"of": of, "attributes": list(attributes), "wanted": wanted, "any_of": any_of}
    bench.steps.append(Step("verify_attribute", args))
    return _decision_counts(found)


def _decision_counts(found: Candidates) -> Kept:
    holds = [one.holds for one in found.decisions]
    return Kept(holds.count(True), holds.count(False), holds.count(None))


@skill(fails=SET_FAILS, needs={"crops.{of}": "cut"})
def check_part(
    bench: Service[Bench], of: SetName, row: Row = "", column: Column = "", wanted: bool = True
) -> Steps[Kept]:
    """Keep the instances of the set `of` whose centre is in a part of the picture.

    Args:
        bench: The picture and its sets.
        of: The set.
        row: top, middle (the middle third) or bottom; empty for any row.
        column: left, centre (the middle third) or right; empty for any column.
        wanted: False keeps the instances elsewhere.
    """
    yield Running(None, "measuring")
    found, _ = bench.candidates_with_crops(of)
    height, width = bench.picture_named(found.picture).shape[:2]
    found.decisions = decide_place(
        found.instances, found.decisions, (height, width), row, column, wanted=wanted
    )
    args = {"of": of, "row": row, "column": column, "wanted": wanted}
    bench.steps.append(Step("check_part", args))
    return _decision_counts(found)


@skill(fails=SET_FAILS, needs={"crops.{of}": "cut", "crops.{to}": "cut"})
def measure_places(
    bench: Service[Bench],
    of: SetName,
    relation: RelationName,
    to: SetName,
    wanted: bool = True,
    other: SetName | None = None,
) -> Steps[Near]:
    """Keep the instances of the set `of` that have a relation to an instance of the set `to`.

    `left_of`, `right_of`, `above` and `below` compare the centres of the boxes. `inside` requires
    nine tenths of the box to be in the other box, `overlapping` more than one tenth. `around`
    requires the box to fill half of the other box. `on` requires the lower edge to be in the other
    box or on its upper edge; `carrying` is the converse. `beside` requires a gap of at most half of
    the mean side. `between` needs a second set, `other`. `nearest` and `farthest` keep one
    instance, by the distance of the centres. `changed` and `missing` compare with the regions in
    which a second picture differs; `missing` uses only regions with an object in the first picture
    alone. With `wanted` False, the instances that have the relation to no instance of `to` are
    kept.
    """
    yield Running(None, "measuring")
    found, _ = bench.candidates_with_crops(of)
    landmarks = bench.candidates(to).accepted_instances()
    others = bench.candidates(other).accepted_instances() if other is not None else []
    found.decisions = decide_relation(
        found.instances, found.decisions, relation, landmarks, wanted=wanted, others=others
    )
    args = {"of": of, "relation": relation, "to": to, "wanted": wanted, "other": other}
    bench.steps.append(Step("measure_places", args))
    kept = found.accepted_instances()
    near = [measure_pair(a, b).distance_px for a in kept for b in landmarks if a.bbox != b.bbox]
    return Near(len(kept), round(min(near, default=-1.0), 1))
