"""Training sets opened with Hugging Face `datasets`, as described by their cards."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from bt_exec_labeler.labeler_items import Role
from bt_exec_labeler.testing.toy_game_episodes import make_game

from .test_datasets import made, rows_in

pytestmark = pytest.mark.sampled


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_game(tmp_path_factory.mktemp("game") / "game", episodes=12, seed=1)


@pytest.mark.parametrize("role", ["planner", "controller"])
def test_training_set_loads_in_hugging_face_with_its_splits_and_pictures(
    role: Role, recording: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE", "HF_UPDATE_DOWNLOAD_COUNTS"):
        monkeypatch.setenv(name, "0" if name.endswith("COUNTS") else "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    why = "Hugging Face datasets is not here: pip install datasets"
    datasets = pytest.importorskip("datasets", reason=why)
    _, folder = made(recording, tmp_path, role)
    found = datasets.load_dataset(str(folder), cache_dir=str(tmp_path / "cache"))
    rows = [row for split in ("train", "validation", "test") for row in found[split]]
    by_id = {row["id"]: row for row in rows_in(folder)}
    assert {row["id"] for row in rows} == set(by_id)
    assert len(rows) == len(by_id) > 100
    wanted = Counter(row["split"] for row in by_id.values())
    assert [wanted[name] for name in ("train", "val", "test")] == [
        found[name].num_rows for name in ("train", "validation", "test")
    ]
    for row in rows[:: len(rows) // 10]:
        plan = json.loads(row["plan_json"])
        assert plan["plan_id"].startswith(f"plan_{row['episode']}_")
        assert {picture.size for picture in row["recent_clip"]} == {(96, 72)}
        assert len(row["recent_clip"]) == len(row["recent_times"])
