"""Completion of commands from the session: answers, corrections, "again", "go on" and pronouns.

Earlier commands are resolved again in the current world, so that the result depends only on the
words of the commands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from bt_exec.language.meaning import Turn
from bt_exec.language.reading.meaning_node import (
    Node,
    conjunction,
    disjunction,
    negation,
    normal_form,
)
from bt_exec.language.reading.reader import MARGIN, Reading
from bt_exec.language.reading.reference_resolution import with_named_conditions
from bt_exec_skills.tabletop.environment_state import Environment
from bt_exec_skills.tabletop.goals.command_from_meaning import Converter
from bt_exec_skills.tabletop.goals.command_reader import PossibleMeanings, parse_meanings
from bt_exec_skills.tabletop.goals.earlier_command_variation import (
    formulas_of,
    last_act,
    names_holder,
    with_noun_of,
    with_phrase_replaced,
)
from bt_exec_skills.tabletop.goals.model import Trouble
from bt_exec_skills.tabletop.goals.resolve import Scope, objects_of, tables_of
from bt_exec_skills.tabletop.name_attributes import attributes_in_name

__all__ = ["ASKS_BACK", "CommandHistory", "Meanings"]

ASKS_BACK = ("WHICH_ONE", "WHERE_TO")
"""Codes of refusals whose question can be answered with a word."""
_UNFINISHED = ("aborted", "blocked", "failed", "partial")
_GO_ON, _PUT = (Node("act", (("verb", verb),)) for verb in ("go_on", "move"))
_EMPTY = Node("has", (("attribute", "empty"),))
_HELD = Node("rel", (("relation", "held"),))
_ANYTHING = (Node("np"), Node("np", (("of", Node("any")),)))
_IT, _THEM, _THERE, _ALL = (
    Node("pronoun", (("name", name),)) for name in ("it", "them", "there", "all")
)
_EVERYTHING = Node("np", (("of", Node("any")), ("det", "all")))
_ITSELF = (_IT, _THEM, _ALL)
_MOVED = Node("pronoun", (("name", "moved"),))
"""Objects that the last command moved: "the one you just moved"."""

Meanings = list[tuple[Node, float]]
"""Possible meanings of a text, with their costs."""
Try = Callable[[Meanings], Trouble | None]


class CommandHistory:
    """Earlier commands of the session, resolved in one state of the world.

    Args:
        now: Current environment.
        converter: Function that returns the converter of meanings.
        trouble_of: Function that returns the reason why meanings cannot be followed, or None.

    Attributes:
        readings: The parsed commands.
        place: Last place named by earlier commands, as a relation to that place; None if there is
            none.
        subject: Object of the previous command; None if there is none.
        subjects: Objects of the last command or question that named any.
    """

    def __init__(
        self, now: Environment, converter: Callable[[], Converter], trouble_of: Try
    ) -> None:
        self._now, self._converter, self._trouble_of = now, converter, trouble_of
        self.readings: list[Reading] = []
        self.place: Node | None = None
        self.subject: Node | None = None
        self.subjects: tuple[Node, ...] = ()

    def words_of(self, node: Node) -> str:
        """Return the words of a node, from the newest command that contains it."""
        found = (reading.words_of(node) for reading in reversed(self.readings))
        return next(filter(None, found), "")

    def group_of(self, node: Node) -> Node | None:
        """Return the objects from which a phrase selects: "the bigger of the red cubes"."""
        found = self.readings[-1].part_of(node, "grouped")
        return found if isinstance(found, Node) else None

    def position_of(self, node: Node) -> int:
        """Return the position of a node in the newest command; 0 if it is not there."""
        edge = self.readings[-1].edge_of(node)
        return 0 if edge is None else edge.start

    def possible_meanings(self, command: str | PossibleMeanings, turns: Sequence[Turn]) -> Meanings:
        """Return the possible meanings of a command after some turns, cheapest first.

        Args:
            command: The command as typed, or already parsed.
            turns: Earlier turns of the session.

        Raises:
            Trouble: If the command is not understood, or a reference has no antecedent.
        """
        before: Meanings = []
        begun: Meanings | None = None
        self.place = self.subject = None
        self.subjects = ()
        asked = False
        for turn in turns:
            try:
                before = self._complete_with_last_turn(turn.command, before, asked, begun)
            except Trouble:
                asked = False
                continue
            asked = turn.code in ASKS_BACK
            self.place = _named_place(before[0][0]) or self.place
            subjects = _subjects(before[0][0])
            self.subject = next(iter(subjects), None)
            if (
                any(map(_describes_objects, subjects))
                or not self.subjects
                or before[0][0].kind != "ask"
            ):
                self.subjects = subjects
            if turn.status not in ("", "refused"):
                begun = before if turn.status in _UNFINISHED else None
        return self._complete_with_last_turn(command, before, asked, begun)

    def _complete_with_last_turn(
        self, command: str | PossibleMeanings, before: Meanings, asked: bool, begun: Meanings | None
    ) -> Meanings:
        said = parse_meanings(command, self._now) if isinstance(command, str) else command
        self.readings.append(said.reading)
        text = said.reading.text
        found: Meanings = []
        cheapest = min(
            (cost for node, cost in said.meanings if not _is_varied_repetition(node)), default=0.0
        )
        for node, cost in _meanings_by_punctuation(said):
            if node.kind == "fragment" and cost > cheapest + MARGIN:
                continue
            if node == _GO_ON:
                if begun is None:
                    raise Trouble("NOTHING_UNFINISHED")
                return begun
            questioned = text.rstrip().endswith(("?", "？"))
            node = self._complete_for_held_object(_as_fragment(node), asked or questioned)
            if (
                (questioned and node.kind == "again")
                or _is_varied_repetition(node)
                or _is_negation_only(node)
                or (questioned and any(one.kind == "next" for one in node.walk()))
            ):
                continue  # e.g. "again?", "not on the tray", "what was on it before that?"
            if questioned and _is_verbless(node):
                old = before[0][0] if before and node.kind == "fragment" else None
                again = (
                    with_phrase_replaced(old, node) if old is not None and old.kind == "ask" else ()
                )
                found += [(one, cost) for one in (tuple(again) or _fragment_questions(node))]
            elif node.kind == "fragment" and asked:
                found += [(one, cost) for one in self._with_answer(node, before)]
            elif node.text("sign") == "answer" and not (before and before[0][0].kind == "ask"):
                continue  # an answer to a question that was not asked
            elif node.kind == "fragment":
                found += [
                    (one, cost) for old, _ in before[:1] for one in with_phrase_replaced(old, node)
                ]
            elif node.kind == "again":
                found += before
            else:
                found.append((self._with_antecedent(node, before), cost))
        found += self._with_other_nouns(said, before)
        if not found:
            raise Trouble("NOT_UNDERSTOOD")
        return found

    def _with_other_nouns(self, said: PossibleMeanings, before: Meanings) -> Meanings:
        """Return meanings of "the green one, too" that do not take the earlier command's noun."""
        fragments = [(node, cost) for node, cost in said.meanings if node.kind == "fragment"]
        return [
            (one, cost + 2 * MARGIN)
            for node, cost in fragments[:1]
            if node.text("sign") == "same"
            for old, _ in before[:1]
            for one in with_phrase_replaced(old, node, shares_noun=False)
            if old.kind != "ask"
        ]

    # -- answers

    def _with_answer(self, fragment: Node, before: Meanings) -> Iterator[Node]:
        trouble = self._trouble_of(before)
        if trouble is None:
            return
        if trouble.code == "WHERE_TO":
            yield from (one for old, _ in before for one in with_phrase_replaced(old, fragment))
            return
        chosen = self._selected_choices(fragment.node("of"), trouble.choices)
        if not chosen:
            return
        names = tuple(
            Node("np", (("of", Node("thing", (("name", one),))), ("det", "the"))) for one in chosen
        )
        name = names[0] if len(names) == 1 else Node("both", (("of", names),))
        what = str(trouble.facts["what"])
        for old, _ in before:
            for part in old.walk():
                if part.kind == "np" and self.words_of(part) == what:
                    yield old.substitute(part, name)
                    break

    def _selected_choices(self, answer: Node, choices: Sequence[str]) -> tuple[str, ...]:
        """Return the choices that an answer selects; several only if the answer names several."""
        if answer.kind == "rel":
            answer = answer.node("to")
        kinds = {attributes_in_name(name).kind for name in choices}
        tables = {name: table for name, table in self._now.tables.items() if name in choices}
        objects = {name: one for name, one in self._now.objects.items() if name in choices}
        try:
            phrase = self._converter().phrase(answer)
            if phrase.again or answer in (_ALL, _EVERYTHING):
                return tuple(choices) if phrase.count in (0, len(choices)) else ()
            several = phrase.number == "all" or phrase.count > 1
            if tables:
                phrase = replace(phrase, table=True, number="all")
                found = tables_of(phrase, Scope(replace(self._now, reported_tables=tables)))
            else:
                kind = phrase.kind or (next(iter(kinds)) if len(kinds) == 1 else "")
                kind = "" if kind == "object" else kind
                phrase = replace(phrase, kind=kind, number="all")
                found = objects_of(phrase, Scope(replace(self._now, objects=objects, held=None)))
        except Trouble:
            return ()
        return found if several or len(found) == 1 else ()

    # -- pronouns

    def _complete_for_held_object(self, node: Node, asked: bool) -> Node:
        """Return a bare place ("onto the tray") or verb as an act on the held object, if any."""
        of = node.get("of") if node.kind == "fragment" else None
        if asked or self._now.held is None:
            return node
        if node == _PUT:
            return node.replace(verb="put_down")
        if node.kind == "act" and not node.parts() and _lacks_theme(node):
            return node.replace(of=_IT)
        if isinstance(of, Node) and of.kind == "np" and names_holder(of):
            of = Node("rel", (("relation", "at"), ("to", of)))
        if not isinstance(of, Node) or of.kind != "rel":
            return node
        return Node("act", (("verb", "move"), ("of", _IT), ("to", of)))

    def _resolve_last_question(self, node: Node, before: Meanings) -> Node:
        """Return a meaning in which references to the last question and place are replaced.

        Examples are "if so", "there" and a "how many" without an object.
        """
        if node.kind == "if" and before and before[0][0].kind == "ask":
            named = with_named_conditions(Node("seq", (("of", (before[0][0], node)),)))
            return named if named.kind == "if" else node
        if node.text("what") == "how_many" and node.get("of") in _ANYTHING:
            subjects = tuple(filter(_describes_objects, self.subjects))
            return normal_form(node.replace(of=subjects[0])) if len(subjects) == 1 else node
        there = self.place.get("to") if node.kind == "ask" and self.place is not None else None
        if not isinstance(there, Node):
            return node
        node = node.substitute(_THERE, there)
        return node if any(map(names_holder, self.subjects)) else _about_place(node, there)

    def _resolve_moved(self, node: Node, before: Meanings) -> Node:
        """Return a meaning in which "the one you just moved" is "it".

        Raises:
            Trouble: NOTHING_BEFORE unless the last text is a command.
        """
        if _MOVED not in node.walk():
            return node
        if self._now.held is not None or not before or before[0][0].kind == "ask":
            raise Trouble("NOTHING_BEFORE", what=self.words_of(_MOVED) or "-")
        return node.substitute(_MOVED, _IT)

    def _is_undo(self, node: Node, before: Node) -> bool:
        """Return True for a command to put back the objects that the last mission moved."""
        act = next((one for one in node.walk() if one.kind == "act"), node)
        back = act.text("verb") == "put_back" and all(one in _ITSELF for one in act.parts())
        return back and before.kind != "ask" and bool(self._now.returnable)

    def _with_antecedent(self, node: Node, before: Meanings) -> Node:
        """Return a meaning in which the first reference to earlier objects is resolved."""
        node = self._resolve_moved(node, before)
        node = self._resolve_last_question(node, before)
        if self._now.held is not None or not before or self._is_undo(node, before[0][0]):
            return node
        subjects = self.subjects
        if not subjects:
            return node
        subject, done = subjects[0], False
        korean = self.readings[-1].language == "ko"
        acts = (one for one in before[0][0].walk() if one.kind == "act")
        goal = next((one.get("to") for one in acts), None)
        many = len(subjects) > 1 or _is_plural(subject)

        def walk(part: Node) -> Node:
            nonlocal done
            about = part.get("of") if part.kind == "act" else None
            if about == _THEM and not done and len(subjects) > 1:
                return part.replace(of=subjects)
            if about == _ALL and not done and many:
                return part.replace(of=tuple(one.replace(det="all") for one in subjects))
            if part.kind == "np" and part.get("det") == "rest" and not done:
                contrasted = [*filter(partial(_may_be_contrasted, part), subjects)]
                for one in contrasted[:1]:
                    part = with_noun_of(part, one, goal)
                others = (negation(one.node("of")) for one in contrasted[1:])
                part = part.replace(of=conjunction(part.node("of"), *others))
            if part.kind == "np" and _THEM in formulas_of(part) and not done:
                return normal_form(
                    part.substitute(_THEM, disjunction(*(n.node("of") for n in subjects)))
                )
            if part.kind == "pronoun" and part.text("name") not in ("there", "all", "previous"):
                several = len(subjects) > 1 or (
                    not (korean or _is_plural(subject))
                    if part == _THEM
                    else not _describes_objects(subject)
                )
                return part if done or several else subject
            if part.kind == "act" and not done and not part.parts() and _lacks_theme(part):
                part = part.replace(of=subject)
            inner = part.map_children(beside if part.kind == "act" else walk)
            done = done or part.kind in ("np", "act", "ask")
            return inner

        def beside(part: Node) -> Node:
            """Replace pronouns in one part of an act, independently of its other parts."""
            nonlocal done
            before = done
            found = walk(part)
            done = before
            return found

        return normal_form(walk(node))


