"""Labelling on the workers of Ray clusters: a temporary one, and one of several nodes.

Skipped if Ray is not installed: ``pip install 'bt-exec[ray]'``.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from bt_exec.batch.store import ResultStore
from bt_exec_labeler import cli_commands
from bt_exec_labeler.batch.output_and_answer_cache import Output
from bt_exec_labeler.batch.run import BATCH, Progress, label_moments
from bt_exec_labeler.episode import Episode
from bt_exec_labeler.labeler_items import Item, items_of
from bt_exec_labeler.labelers import Allowance, Labelled
from bt_exec_labeler.labelers.on_ray import RayLabeler
from bt_exec_labeler.labelers.recorded_action_labeler import RulesLabeler
from bt_exec_labeler.vocabulary import Vocabulary
from bt_exec_llm.testing.messages_replies import text
from bt_exec_llm.testing.messages_server import MessagesServer
from tests.labeler.batch.recordings import answer
from tests.ray_nodes import ray_nodes

ray = pytest.importorskip("ray", reason="pip install 'bt-exec[ray]'")
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::Warning")]  # warnings of Ray


class Mortal(RulesLabeler):
    """Labeler that kills its process once, in the middle of a run."""

    def __init__(self, vocabulary: Vocabulary, mark: Path) -> None:
        super().__init__(vocabulary)
        self.mark = mark
        self.batches = 0

    def label(self, items: Sequence[Item]) -> Sequence[Labelled]:
        self.batches += 1
        if self.batches == 2 and not self.mark.exists():
            self.mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().label(items)

    def usage(self) -> Mapping[str, float]:
        return {"batches": self.batches}


def _mortal(vocabulary: Vocabulary, mark: Path, _: Allowance) -> Mortal:
    return Mortal(vocabulary, mark)


@pytest.fixture
def cluster(vocabulary: Vocabulary, tmp_path: Path) -> Iterator[RayLabeler]:
    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])
    make = partial(_mortal, vocabulary, tmp_path / "killed")
    made = RayLabeler(RulesLabeler(vocabulary), make, 2)
    yield made
    made.close()


def test_batch_of_a_killed_worker_is_repeated_with_the_same_bytes(
    cluster: RayLabeler, episodes: Sequence[Episode], vocabulary: Vocabulary, tmp_path: Path
) -> None:
    items = list(items_of(episodes[0], vocabulary, "planner"))
    labelers: dict[str, Any] = {"here": RulesLabeler(vocabulary), "there": cluster}
    for name, labeler in labelers.items():
        output = Output(tmp_path / name)
        output.create_or_resume({"role": "planner"}, resume=False)
        progress = label_moments(items, labeler, vocabulary, output, workers=2)
        assert (progress.items, progress.batches_failed) == (len(items), {})
        output.write_json_lines()
    assert (tmp_path / "killed").exists()
    for file in ("records.jsonl", "drops.jsonl"):
        assert (tmp_path / "there" / file).read_bytes() == (tmp_path / "here" / file).read_bytes()
    assert cluster.usage()["batches"] >= 1


class Placed(RulesLabeler):
    """Slow labeler that reports its node in its usage."""

    def label(self, items: Sequence[Item]) -> Sequence[Labelled]:
        time.sleep(0.2)
        node = ray.get_runtime_context().get_node_id()
        self.done = {**self.usage(), node: self.usage().get(node, 0.0) + 1}
        return super().label(items)

    def usage(self) -> Mapping[str, float]:
        return dict(getattr(self, "done", {}))


def _placed(vocabulary: Vocabulary, _: Allowance) -> Placed:
    return Placed(vocabulary)


@pytest.fixture
def nodes(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Any, list[Any]]]:
    """Cluster of a head without workers and three nodes of one worker, each a process."""
    with ray_nodes(monkeypatch) as made:
        yield made


def test_batches_of_a_lost_node_are_repeated_with_the_same_bytes(
    nodes: tuple[Any, list[Any]],
    episodes: Sequence[Episode],
    vocabulary: Vocabulary,
    tmp_path: Path,
) -> None:
    cluster, added = nodes
    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])
    items = [item for e in episodes for item in items_of(e, vocabulary, "planner", stride_s=0.25)]
    here, there = Output(tmp_path / "here"), Output(tmp_path / "there")
    here.create_or_resume({"role": "planner"}, resume=False)
    label_moments(items, RulesLabeler(vocabulary), vocabulary, here)
    there.create_or_resume({"role": "planner"}, resume=False)
    labeler = RayLabeler(RulesLabeler(vocabulary), partial(_placed, vocabulary), 3)
    lost: list[str] = []

    def lose(progress: Progress) -> None:
        if not lost and len(labeler.usage()) == len(added):  # each node has worked
            lost.append(added[1].node_id)
            cluster.remove_node(added[1], allow_graceful=False)

    try:
        progress = label_moments(items, labeler, vocabulary, there, workers=3, tell=lose)
    finally:
        labeler.close()
    assert (progress.items, progress.batches_failed) == (len(items), {})
    assert lost
    assert sum(labeler.usage().values()) >= len(items) / BATCH
    for output in (here, there):
        output.write_json_lines()
    for name in ("records.jsonl", "drops.jsonl"):
        assert (there.folder / name).read_bytes() == (here.folder / name).read_bytes()


def test_workers_of_a_cluster_share_a_budget(game: Path, tmp_path: Path) -> None:
    prices = {"input": 2.5, "output": 10}
    bill = {"input_tokens": 1000, "output_tokens": 100}
    with MessagesServer([lambda body: text(answer(body), usage=bill)]) as server:
        client = {"base_url": server.url, "tier": "text", "prices": prices}
        for resume in (False, True):
            found = cli_commands.run(
                game,
                game / "vocabulary.yaml",
                tmp_path / "run",
                labeler="model",
                role="controller",
                options={"client": client, "items": 2},
                workers=3,
                budget={"requests": 7, "cost": 10.0},
                no_cache=True,
                resume=resume,
                engine="ray",
            )
            assert found["stopped"] == "the budget of 7 requests is used up"
        assert len(server.requests) == 7
        spent = ResultStore(tmp_path / "run" / "run.sqlite").spent()
        assert spent == pytest.approx({"requests": 7, "tokens": 7 * 1100, "cost": 7 * 0.0035})
