"""Commands of ``bt-exec label``: plan records from clips, and training sets.

The command line finds this group through the entry point ``label`` of ``bt_exec.commands``. What
its commands do is in `bt_exec_labeler.commands`, imported when one of them runs.
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

LABEL = typer.Typer(
    help="Labels: recorded clips become plan records, and training sets.", no_args_is_help=True
)


def _tool() -> Any:
    """Return the module that does the work; its imports are heavy."""
    from bt_exec_labeler import commands

    return commands


@LABEL.command()
def vocabulary(
    site: opt.SiteName = "",
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="A new file.")] = Path(
        "vocabulary.yaml"
    ),
) -> None:
    """Draft the vocabulary of a site's skills; mid steps are then kept by hand."""
    _say(_tool().draft(site, out), False)


@LABEL.command()
def check(source: Source, words: Words, json: opt.Json = False) -> None:
    """Show what would be labelled: episodes, spans, moments, and what is wrong with them."""
    _say(_tool().check(source, words), json)


@LABEL.command()
def run(
    source: Source,
    words: Words,
    out: Out,
    labeler: Labeler = "rules",
    role: Role = "controller",
    settings: Settings = None,
    stride: Stride = 0.5,
    workers: Annotated[int, typer.Option(min=1, max=64, help="Batches at the same time.")] = 4,
    engine: Annotated[
        str, typer.Option("--engine", metavar="NAME", help="threads, or ray: a cluster's workers.")
    ] = "threads",
    requests: Annotated[int | None, typer.Option(min=1, help="Budget: requests.")] = None,
    tokens: Annotated[int | None, typer.Option(min=1, help="Budget: tokens.")] = None,
    cost: Annotated[
        float | None, typer.Option(min=0.0, help="Budget: money; needs prices of the model.")
    ] = None,
    cache: Annotated[
        Path | None, typer.Option("--cache", metavar="FILE", help="Answers kept; the user's own.")
    ] = None,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Keep no answers.")] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in --out.")] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Accept no fence or thinking block around answers.")
    ] = False,
    site: Annotated[
        str, typer.Option("--site", metavar="FILE", help="Model and prices from its compiler.")
    ] = "",
    json: opt.Json = False,
) -> None:
    """Label a recording in batches; Ctrl-C keeps what is done, --resume goes on.

    A budget counts what was spent before --resume, too.
    """
    budget = {"requests": requests, "tokens": tokens, "cost": cost}
    options = settings_of(settings)
    if site:
        from bt_exec_labeler.labelers.site_settings import with_client

        options = with_client(options, site)
    if strict:
        options["strict"] = True
    found = _tool().run(
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
    _say(found, json)
    if found["stopped"]:
        raise typer.Exit(4)


@LABEL.command()
def report(
    run: Run,
    words: Words,
    source: Annotated[
        Path | None, typer.Option("--source", metavar="SOURCE", help="For pictures of clips.")
    ] = None,
    other: Annotated[
        Path | None, typer.Option("--against", metavar="RUN", help="Another labeler's run.")
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write a page with plots.")
    ] = None,
    json: opt.Json = False,
) -> None:
    """Print how good a run is: drops, uncertainty, coverage, contradictions, agreement."""
    _say(_tool().report(run, words, source, other, html), json)


@LABEL.command()
def review(
    run: Run,
    source: Labelled,
    words: Words,
    reviewer: Annotated[
        str, typer.Option("--reviewer", "-r", metavar="NAME", help="Who looks; each has a file.")
    ],
    port: Port = 8901,
    language: Annotated[
        str, typer.Option("--language", metavar="NAME", help="en or ko; else the browser's.")
    ] = "",
    episode: Annotated[
        str, typer.Option("--episode", metavar="NAME", help="A whole episode, not the sample.")
    ] = "",
) -> None:
    """Look at a sample of records on a page of this machine: accept, correct, reject by keys.

    With --episode all records of one episode are reviewed, by time.

    A second reviewer takes another name and port; label report tells how far they agree.
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
    """Write the sample for Label Studio: tasks, pictures, and the labelling interface."""
    from bt_exec_labeler.review.command import export

    _say(export(run, source, words, out), json)


@LABEL.command("import")
def import_(
    run: Run,
    annotations: Annotated[
        Path, typer.Argument(metavar="FILE", help="What Label Studio exported as JSON.")
    ],
    source: Labelled,
    words: Words,
    json: opt.Json = False,
) -> None:
    """Take decisions from a JSON export of Label Studio; each annotator is a reviewer."""
    from bt_exec_labeler.review.command import take

    found = take(run, annotations, source, words)
    _say(found, json)
    if found["refused"]:
        raise typer.Exit(4)


@LABEL.command()
def serve(
    words: Words,
    labeler: Labeler = "model",
    role: Role = "controller",
    settings: Settings = None,
    frames: Annotated[
        Path | None, typer.Option("--frames", metavar="FOLDER", help="Frames found by name.")
    ] = None,
    host: Annotated[
        str, typer.Option("--host", metavar="ADDRESS", help="Where to listen.")
    ] = "127.0.0.1",
    port: Port = 8902,
    token_file: Annotated[
        Path | None,
        typer.Option("--token-file", metavar="FILE", help="Holds the token; or BT_EXEC_TOKEN."),
    ] = None,
) -> None:
    """Label what others send: POST /label {"items": […]}, a record or its faults for each.

    bt-exec label run … -l remote -s url=http://127.0.0.1:8902 is a client of it.
    """
    from bt_exec_labeler.service.command import serve as answer

    answer(
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
        str | None, typer.Argument(metavar="ITEM", help="One record; else one of each span.")
    ] = None,
    json: opt.Json = False,
) -> None:
    """Tick short goals of journal missions again, in simulation: do they end as recorded?"""
    found = _tool().replay(run, item)
    _say(found, json)
    if found["different"]:
        raise typer.Exit(4)


@LABEL.command()
def dataset(
    run: Run,
    source: Labelled,
    words: Words,
    out: Out,
    keep_uncertain: Annotated[
        bool, typer.Option("--keep-uncertain", help="Also records whose uncertainty is high.")
    ] = False,
    form: Annotated[
        str, typer.Option("--format", metavar="NAME", help="parquet, or lerobot.")
    ] = "parquet",
    fps: Annotated[
        int, typer.Option("--fps", min=1, max=100, help="Frames a second of a LeRobot set.")
    ] = 2,
    drop_duplicates: Annotated[
        bool, typer.Option("--drop-duplicates", help="Leave out clips that look like another.")
    ] = False,
    lerobot: Annotated[
        str,
        typer.Option("--lerobot", metavar="VERSION", help="0.4 or 0.6; else the installed one."),
    ] = "",
    replies: Annotated[
        bool, typer.Option("--replies", help="Also commands that were refused or answered.")
    ] = False,
    json: opt.Json = False,
) -> None:
    """Make a training set of a run: Parquet, pictures, chats, a card; splits by episode.

    With --format lerobot a LeRobot data set whose language columns hold the records; a recording
    that is one already is copied with everything it has.
    """
    about = {"keep_uncertain": keep_uncertain, "form": form, "fps": fps}
    about |= {"drop_duplicates": drop_duplicates, "lerobot": lerobot, "replies": replies}
    _say(_tool().dataset(run, source, words, out, **about), json)


def _say(found: dict[str, Any], json: bool) -> None:
    """Print what a command found: its lines, or everything as JSON."""
    import json as coding

    if json:
        data = {key: value for key, value in found.items() if key != "lines"}
        typer.echo(coding.dumps(data, ensure_ascii=False, indent=2, default=str))
        return
    for line in found["lines"]:
        typer.echo(line)
