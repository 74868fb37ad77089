"""Options shared by several commands, and their completion."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

__all__ = [
    "Breaks",
    "CompilerName",
    "Fast",
    "FaultFile",
    "FaultTexts",
    "FramesFolder",
    "Full",
    "Guard",
    "Inspected",
    "JournalFile",
    "Json",
    "KeepFrames",
    "NoJournal",
    "Plain",
    "SiteName",
    "Step",
    "ToolFiles",
    "Turns",
    "Verbose",
    "Watched",
    "WorldTexts",
    "complete_skills",
    "complete_trees",
]


def _safe_completion(names: Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    """Return a completion function that never raises: a broken site must not break the shell."""

    def complete(incomplete: str) -> list[str]:
        try:
            return [name for name in names() if name.startswith(incomplete)]
        except Exception:  # noqa: BLE001 - a broken site must not break the shell
            return []

    return complete


def _sites() -> Iterable[str]:
    from bt_exec.site.shipped_data import site_names

    return site_names()


def _compilers() -> Iterable[str]:
    from bt_exec.planning.compiler import compiler_names

    return compiler_names()


def _trees() -> Iterable[str]:
    from bt_exec.site.site import load_site

    return load_site().library.names()


def _skills() -> Iterable[str]:
    from bt_exec.site.site import load_site

    catalogue = load_site().catalogue
    return (*catalogue.skills, *catalogue.conditions)


complete_trees = _safe_completion(_trees)
complete_skills = _safe_completion(_skills)

SiteName: TypeAlias = Annotated[
    str,
    typer.Option(
        "--site",
        metavar="NAME|FILE",
        help="Site of the robots: a name or a site file. The default is set by BT_EXEC_SITE, "
        "or default_site: in the configuration.",
        autocompletion=_safe_completion(_sites),
    ),
]
WorldTexts: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--world", metavar="KEY=VALUE", help="How the simulated world starts."),
]
FaultTexts: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--fault",
        metavar="SKILL[:N]=CODE",
        help="Make a skill fail at its N-th call, or at every call.",
    ),
]
FaultFile: TypeAlias = Annotated[
    Path | None,
    typer.Option("--faults", metavar="FILE", help="Inject the faults of a fault plan."),
]
Fast: TypeAlias = Annotated[
    bool, typer.Option("--fast", help="Simulate as fast as possible, not in real time.")
]
Plain: TypeAlias = Annotated[
    bool, typer.Option("--plain", help="One line for each change instead of the live tree.")
]
Full: TypeAlias = Annotated[
    bool, typer.Option("--full", help="Use the whole screen while the mission runs.")
]
Json: TypeAlias = Annotated[
    bool, typer.Option("--json", help="Data on standard output; all else on standard error.")
]
Turns: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--turns", metavar="FILE", help="Turn reports, one JSON object per line; - is stdout."
    ),
]
FramesFolder: TypeAlias = Annotated[
    Path | None,
    typer.Option("--save-frames", metavar="DIR", help="Store every observed frame as PNG."),
]
KeepFrames: TypeAlias = Annotated[
    bool, typer.Option("--frames", help="Store the pictures in the journal as well.")
]
JournalFile: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--journal", metavar="FILE", help="Journal file for the record; the user's by default."
    ),
]
NoJournal: TypeAlias = Annotated[
    bool, typer.Option("--no-journal", help="Keep no record of this mission.")
]
Guard: TypeAlias = Annotated[
    bool, typer.Option("--guard", help="Start a guardian process also for a simulated robot.")
]
Inspected: TypeAlias = Annotated[
    bool, typer.Option("--inspected", help="The robot that needed inspection has been inspected.")
]
CompilerName: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--compiler",
        metavar="NAME",
        help="Compiler of the plan; the site's by default.",
        autocompletion=_safe_completion(_compilers),
    ),
]
ToolFiles: TypeAlias = Annotated[
    list[Path] | None,
    typer.Option(
        "--tools",
        metavar="FILE",
        help="Python file with skills or conditions; it is executed.",
    ),
]
Step: TypeAlias = Annotated[
    bool, typer.Option("--step", help="Pause at each change of a node; simulated robots only.")
]
Breaks: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--break",
        metavar="NODE|CODE",
        help="Pause when a node, skill, tree or condition is reached, or a failure has this code.",
    ),
]
Watched: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--watch", metavar="NAME", help="Print a fact or saved result when it changes."),
]
Verbose: TypeAlias = Annotated[
    bool, typer.Option("--verbose", "-v", help="Show paths, names of records, modules.")
]
