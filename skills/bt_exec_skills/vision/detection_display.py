"""Annotation of a picture file, of a robot's camera image, or of a recorded mission's frames."""

from __future__ import annotations

import colorsys
import zlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import cv2
import numpy as np

from bt_exec.events import Observed
from bt_exec.failure import UsageError
from bt_exec.journal import Journal
from bt_exec.mission.rig_construction import make_rig
from bt_exec.rig import PackSettings
from bt_exec.robot import Observation
from bt_exec.site.site import Site, load_site
from bt_exec_skills.perception.pictures_and_boxes import Frame
from bt_exec_skills.vision.evaluate import WORKING_SCORE
from bt_exec_skills.vision.picture_files_and_training_folder import read_image, save_picture
from bt_exec_skills.vision.text_drawing import draw_text, text_size
from bt_exec_skills.vision.two_stage_network_loading import load_network

__all__ = ["Tag", "draw_detections", "show_image", "show_mission", "show_world"]


def show_image(image: Path, weights: Path, out: Path) -> dict[str, Any]:
    """Annotate the picture in a file with a network's detections; return the detections as data.

    Raises:
        UsageError: If the picture cannot be read, or the output file is the input file.
    """
    frame = read_image(image)
    if out.exists() and out.samefile(image):
        raise UsageError(f"{out} is the picture itself; name another file with --out")
    found = load_network(weights).find(frame, WORKING_SCORE)
    tags = [Tag(one.xyxy, f"{one.label} {one.score:.2f}", one.label) for one in found]
    save_picture(out, draw_detections(frame, tags, [f"{image.name}: {len(found)} found"]))
    return {
        "picture": str(out),
        "detections": [
            {"type": one.label, "bbox": [round(side) for side in one.xyxy], "score": one.score}
            for one in found
        ],
    }


def show_world(
    site: str, world: Mapping[str, str], weights: Path | None, out: Path
) -> dict[str, Any]:
    """Annotate the first picture of a site's robot; the first robot with perception is used.

    Args:
        site: Name or file of the site.
        world: The ``--world`` pairs.
        weights: Weights to use instead of the site's, with the same mapping of classes; None for
            the site's weights.
        out: File of the annotated picture.

    Raises:
        UsageError: If no robot of the site has perception.
    """
    loaded = load_site(site)
    for pack, settings in loaded.packs.items():
        if weights is not None:
            own = getattr(settings, "detector", None)
            with_weights = {**(own if isinstance(own, Mapping) else {}), "weights": str(weights)}
            settings = settings.model_copy(update={"detector": with_weights})
        scene = _look(loaded, pack, settings, world)
        if scene is not None:
            save_picture(out, scene_picture(scene))
            return {"picture": str(out), **scene.record()}
    raise UsageError(f"no robot of site {loaded.name} has perception")


def _look(site: Site, name: str, settings: PackSettings, world: Mapping[str, str]) -> Any:
    pack = next(pack for pack in site.catalogue.packs if pack.name == name)
    rig = make_rig(pack, settings, world)
    try:
        if rig.perception is None:
            return None
        return rig.perception.interpret(rig.perception.capture())
    finally:
        rig.stop_and_close()


def show_mission(
    which: str, journal: Path | None, frames: Path | None, folder: Path
) -> dict[str, Any]:
    """Annotate the frames of a mission on record.

    Args:
        which: Number or name of the mission.
        journal: Journal with the record; None for the user's journal.
        frames: Folder that ``run --save-frames`` wrote; None for the frames in the journal.
        folder: Target folder for the annotated pictures.

    Raises:
        UsageError: If there are no frames, or they belong to another mission.
    """
    record = Journal.open(journal).mission(which)
    scenes = [look.observation for look in record.observations if isinstance(look, Observed)]
    pairs = [(scene, scene.frame) for scene in scenes]
    if frames is not None:
        if not frames.is_dir():
            raise UsageError(f"folder {frames} not found; give the folder of --save-frames DIR")
        shown = [scene for scene in scenes if scene.record().get("fault") != "missing"]
        files = sorted(frames.glob("*.png"))
        if len(files) != len(shown):
            raise UsageError(
                f"{frames} contains {len(files)} frames, but the mission had {len(shown)}: "
                "they belong to another mission"
            )
        pairs = [(scene, read_image(file)) for scene, file in zip(shown, files, strict=True)]
    count = 0
    for scene, frame in pairs:
        if frame is not None:
            count += 1
            save_picture(folder / f"{count:06d}.png", scene_picture(scene, frame))
    if not count:
        raise UsageError(
            f"the record of mission {which} contains no frames; run with --save-frames DIR, then "
            "show with --frames DIR"
        )
    return {"mission": record.id, "pictures": count, "folder": str(folder)}


