"""Skills that find instances with an annotation, a detector, or colours."""

from __future__ import annotations

from typing import Literal, NamedTuple

from bt_exec.failure import Failed
from bt_exec.skill import Service, Steps, skill
from bt_exec_skills.image.perception.bar_chart import bars_among
from bt_exec_skills.image.perception.colour_region_confidence import DOUBTFUL, region_confidence
from bt_exec_skills.image.perception.colour_segmentation import segment_colour as segments
from bt_exec_skills.image.perception.colour_segmentation import separate_touching as separated
from bt_exec_skills.image.perception.colours import ColourName
from bt_exec_skills.image.perception.instance_decisions import instances_of_kind, start_decisions
from bt_exec_skills.image.perception.instances import Instance
from bt_exec_skills.image.skills.worker_thread import SET_FAILS, run_on_worker
from bt_exec_skills.image.workbench import (
    Bench,
    Candidates,
    PictureName,
    SetName,
    Step,
    with_picture,
)

__all__ = ["Found", "detect", "read_annotation", "segment_colour", "separate_touching"]

_BARS_SURE = 0.85  # confidence that several boxes on one line are the bars of a chart


class Found(NamedTuple):
    """Result of a search for instances.

    Attributes:
        found: Number of instances in the set.
    """

    found: int


def _store_instances(
    bench: Bench, name: str, instances: list[Instance], picture: PictureName = "first"
) -> Found:
    bench.sets[name] = Candidates(instances, start_decisions(instances), picture=picture)
    return Found(len(instances))


def _store_regions(
    bench: Bench, name: str, instances: list[Instance], picture: PictureName
) -> Steps[Found]:
    """Put colour regions into a set, and set the confidence that the regions are the objects."""
    put = _store_instances(bench, name, instances, picture)
    if not bench.again:
        whole = yield from run_on_worker(
            lambda: region_confidence(bench.picture_named(picture), instances), "separating"
        )
        bench.sets[name].whole = whole
    return put


@skill(
    fails={"ANNOTATION_NEEDED", "NOT_ANNOTATED", "NO_PICTURE", "UNREADABLE"},
    effects={"boxes.{into}": "known", "crops.{into}": "none", "looked.{into}": "?"},
)
def read_annotation(
    bench: Service[Bench],
    into: SetName,
    label: str = "",
    without: str = "",
    picture: PictureName = "first",
) -> Steps[Found]:
    """Put the annotated instances of `label` into the set `into`; all if `label` is empty.

    Instances with a label in `without` are dropped. Several labels are separated by ``|``.

    The annotation is COCO JSON, YOLO text or the results of ultralytics. It is the file that the
    user gave, or the one with the name of the picture; for the second picture, only the latter. If
    the annotation has no class `label`, the skill fails, because such objects were not annotated.
    """
    if label and bench.annotation_file is None and picture == "first":
        message = "there is no annotation"
        raise Failed("ANNOTATION_NEEDED", message, retryable=False, thing=label)
    known = yield from run_on_worker(lambda: bench.annotation_named(picture), "reading")
    if label and not {*label.lower().split("|")} <= {name.lower() for name in known.names}:
        raise Failed(
            "NOT_ANNOTATED",
            f"the annotation has no {label!r}",
            retryable=False,
            thing=label,
            known=", ".join(known.names) or "nothing",
        )
    args = {"label": label, "without": without, "into": into}
    bench.steps.append(Step("read_annotation", with_picture(args, picture)))
    kept = instances_of_kind(known.instances, label, without)
    return _store_instances(bench, into, kept, picture)


@skill(
    fails={"NO_DETECTOR", "NO_PICTURE", "UNREADABLE"},
    effects={"boxes.{into}": "known", "crops.{into}": "none", "looked.{into}": "?"},
)
def detect(
    bench: Service[Bench], into: SetName, label: str = "", picture: PictureName = "first"
) -> Steps[Found]:
    """Put the detected instances of `label` into the set `into`; all if `label` is empty.

    The detector is the shipped network for tabletop objects, or another one that the site names.
    The confidence of the answer is at most the confidence that no instance was missed.
    """
    instances, whole = yield from run_on_worker(
        lambda: bench.detections_of(label, picture), "detecting"
    )
    bench.steps.append(Step("detect", with_picture({"label": label, "into": into}, picture)))
    put = _store_instances(bench, into, instances, picture)
    bench.sets[into].whole = whole
    return put


@skill(
    fails={"NO_PICTURE", "UNREADABLE"},
    effects={"boxes.{into}": "known", "crops.{into}": "none", "looked.{into}": "?"},
)
def segment_colour(
    bench: Service[Bench],
    into: SetName,
    colour: ColourName | Literal["any"] = "any",
    form: Literal["any", "bar"] = "any",
    picture: PictureName = "first",
) -> Steps[Found]:
    """Put the regions of a named colour, or of every colour (``any``), into the set `into`.

    A region is connected and has one colour name in CIELAB. Regions that touch three sides of the
    picture are background; these and specks below 0.03 % of the picture are dropped. Touching
    objects of one colour are one region, so `separate_touching` should follow. With `form` bar,
    only the bars of a chart are kept: filled boxes on one line.
    """
    name = None if colour == "any" else colour
    found = yield from run_on_worker(
        lambda: segments(bench.picture_named(picture), name), "segmenting"
    )
    args: dict[str, str | None] = {"colour": name, "into": into}
    if form == "bar":
        found, args["form"] = bars_among(found), form
    bench.steps.append(Step("segment_colour", with_picture(args, picture)))
    put = _store_instances(bench, into, found, picture)
    if form == "bar":
        bench.sets[into].whole = _BARS_SURE if len(found) > 1 else DOUBTFUL
    return put


@skill(
    fails={*SET_FAILS, "UNREADABLE"},
    needs={"boxes.{of}": "known"},
    effects={"crops.{of}": "none", "looked.{of}": "?"},
)
def separate_touching(bench: Service[Bench], of: SetName) -> Steps[Found]:
    """Cut the regions of the set `of` that are several touching objects, by watershed.

    A region is cut where it is a fifth narrower than on either side. Convex regions and instances
    without a mask are not cut.
    """
    before = bench.candidates(of)
    found = yield from run_on_worker(lambda: separated(before.instances), "separating")
    bench.steps.append(Step("separate_touching", {"of": of}))
    if not all("colour" in one.source for one in found):
        return _store_instances(bench, of, found, before.picture)
    return (yield from _store_regions(bench, of, found, before.picture))
