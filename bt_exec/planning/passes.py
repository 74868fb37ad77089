"""Passes and checkers of packs: a pass changes a plan, a checker finds problems in it.

Both hold for every plan, whoever wrote it; `bt_exec.planning.plan` runs them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from bt_exec.failure import Problem
from bt_exec.language.meaning import Meaning
from bt_exec.observation import Situation
from bt_exec.spec.model import MissionSpec

__all__ = ["Checker", "Pass", "PassContext"]


@dataclass(frozen=True)
class PassContext:
    """Input of a pass or a checker.

    Attributes:
        situation: What is known when the plan is asked for.
        settings: The pack's settings of the site, its own `bt_exec.rig.PackSettings`.
        command: What the person typed.
        meant: The plan of the offline compiler for the same command, expanded; None if it has
            none. Only checkers get it.
        stated: What a model said beside its plan, as plain data. Only checkers get it.
        meaning: The acts that the command asks for, where the compiler read it for certain.
    """

    situation: Situation
    settings: Any
    command: str = ""
    meant: MissionSpec | None = None
    stated: Mapping[str, Any] = field(default_factory=dict)
    meaning: Meaning | None = None


class Pass(NamedTuple):
    """A transformation of a spec after the front end: pure, named, idempotent.

    Attributes:
        name: What the plan's notes call it.
        apply: Takes the spec (subtrees expanded) and the context; returns the new spec and what
            it changed, one short sentence per change, none if nothing.
    """

    name: str
    apply: Callable[[MissionSpec, PassContext], tuple[MissionSpec, tuple[str, ...]]]


Checker: TypeAlias = Callable[[MissionSpec, PassContext], Iterable[Problem]]
"""What a pack demands of a plan for a command: returns what is wrong with the spec, subtrees
expanded, before passes. It must bear names that nothing answers to: other layers report those."""
