"""Several robots of one pack: each part of a command is compiled for the robot that it addresses.

A compiler that reads words is called as if the addressed robot were the only one of its pack. Its
answer is translated to the names of the site. Parts for different robots run in parallel, unless
the command specifies an order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from bt_exec.failure import Problem, Refusal
from bt_exec.language.addressees import Addressed, RobotNames, addressed
from bt_exec.language.context import Context, Turn
from bt_exec.language.meaning import Act, Meaning, Unclear, WordUse
from bt_exec.language.messages import language_of
from bt_exec.observation import Situation
from bt_exec.pack import Catalogue
from bt_exec.planning.compiler import (
    Compiler,
    Plan,
    Reader,
    Releasing,
    Reply,
    Request,
    Suggesting,
    Warming,
    WordsChecker,
)
from bt_exec.planning.passes import Pass, PassContext
from bt_exec.spec.expression import leaves
from bt_exec.spec.library import Library
from bt_exec.spec.model import (
    Do,
    Fallback,
    MissionSpec,
    Node,
    NodeBase,
    Parallel,
    Sequence,
    Tree,
    children_of,
    walk,
)

__all__ = [
    "RobotsCompiler",
    "apply_to_parts",
    "for_robot",
    "names_of",
    "parts_of",
    "situation_of",
    "views",
]

WHICH_ROBOT = "WHICH_ROBOT"
"""Code of a command without an addressee that several robots could do."""

ONE_BY_ONE = "ONE_BY_ONE"
"""Code of a command to several robots of which one part needs a reply instead of a plan."""


def names_of(request: Request) -> RobotNames:
    """Return the names in commands of robots that share their pack with another robot."""
    packs = {pack.name: pack for pack in request.catalogue.packs}
    return {name: request.settings_of(packs[name]).names(name) for name in request.catalogue.robots}


def situation_of(robot: str, situation: Situation, catalogue: Catalogue) -> Situation:
    """Return a situation as seen by one pack or robot: its own facts and labels."""
    if not catalogue.is_robot(robot):
        return situation
    return replace(
        situation,
        facts=catalogue.plain_facts(robot, situation.facts),
        labels=situation.labels_by.get(robot, situation.labels),
    )


def parts_of(robot: str, spec: MissionSpec, catalogue: Catalogue) -> list[MissionSpec]:
    """Return the parts of a plan that concern a pack, in its own names.

    That is the whole plan, or, for one of several robots, each part that uses only this robot.
    """
    if not catalogue.is_robot(robot):
        return [catalogue.with_plain_names(robot, spec)]
    parts: list[MissionSpec] = []

    def keep(part: MissionSpec) -> MissionSpec:
        parts.append(part)
        return part

    _each_part(robot, spec, catalogue, keep)
    return parts


def apply_to_parts(
    robot: str, spec: MissionSpec, catalogue: Catalogue, step: Pass, context: PassContext
) -> tuple[MissionSpec, tuple[str, ...]]:
    """Return a plan with a pass of a pack applied to its parts, and the changes."""
    changes: list[str] = []

    def apply(part: MissionSpec) -> MissionSpec:
        changed, found = step.apply(part, context)
        changes.extend(found)
        return changed

    if catalogue.is_robot(robot):
        return _each_part(robot, spec, catalogue, apply), tuple(changes)
    own = catalogue.with_plain_names(robot, spec)
    return catalogue.with_own_names(robot, apply(own)), tuple(changes)


def _each_part(
    robot: str,
    spec: MissionSpec,
    catalogue: Catalogue,
    change: Callable[[MissionSpec], MissionSpec],
) -> MissionSpec:
    """Return a plan with `change` applied to the largest parts that use only one robot."""

    def node(old: NodeBase) -> NodeBase:
        owners = {catalogue.owners.get(name, "") for name in _names_in(old)} - {""}
        if robot not in owners:
            return old
        if owners == {robot}:
            part = catalogue.with_plain_names(robot, spec.model_copy(update={"root": old}))
            return catalogue.with_own_names(robot, change(part)).root
        match old:
            case Tree(body=body) if body is not None:
                return old.model_copy(update={"body": node(body)})
            case Sequence() | Fallback() | Parallel():
                children = tuple(map(node, children_of(old)))
                return old.model_copy(update={type(old).__name__.lower(): children})
        return old

    return spec.model_copy(update={"root": node(spec.root)})


def _names_in(node: NodeBase) -> Iterator[str]:
    """Yield the skills and conditions that a node and all under it use."""
    for inner in walk(node):
        if isinstance(inner, Do):
            yield inner.do
        for part in inner.conditions.values():
            yield from (leaf.name for leaf in leaves(part))


def for_robot(request: Request, robot: str, text: str = "") -> Request:
    """Return a request as it would be if `robot` were the only robot of the site.

    Args:
        request: The request.
        robot: A robot; empty for the trees that belong to no robot.
        text: Its part of the command.
    """
    catalogue, library = _view(request.catalogue, request.library, len(request.library), robot)
    return replace(
        request,
        command=text or request.command,
        catalogue=catalogue,
        library=library,
        situation=situation_of(robot, request.situation, request.catalogue),
        assumed=request.catalogue.plain_facts(robot, request.assumed),
        context=_context_of(request, robot),
    )


def views(request: Request) -> Iterator[Request]:
    """Yield the requests that together cover a site: without robots, and one per robot."""
    if not request.catalogue.robots:
        yield request
        return
    yield for_robot(request, "")
    for robot in _one_of_each(request.catalogue):
        yield for_robot(request, robot)


def _one_of_each(catalogue: Catalogue) -> list[str]:
    first = {pack.kind: pack.name for pack in reversed(catalogue.packs)}
    return [robot for robot in catalogue.robots if robot in first.values()]


@lru_cache(maxsize=16)
def _view(catalogue: Catalogue, library: Library, _: int, robot: str) -> tuple[Catalogue, Library]:
    """Return the catalogue and the trees that one robot sees."""
    seen = Library()
    of_robots = {f"{name}.{tree}" for name, trees in catalogue.trees.items() for tree in trees}
    for tree in library:
        if tree.tree not in of_robots:
            seen.add(tree, library.source(tree.tree))
        elif catalogue.plain_tree(robot, tree.tree) != tree.tree:
            seen.add(catalogue.with_plain_names(robot, tree), library.source(tree.tree))
    if not robot:
        return catalogue, seen
    packs = [
        pack for pack in catalogue.packs if pack.name == robot or not catalogue.is_robot(pack.name)
    ]
    return Catalogue(packs), seen


def _context_of(request: Request, robot: str) -> Context:
    """Return the earlier commands to one robot, or to none."""
    names = names_of(request)

    def own(turn: Turn) -> Turn | None:
        parts = addressed(turn.command, language_of(turn.command), names)
        if not parts:
            return turn if not robot else None
        said = [part.text for part in parts if robot in part.robots]
        return replace(turn, command=said[-1]) if said else None

    turns = tuple(turn for each in request.context.turns if (turn := own(each)) is not None)
    return replace(request.context, turns=turns)


@dataclass(frozen=True)
class RobotsCompiler:
    """A compiler for a site with several robots of one pack.

    Attributes:
        inner: The compiler that is called for one robot at a time.
    """

    inner: Compiler

    @property
    def name(self) -> str:
        """Name of the inner compiler."""
        return self.inner.name

    @property
    def reads_alone(self) -> bool:
        """Whether a reading depends on the site and the session alone."""
        return isinstance(self.inner, Reader) and getattr(self.inner, "reads_alone", False)

    @property
    def needs_observation(self) -> bool:
        """Whether the inner compiler resolves objects."""
        return bool(getattr(self.inner, "needs_observation", False))

    def warm_up(self, language: str) -> None:
        """Begin to load a language."""
        if isinstance(self.inner, Warming):
            self.inner.warm_up(language)

    def release(self) -> None:
        """Release loaded resources."""
        if isinstance(self.inner, Releasing):
            self.inner.release()

    def problems(self, request: Request) -> Iterable[Problem]:
        """Return the mistakes in the words of packs."""
        if isinstance(self.inner, WordsChecker):
            for view in views(request):
                yield from self.inner.problems(view)

    def suggestions(self, request: Request) -> tuple[str, ...]:
        """Return commands that would be understood, with the robots' names."""
        if not isinstance(self.inner, Suggesting):
            return ()
        return tuple(
            _to(robot, text, request)
            for robot in request.catalogue.robots
            for text in self.inner.suggestions(for_robot(request, robot))
        )

    def compile(self, request: Request) -> Plan | Refusal | Reply:
        """Return the plans of the addressed robots as one plan."""
        if request.previous is not None:  # a repair: the plan contains the robot
            return self.inner.compile(request)
        parts = _parts(request)
        if not parts:
            return self._for_none(request)
        answers: list[tuple[Addressed, str, Plan]] = []
        for part in parts:
            for robot in part.robots:
                answer = self._for_one(request, robot, part.text)
                if isinstance(answer, Plan):
                    answers.append((part, robot, answer))
                elif isinstance(answer, Reply) and len(parts) > 1:
                    message = request.messages.say(ONE_BY_ONE, request.language)
                    return Refusal(ONE_BY_ONE, message)
                else:
                    return answer
        return _joined(request, answers)

    def read(self, request: Request) -> Meaning | Unclear | Reply:
        """Return the acts of all addressed robots."""
        assert isinstance(self.inner, Reader)
        parts = _parts(request)
        found = [
            (robot, self.inner.read(for_robot(request, robot, part.text)))
            for part in parts
            for robot in part.robots
        ]
        if not found:
            asked = [self.inner.read(view) for view in views(request)]
            return next((one for one in asked if not isinstance(one, Unclear)), asked[-1])
        acts: list[Act] = []
        words: list[WordUse] = []
        for robot, meaning in found:
            if not isinstance(meaning, Meaning):
                return meaning
            acts += (replace(act, agent=robot) for act in meaning.acts)
            words += (WordUse(robot, 0, 0, "role", "agent"), *meaning.words)
        return Meaning(request.language, tuple(acts), tuple(words))

    def _for_one(self, request: Request, robot: str, text: str) -> Plan | Refusal | Reply:
        answer = self.inner.compile(for_robot(request, robot, text))
        if isinstance(answer, Refusal):
            return replace(
                answer,
                nearest=tuple(_to(robot, one, request) for one in answer.nearest),
                did_you_mean=tuple(_to(robot, one, request) for one in answer.did_you_mean),
            )
        if isinstance(answer, Reply):
            return answer
        spec = request.catalogue.with_own_names(robot, answer.spec)
        meaning = answer.meaning
        if meaning is not None:
            acts = tuple(replace(act, agent=robot) for act in meaning.acts)
            meaning = replace(meaning, acts=acts)
        return replace(answer, spec=spec, meaning=meaning, verified=None)

    def _for_none(self, request: Request) -> Plan | Refusal | Reply:
        """Return the plan of a command without an addressee, or ask which robot is meant."""
        common = for_robot(request, "")
        answer = self.inner.compile(common)
        if not isinstance(answer, Refusal):
            return answer
        able: list[str] = []
        for robot in _one_of_each(request.catalogue):
            found = self._for_one(request, robot, request.command)
            if isinstance(found, Reply):
                return found
            if isinstance(found, Plan):
                able += _sisters(request.catalogue, robot)
            elif not len(common.library):
                answer = found
        if not able:
            return answer
        names, language = names_of(request), request.language
        listed = " / ".join(names[robot][language][0] for robot in able)
        message = request.messages.say(WHICH_ROBOT, language, robots=listed)
        meant = tuple(_to(robot, request.command, request) for robot in able)
        return Refusal(WHICH_ROBOT, message, did_you_mean=meant, question=message)


