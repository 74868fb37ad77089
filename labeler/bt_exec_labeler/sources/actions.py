"""Actions from a JSON Lines file: one object a line, ``{"t": 1.5, "op": "MOVE_NAV", …}``."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bt_exec.failure import nearest
from bt_exec.spec.user_data import first_error
from bt_exec_labeler.episode import Action, Flaw, State
from bt_exec_labeler.sources.json_lines import Seconds, json_lines

__all__ = ["read_actions"]


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    t: Seconds
    end: Seconds | None = None
    op: Annotated[str, Field(min_length=1)]
    args: dict[str, Any] = Field(default_factory=dict)
    state: State = "unknown"
    code: str = ""
    facts: dict[str, str] = Field(default_factory=dict)


def read_actions(path: Path) -> tuple[tuple[Action, ...], tuple[Flaw, ...]]:
    """Return the actions of a file by time, and problems of its lines and their order.

    Unusable lines are dropped and unknown keys are ignored; both are reported.

    Raises:
        OSError: If the file cannot be read.
    """
    actions: list[Action] = []
    flaws: list[Flaw] = []
    for where, data in json_lines(path):
        found = data if isinstance(data, Flaw) else _action(where, data, flaws)
        if isinstance(found, Flaw):
            flaws.append(found)
        elif found in actions[-1:]:
            flaws.append(Flaw("double_time", where, "repeats the line before it; it is left out"))
        else:
            actions.append(found)
    for before, after in pairwise(actions):
        if after.t < before.t:
            where = f"{path.name}: {after.op}"
            flaws.append(Flaw("out_of_order", where, f"at {after.t:g} s after {before.t:g} s"))
    if not actions:
        flaws.append(Flaw("no_actions", path.name, "has no actions; nothing can be labelled"))
    return tuple(sorted(actions, key=lambda action: action.t)), tuple(flaws)


def _action(where: str, data: Any, flaws: list[Flaw]) -> Action | Flaw:
    """Return the action of a line, or why it cannot be used."""
    try:
        line = _Line.model_validate(data)
    except ValidationError as error:
        return Flaw("action", where, f"{first_error(error)}; the line is left out")
    if line.end is not None and line.end < line.t:
        message = f"ends at {line.end:g} s, before it begins at {line.t:g} s; the line is left out"
        return Flaw("action", where, message)
    for key in sorted(set(data) - set(_Line.model_fields)):
        near = nearest(str(key), tuple(_Line.model_fields))
        hint = f"; did you mean {near[0]}?" if near else ""
        flaws.append(Flaw("unknown_key", where, f"has an unknown key {key!r}, ignored{hint}"))
    return Action(**line.model_dump())
