"""Contradictions of a valid record with itself or its recording."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from bt_exec_labeler.episode import Episode
from bt_exec_labeler.record import Breach
from bt_exec_labeler.vocabulary import Vocabulary

__all__ = ["contradictions", "facts_at"]


def contradictions(
    line: Mapping[str, Any], vocabulary: Vocabulary, episode: Episode | None
) -> tuple[Breach, ...]:
    """Return the contradictions of one record.

    Args:
        line: A line of ``records.jsonl``.
        vocabulary: Vocabulary of the run.
        episode: Recording, or None to check the record alone.
    """
    record, t = line["record"], float(line["t"])
    found: list[Breach] = []
    ops = [goal["op"] for goal in record["short_goal_dsl"]]
    for word in record["fallback_if_failed"]:
        if ops == [word]:
            message = f"{word} has failed; repeating it is not an alternative"
            found.append(Breach("FALLBACK_IS_GOAL", "fallback_if_failed", message))
    if episode is None:
        return tuple(found)
    known = facts_at(episode, t)
    held = [w for w in record["done_evidence"] if w in {f"{k}={v}" for k, v in known.items()}]
    if held and len(held) == len(record["done_evidence"]):
        message = f"{', '.join(held)} holds already at {t:g} s"
        found.append(Breach("EVIDENCE_HOLDS_ALREADY", "done_evidence", message))
    until = t + record["horizon_steps"] * vocabulary.limits.step_s
    if until > episode.duration_s + vocabulary.limits.step_s:
        message = f"reaches {until:g} s; the episode ends at {episode.duration_s:g} s"
        found.append(Breach("HORIZON_BEYOND_EPISODE", "horizon_steps", message))
    return tuple(found)


def facts_at(episode: Episode, t: float) -> dict[str, str]:
    """Return the known facts at a moment: those of the start, changed by the actions so far."""
    facts = dict(episode.start_facts)
    done: Iterable[Any] = (a for a in episode.actions if a.end is not None and a.end <= t)
    for action in sorted(done, key=lambda a: a.end):
        facts.update(action.facts)
    return facts
