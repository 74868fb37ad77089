"""What a command means without a model, and what a plan achieves: to compare the two.

The offline compiler understands many commands for certain. Where it does, a model's plan must
reach the same end; where it does not, this file has nothing to say.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from bt_exec.compiler import Plan, Request
from bt_exec.failure import BtExecError, Refusal
from bt_exec.messages import Messages
from bt_exec.pack import Catalogue
from bt_exec.spec.expand import expand
from bt_exec.spec.expression import leaves
from bt_exec.spec.model import Check, Do, MissionSpec, NodeBase, walk
from bt_exec.verify.templates import fill
from bt_exec_llm.offline import OfflineCompiler

__all__ = ["Ends", "effects_of", "ends_of", "meaning_of"]

_NEVER = ("EMPTY", "TOO_LONG", "BAD_CHARACTERS", "NEGATED")


def meaning_of(request: Request, offline: OfflineCompiler) -> MissionSpec | Refusal | None:
    """Return a plan for the command, expanded; None if nobody understands it without a model.

    A refusal is final: what says nothing, cannot be read, or forbids something is not sent to a
    model that might do it.
    """
    answer = offline.compile(replace(request, previous=None, failure=None, done=(), tried=()))
    if isinstance(answer, Plan):
        try:
            return expand(answer.spec, request.library)
        except BtExecError:
            return None
    return answer if answer.code in _NEVER else None


@dataclass(frozen=True)
class Ends:
    """What a plan leaves behind.

    Attributes:
        facts: Its last word on each fact that people are told of, by the fact's template:
            ``{"door": "closed", "hand.{arm}": "material"}``.
        questions: Conditions whose answers it tells.
        moves: Whether it runs any skill.
    """

    facts: dict[str, str]
    questions: frozenset[str]
    moves: bool


def ends_of(root: NodeBase, catalogue: Catalogue, messages: Messages) -> Ends:
    """Return what the plan under `root` leaves behind if everything succeeds."""
    facts: dict[str, str] = {}
    questions: set[str] = set()
    moves = False
    for node in walk(root):
        if isinstance(node, Check) and node.tell:
            questions.update(leaf.name for leaf in leaves(node.check))
        if isinstance(node, Do):
            moves = True
            for template, fact, value in effects_of(node, catalogue):
                if f"{fact}={value}" in messages:
                    facts[template] = value
                elif template in facts:
                    del facts[template]  # what people were to be told of is undone
    return Ends(facts, frozenset(questions), moves)


def effects_of(node: Do, catalogue: Catalogue) -> Iterator[tuple[str, str, str]]:
    """Yield template, fact and value of each effect, as far as arguments are known."""
    skill = catalogue.skills.get(node.do)
    if skill is None:
        return
    args = _complete(skill, node.args)
    for key, value in skill.effects.items():
        try:
            yield key, fill(key, args), fill(value, args)
        except (KeyError, IndexError):
            continue  # an argument is missing; another layer says so


def _complete(skill: Any, args: Any) -> dict[str, Any]:
    try:
        return dict(skill.validate(args))
    except ValueError:
        return dict(args)
