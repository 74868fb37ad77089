"""Keys and typed commands of the live view, which change the display and never the mission."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from bt_exec.spec.shipped_yaml import read_yaml
from bt_exec.tui.plan_rows import ViewNode
from bt_exec.tui.view_model import ViewModel
from bt_exec.tui.view_state import Display
from bt_exec.tui.visible_rows import Row, all_rows, focus_index

__all__ = ["Action", "actions", "perform_key", "selected_index"]

_PAGE = 10
_LONGEST = 100  # maximum length of a typed command [characters]


@dataclass(frozen=True)
class Action:
    """Action of a key or a typed command.

    Attributes:
        name: Name of the action.
        keys: Keys that perform the action, as named by `bt_exec.tui.keys`.
        words: Word that performs the action on the command line, by language; may be empty.
        does: Description of the action, by language.
    """

    name: str
    keys: tuple[str, ...]
    words: Mapping[str, str]
    does: Mapping[str, str]


@cache
def actions() -> tuple[Action, ...]:
    """Return all actions, in the order of the help."""
    table: Mapping[str, Any] = read_yaml(Path(__file__).with_name("view_keys.yaml"))
    return tuple(
        Action(name, tuple(one["keys"]), {"en": one["en"], "ko": one["ko"]}, one["does"])
        for name, one in table.items()
    )


def perform_key(display: Display, model: ViewModel, key: str, width: int) -> None:
    """Perform the action of a key in a view of a certain width [cells]."""
    display.notice = ""
    key = "space" if key == " " else key
    if display.typed is not None:
        _edit_command_line(display, model, key, width)
        return
    for action in actions():
        if key in action.keys:
            _perform(display, model, action.name, width)


def _edit_command_line(display: Display, model: ViewModel, key: str, width: int) -> None:
    """Process a key that is typed on the command line."""
    typed = display.typed or ""
    if key == "enter":
        display.typed = None
        if typed.startswith(":"):
            _perform_typed_command(display, model, typed[1:].strip(), width)
        return
    if key == "escape" or (key == "backspace" and len(typed) == 1):
        display.typed = None
        display.filter = "" if typed.startswith("/") else display.filter
        return
    if key == "backspace":
        typed = typed[:-1]
    elif key == "space" or (len(key) == 1 and key.isprintable()):
        typed = (typed + (" " if key == "space" else key))[:_LONGEST]
    display.typed = typed
    if typed.startswith("/"):
        display.filter = typed[1:].strip()


def _perform_typed_command(display: Display, model: ViewModel, text: str, width: int) -> None:
    """Perform the action of a typed command, which may be in English or Korean."""
    word, _, rest = text.partition(" ")
    for action in actions():
        for known in filter(None, action.words.values()):
            if word.casefold() == known.strip() and (not rest or known.endswith(" ")):
                if rest:
                    display.filter = rest.strip()
                else:
                    _perform(display, model, action.name, width)
                return
    if text:
        display.notice = f"{model.translated_text('no such command')}: {text}"


def _perform(display: Display, model: ViewModel, name: str, width: int) -> None:
    match name:
        case "node" | "times" | "camera" | "help":
            display.page = "" if display.page == name else name
        case "all":
            display.unfolded = not display.unfolded
            display.folds.clear()
        case "follow":
            display.cursor = None
        case "active":
            display.active = not display.active
        case "filter" | "type":
            display.typed = "/" if name == "filter" else ":"
        case "details":
            model.verbose = not model.verbose
        case "pause":
            display.paused = not display.paused
        case "close" if display.page:
            display.page = ""
        case "close" if display.is_filtered:
            display.filter, display.active = "", False
        case "close":
            display.cursor = None
        case _:
            _move_or_fold(display, model, name, width)


def _move_or_fold(display: Display, model: ViewModel, name: str, width: int) -> None:
    """Move the cursor, or fold or unfold the selected node."""
    rows = [row for row in all_rows(model, width, display=display) if _is_current(model, row)]
    if not rows:
        return
    at = selected_index(rows, display.cursor)
    node = _node(rows[at])
    is_open = bool(node.children) and not rows[at].folded
    above = (n for n in range(at - 1, -1, -1) if rows[n].depth < rows[at].depth)
    steps = {"up": -1, "down": 1, "page up": -_PAGE, "page down": _PAGE, "first": -at}
    if name == "toggle" or (name == "fold" and is_open) or (name == "open" and not is_open):
        if node.children:
            display.folds[node.path] = not is_open
    elif name == "fold":
        at = next(above, at)
    else:
        at += {**steps, "last": len(rows), "open": 1}[name]
    display.cursor = _node(rows[min(max(at, 0), len(rows) - 1)]).path


def _is_current(model: ViewModel, row: Row) -> bool:
    """Return True if a row shows a node of the current plan."""
    return row.node is not None and model.forest.by_path.get(row.node.path) is row.node


def _node(row: Row) -> ViewNode:
    assert row.node is not None
    return row.node


def selected_index(rows: list[Row], cursor: str | None) -> int:
    """Return the index of the row at the cursor, or of its nearest visible ancestor.

    Without a cursor, the index of the running row is returned.
    """
    if cursor is None:
        return focus_index(rows)
    paths = [row.node.path if row.node is not None else None for row in rows]
    for index in range(len(rows) - 1, -1, -1):
        if paths[index] == cursor:
            return index
    parents = [n for n, path in enumerate(paths) if path and cursor.startswith(f"{path}/")]
    return max(parents, key=lambda n: len(paths[n] or ""), default=focus_index(rows))
