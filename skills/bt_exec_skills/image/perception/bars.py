"""Values of the vertical bars of a chart, from the numbers at its axis.

The numbers beside the bars define a linear scale, and the upper edge of a bar gives its value. A
scale that does not fit its numbers, such as a logarithmic one, gives no value.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal, NamedTuple

import numpy as np

from bt_exec_skills.image.perception.instances import Instance
from bt_exec_skills.image.perception.text import READ
from bt_exec_skills.image.perception.written_values import parse_amounts

__all__ = ["Bar", "BarFact", "bar_value", "bars_among"]

BarFact = Literal["value", "label"]

_FILLED = 0.9  # share of its box that a bar covers
_LEVEL = 0.02  # tolerance of the lower edges, as a share of the highest bar
_LEAST_TICKS = 3
_MISFIT = 0.02  # deviation of a number from the scale, as a share of the range


class Bar(NamedTuple):
    """Bar of a chart.

    Attributes:
        value: Value in the units of the axis; None if there is no scale, or not exactly one bar.
        bars: Number of matching bars.
        label: Text below the bar; empty if there is none, or not exactly one bar.
    """

    value: float | None
    bars: int
    label: str = ""


def bars_among(instances: Sequence[Instance]) -> list[Instance]:
    """Return the instances that are bars on one line, from left to right."""
    straight = [one for one in instances if one.mask is not None and one.mask.mean() >= _FILLED]
    if not straight:
        return []
    highest = max(one.bbox[3] - one.bbox[1] for one in straight)
    foot = float(np.median([one.bbox[3] for one in straight]))
    level = [one for one in straight if abs(one.bbox[3] - foot) <= max(2.0, _LEVEL * highest)]
    return sorted(level, key=lambda one: one.bbox[0])


def bar_value(
    accepted: Sequence[Instance],
    known: Sequence[Instance],
    lines: Sequence[Instance],
    names: Collection[str] = (),
) -> Bar:
    """Return the value and the label of a bar.

    Args:
        accepted: Regions that match the description.
        known: All regions of the picture.
        lines: Recognised text.
        names: Names below the bar. Without names, the description alone selects the bar.
    """
    bars = bars_among(known)
    mine = [one for one in bars if any(one.bbox == other.bbox for other in accepted)]
    if names:
        mine = [one for one in mine if _text_below(one, lines)[0].lower() in names]
    scale = _fit_scale(bars, lines)
    if len(mine) != 1:
        return Bar(None, len(mine))
    text, score = _text_below(mine[0], lines)
    label = text if score >= READ else ""
    if scale is None:
        return Bar(None, 1, label)
    slope, start = scale
    return Bar(float(f"{slope * mine[0].bbox[1] + start:.3g}"), 1, label)


def _text_below(bar: Instance, lines: Sequence[Instance]) -> tuple[str, float]:
    """Return the text below a bar and its score; an empty one without text."""
    x1, _, x2, foot = bar.bbox
    below = [one for one in lines if x1 <= one.middle[0] <= x2 and one.middle[1] > foot]
    nearest = min(below, key=lambda one: one.middle[1], default=None)
    return ("", 0.0) if nearest is None else (nearest.label, nearest.score)


def _fit_scale(bars: Sequence[Instance], lines: Sequence[Instance]) -> tuple[float, float] | None:
    """Return slope and start of value = slope * row + start, or None."""
    if not bars:
        return None
    left = min(one.bbox[0] for one in bars)
    beside = [one for one in lines if one.score >= READ and one.middle[0] < left]
    read = [(one.middle[1], parse_amounts(one.label)) for one in beside]
    ticks = [(row, amounts[0]) for row, amounts in read if len(amounts) == 1]
    if len(ticks) < _LEAST_TICKS or len({row for row, _ in ticks}) < len(ticks):
        return None
    rows, values = (np.asarray(column) for column in zip(*ticks, strict=True))
    slope, start = np.polyfit(rows, values, 1)
    spread = float(values.max() - values.min())
    if spread <= 0 or float(np.abs(slope * rows + start - values).max()) > _MISFIT * spread:
        return None
    return float(slope), float(start)