def _meanings_by_punctuation(said: PossibleMeanings) -> Meanings:
    """Return the meanings of a text; one that ends with a full stop may not be a question.

    Some Korean orders and questions differ only in their punctuation.
    """
    meanings = list(said.meanings)
    orders = [cost for node, cost in meanings if node.kind in ("act", "seq")]
    if not (orders and said.reading.text.rstrip().endswith((".", "!"))):
        return meanings
    limit = min(orders) - MARGIN
    return [(node, cost) for node, cost in meanings if node.kind != "ask" or cost < limit]


def _about_place(node: Node, place: Node) -> Node:
    """Return a question in which "it" in "in it" and "is it empty" is replaced by a place."""
    empty = node.get("hold") == _EMPTY and node.get("of") == _IT
    if node.kind == "rel" and node.text("relation") in ("in", "at") and node.get("to") == _IT:
        return node.replace(to=place)
    return (
        node.replace(of=place)
        if empty
        else node.map_children(lambda part: _about_place(part, place))
    )


def _may_be_contrasted(other: Node, subject: Node) -> bool:
    """Return True unless both phrases have nouns that differ ("cups … the other table")."""
    kinds = [
        {one.text("name") for one in phrase.walk() if one.kind == "thing"}
        for phrase in (other, subject)
    ]
    return not all(kinds) or not kinds[0].isdisjoint(kinds[1])


