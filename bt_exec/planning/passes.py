"""Passes and checkers of packs: a pass changes a plan, a checker finds problems in it.

Both apply to the plans of all compilers; `bt_exec.planning.plan` runs them.
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
        situation: The observed situation at the time of the request.
        settings: The pack's settings of the site, an instance of its `bt_exec.rig.PackSettings`.
        command: The command as typed.
        meant: The plan of the offline compiler for the same command, expanded; None if there is
            none. For checkers only.
        stated: Further statements of a model with its plan, as plain data. For checkers only.
        meaning: Requested acts, if the command was parsed unambiguously.
    """

    situation: Situation
    settings: Any
    command: str = ""
    meant: MissionSpec | None = None
    stated: Mapping[str, Any] = field(default_factory=dict)
    meaning: Meaning | None = None


class Pass(NamedTuple):
    """A transformation of a spec after compiling: pure, named, idempotent.

    Attributes:
        name: Its name in the plan's notes.
        apply: Takes the spec (subtrees expanded) and the context. Returns the new spec and a short
            sentence for each change.
    """

    name: str
    apply: Callable[[MissionSpec, PassContext], tuple[MissionSpec, tuple[str, ...]]]


Checker: TypeAlias = Callable[[MissionSpec, PassContext], Iterable[Problem]]
"""A function that returns the problems of a plan for a command.

It receives the spec with subtrees expanded, before the passes. It must tolerate unknown names,
which other layers report.
"""
