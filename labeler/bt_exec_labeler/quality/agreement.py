"""How far two labelers agree beyond chance: Cohen's kappa, for all moments and each mid step.

J. Cohen, A Coefficient of Agreement for Nominal Scales, Educational and Psychological
Measurement 20 (1960): ``kappa = (observed - expected) / (1 - expected)``.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

__all__ = ["Agreement", "agreement", "kappa"]


class Agreement(NamedTuple):
    """Agreement of two runs.

    Attributes:
        moments: How many moments both labelled.
        same: Share of them with the same short goal.
        kappa: Agreement beyond chance, -1 to 1; None where chance alone would agree always.
    """

    moments: int
    same: float
    kappa: float | None


def agreement(
    ours: Iterable[Mapping[str, Any]], theirs: Iterable[Mapping[str, Any]]
) -> dict[str, Agreement]:
    """Return the agreement about short goals by mid step; under ``""`` that of all.

    Args:
        ours: Lines of one run's ``records.jsonl``.
        theirs: Those of another run over the same recording.
    """
    others = {line["item"]: line for line in theirs}
    pairs: dict[str, list[tuple[str, str]]] = {"": []}
    for line in ours:
        other = others.get(line["item"])
        if other is not None:
            pair = (_goal(line), _goal(other))
            pairs[""].append(pair)
            pairs.setdefault(line["mid_step_id"], []).append(pair)
    return {
        step: Agreement(len(found), _same(found), kappa(found))
        for step, found in pairs.items()
        if found
    }


def kappa(pairs: Sequence[tuple[str, str]]) -> float | None:
    """Return Cohen's kappa of pairs of labels."""
    total = len(pairs)
    first, second = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    expected = sum(first[label] * second[label] for label in first) / total**2
    return None if expected == 1 else (_same(pairs) - expected) / (1 - expected)


def _same(pairs: Sequence[tuple[str, str]]) -> float:
    return sum(a == b for a, b in pairs) / len(pairs)


def _goal(line: Mapping[str, Any]) -> str:
    return json.dumps(line["record"]["short_goal_dsl"], sort_keys=True)
