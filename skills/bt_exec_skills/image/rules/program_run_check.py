"""Check of a program against the answer, by one run on the same picture in a sandbox."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bt_exec_skills.image.rules.answer_sentences import AnswerPhrasing
from bt_exec_skills.image.sandbox.process import Ending, Ran
from bt_exec_skills.image.sandbox.run import run_program
from bt_exec_skills.image.workbench import Bench

__all__ = ["Checked", "answer_in_result", "check_program", "compare_with_answer", "run_on_picture"]

_SHOWN = 80


@dataclass(frozen=True)
class Checked:
    """Result of running a program.

    Attributes:
        ending: Way in which the run ended; see `bt_exec_skills.image.sandbox.process.Ran`.
        agrees: Whether the program returned the known answer; None if it returned no answer.
        found: Answer that the program returned.
        isolated: Whether it ran in a sandbox, and not only with limits.
        text: Message for the user; empty if the program agrees.
        file: File of the program, or None.
    """

    ending: Ending
    agrees: bool | None
    found: Any
    isolated: bool
    text: str
    file: Path | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON-compatible data."""
        return {
            "file": str(self.file or ""),
            "ending": self.ending,
            "agrees": self.agrees,
            "found": self.found,
            "isolated": self.isolated,
            "text": self.text,
        }


def check_program(bench: Bench, text: str, language: str, *, trusted: bool = False) -> Checked:
    """Run a program on the picture of the bench and compare its result with the answer.

    Args:
        bench: Bench with the picture and its answer.
        text: Source of the program. Its ``run(image_path)`` returns a dict with the key ``answer``.
        language: Language of the message.
        trusted: Whether the program was generated from templates; see `run_program`.
    """
    return compare_with_answer(bench, run_on_picture(bench, text, trusted=trusted), language)


def run_on_picture(
    bench: Bench, text: str, picture: Path | None = None, *, trusted: bool = False
) -> Ran:
    """Run a program with the bench's input files on a picture, by default the bench's picture."""
    assert bench.file is not None
    beside = [bench.annotation_file] if bench.annotation_file is not None else []
    beside += [bench.second_file] if bench.second_file is not None else []
    beside += [bench.reader_file] if bench.reader_file is not None else []
    beside += [one.with_name("classes.txt") for one in beside]
    readable = [one for one in beside if one.is_file()]
    if picture is not None:
        readable.append(bench.file)  # the path may be a literal in a generated program
    return run_program(text, picture or bench.file, readable, trusted=trusted)


def compare_with_answer(bench: Bench, ran: Ran, language: str) -> Checked:
    """Compare the result of a run with the answer of the bench."""
    assert bench.answer is not None
    answer, speaker = json.loads(json.dumps(bench.answer.value)), AnswerPhrasing(language)
    if answer is None and bench.by_model and ran.ending == "returned":
        said = speaker.sentence("program_unchecked", why=speaker.word("program words"))
        return Checked(ran.ending, None, answer_in_result(ran), ran.isolated, said)
    return _judge_run(ran, answer, speaker)


def answer_in_result(ran: Ran) -> Any:
    """Return the answer in the result of a program."""
    return ran.result.get("answer") if isinstance(ran.result, dict) else ran.result


def _judge_run(ran: Ran, answer: Any, speaker: AnswerPhrasing) -> Checked:
    if ran.ending != "returned":
        why = speaker.word(f"program {ran.ending}")
        if ran.why and ran.ending in ("failed", "killed", "not_run"):
            why = f"{why} ({ran.why})"
        said = speaker.sentence("program_unchecked", why=why)
        return Checked(ran.ending, None, None, ran.isolated, said)
    found = answer_in_result(ran)
    if found == answer and isinstance(found, bool) == isinstance(answer, bool):
        return Checked(ran.ending, True, found, ran.isolated, "")
    said = speaker.sentence("program_differs", found=_value_text(found), answer=_value_text(answer))
    return Checked(ran.ending, False, found, ran.isolated, said)


def _value_text(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
