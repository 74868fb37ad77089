"""Strict parsing of plans in JSON; errors have positions."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from bt_exec.failure import Problem, SpecError

__all__ = ["make_problem", "parse_plan_json"]

_LONGEST = 200_000


def parse_plan_json(text: str, file: str) -> Any:
    """Return the data in a JSON text.

    Raises:
        SpecError: TOO_LONG or BAD_JSON.
    """
    if len(text) > _LONGEST:
        raise SpecError([make_problem(file, "TOO_LONG", f"is longer than {_LONGEST} characters")])
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        found = make_problem(file, "BAD_JSON", f"is not JSON: {error.msg}")
        raise SpecError([replace(found, line=error.lineno, column=error.colno)]) from None
    except RecursionError:
        raise SpecError([make_problem(file, "BAD_JSON", "is nested too deeply")]) from None


def make_problem(
    file: str,
    code: str,
    message: str,
    place: str = "",
    found: str = "",
    allowed: tuple[str, ...] = (),
) -> Problem:
    """Return a problem in a file, with the arguments in the order in which they are displayed."""
    return Problem(code, message, place, found, allowed, file)
