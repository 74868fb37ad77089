"""Generation of programs by a model, with one retry that names the mistakes.

Its first attempt and its second are held to the same form (`form`) and tried the same way, in the
sandbox alone (`probes`). Another answer than ours is not a fault: that is what a second way is for,
and it is told. Where no sandbox can be made, a program of good form is handed over without being
run.
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
"""Whose it is. Two lines of ours come first: only there can a comment name an encoding."""


class Attempt(NamedTuple):
    """One program as it came.

    Attributes:
        said: The answer of the model, whole.
        faults: What is wrong with it, as text with its code in brackets.
    """

    said: str
    faults: tuple[str, ...]


@dataclass
class Authored:
    """Result of asking a model for a program.

    Attributes:
        code: The program that is kept; None if none is.
        checked: What came of running it.
        model: Who wrote it.
        why: Why there is no program, in a word: codes of faults, or of the failure.
        attempts: What was written, in order.
        usage: What it cost: requests, tokens, seconds.
    """

    code: str | None = None
    checked: Checked | None = None
    model: str = ""
    why: str = ""
    attempts: list[Attempt] = field(default_factory=list)
    usage: dict[str, float] = field(default_factory=dict)


def author(bench: Bench, writer: Writer, question: str, language: str) -> Authored:
    """Have the program of an answer written; takes as long as the model and the runs do.

    Args:
        bench: With the picture, the steps that ran and their answer.
        writer: Who writes.
        question: What was asked.
        language: Of what is told.
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
    """Run a program of good form on the picture, and on changed ones."""
    assert bench.answer is not None
    ran = ran_on(bench, code)
    worded = bench.by_model and bench.answer.value is None
    problems = faults_of_result(ran, bench.answer.value, worded=worded)
    if not problems:
        problems = faults_of_looking(bench, code, ran)
    return problems, compared(bench, ran, language)
