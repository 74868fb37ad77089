"""Generation of programs by a model, with one retry after a list of the faults.

Each attempt must have a valid form (`program_check`) and pass trial runs (`picture_use_check`),
which take place only in the sandbox. An answer that differs from the mission's is not a fault but
is reported, because a second method is meant to reveal differences. If no sandbox can be created, a
program of valid form is delivered without a run.
"""

from __future__ import annotations

import inspect
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from bt_exec.failure import Problem
from bt_exec.language.sanitize import one_line
from bt_exec.models import CUT_OFF, Writer
from bt_exec_skills.image import tools
from bt_exec_skills.image.rules.program_run_check import (
    Checked,
    compare_with_answer,
    run_on_picture,
)
from bt_exec_skills.image.workbench import Bench
from bt_exec_skills.image.writing.picture_use_check import changed_picture_problems, check_result
from bt_exec_skills.image.writing.program_check import check_code, read_code

__all__ = ["ATTEMPTS", "Authored", "describe_role", "request_program"]

ATTEMPTS = 2

_HEAD = """# A program about a picture, by a language model: read it before you run it elsewhere.
# bt-exec checked its form, and ran it in a sandbox where this machine has one.
# Model: {model}. Question: {question}
"""
"""Header of a program, which names the author. It occupies the first two lines, so that no comment
of the model can set the encoding there."""


class Attempt(NamedTuple):
    """One attempt of the model.

    Attributes:
        said: Complete answer of the model.
        faults: Faults of the program, as text with a code in brackets; empty if it was accepted.
    """

    said: str
    faults: tuple[str, ...]


@dataclass
class Authored:
    """Result of requesting a program from a model.

    Attributes:
        code: Accepted program, or None.
        checked: Result of its trial run, or None.
        model: Name of the model.
        why: Reason why there is no program: codes of its faults, or code of the failure.
        attempts: Attempts in order.
        usage: Cost of the model: requests, tokens, seconds.
    """

    code: str | None = None
    checked: Checked | None = None
    model: str = ""
    why: str = ""
    attempts: list[Attempt] = field(default_factory=list)
    usage: dict[str, float] = field(default_factory=dict)


def request_program(bench: Bench, writer: Writer, question: str, language: str) -> Authored:
    """Request the program of an answer; block until the model has answered and the runs have ended.

    Args:
        bench: Bench with the picture, the executed steps and the answer.
        writer: The model.
        question: Question that the answer belongs to.
        language: Language of messages.
    """
    authored, said, cost = Authored(), [_task_text(bench, question)], Counter[str]()
    for _ in range(ATTEMPTS):
        written = writer.write(describe_role(), said)
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
            problems += check_code(code)
            if not problems:
                code = _add_header(code, authored.model, question)
                problems, authored.checked = _trial_run(bench, code, language)
        authored.attempts.append(Attempt(text, tuple(map(str, problems))))
        if not problems:
            authored.code, authored.why = code, ""
            return authored
        authored.checked = None
        authored.why = ", ".join(dict.fromkeys(one.code for one in problems))
        said += [text.strip() or "(nothing)", _objection_text(problems)]
    return authored


def _add_header(code: str, model: str, question: str) -> str:
    return _HEAD.format(model=one_line(model, 100) or "?", question=one_line(question, 200)) + code


def _trial_run(bench: Bench, code: str, language: str) -> tuple[list[Problem], Checked]:
    """Run a program on the picture and on changed pictures; return its faults and the result."""
    assert bench.answer is not None
    ran = run_on_picture(bench, code)
    worded = bench.by_model and bench.answer.value is None
    problems = check_result(ran, bench.answer.value, worded=worded)
    if not problems:
        problems = changed_picture_problems(bench, code, ran)
    return problems, compare_with_answer(bench, ran, language)


_SHAPES = {
    bool: "true or false; null where the picture does not settle it",
    int: "a whole number",
    list: "a list of texts",
    dict: "an object of whole numbers with the keys target and other, or a name of each group",
}


@lru_cache(maxsize=1)
def describe_role() -> str:
    """Return the system prompt: role, form of the program, and functions that it may call."""
    text = Path(__file__).with_name("role.md").read_text(encoding="utf-8").strip()
    return f"{text}\n\n# Functions and types of `tools`\n{_describe_tools()}"


def _task_text(bench: Bench, question: str) -> str:
    """Return the task for the model: the question, the code plan, and the steps of the tools.

    The answer is left out, because the program could repeat it instead of computing it.
    """
    assert bench.answer is not None
    steps = [{"tool": one.tool, "parameters": dict(one.args)} for one in bench.steps]
    files = {
        "picture": "image_path, as run gets it",
        "annotation": bench.annotation_file and str(bench.annotation_file.absolute()),
        "second picture": bench.second_file and str(bench.second_file.absolute()),
    }
    parts = {
        "QUESTION": question,
        "ANSWER": f"the key answer holds {_describe_form(bench.answer.value)}",
        "CODE PLAN": "\n".join(f"{n}. {one}" for n, one in enumerate(bench.code_plan, 1)),
        "STEPS THAT RAN": "\n".join(map(_to_json, steps)),
        "FILES": _to_json({name: file for name, file in files.items() if file}),
    }
    said = [f"[{name}]\n{_escape_fences(text) or '(none)'}" for name, text in parts.items()]
    return "\n\n".join([*said, "Write the file."])


def _objection_text(problems: Sequence[Problem]) -> str:
    """Return the message that lists the faults of a program for the model."""
    lines = [f"- {_escape_fences(str(one))}" for one in problems[:12]]
    return "That cannot be used. Write the whole file again, without these faults:\n" + "\n".join(
        lines
    )


def _describe_form(value: Any) -> str:
    """Return the form that an answer like `value` must have, in words."""
    return _SHAPES.get(type(value), "a short text, or a list of texts, that answers the question")


def _describe_tools() -> str:
    lines = []
    for name in tools.__all__:
        one = getattr(tools, name)
        if inspect.isfunction(one):
            lines.append(f"## {name}{inspect.signature(one)}".replace("'", ""))
            lines.append(inspect.getdoc(one) or "")
        elif inspect.isclass(one):
            lines.append(f"## {name}\n{inspect.getdoc(one)}")
        else:
            lines.append(f"## {name}\n{str(one).replace('typing.', '')}")
    return "\n".join(lines)


def _to_json(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, sort_keys=True, default=str)


def _escape_fences(text: str) -> str:
    """Return external text without backtick fences, so that it cannot open or close a block."""
    return text.replace("```", "'''")
