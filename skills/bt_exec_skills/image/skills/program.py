"""The skill that writes the program of an answer and tries it."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, NamedTuple

from bt_exec.failure import Failed, UsageError
from bt_exec.skill import Service, Steps, skill
from bt_exec_skills.image.bench import Bench
from bt_exec_skills.image.rules.checking import Checked, check_program
from bt_exec_skills.image.rules.program import NoProgramError, program_of
from bt_exec_skills.image.rules.speaker import Speaker
from bt_exec_skills.image.skills.working import work

__all__ = ["Tried", "write_program"]


class Tried(NamedTuple):
    """What came of a program.

    Attributes:
        ending: How its run ended; ``unwritten`` if there is none.
        agrees: Whether it gives the answer.
    """

    ending: str
    agrees: bool


@skill(
    fails={"NO_FILE_NAMED", "NOTHING_FOUND_YET", "UNREADABLE", "NO_PICTURE"},
    needs={"answer": "told"},
)
def write_program(
    bench: Service[Bench], question: str, language: Literal["en", "ko"] = "en"
) -> Steps[Tried]:
    """Write the program of the answer to the file that the person named, and run it once.

    It does again what the tools did, on the same picture, in a sandbox without network, files or
    other processes. If it gives another answer, that is told.
    """
    file = bench.program_file
    if file is None:
        raise Failed("NO_FILE_NAMED", "nobody named a file for the program", retryable=False)
    if bench.answer is None:
        raise Failed("NOTHING_FOUND_YET", "there is no answer yet")
    try:
        text = program_of(bench, question)
    except NoProgramError as error:
        said = Speaker(language).say("program_unwritten", tool=error.tool)
        bench.program = {"file": "", "ending": "unwritten", "agrees": None, "text": said}
        return Tried("unwritten", agrees=False)

    def write_and_run() -> Checked:
        try:
            file.write_text(text, encoding="utf-8")
        except OSError as error:
            raise UsageError(f"{file} cannot be written: {error.strerror}") from None
        return check_program(bench, text, language, trusted=True)

    checked = yield from work(write_and_run, "trying")
    bench.program = replace(checked, file=file).to_dict()
    return Tried(checked.ending, agrees=checked.agrees is True)
