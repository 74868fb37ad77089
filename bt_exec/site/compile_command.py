"""Compilation of a command for a site, without its robots."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from bt_exec.failure import Refusal, SpecError
from bt_exec.language.meaning import Context
from bt_exec.language.messages import language_of
from bt_exec.observation import Situation
from bt_exec.planning.command_offers import CommandOffers, FindsSimilarTexts
from bt_exec.planning.compiler import Compiler, Prompting, Reply, Request, find_compiler
from bt_exec.planning.multi_pack import make_packs_compiler
from bt_exec.planning.multi_robot import RobotsCompiler
from bt_exec.planning.plan_preparation import (
    prepare_answer,
    verification_refusal,
    with_converted_tree_arguments,
)
from bt_exec.site.site import Site
from bt_exec.spec.model import MissionSpec

__all__ = ["Compiled", "compile_command", "compiler_of_site", "first_request", "make_compiler"]


def make_compiler(site: Site, name: str | None = None) -> Compiler:
    """Return the site's compiler, or the one called `name` with default settings.

    ``replay:FILE`` stands for the compiler ``replay`` with the setting ``file``.
    """
    if name is None or name == site.compiler.name:
        found = find_compiler(site.compiler.name, site.compiler.settings())
    else:
        name, colon, file = name.partition(":")
        found = find_compiler(name, {"file": file} if colon else {})
    return compiler_of_site(found, site)


def compiler_of_site(compiler: Compiler, site: Site) -> Compiler:
    """Return a compiler for all packs and robots of a site, which offers spelling corrections.

    A compiler that asks a language model is returned unchanged, because it handles all packs.
    """
    if isinstance(compiler, Prompting):
        return compiler
    if site.compiler.of and compiler.name == site.compiler.name:
        compiler = make_packs_compiler(compiler.name, compiler, site.compiler.of, site.packs)
    if isinstance(compiler, FindsSimilarTexts):
        compiler = CommandOffers(compiler)
    return RobotsCompiler(compiler) if site.catalogue.robots_sharing_pack else compiler


def first_request(
    site: Site,
    command: str,
    situation: Situation | None = None,
    context: Context | Iterable[str] = (),
) -> Request:
    """Return the request for a first plan, without opening a robot.

    Args:
        site: The site.
        command: The command as typed.
        situation: The observed situation; empty by default.
        context: The session so far, or its commands, oldest first.
    """
    return Request(
        command,
        language_of(command),
        site.catalogue,
        site.library,
        site.messages,
        situation or Situation(),
        settings=site.packs,
        context=context if isinstance(context, Context) else Context.of(context),
    )


@dataclass(frozen=True)
class Compiled:
    """Result of compiling a command: exactly one of a plan, a refusal and a reply.

    Attributes:
        plan: The plan as it would run: subtrees expanded, passes applied, verified.
        refusal: Why the command was refused.
        written: The plan as the compiler wrote it, with subtrees by name. It may accompany a plan
            or a refusal.
        reply: Reply to a text that needs no plan, such as a question about past missions.
    """

    plan: MissionSpec | None = None
    refusal: Refusal | None = None
    written: MissionSpec | None = None
    reply: Reply | None = None

    @property
    def ok(self) -> bool:
        """Whether there is a plan."""
        return self.plan is not None


def compile_command(
    site: Site,
    command: str,
    *,
    situation: Situation | None = None,
    compiler: str | Compiler | None = None,
    context: Context | Iterable[str] = (),
) -> Compiled:
    """Compile and verify a command without opening a robot.

    Args:
        site: The site.
        command: The command as typed.
        situation: The observed situation; empty by default.
        compiler: A compiler or its name; by default the site's compiler.
        context: The session so far, or its commands, oldest first.
    """
    request = first_request(site, command, situation, context)
    if compiler is None or isinstance(compiler, str):
        compiler = make_compiler(site, compiler)
    answer = compiler.compile(request)
    if isinstance(answer, Refusal):
        return Compiled(refusal=answer)
    if isinstance(answer, Reply):
        return Compiled(reply=answer)
    written = with_converted_tree_arguments(answer.spec, request)
    try:
        return Compiled(prepare_answer(answer, request).spec, written=written)
    except SpecError as error:
        return Compiled(refusal=verification_refusal(error, request), written=written)
