"""Success rates with Wilson intervals, also by setting, and the exact McNemar test.

E. B. Wilson, Probable Inference, the Law of Succession, and Statistical Inference, JASA 22 (1927);
Q. McNemar, Note on the Sampling Error of the Difference between Correlated Proportions,
Psychometrika 12 (1947); S. Holm, A Simple Sequentially Rejective Multiple Test Procedure,
Scandinavian Journal of Statistics 6 (1979).
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import comb, inf, sqrt
from typing import Any, NamedTuple

__all__ = [
    "Difference",
    "Rate",
    "compare",
    "rates_by_combination",
    "rates_by_setting",
    "varied_settings",
]

_Z = 1.959963984540054  # 0.975 quantile of the normal distribution: two-sided 95 %
_MOST_VALUES = 12  # maximum number of values of a setting that is not binned
_BINS = 4
ALL = ("", "all")


class Rate(NamedTuple):
    """Number of cells that ended as expected, and number of all cells."""

    good: int
    total: int

    @property
    def share(self) -> float:
        """Fraction of cells that ended as expected, 0 to 1."""
        return self.good / self.total if self.total else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """95 % Wilson interval of the fraction."""
        if not self.total:
            return 0.0, 1.0
        n, p, z = self.total, self.share, _Z
        middle = (p + z * z / (2 * n)) / (1 + z * z / n)
        reach = z / (1 + z * z / n) * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        return max(0.0, middle - reach), min(1.0, middle + reach)

    def __str__(self) -> str:
        """Return ``95.0 % (19 of 20, 95 % interval 76.4 to 99.1 %)``."""
        low, high = (100 * end for end in self.interval)
        return (
            f"{100 * self.share:.1f} % ({self.good} of {self.total}, "
            f"95 % interval {low:.1f} to {high:.1f} %)"
        )


class Difference(NamedTuple):
    """Comparison of the cells that two campaigns share.

    Attributes:
        before: Rate of the first campaign.
        after: Rate of the second campaign.
        better: Number of cells that ended as expected only in the second.
        worse: Number of cells that ended as expected only in the first.
        p: Probability of such a difference by chance, corrected for the number of settings.
    """

    before: Rate
    after: Rate
    better: int
    worse: int
    p: float

    @property
    def is_worse(self) -> bool:
        """Whether the second campaign is significantly worse, at the 5 % level."""
        return self.worse > self.better and self.p < 0.05


def varied_settings(lines: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Return the values of each setting that varies, one value per cell.

    The values of a number with many values are binned by quartile. The seed is not a setting.
    """
    columns = {name: [str(line[name]) for line in lines] for name in ("command", "fault")}
    for key in sorted({key for line in lines for key in line["world"]} - {"seed"}):
        columns[key] = [str(line["world"].get(key, "")) for line in lines]
        if len(set(columns[key])) > _MOST_VALUES:
            columns[key] = _quartile_labels(columns[key])
    return {name: column for name, column in columns.items() if len(set(column)) > 1}


def rates_by_setting(lines: Sequence[Mapping[str, Any]]) -> dict[tuple[str, str], Rate]:
    """Return the rate of all cells, and of each value of each setting."""
    return {name: _rate(found) for name, found in _groups(lines).items()}


def rates_by_combination(lines: Sequence[Mapping[str, Any]]) -> dict[tuple[str, str], Rate]:
    """Return the rate of each combination of settings, over all seeds."""
    columns = varied_settings(lines)
    names = [
        ", ".join(f"{name} {value}" for name, value in zip(columns, values, strict=True))
        for values in zip(*columns.values(), strict=True)
    ]
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = defaultdict(list)
    for name, line in zip(names, lines, strict=False):  # `names` is empty if no setting varies
        groups["", name].append(line)
    return {name: _rate(found) for name, found in groups.items()}


def compare(
    before: Sequence[Mapping[str, Any]], after: Sequence[Mapping[str, Any]]
) -> dict[tuple[str, str], Difference]:
    """Compare the common cells of two campaigns, overall and for each value of each setting."""
    second = {line["item"]: line for line in after}
    first = [line for line in before if line["item"] in second]
    found: dict[tuple[str, str], Difference] = {}
    for name, lines in _groups(first).items():
        pairs = [(line["expected"], second[line["item"]]["expected"]) for line in lines]
        better, worse = pairs.count((False, True)), pairs.count((True, False))
        rates = _rate(lines), _rate([second[line["item"]] for line in lines])
        found[name] = Difference(*rates, better, worse, _mcnemar_p(better, worse))
    return _holm_corrected(found)


def _groups(
    lines: Sequence[Mapping[str, Any]],
) -> dict[tuple[str, str], list[Mapping[str, Any]]]:
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = defaultdict(list)
    groups[ALL] = list(lines)
    for name, column in varied_settings(lines).items():
        groups.update(((name, value), []) for value in sorted(set(column), key=_number_sort_key))
        for line, value in zip(lines, column, strict=True):
            groups[name, value].append(line)
    return groups


def _rate(lines: Sequence[Mapping[str, Any]]) -> Rate:
    return Rate(sum(bool(line["expected"]) for line in lines), len(lines))


def _mcnemar_p(better: int, worse: int) -> float:
    """Return the two-sided p-value of the exact McNemar test."""
    count = better + worse
    tail = sum(comb(count, k) for k in range(min(better, worse) + 1))
    return min(1.0, float(Fraction(2 * tail, 1 << count)))


def _holm_corrected(
    found: Mapping[tuple[str, str], Difference],
) -> dict[tuple[str, str], Difference]:
    """Return differences with p-values corrected by Holm's method; the overall one is unchanged."""
    parts = sorted((one.p, name) for name, one in found.items() if name != ALL)
    corrected, least = {}, 0.0
    for rank, (p, name) in enumerate(parts):
        least = max(least, min(1.0, p * (len(parts) - rank)))
        corrected[name] = least
    return {name: one._replace(p=corrected.get(name, one.p)) for name, one in found.items()}


def _number_sort_key(value: str) -> tuple[float, str]:
    """Return a key that sorts numbers and bins by size, and other strings after them."""
    try:
        return float(value.split(" to ")[0]), ""
    except ValueError:
        return inf, value


def _quartile_labels(values: Sequence[str]) -> list[str]:
    """Return the range of the quartile of each number, such as ``5 to 20``.

    If any value is not a number, all labels are empty.
    """
    try:
        numbers = [float(value) for value in values]
    except ValueError:
        return [""] * len(values)
    edges = [sorted(numbers)[n * (len(numbers) - 1) // _BINS] for n in range(_BINS + 1)]
    bins = [bisect_left(edges, number, 1, _BINS) for number in numbers]
    return [f"{edges[n - 1]:g} to {edges[n]:g}" for n in bins]
