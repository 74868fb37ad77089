"""LeRobot data sets with added language: existing data is unchanged."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest
import yaml

from bt_exec.failure import UsageError
from bt_exec_labeler import cli_commands
from bt_exec_labeler.batch.output_and_answer_cache import read_lines
from bt_exec_labeler.lerobot.annotate import _merged_rows
from bt_exec_labeler.review.decisions import Decisions
from bt_exec_labeler.sources import read_source

from .test_read import REAL, png

Made = Callable[..., Path]
ADDED = {"language_persistent", "language_events", "subtask_index"}
TASKS = ["reach the cube", "lift the cube"]


def vocabulary(path: Path, texts: list[str]) -> Path:
    """Write a vocabulary with a mid step for each task."""
    padding = [f"never done {number}" for number in range(10 - len(texts))]
    steps = {
        f"step_{number}": {"text": {"en": text}, "ops": ["TASK"], "args": {"text": text}}
        for number, text in enumerate([*texts, *padding])
    }
    data = {
        "mid_steps": steps,
        "ops": {"TASK": {"text": "Do it.", "args": {"text": {"type": "text"}}}},
        "done_evidence": ["done"],
    }
    path.write_text(yaml.safe_dump(data))
    return path


def robot_set(folder: Path) -> Path:
    """Write a data set of two episodes as a robot records it, with two tasks in an episode."""
    count, fps = 20, 10
    number = {"dtype": "int64", "shape": [1], "names": None}
    vector = {"dtype": "float32", "shape": [6], "names": [f"joint_{k}" for k in range(6)]}
    picture = {"dtype": "image", "shape": [48, 64, 3], "names": ["height", "width", "channels"]}
    features = {
        "action": vector,
        "observation.state": vector,
        "observation.images.top": picture,
        "timestamp": {**number, "dtype": "float32"},
        **dict.fromkeys(("frame_index", "episode_index", "index", "task_index"), number),
    }
    info = {
        "codebase_version": "v3.0",
        "robot_type": "so100",
        "total_episodes": 2,
        "total_frames": 2 * count,
        "total_tasks": 2,
        "chunks_size": 1000,
        "data_files_size_in_mb": 100,
        "video_files_size_in_mb": 200,
        "fps": fps,
        "splits": {"train": "0:2"},
        "data_path": "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet",
        "video_path": None,
        "features": features,
    }
    rng = np.random.default_rng(0)
    places = [(e, k) for e in range(2) for k in range(count)]
    table = {
        "action": rng.normal(size=(2 * count, 6)).astype(np.float32),
        "observation.state": rng.normal(size=(2 * count, 6)).astype(np.float32),
    }
    columns: dict[str, Any] = {
        name: pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(data.ravel()), 6)
        for name, data in table.items()
    }
    columns |= {
        "observation.images.top": [
            {"bytes": png((7 * k + e) % 250, 48, 64), "path": None} for e, k in places
        ],
        "timestamp": pyarrow.array([k / fps for _, k in places], pyarrow.float32()),
        "frame_index": [k for _, k in places],
        "episode_index": [e for e, _ in places],
        "index": list(range(2 * count)),
        "task_index": [0 if k < 8 else 1 for _, k in places],
    }
    (folder / "meta" / "episodes" / "chunk-000").mkdir(parents=True)
    (folder / "data" / "chunk-000").mkdir(parents=True)
    pyarrow.parquet.write_table(
        pyarrow.table(columns), folder / "data" / "chunk-000" / "file-000.parquet"
    )
    stats = {
        name: {
            "mean": data.mean(0).tolist(),
            "std": data.std(0).tolist(),
            "min": data.min(0).tolist(),
            "max": data.max(0).tolist(),
            "count": [2 * count],
        }
        for name, data in table.items()
    }
    flat = [[[0.5]], [[0.5]], [[0.5]]]
    stats["observation.images.top"] = {
        **dict.fromkeys(("mean", "std"), flat),
        "min": [[[0.0]]] * 3,
        "max": [[[1.0]]] * 3,
        "count": [40],
    }
    (folder / "meta" / "stats.json").write_text(json.dumps(stats))
    (folder / "meta" / "info.json").write_text(json.dumps(info))
    tasks = pyarrow.table({"task_index": [0, 1], "task": TASKS})
    index = {"index_columns": ["task"], "column_indexes": [], "pandas_version": "2.0.0"}
    index["columns"] = [
        {
            "name": name,
            "field_name": name,
            "pandas_type": kind,
            "numpy_type": kind,
            "metadata": None,
        }
        for name, kind in (("task_index", "int64"), ("task", "object"))
    ]
    tasks = tasks.replace_schema_metadata({"pandas": json.dumps(index)})
    pyarrow.parquet.write_table(tasks, folder / "meta" / "tasks.parquet")
    rows = [
        {
            "episode_index": n,
            "tasks": TASKS,
            "length": count,
            "data/chunk_index": 0,
            "data/file_index": 0,
            "dataset_from_index": n * count,
            "dataset_to_index": (n + 1) * count,
            "meta/episodes/chunk_index": 0,
            "meta/episodes/file_index": 0,
        }
        for n in range(2)
    ]
    path = folder / "meta" / "episodes" / "chunk-000" / "file-000.parquet"
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    return folder


@pytest.fixture
def annotated(tmp_path: Path) -> Made:
    def call(source: Path, texts: list[str], **how: Any) -> Path:
        words = vocabulary(tmp_path / "words.yaml", texts)
        run = tmp_path / "run"
        cli_commands.run(source, words, run, labeler="rules", role="controller", stride_s=0.5)
        how = {"keep_uncertain": True, "form": "lerobot", **how}
        cli_commands.dataset(run, source, words, tmp_path / "set", **how)
        return tmp_path / "set"

    return call


def files_of(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def assert_kept(source: Path, made: Path) -> None:
    """Check that every file and every column is unchanged except for the additions."""
    before, after = files_of(source), files_of(made)
    changed = {name for name in before if after[name] != before[name]}
    data = {name for name in before if name.startswith("data/")}
    assert changed == {*data, "meta/info.json", *({"README.md"} & set(before))}
    assert set(after) - set(before) - {"README.md"} == {"meta/subtasks.parquet"}
    for name in data:
        old = pyarrow.parquet.ParquetFile(source / name).read()
        new = pyarrow.parquet.ParquetFile(made / name).read()
        assert set(new.column_names) == set(old.column_names) | ADDED
        assert new.select(old.column_names).equals(old)
    info, again = (json.loads((p / "meta" / "info.json").read_text()) for p in (source, made))
    assert set(again["features"]) == set(info["features"]) | ADDED
    for key in info:
        if key != "features":
            assert again[key] == info[key]


@pytest.mark.parametrize("version", ["0.4", "0.6"])
def test_annotated_data_set_keeps_all_arrays_and_gets_language_columns(
    tmp_path: Path, annotated: Made, version: str
) -> None:
    source = robot_set(tmp_path / "robot")
    made = annotated(source, TASKS, lerobot=version)
    assert_kept(source, made)
    rows = pyarrow.parquet.ParquetFile(made / "data/chunk-000/file-000.parquet").read().to_pylist()
    said = rows[0]["language_persistent"]
    found = json.loads(said) if version == "0.4" else said
    assert [row["content"] for row in found if row["style"] == "subtask"] == TASKS
    texts = pyarrow.parquet.read_table(made / "meta" / "subtasks.parquet").to_pylist()
    names = {row["subtask_index"]: row["subtask"] for row in texts}
    of_frames = [names[row["subtask_index"]] for row in rows[:20]]
    assert of_frames == [TASKS[0]] * 8 + [TASKS[1]] * 12
    assert f"LeRobot {version}" in (made / "README.md").read_text()
    again = list(read_source(made))
    assert [a.args["text"] for a in again[0].actions] == TASKS


def test_two_tasks_of_an_episode_stay_separate(tmp_path: Path) -> None:
    (first, _) = read_source(robot_set(tmp_path / "robot"))
    assert [(a.t, a.end, a.op, a.args) for a in first.actions] == [
        (0.0, 0.8, "TASK", {"text": TASKS[0]}),
        (0.8, 2.0, "TASK", {"text": TASKS[1]}),
    ]


def test_frames_of_a_task_without_a_text_are_reported(tmp_path: Path) -> None:
    robot = robot_set(tmp_path / "robot")
    assert [episode.flaws for episode in read_source(robot)] == [(), ()]
    (robot / "meta" / "tasks.parquet").unlink()
    for episode in read_source(robot):
        (flaw,) = episode.flaws
        assert (flaw.kind, flaw.where) == ("no_task", "meta/tasks")
        assert flaw.message.startswith("the list of tasks has no text of task 0")


def test_set_with_video_keeps_its_videos(tmp_path: Path, annotated: Made) -> None:
    texts = sorted({a.args["text"] for e in read_source(REAL) for a in e.actions})
    assert_kept(REAL, annotated(REAL, texts))


def test_set_without_an_accepted_record_is_refused(tmp_path: Path) -> None:
    source, run = robot_set(tmp_path / "robot"), tmp_path / "run"
    words = vocabulary(tmp_path / "words.yaml", TASKS)
    cli_commands.run(source, words, run, labeler="rules", role="controller", stride_s=0.5)
    decisions = Decisions(run, "ann")
    for line in read_lines(run / "records.jsonl"):
        decisions.add({"item": line["item"], "decision": "reject"})
    decisions.close()
    about = (run, source, words, tmp_path / "set")
    with pytest.raises(UsageError, match="no records to write"):
        cli_commands.dataset(*about, keep_uncertain=True, form="lerobot")
    assert not (tmp_path / "set").exists()


TRAINED = """
import sys
import torch
from lerobot.configs.types import FeatureType
from lerobot.datasets.lerobot_dataset import LeRobotDataset
from lerobot.datasets.utils import dataset_to_policy_features
from lerobot.policies.act.configuration_act import ACTConfig
from lerobot.policies.act.modeling_act import ACTPolicy

