"""Actions of a LeRobot data set: tool calls, else subtasks, else the task."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

from bt_exec.batch.parquet import opened
from bt_exec.failure import UsageError
from bt_exec_labeler.episode import Action, Flaw
from bt_exec_labeler.lerobot.rows import SaidRow, from_text

__all__ = ["actions_of_texts", "called", "subtasks_at", "subtasks_by_number"]

Texts: TypeAlias = Sequence[tuple[float, str]]
"""Current task or subtask, with its beginning [s]."""


def called(t: float, events: Sequence[SaidRow], where: str, flaws: list[Flaw]) -> Iterator[Action]:
    """Return the tool calls among the language events of a frame; speech is not an action.

    Calls of an unknown form are dropped and added to `flaws`.
    """
    for event in events:
        for call in event.tool_calls or ():
            try:
                function = _object(_object(call).get("function"))
                name, arguments = str(function["name"]), _object(function.get("arguments") or {})
            except (KeyError, TypeError, ValueError):
                why = f"at {t:g} s: {call!r:.200} is not a tool call; it is left out"
                flaws.append(Flaw("action", where, why))
                continue
            if name != "say":
                yield Action(t, None, name, arguments)


def _object(value: Any) -> dict[str, Any]:
    """Return an object that may be encoded as JSON text."""
    return dict(from_text(value))


def subtasks_at(persistent: Sequence[SaidRow]) -> Texts:
    """Return the subtasks among the persistent language of an episode."""
    found = [
        (row.timestamp or 0.0, row.content)
        for row in persistent
        if row.style == "subtask" and row.content
    ]
    return sorted(found)


def subtasks_by_number(folder: Path, numbered: Sequence[tuple[float, int | None]]) -> Texts:
    """Return the subtasks that frames refer to by number, the older form.

    Raises:
        UsageError: If the list of their texts cannot be read.
    """
    path = folder / "meta" / "subtasks.parquet"
    if not path.is_file():
        return []
    with opened(path) as file:
        rows = file.read().to_pylist()
    texts: dict[int | None, str] = {}
    for row in rows:
        # the format in which pandas writes an index
        text = row.get("subtask", row.get("__index_level_0__"))
        if text is None or "subtask_index" not in row:
            raise UsageError(f"{path} has no subtask and subtask_index")
        texts[row["subtask_index"]] = str(text)
    return [(t, texts[number]) for t, number in numbered if number in texts]


def actions_of_texts(texts: Texts, op: str, end: float) -> tuple[Action, ...]:
    """Return an action for each text, up to the start of the next. Equal neighbours are one action.

    Args:
        texts: By time.
        op: Operation of the actions; the text is their argument.
        end: When the last one ends [s].
    """
    starts = [*texts[:1], *(after for before, after in pairwise(texts) if after[1] != before[1])]
    ends = [*(t for t, _ in starts[1:]), end]
    return tuple(
        Action(t, max(t, until), op, {"text": text})
        for (t, text), until in zip(starts, ends, strict=True)
    )
