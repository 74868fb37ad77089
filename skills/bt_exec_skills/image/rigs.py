"""Rig of the pack: no robot, but a bench with the picture, a detector and vision models."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from bt_exec.failure import UsageError
from bt_exec.files import expand_home
from bt_exec.models import Writer, find_writer
from bt_exec.rig import Rig
from bt_exec_skills.image.models.contracts import (
    ANY_NAME,
    DETECTORS,
    PromptedDetector,
    make_registered_model,
)
from bt_exec_skills.image.perception.overlay import output_path
from bt_exec_skills.image.perception.vision_model_queries import make_looker
from bt_exec_skills.image.settings import ImageSettings, PictureStart
from bt_exec_skills.image.workbench import Bench
from bt_exec_skills.things.detector_factory import FAINT, make_detector
from bt_exec_skills.vision.detector import NetworkDetector

__all__ = ["make_rig"]


def make_rig(settings: ImageSettings, start: PictureStart) -> Rig:
    """Return the rig; files are read at once, so that bad ones are refused before a mission.

    Raises:
        UsageError: If the picture, the annotation or the weights cannot be read, the annotated
            picture has no valid extension, or the site has no model for a requested program.
    """
    detector, prompted = _make_detector(settings), _make_prompted_detector(settings)
    names = detector.names if detector is not None else ()
    bench = Bench(
        _optional_path(start.image),
        _optional_path(start.annotation),
        detector,
        (ANY_NAME,) if prompted is not None else names,
        output_path(start.out) if start.out else None,
        _optional_path(start.program),
        _optional_path(settings.reader),
        _optional_path(start.second),
        least_score=settings.least_score,
        only_by_name=settings.detector == "learned" or prompted is not None,
        prompted=prompted,
    )
    if start.program_by == "model":
        bench.writer = _make_writer(settings)
    if bench.file is not None:
        _ = bench.picture
        if start.second:
            _ = bench.second_picture
        if start.annotation:
            _ = bench.annotation
    looker = make_looker(settings.vqa, settings.judge)
    frame = (lambda: bench.picture) if bench.file is not None else None
    return Rig(facts=bench.facts, frame=frame, services={"bench": bench, "looker": looker})


def _make_prompted_detector(settings: ImageSettings) -> PromptedDetector | None:
    """Return the site's detector with text prompts, or None if the site uses another detector.

    Raises:
        UsageError: If the detector cannot be imported or refuses its settings.
        UnknownName: If no installed package registers the detector.
    """
    if not isinstance(settings.detector, dict):
        return None
    return cast(PromptedDetector, make_registered_model(DETECTORS, "detector", settings.detector))


def _make_detector(settings: ImageSettings) -> NetworkDetector | None:
    """Return the site's detection network, or None if the site uses no network.

    Raises:
        UsageError: If the weights cannot be used.
    """
    if settings.detector == "none" or isinstance(settings.detector, dict):
        return None
    if settings.detector == "learned":
        return make_detector(least_score=FAINT)
    return make_detector(expand_home(settings.detector), FAINT)


def _make_writer(settings: ImageSettings) -> Writer:
    """Return the model that writes programs on this site.

    Raises:
        UsageError: If the site names no such model, or the model refuses its settings.
    """
    given = dict(settings.writer or {})
    name = given.pop("name", None)
    if not isinstance(name, str):
        raise UsageError(
            "no model of this site writes programs; name one in the site file: "
            "packs: {image: {writer: {name: claude, model: …}}}"
        )
    return find_writer(name, given)


def _optional_path(named: str | None) -> Path | None:
    return expand_home(named) if named else None