def _parts(request: Request) -> tuple[Addressed, ...]:
    """Return the parts of a command; a bare name answers the question which robot is meant."""
    parts = addressed(request.command, request.language, names_of(request))
    if len(parts) == 1 and not parts[0].text and request.context.turns:
        last = request.context.turns[-1]
        if last.code == WHICH_ROBOT:
            return (parts[0]._replace(text=last.command),)
    return parts


def _sisters(catalogue: Catalogue, robot: str) -> list[str]:
    kinds = {pack.name: pack.kind for pack in catalogue.packs}
    return [one for one in catalogue.robots if kinds[one] == kinds[robot]]


def _to(robot: str, text: str, request: Request) -> str:
    """Return a command with the name of the robot that it is for."""
    name = names_of(request)[robot][request.language][0]
    return request.messages.say("TO_ROBOT", request.language, robot=name, command=text)


def _joined(request: Request, answers: list[tuple[Addressed, str, Plan]]) -> Plan:
    """Return one plan: robots work in parallel, unless the command specifies an order."""
    if len(answers) == 1:
        answer = answers[0][2]
        return replace(answer, spec=_headed(request, [answer], answer.spec.root))
    groups: list[dict[str, Node]] = []
    for part, robot, answer in answers:
        if not groups or part.then or robot in groups[-1]:
            groups.append({})
        groups[-1][robot] = answer.spec.root
    steps = [_beside(tuple(group.values())) for group in groups]
    root: Node = steps[0] if len(steps) == 1 else Sequence(sequence=tuple(steps))
    plans = [answer for _, _, answer in answers]
    meanings = [plan.meaning for plan in plans if plan.meaning is not None]
    meaning = None
    if len(meanings) == len(plans):
        acts = tuple(act for one in meanings for act in one.acts)
        meaning = replace(meanings[0], acts=acts, words=(), said_back="")
    return Plan(
        _headed(request, plans, root),
        sum(plan.calls for plan in plans),
        requests=sum(plan.requests for plan in plans),
        unconfirmed=" ".join(dict.fromkeys(filter(None, (plan.unconfirmed for plan in plans)))),
        meaning=meaning,
    )


def _beside(nodes: tuple[Node, ...]) -> Node:
    return nodes[0] if len(nodes) == 1 else Parallel(parallel=nodes)


def _headed(request: Request, plans: list[Plan], root: Node) -> MissionSpec:
    """Return the plan for the whole command."""
    first = plans[0].spec.mission
    subgoals = tuple(part for plan in plans for part in plan.spec.mission.subgoals)
    header = first.model_copy(update={"command": request.command, "subgoals": subgoals})
    return MissionSpec(mission=header, root=root)
