"""Commands for several packs: each part is planned by the compiler of its pack.

If one compiler understands a command alone, its plan is used. Any other command is parsed with the
words of all packs together. Each part (an act of a sequence, a branch of a condition) is planned by
the compiler whose lexicon contains its names. The plans are joined in the order of the command. If
any part cannot be planned, the whole command is refused with that reason.

A site names the compilers of such packs: ``compiler: {name: offline, of: {tabletop: table}}``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import Any

from bt_exec.failure import Refusal, UsageError
from bt_exec.language.meaning import Context, Meaning, Turn, Unclear
from bt_exec.language.messages import language_of
from bt_exec.language.reading.meaning_node import Node
from bt_exec.language.reading.reader import MARGIN, Reader, Reading
from bt_exec.planning.command_part_planning import (
    CommandPlanner,
    PartCompiler,
    RefusedError,
    names_in,
    refusal,
)
from bt_exec.planning.compiler import (
    REPLIES,
    Compiler,
    Plan,
    Reply,
    Request,
    Wrapping,
    find_compiler,
)
from bt_exec.planning.failed_part_repair import replace_part
from bt_exec.planning.multi_robot import joined_plan
from bt_exec.planning.robot_views import owners_in
from bt_exec.spec.condition_expression import Expression, Is, Not
from bt_exec.spec.expand import expand
from bt_exec.spec.model import (
    Check,
    Fallback,
    MissionSpec,
    NodeBase,
    Sequence,
    Tree,
)
from bt_exec.spec.node_paths import locate, moved_paths

__all__ = ["PacksCompiler", "make_packs_compiler"]

_MAX_COST_DIFFERENCE = 0.5
"""Maximum difference in cost between a meaning that is considered and the cheapest meaning."""
_MOST_TURNS = 256
"""Maximum size of the cache of earlier commands that a compiler understands alone."""


@dataclass(frozen=True)
class PacksCompiler(Wrapping):
    """Compiler of a site with several packs.

    Attributes:
        parts: The compilers by name.
        owners: Name of the compiler by pack.
    """

    parts: Mapping[str, PartCompiler]
    owners: Mapping[str, str]
    _readers: dict[tuple[int, ...], tuple[Any, Reader]] = field(
        default_factory=dict, compare=False, repr=False
    )
    _claimed: dict[tuple[str, ...], bool] = field(default_factory=dict, compare=False, repr=False)
    name = "packs"

    @property
    def inner_compilers(self) -> tuple[PartCompiler, ...]:
        """The compilers of the packs."""
        return tuple(self.parts.values())

    def compile(self, request: Request) -> Plan | Refusal | Reply:
        """Return the answer of one compiler, or one plan of several compilers, or a refusal."""
        if request.previous is not None and request.failure is not None:
            return self._repair_failed_part(request)
        answers = {name: self._answer_alone(name, one, request) for name, one in self.parts.items()}
        claims = {name: one for name, one in answers.items() if self._claims_command(name, one)}
        if len(claims) == 1:
            ((name, found),) = claims.items()
            said = self._command_in_texts(request, name, found)
            return refusal(request, "PART_SAID", part=said) if said else found
        if claims and all(isinstance(one, Reply) for one in claims.values()):
            return next(iter(claims.values()))
        if all(map(_only_asks, claims.values())) and claims:
            return _plan_of_all_answers(request, claims.values())
        if claims:
            return refusal(request, "WHICH_PACK", packs=" / ".join(map(self._packs_of, claims)))
        return self._answer_with_all_packs(request, answers)

    def read(self, request: Request) -> Meaning | Unclear | Reply:
        """Return the meaning of a command, or why it has no plan."""
        answer = self.compile(request)
        if isinstance(answer, Reply):
            return answer
        if isinstance(answer, Refusal):
            return Unclear(answer.code, " ".join(answer.missing), answer.missing)
        if answer.meaning is None:
            return Unclear("NOT_UNDERSTOOD")
        return replace(answer.meaning, said_back=_describe_plan(answer.spec, request))

    # -- commands that one compiler understands

    def _command_in_texts(self, request: Request, name: str, answer: Plan | Refusal | Reply) -> str:
        """Return a part of a free text that another compiler can plan; empty if there is none.

        The part is at the start or the end of the text. In "say hello and open the door", the text
        to say may include a command to another pack.
        """
        if not isinstance(answer, Plan) or answer.meaning is None:
            return ""
        texts = [role.value for act in answer.meaning.acts for role in act.roles]
        for words in (text.split() for text in texts):
            ends = (words[at:] for at in range(1, len(words) - 1))
            begins = (words[:at] for at in range(2, len(words)))
            for part in (*ends, *begins):
                asked = replace(request, command=" ".join(part), context=Context())
                for other, one in self.parts.items():
                    if other != name and isinstance(one.compile(asked), Plan):
                        return asked.command
        return ""

    def _packs_of(self, name: str) -> str:
        return ", ".join(pack for pack, owner in self.owners.items() if owner == name)

    def _claims_command(self, name: str, answer: Plan | Refusal | Reply) -> bool:
        return not isinstance(answer, Refusal) or answer.code in self.parts[name].asks_back

    def _answer_alone(
        self, name: str, one: PartCompiler, request: Request
    ) -> Plan | Refusal | Reply:
        """Return the answer of one compiler to the whole command."""
        answer = one.compile(replace(request, context=self.context_of(request, name)))
        if isinstance(answer, Reply):  # a reply may be about the earlier missions of all packs
            answer = one.compile(request)
        return answer

    def context_of(self, request: Request, name: str) -> Context:
        """Return the session after the last mission that a compiler did not understand alone.

        Earlier commands are left out, because a pronoun must not refer to an object of another
        pack.
        """
        own: tuple[Turn, ...] = ()
        for turn in request.context.turns:
            if not _is_mission(turn) or self._was_understood_alone(request, name, turn, own):
                own = (*own, turn)
            else:
                own = ()
        return replace(request.context, turns=own)

    def _was_understood_alone(
        self, request: Request, name: str, turn: Turn, before: tuple[Turn, ...]
    ) -> bool:
        """Return True if a compiler understands an earlier command without the other compilers."""
        key = (name, *(one.command for one in before), turn.command)
        if key not in self._claimed:
            if len(self._claimed) >= _MOST_TURNS:
                self._claimed.clear()
            language = language_of(turn.command)
            context = replace(request.context, turns=before)
            asked = replace(request, command=turn.command, language=language, context=context)
            self._claimed[key] = self._claims_command(name, self.parts[name].compile(asked))
        return self._claimed[key]

    # -- commands in parts

    def _answer_with_all_packs(
        self, request: Request, answers: Mapping[str, Plan | Refusal | Reply]
    ) -> Plan | Refusal | Reply:
        refusals = {name: one for name, one in answers.items() if isinstance(one, Refusal)}
        reading = self._reader(request).read(request.command, self._object_names(request))
        if not isinstance(reading, Reading) or reading.unknown_words:
            return _unknown_words_refusal(
                request, tuple(refusals.values()), " ".join(reading.unknown_words)
            )
        if reading.meaning == Node("again"):
            return self._repeat_last(request)
        if not any(names_in(reading.meaning)):  # "go on" addresses the pack that worked last
            last = [name for name in refusals if self.context_of(request, name).turns]
            return refusals[(last or [*refusals])[0]]
        return self._plan_of_only_meaning(request, reading, refusals)

    def _plan_of_only_meaning(
        self, request: Request, reading: Reading, refusals: Mapping[str, Refusal]
    ) -> Plan | Refusal:
        """Return the plan to which all likely meanings of a command lead, or a refusal."""
        found: list[Plan] = []
        refused: list[RefusedError] = []
        limit = reading.cost + _MAX_COST_DIFFERENCE
        work = CommandPlanner(self.parts, request, reading, partial(self.context_of, request))
        for meaning, cost in ((reading.meaning, reading.cost), *reading.others):
            if cost > limit:
                break
            try:
                plan = work.plan(meaning)
            except RefusedError as error:
                refused.append(error)
                if not error.owned:
                    continue
            else:
                plan = replace(plan, spec=plan.spec.with_header(compiler=self.name))
                if all(plan.spec.root != other.spec.root for other in found):
                    found.append(plan)
            limit = min(limit, cost + MARGIN)
        if len(found) == 1:
            return found[0]
        if found:
            return refusal(request, "SEVERAL_MEANINGS")
        first = next((one for one in refused if one.owned), refused[0])
        return refusals.get(first.owner, first.refusal)

    def intended_texts(self, request: Request) -> Iterable[str]:
        """Return corrections of a misspelt command, using the words of all packs."""
        names = self._object_names(request)
        return self._reader(request).intended_texts(request.command, names)

    def shortened_texts(self, request: Request) -> Iterable[str]:
        """Return parts of a command that can be parsed, using the words of all packs."""
        return self._reader(request).shortened_texts(request.command, self._object_names(request))

    def _object_names(self, request: Request) -> dict[str, str]:
        every = (one.object_words(request).items() for one in self.inner_compilers)
        return dict(chain.from_iterable(every))

    def _reader(self, request: Request) -> Reader:
        words = [one.words(request) for one in self.inner_compilers]
        key = tuple(map(id, words))
        if key not in self._readers:
            self._readers.clear()
            self._readers[key] = words, Reader(words)
        return self._readers[key][1]

    def _repeat_last(self, request: Request) -> Plan | Refusal | Reply:
        """Return the plan of the last command of the session, for "do it again"."""
        turns = request.context.turns
        done = [at for at, turn in enumerate(turns) if _is_mission(turn)]
        if not done:
            return refusal(request, "NOTHING_BEFORE")
        last = turns[done[-1]].command
        before = replace(request.context, turns=turns[: done[-1]])
        answer = self.compile(
            replace(request, command=last, language=language_of(last), context=before)
        )
        if not isinstance(answer, Plan):
            return answer
        return replace(answer, spec=answer.spec.with_header(command=request.command))

    # -- repair

    def _repair_failed_part(self, request: Request) -> Plan | Refusal | Reply:
        """Return the failed plan with the failed part repaired by the compiler of its pack."""
        previous, failure = request.previous, request.failure
        assert previous is not None
        assert failure is not None
        found = self._enclosing_part(request, failure.path)
        if found is None:  # the failed node uses no pack
            return next(iter(self.inner_compilers)).compile(request)
        name, part = found
        own = moved_paths(previous.root, part)
        answer = self.parts[name].compile(
            replace(
                request,
                previous=previous.model_copy(update={"root": part}),
                failure=replace(failure, path=own[failure.path]),
                done=tuple(
                    replace(one, path=own[one.path]) for one in request.done if one.path in own
                ),
            )
        )
        if not isinstance(answer, Plan):
            return answer
        new = expand(answer.spec, request.library)
        root, kept = replace_part(request, part, new.root)
        inner = moved_paths(new.root, root)
        spec = previous.model_copy(update={"root": root}).with_header(
            plan_version=request.plan_version,
            compiler=self.name,
            parent=previous.mission.plan_version,
            kept=(*kept, *(inner[path] for path in new.mission.kept)),
        )
        return replace(answer, spec=spec, verified=None)

    def _enclosing_part(self, request: Request, path: str) -> tuple[str, NodeBase] | None:
        """Return the largest subtree around a node that uses one compiler, with that compiler."""
        assert request.previous is not None
        for step in locate(request.previous.root).nodes_down_to(path):
            used = owners_in(step.node, request.catalogue)
            owners = {self.owners.get(pack, "") for pack in used}
            if len(owners) == 1 and owners <= {*self.parts}:
                return owners.pop(), step.node
        return None


def _unknown_words_refusal(
    request: Request, refusals: tuple[Refusal, ...], unknown: str
) -> Refusal:
    """Return the refusal that names the unknown words of a command.

    Args:
        request: The request.
        refusals: Refusals of the compilers; the first that names only unknown words is returned.
        unknown: Words that no pack has, separated by spaces.
    """
    said, known = request.command.casefold(), set(unknown.casefold().split())
    for one in refusals:
        typed = [word for word in " ".join(one.missing).casefold().split() if word in said]
        if bool(typed) == bool(unknown) and known.issuperset(typed):
            return one
    if unknown:
        return replace(refusal(request, "UNKNOWN_PART", words=unknown), missing=(unknown,))
    return refusal(request, "PARTS_UNCLEAR")


def _only_asks(answer: Plan | Refusal | Reply) -> bool:
    """Return True for a plan in which every act is a question."""
    acts = answer.meaning.acts if isinstance(answer, Plan) and answer.meaning is not None else ()
    return bool(acts) and all(act.mood == "ask" for act in acts)


def _plan_of_all_answers(request: Request, answers: Iterable[Plan | Refusal | Reply]) -> Plan:
    """Return a plan that runs, in order, the plans of several compilers for the same question."""
    plans = [one for one in answers if isinstance(one, Plan)]
    return joined_plan(request, plans, Sequence(sequence=tuple(one.spec.root for one in plans)))


def _describe_plan(spec: MissionSpec, request: Request) -> str:
    """Return a sentence that describes the subgoals, trees and conditions of a plan."""
    say, language = request.messages, request.language

    def describe_conditional(expression: Expression, said: str, *, met: bool) -> str:
        if isinstance(expression, Not):
            return describe_conditional(expression.of, said, met=not met)
        if not isinstance(expression, Is):
            return said
        asked = say.phrase(expression.name, language, dict(expression.args))
        return say.say("READ_IF" if met else "READ_UNLESS", language, condition=asked, said=said)

    def describe_node(node: NodeBase) -> str:
        if node.name in spec.mission.subgoals:
            said = str(node.name)
        elif isinstance(node, Tree):
            said = say.phrase(node.tree, language, dict(node.args))
        else:
            parts = list(filter(None, map(describe_node, node.children)))
            code = "READ_OTHER" if isinstance(node, Fallback) else "READ_THEN"
            said = parts.pop(0) if parts else ""
            for part in parts:
                said = say.say(code, language, first=said, said=part)
        if not said:
            return ""
        if node.skip_if is not None and node.name is None:
            return describe_conditional(node.skip_if, said, met=False)
        first = next(iter(node.children), None)
        if isinstance(node, Sequence) and isinstance(first, Check) and not first.tell:
            return describe_conditional(first.check, said, met=True)
        return said

    return describe_node(spec.root)


def _is_mission(turn: Turn) -> bool:
    """Return True if a command led to a mission, not to a refusal or a reply."""
    return turn.status != "refused" and turn.code not in REPLIES


def make_packs_compiler(
    name: str, compiler: Compiler, of: Mapping[str, str], packs: Iterable[str]
) -> PacksCompiler:
    """Return the compiler of a site whose packs have different compilers.

    Args:
        name: Name of the site's compiler.
        compiler: The site's compiler, used for each pack that `of` does not contain.
        of: Names of the other compilers, by pack.
        packs: Names of the site's packs.

    Raises:
        UsageError: If one of the compilers cannot plan parts of commands.
    """
    owners = {pack: of.get(pack, name) for pack in packs}
    parts: dict[str, Any] = {
        one: compiler if one == name else find_compiler(one, {})
        for one in dict.fromkeys(owners.values())
    }
    for one, found in parts.items():
        if not all(hasattr(found, method) for method in ("plan_part", "plan_condition", "words")):
            raise UsageError(
                f"the compiler {one} cannot plan parts of commands, so a site cannot have "
                "other compilers beside it (compiler: of)"
            )
    return PacksCompiler(parts, owners)
