"""Estimator of the door state: angles from boxes, and uncertainty where sources differ."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from bt_exec.failure import BtExecError, UsageError
from bt_exec_skills.door.perception.angle_fit import AngleFit, AngleFitter
from bt_exec_skills.door.perception.camera_door_calibration import Calibration
from bt_exec_skills.door.perception.detector_factory import make_learned, weights_path
from bt_exec_skills.door.perception.ground_truth_estimator import oracle_detector
from bt_exec_skills.door.perception.learned_detector import (
    DoorDetection,
    LearnedDetector,
)
from bt_exec_skills.door.perception.observation import DoorEstimate, DoorObservation
from bt_exec_skills.door.perception.state_estimator import (
    LearnedEstimator,
    likely_states,
    possible_states,
)
from bt_exec_skills.door.sim.camera import SimCamera
from bt_exec_skills.door.sim.layout import WorldOptions
from bt_exec_skills.door.sim.world import DoorWorld, calibration_of
from bt_exec_skills.perception.contracts import Detection, View
from bt_exec_skills.perception.fresh_observations import in_view
from bt_exec_skills.vision.box_decoding import Found

pytestmark = pytest.mark.sampled

CLASSES = ("door-closed", "door-ajar", "door-open", "door-handle", "material", "person")


@dataclass
class Finds:
    """Network with scripted detections; `closer` are the detections on enlarged parts."""

    found: list[Found] = field(default_factory=list)
    closer: list[Found] = field(default_factory=list)
    names: tuple[str, ...] = CLASSES
    calls: int = 0

    def find(self, frame: Any, least_score: float = 0.25) -> list[Found]:
        self.calls += 1
        return self.found if self.calls == 1 else self.closer


def look(angle: float, seed: int = 0) -> tuple[Calibration, View, dict[str, Detection]]:
    world = DoorWorld(WorldOptions(door=angle, seed=seed))
    camera = SimCamera(world, renderer="auto")
    view = camera.view(camera.capture())
    camera.close()
    return calibration_of(world), view, {d.label: d for d in oracle_detector().detect(view)}


def door(box: Any, **states: float) -> DoorDetection:
    ranked = tuple(sorted(states.items(), key=lambda pair: -pair[1]))
    return DoorDetection("door", box, max(states.values(), default=0.9), states=ranked)


# -- the angle


@pytest.mark.parametrize("angle", [0.0, 0.15, 0.4, 0.7, 0.95, 1.1, 1.3, 1.5])
@pytest.mark.parametrize("seed", range(3))
def test_angle_is_computed_from_the_boxes(angle: float, seed: int) -> None:
    calibration, _, found = look(angle, seed)
    handle = found.get("door-handle")
    fit = AngleFitter(calibration).fit(found["door"].bbox, handle and handle.bbox)
    assert fit is not None
    assert abs(fit.angle - angle) < 0.03
    assert fit.low <= fit.angle <= fit.high
    assert fit.error_px < 2.0


def test_inside_becomes_visible_as_the_door_opens() -> None:
    calibration, _, _ = look(0.0)
    fitter = AngleFitter(calibration)
    seen_inside = []
    for angle in (0.0, 0.5, 0.8, 1.1, 1.4):
        _, _, found = look(angle)
        fit = fitter.fit(found["door"].bbox, found["door-handle"].bbox)
        assert fit is not None
        seen_inside.append(fit.interior)
    assert seen_inside == sorted(seen_inside)
    assert seen_inside[0] == 0.0
    assert seen_inside[-1] > 0.9


def test_angle_is_unknown_without_a_box() -> None:
    assert AngleFitter(look(0.0)[0]).fit(None, None) is None


def test_angle_is_estimated_from_the_visible_boxes() -> None:
    calibration, _, found = look(0.6)
    estimator, fitter = LearnedEstimator(calibration), AngleFitter(calibration)
    panel, handle = found["door"], found["door-handle"]
    assert estimator.fit_angle((panel, handle)) == fitter.fit(panel.bbox, handle.bbox)
    assert (
        estimator.fit_angle((panel,))
        == fitter.fit(panel.bbox, None)
        != fitter.fit(None, handle.bbox)
    )
    assert estimator.fit_angle((handle,)) == fitter.fit(None, handle.bbox)
    assert estimator.fit_angle(()) is None


@pytest.mark.parametrize(
    ("angle", "states"),
    [
        (0.0, ("closed",)),
        (0.03, ("closed", "ajar")),
        (0.5, ("ajar",)),
        (0.99, ("ajar", "open")),
        (1.2, ("open",)),
    ],
)
def test_both_states_are_possible_near_their_border(angle: float, states: tuple[str, ...]) -> None:
    assert possible_states(AngleFit(angle, angle, angle, 0.5, 0.0)) == states


@pytest.mark.parametrize(
    ("angle", "scores", "between"),
    [
        (0.03, {"closed": 0.6, "ajar": 0.5}, ("closed", "ajar")),  # both allow both states
        (
            0.08,
            {"closed": 0.9},
            ("closed", "ajar"),
        ),  # angle and scores favour different neighbouring states
        (0.03, {}, ("closed", "ajar")),
        (0.99, {"ajar": 0.6, "open": 0.55}, ("ajar", "open")),
        (0.95, {"open": 0.9}, ("ajar", "open")),
        (1.2, {"ajar": 0.9}, ("ajar", "open")),
        (0.0, {"open": 0.9}, ()),  # they contradict each other
        (0.03, {"open": 0.9}, ()),
        (1.2, {"closed": 0.9}, ()),
    ],
)
def test_uncertainty_between_neighbouring_door_states_names_both(
    angle: float, scores: Any, between: Any
) -> None:
    calibration, view, found = look(0.0)
    estimator = LearnedEstimator(calibration)
    estimator.fit_angle = lambda _: AngleFit(angle, angle, angle, 0.5, 0.4)  # type: ignore[method-assign]
    told = estimator.estimate(view, (door(found["door"].bbox, **scores),))
    assert (told.state, told.between, told.inside) == ("uncertain", between, 0.4)
    assert told.possible_states == frozenset(between)


# -- two opinions


@pytest.mark.parametrize(
    ("scores", "left"),
    [
        ({"open": 0.9}, ("open",)),
        ({"open": 0.9, "ajar": 0.4}, ("open",)),
        ({"closed": 0.6, "ajar": 0.5}, ("closed", "ajar")),
        ({"open": 0.3}, ()),
        ({"open": 0.4}, ("open",)),
        ({"open": 0.5, "ajar": 0.3}, ("open",)),
        ({}, ()),
    ],
)
def test_dominant_state_is_selected(scores: dict[str, float], left: tuple[str, ...]) -> None:
    assert likely_states(door((0, 0, 9, 9), **scores)) == left


CASES = [
    # true angle, scores, answer, first evidence
    (0.0, {"closed": 0.9}, "closed", "primary:looks_closed"),
    (0.6, {"ajar": 0.8, "open": 0.2}, "ajar", "primary:looks_ajar"),
    (1.2, {"open": 0.9}, "open", "primary:looks_open"),
    (0.6, {"ajar": 0.6, "closed": 0.5}, "ajar", "primary:looks_ajar_or_closed"),
    (0.0, {"open": 0.9}, "uncertain", "primary:looks_open"),
    (1.2, {"closed": 0.9}, "uncertain", "primary:looks_closed"),
    (0.6, {"open": 0.6, "closed": 0.55}, "uncertain", "primary:looks_open_or_closed"),
    (1.2, {"open": 0.3}, "uncertain", "primary:looks_unlike_any_state"),
    (1.2, {}, "open", "primary:hinge_at"),
]


@pytest.mark.parametrize(("angle", "scores", "answer", "first"), CASES)
def test_state_is_reported_when_both_sources_allow_it(
    angle: float, scores: dict[str, float], answer: str, first: str
) -> None:
    calibration, view, found = look(angle)
    seen_door = door(found["door"].bbox, **scores)
    told = LearnedEstimator(calibration).estimate(view, (seen_door, found["door-handle"]))
    assert told.state == answer
    assert told.evidence[0].startswith(first)
    assert 0.0 <= told.confidence <= 1.0
    if answer == "uncertain":
        assert told.confidence <= 0.4
    if answer == "open":
        assert "proxy:interior_visible" in told.evidence or not scores


TOLD = [
    # angle, error [px], interior, scores, answer, confidence, evidence
    (0.0, 0.6, 0.0, {"closed": 0.95}, "closed", 0.9, "looks_closed 0.00 no_interior"),
    (1.2, 0.5, 0.5, {"open": 0.85}, "open", 0.85, "looks_open 1.20 interior_visible"),
    (1.2, 0.5, 0.5, {"open": 0.987}, "open", 0.92, "looks_open 1.20 interior_visible"),
    (1.2, 0.0, 0.3, {"open": 0.85}, "open", 0.85, "looks_open 1.20"),
    (0.6, 0.0, 0.0, {"ajar": 0.8}, "ajar", 0.8, "looks_ajar 0.60"),
    (0.6, 3.0, 0.0, {"ajar": 0.8}, "ajar", 0.5, "looks_ajar 0.60"),
    (1.2, 1.0, 0.9, {}, "open", 0.67, "1.20"),
    (0.99, 0.0, 0.0, {"ajar": 0.6, "open": 0.55}, "uncertain", 0.4, "looks_ajar_or_open 0.99"),
    (0.0, 0.0, 0.0, {"open": 0.9}, "uncertain", 0.3, "looks_open 0.00"),
    (0.99, 0.0, 0.0, {}, "uncertain", 0.3, "state_not_told_apart 0.99"),
    (0.6, 3.1, 0.0, {"ajar": 0.8}, "uncertain", 0.2, "looks_ajar boxes_fit_no_angle"),
]


@pytest.mark.parametrize(("angle", "error", "inside", "scores", "state", "sure", "why"), TOLD)
def test_angle_and_scores_determine_the_estimate(
    angle: float, error: float, inside: float, scores: Any, state: Any, sure: float, why: str
) -> None:
    calibration, view, found = look(0.0)
    estimator = LearnedEstimator(calibration)
    estimator.fit_angle = lambda _: AngleFit(angle, angle, angle, error, inside)  # type: ignore[method-assign]
    facts = [f"hinge_at_{one}_rad" if one[0].isdigit() else one for one in why.split()]
    evidence = (f"primary:{facts[0]}", *(f"proxy:{one}" for one in facts[1:]))
    told = estimator.estimate(view, (door(found["door"].bbox, **scores),))
    assert told == DoorEstimate(state, sure, evidence)


def test_estimate_without_usable_boxes_is_uncertain() -> None:
    calibration, view, _ = look(1.2)
    estimator = LearnedEstimator(calibration)
    assert estimator.estimate(view, ()).evidence == ("primary:no_door_in_view",)
    odd = estimator.estimate(view, (door((200, 150, 310, 160), open=0.9),))
    assert odd == DoorEstimate("uncertain", 0.2, ("primary:looks_open", "proxy:boxes_fit_no_angle"))


# -- the detector


def test_states_of_one_door_are_merged_and_other_labels_kept() -> None:
    network = Finds(
        [
            Found("door-open", (10.4, 20.0, 60.0, 90.6), 0.8),
            Found("person", (0.0, 0.0, 30.0, 200.0), 0.7),
            Found("door-ajar", (11.0, 20.0, 61.0, 91.0), 0.3),
            Found("door-closed", (200.0, 20.0, 260.0, 91.0), 0.2),  # another door
            Found("door-handle", (40.0, 50.0, 48.0, 70.0), 0.3),  # low score
        ]
    )
    found = LearnedDetector(network).detect(View(0.0, np.zeros((240, 320, 3), np.uint8)))
    assert [one.label for one in found] == ["door", "person"]
    assert found[0].bbox == (10, 20, 60, 91)
    assert isinstance(found[0], DoorDetection)
    assert found[0].states == (("open", 0.8), ("ajar", 0.3))


@pytest.mark.parametrize(
    ("closer", "doubt"),
    [
        ([Found("material", (148.0, 100.0, 172.0, 140.0), 0.6)], ""),
        ([Found("material", (20.0, 20.0, 44.0, 60.0), 0.6)], "unconfirmed"),  # at another position
        ([Found("door-handle", (148.0, 100.0, 172.0, 140.0), 0.6)], "unconfirmed"),
        ([], "unconfirmed"),
    ],
)
def test_material_is_confirmed_on_an_enlarged_crop(closer: list[Found], doubt: str) -> None:
    network = Finds([Found("material", (154.0, 110.0, 166.0, 130.0), 0.9)], closer)
    view = View(0.0, np.zeros((240, 320, 3), np.uint8))
    (found,) = LearnedDetector(network).detect(view)
    assert found.doubt == doubt
    scene = DoorObservation(0.0, (found,), DoorEstimate("open", 0.9))
    assert in_view([scene, scene, scene], "material") is not bool(doubt)
    assert scene.record()["detections"][0].get("doubt", "") == doubt


MATERIAL = Found("material", (154.0, 110.0, 166.0, 130.0), 0.9)


class SecondLooks(LearnedDetector):
    """Detector with scripted results of the confirmation on an enlarged crop."""

    def __init__(self, before: Found, after: Found, *answers: bool) -> None:
        super().__init__(Finds([before], [after]))
        self.answers = [*answers]

    def confirm_enlarged(self, *_: Any) -> bool:
        return self.answers.pop(0)


@pytest.mark.parametrize(
    ("at", "change", "holds"),
    [
        ((160, 120), 4, True),  # noise
        ((160, 120), 5, False),
        ((149, 105), 5, False),  # in the margin
        ((146, 120), 200, True),  # beyond it
    ],
)
def test_confirmation_holds_until_the_object_changes(
    at: tuple[int, int], change: int, holds: bool
) -> None:
    first, second = np.full((2, 240, 320, 3), 50, np.uint8)
    second[at[1], at[0], 1] += change
    eyes = SecondLooks(MATERIAL, MATERIAL, True, True)
    assert [eyes.detect(View(0.0, one))[0].doubt for one in (first, second)] == ["", ""]
    assert len(eyes.answers) == holds


@pytest.mark.parametrize(("moved", "holds"), [(1, True), (2, False)])
def test_confirmation_holds_until_the_object_moves(moved: int, holds: bool) -> None:
    x1, *rest = MATERIAL.xyxy
    eyes = SecondLooks(MATERIAL, MATERIAL._replace(xyxy=(x1 + moved, *rest)), True, True)
    first, second = np.zeros((2, 240, 320, 3), np.uint8)
    second[0, 0] = 200  # another picture, so that the network runs again
    assert [eyes.detect(View(0.0, one))[0].doubt for one in (first, second)] == ["", ""]
    assert len(eyes.answers) == holds


@pytest.mark.parametrize(
    ("levels", "runs"),
    [
        ((50, 54, 46), 1),  # noise
        ((50, 55), 2),
        ((50, 52, 54, 56, 58), 2),  # drift: compared with the last picture that was searched
    ],
)
def test_network_runs_again_when_the_picture_changes(levels: tuple[int, ...], runs: int) -> None:
    searched: list[int] = []

    class Doors(Finds):
        def find(self, frame: Any, least_score: float = 0.25) -> list[Found]:
            searched.append(int(frame.max()))
            return [Found("door-open", (10.0, 20.0, 60.0, 90.0), 0.8)]

    eyes = LearnedDetector(Doors())
    for level in levels:
        frame = np.full((240, 320, 3), 50, np.uint8)
        frame[3, 4] = level
        assert [one.label for one in eyes.detect(View(0.0, frame))] == ["door"]
    assert len(searched) == runs


def test_unconfirmed_object_is_checked_again() -> None:
    eyes = SecondLooks(MATERIAL, MATERIAL, False, True)
    view = View(0.0, np.zeros((240, 320, 3), np.uint8))
    assert [eyes.detect(view)[0].doubt for _ in range(3)] == ["unconfirmed", "", ""]


@pytest.mark.parametrize(("place", "doubt"), [(1.0, ""), (0.1, "outside"), (1.9, "outside")])
def test_material_beside_the_opening_is_uncertain(place: float, doubt: str) -> None:
    """An orange object in front of the cabinet is not material behind the door."""
    calibration, _, _ = look(1.2)
    x, y = calibration.opening_outline().mean(axis=0) * (place, 1.0)
    box = (x - 6.0, y - 10.0, x + 6.0, y + 10.0)
    network = Finds([Found("material", box, 0.9)])
    eyes = LearnedDetector(network, opening=calibration.opening_outline())
    eyes.confirm_enlarged = lambda *_: True  # type: ignore[method-assign]
    (found,) = eyes.detect(View(0.0, np.zeros((240, 320, 3), np.uint8)))
    assert found.doubt == doubt


def test_classes_of_a_foreign_network_are_mapped_to_labels() -> None:
    network = Finds([Found("maniglia", (1.0, 1.0, 9.0, 9.0), 0.9)], names=("maniglia", "porta"))
    eyes = LearnedDetector(network, {"maniglia": "door-handle", "porta": "door"})
    assert eyes.detect(View(0.0, np.zeros((48, 64, 3), np.uint8)))[0].label == "door-handle"


@pytest.mark.parametrize(
    ("meanings", "message"),
    [
        ({"knob": "door-handle"}, "labels: the network has no class 'knob'; it has door-closed"),
        ({"person": "robot"}, "labels: 'person' cannot mean 'robot'; allowed: door, door-clo"),
        (
            dict.fromkeys(CLASSES, "ignore"),
            "labels: no class of the network means a door; set one, as "
            "{door-closed: door}; it has door-closed, door-ajar, ",
        ),
    ],
)
def test_label_map_without_matching_classes_is_refused(meanings: Any, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        LearnedDetector(Finds(), meanings)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"weight": "x.onnx"}, "the detector has no setting 'weight'"),
        ({"weights": "nowhere.onnx"}, "weights nowhere.onnx not found"),
        ({"weights": 5}, "detector: weights=5: a file is needed, .onnx or .pt"),
        ({"labels": "x"}, "detector: labels must map classes to labels"),
        ({"least_score": 2}, "detector: least_score=2: allowed: 0.05 to 1"),
    ],
)
def test_invalid_settings_are_reported(settings: Any, message: str) -> None:
    with pytest.raises(BtExecError) as caught:
        make_learned(settings, lambda: look(0.0)[0])
    assert str(caught.value).startswith(message)


def test_shipped_weights_are_found_by_name() -> None:
    assert weights_path(None).is_file()
    assert weights_path("door.onnx") == weights_path(None)
