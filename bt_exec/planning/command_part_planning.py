"""Splitting of a command into parts for several compilers, and planning of the parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import groupby
from typing import Any, NamedTuple, Protocol

from bt_exec.failure import Refusal
from bt_exec.language.meaning import Context
from bt_exec.language.reading.meaning_node import Node
from bt_exec.language.reading.reader import Reading, may_deny_more
from bt_exec.language.reading.reference_resolution import with_named_conditions
from bt_exec.planning.compiler import Compiler, Plan, Request
from bt_exec.planning.multi_robot import joined_plan
from bt_exec.spec.model import Fallback, Sequence
from bt_exec.spec.model import Node as PlanNode

__all__ = ["CommandPart", "CommandPlanner", "PartCompiler", "RefusedError", "names_in", "refusal"]

_SECTIONS = ("things", "attributes", "aspects", "verbs")
_NAMES: Mapping[str, tuple[tuple[str, str], ...]] = {
    "thing": (("things", "name"),),
    "has": (("attributes", "attribute"),),
    "most": (("attributes", "attribute"),),
    "than": (("attributes", "attribute"),),
    "own": (("aspects", "aspect"),),
    "aspect": (("aspects", "name"),),
    "alike": (("aspects", "aspect"),),
    "act": (("verbs", "verb"), ("aspects", "by")),
}
"""Arguments of a meaning that name lexicon entries: section and argument, by kind of node.

Relations are left out, because all packs share them.
"""


_PRONOUNS = ("it", "them")
"""Pronouns for the subject of a condition."""


_LEAVE_ALONE_VERB = ("verbs", "leave")
"""Lexicon entry of the verb in "leave the door alone"."""


class CommandPart(NamedTuple):
    """Part of a command for one compiler.

    Attributes:
        reading: Reading of the whole command.
        meaning: Meaning of the part.
        before: Meanings of earlier parts of the command for the same compiler.
    """

    reading: Reading
    meaning: Node
    before: tuple[Node, ...] = ()


class PartCompiler(Compiler, Protocol):
    """A compiler that can plan a part of a command from its meaning.

    Attributes:
        asks_back: Codes of refusals with which the compiler asks about a command whose words it
            knows.
    """

    asks_back: frozenset[str]

    def words(self, request: Request) -> Mapping[str, Any]:
        """Return the compiler's lexicon; every call returns the same object."""

    def object_words(self, request: Request) -> Mapping[str, str]:
        """Return the words for the observed objects, each with its name in the lexicon."""

    def plan_part(self, request: Request, part: CommandPart) -> Plan | Refusal:
        """Return the plan of a part.

        The context of the request is empty if the part must not refer to earlier commands.
        """

    def plan_condition(
        self, request: Request, part: CommandPart
    ) -> bool | tuple[tuple[PlanNode, ...], Any] | Refusal:
        """Return the answer to a yes/no question, or the steps and condition that determine it.

        A known answer is returned as a boolean. Otherwise the result contains the steps that
        observe the objects of the question, and the condition to evaluate after them.
        """


class RefusedError(Exception):
    """Raised for a meaning that cannot be planned.

    Attributes:
        refusal: The reason.
        owner: Name of the compiler if one compiler covers the whole meaning; otherwise empty.
        owned: Whether each part of the meaning is covered by exactly one compiler.
    """

    def __init__(self, refusal: Refusal, *, owner: str = "", owned: bool = True) -> None:
        super().__init__(refusal.message)
        self.refusal, self.owner, self.owned = refusal, owner, owned


