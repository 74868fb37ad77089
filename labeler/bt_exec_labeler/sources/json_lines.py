"""JSON Lines from possibly damaged files: unreadable lines are reported, the rest is used."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bt_exec_labeler.episode import Flaw

__all__ = ["json_lines"]


def json_lines(path: Path) -> Iterator[tuple[str, Any | Flaw]]:
    """Return the place and the value of every line that is not empty; a flaw where it is not JSON.

    Raises:
        OSError: If the file cannot be read.
    """
    for number, data in enumerate(path.read_bytes().split(b"\n"), start=1):
        if not data.strip():
            continue
        where = f"{path.name}:{number}"
        try:
            yield where, json.loads(data.decode("utf-8"))
        except UnicodeDecodeError as error:
            why = f"is not UTF-8 ({error.reason} at byte {error.start}); the line is left out"
            yield where, Flaw("not_utf8", where, why)
        except (ValueError, RecursionError) as error:
            yield where, Flaw("not_json", where, f"is not JSON ({error}); the line is left out")
