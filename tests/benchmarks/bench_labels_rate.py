"""Throughput and memory of labelling synthetic clips, beside a bare client with as many requests.

A scripted model takes 0.1 s for every batch of eight, with four requests at a time. The bare client
sends the same number of requests, without clips, vocabulary, cache or output. A second run over the
same clips must send none. ``python tests/benchmarks/bench_labels_rate.py [CLIPS]``; 10,000 by
default.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bt_exec_labeler.batch.output_and_answer_cache import Cache, Output
from bt_exec_labeler.batch.run import BATCH, Progress, label_moments
from bt_exec_labeler.clips import RECENT, cut_clip
from bt_exec_labeler.episode import Episode, Image
from bt_exec_labeler.labeler_items import ControllerItem, Item
from bt_exec_labeler.labelers.model_labeler import ModelLabeler
from bt_exec_labeler.testing.toy_game_episodes import VOCABULARY
from bt_exec_labeler.vocabulary import Vocabulary
from bt_exec_llm.client import Question, Turn
from bt_exec_llm.testing.scripted_model import ScriptedModel

THINKS_S = 0.1
WORKERS = 4
PER_EPISODE = 104
SAID = {
    "mid_step_id": "rest",
    "short_goal_dsl": [{"op": "REST", "args": {}}],
    "horizon_steps": 4,
    "terminate_on": "strict_horizon",
    "done_evidence": [],
    "fallback_if_failed": [],
    "uncertainty": "low",
}
REPLY = json.dumps({"items": [{"item": n, "record": SAID} for n in range(1, BATCH + 1)]})


@dataclass(frozen=True, slots=True)
class Noise:
    """A random frame, drawn on access."""

    t: float
    seed: int

    @property
    def name(self) -> str:
        return str(self.seed)

    def image(self) -> Image:
        return np.random.default_rng(self.seed).integers(0, 255, (48, 64, 3), np.uint8)

    def digest(self) -> str:
        return str(self.seed)


@dataclass(frozen=True, slots=True)
class Clips:
    """Clips of the required number of episodes, created on each iteration."""

    count: int

    def __iter__(self) -> Iterator[Item]:
        for first in range(0, self.count, PER_EPISODE):
            frames = tuple(Noise(0.5 * n, first + n) for n in range(PER_EPISODE))
            episode = Episode(f"noise_{first:06d}", frames)
            for frame in frames[: self.count - first]:
                yield ControllerItem(episode, frame.t, "rest", cut_clip(episode, frame.t, RECENT))


class Model:
    """Scripted model without history, so that it does not affect the measured memory."""

    def __init__(self) -> None:
        self.count = 0
        self.model = ScriptedModel([self.reply], seconds=THINKS_S)

    def reply(self, _: Question) -> str:
        self.count += 1
        self.model.asked.clear()
        return REPLY


def rss_mb() -> float:
    """Return the resident memory of this process [MB]."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 1e6


def bare(count: int) -> float:
    """Return the time of the same number of bare requests [s]."""
    model, questions = Model(), [Turn.user("Answer.")]
    began = time.perf_counter()
    with ThreadPoolExecutor(WORKERS) as pool:
        list(pool.map(lambda _: model.model.ask(Question([], questions)), range(count // BATCH)))
    return time.perf_counter() - began


def labelled(
    count: int, folder: Path, name: str
) -> tuple[float, float, int, Progress, list[float]]:
    """Return duration, processor time, requests, outcome, and memory during the run."""
    vocabulary, model = Vocabulary.model_validate(VOCABULARY), Model()
    labeler = ModelLabeler(model.model, "controller", vocabulary)
    output, cache, memory = Output(folder / name), Cache(folder / "cache.sqlite"), [0.0]
    output.create_or_resume({"name": name}, resume=False)
    memory.clear()
    began, worked = time.perf_counter(), time.process_time()
    progress = label_moments(
        Clips(count),
        labeler,
        vocabulary,
        output,
        cache=cache,
        workers=WORKERS,
        tell=lambda _: memory.append(rss_mb()),
    )
    output.write_json_lines()
    cache.close()
    spent = time.perf_counter() - began, time.process_time() - worked
    return *spent, model.count, progress, memory


def main(count: int) -> None:
    """Print the figures."""
    count -= count % BATCH
    alone = bare(count)
    with tempfile.TemporaryDirectory() as folder:
        took, worked, asked, progress, memory = labelled(count, Path(folder), "first")
        quarter, end = memory[len(memory) // 4], memory[-1]
        assert progress.records == count, progress
        print(f"{count} clips in {took:.1f} s: {count / took:.0f} a second, {asked} requests")
        print(f"bare client: {alone:.1f} s; the run reaches {alone / took:.2f} of its rate")
        print(f"processor: {1000 * worked / count:.2f} ms a clip")
        print(f"memory: {quarter:.0f} MB after a quarter, {end:.0f} MB at the end")
        took, _, asked, progress, _ = labelled(count, Path(folder), "second")
        print(f"again: {took:.1f} s, {asked} requests, {progress.cached} from the cache")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
