"""Pages of the live view: details of a node, transitions, the newest picture, the keys."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

import numpy as np
from rich.cells import cell_len

from bt_exec.skill import Verdict
from bt_exec.spec.model import Check, Do, Tree
from bt_exec.tui.node_text import modifiers_text
from bt_exec.tui.plan_rows import ViewNode
from bt_exec.tui.terminal_text import WORDS, Entry, Glyphs, Line, entry_lines, fit, pad, safe_line
from bt_exec.tui.view_commands import actions
from bt_exec.tui.view_model import ViewModel

__all__ = ["camera_lines", "help_lines", "node_lines", "transition_lines"]

_SIGNS = {"up": "↑", "down": "↓", "left": "←", "right": "→"}
_COLUMN = 52  # minimum width of a column of the list of keys [cells]
_SHADES = " .:-=+*#%@"  # from dark to bright
_LEVELS = 8  # step to which colour channels are rounded, so that similar cells share a style


def help_lines(
    model: ViewModel, width: int, glyphs: Glyphs, taken: frozenset[str] = frozenset()
) -> list[Line]:
    """Return a table of the keys and their actions, except the keys in `taken`."""
    language = "en" if model.ascii else model.language
    rows = []
    for action in actions():
        keys = [key for key in action.keys if key not in taken]
        names = (key if model.ascii else _SIGNS.get(key, key) for key in keys)
        word = action.words[language].strip()
        rows.append((" ".join(names), f":{word}" if word else "", action.does[language]))
    widths = [max(cell_len(row[n]) for row in rows) + 2 for n in (0, 1)]
    columns = max(width // _COLUMN, 1)
    room = (width - 2) // columns
    texts = [f"{pad(a, widths[0])}{pad(b, widths[1])}{c}" for a, b, c in rows]
    height = -(-len(rows) // columns)
    return [
        tuple(
            (" " + pad(fit(glyphs.text(text), room - 2, glyphs.dots), room - 1), "")
            for text in texts[row::height]
        )
        for row in range(height)
    ]


def node_lines(
    model: ViewModel, node: ViewNode, width: int, glyphs: Glyphs, now: float
) -> list[Line]:
    """Return the details of a node at `now` [s, mission clock]."""
    entry = Entry(
        model.label(node),
        remark=node.path if model.verbose else "",
        facts=[(model.translated_text(name), text) for name, text in _facts(model, node, now)],
        style=node.state or "strong",
        sign=glyphs.states[node.state or ""],
    )
    return entry_lines([entry], width, glyphs)


def _facts(model: ViewModel, node: ViewNode, now: float) -> Iterator[tuple[str, str]]:
    spec, translate = node.spec, model.translated_text
    state = [model.fixed_word(WORDS[node.state or ""])]
    if node.began is not None:
        ran = (now if node.ended is None else node.ended) - node.began
        at = model.duration_text(node.began - model.began)
        state += [model.duration_text(ran), f"{translate('began at')} {at}"]
    yield "state", " · ".join(state)
    if isinstance(spec, Do | Tree) and (model.verbose or not model.phrase(node.named or spec)):
        yield "arguments", _arguments_text(model, spec.args)
    answer = _verdict_text(model, node.answer, ("yes", "no"))
    if isinstance(spec, Check):
        yield "answer", answer
    if spec.guard is not None:
        guard = _verdict_text(model, node.guard, ("holds", "broken"))
        yield "while", f"{model.condition_phrase(spec.guard)} · {guard}"
    if spec.skip_if is not None:
        yield "skipped if", f"{model.condition_phrase(spec.skip_if)} · {answer}"
    if node.attempts > 1 or spec.retry:
        limit = f" / {spec.retry}" if spec.retry else ""
        yield "attempts", f"{node.attempts}{limit}"
    for failure in node.tries:
        yield (
            "failed before",
            _code_with_reason(model.failure_code(failure), model.failure_reason(failure)),
        )
    if node.failure is not None:
        yield (
            "failed",
            _code_with_reason(model.failure_code(node.failure), model.failure_reason(node.failure)),
        )
        if model.verbose:
            evidence = (f"{k} {v}" for k, v in node.failure.evidence.items() if k != "traceback")
            yield "evidence", ", ".join(evidence)
    elif node.detail:
        yield "reason", node.detail
    if model.verbose:
        yield "rules", "; ".join(modifiers_text(spec))


def _arguments_text(model: ViewModel, args: Any) -> str:
    """Return arguments as text: their values in words, or with their names in verbose views."""
    given = {name: value for name, value in args.items() if value not in (None, (), [])}
    if model.verbose:
        return ", ".join(
            f"{name}={model.with_saved_results(str(value))}" for name, value in given.items()
        )
    return ", ".join(
        model.translated_text(model.with_saved_results(str(one)))
        for value in given.values()
        for one in (value if isinstance(value, list | tuple) else (value,))
    )


def _verdict_text(model: ViewModel, verdict: Verdict | None, words: tuple[str, str]) -> str:
    """Return a verdict as text, with its reason and age.

    Args:
        model: State of the mission.
        verdict: The verdict; None if there is none yet.
        words: Words for a condition that holds, and for one that does not.
    """
    if verdict is None:
        return model.translated_text("not asked yet")
    word = "not known" if verdict.holds is None else words[not verdict.holds]
    evidence = f"[{', '.join(verdict.evidence)}]" if model.verbose and verdict.evidence else ""
    age = model.fixed_word(f"{verdict.age_s:.1f} s old") if verdict.age_s >= 0.05 else ""
    parts = (model.translated_text(word), model.translated_text(verdict.why), age, evidence)
    return " · ".join(filter(None, parts))


def _code_with_reason(code: str, why: str) -> str:
    return ": ".join(filter(None, (code, why)))


def transition_lines(model: ViewModel, width: int, glyphs: Glyphs, room: int) -> list[Line]:
    """Return the newest state changes with their times, at most `room` lines."""
    lines: list[Line] = []
    for change in list(model.changes)[-max(room, 0) :] if room > 0 else ():
        at = f"{change.t - model.began:7.1f} "
        took = "" if change.seconds is None else model.duration_text(change.seconds)
        took = took if change.state != "running" else ""
        text = model.label(change.node)
        if change.why and not change.node.children:
            text = f"{text}: {change.why}"
        space = width - cell_len(at) - cell_len(took) - 5
        text = pad(fit(glyphs.text(safe_line(text)), space, glyphs.dots), space)
        sign = (f" {glyphs.states[change.state]} ", change.state)
        lines.append(((at, "dim"), sign, (f"{text} ", ""), (took, "dim")))
    return lines or [((f" {model.translated_text('nothing')}", "dim"),)]


def camera_lines(model: ViewModel, width: int, room: int, *, colours: bool) -> list[Line]:
    """Return the newest pictures side by side; a cell shows two pixels, or a shade of grey."""
    seen = [(name, one.observation.frame) for name, one in sorted(model.buffers.items())]
    frames = [np.asarray(frame) for _, frame in seen if frame is not None]
    if not frames or room < 2:
        return [((f" {model.translated_text('no picture')}", "dim"),)]
    each = (width - 2) // len(frames)
    pictures = [
        _picture_cells(frame, each - 1, room, colours and not model.ascii) for frame in frames
    ]
    blank: Line = ((" " * each, ""),)
    height = max(map(len, pictures))
    return [
        sum((((" ", ""), *(one[row] if row < len(one) else blank)) for one in pictures), ())
        for row in range(height)
    ]


def _picture_cells(frame: Any, width: int, room: int, colours: bool) -> list[Line]:
    """Return lines that show a picture of shape (height, width, 3).

    Terminal cells are taken to be twice as high as wide.
    """
    high, wide = frame.shape[:2]
    columns = max(min(width, round(2 * room * wide / high)), 1)
    rows = max(min(room, round(columns * high / wide / 2)), 1)
    y = (np.arange(2 * rows) + 0.5) * high / (2 * rows)
    x = (np.arange(columns) + 0.5) * wide / columns
    small = frame.reshape(high, wide, -1)[y.astype(int)][:, x.astype(int), :3]
    if not colours:
        grey = small.mean(axis=2).reshape(rows, 2, columns).mean(axis=1)
        shades = (grey / 256 * len(_SHADES)).astype(int)
        return [(("".join(_SHADES[n] for n in row), ""),) for row in shades]
    flat = (small // _LEVELS * _LEVELS).tolist()
    lines = []
    for top, bottom in zip(flat[::2], flat[1::2], strict=True):
        styles = (f"{_hex(a)} on {_hex(b)}" for a, b in zip(top, bottom, strict=True))
        lines.append(tuple(("▀" * len([*run]), style) for style, run in groupby(styles)))
    return lines


def _hex(colour: list[int]) -> str:
    red, green, blue = (colour * 3)[:3] if len(colour) == 1 else colour
    return f"#{red:02x}{green:02x}{blue:02x}"
