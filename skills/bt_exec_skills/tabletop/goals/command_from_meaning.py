"""Conversion of meanings to the parts of commands about tables.

A request for which there is no skill is refused as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import cast

from bt_exec.language.reading.meaning_node import Node, Value, conjuncts
from bt_exec_skills.tabletop.goals.branch_references import (
    NOTHING,
    acts_per_condition,
    condition_words,
    names_object,
    question_branch_names,
    resolve_condition_object,
    selected_question,
    subject_of_condition,
    unmet_reason,
    with_completed_branch,
    with_empty_place,
    with_goal_of_branch,
    with_noun,
    with_object_of_branch,
    with_place_of_branch,
    with_subject,
    without_negation,
    without_quantity,
    without_remarks,
)
from bt_exec_skills.tabletop.goals.command_part_normalization import (
    with_contrasted_kinds,
    with_excepted_kinds,
    with_goal_of_rest,
    with_missing_objects,
    with_missing_verbs,
    with_objects_of_prohibitions,
    with_place_as_goal,
    with_separate_exceptions,
    with_shared_source,
    with_swaps,
    without_general_order,
)
from bt_exec_skills.tabletop.goals.model import Phrase, Trouble, UnresolvedGoal, Verb
from bt_exec_skills.tabletop.goals.object_phrases import (
    EMPTY,
    HAND,
    SIDES,
    Phrases,
    content_of_container,
    content_of_table_with_exceptions,
    excludes_objects,
    formula_of,
    has_alternative_nouns,
    is_collective,
    means_in_hand,
    relation_to_side,
    target_of,
)
from bt_exec_skills.tabletop.goals.question import Question
from bt_exec_skills.tabletop.goals.question_from_meaning import Questions
from bt_exec_skills.tabletop.name_attributes import CONTAINERS, Attribute
from bt_exec_skills.tabletop.robot import Side

__all__ = ["Converter"]

_PARTS = {"left_part": "left", "right_part": "right", "middle": "middle"}
_PLACES_OF_OBJECTS = ("between", "vacated")
_HOLD_ON = "hold_on"
_SAME: Mapping[str, Verb] = {
    "lower": "put_down",
    "pair": "sort",
    "asked_for": "bring",
    _HOLD_ON: "pick",
}
_TO_PLACES = ("move", "sort", "clear", "empty")
_THERE = Node("rel", (("relation", "at"), ("to", Node("pronoun", (("name", "there"),)))))
_IT, _ALL = (Node("pronoun", (("name", name),)) for name in ("it", "all"))
_LETTING = ("put_down", "put_back", "lower")
_BEYOND = ("throw", "alter")
"""Verbs of acts for which the robot has no skill."""


class Converter:
    """Conversion of one text's meaning to the parts of a command, or to a question.

    Args:
        phrases: Converter of the text's noun phrases.
        holds: Function that returns the answer to the question of a condition.
        before: Place named by earlier commands, as a relation to that place; None if there is none.
        subject: Object of the previous command; None if there is none.

    Attributes:
        phrase: Converts a noun phrase; see `Phrases.phrase`.
        question: Converts the meaning of a question; see `Questions.question`.
        decided: Notes on the conditions that were decided by the state of the table.
    """

    def __init__(
        self,
        phrases: Phrases,
        holds: Callable[[Question], bool],
        before: Node | None = None,
        subject: Node | None = None,
    ) -> None:
        self._said, self._korean, self._start = phrases.said, phrases.korean, phrases.start
        self.phrase, self._place_of = phrases.phrase, phrases.place
        self.question = Questions(phrases).question
        self._has_sides = phrases.several_tables
        self._holds = holds
        self._earlier_goal = before
        self._before: Phrase | None = None
        with suppress(Trouble):  # without a description, the object is no antecedent
            self._before = phrases.phrase(subject) if subject is not None else None
        self._first_goal: Node | None = None
        self._place: Phrase | None = None
        self._places: list[Phrase] = []
        self._side: Side = "in"
        self._unmet: Trouble | None = None
        self.decided: list[Trouble] = []
        self._source: Phrase | None = None
        self._asked_about: Node | None = None

    def command_parts(self, meaning: Node) -> tuple[UnresolvedGoal, ...]:
        """Return the parts of a command.

        Raises:
            Trouble: If the meaning is not a command, or asks for something without a skill.
        """
        places = filter(_relates_object_to_place, meaning.walk())
        self._first_goal = min(places, key=self._start, default=None)
        found = tuple(self._goals_of(meaning))
        if not found and self._unmet:
            raise self._unmet
        return found

    def _goals_of(self, node: Node) -> list[UnresolvedGoal]:
        apart = with_separate_exceptions(node.parts() if node.kind == "seq" else (node,))
        node = apart[0] if len(apart) == 1 else Node("seq", (("of", apart),))
        if node.kind == "seq":
            node = node.replace(of=tuple(map(_without_impossible_act, node.parts())))
            acts = [one for one in node.parts() if not _forbids_release_or_throw(one)]
            done = [one for one in acts if one.kind != "remark"]
            if any(one.text("verb") == _HOLD_ON for one in done[:-1]):
                raise Trouble("NOT_UNDERSTOOD")  # the parts after "hold on" are meant for later
            orders = with_goal_of_rest(without_remarks(node.parts()))
            said = with_swaps(without_general_order(orders))
            said = with_excepted_kinds(with_contrasted_kinds(said))
            said = with_shared_source(with_objects_of_prohibitions(said))
            parts = [ask for part in said for ask in self._goals_of(part)]
            return with_missing_objects(with_missing_verbs(parts))
        if node.kind == "if":
            return self._parts_of_selected_branch(node)
        if _forbids_release_or_throw(node):
            return []
        if node.kind == "avoid":
            return [self._goal_of_leaving_alone(node.node("of"))]
        if node.text("verb") in _BEYOND:
            node = self._possible_act(node)
        if node.kind != "act" or _sides_differ(node):
            raise Trouble("NOT_UNDERSTOOD")
        if node.get("order"):  # one object after the other, in the order of the text
            return [self._goal_of_act(node.replace(of=one, order=None)) for one in node.parts()]
        return [self._goal_of_act(node)]

    def _possible_act(self, act: Node) -> Node:
        """Return a possible act: "throw it in the basket" becomes putting it there, with a note.

        Raises:
            Trouble: CANNOT_DO for another act without a skill.
        """
        goal = act.get("to")
        inside = isinstance(goal, Node) and goal.text("relation") == "in"
        if not inside or act.text("verb") != "throw":
            raise Trouble("CANNOT_DO", what=self._said(act))
        self.decided.append(Trouble("NOT_THROWN"))
        return act.replace(verb="move")

    def question_of_selected_branch(self, node: Node) -> Question | None:
        """Return the question that a condition selects; None if it selects an act or nothing.

        Raises:
            Trouble: If a branch cannot be answered, or the condition cannot be decided.
        """
        node = with_place_of_branch(node)
        found = {
            name: self.question(selected_question(node, name))
            for name in question_branch_names(node)
        }
        if not found:
            return None
        selected = "then" if self.is_true(resolve_condition_object(node)) else "other"
        return found.get(selected)

    def is_true(self, question: Node) -> bool:
        """Return the answer to a yes/no question, which may be negated.

        Raises:
            Trouble: If the answer cannot be decided.
        """
        if question.text("what") != "whether":
            raise Trouble("NOT_UNDERSTOOD")
        positive, wanted = without_negation(question)
        about = question.node("of").get("of")
        if not wanted and isinstance(about, Node) and about.kind == "both":
            raise Trouble("NOT_UNDERSTOOD")  # ambiguous: "not both of them" or "neither of them"
        return self._holds(self.question(positive)) == wanted

    def _parts_of_selected_branch(self, node: Node) -> list[UnresolvedGoal]:
        """Return the parts of the selected branch.

        The other branch is converted as well, so that its errors are reported.
        """
        parts = acts_per_condition(node)
        if parts:
            return [ask for part in parts for ask in self._goals_of(part)]
        words = condition_words(node, self._said)
        if self._asked_about is not None:  # "if the ball is here, …; if it is there, …"
            node = node.replace(of=node.node("of").substitute(_IT, self._asked_about))
        self._asked_about = subject_of_condition(node) or self._asked_about
        node = with_goal_of_branch(node)
        node = with_completed_branch(with_empty_place(with_place_of_branch(node)))
        question = resolve_condition_object(node)
        subject = question.node("of").get("of")
        there = without_negation(question)[1]
        named = self._named_place(question)
        self._place = self._place or named
        self._places += [named] if named is not None else []
        acts = [one for part in node.parts("then") for one in part.walk() if names_object(one)]
        other = node.get("other")
        exists = question.node("of").kind == "exists"
        if acts and isinstance(other, Node) and (there or not (exists and self._korean)):
            other = with_object_of_branch(other, acts[0].node("of"))
        branches = [
            self._parts_of_branch(
                branch,
                without_quantity(subject, placed=placed),
                some=exists and self._korean,
                every=exists and placed and self._korean,
            )
            for branch, placed in ((node.get("then"), there), (other, not there))
        ]
        wanted_branch = self.is_true(question)
        chosen = branches[0 if wanted_branch else 1]
        selected = "then" if wanted_branch else "other"
        self.decided.append(
            Trouble("CONDITION_MET" if wanted_branch else "CONDITION_NOT_MET", what=words)
        )
        if selected in question_branch_names(node):
            raise Trouble("NOT_UNDERSTOOD")  # a question among acts
        if not chosen and (not isinstance(node.get(selected), Node) or other == NOTHING):
            skipped = node.get("other" if wanted_branch else "then")
            self._unmet = unmet_reason(words, skipped, self._said)
        return chosen

    def _named_place(self, question: Node) -> Phrase | None:
        """Return the place that a condition names, such as the bowl in "if the bowl is empty"."""
        places = [one for one in question.walk() if one.kind == "rel" and not means_in_hand(one)]
        if places:
            return self.phrase(target_of(places[0]))
        about = question.node("of").get("of")
        if not isinstance(about, Node) or about.kind != "np" or formula_of(about) == HAND:
            return None
        if any(map(has_alternative_nouns, about.walk())):
            return None
        found = self.phrase(about.replace(quantity=None))
        asked_for_content = question.node("of").get("hold") == EMPTY
        return found if found.table or found.kind in CONTAINERS or asked_for_content else None

    def _parts_of_branch(
        self, branch: Value | None, subject: Value | None, *, some: bool, every: bool
    ) -> list[UnresolvedGoal]:
        """Return the parts of a branch.

        Args:
            branch: The branch.
            subject: Object of the condition.
            some: Whether the subject may be one object or more, as in Korean without a number.
            every: Whether "all" in the branch means all objects of the subject.
        """
        if not isinstance(branch, Node) or branch == NOTHING:
            return []
        if branch.kind == "ask":  # a selected question is handled by the caller
            return []
        if some and isinstance(subject, Node) and subject.kind == "np":
            # "공이 있으면" ("if there is a ball") means one or more
            subject = subject.replace(det=subject.get("det") or "some")
            if every:
                branch = branch.substitute(_ALL, subject.replace(det="all"))
        whole = with_subject(branch, subject) if isinstance(subject, Node) else branch
        if isinstance(subject, Node):
            # a Korean "거" ("thing") without a number may mean any object
            whole = with_noun(whole, subject, counted=self._korean)
        return with_missing_verbs(self._goals_of(whole))

    def _goal_of_leaving_alone(self, act: Node) -> UnresolvedGoal:
        if any(one.get("quantity") for one in act.parts()):
            raise Trouble("NOT_UNDERSTOOD")  # it is unclear which ones must not be moved
        only = any(one.text("det") == "any" for one in act.parts())
        themes = tuple(
            replace(one, number="one" if only else "all") for one in self._objects_of_act(act)
        )
        themes = tuple(one if one.rest or one.order else replace(one, like=None) for one in themes)
        goal = act.get("to")
        to = None
        if isinstance(goal, Node):
            to, side, _ = self._target(goal)
            to = to if side == "in" else None
        if not themes:
            raise Trouble("NOT_UNDERSTOOD")
        return UnresolvedGoal("leave", self._said(act), themes, to)

    def _objects_of_act(self, act: Node) -> tuple[Phrase, ...]:
        themes = tuple(map(self._object_phrase, act.parts("of")))
        first = themes[0] if themes else None
        if first and len(themes) > 1 and not first.kind and first.values and themes[1].kind:
            themes = (replace(first, kind=themes[1].kind), *themes[1:])
        if act.text("verb") in ("clear", "empty"):
            themes = tuple(map(content_of_table_with_exceptions, themes))
        if act.text("verb") == "empty" and len(themes) == 1:
            themes = (self._emptied_container(act.parts()[0], themes[0]),)
        return themes

    def _emptied_container(self, node: Node, phrase: Phrase) -> Phrase:
        """Return the container to empty; a bare noun may name the target of an earlier part.

        An example is "before you put the ball in the blue bowl, empty the bowl".
        """
        goal, plain = self._first_goal, node.replace(det=None)
        start = max(self._start(node), self._start(plain))
        if goal is None or self._place is not None or self._start(goal) > start:
            return phrase
        bare = Phrase(phrase.text, phrase.kind, number=phrase.number, definite=phrase.definite)
        # "all" may only emphasise the verb, as in "싹 비워" ("empty it completely")
        thoroughly = phrase.number == "all" and self._said(plain)
        target = self.phrase(target_of(goal))
        same = phrase == bare and target.kind == phrase.kind
        return target if same and (phrase.number == "one" or thoroughly) else phrase

    def _object_phrase(self, node: Node) -> Phrase:
        """Return the phrase of an object; an elliptical one repeats the previous noun."""
        found, before = self.phrase(node), self._before
        if found.own:
            raise Trouble("NOT_UNDERSTOOD")  # "its things"
        found = self._as_named_place(found)
        if (found.kind or (found.values and _is_part(found))) and not found.rest:
            self._before = found
        if before is None or found.kind or found.again or found.name or found.table or found.held:
            return found
        parts, ranked = conjuncts(formula_of(node)), bool(found.order)
        others = found.rest and self._korean and Node("many") in parts and not _is_part(before)
        # "나머지 것들" ("the rest") means everything else
        one = Node("one") in parts and not others
        plain = one and not (found.values or ranked)
        if plain and (before.count == 1 or before.number == "any"):
            found = replace(found, rest=True, number="any")  # "one cup … and one …"
        elif plain and not found.rest and (before.count or before.number == "all"):
            like = replace(before, count=0, share=0, number="all")
            return replace(found, number="any", count=0, like=like)  # "the cups … one of them"
        group, same = _group_of(before), Phrase(kind=before.kind)
        if found.rest:  # "one cup … the other", "two red cubes … the rest"
            sure = one or Node("many") not in parts  # not "everything else"
            return replace(found, like=group or same, sure=sure) if group or one else found
        if one or ranked or (self._korean and found.values):
            sure = ranked or not self._korean or before.group is not None
            sure = sure or (found.number != "all" and _is_contrasted(found, before))
            return replace(found, like=before.group or same, sure=sure)
        return found

    def _goal_of_going(self, act: Node) -> UnresolvedGoal:
        goal, *others = act.parts("of")
        if others:  # "go to the table with the cup"
            raise Trouble("NOT_UNDERSTOOD")
        goal = target_of(goal) if goal.kind == "rel" else goal
        self._place, self._side = self.phrase(goal), "in"
        return UnresolvedGoal("go", self._said(act), (self._place,))

    def _as_named_place(self, phrase: Phrase) -> Phrase:
        """Return the place of an earlier part that "the bowl" refers to, or the phrase itself."""
        bare = Phrase(phrase.text, kind=phrase.kind, definite=True)
        same = [one for one in self._places if phrase.kind and one.kind == phrase.kind]
        return same[-1] if same and phrase == bare else phrase

    def _goal_of_act(self, act: Node) -> UnresolvedGoal:
        act = with_place_as_goal(_as_act_of_emptying(act))
        verb = cast(Verb, _SAME.get(act.text("verb"), act.text("verb")))
        if verb == "go":
            return self._goal_of_going(act)
        if verb in ("clear", "empty") and HAND in map(formula_of, act.parts("of")[:1]):
            return UnresolvedGoal("put_down", self._said(act))
        themes = self._objects_of_act(act)
        verb = _verb_of_clearing(verb, themes, placed=act.get("to") is not None)
        source = act.get("source")
        away = self._place_of(source) if isinstance(source, Node) else None
        away, themes = _with_exceptions_of_themes(away, themes)
        self._source = away or next((one.relation[1] for one in themes if one.relation), None)
        where = act.get("to")
        if themes and where == Node("rel", (("relation", "me"),)):
            return UnresolvedGoal("bring", self._said(act), themes)
        to, side, own = self._target(where) if isinstance(where, Node) else (None, "in", None)
        if away is not None and _is_bare_number(away):
            away = _noun_of_earlier_place(away, to, away.text)  # "from number 0 to table 1"
        by = cast(Attribute, act.text("by")) or own
        text = self._said(act)
        if by and (side != "in" or away is not None):
            raise Trouble("NOT_UNDERSTOOD")
        if own and not themes:
            themes = (Phrase("", again=True),)  # "into its bowl": what the hand holds, or all
        if by:
            themes = _require_shapes(themes) if by == "shape" else themes
            themes = tuple(map(_include_all, themes)) if self._korean else themes
            return UnresolvedGoal("sort", text, themes, to, "in", by)
        emptied = verb in ("clear", "empty") and to is None and len(themes) == 1
        if emptied and themes[0].kind in CONTAINERS:
            self._place = self._place or themes[0]  # "empty the bowl and put the apple in it"
        if away is not None:
            if to is None and verb not in ("bring", "pick"):
                return UnresolvedGoal("out", text, themes, away)
            themes = tuple(content_of_container(one, away) for one in themes)
        if verb in ("sort", "bring", "pick") and to is not None:
            verb = "move"
        return self._part_for_verb(verb, text, themes, to, side)

    def _part_for_verb(
        self, verb: Verb, text: str, themes: tuple[Phrase, ...], to: Phrase | None, side: Side
    ) -> UnresolvedGoal:
        """Return the part for a verb; omitted objects and places are taken from the context."""
        if to is not None and to.rest and len(themes) > 1 and self._korean:
            raise Trouble("NOT_UNDERSTOOD")  # one other place for all, or one for each?
        holders = all(one.number == "one" and one.kind in CONTAINERS for one in themes)
        if verb == "clear" and themes and holders and not self._korean:
            verb = "empty"  # "clear the tray onto the table"; in Korean it is about the tray itself
        if verb == "empty" and to is not None and not any(one.table for one in themes):
            content = (Phrase(one.text, number="all", relation=("in", one)) for one in themes)
            return UnresolvedGoal("move", text, tuple(content), to, side)
        if to is not None and verb not in (*_TO_PLACES, ""):
            raise Trouble("NOT_UNDERSTOOD")
        if verb == "move" and to is None:
            if self._place is None and self._first_goal is None:
                raise Trouble("NOT_UNDERSTOOD")
            to, side, _ = self._target(_THERE)
        if not themes and verb in ("move", "") and to is not None:
            themes = (Phrase("", number="all", again=True),)
        return UnresolvedGoal(verb, text, themes, to, side)

    def _target(self, goal: Node) -> tuple[Phrase, Side, Attribute | None]:
        """Return the target, the side, and the attribute in which objects and target agree."""
        goal = relation_to_side(goal)
        relation, target = goal.text("relation"), target_of(goal)
        if target == Node("pronoun", (("name", "there"),)):
            named = self._first_goal or self._earlier_goal
            if self._place is None and named is not None:
                return self._target(named)  # "before you … on the tray, put the cup there"
            if self._place is None:
                raise Trouble("NOTHING_BEFORE", what=self._said(goal) or "-")
            return self._place, self._side, None
        if target.text("det") == "some":
            raise Trouble("NOT_UNDERSTOOD")  # a topic: "the banana, to the right"
        to = self.phrase(target)
        beside = self._side != "in" and SIDES.get(relation, "in") != "in"
        if target == _IT and beside and self._place is not None:
            to = self._place  # "to the left of the tray … to the right of it"
        if any(one.kind not in ("", to.kind, *CONTAINERS) for one in to.but):
            raise Trouble("NOT_UNDERSTOOD")  # the excluded object is not a place
        to, side = _with_side(to, relation)
        previous = self._place or self._source or self._earlier_place()
        if _is_bare_number(to):
            to = _noun_of_earlier_place(
                to, previous, self._said(goal)
            )  # "from table 0 to number 1"
        plain = not (
            to.kind or to.values or to.name or to.listed
        )  # not "the nearest plate or bowl"
        if to.order in ("left", "right") and plain and self._is_table(target, previous):
            to = replace(to, table=True)  # "to the left table … to the right one"
        to = self._without_comparison(to, target, side)
        same = [one for one in self._places if to == Phrase(to.text, kind=one.kind, definite=True)]
        to = same[-1] if same else to  # "in the red bowl … into the bowl"
        bare = (to.values or to.rest or to.order) and not (
            to.kind or to.name or to.table or to.again or to.listed
        )
        like = to.but[0] if to.but else previous
        if like and side == "in" and bare:  # "in the red bowl … in the blue one", "the other"
            to = replace(to, kind=like.kind, table=like.table)
        self._place, self._side = to, side
        self._places.append(to)
        return replace(to, own=None), side, to.own

    def _is_table(self, target: Node, previous: Phrase | None) -> bool:
        """Return True if a target without a noun is a table, as the previous place was.

        Without a previous place, "the left one" is a table if there are several tables.
        """
        if self._place or self._source or Node("one") in conjuncts(formula_of(target)):
            return previous is not None and previous.table
        return self._has_sides

    def _earlier_place(self) -> Phrase | None:
        """Return the place of an earlier command, as in "in the blue bowl … in the red one"."""
        place = self._earlier_goal.get("to") if self._earlier_goal is not None else None
        return self.phrase(place) if isinstance(place, Node) and place.kind == "np" else None

    def _without_comparison(self, to: Phrase, target: Node, side: Side) -> Phrase:
        """Return a target with "the same" dropped, or "the … one" linked to the previous noun."""
        parts = conjuncts(formula_of(target))
        if to.table and Node("own") in parts:
            return replace(to, own=None, part="shared")  # "on the same table": any table
        if side == "in" or Node("one") not in parts or self._before is None:
            return to
        like = Phrase(kind=self._before.kind)  # "the red cube to the left of the blue one"
        return replace(to, like=like, sure=not self._korean)


def _as_act_of_emptying(act: Node) -> Node:
    """Return the act that empties a container for "it should be empty", or the act itself."""
    state = act.get("of")
    if act.text("verb") != "become" or not isinstance(state, Node) or state.get("hold") != EMPTY:
        return act
    return act.replace(verb="empty", of=state.node("of"))


def _forbids_release_or_throw(node: Node) -> bool:
    """Return True for "do not put it down" or "do not throw it", which needs no action."""
    return node.kind == "avoid" and node.node("of").text("verb") in (*_LETTING, *_BEYOND)


def _without_impossible_act(node: Node) -> Node:
    """Return the ban of an impossible act as a remark about its object; others are unchanged."""
    act = node.node("of") if node.kind == "avoid" else node
    impossible = node.kind == "avoid" and act.text("verb") in _BEYOND
    return Node("remark", (("of", act.parts()),)) if impossible else node


def _sides_differ(act: Node) -> bool:
    """Return True if the goal of an act is a side, and some but not all of its objects have a side.

    In "the cups on the left and the cubes on the right", both sides may be meant as goals.
    """
    goal = act.get("to")
    to = goal.get("to") if isinstance(goal, Node) else None
    only_side = isinstance(to, Node) and formula_of(to).text("attribute") in ("left", "right")
    placed = [any(part.kind == "placed" for part in one.walk()) for one in act.parts()]
    return only_side and any(placed) and not all(placed)


def _with_side(to: Phrase, relation: str) -> tuple[Phrase, Side]:
    """Return a target, limited to the part of the table that `relation` means, and the side.

    Raises:
        Trouble: NOT_UNDERSTOOD if the relation is not a side of the target.
    """
    if to.table and relation in _PARTS:
        return replace(to, part=_PARTS[relation]), SIDES["in"]
    if relation == "middle" and to.kind in CONTAINERS:
        return to, SIDES["in"]
    if relation in _PLACES_OF_OBJECTS and not to.table:
        return replace(to, part=relation), SIDES["in"]
    if relation not in SIDES:
        raise Trouble("NOT_UNDERSTOOD")
    return to, SIDES[relation]


def _with_exceptions_of_themes(
    away: Phrase | None, themes: tuple[Phrase, ...]
) -> tuple[Phrase | None, tuple[Phrase, ...]]:
    """Return source and objects, after moving the exceptions of the source to the objects.

    An example is "put everything off the table except the ball".

    Raises:
        Trouble: NOT_UNDERSTOOD for a number of objects from several places, as in "one cup from
            each table".
    """
    several = away is not None and away.number == "all"
    if several and any(one.count or _is_part(one) for one in themes):
        raise Trouble("NOT_UNDERSTOOD")
    if away is None or not excludes_objects(away):
        return away, themes
    themes = tuple(replace(one, but=(*one.but, *away.but)) for one in themes)
    return replace(away, but=()), themes


def _verb_of_clearing(verb: Verb, themes: tuple[Phrase, ...], *, placed: bool) -> Verb:
    """Return "out" for clearing the content of a container, "clear" for emptying a table.

    With a target (`placed`), the content of a container is moved there.
    """
    if verb == "clear" and _are_content(themes) and not placed:
        return "out"
    tables = [one.relation is not None and one.relation[1].table for one in themes]
    return "clear" if verb == "empty" and tables and all(tables) else verb


def _are_content(themes: tuple[Phrase, ...]) -> bool:
    """Return True for objects in or on a container: "clear everything that is on the plate"."""
    places = [one.relation or ("", None) for one in themes]
    return bool(places) and all(
        side == "in" and holder is not None and not holder.table for side, holder in places
    )


def _is_part(phrase: Phrase) -> bool:
    """Return True if a phrase selects some of the described objects: "half of them", "one"."""
    return phrase.count > 0 or phrase.share > 0 or phrase.number == "any"


def _group_of(phrase: Phrase) -> Phrase | None:
    """Return the objects from which a phrase selects some; None if it means all that it describes.

    Examples are "one of the cups", "the bigger red cube" and "two of them".
    """
    if phrase.group is not None or not (_is_part(phrase) or phrase.order):
        return phrase.group
    return replace(phrase, count=0, share=0, order="", rank=1, near=None, number="all")


def _is_contrasted(phrase: Phrase, other: Phrase) -> bool:
    """Return True if phrases differ in an attribute: "the red cube … the blue one"."""
    shared = phrase.values.keys() & other.values.keys()
    return any(set(phrase.values[one]).isdisjoint(other.values[one]) for one in shared)


def _is_bare_number(phrase: Phrase) -> bool:
    """Return True for a phrase that consists of a number: "number 1"."""
    described = phrase.kind or phrase.name or phrase.table or phrase.values
    return phrase.index is not None and not described


def _noun_of_earlier_place(to: Phrase, like: Phrase | None, text: str) -> Phrase:
    """Return a place named by its number alone, with the noun of an earlier place.

    Raises:
        Trouble: NOTHING_BEFORE if there is no earlier place with a noun.
    """
    if like is None or not (like.kind or like.table):
        raise Trouble("NOTHING_BEFORE", what=text or to.text or "-")
    return replace(to, kind=like.kind, table=like.table)


def _relates_object_to_place(node: Node) -> bool:
    """Return True for a relation to a place given by a noun phrase ("on the tray", not "on it")."""
    to = node.get("to") if node.kind == "rel" else None
    return isinstance(to, Node) and to.kind == "np"


def _require_shapes(themes: tuple[Phrase, ...]) -> tuple[Phrase, ...]:
    """Return `themes`; refuse a collective noun beside other objects.

    Raises:
        Trouble: NOT_UNDERSTOOD for a collective, as in "the fruit and the cubes, each together".
    """
    if len(themes) > 1 and any(one.kind and is_collective(one.kind) for one in themes):
        raise Trouble("NOT_UNDERSTOOD")
    return themes


def _include_all(phrase: Phrase) -> Phrase:
    """Return a phrase with "one" changed to "all", because a Korean noun does not mark number."""
    if phrase.again or phrase.rest or phrase.number != "one":
        return phrase
    return replace(phrase, number="all")
