"""Skills on crops: cut them, verify attributes, compare positions."""

from __future__ import annotations

from typing import NamedTuple

from bt_exec.skill import Running, Service, Steps, skill
from bt_exec_skills.image.bench import Bench, SetName, Step
from bt_exec_skills.image.perception.attributes import AttributeName
from bt_exec_skills.image.perception.colours import ground_colours
from bt_exec_skills.image.perception.decide import related, verify_all
from bt_exec_skills.image.perception.instances import crop as cut
from bt_exec_skills.image.perception.relations import RelationName, measure
from bt_exec_skills.image.perception.separability import DOUBTFUL
from bt_exec_skills.image.skills.worker import SET_FAILS, work

__all__ = ["Kept", "Near", "crop", "measure_places", "verify_attribute"]


class Kept(NamedTuple):
    """Remaining instances of a set.

    Attributes:
        accepted: Instances that are meant.
        rejected: Instances that are not.
        unsettled: Instances of which the picture does not tell.
    """

    accepted: int
    rejected: int
    unsettled: int


class Near(NamedTuple):
    """Remaining instances of a set, and the distance of the nearest pair.

    Attributes:
        accepted: Instances with the relation.
        distance_px: Between the middles of the nearest pair; -1 if there is none.
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
        found.crops = yield from work(lambda: cut(bench.picture, found.instances), "cropping")
    except Exception:
        found.crop_failed = True  # so the whole picture may be asked about
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
    """Look at each crop of the set `of`: keep those that have all `attributes`.

    Colours are names in CIELAB with a margin over the second; shapes are circle, square, rectangle
    and triangle and need pixels, not only a box; big and small compare the candidates with each
    other. What the picture does not settle stays in the set as unsettled. Sets are not verified
    before they are cropped.

    On a ground that has one of the `attributes`, objects of that colour are not seen for sure.

    Args:
        bench: The picture and its sets.
        of: The set.
        attributes: What a thing has, all of them.
        wanted: False keeps those that do not have them: an exclusion.
        any_of: True keeps those that have one of them at least.
    """
    found, crops = bench.cut(of)
    found.decisions = yield from work(
        lambda: verify_all(crops, found.decisions, attributes, wanted=wanted, any_of=any_of),
        "verifying",
    )
    found.looked = True
    by_colour = all("colour" in one.source for one in found.instances)
    if wanted and by_colour and ground_colours(bench.picture) & set(attributes):
        found.whole = min(found.whole, DOUBTFUL)
    args = {"of": of, "attributes": list(attributes), "wanted": wanted, "any_of": any_of}
    bench.steps.append(Step("verify_attribute", args))
    holds = [one.holds for one in found.decisions]
    return Kept(holds.count(True), holds.count(False), holds.count(None))


@skill(fails=SET_FAILS, needs={"crops.{of}": "cut", "crops.{to}": "cut"})
def measure_places(
    bench: Service[Bench],
    of: SetName,
    relation: RelationName,
    to: SetName,
    wanted: bool = True,
) -> Steps[Near]:
    """Keep the instances of the set `of` that lie so to one of the set `to`.

    left_of, right_of, above and below compare the middles of the boxes; inside means nine tenths
    of the box; on means standing in it or on its upper edge. `wanted` False keeps those that lie
    so to none of them.
    """
    yield Running(None, "measuring")
    found, _ = bench.cut(of)
    landmarks = bench.candidates(to).accepted()
    found.decisions = related(found.instances, found.decisions, relation, landmarks, wanted=wanted)
    args = {"of": of, "relation": relation, "to": to, "wanted": wanted}
    bench.steps.append(Step("measure_places", args))
    kept = found.accepted()
    near = [measure(a, b).distance_px for a in kept for b in landmarks if a.bbox != b.bbox]
    return Near(len(kept), round(min(near, default=-1.0), 1))
