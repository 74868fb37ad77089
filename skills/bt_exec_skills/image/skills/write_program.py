"""Skill `write_program`, which generates and tests the program of an answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from bt_exec.failure import Failed
from bt_exec.files import file_errors
from bt_exec.skill import Service, Steps, skill
from bt_exec_skills.image.rules.answer_sentences import AnswerPhrasing
from bt_exec_skills.image.rules.program_from_steps import NoProgramError, build_program
from bt_exec_skills.image.rules.program_run_check import check_program
from bt_exec_skills.image.skills.worker_thread import run_on_worker
from bt_exec_skills.image.workbench import Bench
from bt_exec_skills.image.writing.program_author import Authored, request_program

__all__ = ["Tried", "write_program"]

_TEMPLATES = "templates"


class Tried(NamedTuple):
    """Result of the trial run of a program.

    Attributes:
        ending: End of the run (see `Ran`); ``unwritten`` without a program.
        agrees: Whether the program returns the answer of the mission.
        by: Author: ``templates``, or the name of the model.
        refused: Faults of the model's program in each attempt.
        said: Complete output of the model in each attempt.
        usage: Cost of the model, such as the number of requests and tokens.
    """

    ending: str
    agrees: bool
    by: str = _TEMPLATES
    refused: Sequence[Sequence[str]] = ()
    said: Sequence[str] = ()
    usage: Mapping[str, float] = {}


@skill(
    fails={"NO_FILE_NAMED", "NOTHING_FOUND_YET", "UNREADABLE", "NO_PICTURE"},
    needs={"answer": "told"},
    timeout_s=600,
)
def write_program(
    bench: Service[Bench], question: str, language: Literal["en", "ko"] = "en"
) -> Steps[Tried]:
    """Write the program of the answer to the output file that the user gave, and run it once.

    The program repeats the steps of the tools on the same picture, in a sandbox without network,
    other files or other processes. A different answer is reported. If the site's model writes the
    program, its faults are sent back to the model once. If the second program has faults, too, the
    skill writes the program of the templates instead and reports this.
    """
    file = bench.program_file
    if file is None:
        raise Failed("NO_FILE_NAMED", "there is no output file for the program", retryable=False)
    if bench.answer is None:
        raise Failed("NOTHING_FOUND_YET", "no question was answered")
    bench.program = yield from run_on_worker(
        lambda: _write_and_try(bench, file, question, language), "trying"
    )
    made = bench.program
    return Tried(
        made["ending"],
        made["agrees"] is True,
        made["model"] if made["by"] == "model" else _TEMPLATES,
        [one["faults"] for one in made["attempts"]],
        [one["said"] for one in made["attempts"]],
        made["usage"],
    )


def _write_and_try(bench: Bench, file: Path, question: str, language: str) -> dict[str, Any]:
    """Write the program, run it, and return the result with a message for the user."""
    speaker = AnswerPhrasing(language)
    authored = Authored()
    if bench.writer is not None:
        authored = request_program(bench, bench.writer, question, language)
    about = {
        "by": _TEMPLATES,
        "model": authored.model,
        "attempts": [{"said": one.said, "faults": [*one.faults]} for one in authored.attempts],
        "usage": authored.usage,
    }
    if authored.code is not None and authored.checked is not None:
        _write_file(file, authored.code)
        sentence = speaker.sentence("program_by_model", model=authored.model or "?")
        checked = {**authored.checked.to_dict(), "file": str(file)}
        return {**checked, **about, "by": "model", "text": f"{sentence} {checked['text']}".strip()}
    dropped = "" if bench.writer is None else speaker.sentence("program_dropped", why=authored.why)
    try:
        text = build_program(bench, question)
    except NoProgramError as error:
        sentence = speaker.sentence("program_unwritten", tool=error.tool)
        none = {"file": "", "ending": "unwritten", "agrees": None}
        return {**none, **about, "text": f"{dropped} {sentence}".strip()}
    if dropped:
        dropped = f"{dropped} {speaker.sentence('program_ours')}"
    _write_file(file, text)
    tried = check_program(bench, text, language, trusted=True).to_dict()
    return {**tried, **about, "file": str(file), "text": f"{dropped} {tried['text']}".strip()}


def _write_file(file: Path, text: str) -> None:
    with file_errors(file, "written"):
        file.write_text(text, encoding="utf-8")
