"""Verification of 100 crops of a 12 megapixel photo: seconds, and the ratio to one detection.

The picture is generated: objects of four colours on a plain background, with noise. Each question
runs in a separate process, from the file to the judged answer; peak memory is that of the process.
The baseline is one detection in the same picture by the shipped network.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import cv2
import numpy as np
import pytest

ACROSS, DOWN, SIDE = 4000, 3000, 100
SHADES = ((200, 30, 30), (30, 60, 200), (40, 150, 60), (240, 215, 40))
MOST_DETECTIONS = 20
"""Limit for verifying 100 crops of such a photo, without process start, in the time of a bare
detection in the same run."""
MOST_MB = 900
"""Limit of the peak memory of the process with its libraries [MB]; a picture takes about 36 MB."""


def made(folder: Path) -> Path:
    """Write the photo and its boxes; every fourth object is red."""
    rng = np.random.default_rng(1)
    picture = np.full((DOWN, ACROSS, 3), 225, np.uint8)
    boxes = []
    for number in range(SIDE):
        x, y = 200 + 400 * (number % 10), 150 + 300 * (number // 10)
        r = int(rng.integers(60, 110))
        cv2.circle(picture, (x, y), r, SHADES[number % 4], -1, cv2.LINE_AA)
        boxes.append([x - r, y - r, 2 * r, 2 * r])
    picture = np.clip(picture + rng.normal(0, 3, picture.shape), 0, 255).astype(np.uint8)
    file = folder / "photo.jpg"
    cv2.imwrite(str(file), picture[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, 92])
    coco = {
        "images": [{"id": 1, "file_name": file.name}],
        "categories": [{"id": 1, "name": "ball"}],
        "annotations": [{"image_id": 1, "category_id": 1, "bbox": box} for box in boxes],
    }
    file.with_suffix(".json").write_text(json.dumps(coco))
    return file


def _asked(file: Path, question: str, annotated: bool) -> dict[str, float]:
    """Ask in this process; return the answer, the duration and the peak memory [MB]."""
    from bt_exec.mission.session import Session

    if not annotated:
        file.with_suffix(".json").rename(file.with_suffix(".boxes"))
    start = time.perf_counter()
    with Session("image", world={"image": str(file)}, fast=True) as session:
        session.run(question)
        bench = session.rigs["image"].services["bench"]
    seconds = time.perf_counter() - start
    if not annotated:
        file.with_suffix(".boxes").rename(file.with_suffix(".json"))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"value": bench.answer.value, "seconds": seconds, "mb": peak}


def _detected(file: Path) -> float:
    """Return the duration of one detection with reading the file [s]."""
    from bt_exec_skills.door.perception.detector_factory import SHIPPED
    from bt_exec_skills.image.tools import load_picture
    from bt_exec_skills.vision.two_stage_network_loading import load_network

    network = load_network(SHIPPED)
    network.find(np.zeros((64, 64, 3), np.uint8))
    start = time.perf_counter()
    network.find(load_picture(file))
    return time.perf_counter() - start


def _apart(*words: str) -> dict[str, float]:
    """Call a function in a separate process."""
    run = subprocess.run(
        [sys.executable, __file__, *words], capture_output=True, text=True, check=True
    )
    return dict(json.loads(run.stdout))


@pytest.mark.benchmark
def test_crop_verification_of_a_large_photo_is_fast(capsys: pytest.CaptureFixture) -> None:
    with tempfile.TemporaryDirectory() as name:
        file = made(Path(name))
        peer = _apart("detect", str(file))["seconds"]
        rows = {
            "annotated": _apart("ask", str(file), "How many red balls are there?", "boxes"),
            "by colour": _apart("ask", str(file), "How many red circles are there?", ""),
        }
    with capsys.disabled():
        print(f"\nbare detection {peer:.2f} s")
        for kind, row in rows.items():
            print(
                f"{kind:10} {row['value']:3.0f} of 25  {row['seconds']:.2f} s "
                f"= {row['seconds'] / peer:.1f} detections, peak {row['mb']:.0f} MB"
            )
    assert [row["value"] for row in rows.values()] == [25, 25]
    assert rows["annotated"]["seconds"] <= MOST_DETECTIONS * peer
    assert max(row["mb"] for row in rows.values()) <= MOST_MB


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["detect", file]:
            print(json.dumps({"seconds": _detected(Path(file))}))
        case ["ask", file, question, annotated]:
            print(json.dumps(_asked(Path(file), question, bool(annotated))))
        case _:
            sys.exit(pytest.main([__file__, "-q", "-m", "benchmark", "-p", "no:cacheprovider"]))
