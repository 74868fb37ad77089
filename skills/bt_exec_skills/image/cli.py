"""Command ``ask``, which asks a question about pictures; an entry point of ``bt_exec.commands``."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bt_exec.cli import options as opt

if TYPE_CHECKING:
    from bt_exec.cli.mission_setup import Options

__all__ = ["ASK"]

_USAGE = 2

ASK = typer.Typer(
    help="Ask a question about a picture.",
    invoke_without_command=True,
    subcommand_metavar="",
    context_settings={"allow_interspersed_args": True},
)


@ASK.callback()
def ask(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="IMAGE... QUESTION",
            help="Pictures, folders of them, - for standard input, or addresses; the question "
            "last, in Korean or English.",
        ),
    ],
    annotation: Annotated[
        Path | None,
        typer.Option(
            "--annotation",
            metavar="FILE",
            help="File of boxes: COCO JSON or YOLO text; "
            "by default IMAGE's name with .json or .txt.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="FILE",
            help="Write the picture with numbered boxes; of several pictures into this folder.",
        ),
    ] = None,
    program: Annotated[
        Path | None,
        typer.Option(
            "--program",
            metavar="FILE",
            help="Write a Python program that gives this answer; it is run once in a sandbox.",
        ),
    ] = None,
    program_by: Annotated[
        str,
        typer.Option(
            "--program-by",
            metavar="WHO",
            help="Author of the program: templates (built in), or the site's model.",
        ),
    ] = "templates",
    allow_net: Annotated[
        bool, typer.Option("--allow-net", help="Fetch pictures from addresses.")
    ] = False,
    site: opt.SiteName = "image",
    tools: opt.ToolFiles = None,
    plain: opt.Plain = False,
    json: opt.Json = False,
    journal: opt.JournalFile = None,
    no_journal: opt.NoJournal = False,
    verbose: opt.Verbose = False,
) -> None:
    """Ask a question about a picture, or about each of several pictures.

    bt-exec ask table.png "How many red circles are there?"
    """
    from bt_exec.cli.app import EXIT_STOPPED
    from bt_exec.cli.mission_setup import Options
    from bt_exec.cli.output_streams import write_json
    from bt_exec.failure import UsageError
    from bt_exec_skills.image.mission_worlds import build_mission_worlds
    from bt_exec_skills.image.picture_sources import find_pictures

    *names, question = words
    if not names or os.path.isfile(question):  # noqa: PTH113 - Path raises for a long question
        raise UsageError(
            'give a picture and a question, the question last: bt-exec ask FILE "question"'
        )
    chosen = Options(
        site=site,
        plain=plain,
        json=json,
        journal=journal,
        no_journal=no_journal,
        verbose=verbose,
        last=True,
        tools=tools or (),
    )
    with find_pictures(names, allow_net=allow_net) as files:
        worlds = build_mission_worlds(files, question, annotation, out, program, program_by)
        ask_one = _ask_about_one if len(worlds) == 1 else _ask_about_one_of_several
        found: list[tuple[int, dict[str, Any]]] = []
        for world in worlds:
            found.append(ask_one(world, question, chosen))
            if found[-1][0] == EXIT_STOPPED:
                break  # Ctrl-C also skips the remaining pictures
    if json:
        answers = [data for _, data in found]
        write_json(answers[0] if len(worlds) == 1 else {"answers": answers})
    raise typer.Exit(max(code for code, _ in found))


def _ask_about_one_of_several(
    world: dict[str, str], question: str, chosen: Options
) -> tuple[int, dict[str, Any]]:
    """Print the name of a picture and ask about it; return a usage error as part of the data."""
    from bt_exec.cli.output_streams import operator_painter
    from bt_exec.failure import UsageError

    painter = operator_painter(beside=chosen.json)
    painter.write_text(world["image"])
    try:
        return _ask_about_one(world, question, chosen)
    except UsageError as error:
        painter.write_text(str(error))
        return _USAGE, {"picture": world["image"], "error": str(error)}


def _ask_about_one(
    world: dict[str, str], question: str, chosen: Options
) -> tuple[int, dict[str, Any]]:
    """Ask about one picture, and return the exit code and the answer as data."""
    from bt_exec.cli.mission_setup import open_stage
    from bt_exec.failure import UsageError

    with open_stage(
        replace(chosen, world=[f"{key}={value}" for key, value in world.items()])
    ) as stage:
        rig = stage.session.rigs.get("image")
        if rig is None:
            raise UsageError(f"site {stage.session.site.name} does not use the pack image")
        outcome = stage.run(question)
        return outcome.exit_code, {**outcome.to_dict(), **rig.services["bench"].to_dict()}
