"""Plan of a command, for review before its execution."""

from __future__ import annotations

from typing import Any

from bt_exec.language.messages import language_of
from bt_exec.observation import Situation
from bt_exec.planning.compiler import Request, Suggesting
from bt_exec.serve.stages import plan_data
from bt_exec.site.compile_command import compile_command, make_compiler
from bt_exec.site.site import Site
from bt_exec.spec.dump import dump_yaml

__all__ = ["compiled", "suggested"]

_MOST_SUGGESTED = 8


def compiled(
    site: Site, command: str, compiler: str | None, situation: Situation
) -> dict[str, Any]:
    """Return the plan for a command in the last observed situation, or why there is none."""
    found = compile_command(site, command, compiler=compiler, situation=situation)
    refusal, reply = found.refusal, found.reply
    return {
        "ok": found.ok,
        "plan": None if found.plan is None else dump_yaml(found.plan),
        "written": None if found.written is None else dump_yaml(found.written),
        **({} if found.plan is None else plan_data(found.plan)),
        "refusal": None
        if refusal is None
        else {
            "code": refusal.code,
            "message": refusal.message,
            "nearest": list(refusal.nearest),
            "did_you_mean": list(refusal.did_you_mean),
            "missing": list(refusal.missing),
            "question": refusal.question,
            "problems": list(refusal.problems),
        },
        **({} if reply is None else {"reply": {"code": reply.code, "message": reply.message}}),
    }


def suggested(
    site: Site, compiler: str | None, situation: Situation, language: str
) -> tuple[str, ...]:
    """Return commands that would be understood in the last observed situation.

    They come from the compiler if it knows any, or else from the utterances of the site's trees.
    """
    chosen = make_compiler(site, compiler)
    if isinstance(chosen, Suggesting):
        request = Request("", language, site.catalogue, site.library, site.messages, situation)
        return chosen.suggestions(request)[:_MOST_SUGGESTED]
    own = (
        next((text for text in tree.utterances if language_of(text) == language), "")
        for tree in site.library
    )
    return tuple(filter(None, own))[:_MOST_SUGGESTED]
