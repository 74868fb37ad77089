"""Values of the bars of a chart with vertical or horizontal bars.

The numbers at the axis define a linear scale, on which the end of a bar gives its value. If a
linear scale does not fit the numbers, for example on a logarithmic axis, the value is unknown.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

import numpy as np

from bt_exec_skills.image.perception.instances import LYING, Instance
from bt_exec_skills.image.perception.text_recognition import READ
from bt_exec_skills.image.perception.written_values import parse_amounts

__all__ = ["Bar", "BarFact", "bar_value", "bars_among"]

BarFact = Literal["value", "label"]

_FILLED = 0.9  # minimum share of its box that a bar fills
_LEVEL = 0.02  # tolerance of the positions of the lower edges, as a share of the longest bar
_LEAST_TICKS = 3
_MISFIT = 0.02  # maximum deviation of a number from the scale, as a share of their range


class Bar(NamedTuple):
    """Bar of a chart.

    Attributes:
        value: Value in the units of the axis; None without a scale, or if `bars` is not 1.
        bars: Number of matching bars.
        label: Text below a vertical bar, or to the left of a horizontal one; empty without text, or
            if `bars` is not 1.
    """

    value: float | None
    bars: int
    label: str = ""


def bars_among(instances: Sequence[Instance]) -> list[Instance]:
    """Return the bars of a chart, from left to right or, if horizontal, from top to bottom.

    Bars are filled boxes whose lower, or left, edges are on one line. Horizontal bars get the
    source `LYING`.
    """
    straight = [one for one in instances if one.mask is not None and one.mask.mean() >= _FILLED]
    upright, lying = (_on_one_line(straight, upright) for upright in (True, False))
    if len(lying) > len(upright):
        return [replace(one, source=LYING) for one in sorted(lying, key=lambda one: one.bbox[1])]
    return sorted(upright, key=lambda one: one.bbox[0])


def _on_one_line(straight: Sequence[Instance], upright: bool) -> list[Instance]:
    """Return the instances whose lower edges (left edges if not `upright`) are on one line."""
    if not straight:
        return []
    start, end = (3, 1) if upright else (0, 2)
    longest = max(abs(one.bbox[start] - one.bbox[end]) for one in straight)
    line = float(np.median([one.bbox[start] for one in straight]))
    return [one for one in straight if abs(one.bbox[start] - line) <= max(2.0, _LEVEL * longest)]


def bar_value(
    accepted: Sequence[Instance],
    known: Sequence[Instance],
    lines: Sequence[Instance],
    names: Collection[str] = (),
) -> Bar:
    """Return the value and the label of the described bar.

    Args:
        accepted: Regions that match the description.
        known: All regions of the picture.
        lines: Recognised text.
        names: Possible labels of the bar; empty if the description alone selects it.
    """
    bars = bars_among(known)
    mine = [one for one in bars if any(one.bbox == other.bbox for other in accepted)]
    if names:
        mine = [one for one in mine if _text_at(one, lines)[0].lower().rstrip(".") in names]
    scale = _fit_scale(bars, lines)
    if len(mine) != 1:
        return Bar(None, len(mine))
    text, score = _text_at(mine[0], lines)
    label = text if score >= READ else ""
    if scale is None:
        return Bar(None, 1, label)
    slope, start = scale
    end = mine[0].bbox[2 if mine[0].source == LYING else 1]
    return Bar(float(f"{slope * end + start:.3g}"), 1, label)


def _text_at(bar: Instance, lines: Sequence[Instance]) -> tuple[str, float]:
    """Return the text below a vertical bar or left of a horizontal bar, and the text's score."""
    x1, y1, x2, y2 = bar.bbox
    if bar.source == LYING:
        beside = [one for one in lines if y1 <= one.middle[1] <= y2 and one.middle[0] < x1]
        nearest = max(beside, key=lambda one: one.bbox[2], default=None)
    else:
        beside = [one for one in lines if x1 <= one.middle[0] <= x2 and one.middle[1] > y2]
        nearest = min(beside, key=lambda one: one.middle[1], default=None)
    return ("", 0.0) if nearest is None else (nearest.label, nearest.score)


def _fit_scale(bars: Sequence[Instance], lines: Sequence[Instance]) -> tuple[float, float] | None:
    """Return slope and offset of ``value = slope * position + offset``; None without a scale."""
    if not bars:
        return None
    axis, foot = (0, max(one.bbox[3] for one in bars)) if bars[0].source == LYING else (1, 0)
    left = min(one.bbox[0] for one in bars)
    beside = [
        one
        for one in lines
        if one.score >= READ and (one.middle[1] > foot if axis == 0 else one.middle[0] < left)
    ]
    read = [(one.middle[axis], parse_amounts(one.label)) for one in beside]
    ticks = [(row, amounts[0]) for row, amounts in read if len(amounts) == 1]
    if len(ticks) < _LEAST_TICKS or len({row for row, _ in ticks}) < len(ticks):
        return None
    rows, values = (np.asarray(column) for column in zip(*ticks, strict=True))
    slope, start = np.polyfit(rows, values, 1)
    spread = float(values.max() - values.min())
    if spread <= 0 or float(np.abs(slope * rows + start - values).max()) > _MISFIT * spread:
        return None
    return float(slope), float(start)
