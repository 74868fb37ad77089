"""What people made of a run: how much they accepted, and how far they agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from bt_exec_labeler.quality.agreement import Agreement, agreement

__all__ = ["people"]


def people(
    records: Sequence[Mapping[str, Any]], decided: Mapping[str, Mapping[str, Mapping[str, Any]]]
) -> dict[str, Any]:
    """Return the figures of a review: what each decided, and how far people and labeler agree.

    Agreement is about short goals, as between labelers; a rejected record has a goal of its own
    kind, which is nobody else's but another rejection's.

    Args:
        records: Lines of ``records.jsonl``.
        decided: What `decisions_of` gave.
    """
    said = {name: _lines(records, found) for name, found in decided.items()}
    names = sorted(said)
    pairs: dict[str, dict[str, Agreement]] = {}
    for at, name in enumerate(names):
        pairs[f"labeler, {name}"] = agreement(records, said[name])
        for other in names[at + 1 :]:
            pairs[f"{name}, {other}"] = agreement(said[name], said[other])
    counts = {
        name: dict(sorted(Counter(one["decision"] for one in decided[name].values()).items()))
        for name in names
    }
    return {"reviewers": counts, "agreement": {pair: of for pair, of in pairs.items() if of}}


def _lines(
    records: Sequence[Mapping[str, Any]], decided: Mapping[str, Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return the records of a run as a reviewer would have them."""
    found: list[dict[str, Any]] = []
    for line in records:
        decision = decided.get(line["item"])
        if decision is None:
            continue
        goal = line["record"]["short_goal_dsl"]
        if decision["decision"] == "correct":
            goal = decision["record"]["short_goal_dsl"]
        elif decision["decision"] == "reject":
            goal = "rejected"
        found.append({**line, "record": {"short_goal_dsl": goal}})
    return found
