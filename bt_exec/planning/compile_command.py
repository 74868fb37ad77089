"""A command compiled for a site, without its robots."""

from __future__ import annotations

from bt_exec.failure import Refusal
from bt_exec.language.messages import language_of
from bt_exec.observation import Situation
from bt_exec.planning.compiler import Compiler, Plan, Request, find_compiler
from bt_exec.planning.plan import prepare
from bt_exec.site.site import Site
from bt_exec.spec.model import MissionSpec

__all__ = ["compile_command", "make_compiler", "request_of"]


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


def compile_command(
    site: Site, command: str, *, situation: Situation | None = None, compiler: str | None = None
) -> tuple[MissionSpec, MissionSpec] | Refusal:
    """Compile without a robot: return the plan as written and as it would run, or a refusal.

    Raises:
        SpecError: If the plan does not pass verification.
    """
    request = request_of(site, command, situation)
    answer = make_compiler(site, compiler).compile(request)
    if isinstance(answer, Plan):
        return answer.spec, prepare(answer.spec, request, answer.meaning)
    return answer
