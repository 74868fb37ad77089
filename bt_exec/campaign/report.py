"""Report of a campaign: lines for the terminal and one HTML page."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from itertools import islice
from pathlib import Path
from typing import Any

from bt_exec.campaign.statistics import (
    ALL,
    Difference,
    Rate,
    rates_by_combination,
    rates_by_setting,
)

__all__ = ["comparison_lines", "rerun_command", "summary_lines", "write_page"]

_SHOWN = 10  # maximum number of failed cells on the terminal
_ON_PAGE = 500
_WORST = 12  # maximum number of listed combinations of settings

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
  :root {{ color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }}
  body {{ max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }}
  table {{ border-collapse: collapse; width: 100%; }}
  td, th {{ padding: .2rem .75rem .2rem 0; text-align: left; vertical-align: top; }}
  .rate {{ white-space: nowrap; }}
  .scale {{ position: relative; display: inline-block; width: 14rem; height: .8rem;
    background: color-mix(in srgb, currentColor 10%, transparent); vertical-align: middle; }}
  .scale i {{ position: absolute; top: 0; bottom: 0; background: #3b82c4; opacity: .55; }}
  .scale b {{ position: absolute; top: -.15rem; bottom: -.15rem; width: 2px;
    background: currentColor; }}
  code {{ user-select: all; overflow-wrap: anywhere; }}
</style>
</head>
<body>
<h1>{title}</h1>
<p>{summary}</p>
<h2>Rates by setting</h2>
<p>Share of missions that ended as expected; bars are 95 % Wilson intervals.</p>
<table>{rates}</table>
<h2>Worst cells</h2>
<p>Combinations of settings with failures, all seeds together.</p>
<table>{worst}</table>
<h2>Failed cells</h2>
<p>{failed_count}</p>
<table>{failed}</table>
</body>
</html>
"""


def rerun_command(line: Mapping[str, Any]) -> str:
    """Return the command line that runs a cell again."""
    words = ["bt-exec", "run", line["command"], "--fast"]
    words += ["--site", line["site"]] if line["site"] else []
    words += ["--compiler", line["compiler"]] if line["compiler"] else []
    for key, value in line["world"].items():
        words += ["--world", f"{key}={value}"]
    if line["fault"] != "none":
        for fault in line["fault"].split(","):
            words += ["--fault", fault.strip()]
    return shlex.join(words)


def summary_lines(lines: Sequence[Mapping[str, Any]], total: int) -> Iterator[str]:
    """Yield the lines of a summary: rate, worst combinations of settings and first failed cells.

    Args:
        lines: The results.
        total: Number of cells, including those without a result.
    """
    rates = rates_by_setting(lines)
    left = f"; {total - len(lines)} cells remain" if total > len(lines) else ""
    yield f"{rates[ALL]} as expected{left}"
    for (_, values), rate in islice(_worst_combinations(rates_by_combination(lines)), 3):
        yield f"  {values}: {rate}"
    failed = [line for line in lines if not line["expected"]]
    for line in failed[:_SHOWN]:
        yield f"! {line['status']} {line['code']}: {rerun_command(line)}"
    if len(failed) > _SHOWN:
        yield f"! {len(failed) - _SHOWN} more failed cells are on the page"


def comparison_lines(found: Mapping[tuple[str, str], Difference]) -> Iterator[str]:
    """Yield the differences between two campaigns: first for all cells, then by setting."""
    for (setting, value), one in found.items():
        sure = "" if one.p >= 0.05 else ", significant"
        change = (
            "the same"
            if one.better == one.worse == 0
            else (f"{one.better} better, {one.worse} worse, p = {one.p:.2g}{sure}")
        )
        name = f"{setting} {value}".strip()
        yield (
            f"{name}: {100 * one.before.share:.1f} % to {100 * one.after.share:.1f} % "
            f"of {one.after.total}; {change}"
        )


def write_page(path: Path, title: str, lines: Sequence[Mapping[str, Any]]) -> None:
    """Write the HTML page of a campaign as a single self-contained file."""
    rates = rates_by_setting(lines)
    failed = [line for line in lines if not line["expected"]]
    shown = f"{len(failed)} cells" + (
        f", the first {_ON_PAGE} shown" if len(failed) > _ON_PAGE else ""
    )
    text = _PAGE.format(
        title=escape(title),
        summary=escape(f"{rates[ALL]} as expected."),
        rates="".join(_row(name, rate) for name, rate in rates.items()),
        worst="".join(
            _row(name, rate)
            for name, rate in islice(_worst_combinations(rates_by_combination(lines)), _WORST)
        )
        or "<tr><td>none</td></tr>",
        failed_count=escape(shown),
        failed="".join(map(_failed_line, failed[:_ON_PAGE])),
    )
    path.write_text(text, encoding="utf-8")


def _worst_combinations(
    rates: Mapping[tuple[str, str], Rate],
) -> Iterable[tuple[tuple[str, str], Rate]]:
    """Return the combinations of settings with failures, by the upper bound of the success rate."""
    found = [(name, rate) for name, rate in rates.items() if name != ALL and rate.good < rate.total]
    return sorted(found, key=lambda one: (one[1].interval[1], one[0]))


def _row(name: tuple[str, str], rate: Rate) -> str:
    low, high = (100 * end for end in rate.interval)
    bar = (
        f'<span class="scale"><i style="left:{low:.1f}%;width:{high - low:.1f}%"></i>'
        f'<b style="left:{100 * rate.share:.1f}%"></b></span>'
    )
    return (
        f"<tr><td>{escape(name[0])}</td><td>{escape(name[1])}</td>"
        f'<td class="rate">{100 * rate.share:.1f} %</td><td>{bar}</td>'
        f"<td>{rate.good} of {rate.total}</td></tr>\n"
    )


def _failed_line(line: Mapping[str, Any]) -> str:
    return (
        f"<tr><td>{escape(line['status'])} {escape(line['code'])}</td>"
        f"<td>{escape(line['message'])}</td><td><code>{escape(rerun_command(line))}</code></td></tr>\n"
    )
