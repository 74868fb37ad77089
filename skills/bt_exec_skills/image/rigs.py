"""The pack's rig: no robot, the bench with the picture, a detector if the site names weights."""

from __future__ import annotations

from pathlib import Path

from bt_exec.expand_home import expand_home
from bt_exec.failure import UsageError
from bt_exec.rig import Rig
from bt_exec.writing import Writer, find_writer
from bt_exec_skills.image.bench import Bench
from bt_exec_skills.image.perception.looker import make_looker
from bt_exec_skills.image.perception.overlay import picture_file
from bt_exec_skills.image.settings import ImageSettings, PictureStart
from bt_exec_skills.perception.contracts import Detection, View
from bt_exec_skills.perception.picture import whole_pixels
from bt_exec_skills.vision.network import Network, load

__all__ = ["make_rig"]


class NetworkDetector:
    """A network behind the contract that detectors share.

    Args:
        network: The network.
        least_score: What a detection must exceed.
    """

    def __init__(self, network: Network, least_score: float) -> None:
        self.names = network.names
        self._network = network
        self._least = least_score

    def detect(self, view: View[None]) -> tuple[Detection, ...]:
        """Return what is found, best first."""
        size = view.frame.shape[0], view.frame.shape[1]
        found = self._network.find(view.frame, self._least)
        boxes = ((one, whole_pixels(one.xyxy, size)) for one in found)
        return tuple(Detection(one.label, box, one.score) for one, box in boxes if box is not None)


def make_rig(settings: ImageSettings, start: PictureStart) -> Rig:
    """Return the rig; the picture is read at once, so that a bad one is refused before a mission.

    Raises:
        UsageError: If the picture, the annotation or the weights cannot be read, the annotated
            picture has no ending of a picture, or a model is to
            write and the site names none.
    """
    detector = None
    if settings.detector is not None:
        weights = expand_home(settings.detector)
        detector = NetworkDetector(load(weights), settings.least_score)
    bench = Bench(
        _file(start.image),
        _file(start.annotation),
        detector,
        detector.names if detector is not None else (),
        picture_file(start.out) if start.out else None,
        _file(start.program),
        _file(settings.reader),
        _file(start.second),
    )
    if start.program_by == "model":
        bench.writer = _writer(settings)
    if bench.file is not None:
        _ = bench.picture
        if start.second:
            _ = bench.second_picture
        if start.annotation:
            _ = bench.annotation
    looker = make_looker(settings.vqa, settings.judge)
    frame = (lambda: bench.picture) if bench.file is not None else None
    return Rig(facts=bench.facts, frame=frame, services={"bench": bench, "looker": looker})


def _writer(settings: ImageSettings) -> Writer:
    """Return who writes programs on this site."""
    given = dict(settings.writer or {})
    name = given.pop("name", None)
    if not isinstance(name, str):
        raise UsageError(
            "no model of this site writes programs; name one in the site file: "
            "packs: {image: {writer: {name: claude, model: …}}}"
        )
    return find_writer(name, given)


def _file(named: str | None) -> Path | None:
    return expand_home(named) if named else None
