"""Commands ``run`` and ``do``: execution of one command, tree or skill."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from bt_exec.cli import options as opt

__all__ = ["COMMANDS", "do", "run"]

# click's class, whose module differs between versions of typer
_USAGE_ERROR: Any = typer.BadParameter.__mro__[1]


def run(
    context: typer.Context,
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="COMMAND",
            help="What to do, in Korean or English; with --tree KEY=VALUE…",
            show_default=False,
        ),
    ] = None,
    site: opt.SiteName = "",
    world: opt.WorldTexts = None,
    fault: opt.FaultTexts = None,
    faults: opt.FaultFile = None,
    fast: opt.Fast = False,
    plain: opt.Plain = False,
    full: opt.Full = False,
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
            help="Run the plan or tree in this file, - for standard input; COMMAND then only "
            "describes it.",
            metavar="FILE",
            show_default=False,
        ),
    ] = None,
    tree: Annotated[
        str,
        typer.Option(
            "--tree",
            metavar="NAME",
            help="Run this tree of the site; its parameters are given as KEY=VALUE.",
            autocompletion=opt.complete_trees,
        ),
    ] = "",
    groot2: Annotated[
        int | None,
        typer.Option(
            "--groot2",
            metavar="PORT",
            min=1,
            max=65534,
            help="Publish the running tree for Groot2 on this machine; its default is 1667.",
        ),
    ] = None,
    tools: opt.ToolFiles = None,
    step: opt.Step = False,
    breaks: opt.Breaks = None,
    watch: opt.Watched = None,
    guard: opt.Guard = False,
    inspected: opt.Inspected = False,
    verbose: opt.Verbose = False,
) -> None:
    """Run a command and show its progress.

    bt-exec run "Get the material inside the door." --world door=closed

    bt-exec run --tree open_door arm=left

    Ctrl-C stops the mission and lets the robot come to rest; a second one stops the robot at once.
    """
    from bt_exec.cli.mission_setup import Options, open_stage
    from bt_exec.cli.output_streams import write_json
    from bt_exec.cli.plan_from_call import plan_of_tree
    from bt_exec.cli.plan_from_file import load_plan
    from bt_exec.files import expand_home
    from bt_exec.language.messages import language_of
    from bt_exec.nodes.fault_plan import FaultPlan, load_fault_plan

    trial = FaultPlan() if faults is None else load_fault_plan(expand_home(faults))
    if trial.command and not words and plan is None and not tree:
        words = [trial.command]
    if not words and plan is None and not tree:
        raise _USAGE_ERROR("Missing argument 'command'.", context)
    if tree and plan is not None:
        raise _USAGE_ERROR("--tree and --plan contradict each other; give one of them", context)
    if not tree and len(words or ()) > 1:
        more = " ".join((words or [])[1:])
        raise _USAGE_ERROR(f"Got unexpected extra argument(s) ({more})", context)
    command = words[0] if words and not tree else None

    chosen = Options(
        site=site or trial.site,
        world=trial.world_with(world or ()),
        faults=(*(fault or ()), *(one.to_source() for one in trial.faults)),
        fast=fast,
        plain=plain,
        full=full,
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
        groot2=groot2,
        step=step,
        breaks=breaks or (),
        watch=watch or (),
        guard=guard,
        inspected=inspected,
        defer=True,
    )
    with open_stage(chosen) as stage:
        given = None if plan is None else load_plan(plan, stage.session.site, command or "")
        if tree:
            given = plan_of_tree(tree, words or (), stage.session.site)
        outcome = stage.run(command or (given.mission.command if given else ""), given)
        if json:
            write_json(outcome.to_dict())
    raise typer.Exit(outcome.exit_code)


def do(
    skill: Annotated[
        str,
        typer.Argument(
            metavar="SKILL", help="The skill to run.", autocompletion=opt.complete_skills
        ),
    ],
    arguments: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[KEY=VALUE]...", help="Arguments of the skill.", show_default=False
        ),
    ] = None,
    site: opt.SiteName = "",
    world: opt.WorldTexts = None,
    fault: opt.FaultTexts = None,
    fast: opt.Fast = False,
    plain: opt.Plain = False,
    full: opt.Full = False,
    json: opt.Json = False,
    journal: opt.JournalFile = None,
    no_journal: opt.NoJournal = False,
    step: opt.Step = False,
    breaks: opt.Breaks = None,
    watch: opt.Watched = None,
    tools: opt.ToolFiles = None,
    verbose: opt.Verbose = False,
) -> None:
    """Run one skill, verified and recorded like a mission.

    bt-exec do open_door arm=right object_label=door-handle
    """
    from bt_exec.cli.mission_setup import Options, open_stage
    from bt_exec.cli.output_streams import write_json
    from bt_exec.cli.plan_from_call import plan_of_skill

    chosen = Options(
        site=site,
        world=world or (),
        faults=fault or (),
        fast=fast,
        plain=plain,
        full=full,
        json=json,
        journal=journal,
        no_journal=no_journal,
        verbose=verbose,
        last=True,
        tools=tools or (),
        step=step,
        breaks=breaks or (),
        watch=watch or (),
    )
    with open_stage(chosen) as stage:
        plan = plan_of_skill(skill, arguments or (), stage.session.site)
        outcome = stage.run(plan.mission.command, plan)
        if json:
            write_json(outcome.to_dict())
    raise typer.Exit(outcome.exit_code)


COMMANDS: Mapping[str, Callable[..., None]] = {"run": run, "do": do}
