"""Records to review, with their clips."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, get_args

from bt_exec.failure import UnknownName, UsageError
from bt_exec_labeler.batch.output_and_answer_cache import Output, read_lines
from bt_exec_labeler.clips import RECENT, SUMMARY, Clip, cut_clip
from bt_exec_labeler.episode import Episode, Frame
from bt_exec_labeler.mid_step_spans import spans_of
from bt_exec_labeler.plan_record import FIELDS, Terminate, Uncertainty
from bt_exec_labeler.quality.report import review_sample
from bt_exec_labeler.vocabulary import Vocabulary

__all__ = ["STRIP", "Card", "cards_of", "field_values"]

STRIP = 12
"""Number of frames in a film strip."""


@dataclass(frozen=True)
class Card:
    """Record to review.

    Attributes:
        line: Line of ``records.jsonl``.
        episode: Episode of the record.
    """

    line: Mapping[str, Any]
    episode: Episode

    @cached_property
    def clips(self) -> Mapping[str, Clip]:
        """Clips of the record by name; a controller's record has no summary."""
        forms = (RECENT, SUMMARY) if self.line["role"] == "planner" else (RECENT,)
        return {form.name: cut_clip(self.episode, self.line["t"], form) for form in forms}

    @property
    def strip(self) -> tuple[Frame, ...]:
        """Frames at even intervals from the whole episode, for the film strip."""
        frames = self.episode.frames
        count = min(STRIP, len(frames))
        return tuple(frames[(2 * k + 1) * len(frames) // (2 * count)] for k in range(count))

    def timeline(self, vocabulary: Vocabulary) -> dict[str, Any]:
        """Return the episode as data for the page: length, film strip and spans."""
        spans = spans_of(self.episode, vocabulary)
        return {
            "seconds": self.episode.duration_s,
            "strip": [round(frame.t, 3) for frame in self.strip],
            "spans": [
                {"step": span.mid_step_id, "t": span.t, "end": span.end, "kind": span.kind}
                for span in spans
            ],
        }

    def data(self, vocabulary: Vocabulary) -> dict[str, Any]:
        """Return the card as data for the page."""
        step = vocabulary.mid_steps[self.line["mid_step_id"]]
        record = self.line["record"]
        return {
            "item": self.line["item"],
            "episode": self.line["episode"],
            "t": self.line["t"],
            "mid_step_id": self.line["mid_step_id"],
            "text": dict(step.text),
            "record": {name: record[name] for name in FIELDS},
            "clips": [
                {
                    "name": name,
                    "step_s": clip.form.step_s,
                    "places": clip.form.count,
                    "times": [round(frame.t - clip.t, 3) for frame in clip.frames],
                    "before_start": clip.before_start,
                    "empty": len(clip.empty_s),
                }
                for name, clip in self.clips.items()
            ],
        }


def cards_of(
    folder: Path,
    vocabulary: Vocabulary,
    episodes: Mapping[str, Episode],
    whole: str = "",
) -> list[Card]:
    """Return the records to review: the sample in a fixed order, or one episode by time.

    Args:
        folder: Folder of the run.
        vocabulary: Vocabulary of the run.
        episodes: Recorded episodes by name.
        whole: Name of an episode, to review all its records; empty to review the sample.

    Raises:
        UsageError: If the recording is not the labelled one, or there is no record.
        UnknownName: If the run has no records of the episode.
    """
    Output(folder).run_settings()  # fails if the folder is not a run
    lines = {line["item"]: line for line in read_lines(folder / "records.jsonl")}
    items = review_sample(lines.values())
    if whole:
        named = dict.fromkeys(line["episode"] for line in lines.values())
        if whole not in named:
            raise UnknownName("episode", whole, named)
        of_episode = [line for line in lines.values() if line["episode"] == whole]
        items = [line["item"] for line in sorted(of_episode, key=lambda line: line["t"])]
    if not items:
        raise UsageError(f"{folder} contains no records; there is nothing to review")
    cards: list[Card] = []
    for item in items:
        line = lines[item]
        if line["episode"] not in episodes:
            raise UsageError(
                f"the recording has no episode {line['episode']}; it is not the recording "
                "that was labelled"
            )
        if line["mid_step_id"] not in vocabulary.mid_steps:
            raise UsageError(f"the vocabulary has no mid step {line['mid_step_id']}")
        cards.append(Card(line, episodes[line["episode"]]))
    return cards


def field_values(vocabulary: Vocabulary) -> dict[str, Any]:
    """Return the allowed values of a record's fields, for the correction form of the page."""
    limits = vocabulary.limits
    return {
        "ops": {
            name: {
                key: " | ".join(map(str, argument.values)) or argument.type
                for key, argument in op.args.items()
            }
            for name, op in vocabulary.ops.items()
        },
        "arguments": {
            name: {key: argument.model_dump(mode="json") for key, argument in op.args.items()}
            for name, op in vocabulary.ops.items()
        },
        "terminate_on": list(get_args(Terminate)),
        "done_evidence": list(vocabulary.done_evidence),
        "fallback_if_failed": list(vocabulary.fallbacks),
        "uncertainty": list(get_args(Uncertainty)),
        "horizon_steps": limits.horizon_steps,
        "step_s": limits.step_s,
        "goal_ops": limits.goal_ops,
    }
