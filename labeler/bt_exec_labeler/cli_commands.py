"""Implementations of the commands ``bt-exec label …``, with plain arguments and results.

In a result, ``lines`` is the text output, and the other keys are the output of ``--json``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bt_exec.failure import UnknownName, UsageError
from bt_exec.files import file_errors
from bt_exec.site.site import load_site
from bt_exec_labeler.batch.command import run
from bt_exec_labeler.batch.output_and_answer_cache import Output, read_lines
from bt_exec_labeler.clips import why_unreadable
from bt_exec_labeler.datasets.command import dataset
from bt_exec_labeler.episode import Episode, Flaw
from bt_exec_labeler.labeler_items import (
    clips_end_s,
    count_moments,
    flaws_of,
    items_of,
    moment_times,
)
from bt_exec_labeler.mid_step_spans import spans_of
from bt_exec_labeler.sources import read_source
from bt_exec_labeler.vocabulary import Vocabulary, load_vocabulary
from bt_exec_llm.client import ModelSettings

__all__ = [
    "check",
    "dataset",
    "draft",
    "episode_figures",
    "replay",
    "report",
    "run",
    "with_client_settings",
]


def draft(site: str, out: Path) -> dict[str, Any]:
    """Write a draft of the vocabulary for a site.

    Raises:
        UsageError: If the file exists, or cannot be written.
    """
    from bt_exec_labeler.vocabulary_draft import draft_vocabulary

    text = draft_vocabulary(site)
    if out.exists():
        raise UsageError(f"{out} exists already; name another file with --out")
    with file_errors(out, "written"), out.open("x", encoding="utf-8") as file:
        file.write(text)
    return {"file": str(out), "lines": [f"{out}: edit it, then run bt-exec label check"]}


def report(
    folder: Path, words: Path, source: Path | None, other: Path | None, html: Path | None
) -> dict[str, Any]:
    """Return the quality figures of a run."""
    from bt_exec_labeler.quality.report import make_report
    from bt_exec_labeler.review.decisions import decisions_of

    output, vocabulary = Output(folder), load_vocabulary(words)
    output.run_settings()  # fails if the folder is not a run
    episodes = None if source is None else {e.id: e for e in read_source(source)}
    against = None if other is None else list(read_lines(other / "records.jsonl"))
    figures: dict[str, Any] = make_report(
        output, vocabulary, episodes, against, html, decisions_of(folder)
    )
    return figures


def replay(folder: Path, item: str | None) -> dict[str, Any]:
    """Run the short goals of recorded missions again and compare their outcomes.

    Raises:
        UsageError: If there is no such record, or its mission cannot be run again.
        UnknownName: If the run has no such item.
    """
    from bt_exec_labeler.short_goal_replay import open_journal, replay_line
    from bt_exec_labeler.short_goal_replay import replay as again

    journal = open_journal(Path(Output(folder).run_settings()["source"]))
    records = {line["item"]: line for line in read_lines(folder / "records.jsonl")}
    if item is not None:
        if item not in records:
            raise UnknownName("record", item, records)
        found = [(item, one) for one in replay_line(records[item], journal)]
    else:
        missions = sorted({line["episode"] for line in records.values()})
        found = [(name, one) for name in missions for one in again(journal.mission(name))]
    lines = [
        f"{'✓' if one.has_same_outcome else '✗'} {name:16} {one.op:16} "
        f"recorded {one.recorded}, now {one.now}"
        for name, one in found
    ]
    different = sum(not one.has_same_outcome for _, one in found)
    lines.append(f"{len(found)} goals, {len(found) - different} end as recorded")
    rows = [{"of": name, **asdict(one)} for name, one in found]
    return {"goals": rows, "different": different, "lines": lines}


_STRIDE_S = 0.5  # default of label run
_TOTALS = ("frames", "actions", "spans", "moments", "flawed", "lost")


def check(source: Path, words: Path) -> dict[str, Any]:
    """Return the figures of a recording: its spans, moments and flaws. Every frame is decoded."""
    vocabulary = load_vocabulary(words)
    rows: list[dict[str, Any]] = []
    flaws: list[dict[str, Any]] = []
    outside = Counter[str]()
    for episode in read_source(source):
        figures, lost = episode_figures(episode, vocabulary)
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
        "lines": list(_overview_lines(rows, flaws, outside, total)),
    }


def episode_figures(episode: Episode, vocabulary: Vocabulary) -> tuple[dict[str, Any], list[Flaw]]:
    """Return the figures of an episode, and a flaw if some of its moments have no frame."""
    spans = spans_of(episode, vocabulary)
    until = clips_end_s(episode, _STRIDE_S)
    wanted = {(s.mid_step_id, t) for s in spans for t in moment_times(s, _STRIDE_S, until)}
    items = [item.without_damaged_frames() for item in items_of(episode, vocabulary, "controller")]
    shown = [item for item in items if item.recent.frames]
    unseen = wanted - {(item.mid_step_id, item.t) for item in shown}
    later = sum(count_moments(s, _STRIDE_S) - count_moments(s, _STRIDE_S, until) for s in spans)
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


def _overview_lines(
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


def with_client_settings(options: Mapping[str, Any], site: str) -> dict[str, Any]:
    """Return the options of a labeler, with the client settings of a site as defaults.

    Args:
        options: Options of the labeler, which take precedence.
        site: Name or file of the site.

    Raises:
        UsageError: If the compiler of the site uses no model.
    """
    settings = load_site(site).compiler.settings()
    client = {key: settings[key] for key in ModelSettings.model_fields if key in settings}
    if not client:
        raise UsageError(
            f"--site {site}: its compiler has no settings of a model; add model, base_url or "
            "prices to compiler"
        )
    given = options.get("client", {})
    return {**options, "client": {**client, **(given if isinstance(given, Mapping) else {})}}
