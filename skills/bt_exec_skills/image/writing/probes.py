"""Whether a program looks at the picture: it is run again on one that is changed.

A program that gives the same answer whatever it is shown has it written down. The changed picture
is blank, in the colour of the picture's border, and has the same size and name; where the answer
is nothing (0, no, an empty list) there is nothing to take away, and the file is no picture at all.
Our own program of the same answer, where there is one, tells whether the answer should have
changed: boxes of an annotation are still there in a blank picture.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from bt_exec.failure import Problem, UsageError
from bt_exec_skills.image.bench import Bench
from bt_exec_skills.image.rules.checking import answer_of, ran_on
from bt_exec_skills.image.rules.program import program_of
from bt_exec_skills.image.sandbox.process import Ran

__all__ = ["faults_of_result", "faults_when_blank"]

_CODES = {
    "failed": "RUN_FAILED",
    "killed": "RUN_FAILED",
    "time": "OVER_TIME",
    "memory": "OVER_MEMORY",
    "output": "OVER_OUTPUT",
}
_NOTHING: tuple[Any, ...] = (0, False, [], {"target": 0, "other": 0})


def faults_of_result(ran: Ran, answer: Any, *, worded: bool) -> list[Problem]:
    """Return what is wrong with how a program ended, and with the form of what it returned.

    Codes: ``RUN_FAILED``, ``OVER_TIME``, ``OVER_MEMORY``, ``OVER_OUTPUT``, ``NOT_A_DICT``,
    ``NO_ANSWER``, ``WRONG_SHAPE``.

    Args:
        ran: How it ended.
        answer: What the answer is; only its form is compared.
        worded: Whether the answer is in words alone, so that any form will do.
    """
    if ran.ending in _CODES:
        return [Problem(_CODES[ran.ending], f"it was run on the picture: {ran.why}", "run")]
    if ran.ending == "not_run":
        return []
    if not isinstance(ran.result, dict):
        found = type(ran.result).__name__
        return [Problem("NOT_A_DICT", "run returns a dict", "run", found)]
    if "answer" not in ran.result:
        found = ", ".join(map(str, ran.result))[:60]
        return [Problem("NO_ANSWER", "the dict has the key answer", "run", found)]
    found = ran.result["answer"]
    if worded or found is None or _alike(found, answer):
        return []
    message = "the answer has not the form that was asked for"
    return [Problem("WRONG_SHAPE", message, "run", repr(found)[:60], (type(answer).__name__,))]


def faults_when_blank(bench: Bench, code: str, ran: Ran) -> list[Problem]:
    """Return ``SAME_WHATEVER_IT_SEES`` if a program gives its answer for another picture, too."""
    found = answer_of(ran)
    if ran.ending != "returned" or found is None or bench.file is None:
        return []
    with tempfile.TemporaryDirectory(prefix="bt-exec-probe-") as name:
        other = Path(name) / bench.file.name
        if found in _NOTHING:
            other.write_bytes(b"no picture")
        else:
            _blank(bench, other)
        other.chmod(0o644)
        again = ran_on(bench, code, other)
        if again.ending != "returned" or answer_of(again) != found:
            return []
        if found not in _NOTHING and _stays(bench, other, found):
            return []
    message = (
        "run on another picture (one that is blank, or broken) it gives the same answer: it does "
        "not look"
    )
    return [Problem("SAME_WHATEVER_IT_SEES", message, "run", repr(found)[:60])]


def _blank(bench: Bench, file: Path) -> None:
    picture = bench.picture
    border = np.concatenate((picture[0], picture[-1], picture[:, 0], picture[:, -1]))
    blank = np.empty_like(picture)
    blank[:] = np.median(border, axis=0).astype(np.uint8)
    _, data = cv2.imencode(".png", blank)  # what a picture is, its bytes say, not its name
    file.write_bytes(data.tobytes())


def _stays(bench: Bench, other: Path, found: Any) -> bool:
    """Return whether our own program gives the answer for the changed picture, too."""
    try:
        ours = program_of(bench, bench.question)
    except UsageError:
        return False
    return bool(answer_of(ran_on(bench, ours, other, trusted=True)) == found)


def _alike(found: Any, answer: Any) -> bool:
    if answer is None:  # undecided between yes and no
        return isinstance(found, bool)
    if isinstance(answer, bool) or isinstance(found, bool):
        return isinstance(answer, bool) and isinstance(found, bool)
    if isinstance(answer, dict):
        return isinstance(found, dict) and {*found} == {*answer}
    if isinstance(answer, list | tuple):
        return isinstance(found, list) and all(isinstance(one, str) for one in found)
    return isinstance(found, int)
