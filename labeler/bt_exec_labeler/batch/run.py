"""Labelling run: sends batches of unlabelled moments to a labeler and stores its answers.

A batch contains moments of one episode. A moment is identified by the digest of its content.
Therefore, a run that is resumed after a change of the recording labels only new or changed moments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from itertools import groupby, islice
from typing import Any, NamedTuple, Self

from bt_exec.batch.store import Changes, ResultStore
from bt_exec_labeler.batch.budget import Budget
from bt_exec_labeler.batch.output_and_answer_cache import Cache, Output
from bt_exec_labeler.labeler_items import Item, cache_key, content_key, flaws_of
from bt_exec_labeler.labelers import Labeler, LabelerFailure, Labelled, Pipelined
from bt_exec_labeler.plan_record import Breach, Record, build_record, read_record
from bt_exec_labeler.vocabulary import Vocabulary

__all__ = ["BATCH", "Progress", "label_batch", "label_moments"]

BATCH = 8
"""Maximum number of moments in a batch."""

_FAILED_IN_A_ROW = 3  # number of consecutive failed batches after which a run stops
_UNSAVED = 64 * BATCH  # maximum number of answers waiting to be written


class _Done(NamedTuple):
    """Outcome of a batch: lines with their keys, and the failure if some moments got no answer."""

    lines: Sequence[tuple[str, dict[str, Any]]]
    failure: LabelerFailure | None = None


@dataclass
class Progress:
    """State of a run.

    Attributes:
        items: Number of finished moments, including those of earlier runs.
        records: Number of finished moments that have a record.
        cached: Number of finished moments whose answer came from the cache.
        batches_failed: Number of batches with unanswered moments, by failure code.
        stopped: Why the run ended before all moments were done; empty if it did not.
        usage: Expenses of the labeler in this run.
        changes: Changes of the recording since the previous run.
    """

    items: int = 0
    records: int = 0
    cached: int = 0
    batches_failed: dict[str, int] = field(default_factory=dict)
    stopped: str = ""
    usage: Mapping[str, float] = field(default_factory=dict)
    changes: Changes = field(default_factory=Changes)


def label_moments(
    items: Iterable[Item],
    labeler: Labeler,
    vocabulary: Vocabulary,
    output: Output,
    *,
    cache: Cache | None = None,
    budget: Budget | None = None,
    workers: int = 4,
    tell: Callable[[Progress], None] = lambda _: None,
    stop: Callable[[], bool] = lambda: False,
) -> Progress:
    """Label the moments that have no answer yet.

    Args:
        items: All moments of the recording; iterated twice.
        labeler: Labeler of the moments.
        vocabulary: Vocabulary of the records; part of the cache keys.
        output: Output folder, on which `Output.begin` was called.
        cache: Cache of earlier answers, or None.
        budget: Limits for labelers that do not reserve their expenses.
        workers: Number of batches that are labelled concurrently.
        tell: Called with the progress after the recording was read, and after every batch.
        stop: Called before every batch; if it returns True, the run ends after the requests in
            flight.
    """
    store, progress = output.result_store, Progress()
    progress.changes = store.replace_items((content_key(item), item.id) for item in items)
    _count_lines(progress, store.results_in_order())
    tell(progress)
    left = store.unanswered_keys()
    in_a_row = 0

    def take_finished(futures: Iterable[Future[_Done]]) -> None:
        nonlocal in_a_row
        for future in futures:
            lines, failure = future.result()
            saving.put(lines)
            _count_lines(progress, [line for _, line in lines])
            in_a_row = in_a_row + 1 if failure is not None else 0
            if failure is None:
                continue
            codes = progress.batches_failed
            codes[failure.code] = codes.get(failure.code, 0) + 1
            if failure.code == "BUDGET_SPENT":
                progress.stopped = str(failure)
            elif in_a_row >= _FAILED_IN_A_ROW and not progress.stopped:
                progress.stopped = f"{in_a_row} batches in a row got no answer: {failure}"
        progress.usage = labeler.usage()
        if budget is not None:
            progress.stopped = progress.stopped or budget.exceeded_limit(progress.usage)
        tell(progress)

    threads = workers
    if isinstance(labeler, Pipelined):
        labeler.limit_requests(workers)
        threads += (workers + 1) // 2  # some prepare batches while others wait for answers
    with _Saving(store) as saving, ThreadPoolExecutor(threads, "labeler") as pool:
        waiting: set[Future[_Done]] = set()
        for batch in _batches(items, left):
            waiting.add(pool.submit(_label_remaining, batch, labeler, vocabulary, cache))
            if len(waiting) >= threads + (workers + 1) // 2:  # a few wait in the queue
                finished, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                take_finished(finished)
            if stop():
                progress.stopped = progress.stopped or "it was asked to stop"
            if progress.stopped:
                break
        take_finished(waiting)
    return progress


class _Saving:
    """Writer thread for answers. Answers that arrive during a write share the next transaction.

    Args:
        store: Store of the answers.
    """

    def __init__(self, store: ResultStore) -> None:
        self._store = store
        self._thread = ThreadPoolExecutor(1, "saving")
        self._lines: list[tuple[str, dict[str, Any]]] = []
        self._write: Future[None] | None = None

    def put(self, lines: Sequence[tuple[str, dict[str, Any]]]) -> None:
        """Queue answers for writing; block while too many are queued.

        Raises:
            UsageError: If earlier answers could not be written.
        """
        self._lines += lines
        if self._write is not None and (self._write.done() or len(self._lines) > _UNSAVED):
            self._write.result()
            self._write = None
        if self._write is None and self._lines:
            self._write = self._thread.submit(self._store.put, self._lines)
            self._lines = []

    def __enter__(self) -> Self:
        """Return this writer."""
        return self

    def __exit__(self, *_: object) -> None:
        """Wait until everything is written."""
        with self._thread:
            if self._write is not None:
                self._write.result()
            self._store.put(self._lines)


def label_batch(
    batch: Mapping[str, Item], labeler: Labeler, vocabulary: Vocabulary, cache: Cache | None
) -> tuple[list[tuple[str, dict[str, Any]]], LabelerFailure | None]:
    """Return the key and the line of each answered item of a batch, and the failure or None.

    Args:
        batch: Items by key.
        labeler: Labeler of the moments.
        vocabulary: Vocabulary of the records; part of the cache keys.
        cache: Cache of earlier answers, or None.
    """
    batch = {key: item.without_damaged_frames() for key, item in batch.items()}
    blind = {key: item for key, item in batch.items() if not item.recent.frames}
    shown = {key: item for key, item in batch.items() if key not in blind}
    kept = {key: cache_key(item, vocabulary) for key, item in shown.items()} if cache else {}
    known = cache.get(list(kept.values())) if cache is not None else {}
    known = {name: line for name, line in known.items() if _is_still_valid(line, vocabulary)}
    asked = {key: item for key, item in shown.items() if kept.get(key) not in known}
    failure = None
    try:
        answers = dict(enumerate(labeler.label(list(asked.values())) if asked else ()))
    except LabelerFailure as raised:
        answers, failure = raised.done, raised
    found = {key: answers[n] for n, key in enumerate(asked) if n in answers}
    found |= {key: _dropped_result(item) for key, item in blind.items()}
    lines: list[tuple[str, dict[str, Any]]] = []
    fresh = {}
    for key, item in batch.items():
        if key in found:
            said = _cache_entry(found[key], labeler.name)
            lines.append((key, _output_line(item, vocabulary, said, cached=False)))
            if key in kept and found[key].record is not None:
                fresh[kept[key]] = said
        elif key in kept and kept[key] in known:
            lines.append((key, _output_line(item, vocabulary, known[kept[key]], cached=True)))
    if cache is not None and fresh:
        cache.put(fresh)
    return lines, failure


def _label_remaining(
    batch: Mapping[str, Item], labeler: Labeler, vocabulary: Vocabulary, cache: Cache | None
) -> _Done:
    return _Done(*label_batch(batch, labeler, vocabulary, cache))


def _batches(items: Iterable[Item], left: set[str]) -> Iterator[dict[str, Item]]:
    """Yield batches of the items whose keys are in `left`, and remove these keys from it.

    A batch maps keys to items of one episode.
    """
    for _, episode in groupby(items, key=lambda item: item.episode.id):
        keyed = ((content_key(item), item) for item in episode)
        wanted = ((key, item) for key, item in keyed if key in left)
        while batch := dict(islice(wanted, BATCH)):
            left.difference_update(batch)
            yield batch


def _is_still_valid(line: Mapping[str, Any], vocabulary: Vocabulary) -> bool:
    """Return True if a cached record is valid with the current vocabulary."""
    return isinstance(read_record(line["record"], vocabulary), Record)


def _dropped_result(item: Item) -> Labelled:
    """Return the result that drops an item without a decodable frame."""
    whys = item.recent.damaged
    return Labelled(None, tuple(Breach("DAMAGED_FRAME", "clip", why) for why in whys), 0)


def _cache_entry(found: Labelled, labeler: str) -> dict[str, Any]:
    """Return a result as plain data for the cache."""
    record = None if found.record is None else found.record.to_dict()
    why = [{"code": b.code, "where": b.where, "message": b.message} for b in found.breaches]
    provenance = {"labeler": labeler, "attempts": found.attempts, **found.provenance}
    return {"record": record, "why": why, "provenance": provenance}


def _output_line(
    item: Item, vocabulary: Vocabulary, kept: Mapping[str, Any], *, cached: bool
) -> dict[str, Any]:
    """Return the output line of an item, with ``schema_version`` and ``plan_id`` in its record."""
    record = kept["record"]
    return {
        "item": item.id,
        "role": item.role,
        "episode": item.episode.id,
        "t": item.t,
        "mid_step_id": item.mid_step_id,
        "record": record
        and build_record(Record.from_dict(record), vocabulary, item.episode.id, item.t),
        "why": kept["why"],
        "kind": "step" if item.span is None else item.span.kind,
        "flaws": flaws_of(item),
        "provenance": {**kept["provenance"], "cached": cached},
    }


def _count_lines(progress: Progress, lines: Iterable[Mapping[str, Any]]) -> None:
    for line in lines:
        progress.items += 1
        progress.records += line["record"] is not None
        progress.cached += bool(line["provenance"].get("cached"))
