"""Offline compiler of the table: commands become subgoals and a plan.

Other packs match commands with their tree library. In this pack, the meaning of a command depends
on the present objects. A site selects the compiler by name: ``compiler: {name: table}``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from bt_exec.failure import Refusal, UsageError
from bt_exec.language.meaning import Act, Meaning, Role, Turn, Unclear, WordUse
from bt_exec.language.messages import language_of, load_messages
from bt_exec.language.reading.chart import Edge
from bt_exec.planning.command_part_planning import CommandPart
from bt_exec.planning.compiler import Plan, Request
from bt_exec.spec.model import Mission
from bt_exec_skills.tabletop.display_names import MOST_NAMED, display_name_or_id, list_names
from bt_exec_skills.tabletop.environment_state import Environment, environment_of
from bt_exec_skills.tabletop.goals.answers import answer
from bt_exec_skills.tabletop.goals.command_interpretation import (
    Understood,
    answer_question,
    is_question,
    subgoals_for,
    understand,
    understand_parts,
)
from bt_exec_skills.tabletop.goals.command_reader import (
    kinds_of,
    names_by_word,
    shortened_commands,
    spelling_corrections,
)
from bt_exec_skills.tabletop.goals.model import Subgoal, Trouble
from bt_exec_skills.tabletop.goals.plan import REMARK, answer_plan, plan_of, reply_node
from bt_exec_skills.tabletop.goals.question import Question
from bt_exec_skills.tabletop.goals.repair import replan
from bt_exec_skills.tabletop.goals.session_completion import ASKS_BACK
from bt_exec_skills.tabletop.lexicon import lexicon

__all__ = [
    "TableCompiler",
    "Understood",
    "create",
    "is_question",
    "refusal_message",
    "subgoals_for",
    "understand",
]

_EXAMPLES = ("SUGGEST_SORT", "EXAMPLE_PUT", "EXAMPLE_BRING", "SUGGEST_ASK")
"""Codes of example commands that do not depend on the present objects."""
_SUGGESTED = ("SUGGEST_SORT", "SUGGEST_PUT", "SUGGEST_BRING", "SUGGEST_ASK")
_OFFERS = ("ONLY_THE_REST",)
"""Codes of refusals that offer other commands."""
_NOT_READ = ("NOT_UNDERSTOOD", "UNKNOWN_WORD")
"""Codes of refusals of commands that could not be parsed."""
_NAMELESS = ("NOTHING_LIKE_THAT", "NOTHING_BEFORE", "NO_SUCH_OBJECT")
"""Codes of refusals of commands whose names may be misspelt."""
_TYPED = ("word", "name")
_QUOTING = (
    *("ALL_LEFT_OUT", "NOT_AMONG", "NOTHING_BEFORE", "NOTHING_LIKE_THAT", "NO_VIEW", "TOO_FEW"),
    "UNEVEN",
)
"""Codes of refusals that quote words of the command."""


_sentences = partial(load_messages, Path(__file__).with_name("refusals.yaml"))


def _is_followed(command: str, now: Environment) -> bool:
    try:
        understand(command, now)
    except Trouble:
        return False
    return True


class TableCompiler:
    """Compiler of tabletop commands; implements `Compiler` and `Reader` of `bt_exec.planning`."""

    name = "table"
    needs_observation = True
    asks_back = frozenset(ASKS_BACK)

    def compile(self, request: Request) -> Plan | Refusal:
        """Return one subgoal tree for each objective of the command, or a refusal."""
        now = environment_of(request.situation)
        if request.previous is not None and request.failure is not None:
            spec, lost = replan(request, now, self.name)
            if spec is None:
                return self._refusal(
                    Trouble("NOTHING_LEFT", why=_loss_reasons(lost, request)), request.language
                )
            return Plan(spec)
        language = language_of(request.command)
        if not now.objects:
            return self._refusal(_no_objects(now), language)
        try:
            understood = understand(request.command, now, request.context.turns)
            if understood.question is not None:
                _refuse_question_about_past(understood.question)
                answer(understood.question, now, None, language)  # an undecided question is refused
                before = _needed_turns(request, understood, now)
                plan = answer_plan(self._header(request), before)
                return Plan(plan, meaning=_shared_meaning(understood))
            for reply, turns in (
                *_first_questions(understood, request),
                *_final_questions(understood, request),
            ):
                _refuse_unanswerable_question(reply, now, turns, language)
        except Trouble as trouble:
            return self._refusal(trouble, language)
        return self._plan_of_subgoals(request, understood, understood.subgoals)

    def intended_texts(self, request: Request) -> Iterator[str]:
        """Return commands that a misspelt command may stand for, the nearest first."""
        if _may_be_misspelt(request):
            yield from spelling_corrections(request.command, environment_of(request.situation))

    def shortened_texts(self, request: Request) -> Iterator[str]:
        """Return parts of a command that can be parsed, the longest first."""
        if _may_be_misspelt(request):
            yield from shortened_commands(request.command, environment_of(request.situation))

    def _header(self, request: Request) -> Mission:
        return Mission(
            command=request.command,
            language="ko" if language_of(request.command) == "ko" else "en",
            plan_version=request.plan_version,
            compiler=self.name,
        )

    def _plan_of_subgoals(
        self, request: Request, understood: Understood, subgoals: tuple[Subgoal, ...]
    ) -> Plan:
        remarks = (remark for one in subgoals for remark in one.remarks)
        header = self._header(request).model_copy(
            update={
                "subgoals": tuple(one.text for one in subgoals),
                "notes": tuple(
                    f"{REMARK}: {refusal_message(one, understood.language)}" for one in remarks
                ),
            }
        )
        last = {move.thing: move for one in subgoals for move in one.moves if move.target}
        wanted = {
            name: move.target for name, move in last.items() if move.side == "in" and not move.spot
        }
        asked, first = (
            [reply_node(*one) for one in questions(understood, request)]
            for questions in (_final_questions, _first_questions)
        )
        spec = plan_of(header, subgoals, wanted, asked, first)
        return Plan(spec, meaning=_shared_meaning(understood))

    # -- parts of commands: the protocol `bt_exec.planning.command_part_planning.PartCompiler`

    def words(self, request: Request) -> Mapping[str, Any]:
        """Return the words of the pack, with the nouns for the present objects."""
        return lexicon(kinds_of(environment_of(request.situation)))

    def object_words(self, request: Request) -> Mapping[str, str]:
        """Return the words for the present objects and tables."""
        return names_by_word(environment_of(request.situation))

    def plan_part(self, request: Request, part: CommandPart) -> Plan | Refusal:
        """Return the plan of a command part, in the world as it is after the earlier parts."""
        now, turns = environment_of(request.situation), request.context.turns
        if not now.objects:
            return self._refusal(_no_objects(now), part.reading.language)
        try:
            understood = understand_parts(part.reading, (*part.before, part.meaning), now, turns)
            subgoals = understood.subgoals
            if part.before:
                done = understand_parts(part.reading, part.before, now, turns).subgoals
                if subgoals[: len(done)] != done:
                    return self._refusal(Trouble("NOT_UNDERSTOOD"), part.reading.language)
                subgoals = subgoals[len(done) :]
        except Trouble as trouble:
            return self._refusal(trouble, part.reading.language)
        return self._plan_of_subgoals(request, understood, subgoals)

    def plan_condition(self, request: Request, part: CommandPart) -> bool | Refusal:
        """Return the answer to a question about the table now."""
        now, language = environment_of(request.situation), part.reading.language
        try:
            return answer_question(part.reading, part.meaning, now)
        except Trouble as trouble:
            return self._refusal(trouble, language)

    def suggestions(self, request: Request) -> tuple[str, ...]:
        """Return commands that can be followed in the world of a request, in its language."""
        now, language = environment_of(request.situation), request.language
        looks = now.object_attributes()
        facts = {
            "thing": next(
                (display_name_or_id(one.name, language) for one in looks if not one.is_container),
                "",
            ),
            "place": next(
                (display_name_or_id(one.name, language) for one in looks if one.is_container), ""
            ),
        }
        found = (_sentences().say(code, language, **facts) for code in _SUGGESTED)
        return tuple(text for text in found if _is_followed(text, now))

    def read(self, request: Request) -> Meaning | Unclear:
        """Return the meaning of a command, or the reason why it cannot be followed."""
        now = environment_of(request.situation)
        try:
            understood = understand(request.command, now, request.context.turns)
        except Trouble as trouble:
            return Unclear(trouble.code, str(trouble.facts.get("word", "")))
        return _shared_meaning(understood)

    def _refusal(self, trouble: Trouble, language: str) -> Refusal:
        message = refusal_message(trouble, language)
        missing = tuple(str(trouble.facts[key]) for key in _TYPED if key in trouble.facts)
        near: tuple[str, ...] = ()
        if trouble.code in _NOT_READ:
            near = tuple(_sentences().say(code, language) for code in _EXAMPLES)
        if trouble.code in ASKS_BACK:
            near = tuple(
                display_name_or_id(name, language) for name in trouble.choices[:MOST_NAMED]
            )
        elif near:
            can = ", ".join(example.rstrip(".") for example in near)
            message += " " + _sentences().say("CAN", language, can=can).replace("?.", "?")
        asked = message if trouble.code in (*ASKS_BACK, *_OFFERS) else ""
        meant = trouble.choices if trouble.code in _OFFERS else ()
        return Refusal(
            trouble.code, message, near, did_you_mean=meant, missing=missing, question=asked
        )


def _may_be_misspelt(request: Request) -> bool:
    """Return True if a command has unknown words or names, so that another text may be meant."""
    try:
        understand(request.command, environment_of(request.situation), request.context.turns)
    except Trouble as trouble:
        return trouble.code in (*_NOT_READ, *_NAMELESS)
    return False


def _first_questions(
    understood: Understood, request: Request
) -> Iterator[tuple[str, tuple[Turn, ...]]]:
    """Yield the questions before a command, each with the turns before it."""
    turns = request.context.turns
    for reply in understood.first:
        yield reply, turns
        turns = (*turns, Turn(reply))


def _final_questions(
    understood: Understood, request: Request
) -> Iterator[tuple[str, tuple[Turn, ...]]]:
    """Yield the questions after a command, each with the turns before it."""
    turns = request.context.turns
    if understood.subgoals:
        turns = (*turns, Turn(request.command))
    for reply in understood.replies:
        yield reply, turns
        turns = (*turns, Turn(reply))


def _refuse_unanswerable_question(
    reply: str, now: Environment, turns: Sequence[Turn], language: str
) -> None:
    """Check that the question after a command can be answered.

    Raises:
        Trouble: NOT_UNDERSTOOD, or the reason why the question cannot be decided.
    """
    question = understand(reply, now, turns).question
    if question is None:
        raise Trouble("NOT_UNDERSTOOD")
    answer(question, now, None, language)


def _refuse_question_about_past(question: Question) -> None:
    """Check that a question without a command is not about what a command moved.

    Raises:
        Trouble: NOT_UNDERSTOOD.
    """
    if question.kind == "moved":
        raise Trouble("NOT_UNDERSTOOD")


def _no_objects(now: Environment) -> Trouble:
    observed = now.base is not None or bool(now.reported_tables)
    return Trouble("NOTHING_SEEN" if observed else "NOT_OBSERVED")


def refusal_message(trouble: Trouble, language: str) -> str:
    """Return the message for the operator that explains why a command is refused."""
    facts = {
        key: str(value) if key in _TYPED else _display_text(value, language)
        for key, value in trouble.facts.items()
    }
    code = trouble.code
    if not facts.get("what"):  # "and the other one"
        code = "WHICH_OF_THESE" if code == "WHICH_ONE" else code
        code = "NOT_UNDERSTOOD" if code in _QUOTING else code
    return _sentences().say(code, language, **facts)


def _needed_turns(request: Request, understood: Understood, now: Environment) -> tuple[Turn, ...]:
    """Return the earlier turns if a question has another meaning without them; empty otherwise."""
    try:
        alone = understand(request.command, now).question
    except Trouble:
        alone = None
    return () if alone == understood.question else request.context.turns


def _display_text(value: str | tuple[str, ...], language: str) -> str:
    """Return an argument of a message: display names of objects, or words as typed."""
    if isinstance(value, tuple):
        return list_names(value, language)
    return display_name_or_id(value, language) if "_" in value else value


def _loss_reasons(lost: Iterable[str], request: Request) -> str:
    """Return the reasons why objects were given up, from the last message about each object."""
    found = {
        failure.args.get("object", failure.args.get("target")): failure for failure in request.tried
    }
    said_of = (request.messages.explain_failure(found[name], request.language) for name in lost)
    return " ".join(dict.fromkeys(said_of))


def _shared_meaning(understood: Understood) -> Meaning:
    """Return the meaning in the terms shared by all compilers."""
    acts = []
    question = understood.question
    if question is not None:
        roles = [Role("theme", "text", "Thing", one.text, one.text) for one in question.things]
        if question.place is not None:
            side, place = question.place
            relation = side.replace("_", " ")
            roles.append(Role("place", "text", "Thing", place.text, place.text, relation))
        if question.by is not None:
            roles.append(Role("manner", "value", "Attribute", question.by, question.by))
        acts.append(Act("?", tuple(roles), "ask"))
    for ask in understood.asks:
        roles = [Role("theme", "text", "Thing", one.text, one.text) for one in ask.themes]
        if ask.to is not None:
            side_said = ask.side.replace("_", " ")
            roles.append(Role("destination", "text", "Thing", ask.to.text, ask.to.text, side_said))
        if ask.by is not None:
            roles.append(Role("manner", "value", "Attribute", ask.by, ask.by))
        acts.append(Act(ask.verb, tuple(roles), positive=ask.verb != "leave", text=ask.text))
    return Meaning(understood.language, tuple(acts), tuple(map(_word, understood.words)))


def _word(edge: Edge) -> WordUse:
    kind = edge.category
    use = "verb" if kind.startswith("v.") else "grammar" if edge.meaning is None else "role"
    return WordUse(edge.text, edge.start, edge.end, use, kind)


def create(settings: Mapping[str, Any]) -> TableCompiler:
    """Return the compiler. It has no settings.

    Raises:
        UsageError: If settings are given.
    """
    if settings:
        raise UsageError(f"the compiler table has no settings (found {', '.join(settings)})")
    return TableCompiler()
