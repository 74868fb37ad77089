"""Rows of the two training sets, from records and their recordings.

Planner: ``recent_clip + summary_clip + mid_step + retrieved_memory -> plan_json``. Controller:
``recent_clip + mid_step -> plan_json``, with the span that the record belongs to.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from bt_exec_labeler.clips import RECENT, SUMMARY, Clip, cut
from bt_exec_labeler.datasets.memory import Memory
from bt_exec_labeler.episode import Episode, Frame
from bt_exec_labeler.items import Role
from bt_exec_labeler.quality.contradictions import facts_at
from bt_exec_labeler.spans import Span, spans_of
from bt_exec_labeler.splits import Split
from bt_exec_labeler.vocabulary import Vocabulary

__all__ = ["clip_columns", "rows_of", "span_at"]


def rows_of(
    role: Role,
    lines: Sequence[Mapping[str, Any]],
    episodes: Mapping[str, Episode],
    vocabulary: Vocabulary,
    splits: Mapping[str, Split],
    keep: Callable[[Frame], Any],
) -> Iterator[dict[str, Any]]:
    """Return the rows of a training set, in the order of the records.

    Args:
        role: Role that the set is for.
        lines: Selected lines of ``records.jsonl``.
        episodes: The recordings by name.
        vocabulary: Vocabulary of the records.
        splits: Split of each episode.
        keep: Function that returns a frame in the format of a row.
    """
    language = vocabulary.languages[0]
    texts = {name: step.said(language) for name, step in vocabulary.mid_steps.items()}
    about = {name: episode.command for name, episode in episodes.items()}
    memory = Memory(lines, about, texts, splits) if role == "planner" else None
    spans = {name: spans_of(episode, vocabulary) for name, episode in episodes.items()}
    for line in lines:
        episode, t = episodes[line["episode"]], float(line["t"])
        row = {
            "id": line["item"],
            "episode": episode.id,
            "split": splits[episode.id],
            "t": t,
            "command": episode.command,
            "facts": json.dumps(facts_at(episode, t), ensure_ascii=False),
            "mid_step_id": line["mid_step_id"],
            "mid_step_text": texts[line["mid_step_id"]],
            "flaws": [flaw["message"] for flaw in line.get("flaws", ())],
            **_action_outcome(spans[episode.id], t, line["mid_step_id"]),
            **clip_columns(cut(episode, t, RECENT), keep),
        }
        if memory is not None:
            row |= clip_columns(cut(episode, t, SUMMARY), keep)
            row["retrieved_memory"] = json.dumps(memory.at(line), ensure_ascii=False)
        else:
            span = span_at(spans[episode.id], t, line["mid_step_id"])
            row |= {"span_start": span.t if span else t, "span_end": span.end if span else t}
        row["plan_json"] = json.dumps(line["record"], ensure_ascii=False)
        yield row


def clip_columns(clip: Clip, keep: Callable[[Frame], Any]) -> dict[str, Any]:
    """Return the readable frames of a clip and their times."""
    name, frames = clip.form.name, clip.readable().frames
    return {
        f"{name}_clip": [keep(frame) for frame in frames],
        f"{name}_times": [round(frame.t - clip.t, 3) for frame in frames],
    }


def span_at(spans: Sequence[Span], t: float, step: str) -> Span | None:
    """Return the span of a moment; of two attempts the later one."""
    found = [span for span in spans if span.mid_step_id == step and span.t <= t <= span.end]
    return max(found, key=lambda span: span.t) if found else None


def _action_outcome(spans: Sequence[Span], t: float, step: str) -> dict[str, str]:
    """Return the success of the action at a moment, and the reaction to a failure."""
    span = span_at(spans, t, step)
    if span is None:
        return {"kind": "step", "code": "", "then": ""}
    then = span.after if span.kind == "failure" else None
    said = json.dumps({"op": then.op, "args": dict(then.args)}, default=str) if then else ""
    return {"kind": span.kind, "code": span.code, "then": said}
