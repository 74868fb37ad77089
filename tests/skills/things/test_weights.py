"""Shipped network: size, metadata and accuracy."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from bt_exec_skills.perception.contracts import View
from bt_exec_skills.perception.pictures_and_boxes import intersection_over_union
from bt_exec_skills.things.dataset.scenes import THINGS, TableScenes
from bt_exec_skills.things.detector_factory import make_detector
from bt_exec_skills.things.weights import SHIPPED, shipped_probability
from bt_exec_skills.vision.two_stage_network_loading import classifier_path

LEAST_MAP50 = 0.85


def test_network_is_small_and_documented() -> None:
    files = SHIPPED, classifier_path(SHIPPED)
    assert sum(file.stat().st_size for file in files) <= 12_000_000
    assert make_detector().names == THINGS
    card = (SHIPPED.parent / "MODEL_CARD.md").read_text(encoding="utf-8")
    papers = json.loads(SHIPPED.with_suffix(".json").read_text(encoding="utf-8"))
    for label, one in papers["held_out"]["classes"].items():
        row = next(line for line in card.splitlines() if line.startswith(f"| {label} |"))
        assert row.split("|")[5].strip() == f"{one['ap50']:.3f}"


def test_calibrated_scores_are_increasing_probabilities() -> None:
    shares = [shipped_probability(score) for score in np.linspace(0, 1, 101)]
    assert shares == sorted(shares)
    assert shares[0] == 0.0
    assert 0.9 < shares[-1] < 1.0


def test_shipped_network_finds_most_objects() -> None:
    detector = make_detector()
    there = found = 0
    for seed in (810_000_001, 810_000_002):
        for sample in islice(TableScenes(rays_only=True).scene(seed), 3):
            if sample.facts["view"] != "close":
                continue
            seen = detector.detect(View(0.0, sample.image))
            for mark in sample.marks:
                there += 1
                same = [one.bbox for one in seen if one.label == mark.label]
                found += bool(same) and intersection_over_union([mark.bbox], same).max() >= 0.5
    assert there >= 10
    assert found / there >= 0.8


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_network_reaches_its_documented_figures_on_held_out_scenes(tmp_path: Path) -> None:
    from bt_exec_skills.vision.dataset_generation import Recipe, make_dataset, read_pictures
    from bt_exec_skills.vision.evaluate import evaluate
    from bt_exec_skills.vision.two_stage_network_loading import load_network

    source = TableScenes()
    make_dataset(source, Recipe("table", 9, 24, 1, source.classes), tmp_path, lambda *_: None)
    found = evaluate(load_network(SHIPPED), read_pictures(tmp_path), lambda _: None, source.classes)
    assert found.map50 >= LEAST_MAP50
