"""Calibration of the shipped network, written into its metadata."""

import json
from itertools import islice

from bt_exec_skills.things.calibrate_detector import write_calibration
from bt_exec_skills.things.dataset.scenes import TableScenes
from bt_exec_skills.vision.dataset_generation import Recipe, make_dataset


class FewPictures(TableScenes):
    """Scenes reduced to the first two pictures of each room."""

    def scene(self, seed):
        return islice(super().scene(seed), 2)


def test_calibration_is_written_into_the_metadata(tmp_path):
    source = FewPictures(rays_only=True)
    made = tmp_path / "data"
    make_dataset(source, Recipe("table", 3, 1, 1, source.classes), made, lambda *_: None)
    papers = tmp_path / "table.json"
    papers.write_text('{"weights": "table.onnx"}')
    write_calibration(made, papers)
    known = json.loads(papers.read_text())
    assert known["weights"] == "table.onnx"
    shares = [share for _, share in known["calibration"]]
    assert shares == sorted(shares)
    assert all(0 <= recall <= 1 for recall in known["recalls"].values())