class CommandPlanner:
    """Planner of the possible meanings of a command.

    Args:
        compilers: The compilers by name.
        request: The request with the command.
        reading: Reading of the command.
        context_of: Returns the earlier commands to which a part may refer, by name of its compiler.
    """

    def __init__(
        self,
        compilers: Mapping[str, PartCompiler],
        request: Request,
        reading: Reading,
        context_of: Callable[[str], Context],
    ) -> None:
        self._compilers, self._request, self._reading = compilers, request, reading
        self._context_of = context_of
        self._plans: list[Plan] = []
        self._acts: tuple[Node, ...] = ()
        self._known = {
            name: {
                *((part, word) for part in _SECTIONS for word in one.words(request).get(part, ())),
                *(("things", named) for named in one.object_words(request).values()),
            }
            for name, one in compilers.items()
        }  # fmt: skip
        self._everyone = frozenset().union(*self._known.values())

    def plan(self, meaning: Node) -> Plan:
        """Return the plan of a meaning.

        Raises:
            RefusedError: If a part of it cannot be planned.
        """
        self._plans = []
        meaning = with_named_conditions(meaning)
        owner = self._compiler_of_names(meaning)
        if owner:  # `plan` is called only after each compiler alone has refused the command
            raise RefusedError(self._refusal("PARTS_UNCLEAR"), owner=owner)
        self._acts = tuple(_requested_acts(meaning))
        nodes = self._nodes(meaning, {}, first=True)
        if not nodes:  # the command contains only prohibitions
            owner = self._compiler_of_names(_parts(meaning)[0])
            raise RefusedError(self._refusal("PARTS_UNCLEAR"), owner=owner)
        root = nodes[0] if len(nodes) == 1 else Sequence(sequence=tuple(nodes))
        return joined_plan(self._request, self._plans, root)

    def _refusal(self, code: str, **facts: str) -> Refusal:
        return refusal(self._request, code, **facts)

    def _compiler_of_names(self, meaning: Node) -> str:
        """Return the only compiler whose lexicon contains all names in a meaning; empty if none."""
        about = meaning.node("of") if meaning.kind == "act" and _is_question(meaning) else meaning
        named = self._everyone.intersection(names_in(about))
        if meaning.kind == "avoid":  # "leave … alone" applies to objects of every pack
            named = named - {_LEAVE_ALONE_VERB} or named
        fit = [name for name, own in self._known.items() if named and named <= own]
        return fit[0] if len(fit) == 1 else ""

    def _nodes(
        self, meaning: Node, before: dict[str, tuple[Node, ...]], *, first: bool
    ) -> list[PlanNode]:
        """Return the plan nodes of a meaning, and add its parts to `before`."""
        parts, end = _parts(meaning), 0
        nodes: list[PlanNode] = []
        for (owner, asks), group in groupby(
            parts, lambda part: (self._compiler_of_names(part), _is_question(part))
        ):
            run = tuple(group)
            end += len(run)
            if asks:
                nodes += [self._answer_node(owner, part) for part in run]
            elif owner:
                self._check_prohibitions(owner, run, parts[end : end + 1])
                if any(part.kind != "avoid" for part in run):
                    nodes.append(self._plan_part(owner, run, before, first=first))
            else:
                for part in run:
                    nodes += self._conditional_nodes(part, before)
            first = False
        return nodes

    def _check_prohibitions(
        self, owner: str, run: tuple[Node, ...], following: tuple[Node, ...]
    ) -> None:
        """Raise RefusedError if another part of the command may contradict a prohibition.

        Otherwise a prohibition adds no step: the plan does not contain the prohibited action.
        """
        avoided = [part for part in run if part.kind == "avoid"]
        if not avoided:
            return
        others = [
            act for act in self._acts if act not in run and self._compiler_of_names(act) == owner
        ]
        if others or (run[-1] is avoided[-1] and following and may_deny_more(self._reading)):
            raise RefusedError(self._refusal("PART_FORBIDS", part=self._words_of(avoided[-1])))

    def _answer_node(self, owner: str, question: Node) -> PlanNode:
        """Return the plan node that answers a question."""
        said = self._words_of(question)
        if not owner:
            raise RefusedError(self._refusal("PART_ASKS", part=said), owned=False)
        request = replace(self._request, command=said, context=Context())
        answer = self._compilers[owner].compile(request)
        if isinstance(answer, Refusal):
            raise RefusedError(self._refusal_of_part(answer, question))
        if not isinstance(answer, Plan):
            raise RefusedError(self._refusal("PART_ASKS", part=said))
        self._plans.append(answer)
        return answer.spec.root

    def _plan_part(
        self,
        owner: str,
        run: tuple[Node, ...],
        before: dict[str, tuple[Node, ...]],
        *,
        first: bool,
    ) -> PlanNode:
        meaning = run[0] if len(run) == 1 else Node("seq", (("of", run),))
        opening = next((one for one in run[0].walk() if one.kind in ("act", "ask")), run[0])
        if not first and any(one.kind == "pronoun" for one in opening.walk()):
            raise RefusedError(self._refusal("PART_POINTS", part=self._words_of(meaning)))
        if before.get(owner) and any(one.kind == "if" for one in meaning.walk()):
            raise RefusedError(self._refusal("PART_LATER", part=self._words_of(meaning)))
        request = self._part_request(owner, first=first)
        part = CommandPart(self._reading, meaning, before.get(owner, ()))
        answer = self._compilers[owner].plan_part(request, part)
        if isinstance(answer, Refusal):
            raise RefusedError(self._refusal_of_part(answer, meaning))
        before[owner] = (*before.get(owner, ()), *run)
        self._plans.append(answer)
        return answer.spec.root

    def _conditional_nodes(self, part: Node, before: dict[str, tuple[Node, ...]]) -> list[PlanNode]:
        """Return the nodes of a conditional part; its branches may be for other compilers."""
        question = part.node("of") if part.kind == "if" else part
        owner = self._compiler_of_names(question) if part.kind == "if" else ""
        if not owner:
            raise RefusedError(self._refusal("PART_MIXED", part=self._words_of(part)), owned=False)
        asked = CommandPart(self._reading, question)
        found = self._compilers[owner].plan_condition(self._part_request(owner, first=False), asked)
        if isinstance(found, Refusal):
            raise RefusedError(self._refusal_of_part(found, question))
        if any(before.values()):  # a branch may undo effects that its compiler expects
            raise RefusedError(self._refusal("PART_LATER", part=self._words_of(question)))
        subject = next((one for one in question.walk() if one.kind == "np"), None)
        branches: dict[bool, list[PlanNode]] = {}
        for name, met in (("then", True), ("other", False)):
            branch = part.get(name)
            if isinstance(branch, Node) and (branch.kind != "seq" or branch.parts()):
                about = self._with_subject(branch, owner, subject)
                done = len(self._plans)
                if nodes := self._nodes(about, dict(before), first=False):
                    branches[met] = nodes
                if isinstance(found, bool) and found != met:
                    del self._plans[done:]
        # which branch runs is unknown, so no later part may depend on an earlier one
        before |= dict.fromkeys(self._compilers, (part,))
        if isinstance(found, bool):
            if found not in branches:
                code = "CONDITION_HOLDS" if found else "CONDITION_UNMET"
                raise RefusedError(self._refusal(code, part=self._words_of(question)))
            return branches[found]
        if not branches:
            raise RefusedError(self._refusal("PARTS_UNCLEAR"), owner=owner)
        looks, holds = found
        negated = isinstance(holds, Mapping) and "not" in holds
        asks = {True: holds, False: holds["not"] if negated else {"not": holds}}
        if len(branches) == 1:
            ((met, nodes),) = branches.items()
            data = {"sequence": nodes, "skip_if": asks[not met]}
            return [*looks, Sequence.model_validate(data)]
        ways = [{"sequence": [{"check": asks[met]}, *nodes]} for met, nodes in branches.items()]
        return [*looks, Fallback.model_validate({"fallback": ways})]

    def _with_subject(self, branch: Node, owner: str, subject: Node | None) -> Node:
        """Return a branch with the subject of the condition in place of a missing object or "it".

        In "if the door is closed, open it and …", the first act refers to the door. The act is
        changed only if the lexicon of no other compiler contains its verb.
        """
        opening = branch.parts()[0] if branch.kind == "seq" else branch
        if subject is None or opening.kind != "act":
            return branch
        known = {
            name for name, own in self._known.items() if ("verbs", opening.text("verb")) in own
        }
        if known != {owner}:
            return branch
        if opening.get("of") is None and opening.get("by") is None:
            return branch.substitute(opening, opening.replace(of=subject))
        named = {Node("pronoun", (("name", name),)) for name in _PRONOUNS}
        pointing = {one for one in opening.walk() if one in named}
        about = opening
        for one in pointing:
            about = about.substitute(one, subject)
        return branch.substitute(opening, about)

    def _part_request(self, owner: str, *, first: bool) -> Request:
        """Return the request for a part; only the first part may refer to earlier commands."""
        context = self._context_of(owner) if first else Context()
        return replace(self._request, context=context)

    def _refusal_of_part(self, refusal: Refusal, meaning: Node) -> Refusal:
        """Return the refusal of the whole command, because one of its parts was refused."""
        message = self._refusal("PART_REFUSED", part=self._words_of(meaning), why=refusal.message)
        return Refusal(refusal.code, message.message, missing=refusal.missing)

    def _words_of(self, meaning: Node) -> str:
        parts = _parts(meaning)
        said = self._reading.words_of(meaning)
        return (
            said
            or ", ".join(filter(None, map(self._reading.words_of, parts)))
            or self._reading.text
        )


def _parts(meaning: Node) -> tuple[Node, ...]:
    return meaning.parts() if meaning.kind == "seq" else (meaning,)


def _is_question(part: Node) -> bool:
    """Return True for a question and for a request such as "tell me where the apple is"."""
    asked = part.get("of")
    asks_to_tell = part.kind == "act" and isinstance(asked, Node) and asked.kind == "ask"
    return (asks_to_tell and {*dict(part.args)} == {"verb", "of"}) or part.kind == "ask"


def _requested_acts(meaning: Node) -> Iterator[Node]:
    """Yield the acts that a meaning requests, without prohibited acts and questions."""
    if meaning.kind == "act":
        yield meaning
    elif meaning.kind not in ("avoid", "ask"):
        for child in meaning.children():
            yield from _requested_acts(child)


def names_in(meaning: Node) -> Iterator[tuple[str, str]]:
    """Yield the lexicon section and the name of each word in a meaning."""
    for node in meaning.walk():
        for section, argument in _NAMES.get(node.kind, ()):
            if value := node.text(argument):
                yield section, value


def refusal(request: Request, code: str, **facts: str) -> Refusal:
    """Return a refusal with the sentence of its code in the language of the command."""
    return Refusal(code, request.messages.say(code, request.language, **facts))
