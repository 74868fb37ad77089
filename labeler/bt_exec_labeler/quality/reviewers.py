"""Reviewers' decisions about a run: acceptance and agreement."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from bt_exec_labeler.quality.agreement import Agreement, agreement

__all__ = ["people"]


def people(
    records: Sequence[Mapping[str, Any]], decided: Mapping[str, Mapping[str, Mapping[str, Any]]]
) -> dict[str, Any]:
    """Return the figures of a review: decisions and agreement of reviewers and labeler.

    Agreement is about short goals, as between labelers. A rejected record has an empty goal, which
    agrees only with another rejection.

    Args:
        records: Lines of ``records.jsonl``.
        decided: Result of `decisions_of`.
    """
    said = {name: _lines(records, found) for name, found in decided.items()}
    names = sorted(said)
    pairs: dict[str, dict[str, Agreement]] = {}
    for at, name in enumerate(names):
        pairs[f"labeler, {name}"] = agreement(records, said[name], pooled=True)
        for other in names[at + 1 :]:
            pairs[f"{name}, {other}"] = agreement(said[name], said[other], pooled=True)
    counts = {
        name: dict(sorted(Counter(one["decision"] for one in decided[name].values()).items()))
        for name in names
    }
    return {"reviewers": counts, "agreement": {pair: of for pair, of in pairs.items() if of}}


def _lines(
    records: Sequence[Mapping[str, Any]], decided: Mapping[str, Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return the records of a run as decided by a reviewer."""
    found: list[dict[str, Any]] = []
    for line in records:
        decision = decided.get(line["item"])
        if decision is None:
            continue
        record = decision["record"] if decision["decision"] == "correct" else line["record"]
        if decision["decision"] == "reject":
            record = {**line["record"], "short_goal_dsl": []}
        found.append({**line, "record": record})
    return found
