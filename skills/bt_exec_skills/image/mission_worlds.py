"""Worlds of the missions for a question: one per picture, or one for two pictures to compare."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from bt_exec.failure import UsageError
from bt_exec.files import expand_home, file_errors
from bt_exec_skills.image.models.contracts import ANY_NAME
from bt_exec_skills.image.rules.question import UnanswerableQuestion
from bt_exec_skills.image.rules.question_plans import CannotTell, build_plan_of_all
from bt_exec_skills.image.rules.question_reader import read_questions

__all__ = ["build_mission_worlds"]

_ONE_PICTURE = {"picture": "given", "detector.names": ANY_NAME, "reader": "ready"}
"""Planning facts that assume one picture, a detector of every class and a text recogniser."""


def build_mission_worlds(
    files: Sequence[Path],
    question: str,
    annotation: Path | None = None,
    out: Path | None = None,
    program: Path | None = None,
    program_by: str = "templates",
) -> list[dict[str, str]]:
    """Return the ``--world`` settings of each mission for a question; see `PictureStart`.

    Args:
        files: The pictures.
        question: Text with one or more questions.
        annotation: Annotation file for all pictures.
        out: File of the annotated picture. For several pictures a folder, or a new name without
            extension.
        program: File of the program; only for one picture.
        program_by: Author of the program: ``templates`` or ``model``.

    Raises:
        UsageError: If a comparison gets more than two pictures, one program is requested for
            several pictures, an input would be overwritten, or an author is given without a
            program.
    """
    if program_by != "templates" and program is None:
        raise UsageError("--program-by needs --program FILE, the output file of the program")
    _refuse_overwriting([*files, *filter(None, [annotation])], [*filter(None, [out, program])])
    given = {"annotation": annotation, "out": out, "program": program}
    rest = {key: str(path) for key, path in given.items() if path is not None}
    if program_by != "templates":
        rest["program_by"] = program_by
    if len(files) > 1 and _is_comparison(question):
        if len(files) > 2:
            raise UsageError(f"a comparison takes two pictures; found {len(files)}")
        return [{"image": str(files[0]), "second": str(files[1]), **rest}]
    if len(files) == 1 and (out is None or (out.suffix and not out.is_dir())):
        return [{"image": str(files[0]), **rest}]
    if program is not None and len(files) > 1:
        raise UsageError(f"a program can only be written for one picture; found {len(files)}")
    if out is None:
        return [{"image": str(file), **rest} for file in files]
    if out.exists() and not out.is_dir():
        raise UsageError(f"--out must be a folder if there are several pictures; found {out}")
    with file_errors(f"folder {out}", "made"):
        out.mkdir(parents=True, exist_ok=True)
    return [
        {"image": str(file), **rest, "out": str(out / f"{number:03}-{file.stem}.png")}
        for number, file in enumerate(files, 1)
    ]


def _refuse_overwriting(read: Sequence[Path], written: Sequence[Path]) -> None:
    """Raise UsageError if an output file is one of the input files."""
    kept = {os.path.realpath(expand_home(one)) for one in read}
    for one in written:
        if os.path.realpath(expand_home(one)) in kept:
            raise UsageError(
                f"{one} is an input picture and would be overwritten; name another file"
            )


def _is_comparison(question: str) -> bool:
    """Return True if one of the questions in a text needs a second picture."""
    try:
        build_plan_of_all(read_questions(question), "en", _ONE_PICTURE)
    except UnanswerableQuestion:
        return False
    except CannotTell as error:
        return error.code == "SECOND_NEEDED"
    return False
