"""Layout of a tree diagram: depth grows from left to right, parents are centred on their children.

Subtrees are placed as close together as their outlines allow (Reingold and Tilford, 1981), to
minimise the height of the picture. All lengths are in pixels.
"""

from __future__ import annotations

from dataclasses import dataclass

from rich.cells import cell_len

from bt_exec.drawing.diagram_nodes import SIGNS, Box
from bt_exec.tui.terminal_text import fit, wrap

__all__ = ["LINE_HEIGHT", "Placed", "Row", "place_boxes"]

LINE_HEIGHT = 17.0
_PADDING_X = 11.0
_PADDING_Y = 7.0
_GAP_X = 34.0
_GAP_Y = 12.0
_MOST_CELLS = 34
_MOST_LINES = 3
_SIGN_SIZE = 30.0
_EM = {"label": 13.0, "about": 13.0, "note": 12.0}
_WEIGHT = {"label": 1.1, "about": 1.0, "note": 1.0}
_NARROW, _WIDE = frozenset("iljtfr.,:;'|!()[]{}/ "), frozenset("mwMW@%")
"""Narrow and wide letters in common sans-serif fonts, judged by the widest of these fonts."""


@dataclass(frozen=True)
class Row:
    """A line of text in a box; `role` is ``label``, ``about`` or ``note``."""

    text: str
    role: str


@dataclass
class Placed:
    """A box with its size and the position of its upper left corner [px]."""

    box: Box
    rows: tuple[Row, ...]
    width: float
    height: float
    children: tuple[Placed, ...] = ()
    x: float = 0.0
    y: float = 0.0

    @property
    def middle(self) -> float:
        """Vertical position of the middle of the box [px]."""
        return self.y + self.height / 2

    def walk(self) -> list[Placed]:
        """Return this box and all boxes under it, parents first."""
        found = [self]
        for one in found:
            found += one.children
        return found


def place_boxes(root: Box) -> Placed:
    """Return the root box with the sizes and positions of all boxes.

    The upper left corner of the picture is (0, 0).
    """
    top = _measure(root)
    widths: list[float] = []
    _widen_columns(top, 0, widths)
    starts = [sum(widths[:depth]) + depth * _GAP_X for depth in range(len(widths))]
    _arrange(top, 0, starts)
    lowest = min(one.y for one in top.walk())
    for one in top.walk():
        one.y -= lowest
    return top


def _measure(box: Box) -> Placed:
    rows = tuple(_text_rows(box))
    longest = max((_text_width(row) for row in rows), default=0.0)
    width = longest + 2 * _PADDING_X if rows else _SIGN_SIZE
    if box.kind in SIGNS and rows:
        width += _SIGN_SIZE - _PADDING_X / 2
    height = max(len(rows) * LINE_HEIGHT + 2 * _PADDING_Y, _SIGN_SIZE)
    return Placed(box, rows, width, height, tuple(map(_measure, box.children)))


def _text_width(row: Row) -> float:
    return sum(map(_letter_width, row.text)) * _EM[row.role] * _WEIGHT[row.role]


def _letter_width(letter: str) -> float:
    """Return the width of a letter relative to the font size."""
    if cell_len(letter) == 2:
        return 1.05
    if letter in _NARROW:
        return 0.42
    if letter in _WIDE:
        return 1.0
    return 0.72 if letter.isupper() else 0.62


def _text_rows(box: Box) -> list[Row]:
    rows: list[Row] = []
    for text, role in (
        (box.label, "label"),
        (box.about, "about"),
        *((n, "note") for n in box.notes),
    ):
        if not text:
            continue
        lines = wrap(text, _MOST_CELLS)
        if len(lines) > _MOST_LINES:
            lines = [
                *lines[: _MOST_LINES - 1],
                fit(" ".join(lines[_MOST_LINES - 1 :]), _MOST_CELLS),
            ]
        rows += [Row(line, role) for line in lines]
    return rows


def _widen_columns(placed: Placed, depth: int, widths: list[float]) -> None:
    if depth == len(widths):
        widths.append(0.0)
    widths[depth] = max(widths[depth], placed.width)
    for child in placed.children:
        _widen_columns(child, depth + 1, widths)


_Outline = list[tuple[float, float]]
"""Upper and lower edge of a subtree at each depth, from its root on."""


def _arrange(placed: Placed, depth: int, starts: list[float]) -> _Outline:
    """Set the positions of a subtree; return its outline."""
    placed.x = starts[depth]
    outline: _Outline = []
    for child in placed.children:
        below = _arrange(child, depth + 1, starts)
        shift = max(
            (low + _GAP_Y - high for (_, low), (high, _) in zip(outline, below, strict=False)),
            default=0.0,
        )
        _shift_down(child, shift)
        below = [(high + shift, low + shift) for high, low in below]
        merged = [
            (min(one[0], two[0]), max(one[1], two[1]))
            for one, two in zip(outline, below, strict=False)
        ]
        longer = outline if len(outline) > len(below) else below
        outline = [*merged, *longer[len(merged) :]]
    if placed.children:
        middle = (placed.children[0].middle + placed.children[-1].middle) / 2
        placed.y = middle - placed.height / 2
    return [(placed.y, placed.y + placed.height), *outline]


def _shift_down(placed: Placed, shift: float) -> None:
    for one in placed.walk():
        one.y += shift