root = sys.argv[1]
whole = LeRobotDataset("bt-exec/labels", root=root)
features = dataset_to_policy_features(whole.meta.features)
outputs = {k: f for k, f in features.items() if f.type is FeatureType.ACTION}
inputs = {k: f for k, f in features.items() if k not in outputs}
config = ACTConfig(input_features=inputs, output_features=outputs, chunk_size=5, n_action_steps=5,
                   dim_model=32, n_heads=2, dim_feedforward=64, n_encoder_layers=1,
                   latent_dim=8, n_vae_encoder_layers=1, pretrained_backbone_weights=None,
                   device="cpu")
times = {"action": [k / whole.fps for k in range(5)]}
data = LeRobotDataset("bt-exec/labels", root=root, delta_timestamps=times)
policy = ACTPolicy(config)
policy.train()
optimizer = torch.optim.AdamW(policy.parameters(), lr=1e-3)
losses = []
for step, batch in zip(range(12), torch.utils.data.DataLoader(data, batch_size=8, shuffle=True)):
    loss, _ = policy.forward({k: v for k, v in batch.items() if torch.is_tensor(v)})
    loss.backward(); optimizer.step(); optimizer.zero_grad()
    losses.append(float(loss))
for _ in range(3):
    for batch in torch.utils.data.DataLoader(data, batch_size=8, shuffle=True):
        loss, _ = policy.forward({k: v for k, v in batch.items() if torch.is_tensor(v)})
        loss.backward(); optimizer.step(); optimizer.zero_grad()
        losses.append(float(loss))
