"""Commands to several robots of one pack: each part is compiled for the robot that it addresses.

The inner compiler is called as if the addressed robot were the only one of its pack. The names in
its plan are replaced by the names that the site uses. Parts for different robots run in parallel,
unless the command specifies an order.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from bt_exec.failure import Problem, Refusal
from bt_exec.language.addressees import Addressed
from bt_exec.language.meaning import Act, Meaning, Unclear, WordUse
from bt_exec.pack import Catalogue
from bt_exec.planning.compiler import (
    Plan,
    Reader,
    Reply,
    Request,
    WrappingOne,
)
from bt_exec.planning.robot_views import (
    WHICH_ROBOT,
    addressed_parts,
    one_robot_per_pack,
    request_for_robot,
    robot_names,
    site_views,
)
from bt_exec.spec.model import MissionSpec, Node, Parallel, Sequence

__all__ = ["RobotsCompiler", "joined_plan"]

ONE_BY_ONE = "ONE_BY_ONE"
"""Refusal code for a command with several parts, one of which is answered by a reply."""


@dataclass(frozen=True)
class RobotsCompiler(WrappingOne):
    """A compiler for a site with several robots of one pack.

    The inner compiler is called for one robot at a time. On other sites, it compiles the whole
    command.
    """

    def problems(self, request: Request) -> Iterable[Problem]:
        """Yield the problems that the inner compiler finds in the lexicons of packs."""
        for view in site_views(request):
            yield from super().problems(view)

    def suggestions(self, request: Request) -> tuple[str, ...]:
        """Return the commands that would be accepted, each addressed to a robot."""
        return tuple(
            _addressed_command(robot, text, request)
            for robot in request.catalogue.robots_sharing_pack
            for text in super(RobotsCompiler, self).suggestions(request_for_robot(request, robot))
        )

    def compile(self, request: Request) -> Plan | Refusal | Reply:
        """Return the plans of the addressed robots as one plan."""
        if request.previous is not None or not request.catalogue.robots_sharing_pack:
            # the nodes of the plan to repair already name their robots
            return self.inner.compile(request)
        parts = addressed_parts(request)
        if not parts:
            return self._plan_without_addressee(request)
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
        return _join_plans(request, answers)

    def read(self, request: Request) -> Meaning | Unclear | Reply:
        """Return one meaning with the acts of all addressed robots."""
        assert isinstance(self.inner, Reader)
        parts = addressed_parts(request)
        found = [
            (robot, self.inner.read(request_for_robot(request, robot, part.text)))
            for part in parts
            for robot in part.robots
        ]
        if not found:
            asked = [self.inner.read(view) for view in site_views(request)]
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
        answer = self.inner.compile(request_for_robot(request, robot, text))
        if isinstance(answer, Refusal):
            return replace(
                answer,
                nearest=tuple(_addressed_command(robot, one, request) for one in answer.nearest),
                did_you_mean=tuple(
                    _addressed_command(robot, one, request) for one in answer.did_you_mean
                ),
            )
        if isinstance(answer, Reply):
            return answer
        spec = request.catalogue.with_site_names(robot, answer.spec)
        meaning = answer.meaning
        if meaning is not None:
            acts = tuple(replace(act, agent=robot) for act in meaning.acts)
            meaning = replace(meaning, acts=acts)
        return replace(answer, spec=spec, meaning=meaning, verified=None)

    def _plan_without_addressee(self, request: Request) -> Plan | Refusal | Reply:
        """Return the plan of a command without an addressee, or a refusal that asks for one."""
        common = request_for_robot(request, "")
        answer = self.inner.compile(common)
        if not isinstance(answer, Refusal):
            return answer
        able: list[str] = []
        for robot in one_robot_per_pack(request.catalogue):
            found = self._for_one(request, robot, request.command)
            if isinstance(found, Reply):
                return found
            if isinstance(found, Plan):
                able += _robots_of_same_kind(request.catalogue, robot)
            elif not len(common.library):
                answer = found
        if not able:
            return answer
        names, language = robot_names(request), request.language
        listed = " / ".join(names[robot][language][0] for robot in able)
        message = request.messages.say(WHICH_ROBOT, language, robots=listed)
        meant = tuple(_addressed_command(robot, request.command, request) for robot in able)
        return Refusal(WHICH_ROBOT, message, did_you_mean=meant, question=message)


def _robots_of_same_kind(catalogue: Catalogue, robot: str) -> list[str]:
    kinds = {pack.name: pack.kind for pack in catalogue.packs}
    return [one for one in catalogue.robots_sharing_pack if kinds[one] == kinds[robot]]


def _addressed_command(robot: str, text: str, request: Request) -> str:
    """Return a command preceded by the name of a robot."""
    name = robot_names(request)[robot][request.language][0]
    return request.messages.say("TO_ROBOT", request.language, robot=name, command=text)


def _join_plans(request: Request, answers: list[tuple[Addressed, str, Plan]]) -> Plan:
    """Return one plan: robots work in parallel, unless the command specifies an order."""
    if len(answers) == 1:
        answer = answers[0][2]
        return replace(answer, spec=_with_header(request, [answer], answer.spec.root))
    groups: list[dict[str, Node]] = []
    for part, robot, answer in answers:
        if not groups or part.then or robot in groups[-1]:
            groups.append({})
        groups[-1][robot] = answer.spec.root
    steps = [_in_parallel(tuple(group.values())) for group in groups]
    root: Node = steps[0] if len(steps) == 1 else Sequence(sequence=tuple(steps))
    return joined_plan(request, [answer for _, _, answer in answers], root)


def joined_plan(request: Request, plans: list[Plan], root: Node) -> Plan:
    """Return one plan for the parts of a command, with their steps joined under `root`."""
    meanings = [plan.meaning for plan in plans if plan.meaning is not None]
    meaning = None
    if len(meanings) == len(plans):
        acts = tuple(act for one in meanings for act in one.acts)
        meaning = replace(meanings[0], acts=acts, words=(), said_back="")
    return Plan(
        _with_header(request, plans, root),
        sum(plan.calls for plan in plans),
        requests=sum(plan.requests for plan in plans),
        unconfirmed=" ".join(dict.fromkeys(filter(None, (plan.unconfirmed for plan in plans)))),
        meaning=meaning,
    )


def _in_parallel(nodes: tuple[Node, ...]) -> Node:
    return nodes[0] if len(nodes) == 1 else Parallel(parallel=nodes)


def _with_header(request: Request, plans: list[Plan], root: Node) -> MissionSpec:
    """Return a spec with `root`, the whole command, and the subgoals and notes of all plans."""
    subgoals = tuple(part for plan in plans for part in plan.spec.mission.subgoals)
    notes = tuple(note for plan in plans for note in plan.spec.mission.notes)
    whole = plans[0].spec.model_copy(update={"root": root})
    return whole.with_header(command=request.command, subgoals=subgoals, notes=notes)
