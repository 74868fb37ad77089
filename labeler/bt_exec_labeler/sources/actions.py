"""Actions from a JSON Lines file: one object a line, ``{"t": 1.5, "op": "MOVE_NAV", …}``."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bt_exec.failure import Problem, SpecError
from bt_exec_labeler.episode import Action, Flaw, State

__all__ = ["read_actions"]


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    t: Annotated[float, Field(ge=0)]
    end: Annotated[float, Field(ge=0)] | None = None
    op: Annotated[str, Field(min_length=1)]
    args: dict[str, Any] = Field(default_factory=dict)
    state: State = "unknown"
    code: str = ""
    facts: dict[str, str] = Field(default_factory=dict)


def read_actions(path: Path) -> tuple[tuple[Action, ...], tuple[Flaw, ...]]:
    """Return the actions of a file by time, and what is wrong with their order.

    Raises:
        SpecError: If a line cannot be read; every such line is named.
        OSError: If the file cannot be read.
    """
    actions: list[Action] = []
    problems: list[Problem] = []
    for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if not text.strip():
            continue
        try:
            line = _Line.model_validate(json.loads(text))
        except (json.JSONDecodeError, ValidationError) as error:
            problems.append(Problem("ACTION", _why(error), file=str(path), line=number, column=1))
            continue
        if line.end is not None and line.end < line.t:
            message = f"ends at {line.end:g} s, before it begins at {line.t:g} s"
            problems.append(Problem("ACTION", message, file=str(path), line=number, column=1))
            continue
        actions.append(Action(**line.model_dump()))
    if problems:
        raise SpecError(problems)
    flaws = tuple(
        Flaw("out_of_order", f"{path.name}: {after.op}", f"at {after.t:g} s after {before.t:g} s")
        for before, after in pairwise(actions)
        if after.t < before.t
    )
    return tuple(sorted(actions, key=lambda action: action.t)), flaws


def _why(error: Exception) -> str:
    """Return what is wrong with a line, in one sentence."""
    if isinstance(error, ValidationError):
        found = error.errors()[0]
        where = ".".join(map(str, found["loc"]))
        return f"{where}: {found['msg'].lower()}" if where else found["msg"].lower()
    return f"is not JSON: {error}"
