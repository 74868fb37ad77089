"""Reader for possibly damaged JSON Lines files, and for actions in them."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic_core import PydanticCustomError

from bt_exec.failure import nearest_names
from bt_exec.spec.user_data_validation import first_error
from bt_exec_labeler.episode import Action, Flaw, State

__all__ = ["Seconds", "read_actions", "read_json_lines", "serialisable_value"]


_LEVELS = 64  # maximum nesting depth, because libraries process values recursively
_LATEST_S = 1e12


def _reject_boolean(value: Any) -> Any:
    if isinstance(value, bool):
        raise PydanticCustomError("float_type", "input should be a valid number")
    return value


Seconds: TypeAlias = Annotated[
    float, Field(ge=0, le=_LATEST_S, allow_inf_nan=False), BeforeValidator(_reject_boolean)
]
"""Time of a recording [s]."""


def read_json_lines(path: Path) -> Iterator[tuple[str, Any | Flaw]]:
    """Yield the location and the value of every non-empty line; a line that is not JSON is a flaw.

    Raises:
        OSError: If the file cannot be read.
    """
    lines = path.read_bytes().removeprefix(codecs.BOM_UTF8).split(b"\n")
    for number, data in enumerate(lines, start=1):
        if not data.strip():
            continue
        where = f"{path.name}:{number}"
        try:
            yield (
                where,
                serialisable_value(json.loads(data.decode("utf-8"), object_pairs_hook=_keys_once)),
            )
        except UnicodeDecodeError as error:
            why = f"is not UTF-8 ({error.reason} at byte {error.start}); the line is left out"
            yield where, Flaw("not_utf8", where, why)
        except (ValueError, RecursionError) as error:
            yield where, Flaw("not_json", where, f"is not JSON ({error}); the line is left out")


def serialisable_value(value: Any, levels: int = _LEVELS) -> Any:
    """Return a JSON value after checking that it can be serialised again.

    Raises:
        ValueError: If the value is nested too deeply, or contains a lone surrogate.
    """
    if isinstance(value, str) and not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise ValueError(f"{value!a:.60} contains an incomplete character") from None
    if isinstance(value, Mapping | list):
        if not levels:
            raise ValueError("is nested too deeply")
        parts = value if isinstance(value, list) else (*value, *value.values())
        for part in parts:
            serialisable_value(part, levels - 1)
    return value


def _keys_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) < len(pairs):
        names = [key for key, _ in pairs]
        twice = next(key for key in names if names.count(key) > 1)
        raise ValueError(f"the key {twice!r} is duplicated")
    return data


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
    """Return the actions in a file, sorted by time, and flaws of its lines and their order.

    Unusable lines are dropped and unknown keys are ignored; both are reported.

    Raises:
        OSError: If the file cannot be read.
    """
    actions: list[Action] = []
    flaws: list[Flaw] = []
    for where, data in read_json_lines(path):
        found = data if isinstance(data, Flaw) else _parse_action(where, data, flaws)
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


def _parse_action(where: str, data: Any, flaws: list[Flaw]) -> Action | Flaw:
    """Return the action in a line, or a flaw if it cannot be used."""
    try:
        line = _Line.model_validate(data)
    except ValidationError as error:
        return Flaw("action", where, f"{first_error(error)}; the line is left out")
    if line.end is not None and line.end < line.t:
        message = f"ends at {line.end:g} s, before it begins at {line.t:g} s; the line is left out"
        return Flaw("action", where, message)
    for key in sorted(set(data) - set(_Line.model_fields)):
        near = nearest_names(str(key), tuple(_Line.model_fields))
        hint = f"; did you mean {near[0]}?" if near else ""
        flaws.append(Flaw("unknown_key", where, f"has an unknown key {key!r}, ignored{hint}"))
    return Action(**line.model_dump())
