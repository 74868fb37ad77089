"""Skill and condition for several questions in one text."""

from __future__ import annotations

from bt_exec.skill import Running, Service, Steps, Verdict, condition, skill
from bt_exec_skills.image.rules.question import Outcome
from bt_exec_skills.image.workbench import SETS, Bench

__all__ = ["answered", "next_question"]

_UNDECIDED = 0.5  # maximum confidence of a comparison that decides nothing


@skill(
    needs={"answer": "told"},
    effects={f"{fact}.{name}": "none" for fact in ("boxes", "crops", "looked") for name in SETS},
)
def next_question(bench: Service[Bench]) -> Steps:
    """Keep the answer for the report, and clear the sets for the next question."""
    yield Running(None, "answering")
    bench.begin_next_question()


@condition()
def answered(bench: Service[Bench], outcome: Outcome, holds: bool = True) -> Verdict:
    """Whether the last answer has an outcome: yes, no, or the result of comparing two counts.

    Args:
        bench: The bench with the answer.
        outcome: Required outcome, such as yes or more.
        holds: False requires another outcome. An undecided answer satisfies neither.
    """
    found = _outcome(bench)
    if found is None:
        return Verdict.no("the answer is undecided")
    verdict = Verdict.yes if (found == outcome) == holds else Verdict.no
    return verdict(f"the answer is: {found.replace('_', ' ')}")


def _outcome(bench: Bench) -> Outcome | None:
    """Return the outcome of the last answer; None if it is undecided."""
    value = bench.answer.value if bench.answer is not None else None
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, dict) or {*value} != {"target", "other"} or bench.answer is None:
        return None
    if bench.answer.confidence <= _UNDECIDED:
        return None
    one, other = value["target"], value["other"]
    return "more" if one > other else "fewer" if one < other else "as_many"
