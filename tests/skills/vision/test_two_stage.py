"""Two-stage detection: boxes of a detector, names of a classifier."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from bt_exec_skills.perception.contracts import View
from bt_exec_skills.vision.box_decoding import Found
from bt_exec_skills.vision.detector import RIVAL, NetworkDetector
from bt_exec_skills.vision.two_stage_network_loading import TwoStageNetwork

FRAME = np.zeros((48, 64, 3), np.uint8)


@dataclass
class ScriptedNamer:
    """Classifier with scripted names, one per crop."""

    rows: list[list[float]]
    names: tuple[str, ...] = ("apple", "egg")

    def class_probabilities(self, crops: Any) -> Any:
        assert len(crops) == len(self.rows)
        return np.array(self.rows, np.float32)


def test_two_stage_result_has_classifier_names_and_mean_scores(scripted_network: Any) -> None:
    boxes = [Found("round", (4, 4, 20, 20), 1.0), Found("square", (30, 4, 50, 20), 0.1)]
    pair = TwoStageNetwork(
        scripted_network(boxes),
        ScriptedNamer([[0.2, 0.1], [0.3, 0.65]]),  # type: ignore[arg-type]
    )
    assert pair.names == ("apple", "egg")
    found = pair.find(FRAME, 0.2)
    assert [(one.label, one.xyxy, round(one.score, 3)) for one in found] == [
        ("egg", boxes[1].xyxy, 0.371),  # 0.65 ** 0.7 * 0.1 ** 0.3
        ("apple", boxes[0].xyxy, 0.324),
        ("apple", boxes[1].xyxy, 0.216),
    ]


def test_more_confident_of_two_boxes_of_one_object_is_kept(scripted_network: Any) -> None:
    boxes = [Found("round", (4, 4, 20, 20), 0.9), Found("round", (10, 4, 24, 20), 0.8)]
    for rows, kept in ([[0.5, 0.1], [0.6, 0.1]], 1), ([[0.6, 0.1], [0.5, 0.1]], 0):
        namer = ScriptedNamer(rows)
        pair = TwoStageNetwork(scripted_network(boxes), namer)  # type: ignore[arg-type]
        assert {one.xyxy for one in pair.find(FRAME, 0.0)} == {boxes[kept].xyxy}


def test_second_name_of_a_box_lowers_its_score(scripted_network: Any) -> None:
    boxes = [Found("round", (4, 4, 20, 20), 0.9)]
    pair = TwoStageNetwork(
        scripted_network(boxes),
        ScriptedNamer([[0.4, 0.55]]),  # type: ignore[arg-type]
    )
    seen = NetworkDetector(pair, 0.05, most_overlap=0.6).detect(View(0.0, FRAME))
    assert [(one.label, one.doubt) for one in seen] == [("egg", ""), ("apple", RIVAL)]


@pytest.mark.parametrize("least", [0.0, 0.5])
def test_classifier_is_not_run_without_boxes(scripted_network: Any, least: float) -> None:
    pair = TwoStageNetwork(scripted_network([]), ScriptedNamer([]))  # type: ignore[arg-type]
    assert pair.find(FRAME, least) == []
