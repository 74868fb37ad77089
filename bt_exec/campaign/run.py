"""Execution of campaigns: one session per cell, resumable runs, Parquet output.

::

    OUT/
        run.json          site, trees and versions; a run with different ones is not resumed
        run.sqlite        cells and their results
        results.parquet   a row for each cell, in the order of the campaign
        report.html       rates with intervals, worst settings, failed cells
"""

from __future__ import annotations

import gc
import json
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from bt_exec.batch.engines import interrupt_check, run_tasks
from bt_exec.batch.optional_pyarrow import import_pyarrow, open_parquet
from bt_exec.batch.output_folder import RunFolder
from bt_exec.campaign.model import Campaign, Cell, cells_of, faults_in
from bt_exec.failure import BtExecError, UsageError
from bt_exec.files import atomic_replacement
from bt_exec.mission.recorded_setup import setup_data
from bt_exec.mission.session import Session
from bt_exec.site.site import Site, load_site

__all__ = ["CampaignFolder", "read_results", "run_campaign", "run_cell"]

ERROR = "error"
"""Status of a cell that could not be run."""

_COLUMNS = ("item", "command", "fault", "status", "code", "message", "failures")
_NUMBERS = ("seed", "replans", "planner_calls", "ticks")


class CampaignFolder(RunFolder):
    """Folder with the results of a campaign; a context manager while it is written."""

    command = "bt-exec campaign"


def run_campaign(
    campaign: Campaign,
    out: Path,
    *,
    engine: str = "processes",
    workers: int = 1,
    resume: bool = False,
    tell: Callable[[int, int, int], None] = lambda *_: None,
) -> list[dict[str, Any]]:
    """Run the cells that have no result yet; return all results.

    Args:
        campaign: The campaign.
        out: Folder of the results.
        engine: ``processes`` or ``ray``.
        workers: Number of missions that run at the same time on this machine.
        resume: Whether to continue the run in the folder.
        tell: Called with three numbers: finished cells, cells with an unexpected status, and all
            cells.

    Raises:
        BtExecError: If the campaign, the site or the folder cannot be used; nothing was run.
    """
    import_pyarrow("campaign")
    site = load_site(campaign.site)
    cells = {cell.input_digest: cell for cell in cells_of(campaign, site)}
    about = setup_data(site, {}, campaign.compiler or site.compiler.name)
    manifest = {
        name: about[name] for name in ("compiler", "rates", "limits", "versions", "digests")
    }
    with CampaignFolder(out).create_or_resume(manifest, resume=resume) as folder:
        store = folder.result_store
        changes = store.replace_items((key, cell.id) for key, cell in cells.items())
        wanted = store.unanswered_keys()
        left = [cell for key, cell in cells.items() if key in wanted]
        done, wrong = changes.kept, sum(not line["expected"] for line in store.results_in_order())
        tell(done, wrong, changes.total)
        with interrupt_check() as stop:
            found = run_tasks(run_cell, left, engine=engine, workers=workers, stop=stop)
            for cell, result in found:
                line = result or _result_line(
                    cell, ERROR, "WORKER_DIED", "the process of the cell died"
                )
                store.put([(cell.input_digest, line)])
                done, wrong = done + 1, wrong + (not line["expected"])
                tell(done, wrong, changes.total)
        lines = list(store.results_in_order())
        _write(out / "results.parquet", lines)
    return lines


def run_cell(cell: Cell) -> dict[str, Any]:
    """Run one mission in its world; return its result as plain data, without wall-clock times."""
    gc.collect()  # frees the world of the previous cell before the next one is created
    try:
        with Session(
            _site(cell.site),
            world=dict(cell.world),
            fast=True,
            faults=faults_in(cell.fault),
            compiler=cell.compiler or None,
        ) as session:
            outcome = session.run(cell.command)
    except BtExecError as error:
        return _result_line(cell, ERROR, type(error).__name__, str(error))
    codes = [str(failure.get("code", "")) for failure in outcome.failures]
    return _result_line(
        cell,
        outcome.status,
        outcome.reason_code,
        outcome.message,
        failures=", ".join(codes),
        replans=outcome.replans,
        planner_calls=outcome.planner_calls,
        ticks=outcome.ticks,
        sim_seconds=round(outcome.sim_seconds, 6),
    )


@lru_cache(maxsize=2)
def _site(name: str) -> Site:
    return load_site(name)


def _result_line(
    cell: Cell, status: str, code: str, message: str, **figures: Any
) -> dict[str, Any]:
    nothing = {"failures": "", "replans": 0, "planner_calls": 0, "ticks": 0, "sim_seconds": 0.0}
    return {
        "item": cell.id,
        "site": cell.site,
        "compiler": cell.compiler,
        "command": cell.command,
        "world": dict(cell.world),
        "seed": cell.seed,
        "fault": cell.fault,
        "status": status,
        "code": code,
        "message": message,
        "expected": status in cell.expect,
        **nothing,
        **figures,
    }


def _write(path: Path, lines: Iterable[Mapping[str, Any]]) -> None:
    """Write results as Parquet; each world setting has a column, such as ``world.door``."""
    arrow, parquet = import_pyarrow("campaign")
    lines = list(lines)
    keys = sorted({key for line in lines for key in line["world"]})
    text = arrow.string()
    types = [(name, text) for name in (*_COLUMNS, "site", "compiler")]
    types += [(f"world.{key}", text) for key in keys]
    types += [(name, arrow.int64()) for name in _NUMBERS]
    types += [("sim_seconds", arrow.float64()), ("expected", arrow.bool_())]
    rows = [{**line, **{f"world.{key}": line["world"].get(key) for key in keys}} for line in lines]
    with atomic_replacement(path) as part:
        parquet.write_table(arrow.Table.from_pylist(rows, schema=arrow.schema(types)), part)


def read_results(path: Path) -> list[dict[str, Any]]:
    """Return the results in a folder or Parquet file, as `run_campaign` returns them.

    Raises:
        UsageError: If there are no results.
    """
    file = path / "results.parquet" if path.is_dir() else path
    if not file.is_file():
        raise UsageError(f"{path} contains no results.parquet of bt-exec campaign")
    import_pyarrow("campaign")
    with open_parquet(file) as table:
        rows = table.read().to_pylist()
    if not rows or not {"item", "expected", "command", "fault"} <= rows[0].keys():
        raise UsageError(f"{file} contains no results of bt-exec campaign")
    for row in rows:
        names = [name for name in row if name.startswith("world.")]
        world = {name.removeprefix("world."): row.pop(name) for name in names}
        row["world"] = {key: value for key, value in world.items() if value is not None}
    return [json.loads(json.dumps(row)) for row in rows]
