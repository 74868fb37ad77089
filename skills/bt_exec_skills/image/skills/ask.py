"""Skill that asks a vision model, and the condition that allows questions about whole pictures."""

from __future__ import annotations

from typing import Literal, NamedTuple

from bt_exec.failure import Failed
from bt_exec.language.messages import language_of
from bt_exec.skill import Service, Steps, Verdict, condition, skill
from bt_exec_skills.image.perception.instance_decisions import all_hold
from bt_exec_skills.image.perception.vision_model_queries import LookAnswer, Looker
from bt_exec_skills.image.skills.worker_thread import SET_FAILS, run_on_worker
from bt_exec_skills.image.workbench import Bench, SetName, Step

__all__ = ["Looked", "Place", "ask_vqa", "crops_checked"]

Place = Literal["picture"] | SetName
"""Subject of a query: the whole picture, or the crops of a set."""

_LONGEST_QUESTION = 500


class Looked(NamedTuple):
    """Answer of a model.

    Attributes:
        answer: Answer about the whole picture, in one line; empty for crops.
        confidence: Confidence of the answer or, for crops, of the least clear decision.
        accepted: Number of crops with the answer yes.
        rejected: Number of crops with the answer no.
        unsettled: Number of undecided crops.
    """

    answer: str
    confidence: float
    accepted: int = 0
    rejected: int = 0
    unsettled: int = 0


@skill(
    fails={*SET_FAILS, "NO_VQA_MODEL", "VQA_FAILED", "UNREADABLE"},
    needs={"crops.{of}": "cut"},
    effects={"looked.{of}": "yes"},
    timeout_s=180,
)
def ask_vqa(
    bench: Service[Bench], looker: Service[Looker], question: str, of: Place = "picture"
) -> Steps[Looked]:
    """Ask a vision model about each crop of the set `of`, or about the whole ``picture``.

    In a set, only the instances for which the model answers yes are kept. The question must then be
    about a single object, as in "Is it a happy man?". A question about the whole picture is allowed
    only if no boxes are known, or all of them were verified on crops, or cropping failed.
    """
    if not question.strip() or len(question) > _LONGEST_QUESTION:
        message = f"a question has 1 to {_LONGEST_QUESTION} characters"
        raise Failed("VQA_FAILED", message, retryable=False)
    if of == "picture":
        picture = yield from run_on_worker(lambda: bench.picture, "reading")
        seen = yield from looker.ask_whole_picture(picture, question, language_of(question))
        bench.asked.append(seen)
        bench.steps.append(Step("ask_vqa", {"question": question, "of": of}))
        return Looked(seen.answer, seen.confidence)
    found, crops = bench.candidates_with_crops(of)
    now = yield from looker.ask_each_crop([one.pixels for one in crops], question)
    pairs = zip(found.decisions, now, strict=True)
    found.decisions = [
        before if before.holds is False else all_hold([before, after]) for before, after in pairs
    ]
    found.looked = True
    bench.steps.append(Step("ask_vqa", {"question": question, "of": of}))
    holds = [one.holds for one in found.decisions]
    least = min((one.confidence for one in now), default=1.0)
    bench.asked.append(LookAnswer("", least, question))
    return Looked("", least, holds.count(True), holds.count(False), holds.count(None))


@condition()
def crops_checked(bench: Service[Bench]) -> Verdict:
    """Whether all known boxes were verified on crops, so that the whole picture may be used."""
    waiting = bench.unverified_sets()
    if waiting:
        return Verdict.no(f"not yet verified on crops: {', '.join(waiting)}", tuple(waiting))
    return Verdict.yes("no boxes are waiting to be cropped")
