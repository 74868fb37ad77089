"""Command ``torture``: runs random missions with random faults and checks invariants."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bt_exec.cli import options as opt
from bt_exec.cli.stop_signals import was_interrupted

if TYPE_CHECKING:
    from bt_exec.nodes.fault_plan import FaultPlan
    from bt_exec.testing.random_fault_missions import Report

__all__ = ["COMMANDS", "torture"]

_BROKEN = 4
"""Exit code if an invariant was violated."""


def torture(
    site: opt.SiteName = "",
    runs: Annotated[
        int, typer.Option("--runs", min=1, metavar="N", help="Number of missions.")
    ] = 100,
    seed: Annotated[
        int, typer.Option("--seed", metavar="K", help="Seed of the random missions.")
    ] = 0,
    commands: Annotated[
        str,
        typer.Option(
            "--commands",
            metavar="FILE",
            help="File of commands, one per line; by default those of the trees.",
        ),
    ] = "",
    again: Annotated[
        bool, typer.Option("--verify", help="Run each mission again and compare the events.")
    ] = False,
    kills: Annotated[
        bool, typer.Option("--kills/--no-kills", help="Kill the process of some missions.")
    ] = True,
    keep: Annotated[
        Path,
        typer.Option("--keep", metavar="DIR", help="Folder for failing cases, as fault plans."),
    ] = Path("torture"),
    json: opt.Json = False,
) -> None:
    """Run random missions with random faults, stops and kills, and check the invariants.

    The site must be simulated. A failing case is saved as a fault plan; to run it again, use
    bt-exec run --faults FILE.
    """
    import random
    import tempfile

    from bt_exec.cli.compile_batch import command_lines
    from bt_exec.cli.output_streams import localized, operator_painter, progress_bar, write_json
    from bt_exec.site.site import load_site
    from bt_exec.testing.random_fault_missions import Torture, random_fault_plan

    loaded = load_site(site)
    rng = random.Random(seed)
    lines = command_lines(commands) if commands else []
    plans = [random_fault_plan(loaded, rng, lines, kills=kills) for _ in range(runs)]
    with tempfile.TemporaryDirectory(prefix="bt-exec-torture-") as folder:
        tried = Torture(loaded, Path(folder), again=again)
        with progress_bar("torture", runs) as move:

            def mission_finished(number: int, command: str) -> None:
                move(number, command)
                if was_interrupted():  # the Ctrl-C only stopped the mission; end the run as well
                    raise KeyboardInterrupt

            try:
                tried.run(plans, mission_finished)
            except KeyboardInterrupt:  # report the finished missions
                said = localized("stopped; the report covers the finished missions")
                operator_painter(beside=True).write_text(said)
    report = tried.report
    kept = [_save_case(keep, seed, plan, broken) for plan, broken in report.failing]
    if json:
        write_json(_report_data(report, kept))
    else:
        painter = operator_painter()
        for line in _report_lines(report, kept):
            painter.write_text(localized(line))
    raise typer.Exit(_BROKEN if report.failing or not report.is_memory_flat else 0)


def _save_case(folder: Path, seed: int, plan: FaultPlan, broken: tuple[str, ...]) -> Path:
    """Write a failing case as a fault plan; return its path."""
    import hashlib

    from bt_exec.files import write_user_file

    text = plan.model_copy(update={"summary": "; ".join(broken)}).to_yaml()
    path = folder / f"{seed}-{hashlib.sha256(text.encode()).hexdigest()[:8]}.yaml"
    write_user_file(path, text, folders=True)
    return path


def _report_lines(report: Report, kept: list[Path]) -> list[str]:
    """Return the report as text lines."""
    missions = sum(report.statuses.values())
    ends = ", ".join(f"{count} {status}" for status, count in report.statuses.most_common())
    lines = [f"{missions} missions: {ends}; {report.replans} re-plans"]
    if report.verified:
        lines.append(f"{report.verified} were run again and compared with their records")
    lines += [
        f"{name:<16} tried {count}, fired {report.fired[name]}"
        for name, count in sorted(report.tried.items())
    ]
    verdict = "flat" if report.is_memory_flat else "growing"
    lines.append(
        f"memory {report.mib[0]:.0f} MiB → {report.mib[-1]:.0f} MiB, "
        f"steady growth {report.growth_mib:.0f} MiB: {verdict}"
    )
    for path, (_, broken) in zip(kept, report.failing, strict=True):
        lines += [f"broken: {'; '.join(broken)}", f"  bt-exec run --faults {path}"]
    if not report.failing:
        lines.append("every invariant held")
    return lines


def _report_data(report: Report, kept: list[Path]) -> dict[str, object]:
    """Return the report as a dictionary for ``--json``."""
    failing = [
        {"file": str(path), "broken": list(broken)}
        for path, (_, broken) in zip(kept, report.failing, strict=True)
    ]
    return {
        "statuses": dict(report.statuses),
        "tried": dict(report.tried),
        "fired": dict(report.fired),
        "replans": report.replans,
        "verified": report.verified,
        "memory_mib": report.mib,
        "failing": failing,
    }


COMMANDS: Mapping[str, Callable[..., None]] = {"torture": torture}
