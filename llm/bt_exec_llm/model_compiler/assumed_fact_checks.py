"""Checks of the facts that an answer assumes, and of steps whose effects already hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from bt_exec.failure import Problem
from bt_exec.planning.compiler import Request
from bt_exec.spec.model import Check, Do, NodeBase, Sequence, Tree, walk
from bt_exec.spec.node_paths import Located
from bt_exec.spec.yaml_source import Place, show_place
from bt_exec.verify.effects_on_facts import established_facts, fill_arguments
from bt_exec_llm.model_compiler.plan_effects import effects_of_step

__all__ = ["needless_step_problems", "wrong_assumption_problems"]


def wrong_assumption_problems(
    assumes: Mapping[str, str], part: Located[NodeBase], request: Request
) -> Iterator[Problem]:
    """Yield a problem for each assumed fact that is unknown or contradicts observation or plan."""
    for fact, value in assumes.items():
        known = request.situation.facts.get(fact)
        if known is None:
            message = f"{fact} is not known; leave it out, or check it in the plan"
            seen = tuple(request.situation.facts)
            found = f"{fact}={value}"[:60]
            yield Problem("ASSUMED_UNSEEN", message, f"assumes/{fact[:60]}", found, seen)
        if known is not None and known != value:
            message = f"{fact} is {known}; plan for what is seen"
            yield Problem(
                "STATE_CONTRADICTS_SEEN", message, f"assumes/{fact}", f"{fact}={value}", (known,)
            )
    for where, node, facts in _Walk(request, dict(assumes)).walk_in_order(part):
        done = _effects_already_hold(node, facts, request)
        if done and set(done.split(", ")) <= {f"{fact}={value}" for fact, value in assumes.items()}:
            message = f"the plan builds on {done}, so {node.do} has no use here"
            yield Problem("STATE_CONTRADICTS_PLAN", message, show_place(where), done)
        skill = request.catalogue.skills.get(node.do)
        for key, value in (skill.needs if skill is not None else {}).items():
            fact, wanted = _filled(key, node.args), _filled(value, node.args).split("|")
            if fact in assumes and facts.get(fact) == assumes[fact] and facts[fact] not in wanted:
                found = f"{fact}={facts[fact]}"
                message = f"the plan builds on {found}, but {node.do} needs {' or '.join(wanted)}"
                yield Problem("STATE_CONTRADICTS_PLAN", message, show_place(where), found)


def needless_step_problems(part: Located[NodeBase], request: Request) -> Iterator[Problem]:
    """Yield a problem for each step in `part` whose effects already hold when it starts."""
    for where, node, facts in _Walk(request, dict(request.situation.facts)).walk_in_order(part):
        done = _effects_already_hold(node, facts, request)
        if done:
            message = f"{done} holds already when {node.do} starts; leave it out or add skip_if"
            yield Problem("ALREADY_DONE", message, show_place(where), done)


class _Walk:
    """Traversal of a plan in order, which updates `facts` with the effects of its skills.

    It yields only skills that the model wrote itself (not those in trees) and that always run.
    """

    def __init__(self, request: Request, facts: dict[str, str]) -> None:
        self.request = request
        self.facts = facts

    def walk_in_order(self, step: Located[NodeBase]) -> Iterator[tuple[Place, Do, dict[str, str]]]:
        catalogue, node = self.request.catalogue, step.node
        sure = node.skip_if is None and node.guard is None
        match node:
            case Do():
                if sure:
                    yield step.place, node, self.facts
                self.facts.update({fact: v for _, fact, v in effects_of_step(node, catalogue)})
            case Check() if not node.tell:
                self.facts.update(established_facts(node.check, catalogue))
            case Sequence() if sure:
                for child in step.children:
                    yield from self.walk_in_order(child)
            case Tree() if node.body is not None:
                self._apply_all(node.body, effects=True)
            case _:
                self._apply_all(node, effects=False)

    def _apply_all(self, node: NodeBase, *, effects: bool) -> None:
        """Apply the effects of the skills under `node`, or mark their facts as unknown."""
        for inner in walk(node, Do):
            for _, fact, value in effects_of_step(inner, self.request.catalogue):
                if effects:
                    self.facts[fact] = value
                else:
                    self.facts.pop(fact, None)


def _effects_already_hold(node: Do, facts: Mapping[str, str], request: Request) -> str:
    """Return the effects of a step that already hold, as text.

    Only effects with a message are considered. The text is empty unless all of them hold.
    """
    effects = [
        (fact, value)
        for _, fact, value in effects_of_step(node, request.catalogue)
        if f"{fact}={value}" in request.messages
    ]
    if effects and all(facts.get(fact) == value for fact, value in effects):
        return ", ".join(f"{fact}={value}" for fact, value in effects)
    return ""


def _filled(template: str, args: Mapping[str, Any]) -> str:
    try:
        return fill_arguments(template, args)
    except (KeyError, IndexError):
        return template
