"""Compilation of a command for a site, without its robots."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from bt_exec.failure import Refusal, SpecError
from bt_exec.language.meaning import Context
from bt_exec.language.messages import language_of
from bt_exec.observation import Situation
from bt_exec.planning.compiler import Compiler, Prompting, Reply, Request, find_compiler
from bt_exec.planning.multi_pack import make_packs_compiler
from bt_exec.planning.multi_robot import RobotsCompiler
from bt_exec.planning.plan_preparation import (
    prepare_answer,
    verification_refusal,
    with_words_as_numbers,
)
from bt_exec.planning.spelling_offers import Respelling, SpellingOffers
from bt_exec.site.site import Site
from bt_exec.spec.model import MissionSpec

__all__ = ["Compiled", "compile_command", "compiler_of_site", "first_request", "make_compiler"]


def make_compiler(site: Site, name: str | None = None) -> Compiler:
    """Return the site's compiler, or the one called `name` with default settings.

    ``replay:FILE`` means the compiler ``replay`` with the setting ``file``.
    """
    if name is None or name == site.compiler.name:
        found = find_compiler(site.compiler.name, site.compiler.settings())
    else:
        name, colon, file = name.partition(":")
        found = find_compiler(name, {"file": file} if colon else {})
    return compiler_of_site(found, site)


def compiler_of_site(compiler: Compiler, site: Site) -> Compiler:
    """Return a compiler for all packs and robots of a site that offers corrections.

    A model reads all words itself and remains as it is.
    """
    if isinstance(compiler, Prompting):
        return compiler
    if site.compiler.of and compiler.name == site.compiler.name:
        compiler = make_packs_compiler(compiler.name, compiler, site.compiler.of, site.packs)
    if isinstance(compiler, Respelling):
        compiler = SpellingOffers(compiler)
    return RobotsCompiler(compiler) if site.catalogue.robots_sharing_pack else compiler


def first_request(
    site: Site,
    command: str,
    situation: Situation | None = None,
    context: Context | Iterable[str] = (),
) -> Request:
    """Return the request of a first plan, without a robot.

    Args:
        site: The site.
        command: The command as typed.
        situation: The observed situation; empty by default.
        context: The history of the session, or its commands, oldest first.
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
    """Result of a command: exactly one of a plan, a refusal or a reply.

    Attributes:
        plan: The plan as it would run: subtrees expanded, passes applied, verified; None if
            refused.
        refusal: Why there is no plan; None if there is one.
        written: The plan as the compiler wrote it, with subtrees by name; None if there is none.
        reply: The reply to a text that needs no plan: thanks, a question about the past.
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
    """Compile a command without a robot; a plan that fails verification gives a refusal."""
    request = first_request(site, command, situation, context)
    if compiler is None or isinstance(compiler, str):
        compiler = make_compiler(site, compiler)
    answer = compiler.compile(request)
    if isinstance(answer, Refusal):
        return Compiled(refusal=answer)
    if isinstance(answer, Reply):
        return Compiled(reply=answer)
    written = with_words_as_numbers(answer.spec, request)
    try:
        return Compiled(prepare_answer(answer, request).spec, written=written)
    except SpecError as error:
        return Compiled(refusal=verification_refusal(error, request), written=written)
