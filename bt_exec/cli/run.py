"""``bt-exec run``: one command, from its words to its end."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from bt_exec.cli import options as opt

__all__ = ["COMMANDS", "run"]

_USAGE_ERROR: Any = typer.BadParameter.__mro__[1]  # click's, wherever typer keeps it


def run(
    context: typer.Context,
    command: Annotated[
        str | None, typer.Argument(help="What to do, in Korean or English.", show_default=False)
    ] = None,
    site: opt.SiteName = "",
    world: opt.WorldTexts = None,
    fault: opt.FaultTexts = None,
    fast: opt.Fast = False,
    plain: opt.Plain = False,
    json: opt.Json = False,
    turns: opt.Turns = None,
    save_frames: opt.FramesFolder = None,
    frames: opt.KeepFrames = False,
    journal: opt.JournalFile = None,
    no_journal: opt.NoJournal = False,
    compiler: opt.CompilerName = None,
    plan: Annotated[
        Path | None,
        typer.Option(
            "--plan",
            help="Run the plan or tree in this file; COMMAND then only says what it is for.",
            metavar="FILE",
            show_default=False,
        ),
    ] = None,
    tools: opt.ToolFiles = None,
    verbose: opt.Verbose = False,
) -> None:
    """Do what a command says, and show it.

    bt-exec run "Get the material inside the door." --world door=closed

    Ctrl-C stops the mission and lets the robot come to rest; a second one stops the robot at once.
    """
    from bt_exec.cli.given import load_plan
    from bt_exec.cli.output import emit
    from bt_exec.cli.stage import Options, staged
    from bt_exec.language.messages import language_of

    if command is None and plan is None:
        raise _USAGE_ERROR("Missing argument 'command'.", context)

    chosen = Options(
        site=site,
        world=world or (),
        faults=fault or (),
        fast=fast,
        plain=plain,
        json=json,
        turns=turns,
        frames=save_frames,
        keep_frames=frames,
        journal=journal,
        no_journal=no_journal,
        compiler=compiler,
        verbose=verbose,
        last=True,
        languages=(language_of(command),) if command else (),
        tools=tools or (),
    )
    with staged(chosen) as stage:
        given = None if plan is None else load_plan(plan, stage.session.site, command or "")
        outcome = stage.run(command or (given.mission.command if given else ""), given)
        if json:
            emit(outcome.to_dict())
    raise typer.Exit(outcome.exit_code)


COMMANDS: Mapping[str, Callable[..., None]] = {"run": run}
