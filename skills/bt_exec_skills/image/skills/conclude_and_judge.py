"""Skills that state an answer in free words, and judge an answer."""

from __future__ import annotations

from typing import NamedTuple

from bt_exec.failure import Failed
from bt_exec.language.sanitize import one_line
from bt_exec.skill import Service, Steps, skill
from bt_exec_skills.image.perception.vision_model_queries import CrossCheck, Looker
from bt_exec_skills.image.rules.answer_claims import claimed_value, parse_claims
from bt_exec_skills.image.rules.answer_judgement import (
    evidence_confidence,
    rate_answer,
    run_cross_checks,
    tool_answer_steps,
)
from bt_exec_skills.image.skills.claim_checks import check_claims
from bt_exec_skills.image.skills.other_light_crosscheck import cross_check_in_other_light
from bt_exec_skills.image.skills.worker_thread import run_on_worker
from bt_exec_skills.image.workbench import Answer, Bench

__all__ = ["Judged", "conclude", "judge"]

_LONGEST = 2000


class Judged(NamedTuple):
    """Judgement of the answer; `rules.answer_judgement` defines the scores.

    Attributes:
        verdict: Verdict of all judges: ``agree``, ``differ`` or ``no method could decide``.
        said: Findings of the judges as text.
        confidence: Confidence of the answer, 0..1.
        coverage: Share of the instances that were verified on crops, 0..1; None without instances.
        reasoning: Share of the reasoning that observations support, 0..1.
    """

    verdict: str
    said: str
    confidence: float
    coverage: float | None
    reasoning: float


_WORDS = {True: "agrees", False: "differs", None: "cannot tell"}


@skill(fails={"NO_PICTURE", "UNREADABLE", "EMPTY_ANSWER"}, effects={"answer": "told"})
def conclude(
    bench: Service[Bench],
    text: str,
    question: str,
    reasoning: float = 0.0,
    code_plan: list[str] = [],  # noqa: B006 - a list as in plans; it is only read
) -> Steps:
    """State the answer in free words; this ends a conversation with a model.

    Args:
        bench: The picture and its sets.
        text: The answer for the user.
        question: Question that the text answers.
        reasoning: Share of the reasoning that observations support, 0..1.
        code_plan: Steps of a program that computes the answer again, in order.
    """
    line = one_line(text, _LONGEST)
    if not line:
        raise Failed("EMPTY_ANSWER", "the answer is empty")
    confidence = yield from run_on_worker(lambda: evidence_confidence(bench), "answering")
    claims = yield from run_on_worker(
        lambda: parse_claims(line, question, (), bench.annotated_classes()), "answering"
    )
    value = claimed_value(line, claims)
    bench.question, bench.by_model = question, True
    bench.code_plan = tuple(code_plan)
    bench.reasoning = min(1.0, max(0.0, reasoning))
    bench.answer = Answer(line, value, confidence)
    bench.steps += tool_answer_steps(bench)


@skill(
    fails={"JUDGES_DISAGREE", "NO_PICTURE", "UNREADABLE"}, needs={"answer": "told"}, timeout_s=180
)
def judge(bench: Service[Bench], looker: Service[Looker], final: bool = True) -> Steps[Judged]:
    """Judge the answer with other methods; a model's answer also by its claims and a second model.

    Only results that tools computed from the picture can support an answer of a model.

    Args:
        bench: The picture, its sets and the answer.
        looker: The models.
        final: Whether a disagreement is only reported. Otherwise the skill fails, so that the
            picture is examined again.
    """
    given = bench.answer
    if given is None:
        raise Failed("JUDGES_DISAGREE", "there is no answer to judge", retryable=False)
    cross_checks: list[CrossCheck] = yield from run_on_worker(
        lambda: _find_objections(bench), "judging"
    )
    if bench.by_model:
        other = yield from looker.rate_answer(bench.picture, bench.question, given.text)
        cross_checks += [other] if other is not None else []
        claims, coverage = yield from run_on_worker(lambda: check_claims(bench), "judging")
        found = rate_answer(bench, cross_checks, claims, coverage)
    else:
        found = rate_answer(bench, cross_checks)
    bench.judgement = found
    bench.answer = Answer(given.text, given.value, found.confidence)
    said = "; ".join(f"{one.who}: {one.says or _WORDS[one.agrees]}" for one in found.cross_checks)
    if found.agrees is False and not final:
        against = "; ".join(
            f"{one.who}: {one.says}" for one in found.cross_checks if one.agrees is False
        )
        raise Failed("JUDGES_DISAGREE", f"another method disagrees: {against}", found=against)
    verdict = {True: "agree", False: "differ", None: "no method could decide"}[found.agrees]
    return Judged(verdict, said, found.confidence, found.coverage, found.reasoning)


def _find_objections(bench: Bench) -> list[CrossCheck]:
    """Return the verdicts of the judges that need no model."""
    if bench.by_model:
        return run_cross_checks(bench)
    if any(found.picture == "second" for found in bench.sets.values()):
        return []  # the judges examine the first picture
    return [*run_cross_checks(bench), *cross_check_in_other_light(bench)]
