"""Command ``rehearse``: runs trees without a robot, also with injected failures."""

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
        str | None,
        typer.Argument(
            help="Tree of the site; by default all of them.",
            autocompletion=opt.complete_trees,
            show_default=False,
        ),
    ] = None,
    arguments: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[KEY=VALUE]...",
            help="Parameters of the tree; required ones get an example value if omitted.",
            show_default=False,
        ),
    ] = None,
    site: opt.SiteName = "",
    explore: Annotated[
        bool,
        typer.Option(
            "--explore",
            help="Let each call fail, each answer flip and each condition stay unknown.",
        ),
    ] = False,
    pairs: Annotated[
        bool, typer.Option("--pairs", help="With --explore: also combine two of them.")
    ] = False,
    write_tests: Annotated[
        Path | None,
        typer.Option("--write-tests", metavar="FILE", help="Write the results as pytest cases."),
    ] = None,
    json: opt.Json = False,
) -> None:
    """Run trees without a robot: skills apply the effects that they declare.

    bt-exec rehearse get_material --explore

    Exit code 1: a run was stuck, or a skill was started although its needs were not met.
    """
    from bt_exec.cli.output_streams import operator_painter, write_json
    from bt_exec.cli.plan_from_call import parse_tree_arguments
    from bt_exec.files import write_user_file
    from bt_exec.site.site import load_site
    from bt_exec.testing import rehearsal

    loaded = load_site(site)
    trees = (tree,) if tree else loaded.library.names()
    args = parse_tree_arguments(tree, arguments or (), loaded) if tree else {}
    runs: list[Rehearsal] = []
    for name in trees:
        if explore:
            runs += rehearsal.explore(name, loaded, args, pairs=pairs)
        else:
            runs.append(rehearsal.rehearse(name, loaded, args))
    if write_tests is not None:
        text = rehearsal.module_of_tests(site or loaded.name, runs)
        write_user_file(write_tests, text)
    rows = [_run_data(run) for run in runs]
    if json:
        write_json(rows)
    else:
        painter = operator_painter()
        width = max(len(row["disturbed"]) for row in rows)
        for number, row in enumerate(rows):
            if not tree and (number == 0 or rows[number - 1]["tree"] != row["tree"]):
                painter.write_text(painter.glyphs.text(row["tree"]))
            line = f"{row['disturbed']:{width}}  {row['ends']:10}  {row['how']}"
            painter.write_text(painter.glyphs.text(("" if tree else "  ") + line.rstrip()))
    if any(run.end_kind in _MISTAKES for run in runs):
        raise typer.Exit(_EXIT_MISTAKE)


def _run_data(run: Rehearsal) -> dict[str, Any]:
    """Return a rehearsal of a tree as a row for ``--json`` and for the table."""
    disturbed = ", ".join(map(str, run.disturbed)) or "undisturbed"
    row = {"tree": run.tree, "disturbed": disturbed, "ends": run.end_kind, "how": run.end_reason}
    return row | {"calls": list(run.calls)}


COMMANDS: Mapping[str, Callable[..., None]] = {"rehearse": rehearse}