def scene_picture(scene: Observation, frame: Any = None) -> Any:
    """Return an observation's frame, annotated with its detections, description and evidence."""
    frame, data = scene.frame if frame is None else frame, scene.record()
    if frame is None:
        raise UsageError("no picture to show: " + scene.describe("en"))
    tags = [
        Tag(found["bbox"], _box_text(found), found["type"]) for found in data.get("detections", ())
    ]
    lines = [f"t {scene.t:.2f} s | {scene.describe('en')}"]
    evidence = [
        word
        for part in data.values()
        if isinstance(part, Mapping)
        for word in part.get("evidence", ())
    ]
    return draw_detections(frame, tags, [*lines, *([" ".join(evidence)] if evidence else [])])


def _box_text(found: Mapping[str, Any]) -> str:
    """Return the text on a box: class, score and reason for doubt."""
    doubt = f" {found['doubt']}" if found.get("doubt") else ""
    return f"{found['type']} {found['score']:.2f}{doubt}"


_LEAST_SIDE = 640  # smaller pictures are enlarged, so that the text is readable [px]
_SIZE, _LINE, _MARGIN = 14, 18, 6


class Tag(NamedTuple):
    """Box to draw, with its text and a kind that determines the colour."""

    bbox: Sequence[float]
    text: str
    kind: str


def draw_detections(frame: Frame, tags: Iterable[Tag], lines: Sequence[str] = ()) -> Frame:
    """Return a copy of the picture with boxes drawn on it and lines of text below it."""
    longest = max(frame.shape[:2])
    times = max(1, -(-_LEAST_SIDE // longest))
    size = frame.shape[1] * times, frame.shape[0] * times
    canvas = np.asarray(cv2.resize(frame, size, interpolation=cv2.INTER_NEAREST), np.uint8)
    big = max(1, longest // (2 * _LEAST_SIDE))  # factor on line width and letter size
    for tag in tags:
        _draw(canvas, tag, times, big)
    if not lines:
        return canvas
    widest = max(text_size(line, _SIZE * big)[0] for line in lines) + 2 * _MARGIN * big
    wide = max(widest, canvas.shape[1])
    canvas = np.pad(canvas, ((0, 0), (0, wide - canvas.shape[1]), (0, 0)), constant_values=24)
    foot = np.full((big * (_LINE * len(lines) + _MARGIN), wide, 3), 24, np.uint8)
    for number, line in enumerate(lines):
        place = _MARGIN * big, big * (_LINE * (number + 1) - 3)
        draw_text(foot, line, place, _SIZE * big, (235, 235, 235))
    return np.vstack([canvas, foot])


def _draw(canvas: Frame, tag: Tag, times: int, big: int) -> None:
    x1, y1, x2, y2 = (round(side * times) for side in tag.bbox)
    hue = zlib.crc32(tag.kind.encode()) % 360 / 360
    red, green, blue = (round(255 * part) for part in colorsys.hsv_to_rgb(hue, 0.75, 1.0))
    cv2.rectangle(canvas, (x1, y1), (x2 - 1, y2 - 1), (red, green, blue), 2 * big)
    wide, _ = text_size(tag.text, _SIZE * big)
    left = min(x1, max(0, canvas.shape[1] - wide - 4 * big))
    top = y1 - _LINE * big if y1 > _LINE * big else y1
    corner = left + wide + 4 * big, top + _LINE * big
    cv2.rectangle(canvas, (left, top), corner, (red, green, blue), -1)
    draw_text(canvas, tag.text, (left + 2 * big, top + 14 * big), _SIZE * big, (0, 0, 0))
