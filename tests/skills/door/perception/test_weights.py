"""Shipped network: detections and the figures of its model card."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bt_exec_skills.door.perception.detector_factory import SHIPPED, make_learned
from bt_exec_skills.door.perception.pipeline import DoorPerception
from bt_exec_skills.door.sim.camera import SimCamera
from bt_exec_skills.door.sim.layout import WorldOptions
from bt_exec_skills.door.sim.world import DoorWorld, calibration_of


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("door", "state"), [(0.0, "closed"), (0.5, "ajar"), (1.25, "open")])
def test_shipped_network_detects_the_visible_labels(seed: int, door: float, state: str) -> None:
    world = DoorWorld(WorldOptions(seed=seed, door=door))
    camera = SimCamera(world, renderer="raycast")
    eyes = DoorPerception(camera, *make_learned({}, lambda: calibration_of(world)))
    scene = eyes.interpret(eyes.capture())
    camera.close()
    assert scene.door.state == state
    assert scene.sees("door-handle")
    assert scene.sees("material") is (state == "open")
    assert not scene.sees("person")


def test_network_is_small_and_documented() -> None:
    folder = SHIPPED.parent
    assert sum(path.stat().st_size for path in folder.glob("*.onnx")) <= 11_000_000
    card = (folder / "MODEL_CARD.md").read_text(encoding="utf-8")
    papers = json.loads((folder / "door.json").read_text(encoding="utf-8"))
    for label, one in papers["held_out"]["classes"].items():
        row = next(line for line in card.splitlines() if line.startswith(f"| {label} |"))
        assert row.split("|")[5].strip() == f"{one['ap50']:.3f}"


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_network_reaches_its_documented_figures_on_held_out_scenes(tmp_path: Path) -> None:
    from bt_exec_skills.door.dataset.scenes import DoorScenes
    from bt_exec_skills.vision.dataset_generation import Recipe, make_dataset, read_pictures
    from bt_exec_skills.vision.evaluate import evaluate
    from bt_exec_skills.vision.two_stage_network_loading import load_network

    source = DoorScenes()
    make_dataset(source, Recipe("door", 9, 40, 1, source.classes), tmp_path, lambda *_: None)
    network = load_network(SHIPPED)
    found = evaluate(
        network,
        read_pictures(tmp_path),
        lambda _: None,
        source.classes,
        answer=source.state_comparison(network),
        states=source.states,
    )
    by_class = {one.label: one for one in found.classes}
    assert found.map50 >= 0.92
    assert by_class["door-handle"].ap50 >= 0.95
    assert by_class["material"].ap50 >= 0.85
    assert found.states is not None
    assert found.states.decided_share >= 0.88
    assert found.states.accuracy >= 0.97
    counts, closed, opened = found.states.counts, *map(source.states.index, ("closed", "open"))
    assert counts[opened, closed] == counts[closed, opened] == 0