def _lacks_theme(act: Node) -> bool:
    """Return True for an act that moves an object without naming it."""
    return act.text("verb") in ("move", "bring", "pick", "out") and not act.get("by")


def _as_fragment(node: Node) -> Node:
    """Return a repetition with another object or place ("again with the cup") as a fragment."""
    of = node.get("of") if node.kind == "again" else None
    if not isinstance(of, Node) or of.kind not in ("rel", "np"):
        return node
    with_object = of.text("relation") == "with" and of.get("to") is not None
    return Node("fragment", (("of", of.node("to") if with_object else of), ("sign", "same")))


def _is_varied_repetition(node: Node) -> bool:
    """Return True for a repetition with a change, which this pack does not support."""
    return node.kind == "again" and node.get("of") is not None


def _is_negation_only(node: Node) -> bool:
    """Return True for a fragment that only negates part of the previous command."""
    of = node.get("of") if node.kind == "fragment" else None
    denied = isinstance(of, Node) and any(one.kind == "not" for one in formulas_of(of))
    return denied and node.text("sign") == "only"


def _is_verbless(node: Node) -> bool:
    """Return True for a text without a verb: a fragment, or objects with a place."""
    return node.kind == "fragment" or (node.kind == "act" and not node.get("verb"))


def _fragment_questions(node: Node) -> Iterator[Node]:
    """Yield the existence questions that a fragment with a question mark stands for."""
    place = node.get("to")
    for of in node.parts():
        if of.kind == "rel":
            of = Node("np", (("of", of),))
        if isinstance(place, Node) and of.kind == "np":
            of = of.replace(of=conjunction(*formulas_of(of), place), det=None)
        yield normal_form(Node("ask", (("what", "whether"), ("of", Node("exists", (("of", of),))))))