item = whole[10]
print("TRAINED", losses[0], losses[-1], item["task"], item.get("subtask", ""))
"""


@pytest.mark.slow
def test_act_policy_trains_on_an_annotated_set(tmp_path: Path, annotated: Made) -> None:
    if importlib.util.find_spec("lerobot") is None:
        pytest.skip("needs LeRobot and PyTorch: pip install 'lerobot>=0.4,<0.5' torch")
    made = annotated(robot_set(tmp_path / "robot"), TASKS)
    run = subprocess.run(
        [sys.executable, "-c", TRAINED, str(made)], capture_output=True, text=True, timeout=300
    )
    assert run.returncode == 0, run.stderr
    _, first, last, *said = run.stdout.split("TRAINED")[1].split(" ")
    assert float(last) < float(first)
    assert "lift the cube" in " ".join(said)


def test_existing_language_rows_are_not_duplicated() -> None:
    old = [{"style": "plan", "timestamp": 1.0, "content": "a"}, {"style": None, "content": "b"}]
    new = [{"style": "plan", "timestamp": t, "content": c} for t, c in ((1.0, "a"), (2.0, "a"))]
    new += [{"style": "subtask", "timestamp": 1.0, "content": "a"}, {**new[0], "content": "c"}]
    assert _merged_rows(old, new) == [*old, *new[1:]]
    assert _merged_rows([], new) == new
    assert _merged_rows(old, []) == old
