"""Command ``understand``: the meaning of a command, word by word; nothing moves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bt_exec.cli import options as opt
from bt_exec.cli.output_streams import write_data

if TYPE_CHECKING:
    from bt_exec.language.meaning import Act, Meaning, Unclear
    from bt_exec.language.messages import Messages
    from bt_exec.planning.compiler import Reply

__all__ = ["COMMANDS", "understand"]


def understand(
    command: Annotated[
        str, typer.Argument(help="What to do, in Korean or English.", show_default=False)
    ],
    site: opt.SiteName = "",
    world: opt.WorldTexts = None,
    json_: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    after: Annotated[
        list[str] | None,
        typer.Option(
            "--after",
            help="An earlier command; may be given several times.",
            metavar="COMMAND",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Show what a command means: its words with their roles, its acts, and its plan.

    bt-exec understand "close it" --after "open the door"
    """
    import json

    from bt_exec.cli.compile import observed_situation
    from bt_exec.failure import Refusal, UsageError
    from bt_exec.language.meaning import Unclear
    from bt_exec.mission_outcome import EXIT_CODES
    from bt_exec.planning.compiler import Plan, Reader
    from bt_exec.site.compile_command import first_request, make_compiler
    from bt_exec.site.site import load_site
    from bt_exec.spec.dump import dump_yaml, to_data

    loaded = load_site(site)
    compiler = make_compiler(loaded)
    if not isinstance(compiler, Reader):
        compiler = make_compiler(loaded, "offline")
    if not isinstance(compiler, Reader):
        raise UsageError(f"compiler {compiler.name} cannot report the meaning of commands")
    situation = observed_situation(loaded, compiler, world or ())
    request = first_request(loaded, command, situation, after or ())
    meaning = compiler.read(request)
    answer = compiler.compile(request)
    if json_:
        data = _as_data(meaning)
        if isinstance(answer, Plan):
            data["plan"] = to_data(answer.spec)
        elif isinstance(answer, Refusal):
            data["refused"] = {"code": answer.code, "message": answer.message}
        write_data(json.dumps(data, ensure_ascii=False) + "\n")
    else:
        lines = _meaning_lines(meaning, loaded.messages)
        if isinstance(answer, Plan):
            lines += ["", dump_yaml(answer.spec).rstrip()]
        elif isinstance(answer, Refusal):
            lines += ["", answer.message]
        write_data("\n".join(lines) + "\n")
    if isinstance(meaning, Unclear):
        raise typer.Exit(EXIT_CODES["refused"])


def _as_data(meaning: Meaning | Unclear | Reply) -> dict[str, Any]:
    from dataclasses import asdict

    from bt_exec.language.meaning import Unclear
    from bt_exec.planning.compiler import Reply

    if isinstance(meaning, Reply):
        return {"understood": True, "code": meaning.code, "reply": meaning.message}
    data = asdict(meaning)
    words = data.pop("uses") if isinstance(meaning, Unclear) else data.pop("words")
    found = {"understood": not isinstance(meaning, Unclear), **data}
    return {**found, "heard": words}


def _meaning_lines(meaning: Meaning | Unclear | Reply, messages: Messages) -> list[str]:
    from bt_exec.language.meaning import Unclear
    from bt_exec.planning.compiler import Reply

    if isinstance(meaning, Reply):
        return [f"no command · {meaning.code}", f"  {meaning.message}"]
    if isinstance(meaning, Unclear):
        lines = [f"not understood · {meaning.code} · {meaning.words}"]
        return [*lines, *(f"  {use.text}  {use.use} {use.detail}".rstrip() for use in meaning.uses)]
    lines = [f"  {use.text}  {use.use} {use.detail}".rstrip() for use in meaning.words]
    if meaning.said_back:
        lines[:0] = [messages.say("READ_BACK", meaning.language, said=meaning.said_back), ""]
    for number, act in enumerate(meaning.acts, 1):
        lines += ["", *_act_lines(number, act)]
    return lines


def _act_lines(number: int, act: Act) -> list[str]:
    marks = [
        act.mood,
        *([] if act.positive else ["not"]),
        *([f"{act.times} times"] * (act.times > 1)),
    ]
    lines = [f"{number} {act.predicate} ({', '.join(marks)})"]
    lines += [f"    agent: {act.agent}"] * bool(act.agent)
    lines += [f"    {role.role}: {role.value} {role.relation}".rstrip() for role in act.roles]
    if act.condition is not None:
        word = "if" if act.condition.holds else "unless"
        said = ", ".join(role.value for role in act.condition.act.roles)
        lines.append(f"    {word}: {said}")
    return lines


COMMANDS: Mapping[str, Callable[..., None]] = {"understand": understand}
