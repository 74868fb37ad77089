"""Command ``campaign``: runs many missions in many worlds, or compares two such runs."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated

import typer

from bt_exec.cli import options as opt

__all__ = ["COMMANDS", "campaign"]

_FAILED = 4


def campaign(
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="FILE", help="A campaign file; with --compare two folders."),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="FOLDER", help="Folder of results; NAME-results by default."
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option("-j", "--jobs", min=1, max=1024, help="Number of parallel missions."),
    ] = None,
    engine: Annotated[
        str,
        typer.Option(
            "--engine",
            metavar="NAME",
            help="Execution: processes on this machine, or ray for a cluster.",
        ),
    ] = "processes",
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue the run in the folder.")
    ] = False,
    compare: Annotated[
        bool, typer.Option("--compare", help="Compare the results in two folders.")
    ] = False,
    json: opt.Json = False,
) -> None:
    """Run commands in many worlds, with many seeds and faults, and report the rates.

    bt-exec campaign worlds.yaml -j 4

    bt-exec campaign --compare before after

    Exit code 0 if the required rate is reached, or the second folder is not significantly worse; 4
    if not; 130 if some combinations were not run.
    """
    from bt_exec.failure import UsageError

    wanted = 2 if compare else 1
    if len(paths) != wanted:
        what = "two folders, such as before after" if compare else "one campaign file"
        raise UsageError(f"campaign takes {what}; {len(paths)} paths were given")
    if compare:
        code = _compare(paths[0], paths[1], json=json)
    else:
        jobs = jobs or os.cpu_count() or 1
        code = _run(paths[0], out, engine=engine, jobs=jobs, resume=resume, json=json)
    raise typer.Exit(code)


def _run(file: Path, out: Path | None, *, engine: str, jobs: int, resume: bool, json: bool) -> int:
    from bt_exec.campaign.model import cells_of, load_campaign
    from bt_exec.campaign.report import summary_lines, write_page
    from bt_exec.campaign.run import run_campaign
    from bt_exec.campaign.statistics import ALL, rates_by_setting
    from bt_exec.cli.output_streams import localized, operator_painter, progress_bar, write_json
    from bt_exec.site.site import load_site

    chosen = load_campaign(file)
    out = out or Path(f"{chosen.campaign}-results")
    total = len(cells_of(chosen, load_site(chosen.site)))
    with progress_bar("missions", total) as move:
        lines = run_campaign(
            chosen,
            out,
            engine=engine,
            workers=jobs,
            resume=resume,
            tell=lambda done, wrong, of: move(
                done, f"{wrong} not as expected" if wrong else "", of
            ),
        )
    write_page(out / "report.html", chosen.campaign, lines)
    rate = rates_by_setting(lines)[ALL]
    painter = operator_painter(beside=json)
    for text in summary_lines(lines, total):
        painter.write_text(text)
    painter.write_text(f"{out / 'report.html'}, {out / 'results.parquet'}")
    if json:
        figures = {"good": rate.good, "done": rate.total, "cells": total, "share": rate.share}
        write_json({**figures, "interval": rate.interval, "folder": str(out)})
    if rate.total < total:
        painter.write_text(localized("stopped; the same command with --resume continues"))
        return 130
    return 0 if rate.share >= chosen.require else _FAILED


def _compare(before: Path, after: Path, *, json: bool) -> int:
    from bt_exec.campaign.report import comparison_lines, rerun_command
    from bt_exec.campaign.run import read_results
    from bt_exec.campaign.statistics import compare
    from bt_exec.cli.output_streams import localized, operator_painter, write_json
    from bt_exec.failure import UsageError

    first, second = read_results(before), read_results(after)
    good = {line["item"]: line["expected"] for line in first}
    shared = [line for line in second if line["item"] in good]
    if not shared:
        raise UsageError(f"{before} and {after} have no cell in common")
    found = compare(first, second)
    worse = [line for line in shared if good[line["item"]] and not line["expected"]]
    painter = operator_painter(beside=json)
    apart = len(first) + len(second) - 2 * len(shared)
    if apart:
        painter.write_text(localized(f"{apart} cells are only in one of them and are not compared"))
    for text in comparison_lines(found):
        painter.write_text(text)
    for line in worse[:10]:
        worse_cell = f"{line['status']} {line['code']}: {rerun_command(line)}"
        painter.write_text(f"! {localized(f'worse: {worse_cell}')}")
    if json:
        rows = [
            {"setting": name, "value": value, **one._asdict(), "is_worse": one.is_worse}
            for (name, value), one in found.items()
        ]
        write_json({"compared": len(shared), "differences": rows})
    return _FAILED if any(one.is_worse for one in found.values()) else 0


COMMANDS: Mapping[str, Callable[..., None]] = {"campaign": campaign}
