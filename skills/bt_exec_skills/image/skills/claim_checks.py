"""Checks of the claims in a model's answer, each by tools on a separate bench."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from bt_exec.language.messages import language_of
from bt_exec.language.reading.meaning_node import Node
from bt_exec_skills.image.rules.answer_claims import Claim, parse_claims
from bt_exec_skills.image.rules.answer_judgement import (
    rate_answer,
    run_cross_checks,
    share_of_crops_asked,
    share_of_decided,
)
from bt_exec_skills.image.rules.lexicon import reader
from bt_exec_skills.image.rules.meaning_to_questions import question_from_meaning
from bt_exec_skills.image.rules.question import Question, UnanswerableQuestion
from bt_exec_skills.image.skills.answer_recomputation import answer_with_tools
from bt_exec_skills.image.skills.other_light_crosscheck import cross_check_in_other_light
from bt_exec_skills.image.workbench import Answer, Bench, CheckedClaim

__all__ = ["check_claims"]

_SURE = 0.5
"""Maximum confidence of a finding that neither supports nor refutes a claim."""
_QUOTED = re.compile(r"[“\"'‘「『]([^”\"'’」』]+)[”\"'’」』]")
_COMPARISONS: Mapping[str, Any] = {
    "more": lambda one, other: one > other,
    "fewer": lambda one, other: one < other,
    "as_many": lambda one, other: one == other,
}


def check_claims(bench: Bench) -> tuple[list[CheckedClaim], float | None]:
    """Return the findings about each claim of the answer, and the evidence coverage.

    This call blocks.

    Args:
        bench: Bench with the question and its answer; it is not changed.
    """
    assert bench.answer is not None
    language = language_of(bench.answer.text)
    benches: dict[Question, Bench | None] = {}
    found: list[CheckedClaim] = []
    coverage: list[float | None] = []
    for claim in parse_claims(bench.answer.text, bench.question, (), bench.annotated_classes()):
        fresh = None
        try:
            if claim.asks is not None:
                question = question_from_meaning(claim.asks, language, claim.text)
                if question not in benches:
                    benches[question] = answer_with_tools(bench, question, language)
                fresh = benches[question]
        except UnanswerableQuestion:
            pass
        found.append(_check_claim(claim, fresh))
        if fresh is not None and claim.answers:
            coverage.append(share_of_decided(fresh))
    shares = [one for one in coverage if one is not None]
    if coverage:
        return found, min(shares, default=None)
    return found, share_of_crops_asked(bench)


def _check_claim(claim: Claim, fresh: Bench | None) -> CheckedClaim:
    if claim.asks is None or fresh is None or fresh.answer is None:
        return CheckedClaim(claim.text, None, answers=claim.answers)
    sure = rate_answer(
        fresh, [*run_cross_checks(fresh), *cross_check_in_other_light(fresh)]
    ).confidence
    holds = _claim_holds(claim, claim.asks, fresh.answer) if sure > _SURE else None
    return CheckedClaim(claim.text, holds, _first_sentence(fresh.answer), sure, claim.answers)


def _first_sentence(answer: Answer) -> str:
    """Return the first sentence of an answer, without its confidence."""
    return answer.text.split(". ")[0].rstrip(".")


def _claim_holds(claim: Claim, asks: Node, answer: Answer) -> bool | None:
    value, what = answer.value, asks.text("what")
    inner = asks.node("of")
    if inner.kind == "aspect":
        return _contains_text(claim.text, value)
    if what == "where":
        return _is_at_place(claim.expects, value)
    if isinstance(value, Mapping):
        value = _COMPARISONS[inner.text("sign") or "more"](value["target"], value["other"])
    if inner.kind == "scene" and value is not None:
        value = value is (inner.text("what") == "same")
    return None if not isinstance(value, bool) else value is claim.expects


def _is_at_place(expects: tuple[str, str], places: list[str]) -> bool | None:
    """Return whether all places match the claimed one; None if only some do, or without places."""
    fits = [set(filter(None, expects)) <= set(one.split()) for one in places]
    return None if not fits or len(set(fits)) > 1 else fits[0]


def _contains_text(text: str, lines: list[str]) -> bool | None:
    """Return whether a sentence states exactly the recognised text; None if undecided."""
    if not lines:
        return None
    rest = text
    for line in lines:
        pattern = r"\W*".join(map(re.escape, re.findall(r"\w+", line)))
        rest, number = re.subn(pattern, " ", rest, count=1, flags=re.IGNORECASE)
        if not number:
            quoted = " ".join(_QUOTED.findall(text))
            return False if quoted and not _is_quoted_in(quoted, lines) else None
    left = " ".join(re.findall(r"\w+", rest))
    return True if not left or reader().read_claim(left, goal="saying") is not None else None


def _is_quoted_in(quoted: str, lines: list[str]) -> bool:
    letters = "".join(re.findall(r"\w", quoted)).lower()
    return letters in "".join(re.findall(r"\w", " ".join(lines))).lower()
