"""Labels on the workers of a Ray cluster on this machine; skipped where Ray is not installed."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from bt_exec_labeler.batch.parts import Output
from bt_exec_labeler.batch.run import run
from bt_exec_labeler.episode import Episode
from bt_exec_labeler.items import Item, items_of
from bt_exec_labeler.labelers import Labelled
from bt_exec_labeler.labelers.on_ray import RayLabeler
from bt_exec_labeler.labelers.rules import RulesLabeler
from bt_exec_labeler.vocabulary import Vocabulary

ray = pytest.importorskip("ray", reason="ray is not installed")
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::Warning")]  # Ray's own


class Mortal(RulesLabeler):
    """Kills its own process once, in the middle of a run."""

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


@pytest.fixture
def cluster(vocabulary: Vocabulary, tmp_path: Path) -> Iterator[RayLabeler]:
    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])
    make = partial(Mortal, vocabulary, tmp_path / "killed")
    made = RayLabeler(RulesLabeler(vocabulary), make, 2)
    yield made
    made.close()


def test_a_killed_workers_batch_is_done_again_to_the_same_bytes(
    cluster: RayLabeler, episodes: Sequence[Episode], vocabulary: Vocabulary, tmp_path: Path
) -> None:
    items = list(items_of(episodes[0], vocabulary, "planner"))
    labelers: dict[str, Any] = {"here": RulesLabeler(vocabulary), "there": cluster}
    for name, labeler in labelers.items():
        output = Output(tmp_path / name)
        output.begin({"role": "planner"}, resume=False)
        progress = run(items, labeler, vocabulary, output, workers=2)
        assert (progress.items, progress.batches_failed) == (len(items), {})
        output.join()
    assert (tmp_path / "killed").exists()
    files = [path.relative_to(tmp_path / "here") for path in (tmp_path / "here").rglob("*.jsonl")]
    assert len(files) > 5
    for file in files:
        assert (tmp_path / "there" / file).read_bytes() == (tmp_path / "here" / file).read_bytes()
    assert cluster.usage()["batches"] >= 1
