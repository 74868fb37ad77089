"""Skills that compare two pictures, or the objects of two sets."""

from __future__ import annotations

from typing import NamedTuple

from bt_exec.skill import Running, Service, Steps, skill
from bt_exec_skills.image.perception.graded_attributes import (
    DegreeName,
    compare_with_others,
    sorted_places,
)
from bt_exec_skills.image.perception.instance_decisions import start_decisions
from bt_exec_skills.image.perception.picture_comparison import Aspect, all_alike, differences
from bt_exec_skills.image.skills.worker_thread import SET_FAILS, run_on_worker
from bt_exec_skills.image.workbench import (
    Bench,
    Candidates,
    PictureName,
    SetName,
    Step,
    with_picture,
)

__all__ = [
    "Alike", "Differ", "Exceeding", "compare_degrees", "compare_pictures", "compare_things", "sort",
]  # fmt: skip


class Differ(NamedTuple):
    """Differences of two pictures.

    Attributes:
        regions: Number of differing regions, perhaps including noise.
        sure: Number of regions that are certainly not noise.
    """

    regions: int
    sure: int


class Exceeding(NamedTuple):
    """Result of comparing objects by degree.

    Attributes:
        accepted: Number of remaining instances.
        unsettled: Number of undecided instances.
    """

    accepted: int
    unsettled: int


class Alike(NamedTuple):
    """Result of comparing objects for equality.

    Attributes:
        holds: Whether the objects are alike: ``yes``, ``no`` or ``unclear``.
        confidence: Confidence of the result, 0..1.
    """

    holds: str
    confidence: float


@skill(
    fails={*SET_FAILS, "SECOND_NEEDED", "UNREADABLE"},
    needs={"second": "given"},
    effects={"boxes.{into}": "known", "crops.{into}": "none"},
)
def compare_pictures(
    bench: Service[Bench], into: SetName, picture: PictureName = "first"
) -> Steps[Differ]:
    """Put the regions in which one picture differs from the other one into a set.

    In these regions, the colour distance in CIELAB is larger than that of noise. The other picture
    is scaled to `picture`; it is not rotated or shifted.
    """
    other: PictureName = "second" if picture == "first" else "first"
    found = yield from run_on_worker(
        lambda: differences(bench.picture_named(picture), bench.picture_named(other)), "comparing"
    )
    bench.steps.append(Step("compare_pictures", with_picture({"into": into}, picture)))
    bench.sets[into] = kept = Candidates(found, start_decisions(found), picture=picture)
    return Differ(len(found), len(kept.accepted_instances()))


@skill(fails=SET_FAILS, needs={"crops.{of}": "cut", "crops.{to}": "cut"})
def compare_things(bench: Service[Bench], of: SetName, to: SetName, by: Aspect) -> Steps[Alike]:
    """Check whether all crops of set `of` are like those of set `to` in colour, shape or size.

    If both are the same set, check whether all of its instances are alike.
    """
    yield Running(None, "comparing")
    (mine, crops), (theirs, others) = (
        bench.candidates_with_crops(of),
        bench.candidates_with_crops(to),
    )
    ours = [crop for crop, yes in zip(crops, mine.decisions, strict=True) if yes.holds]
    rest = [crop for crop, yes in zip(others, theirs.decisions, strict=True) if yes.holds]
    bench.compared = all_alike(ours, rest if of != to else None, by)
    bench.steps.append(Step("compare_things", {"of": of, "to": to, "by": by}))
    if bench.compared is None:
        return Alike("unclear", 0.0)
    word = {True: "yes", False: "no", None: "unclear"}[bench.compared.holds]
    return Alike(word, bench.compared.confidence)


@skill(fails=SET_FAILS, needs={"crops.{of}": "cut", "crops.{to}": "cut"})
def compare_degrees(
    bench: Service[Bench],
    of: SetName,
    attribute: DegreeName,
    to: SetName,
    wanted: bool = True,
    rank: int = 1,
) -> Steps[Exceeding]:
    """Keep the instances of the set `of` that exceed every instance of the set `to`.

    Compares sizes, heights, lengths, the lightness or the sharpness of crops, or how far their
    centres are to a side (left_of, right_of, above, below). Within a margin, the result is
    undecided. If `of` and `to` are the same set, it keeps the instance with the highest degree,
    such as the biggest, darkest or leftmost, or the one in the middle of a row (middle).

    Args:
        bench: The picture and its sets.
        of: Set to filter.
        attribute: Attribute by which instances must exceed those of `to`.
        to: Set to exceed.
        wanted: Whether to keep the instances that exceed all of `to`; False keeps the rest.
        rank: If both sets are the same, the place in the order, such as 2 for the second biggest.
    """
    yield Running(None, "comparing")
    (mine, crops), (theirs, others) = (
        bench.candidates_with_crops(of),
        bench.candidates_with_crops(to),
    )
    rivals = [crop for crop, yes in zip(others, theirs.decisions, strict=True) if yes.holds]
    place = rank if of == to else None
    mine.decisions = compare_with_others(
        crops, mine.decisions, attribute, rivals, wanted=wanted, rank=place
    )
    args = {"of": of, "attribute": attribute, "to": to, "wanted": wanted, "rank": place}
    bench.steps.append(Step("compare_degrees", args))
    holds = [one.holds for one in mine.decisions]
    return Exceeding(holds.count(True), holds.count(None))


@skill(fails=SET_FAILS, needs={"crops.{of}": "cut"})
def sort(bench: Service[Bench], of: SetName, by: DegreeName) -> Steps:
    """Sort the instances of a set for an answer that lists them.

    Args:
        bench: The picture and its sets.
        of: The set.
        by: Side or attribute to sort by, such as left_of for "from left to right".
    """
    yield Running(None, "comparing")
    found, crops = bench.candidates_with_crops(of)
    places = sorted_places(crops, by)
    found.instances = [found.instances[place] for place in places]
    found.decisions = [found.decisions[place] for place in places]
    found.crops = [crops[place] for place in places]
    bench.steps.append(Step("sort", {"of": of, "by": by}))
