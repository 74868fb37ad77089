"""Command ``eval``: compares compilers on labelled commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated

import typer

from bt_exec.cli import options as opt

__all__ = ["COMMANDS", "eval_"]


def eval_(
    file: Annotated[
        Path,
        typer.Argument(
            help="Labelled commands, or the name of a shipped set; see docs/models.md.",
            metavar="FILE|NAME",
        ),
    ],
    compilers: Annotated[
        list[str] | None,
        typer.Option(
            "--compiler",
            help="A compiler, or one of a site file: NAME=SITE.yaml; may be given several times.",
            metavar="NAME",
            show_default=False,
        ),
    ] = None,
    site: opt.SiteName = "",
    out: Annotated[
        Path | None,
        typer.Option("--out", help="Store answers in this file and reuse those already in it."),
    ] = None,
    json: opt.Json = False,
    verbose: opt.Verbose = False,
) -> None:
    """Compare compilers on labelled commands by correct plans, wrong plans and refusals."""
    import json as json_

    from bt_exec.cli.compile import observed_situation
    from bt_exec.cli.output_streams import operator_painter, write_json
    from bt_exec.evaluation.cases import load_cases
    from bt_exec.evaluation.run import (
        answer_mistake,
        collect_answers,
        compare_compilers,
        evaluate,
        read_earlier_answers,
    )
    from bt_exec.site.compile_command import make_compiler
    from bt_exec.site.site import load_site

    cases, loaded = load_cases(file), load_site(site)
    asked = {}
    for name in compilers or [loaded.compiler.name]:
        label, equals, other = name.partition("=")
        asked[label] = make_compiler(load_site(other)) if equals else make_compiler(loaded, name)
    world = [f"{key}={value}" for key, value in cases.world.items()]
    looking = (one for one in asked.values() if getattr(one, "needs_observation", False))
    situation = observed_situation(loaded, next(looking, next(iter(asked.values()))), world)
    lines = []
    known = read_earlier_answers(out) if out is not None else []
    kept = out.open("a", encoding="utf-8") if out is not None else None
    try:
        for line in collect_answers(loaded, cases, asked, known, situation):
            lines.append(line)
            if kept is not None and line not in known:
                kept.write(json_.dumps(line, ensure_ascii=False) + "\n")
                kept.flush()
    finally:
        if kept is not None:
            kept.close()
    found, against = evaluate(cases, lines), compare_compilers(cases, lines)
    if json:
        write_json([{**one._asdict(), "objections": dict(one.objections)} for one in found])
        return
    painter = operator_painter()
    for one in found:
        painter.write_text(one.compiler)
        painter.write_text(f"  understood       {one.understood}")
        painter.write_text(f"  done wrong       {one.wrong}")
        painter.write_text(f"  rightly refused  {one.refused}")
        objections = ", ".join(f"{code} {n}" for code, n in sorted(one.objections.items()))
        painter.write_text(f"  objections       {objections or 'none'}")
        cost = f"{one.requests} requests, {one.tokens} tokens, {one.cost:.4f} USD"
        painter.write_text(f"  cost             {cost}, {one.seconds:.3f} s a command")
        if one.compiler in against:
            _, _, better, worse, p = against[one.compiler]
            said = f"{better} better, {worse} worse, p {p:.3f}"
            painter.write_text(f"  against {found[0].compiler}: {said}")
    for line in lines if verbose else ():
        if why := answer_mistake(cases, line):
            painter.write_text(f"{line['compiler']}: {line['say']}: {why}")
        elif line["steps"] is None and cases.commands[line["item"]].want == "act":
            painter.write_text(f"{line['compiler']}: {line['say']}: refused ({line['code']})")


COMMANDS: Mapping[str, Callable[..., None]] = {"eval": eval_}
