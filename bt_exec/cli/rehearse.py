"""``rehearse``: a tree without a robot, undisturbed or with everything that can go wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bt_exec.cli import options as opt

if TYPE_CHECKING:
    from bt_exec.testing.rehearsal import Rehearsal

__all__ = ["COMMANDS", "rehearse"]

_MISTAKES = ("need unmet", "stuck")
_EXIT_MISTAKE = 1


def rehearse(
    tree: Annotated[
        str, typer.Argument(help="A tree of the site.", autocompletion=opt.complete_trees)
    ],
    arguments: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[KEY=VALUE]...",
            help="Its parameters; required ones that are left out get an example.",
            show_default=False,
        ),
    ] = None,
    site: opt.SiteName = "",
    explore: Annotated[
        bool,
        typer.Option(
            "--explore", help="Let each call fail, each answer flip and each stay unknown."
        ),
    ] = False,
    pairs: Annotated[
        bool, typer.Option("--pairs", help="With --explore: two of them at a time, too.")
    ] = False,
    write_tests: Annotated[
        Path | None,
        typer.Option("--write-tests", metavar="FILE", help="Write what was found as pytest cases."),
    ] = None,
    json: opt.Json = False,
) -> None:
    """Run a tree against what its skills declare, without a robot.

    bt-exec rehearse get_material --explore

    Exit code 1: a run was stuck, or a skill was started against its needs.
    """
    from bt_exec.cli.output import emit, for_people
    from bt_exec.cli.single_call import arguments_of_tree
    from bt_exec.site.site import load_site
    from bt_exec.testing import rehearsal

    loaded = load_site(site)
    args = arguments_of_tree(tree, arguments or (), loaded)
    undisturbed = rehearsal.rehearse(tree, loaded, args)
    runs = [undisturbed]
    if explore:
        singles = rehearsal.disturbances(undisturbed, loaded.catalogue)
        every = rehearsal.combined(singles, pairs=pairs)
        runs += [rehearsal.rehearse(tree, loaded, args, disturbed) for disturbed in every]
    if write_tests is not None:
        text = rehearsal.module_of_tests(tree, loaded.name, args, runs)
        write_tests.write_text(text, encoding="utf-8")
    rows = [_row(run) for run in runs]
    if json:
        emit(rows)
    else:
        painter = for_people()
        width = max(len(row["disturbed"]) for row in rows)
        for row in rows:
            said = f"{row['disturbed']:{width}}  {row['ends']:10}  {row['how']}"
            painter.say(painter.glyphs.text(said.rstrip()))
    if any(run.ends in _MISTAKES for run in runs):
        raise typer.Exit(_EXIT_MISTAKE)


def _row(run: Rehearsal) -> dict[str, Any]:
    """Return a run as plain data."""
    disturbed = ", ".join(map(str, run.disturbed)) or "undisturbed"
    calls = list(run.calls)
    return {"disturbed": disturbed, "ends": run.ends, "how": run.how, "calls": calls}


COMMANDS: Mapping[str, Callable[..., None]] = {"rehearse": rehearse}
