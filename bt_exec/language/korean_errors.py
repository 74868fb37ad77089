"""Korean translation of usage errors and of problems in files.

The English text is the key, as with gettext. A problem without an entry is described by its code.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

from bt_exec.failure import BtExecError, Problem
from bt_exec.language.korean_particles import with_particles
from bt_exec.spec.shipped_yaml import read_yaml

__all__ = ["error_message", "korean_error", "korean_message", "korean_mistake", "korean_problem"]

_ALLOWED = 12  # maximum number of allowed values that are listed
_NAMED = re.compile(r"'[^']+'|\$\w+")


@cache
def _table(name: str) -> Mapping[str, str]:
    return dict(read_yaml(Path(__file__).with_suffix(".yaml"))[name])


def korean_error(text: str) -> str:
    """Return the Korean translation of an error message; the message itself if there is none."""
    parts = text.split("; ")
    if len(parts) > 1:
        said = [korean_error(part) for part in parts]
        if all(map(str.__ne__, said, parts)):
            return "; ".join(said)
    plain = text.strip().rstrip(".")
    plain = plain[:1].lower() + plain[1:]
    for pattern, korean in _patterns():
        if found := pattern.fullmatch(plain):
            return with_particles(korean.format(*_korean_parts(found)))
    return text


def _korean_parts(found: re.Match[str]) -> Iterator[str]:
    """Yield the variable parts of a message in Korean; quoted names are not translated."""
    for number, part in enumerate(found.groups(), 1):
        quoted = found.string[: found.start(number)].endswith("'")
        yield part if quoted else korean_error(part)


def error_message(error: BtExecError, language: str, *, codes: bool = True) -> str:
    """Return the message of an error, with a line for each problem of a file.

    Args:
        error: The error.
        language: ``en`` or ``ko``.
        codes: Whether problems end with their codes, for authors.
    """
    problems: tuple[Problem, ...] = getattr(error, "problems", ())
    if language == "ko":
        return _with_problems(map(_in_korean, problems), codes) or korean_error(str(error))
    return _with_problems(problems, codes) or str(error)


def _with_problems(problems: Iterable[Problem], codes: bool) -> str:
    return "\n".join(str(one) if codes else one.without_code() for one in problems)


def korean_message(error: BtExecError) -> str:
    """Return the message of an error in Korean, with a line for each problem of a file."""
    return error_message(error, "ko")


def korean_mistake(problem: Problem, shown: str = "") -> str:
    """Return the Korean translation of a problem's message, or the Korean text for its code.

    The text for the code is followed by the quoted names of the message that appear neither in that
    text nor in `shown`.
    """
    said = korean_error(problem.message)
    if said != problem.message or problem.code not in _table("problems"):
        return said
    said = _table("problems")[problem.code]
    named = dict.fromkeys(_NAMED.findall(problem.message))
    lost = ", ".join(part for part in named if part.strip("'") not in f"{said} {shown}")
    return f"{said}: {lost}" if lost else said


def korean_problem(problem: Problem) -> str:
    """Return a problem in Korean, with its position, what was found and what is allowed."""
    return str(_in_korean(problem))


def _in_korean(problem: Problem) -> Problem:
    mistake = korean_mistake(problem, " ".join((problem.found, *problem.allowed)))
    more = len(problem.allowed) - _ALLOWED
    rest = f" 외 {more}개" if more > 0 else ""
    facts = (
        f"쓴 것: {problem.found}" if problem.found else "",
        f"쓸 수 있는 것: {', '.join(problem.allowed[:_ALLOWED])}{rest}" if problem.allowed else "",
    )
    details = "; ".join(filter(None, facts))
    message = f"{mistake} ({details})" if details else mistake
    return replace(problem, message=message, found="", allowed=())


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple(
        (re.compile(re.escape(english).replace(r"\*", "(.+?)"), re.DOTALL), korean)
        for english, korean in _table("errors").items()
    )
