"""JSON Lines from possibly damaged files: unreadable lines are reported, the rest is used."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, TypeAlias

from pydantic import BeforeValidator, Field
from pydantic_core import PydanticCustomError

from bt_exec_labeler.episode import Flaw

__all__ = ["Seconds", "json_lines", "plain"]

_LEVELS = 64  # most levels of a value; libraries recurse into it
_LATEST_S = 1e12


def _reject_boolean(value: Any) -> Any:
    if isinstance(value, bool):
        raise PydanticCustomError("float_type", "input should be a valid number")
    return value


Seconds: TypeAlias = Annotated[
    float, Field(ge=0, le=_LATEST_S, allow_inf_nan=False), BeforeValidator(_reject_boolean)
]
"""Time of a recording [s]."""


def json_lines(path: Path) -> Iterator[tuple[str, Any | Flaw]]:
    """Return the location and value of every non-empty line; a flaw if it is not JSON.

    Raises:
        OSError: If the file cannot be read.
    """
    lines = path.read_bytes().removeprefix(codecs.BOM_UTF8).split(b"\n")
    for number, data in enumerate(lines, start=1):
        if not data.strip():
            continue
        where = f"{path.name}:{number}"
        try:
            yield where, plain(json.loads(data.decode("utf-8"), object_pairs_hook=_keys_once))
        except UnicodeDecodeError as error:
            why = f"is not UTF-8 ({error.reason} at byte {error.start}); the line is left out"
            yield where, Flaw("not_utf8", where, why)
        except (ValueError, RecursionError) as error:
            yield where, Flaw("not_json", where, f"is not JSON ({error}); the line is left out")


def plain(value: Any, levels: int = _LEVELS) -> Any:
    """Return a value of JSON that can be written again.

    Raises:
        ValueError: If it is nested too deeply, or contains half a character.
    """
    if isinstance(value, str) and not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise ValueError(f"{value!a:.60} contains half a character") from None
    if isinstance(value, Mapping | list):
        if not levels:
            raise ValueError("is nested too deeply")
        parts = value if isinstance(value, list) else (*value, *value.values())
        for part in parts:
            plain(part, levels - 1)
    return value


def _keys_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) < len(pairs):
        names = [key for key, _ in pairs]
        twice = next(key for key in names if names.count(key) > 1)
        raise ValueError(f"the key {twice!r} is there twice")
    return data
