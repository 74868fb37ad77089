"""A command compiled for a site, without its robots."""

from __future__ import annotations

from dataclasses import dataclass

from bt_exec.failure import Refusal, SpecError
from bt_exec.language.messages import language_of
from bt_exec.observation import Situation
from bt_exec.planning.compiler import Compiler, Request, find_compiler
from bt_exec.planning.plan import prepare, rejection, with_typed_words
from bt_exec.site.site import Site
from bt_exec.spec.model import MissionSpec

__all__ = ["Compiled", "compile_command", "make_compiler", "request_of"]


def make_compiler(site: Site, name: str | None = None) -> Compiler:
    """Return the site's compiler, or the one called `name` with no settings but its defaults.

    ``replay:FILE`` is the compiler ``replay`` with the one setting ``file``.
    """
    if name is None or name == site.compiler.name:
        return find_compiler(site.compiler.name, site.compiler.settings())
    name, colon, file = name.partition(":")
    return find_compiler(name, {"file": file} if colon else {})


def request_of(site: Site, command: str, situation: Situation | None = None) -> Request:
    """Return the request of a first plan, without a robot."""
    return Request(
        command,
        language_of(command),
        site.catalogue,
        site.library,
        site.messages,
        situation or Situation(),
        settings=site.packs,
    )


@dataclass(frozen=True)
class Compiled:
    """What became of a command: a plan or a refusal, never both.

    Attributes:
        plan: The plan as it would run: subtrees open, passes applied, verified; None if refused.
        refusal: Why there is no plan; None if there is one.
        written: The plan as the compiler wrote it, subtrees by name; None if it wrote none.
    """

    plan: MissionSpec | None = None
    refusal: Refusal | None = None
    written: MissionSpec | None = None

    @property
    def ok(self) -> bool:
        """Whether there is a plan."""
        return self.plan is not None


def compile_command(
    site: Site, command: str, *, situation: Situation | None = None, compiler: str | None = None
) -> Compiled:
    """Compile without a robot; a plan that does not pass verification is a refusal, too."""
    request = request_of(site, command, situation)
    answer = make_compiler(site, compiler).compile(request)
    if isinstance(answer, Refusal):
        return Compiled(refusal=answer)
    written = with_typed_words(answer.spec, request)
    try:
        return Compiled(prepare(written, request), written=written)
    except SpecError as error:
        return Compiled(refusal=rejection(error, request), written=written)
