"""Faults that language models really make, by name; checked beside the layers of verification.

=========================  =====================================================================
code                       the answer …
=========================  =====================================================================
NO_PLAN                    holds no plan at all: prose, code, a number
EMPTY_PLAN                 is a plan in which nothing is done
NEXT_ACTION_NOT_IN_LIST    names a next action that is not among what remains
ENDLESS_LOOP               repeats without end, or all but
UNKNOWN_LABEL              acts on a thing that no skill can act on
STATE_CONTRADICTS_SEEN     builds on a fact that is not what is seen
STATE_CONTRADICTS_PLAN     states a fact, then does what that fact makes senseless
ALREADY_DONE               does again what is done, without ``skip_if``
PLAN_FOR_ANOTHER_COMMAND   ends otherwise than the command asks, or leaves a part of it out
=========================  =====================================================================

Names that nothing answers to (``UNKNOWN_SKILL`` …) are found by `bt_exec.verify`, faults of a
domain by the rules of its pack.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from bt_exec.compiler import Request
from bt_exec.failure import Problem
from bt_exec.spec.model import KINDS, Check, Do, MissionSpec, NodeBase, Sequence, Tree, walk
from bt_exec.spec.paths import place_of_children
from bt_exec.spec.source import Place, show_place
from bt_exec.verify.dry_run import established, fill
from bt_exec_llm.planning.intent import effects_of, ends_of

__all__ = ["already_done", "another_command", "claims", "empty", "endless", "named"]

MOST_RUNS = 100
"""A node that may run more often than this is a loop that nobody meant."""
_FOREVER = ("forever", "infinite", "infinity", "inf", "until_success", "always", "true")
_LOOPS = ("loop", "while_true", "forever", "repeat_until", "retry_until_successful", "keep_running")


def empty(root: Any) -> Iterator[Problem]:
    """Find a plan in which nothing is done."""
    nodes = [node for _, node in _nodes(root)]
    if nodes and all(_hollow(node) for node in nodes):
        message = "nothing is done in this plan; where nothing may be needed, use skip_if"
        yield Problem("EMPTY_PLAN", message, "root", found="no do, check or tree")


def _hollow(node: dict[str, Any]) -> bool:
    """Whether a node does nothing itself and, but for nodes, holds nothing that could."""
    children = [node[kind] for kind in ("sequence", "fallback", "parallel") if kind in node]
    listed = children[0] if len(children) == 1 and isinstance(children[0], list) else None
    return listed is not None and all(isinstance(child, dict) for child in listed)


def endless(root: Any) -> Iterator[Problem]:
    """Find loops without end in a plan as it was written."""
    for place, node in _nodes(root):
        runs = 1
        for key in ("repeat", "retry"):
            value = node.get(key)
            word = str(value).lower()
            number = value if isinstance(value, int) and not isinstance(value, bool) else None
            if word in _FOREVER or (number is not None and number <= 0):
                yield _endless(f"{place}/{key}", f"{key}: {value}")
            elif number is not None:
                runs *= number
        if runs > MOST_RUNS:
            yield _endless(place, f"{runs} runs")
        if not any(kind in node for kind in KINDS):
            loop = next((key for key in node if str(key).lower() in _LOOPS), None)
            if loop is not None:
                yield _endless(place, str(loop))


def _endless(place: str, found: str) -> Problem:
    message = f"a plan ends by itself: repeat and retry are counts, {MOST_RUNS} runs at most"
    return Problem("ENDLESS_LOOP", message, place, found)


def _nodes(value: Any, place: str = "root", depth: int = 0) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every mapping that stands where a node may stand, with its place."""
    if not isinstance(value, dict) or depth > 60:
        return
    yield place, value
    for kind in ("sequence", "fallback", "parallel"):
        children = value.get(kind)
        for index, child in enumerate(children if isinstance(children, list) else []):
            yield from _nodes(child, f"{place}/{kind}[{index}]", depth + 1)


def named(problems: tuple[Problem, ...], spec: MissionSpec, request: Request) -> list[Problem]:
    """Return the problems of verification; a wrong label is called by its name."""
    labels = {
        f"{show_place(place)}/with/{name}"
        for place, node in _placed(spec.root, ("root",))
        if isinstance(node, Do) and node.do in request.catalogue.skills
        for name in request.catalogue.skills[node.do].labels()
    }
    return [
        Problem("UNKNOWN_LABEL", p.message, p.place, p.found, p.allowed)
        if p.code == "WRONG_TYPE" and p.place in labels
        else p
        for p in problems
    ]


