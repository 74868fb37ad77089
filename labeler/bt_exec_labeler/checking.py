"""Implementation of ``bt-exec label check``: moments to be labelled, and flaws."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bt_exec_labeler.episode import Episode, Flaw
from bt_exec_labeler.items import count_of, flaws_of, items_of, moments, shown_until
from bt_exec_labeler.pictures import why_unreadable
from bt_exec_labeler.sources import read_source
from bt_exec_labeler.spans import spans_of
from bt_exec_labeler.vocabulary import Vocabulary, load_vocabulary

__all__ = ["check", "figures_of"]

_STRIDE_S = 0.5  # default of label run
_TOTALS = ("frames", "actions", "spans", "moments", "flawed", "lost")


def check(source: Path, words: Path) -> dict[str, Any]:
    """Return the moments of a recording that would be labelled; every frame is decoded."""
    vocabulary = load_vocabulary(words)
    rows: list[dict[str, Any]] = []
    flaws: list[dict[str, Any]] = []
    outside = Counter[str]()
    for episode in read_source(source):
        figures, lost = figures_of(episode, vocabulary)
        found = [*episode.flaws, *_damaged_frames(episode), *lost]
        flaws += [{"episode": episode.id, **asdict(flaw)} for flaw in found]
        outside.update(a.op for a in episode.actions if not vocabulary.step_of(a.op, a.args))
        rows.append({"episode": episode.id, **figures})
    total = {key: sum(row[key] for row in rows) for key in _TOTALS}
    return {
        "episodes": rows,
        "flaws": flaws,
        "outside": dict(outside),
        "total": total,
        "lines": list(_lines(rows, flaws, outside, total)),
    }


def figures_of(episode: Episode, vocabulary: Vocabulary) -> tuple[dict[str, Any], list[Flaw]]:
    """Return the figures of an episode, and a flaw for moments without a frame."""
    spans = spans_of(episode, vocabulary)
    until = shown_until(episode, _STRIDE_S)
    wanted = {(s.mid_step_id, t) for s in spans for t in moments(s, _STRIDE_S, until)}
    items = [item.readable() for item in items_of(episode, vocabulary, "controller")]
    shown = [item for item in items if item.recent.frames]
    unseen = wanted - {(item.mid_step_id, item.t) for item in shown}
    later = sum(count_of(s, _STRIDE_S) - count_of(s, _STRIDE_S, until) for s in spans)
    lost = len(unseen) + later
    flaws = []
    if lost:
        first = min((t for _, t in unseen), default=until)
        message = f"no frame shows {lost} moments, the first at {first:g} s; they are lost"
        flaws.append(Flaw("lost", episode.id, message))
    figures = {
        "seconds": round(episode.duration_s, 2),
        "frames": len(episode.frames),
        "actions": len(episode.actions),
        "spans": len(spans),
        "moments": len(shown),
        "flawed": sum(bool(flaws_of(item)) for item in shown),
        "lost": lost,
    }
    return figures, flaws


def _damaged_frames(episode: Episode) -> Iterator[Flaw]:
    for frame in episode.frames:
        if why := why_unreadable(frame):
            yield Flaw("damaged", frame.name, f"cannot be decoded: {why}")


def _lines(
    rows: list[dict[str, Any]],
    flaws: list[dict[str, Any]],
    outside: Counter[str],
    total: dict[str, int],
) -> Iterator[str]:
    for row in rows:
        yield (
            f"{row['episode']:24} {row['seconds']:8.1f} s  {row['frames']:5} frames  "
            f"{row['actions']:4} actions  {row['spans']:4} spans  {row['moments']:5} moments"
        )
    yield from (f"! {f['episode']}: {f['where']}: {f['message']} ({f['kind']})" for f in flaws)
    yield from (f"! {op}: {n} actions belong to no mid step" for op, n in sorted(outside.items()))
    if total["flawed"]:
        yield f"! {total['flawed']} moments are flawed: they are labelled and marked"
    yield f"{len(rows)} episodes, {total['spans']} spans, {total['moments']} moments"
