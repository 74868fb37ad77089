"""Generation of programs by a model, with one retry that lists the faults.

Both attempts have the same requirements on form (`form`) and are tried the same way, only in the
sandbox (`probes`). A different answer is not a fault: a second method is meant to reveal
differences, so it is reported. If no sandbox can be created, a program of valid form is delivered
without a run.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from bt_exec.failure import Problem
from bt_exec.language.sanitize import one_line
from bt_exec.models.writing import CUT_OFF, Writer
from bt_exec_skills.image.bench import Bench
from bt_exec_skills.image.rules.checking import Checked, compared, ran_on
from bt_exec_skills.image.writing.form import faults_of, read_code
from bt_exec_skills.image.writing.probes import faults_of_looking, faults_of_result
from bt_exec_skills.image.writing.prompt import asked, objection, role

__all__ = ["ATTEMPTS", "Authored", "author"]

ATTEMPTS = 2

_HEAD = """# A program about a picture, by a language model: read it before you run it elsewhere.
# bt-exec checked its form, and ran it in a sandbox where this machine has one.
# Model: {model}. Question: {question}
"""
"""Header with the author. It takes the first two lines, where a comment could set the encoding."""


class Attempt(NamedTuple):
    """Program of one attempt.

    Attributes:
        said: Complete answer of the model.
        faults: Faults as text with a code in brackets.
    """

    said: str
    faults: tuple[str, ...]


@dataclass
class Authored:
    """Result of requesting a program from a model.

    Attributes:
        code: Accepted program, or None.
        checked: Result of running it.
        model: Name of the model.
        why: Why there is no program: codes of faults, or of the failure.
        attempts: Programs in order.
        usage: Cost: requests, tokens, seconds.
    """

    code: str | None = None
    checked: Checked | None = None
    model: str = ""
    why: str = ""
    attempts: list[Attempt] = field(default_factory=list)
    usage: dict[str, float] = field(default_factory=dict)


def author(bench: Bench, writer: Writer, question: str, language: str) -> Authored:
    """Request the program of an answer. Takes as long as the model and the runs.

    Args:
        bench: Bench with the picture, the executed steps and their answer.
        writer: The model.
        question: The question.
        language: Language of messages.
    """
    authored, said, cost = Authored(), [asked(bench, question)], Counter[str]()
    for _ in range(ATTEMPTS):
        written = writer.write(role(), said)
        cost.update(written.usage)
        authored.usage, authored.model = dict(cost), written.model or authored.model
        if written.text is None and written.why != CUT_OFF:
            authored.why = written.why or "NO_TEXT"
            return authored
        text = written.text or ""
        code, problems = read_code(text)
        if written.text is None:
            problems = [Problem("CUT_OFF", "the answer was cut off; write less")]
        elif code is not None:
            problems += faults_of(code)
            if not problems:
                code = _headed(code, authored.model, question)
                problems, authored.checked = _tried(bench, code, language)
        authored.attempts.append(Attempt(text, tuple(map(str, problems))))
        if not problems:
            authored.code, authored.why = code, ""
            return authored
        authored.checked = None
        authored.why = ", ".join(dict.fromkeys(one.code for one in problems))
        said += [text.strip() or "(nothing)", objection(problems)]
    return authored


def _headed(code: str, model: str, question: str) -> str:
    return _HEAD.format(model=one_line(model, 100) or "?", question=one_line(question, 200)) + code


def _tried(bench: Bench, code: str, language: str) -> tuple[list[Problem], Checked]:
    """Run a program of valid form on the picture, and on changed ones."""
    assert bench.answer is not None
    ran = ran_on(bench, code)
    worded = bench.by_model and bench.answer.value is None
    problems = faults_of_result(ran, bench.answer.value, worded=worded)
    if not problems:
        problems = faults_of_looking(bench, code, ran)
    return problems, compared(bench, ran, language)