def _subjects(meaning: Node) -> tuple[Node, ...]:
    """Return the subjects of a meaning, described as they are after its execution.

    Objects of a question are still at their place; objects of an act have left theirs.
    """
    about = last_act(meaning)
    phrases = [one for one in (about or meaning).walk() if one.kind == "np" and one.get("of")]
    themes = [one for one in about.parts() if one in phrases] if about is not None else []
    chosen = themes if len(themes) > 1 else phrases[:1]
    found = tuple(_subject_after(one, meaning if about is None else about) for one in chosen)
    return tuple(filter(None, found)) if all(found) else ()


def _named_place(meaning: Node) -> Node | None:
    """Return the last place that a meaning names or that a question is about, as a relation."""
    places = [
        one for one in meaning.walk() if one.kind == "rel" and isinstance(one.get("to"), Node)
    ]
    named = [one for one in places if one.node("to").kind == "np"]
    asked = [one for one in meaning.walk() if one.kind == "np" and names_holder(one)]
    if not named and asked and meaning.kind == "ask":
        return Node("rel", (("relation", "at"), ("to", asked[0])))
    return named[-1] if named else None


def _is_plural(phrase: Node) -> bool:
    """Return True for a phrase that is marked as plural."""
    quantity = phrase.get("quantity")
    if phrase.text("det") in ("any", "another"):
        return False
    several = isinstance(quantity, Node) and quantity.text("number") != "1"
    return several or phrase.text("det") in ("all", "rest") or Node("many") in phrase.walk()


def _subject_after(of: Node, said: Node) -> Node | None:
    """Return the subject phrase of a question or act, described as after its execution."""
    if said.kind != "act":
        listed = of.get("wh") or said.text("what") in ("which", "how_many")
        return of.replace(wh=None, det=of.get("det") or ("all" if listed else None))
    kept = [part for part in formulas_of(of) if part.kind not in ("rel", "any", "one")]
    if all(part.kind == "many" for part in kept):
        return None
    return normal_form(of.replace(of=conjunction(*kept)))


def _describes_objects(phrase: Node) -> bool:
    """Return True if a phrase describes objects by more than "what" or "what … in your hand"."""
    return any(one.kind not in ("any", "one") and one != _HELD for one in formulas_of(phrase))
