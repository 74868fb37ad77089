"""Rows of the training sets, built from records, replies and recorded episodes.

Planner: ``recent_clip + summary_clip + mid_step + retrieved_memory -> plan_json``. Controller:
``recent_clip + mid_step -> plan_json``, with the span of the record.

The memory of a record contains earlier records of the same episode, and similar records of other
training episodes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from bt_exec.failure import UsageError
from bt_exec_labeler.clips import RECENT, SUMMARY, Clip, cut_clip
from bt_exec_labeler.episode import Episode, Frame
from bt_exec_labeler.labeler_items import Role
from bt_exec_labeler.mid_step_spans import Span, spans_of
from bt_exec_labeler.quality.checks import facts_at
from bt_exec_labeler.splits import Split
from bt_exec_labeler.vocabulary import Vocabulary

__all__ = ["Memory", "clip_columns", "reply_rows", "reply_strata", "rows_of", "span_at"]


_EARLIER = 3
_SIMILAR = 2


class Memory:
    """Search index of the records that a planner gets as its memory.

    Args:
        lines: Lines of ``records.jsonl``.
        about: Command of each episode, by episode name.
        texts: Text of each mid step, by its id.
        splits: Split of each episode, by episode name.

    Raises:
        UsageError: If the search library is not installed.
    """

    def __init__(
        self,
        lines: Sequence[Mapping[str, Any]],
        about: Mapping[str, str],
        texts: Mapping[str, str],
        splits: Mapping[str, Split],
    ) -> None:
        try:
            import bm25s
        except ImportError:
            raise UsageError("memory needs bm25s: pip install 'bt-exec[label]'") from None

        self._search = bm25s
        self._about, self._texts = about, texts
        self._by_episode: dict[str, list[Mapping[str, Any]]] = {}
        for line in sorted(lines, key=lambda line: line["t"]):
            self._by_episode.setdefault(line["episode"], []).append(line)
        self._firsts = [
            line
            for episode, found in sorted(self._by_episode.items())
            if splits.get(episode) == "train"
            for line in _first_of_each_step(found)
        ]
        self._index: Any = None
        if self._firsts:
            self._index = bm25s.BM25()
            words = self._tokens([self._step_text(line) for line in self._firsts])
            self._index.index(words, show_progress=False)

    def entries_for(self, line: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return the memory for a record: earlier steps, then similar records, nearest first."""
        return [
            *map(_memory_row, self._earlier_steps(line)),
            *map(_memory_row, self._similar_records(line)),
        ]

    def _earlier_steps(self, line: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        """Return the last record of each earlier mid step in the same episode, newest first."""
        before = [one for one in self._by_episode[line["episode"]] if one["t"] < line["t"]]
        steps = {one["mid_step_id"]: one for one in before if one["record"] is not None}
        steps.pop(line["mid_step_id"], None)
        newest = sorted(steps.values(), key=lambda one: -one["t"])
        return newest[:_EARLIER]

    def _similar_records(self, line: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        """Return similar records of other training episodes."""
        if self._index is None:
            return []
        query = self._tokens([self._step_text(line)])
        count = min(len(self._firsts), _SIMILAR + len(self._by_episode[line["episode"]]))
        places, scores = self._index.retrieve(query, k=count, show_progress=False)
        found = [
            self._firsts[int(place)]
            for place, score in zip(places[0], scores[0], strict=True)
            if score > 0
        ]
        return [one for one in found if one["episode"] != line["episode"]][:_SIMILAR]

    def _step_text(self, line: Mapping[str, Any]) -> str:
        command = self._about.get(line["episode"], "")
        return f"{line['mid_step_id']} {self._texts.get(line['mid_step_id'], '')} {command}"

    def _tokens(self, texts: list[str]) -> Any:
        # by default, words of one letter and stop words are not indexed
        words = {"token_pattern": r"\w+", "stopwords": None}
        return self._search.tokenize(texts, show_progress=False, **words)


def _first_of_each_step(lines: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    steps: dict[str, Mapping[str, Any]] = {}
    for line in lines:
        steps.setdefault(line["mid_step_id"], line)
    return list(steps.values())


def _memory_row(line: Mapping[str, Any]) -> dict[str, Any]:
    record = line["record"]
    return {
        "plan_id": record["plan_id"],
        "mid_step_id": record["mid_step_id"],
        "short_goal_dsl": record["short_goal_dsl"],
        "done_evidence": record["done_evidence"],
    }


def rows_of(
    role: Role,
    lines: Sequence[Mapping[str, Any]],
    episodes: Mapping[str, Episode],
    vocabulary: Vocabulary,
    splits: Mapping[str, Split],
    keep: Callable[[Frame], Any],
) -> Iterator[dict[str, Any]]:
    """Yield the rows of a training set, in the order of the records.

    Args:
        role: Role that the set is for.
        lines: Selected lines of ``records.jsonl``.
        episodes: Recorded episodes by name.
        vocabulary: Vocabulary of the records.
        splits: Split of each episode, by episode name.
        keep: Function that converts a frame to the format of a row.
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
            **clip_columns(cut_clip(episode, t, RECENT), keep),
        }
        if memory is not None:
            row |= clip_columns(cut_clip(episode, t, SUMMARY), keep)
            row["retrieved_memory"] = json.dumps(memory.entries_for(line), ensure_ascii=False)
        else:
            span = span_at(spans[episode.id], t, line["mid_step_id"])
            row |= {"span_start": span.t if span else t, "span_end": span.end if span else t}
        row["plan_json"] = json.dumps(line["record"], ensure_ascii=False)
        yield row


def clip_columns(clip: Clip, keep: Callable[[Frame], Any]) -> dict[str, Any]:
    """Return the readable frames of a clip and their times."""
    name, frames = clip.form.name, clip.without_damaged_frames().frames
    return {
        f"{name}_clip": [keep(frame) for frame in frames],
        f"{name}_times": [round(frame.t - clip.t, 3) for frame in frames],
    }


def span_at(spans: Sequence[Span], t: float, step: str) -> Span | None:
    """Return the span of a mid step at a time; if two attempts overlap, the later one."""
    found = [span for span in spans if span.mid_step_id == step and span.t <= t <= span.end]
    return max(found, key=lambda span: span.t) if found else None


def _action_outcome(spans: Sequence[Span], t: float, step: str) -> dict[str, str]:
    """Return the outcome of the action at a moment, and the reaction to a failure."""
    span = span_at(spans, t, step)
    if span is None:
        return {"kind": "step", "code": "", "then": ""}
    then = span.after if span.kind == "failure" else None
    said = json.dumps({"op": then.op, "args": dict(then.args)}, default=str) if then else ""
    return {"kind": span.kind, "code": span.failure_code, "then": said}


def reply_strata(episodes: Iterable[Episode]) -> list[dict[str, str]]:
    """Return a line for each episode with a reply; the reply's kind and code are its stratum.

    The lines have the form that `bt_exec_labeler.splits.splits_of_run` takes.
    """
    return [
        {"episode": episode.id, "mid_step_id": f"{episode.reply.kind} {episode.reply.code}"}
        for episode in episodes
        if episode.reply is not None
    ]


def reply_rows(
    episodes: Iterable[Episode], splits: Mapping[str, Split], keep: Callable[[Frame], Any]
) -> Iterator[dict[str, Any]]:
    """Yield a row for each command that led to a reply and no actions.

    Args:
        episodes: Recorded episodes.
        splits: Split of each episode, by episode name.
        keep: Function that converts a frame to the format of a row.
    """
    for episode in episodes:
        reply = episode.reply
        if reply is None or episode.id not in splits:
            continue
        yield {
            "id": f"reply:{episode.id}",
            "episode": episode.id,
            "split": splits[episode.id],
            "command": episode.command,
            "language": episode.language,
            "kind": reply.kind,
            "code": reply.code,
            "reply": reply.text,
            "missing": list(reply.missing),
            "suggestions": list(reply.suggestions),
            "checks": list(reply.checks),
            "facts": json.dumps(dict(episode.start_facts), ensure_ascii=False),
            "flaws": [flaw.message for flaw in episode.flaws],
            **clip_columns(cut_clip(episode, reply.t, RECENT), keep),
        }
