"""``compile`` and ``check``: plans and tree files without a robot that moves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bt_exec.cli import options as opt

if TYPE_CHECKING:
    from bt_exec.failure import Problem, Refusal
    from bt_exec.observation import Situation
    from bt_exec.site.site import Site

__all__ = ["COMMANDS", "check", "compile_"]

_OF_A_SITE = ("UNKNOWN_CONDITION", "UNKNOWN_SKILL", "UNKNOWN_TREE", "UNKNOWN_TYPE")
"""Mistakes that may be none at another site."""


def compile_(
    command: Annotated[
        str, typer.Argument(help="What to do, in Korean or English.", show_default=False)
    ] = "",
    site: opt.SiteName = "door",
    commands: Annotated[
        str, typer.Option("--commands", help="A file of commands, one a line; - is the input.")
    ] = "",
    format: Annotated[  # noqa: A002 - the option's name
        str,
        typer.Option("--format", help="yaml, json, jsonl, or a form of the site's packs."),
    ] = "yaml",
    inline: Annotated[
        bool,
        typer.Option("--inline", help="As it would run: subtrees open, every parameter bound."),
    ] = False,
    world: opt.WorldTexts = None,
    compiler: opt.CompilerName = None,
    show_prompt: Annotated[
        bool, typer.Option("--show-prompt", help="Print what a model would be told; send nothing.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print size and cost of the question; send nothing.")
    ] = False,
) -> None:
    """Make the plan for a command and print it; nothing moves.

    With --world a simulated robot looks first, and the plan is made for what it sees.
    """
    import sys

    from bt_exec.cli.given import format_of
    from bt_exec.failure import Refusal, SpecError
    from bt_exec.planning.compile_command import make_compiler, request_of
    from bt_exec.planning.plan import prepare, rejection
    from bt_exec.site.site import load_site
    from bt_exec.spec.dump import dump_json, dump_yaml

    loaded = load_site(site)
    if commands:
        from bt_exec.cli.batch import compile_lines

        compile_lines(loaded, commands, compiler)
        return
    writer = None if format in ("yaml", "json") else format_of(format, loaded).write
    situation = _look(loaded, world) if world else None
    if show_prompt or dry_run:
        _question(loaded, command, situation, compiler, prompt=show_prompt)
        return
    request = request_of(loaded, command, situation)
    answer = make_compiler(loaded, compiler).compile(request)
    if isinstance(answer, Refusal):
        raise _refused(answer)
    try:
        runs = prepare(answer.spec, request, answer.meaning)
    except SpecError as error:
        raise _refused(rejection(error, request)) from None
    spec = runs if inline else answer.spec
    text = dump_json(spec) if format == "json" else dump_yaml(spec)
    if writer is not None:
        text = writer(runs)
    sys.stdout.write(text.rstrip("\n") + "\n")


def _question(
    site: Site, command: str, situation: Situation | None, compiler: str | None, *, prompt: bool
) -> None:
    """Print what a model compiler would ask, or how much that is; nothing is sent."""
    from bt_exec.cli.output import emit
    from bt_exec.failure import UsageError
    from bt_exec.planning.compile_command import make_compiler, request_of

    asked = make_compiler(site, compiler)
    tell = getattr(asked, "prompt" if prompt else "estimate", None)
    if tell is None:
        message = f"compiler {asked.name!r} asks no model; choose one: --compiler claude"
        raise UsageError(message)
    answer = tell(request_of(site, command, situation))
    if prompt:
        typer.echo(answer)
    else:
        emit(answer)


def check(
    files: Annotated[
        list[Path], typer.Argument(help="Tree, plan or site files.", metavar="FILE...")
    ],
    site: opt.SiteName = "door",
    json: opt.Json = False,
) -> None:
    """Check files: every mistake with file, line and column; exit code 2 if there is one."""
    from dataclasses import asdict

    from bt_exec.cli.output import emit, for_people
    from bt_exec.site.data import site_names
    from bt_exec.site.site import load_site

    loaded = load_site(site)
    problems = _problems(files, loaded)
    painter = for_people(beside=json)
    for problem in problems:
        painter.say(str(problem))
    wrong = len({problem.file for problem in problems})
    if problems:
        found = f"{len(problems)} problem{'s' * (len(problems) != 1)}"
        others = [name for name in site_names() if name != site]
        if others and any(problem.code in _OF_A_SITE for problem in problems):
            painter.say(
                f"allowed are the names of the site {site}; --site NAME checks for another: "
                + ", ".join(others)
            )
        painter.say(f"{found} in {wrong} of {len(files)} file{'s' * (len(files) != 1)}")
    else:
        painter.say(f"{len(files)} file{'s' * (len(files) != 1)} in order")
    if json:
        emit([asdict(problem) for problem in problems])
    raise typer.Exit(2 if problems else 0)


def _problems(files: list[Path], site: Site) -> list[Problem]:
    """Return every mistake; trees of the files may use each other and those of the site."""
    from bt_exec.cli.given import is_other_form
    from bt_exec.failure import SpecError
    from bt_exec.site.site import load_site
    from bt_exec.spec.library import Library
    from bt_exec.spec.load import Loaded, parse
    from bt_exec.spec.model import TreeSpec
    from bt_exec.spec.source import scan_file
    from bt_exec.verify import verify_file

    problems: list[Problem] = []
    loaded: list[Loaded] = []
    library = Library()
    for path in files:
        try:
            if is_other_form(path):
                problems += _problems_of_plan(path, site)
                continue
            source = scan_file(path)
            if isinstance(source.data, dict) and "site" in source.data:
                load_site(str(path))
                continue
            one = parse(source)
            loaded.append(one)
            if isinstance(one.document, TreeSpec):
                library.add(one.document, one.source)
        except SpecError as error:
            problems += error.problems
    library.fill_up(site.library)
    for one in loaded:
        problems += verify_file(one, site.catalogue, library)
    return problems


def _problems_of_plan(path: Path, site: Site) -> list[Problem]:
    """Return what is wrong with a plan in a form of a pack; in a tree it has no lines.

    Raises:
        SpecError: If it cannot be read.
    """
    from dataclasses import replace

    from bt_exec.cli.given import load_plan
    from bt_exec.planning.compiler import Request
    from bt_exec.planning.plan import examine

    spec = load_plan(path, site, "")
    language = spec.mission.language
    request = Request("", language, site.catalogue, site.library, settings=site.packs)
    _, found = examine(spec, request)
    return [replace(problem, file=str(path)) for problem in found]


def _look(site: Site, world: list[str]) -> Situation:
    """Return what a robot sees in a world, without a mission."""
    from bt_exec.mission.session import Session, parse_world
    from bt_exec.observation import Situation

    with Session(site, world=parse_world(world), fast=True) as session:
        observations = [
            rig.perception.interpret(rig.perception.capture())
            for rig in session.rigs.values()
            if rig.perception is not None
        ]
        facts = session.facts()
    labels = tuple(
        dict.fromkeys(label for observation in observations for label in observation.labels())
    )
    for observation in observations:
        facts.update(observation.facts())
    text = " · ".join(observation.describe("en") for observation in observations)
    return Situation(labels, facts, text, observations[0].frame if observations else None)


def _refused(refusal: Refusal) -> typer.Exit:
    """Say why there is no plan; return how the program ends."""
    from bt_exec.cli.output import for_people
    from bt_exec.outcome import EXIT_CODES
    from bt_exec.tui.summary import unsaid

    lines = [f"refused · {refusal.message} [{refusal.code}]", *refusal.problems]
    if further := unsaid(refusal.message, refusal.nearest):
        lines += ["try one of these:", *(f"  {text}" for text in further)]
    for_people(beside=True).say("\n".join(lines))
    return typer.Exit(EXIT_CODES["refused"])


COMMANDS: Mapping[str, Callable[..., None]] = {"compile": compile_, "check": check}
