"""``bt-exec ask``: a question about a picture, found through ``bt_exec.commands``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bt_exec.cli import options as opt

__all__ = ["ASK"]

ASK = typer.Typer(
    help="Ask a question about a picture.",
    invoke_without_command=True,
    subcommand_metavar="",
    context_settings={"allow_interspersed_args": True},
)


@ASK.callback()
def ask(
    image: Annotated[Path, typer.Argument(metavar="IMAGE", help="The picture.")],
    question: Annotated[str, typer.Argument(help="In Korean or English.")],
    annotation: Annotated[
        Path | None,
        typer.Option(
            "--annotation",
            metavar="FILE",
            help="Boxes: COCO JSON, YOLO text; else IMAGE's name with .json or .txt.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Write the picture with numbered boxes."),
    ] = None,
    program: Annotated[
        Path | None,
        typer.Option(
            "--program",
            metavar="FILE",
            help="Write a Python program that does it; it is run once in a sandbox.",
        ),
    ] = None,
    site: opt.SiteName = "image",
    plain: opt.Plain = False,
    json: opt.Json = False,
    journal: opt.JournalFile = None,
    no_journal: opt.NoJournal = False,
    verbose: opt.Verbose = False,
) -> None:
    """Ask a question about a picture.

    bt-exec ask table.png "How many red circles are there?"
    """
    from bt_exec.cli.output import emit
    from bt_exec.cli.stage import Options, staged
    from bt_exec.failure import UsageError
    from bt_exec_skills.image.bench import Bench

    given = {"image": image, "annotation": annotation, "out": out, "program": program}
    chosen = Options(
        site=site,
        world=[f"{key}={path}" for key, path in given.items() if path is not None],
        plain=plain,
        json=json,
        journal=journal,
        no_journal=no_journal,
        verbose=verbose,
        last=True,
    )
    with staged(chosen) as stage:
        rig = stage.session.rigs.get("image")
        if rig is None:
            raise UsageError(f"site {stage.session.site.name} does not use the pack image")
        bench: Bench = rig.services["bench"]
        outcome = stage.run(question)
        if json:
            emit({**outcome.to_dict(), **bench.to_dict()})
    raise typer.Exit(outcome.exit_code)
