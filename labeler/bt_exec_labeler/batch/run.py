"""A run: items in batches to a labeler, answers to parts, within a budget, killed or not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, TypeAlias

from bt_exec_labeler.batch.cache import Cache
from bt_exec_labeler.batch.parts import Output
from bt_exec_labeler.items import Item, cache_key
from bt_exec_labeler.labelers import Labeler, LabelerFailure, Labelled
from bt_exec_labeler.record import Record, built, read_record
from bt_exec_labeler.vocabulary import Vocabulary

__all__ = ["BATCH", "Budget", "Progress", "label_batch", "run"]

BATCH = 8
"""Items of a batch."""

_Done: TypeAlias = tuple[int, list[dict[str, Any]] | LabelerFailure]
"""Number of a batch, and its lines or why there are none."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What a run may cost; None is no limit.

    Attributes:
        requests: How many requests may be sent.
        tokens: How many tokens may go in and come out.
        cost: How much may be spent, in the currency of the client's prices.
    """

    requests: float | None = None
    tokens: float | None = None
    cost: float | None = None

    def exceeded(self, usage: Mapping[str, float]) -> str:
        """Return which limit is reached, in words; empty if none is."""
        tokens = sum(value for name, value in usage.items() if name.endswith("_tokens"))
        requests, cost = usage.get("requests", 0.0), usage.get("cost", 0.0)
        for name, value in (("requests", requests), ("tokens", tokens), ("cost", cost)):
            limit = getattr(self, name)
            if limit is not None and value >= limit:
                return f"the budget of {limit:g} {name} is used up"
        return ""


@dataclass
class Progress:
    """How far a run is.

    Attributes:
        items: Items that are done, those of earlier runs included.
        records: How many of them have a record.
        cached: How many were answered by the cache.
        batches_failed: Batches that got no answer, by code.
        stopped: Why the run ended before its items did; empty if it did not.
        usage: What the labeler cost in this run.
    """

    items: int = 0
    records: int = 0
    cached: int = 0
    batches_failed: dict[str, int] = field(default_factory=dict)
    stopped: str = ""
    usage: Mapping[str, float] = field(default_factory=dict)


def run(
    items: Iterable[Item],
    labeler: Labeler,
    vocabulary: Vocabulary,
    output: Output,
    *,
    cache: Cache | None = None,
    budget: Budget = Budget(),
    workers: int = 4,
    failures: int = 3,
    tell: Callable[[Progress], None] = lambda _: None,
    stop: Callable[[], bool] = lambda: False,
) -> Progress:
    """Label items; batches that are there already are not done again.

    Args:
        items: In an order that is the same each time.
        labeler: Who labels.
        vocabulary: For the records and the cache's keys.
        output: Where the parts go; `Output.begin` was called.
        cache: What was answered before, or None.
        budget: What it may cost; the batch that exceeds it is the last.
        workers: How many batches are asked about at the same time.
        failures: After so many batches in a row without an answer the run stops.
        tell: Called after every batch.
        stop: Asked before every batch; true ends the run, what is in flight is finished.
    """
    progress, done = Progress(), output.done()
    in_a_row = 0
    batches = enumerate(_batches(items))

    def finish(
        futures: Iterable[Future[_Done]],
    ) -> None:
        nonlocal in_a_row
        for future in futures:
            number, lines = future.result()
            if isinstance(lines, LabelerFailure):
                in_a_row += 1
                codes = progress.batches_failed
                codes[lines.code] = codes.get(lines.code, 0) + 1
                if in_a_row >= failures:
                    progress.stopped = f"{in_a_row} batches in a row got no answer: {lines}"
                continue
            in_a_row = 0
            output.put(number, lines)
            _count(progress, lines)
        progress.usage = labeler.usage()
        progress.stopped = progress.stopped or budget.exceeded(progress.usage)
        tell(progress)

    with ThreadPoolExecutor(workers, "labeler") as pool:
        waiting: set[Future[_Done]] = set()
        for number, batch in batches:
            if number in done:
                continue
            waiting.add(pool.submit(_work, number, batch, labeler, vocabulary, cache))
            if len(waiting) >= workers:
                finished, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                finish(finished)
            if stop():
                progress.stopped = progress.stopped or "it was asked to stop"
            if progress.stopped:
                break
        finish(waiting)
    for number in sorted(done):
        _count(progress, output.part(number))
    return progress


def label_batch(
    batch: Sequence[Item], labeler: Labeler, vocabulary: Vocabulary, cache: Cache | None
) -> list[dict[str, Any]]:
    """Return what became of a batch, a line for each item, in their order.

    Raises:
        LabelerFailure: If nobody answers.
    """
    keys = [_key(item, vocabulary) for item in batch] if cache is not None else [""] * len(batch)
    known = cache.get([key for key in keys if key]) if cache is not None else {}
    known = {key: line for key, line in known.items() if _allowed(line, vocabulary)}
    asked = [item for item, key in zip(batch, keys, strict=True) if key not in known]
    answered = iter(labeler.label(asked) if asked else ())
    lines, fresh = [], {}
    for item, key in zip(batch, keys, strict=True):
        if key in known:
            lines.append(_line(item, vocabulary, known[key], cached=True))
            continue
        found = next(answered)
        kept = _kept(found, labeler.name)
        lines.append(_line(item, vocabulary, kept, cached=False))
        if key and found.record is not None:
            fresh[key] = kept
    if cache is not None and fresh:
        cache.put(fresh)
    return lines


def _work(
    number: int,
    batch: Sequence[Item],
    labeler: Labeler,
    vocabulary: Vocabulary,
    cache: Cache | None,
) -> _Done:
    try:
        return number, label_batch(batch, labeler, vocabulary, cache)
    except LabelerFailure as failure:
        return number, failure


def _batches(items: Iterable[Item]) -> Iterator[list[Item]]:
    """Return items in batches, taken when they are needed."""
    left = iter(items)
    while batch := list(islice(left, BATCH)):
        yield batch


def _allowed(line: Mapping[str, Any], vocabulary: Vocabulary) -> bool:
    """Whether a record that was kept may still be said: a list may have changed since."""
    return isinstance(read_record(line["record"], vocabulary), Record)


def _key(item: Item, vocabulary: Vocabulary) -> str:
    """Return the cache's key, or "" for an item whose frames cannot be read."""
    try:
        return cache_key(item, vocabulary)
    except (OSError, ValueError):
        return ""


def _kept(found: Labelled, labeler: str) -> dict[str, Any]:
    """Return what is known of an answer without its item."""
    record = None if found.record is None else found.record.to_dict()
    why = [{"code": b.code, "where": b.where, "message": b.message} for b in found.breaches]
    provenance = {"labeler": labeler, "attempts": found.attempts, **found.provenance}
    return {"record": record, "why": why, "provenance": provenance}


def _line(
    item: Item, vocabulary: Vocabulary, kept: Mapping[str, Any], *, cached: bool
) -> dict[str, Any]:
    """Return the line of an item; only here a record gets what the builder alone writes."""
    record = kept["record"]
    return {
        "item": item.id,
        "role": item.role,
        "episode": item.episode.id,
        "t": item.t,
        "mid_step_id": item.mid_step_id,
        "record": record and built(Record.from_dict(record), vocabulary, item.episode.id, item.t),
        "why": kept["why"],
        "provenance": {**kept["provenance"], "cached": cached},
    }


def _count(progress: Progress, lines: Sequence[Mapping[str, Any]]) -> None:
    progress.items += len(lines)
    progress.records += sum(line["record"] is not None for line in lines)
    progress.cached += sum(bool(line["provenance"].get("cached")) for line in lines)
