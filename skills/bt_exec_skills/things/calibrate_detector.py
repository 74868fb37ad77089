"""Calibration of the shipped detector: probability of correct detections, and recall by class.

::

    python -m bt_exec_skills.things.calibrate_detector DATASET      # writes table.json
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from bt_exec.files import write_text_atomically
from bt_exec_skills.things.detector_factory import MOST_OVERLAP
from bt_exec_skills.things.weights import SHIPPED
from bt_exec_skills.vision.dataset_generation import read_pictures
from bt_exec_skills.vision.detector import NetworkDetector
from bt_exec_skills.vision.score_calibration import recall_by_class, score_calibration
from bt_exec_skills.vision.two_stage_network_loading import load_network

__all__ = ["write_calibration"]

_FAINTEST, _LIKELY_SCORE = 0.02, 0.5


def write_calibration(dataset: Path, papers: Path) -> None:
    """Measure calibration and recall on the held-out split, and add them to the file `papers`."""
    detector = NetworkDetector(load_network(SHIPPED), _FAINTEST, most_overlap=MOST_OVERLAP)
    pictures = list(read_pictures(dataset, "val"))
    measured = {
        "calibration": score_calibration(detector, pictures),
        "recalls": recall_by_class(detector, pictures, _LIKELY_SCORE),
    }
    known = json.loads(papers.read_text(encoding="utf-8"))
    write_text_atomically(papers, json.dumps({**known, **measured}, indent=2) + "\n")


if __name__ == "__main__":
    write_calibration(Path(sys.argv[1]), SHIPPED.with_suffix(".json"))
