"""Display of detections in a picture file, of a robot of a site, or of a recorded mission."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bt_exec.events import Observed
from bt_exec.failure import UsageError
from bt_exec.journal import Journal
from bt_exec.mission.rigs import make_rig
from bt_exec.rig import PackSettings
from bt_exec.robot import Observation
from bt_exec.site.site import Site, load_site
from bt_exec_skills.vision.draw import Tag, annotate
from bt_exec_skills.vision.evaluate import WORKING_SCORE
from bt_exec_skills.vision.files import read_image, save_picture
from bt_exec_skills.vision.weights import load

__all__ = ["show_image", "show_mission", "show_world"]


def show_image(image: Path, weights: Path, out: Path) -> dict[str, Any]:
    """Annotate the picture in a file with the detections of a network; return them as data.

    Raises:
        UsageError: If it cannot be read, or the output file is the input file.
    """
    frame = read_image(image)
    if out.exists() and out.samefile(image):
        raise UsageError(f"{out} is the picture itself; name another file with --out")
    found = load(weights).find(frame, WORKING_SCORE)
    tags = [Tag(one.xyxy, f"{one.label} {one.score:.2f}", one.label) for one in found]
    save_picture(out, annotate(frame, tags, [f"{image.name}: {len(found)} found"]))
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
    """Annotate the first picture of the first robot of a site that has perception.

    Args:
        site: Name or file.
        world: The ``--world`` pairs.
        weights: Replacement for the site's weights, with the site's meanings of classes; or None.
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
        rig.shut()


def show_mission(
    which: str, journal: Path | None, frames: Path | None, folder: Path
) -> dict[str, Any]:
    """Annotate the frames of a mission on record.

    Args:
        which: Number or name of the mission.
        journal: Journal with the record; None for the user's journal.
        frames: Folder of ``run --save-frames``; None uses the frames of the record.
        folder: Target folder of the pictures.

    Raises:
        UsageError: If there are no frames, or they are not those of this mission.
    """
    record = Journal.open(journal).mission(which)
    scenes = [look.observation for look in record.looks if isinstance(look, Observed)]
    pairs = [(scene, scene.frame) for scene in scenes]
    if frames is not None:
        if not frames.is_dir():
            raise UsageError(f"folder {frames} not found; give the folder of --save-frames DIR")
        shown = [scene for scene in scenes if scene.record().get("fault") != "missing"]
        files = sorted(frames.glob("*.png"))
        if len(files) != len(shown):
            raise UsageError(
                f"{frames} holds {len(files)} frames, the mission had {len(shown)}: "
                "they are not of this mission"
            )
        pairs = [(scene, read_image(file)) for scene, file in zip(shown, files, strict=True)]
    count = 0
    for scene, frame in pairs:
        if frame is not None:
            count += 1
            save_picture(folder / f"{count:06d}.png", scene_picture(scene, frame))
    if not count:
        raise UsageError(
            f"the record of mission {which} holds no frames; run with --save-frames DIR, then "
            "show with --frames DIR"
        )
    return {"mission": record.id, "pictures": count, "folder": str(folder)}


def scene_picture(scene: Observation, frame: Any = None) -> Any:
    """Return the frame of a scene with its detections, summary line and evidence."""
    frame, data = scene.frame if frame is None else frame, scene.record()
    if frame is None:
        raise UsageError("no picture to show: " + scene.describe("en"))
    tags = [
        Tag(found["bbox"], _words_of(found), found["type"]) for found in data.get("detections", ())
    ]
    lines = [f"t {scene.t:.2f} s | {scene.describe('en')}"]
    evidence = [
        word
        for part in data.values()
        if isinstance(part, Mapping)
        for word in part.get("evidence", ())
    ]
    return annotate(frame, tags, [*lines, *([" ".join(evidence)] if evidence else [])])


def _words_of(found: Mapping[str, Any]) -> str:
    """Return the text on a box: class, score and reason of doubt."""
    doubt = f" {found['doubt']}" if found.get("doubt") else ""
    return f"{found['type']} {found['score']:.2f}{doubt}"