def claims(
    assumes: Mapping[str, str], part: NodeBase, place: Place, request: Request
) -> Iterator[Problem]:
    """Compare the facts that an answer builds on with what is seen, and with its own plan."""
    for fact, value in assumes.items():
        known = request.seen.facts.get(fact)
        if known is not None and known != value:
            message = f"{fact} is {known}; plan for what is seen"
            yield Problem(
                "STATE_CONTRADICTS_SEEN", message, f"assumes/{fact}", f"{fact}={value}", (known,)
            )
    for where, node, facts in _Walk(request, dict(assumes)).node(part, place):
        done = _done_already(node, facts, request)
        if done and set(done.split(", ")) <= {f"{fact}={value}" for fact, value in assumes.items()}:
            message = f"the plan builds on {done}, so {node.do} makes no sense here"
            yield Problem("STATE_CONTRADICTS_PLAN", message, show_place(where), done)
        skill = request.catalogue.skills.get(node.do)
        for key, value in (skill.needs if skill is not None else {}).items():
            fact, wanted = _filled(key, node.args), _filled(value, node.args).split("|")
            if fact in assumes and facts.get(fact) == assumes[fact] and facts[fact] not in wanted:
                found = f"{fact}={facts[fact]}"
                message = f"the plan builds on {found}, but {node.do} needs {' or '.join(wanted)}"
                yield Problem("STATE_CONTRADICTS_PLAN", message, show_place(where), found)


def already_done(part: NodeBase, place: Place, request: Request) -> Iterator[Problem]:
    """Find steps, written by the model itself, that do what is known to be done."""
    for where, node, facts in _Walk(request, dict(request.seen.facts)).node(part, place):
        done = _done_already(node, facts, request)
        if done:
            message = f"{done} holds already when {node.do} starts; leave it out or add skip_if"
            yield Problem("ALREADY_DONE", message, show_place(where), done)


def another_command(
    spec: MissionSpec, meant: MissionSpec | None, request: Request
) -> Iterator[Problem]:
    """Compare what a plan leaves behind with what the command asks for."""
    if meant is None:
        return
    wanted = ends_of(meant.root, request.catalogue, request.messages)
    found = ends_of(spec.root, request.catalogue, request.messages)
    for fact, value in wanted.facts.items():
        if found.facts.get(fact) != value:
            message = f"the command asks for {fact}={value}, the plan ends with something else"
            there = f"{fact}={found.facts[fact]}" if fact in found.facts else f"nothing on {fact}"
            yield _another(message, there, f"{fact}={value}")
    if wanted.questions - found.questions:
        asked = ", ".join(sorted(wanted.questions))
        message = "the command asks a question; answer it with a check that has tell: true"
        yield _another(message, "no such check", asked)
    for fact, value in found.facts.items():
        if fact not in wanted.facts:
            message = f"the command does not ask for {fact}={value}; do what it asks and no more"
            yield _another(message, f"{fact}={value}", "")
    if found.moves and not wanted.moves:
        yield _another("the command asks for an answer; nothing may be moved for it", "do", "check")


def _another(message: str, found: str, allowed: str) -> Problem:
    names = (allowed,) if allowed else ()
    return Problem("PLAN_FOR_ANOTHER_COMMAND", message, "root", found, names)


class _Walk:
    """Goes through the skills that run for sure and that the model wrote itself, in order; `facts`
    goes along with what is done.
    """

    def __init__(self, request: Request, facts: dict[str, str]) -> None:
        self.request = request
        self.facts = facts

    def node(self, node: NodeBase, place: Place) -> Iterator[tuple[Place, Do, dict[str, str]]]:
        catalogue = self.request.catalogue
        sure = node.skip_if is None and node.guard is None
        match node:
            case Do():
                if sure:
                    yield place, node, self.facts
                self.facts.update({fact: v for _, fact, v in effects_of(node, catalogue)})
            case Check() if not node.tell:
                self.facts.update(established(node.check, catalogue))
            case Sequence() if sure:
                for child, where in place_of_children(node, place):
                    yield from self.node(child, where)
            case Tree() if node.body is not None:
                self._skim(node.body, effects=True)
            case _:
                self._skim(node, effects=False)

    def _skim(self, node: NodeBase, *, effects: bool) -> None:
        """Take note of what runs under `node`: its effects, or that nobody knows any more."""
        for inner in walk(node):
            if isinstance(inner, Do):
                for _, fact, value in effects_of(inner, self.request.catalogue):
                    if effects:
                        self.facts[fact] = value
                    else:
                        self.facts.pop(fact, None)


def _done_already(node: Do, facts: Mapping[str, str], request: Request) -> str:
    """Return what makes a step needless: what people would be told of its effects holds now."""
    told = [
        (fact, value)
        for _, fact, value in effects_of(node, request.catalogue)
        if f"{fact}={value}" in request.messages
    ]
    if told and all(facts.get(fact) == value for fact, value in told):
        return ", ".join(f"{fact}={value}" for fact, value in told)
    return ""


def _filled(template: str, args: Mapping[str, Any]) -> str:
    try:
        return fill(template, args)
    except (KeyError, IndexError):
        return template


def _placed(node: NodeBase, place: Place) -> Iterator[tuple[Place, NodeBase]]:
    yield place, node
    for child, where in place_of_children(node, place):
        yield from _placed(child, where)
