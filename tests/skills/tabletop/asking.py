"""Plans of the table's compiler without a mission."""

from dataclasses import replace

from bt_exec.language.meaning import Context, Turn
from bt_exec.language.messages import language_of
from bt_exec.observation import Situation
from bt_exec.planning.compiler import Request
from bt_exec.site.site import load_site
from bt_exec_skills.tabletop.perception.observation_and_pipeline import TableObservation

__all__ = ["ask"]


def ask(compiler, command, now, turns=(), facts=None):
    """Return the answer of a compiler to a command in a world, after some turns.

    `facts` are facts of the robot, such as ``{"hand": "object_apple_0"}``.
    """
    site = load_site("tabletop")
    seen = TableObservation(0.0, now)
    situation = replace(Situation(), labels=seen.labels(), facts={**seen.facts(), **(facts or {})})
    context = Context(tuple(Turn(*turn) for turn in turns))
    language = language_of(command)
    return compiler.compile(
        Request(
            command,
            language,
            site.catalogue,
            site.library,
            site.messages,
            situation,
            context=context,
        )
    )
