"""Commands of ``bt-exec label``: plan records from clips, and training sets.

The group is registered as the entry point ``label`` of ``bt_exec.commands``. The implementation
in `bt_exec_labeler.cli_commands` is imported when a command runs.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from bt_exec.cli import options as opt
from bt_exec_labeler.options import (
    Labeler,
    Labelled,
    Out,
    Port,
    Role,
    Run,
    Settings,
    Source,
    Stride,
    Words,
    settings_of,
)

__all__ = ["LABEL"]

LABEL = typer.Typer(help="Plan records and training sets from recordings.", no_args_is_help=True)


def _commands_module() -> Any:
    """Import and return the module of the commands; called late because the import is slow."""
    from bt_exec_labeler import cli_commands

    return cli_commands


@LABEL.command()
def vocabulary(
    site: opt.SiteName = "",
    out: Annotated[
        Path,
        typer.Option("--out", "-o", metavar="FILE", help="Output file; it must not exist yet."),
    ] = Path("vocabulary.yaml"),
) -> None:
    """Draft a vocabulary from the skills of a site. Edit its mid steps by hand."""
    _print_result(_commands_module().draft(site, out), False)


@LABEL.command()
def check(source: Source, words: Words, json: opt.Json = False) -> None:
    """List episodes, spans and moments of a recording, and its flaws."""
    _print_result(_commands_module().check(source, words), json)


@LABEL.command()
def run(
    source: Source,
    words: Words,
    out: Out,
    labeler: Labeler = "rules",
    role: Role = "controller",
    settings: Settings = None,
    stride: Stride = 0.5,
    workers: Annotated[int, typer.Option(min=1, max=64, help="Number of batches in parallel.")] = 4,
    engine: Annotated[
        str,
        typer.Option(
            "--engine", metavar="NAME", help="Execution: threads, or ray for a Ray cluster."
        ),
    ] = "threads",
    requests: Annotated[int | None, typer.Option(min=1, help="Budget: requests.")] = None,
    tokens: Annotated[int | None, typer.Option(min=1, help="Budget: tokens.")] = None,
    cost: Annotated[
        float | None, typer.Option(min=0.0, help="Budget: money; needs the prices of the model.")
    ] = None,
    cache: Annotated[
        Path | None, typer.Option("--cache", metavar="FILE", help="Cache of answers.")
    ] = None,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Use no cache.")] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Continue the run in --out.")] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Accept no fence or thinking block around answers.")
    ] = False,
    site: Annotated[
        str,
        typer.Option(
            "--site", metavar="FILE", help="Site whose compiler gives the model and its prices."
        ),
    ] = "",
    json: opt.Json = False,
) -> None:
    """Label a recording. Ctrl-C keeps the finished records; --resume continues.

    Budgets include the expenses before --resume.
    """
    budget = {"requests": requests, "tokens": tokens, "cost": cost}
    options = settings_of(settings)
    if site:
        from bt_exec_labeler.cli_commands import with_client_settings

        options = with_client_settings(options, site)
    if strict:
        options["strict"] = True
    found = _commands_module().run(
        source,
        words,
        out,
        labeler=labeler,
        role=role,
        options=options,
        stride_s=stride,
        workers=workers,
        budget=budget,
        cache=cache,
        no_cache=no_cache,
        resume=resume,
        engine=engine,
    )
    _print_result(found, json)
    if found["stopped"]:
        raise typer.Exit(4)


@LABEL.command()
def report(
    run: Run,
    words: Words,
    source: Annotated[
        Path | None,
        typer.Option("--source", metavar="SOURCE", help="Recording that provides the pictures."),
    ] = None,
    other: Annotated[
        Path | None,
        typer.Option("--against", metavar="RUN", help="Run of another labeler, to compare with."),
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write a page with plots.")
    ] = None,
    json: opt.Json = False,
) -> None:
    """Print dropped records, coverage, contradictions and agreement of a run."""
    _print_result(_commands_module().report(run, words, source, other, html), json)


@LABEL.command()
def review(
    run: Run,
    source: Labelled,
    words: Words,
    reviewer: Annotated[
        str, typer.Option("--reviewer", "-r", metavar="NAME", help="Name of the reviewer.")
    ],
    port: Port = 8901,
    language: Annotated[
        str,
        typer.Option(
            "--language", metavar="NAME", help="Language: en or ko; by default that of the browser."
        ),
    ] = "",
    episode: Annotated[
        str, typer.Option("--episode", metavar="NAME", help="Review one whole episode.")
    ] = "",
) -> None:
    """Review records on a local page: accept, correct or reject them with keys.

    The page shows a fixed sample of the records, or, with --episode, all records of one episode.

    A second reviewer uses another name and port. label report prints their agreement.
    """
    from bt_exec_labeler.review.command import review as look

    look(run, source, words, reviewer, port, typer.echo, language, episode)


@LABEL.command("export")
def export_(
    run: Run,
    source: Labelled,
    words: Words,
    out: Out,
    json: opt.Json = False,
) -> None:
    """Export the sample to Label Studio: tasks, pictures and the labelling interface."""
    from bt_exec_labeler.review.command import export

    _print_result(export(run, source, words, out), json)


@LABEL.command("import")
def import_(
    run: Run,
    annotations: Annotated[
        Path, typer.Argument(metavar="FILE", help="JSON export of Label Studio.")
    ],
    source: Labelled,
    words: Words,
    json: opt.Json = False,
) -> None:
    """Import decisions from Label Studio. Each annotator is a reviewer."""
    from bt_exec_labeler.review.command import import_decisions

    found = import_decisions(run, annotations, source, words)
    _print_result(found, json)
    if found["refused"]:
        raise typer.Exit(4)


@LABEL.command("serve")
def serve_labeler(
    words: Words,
    labeler: Labeler = "model",
    role: Role = "controller",
    settings: Settings = None,
    frames: Annotated[
        Path | None,
        typer.Option(
            "--frames", metavar="FOLDER", help="Folder of the frames that items refer to."
        ),
    ] = None,
    host: Annotated[
        str, typer.Option("--host", metavar="ADDRESS", help="Address to listen on.")
    ] = "127.0.0.1",
    port: Port = 8902,
    token_file: Annotated[
        Path | None,
        typer.Option(
            "--token-file",
            metavar="FILE",
            help="File with the token; alternatively, set BT_EXEC_TOKEN.",
        ),
    ] = None,
) -> None:
    """Serve a labeler over HTTP: POST /label {"items": […]} returns a record or errors for each.

    bt-exec label run … -l remote -s url=http://127.0.0.1:8902 is a client.
    """
    from bt_exec_labeler.service.app import serve_labeler as serve

    serve(
        words,
        labeler=labeler,
        role=role,
        options=settings_of(settings),
        frames=frames,
        host=host,
        port=port,
        token_file=token_file,
        say=typer.echo,
    )


@LABEL.command()
def replay(
    run: Run,
    item: Annotated[
        str | None,
        typer.Argument(metavar="ITEM", help="Record to replay; by default one of each span."),
    ] = None,
    json: opt.Json = False,
) -> None:
    """Run the short goal of each record in simulation and compare the outcomes."""
    found = _commands_module().replay(run, item)
    _print_result(found, json)
    if found["different"]:
        raise typer.Exit(4)


@LABEL.command()
def dataset(
    run: Run,
    source: Labelled,
    words: Words,
    out: Out,
    keep_uncertain: Annotated[
        bool, typer.Option("--keep-uncertain", help="Include records with high uncertainty.")
    ] = False,
    form: Annotated[
        str, typer.Option("--format", metavar="NAME", help="Format: parquet or lerobot.")
    ] = "parquet",
    fps: Annotated[
        int, typer.Option("--fps", min=1, max=100, help="Frames per second of a LeRobot data set.")
    ] = 2,
    drop_duplicates: Annotated[
        bool, typer.Option("--drop-duplicates", help="Leave out near duplicates.")
    ] = False,
    lerobot: Annotated[
        str,
        typer.Option(
            "--lerobot",
            metavar="VERSION",
            help="LeRobot version: 0.4 or 0.6; by default the installed one.",
        ),
    ] = "",
    replies: Annotated[
        bool, typer.Option("--replies", help="Include refused and answered commands.")
    ] = False,
    json: opt.Json = False,
) -> None:
    """Write a training set: Parquet, pictures, chats and a card, split by episode.

    --format lerobot writes a LeRobot data set with records in its language columns. A recording
    that is a LeRobot data set is copied with all its columns and files.
    """
    about = {"keep_uncertain": keep_uncertain, "form": form, "fps": fps}
    about |= {"drop_duplicates": drop_duplicates, "lerobot": lerobot, "replies": replies}
    _print_result(_commands_module().dataset(run, source, words, out, **about), json)


def _print_result(found: dict[str, Any], as_json: bool) -> None:
    """Print the text lines of a result, or its other entries as JSON."""
    from bt_exec.cli.output_streams import write_result

    lines = found.pop("lines")
    write_result(found, lines, as_json=as_json)
