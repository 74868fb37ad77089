"""Command ``compile``: prints the plan for a command without moving a robot."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from bt_exec.cli import options as opt
from bt_exec.cli.output_streams import write_data

if TYPE_CHECKING:
    from bt_exec.failure import Refusal
    from bt_exec.language.messages import Messages
    from bt_exec.observation import Situation
    from bt_exec.planning.compiler import Compiler, Reply
    from bt_exec.site.site import Site

__all__ = ["COMMANDS", "compile_", "observed_situation"]


def compile_(
    command: Annotated[
        str, typer.Argument(help="What to do, in Korean or English.", show_default=False)
    ] = "",
    site: opt.SiteName = "",
    commands: Annotated[
        str,
        typer.Option("--commands", help="File with one command per line; - for standard input."),
    ] = "",
    format: Annotated[  # noqa: A002 - the option's name
        str,
        typer.Option("--format", help="yaml, json, jsonl, or a format of the site's packs."),
    ] = "yaml",
    inline: Annotated[
        bool,
        typer.Option(
            "--inline", help="Expand subtrees and bind parameters, as the plan would run."
        ),
    ] = False,
    world: opt.WorldTexts = None,
    compiler: opt.CompilerName = None,
    show_prompt: Annotated[
        bool, typer.Option("--show-prompt", help="Print the prompt for a model; send nothing.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print size and cost of the prompt; send nothing.")
    ] = False,
) -> None:
    """Compile a command and print its plan; nothing moves.

    With --world, and for compilers that resolve objects (such as ``table``), the robot of the site
    makes one observation first; a simulator at an address is observed in its current state.
    """
    from bt_exec.cli.plan_from_file import find_plan_format
    from bt_exec.language.messages import language_of
    from bt_exec.site.compile_command import compile_command, make_compiler
    from bt_exec.site.site import load_site
    from bt_exec.spec.dump import dump_json, dump_yaml

    loaded = load_site(site)
    if commands:
        from bt_exec.cli.compile_batch import compile_lines

        planner = make_compiler(loaded, compiler)
        compile_lines(loaded, commands, planner, observed_situation(loaded, planner, world or ()))
        return
    writer = None if format in ("yaml", "json") else find_plan_format(format, loaded).write
    planner = make_compiler(loaded, compiler)
    situation = observed_situation(loaded, planner, world or ())
    if show_prompt or dry_run:
        _print_prompt(loaded, command, situation, planner, prompt=show_prompt)
        return
    compiled = compile_command(loaded, command, situation=situation, compiler=planner)
    if compiled.refusal is not None:
        raise _print_refusal(compiled.refusal, loaded.messages, language_of(command))
    if compiled.reply is not None:
        _print_reply(compiled.reply)
        return
    assert compiled.plan is not None
    spec = compiled.plan if inline else compiled.written
    assert spec is not None
    text = dump_json(spec) if format == "json" else dump_yaml(spec)
    if writer is not None:
        text = writer(compiled.plan)
    write_data(text.rstrip("\n") + "\n")


def _print_reply(reply: Reply) -> None:
    """Print the reply to a text that needs no plan."""
    from bt_exec.cli.output_streams import operator_painter

    operator_painter(beside=True).write_text(f"{reply.message} [{reply.code}]")


def _print_prompt(
    site: Site, command: str, situation: Situation | None, asked: Compiler, *, prompt: bool
) -> None:
    """Print the prompt of a model compiler, or its size and cost; nothing is sent."""
    from bt_exec.cli.output_streams import write_json
    from bt_exec.failure import UsageError
    from bt_exec.planning.compiler import Prompting
    from bt_exec.site.compile_command import first_request

    if not isinstance(asked, Prompting):
        message = (
            f"compiler {asked.name!r} does not use a model; choose one that does: --compiler claude"
        )
        raise UsageError(message)
    request = first_request(site, command, situation)
    if prompt:
        write_data(f"{asked.prompt(request)}\n")
    else:
        write_json(asked.estimate(request))


def observed_situation(
    site: Site, compiler: Compiler, world: Sequence[str] = ()
) -> Situation | None:
    """Return the situation that a site's robot observes now; None if no observation is needed.

    Args:
        site: The site.
        compiler: The compiler; ``needs_observation`` is true if its plans depend on the objects.
        world: ``KEY=VALUE`` pairs of a simulated world.
    """
    if not world and not getattr(compiler, "needs_observation", False):
        return None
    from dataclasses import replace

    from bt_exec.mission.rig_construction import parse_world_settings
    from bt_exec.mission.session import Session
    from bt_exec.planning.robot_views import site_situation

    with Session(site, world=parse_world_settings(world)) as session:
        observations = session.observe()
        known = session.facts()
    seen = site_situation(site.catalogue, observations)
    return replace(seen, facts={**known, **seen.facts})


def _print_refusal(refusal: Refusal, messages: Messages, language: str) -> typer.Exit:
    """Print the reason for a refusal, in the language of the command.

    Returns:
        The exception that ends the program.
    """
    from bt_exec.cli.output_streams import operator_painter
    from bt_exec.mission_outcome import EXIT_CODES
    from bt_exec.tui.summary import utterances_not_in

    said = f"{messages.fixed_word('refused', language)} · {refusal.message} [{refusal.code}]"
    lines = [said, *refusal.problems]
    if further := utterances_not_in(refusal.message, refusal.nearest):
        lines.append(f"{messages.fixed_word('try one of these', language)}:")
        lines += (f"  {text}" for text in further)
    operator_painter(beside=True).write_text("\n".join(lines))
    return typer.Exit(EXIT_CODES["refused"])


COMMANDS: Mapping[str, Callable[..., None]] = {"compile": compile_}
