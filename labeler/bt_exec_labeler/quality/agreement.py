"""Agreement of two labelers, corrected for agreement that follows from the prompt alone.

The mid step is part of the prompt and often allows only one operation, so that labelers agree
without looking at the pictures. Therefore, the expected agreement is computed for each mid step and
summed: ``kappa = (observed - expected) / (1 - expected)``. A labeler that ignores the pictures
gives the same answer for all moments of a mid step and gets 0.

J. Cohen, A Coefficient of Agreement for Nominal Scales, Educational and Psychological
Measurement 20 (1960); stratified as by W. E. Barlow et al., A Comparison of Methods for
Calculating a Stratified Kappa, Statistics in Medicine 10 (1991).
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

__all__ = ["FIELDS", "Agreement", "agreement", "agreement_by_field", "kappa"]

_Pair = tuple[str, str]


class Agreement(NamedTuple):
    """Agreement of two runs on one field.

    Attributes:
        moments: Number of moments that both runs labelled.
        same: Share of these moments with equal values.
        blind: Largest share of equal values that a labeler could reach without pictures.
        kappa: Agreement beyond chance, -1 to 1; None if the mid step determines the value.
    """

    moments: int
    same: float
    blind: float
    kappa: float | None


def _list_value_of(name: str) -> Callable[[Mapping[str, Any]], str]:
    return lambda record: json.dumps(sorted(record[name]))


FIELDS: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "mid_step": lambda record: str(record["mid_step_id"]),
    "goal": lambda record: json.dumps(record["short_goal_dsl"], sort_keys=True),
    "operation": lambda record: json.dumps([goal["op"] for goal in record["short_goal_dsl"]]),
    "arguments": lambda record: json.dumps(
        [goal["args"] for goal in record["short_goal_dsl"]], sort_keys=True
    ),
    "horizon": lambda record: str(record["horizon_steps"]),
    "terminate_on": lambda record: str(record["terminate_on"]),
    "evidence": _list_value_of("done_evidence"),
    "fallback": _list_value_of("fallback_if_failed"),
    "uncertainty": lambda record: str(record["uncertainty"]),
}
"""Compared fields, each with a function that returns its value as a label."""


def agreement_by_field(
    ours: Iterable[Mapping[str, Any]], theirs: Iterable[Mapping[str, Any]]
) -> dict[str, Agreement]:
    """Return the agreement on each field.

    Args:
        ours: Lines of one run's ``records.jsonl``.
        theirs: Lines of another run on the same recording.
    """
    pairs = _pairs(ours, theirs)
    return {name: _agreement_of(pairs, value) for name, value in FIELDS.items()} if pairs else {}


def agreement(
    ours: Iterable[Mapping[str, Any]],
    theirs: Iterable[Mapping[str, Any]],
    *,
    pooled: bool = False,
) -> dict[str, Agreement]:
    """Return the agreement on short goals by mid step; the key ``""`` is for all of them.

    Args:
        ours: Lines of one run's ``records.jsonl``.
        theirs: Lines of another run, or of a reviewer.
        pooled: Whether chance agreement is estimated over all mid steps together, for samples with
            few records of each.
    """
    pairs = _pairs(ours, theirs)
    if pooled:
        pairs = [("", one, other) for _, one, other in pairs]
    if not pairs:
        return {}
    steps = dict.fromkeys(step for step, _, _ in pairs)
    goal = FIELDS["goal"]
    each = {step: _agreement_of([one for one in pairs if one[0] == step], goal) for step in steps}
    return (
        {**each, "": _agreement_of(pairs, goal)}
        if pooled
        else {"": _agreement_of(pairs, goal), **each}
    )


def kappa(pairs: Mapping[str, Sequence[_Pair]]) -> float | None:
    """Return Cohen's kappa of label pairs in strata; None if the expected agreement is 1."""
    total = sum(map(len, pairs.values()))
    observed = sum(a == b for found in pairs.values() for a, b in found)
    expected = 0.0
    for found in pairs.values():
        first, second = Counter(a for a, _ in found), Counter(b for _, b in found)
        expected += sum(first[label] * second[label] for label in first) / len(found)
    return None if total - expected < 1e-9 else (observed - expected) / (total - expected)


def _pairs(
    ours: Iterable[Mapping[str, Any]], theirs: Iterable[Mapping[str, Any]]
) -> list[tuple[str, Mapping[str, Any], Mapping[str, Any]]]:
    """Return (mid step, record, other record) of each moment that both runs labelled."""
    others = {line["item"]: line["record"] for line in theirs}
    return [
        (line["mid_step_id"], line["record"], others[line["item"]])
        for line in ours
        if line["item"] in others
    ]


def _agreement_of(
    pairs: Sequence[tuple[str, Mapping[str, Any], Mapping[str, Any]]],
    value: Callable[[Mapping[str, Any]], str],
) -> Agreement:
    by_step: dict[str, list[_Pair]] = defaultdict(list)
    for step, one, other in pairs:
        by_step[step].append((value(one), value(other)))
    same = sum(a == b for found in by_step.values() for a, b in found)
    best = sum(
        Counter(b for _, b in found).most_common(1)[0][1] for found in by_step.values() if found
    )
    return Agreement(len(pairs), same / len(pairs), best / len(pairs), kappa(by_step))
