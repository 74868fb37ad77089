"""Answers to questions about the table from its current state, in the question's language.

A question about a missing object is not refused: the answer is "there is none" or "no". All found
objects are named.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from bt_exec.language.messages import load_messages
from bt_exec_skills.tabletop.display_names import display_name_or_id, list_names, value_word
from bt_exec_skills.tabletop.environment_state import Environment
from bt_exec_skills.tabletop.goals.attribute_groups import (
    groups_of,
    non_containers,
    unsorted_objects,
)
from bt_exec_skills.tabletop.goals.model import Phrase, Trouble
from bt_exec_skills.tabletop.goals.question import Place, Question
from bt_exec_skills.tabletop.goals.resolve import (
    Scope,
    containers_among,
    count_in,
    objects_of,
    tables_of,
)
from bt_exec_skills.tabletop.name_attributes import ATTRIBUTES, SIZES, attributes_in_name
from bt_exec_skills.tabletop.placement_search import is_beside, is_between

__all__ = ["Answer", "answer"]

_NONE = ("NOTHING_LIKE_THAT", "ALL_LEFT_OUT", "TOO_FEW", "EMPTY_ALREADY")
_MANY, _MOST_NAMED = 3, 20
_INSIDE: Place = ("in", Phrase())


@dataclass(frozen=True)
class Answer:
    """Answer to a question.

    Attributes:
        holds: Whether the answer is "yes", or objects were found.
        text: Sentences of the answer.
        names: Objects that the answer names.
        decided: Whether the question applies to its objects; if not, the text gives the reason.
    """

    holds: bool
    text: str
    names: tuple[str, ...] = ()
    decided: bool = True


def answer(question: Question, now: Environment, held: str | None, language: str) -> Answer:
    """Return the answer to a question.

    Args:
        question: The question.
        now: Current environment.
        held: Name of the object in the hand, or None.
        language: Language of the answer.

    Raises:
        Trouble: If it is unclear which present object the question is about.
    """
    table = _QuestionAnswerer(now, held, language)
    kinds = {
        "which": table.tell_which,
        "count": table.tell_count,
        "where": table.tell_where,
        "is": table.tell_is,
        "held": table.tell_held,
        "values": table.tell_values,
        "sorted": table.tell_sorted,
        "empty": table.tell_empty,
        "empties": table.tell_empties,
        "more": table.tell_more,
        "difference": table.tell_more,
        "majority": table.answer_majority,
        "fullest": table.answer_fullest_place,
        "emptiest": table.answer_fullest_place,
        "alike": table.answer_equality,
        "unlike": table.answer_equality,
        "than": table.answer_size_comparison,
        "moved": table.answer_moved_count,
    }
    return kinds[question.kind](question)


_sentences = partial(load_messages, Path(__file__).with_name("answers.yaml"))


def matching_objects(phrase: Phrase, now: Environment) -> tuple[str, ...]:
    """Return all objects that a phrase may mean; empty if there are none."""
    scope = Scope(now)
    try:
        if phrase.table:
            return tables_of(phrase, scope)
        return objects_of(replace(phrase, number="all", count=0), scope)
    except Trouble as trouble:
        if trouble.code in _NONE:
            return ()
        relation = phrase.relation[0] if phrase.relation else ""
        if trouble.code == "WHICH_ONE" and not phrase.listed and relation != "between":
            return trouble.choices
        raise


def is_within(number: int, bound: str, limit: int) -> bool:
    """Return True if a number of objects satisfies a limit."""
    return {
        "exactly": number == limit,
        "at_least": number >= limit,
        "at_most": number <= limit,
        "more": number > limit,
        "fewer": number < limit,
    }[bound]


def _matches_anything(phrase: Phrase) -> bool:
    """Return True if a phrase matches every object, as "anything" does."""
    return not (phrase.kind or phrase.values or phrase.name or phrase.order or phrase.relation)


class _QuestionAnswerer:
    """Answers to questions from one state of the environment."""

    def __init__(self, now: Environment, held: str | None, language: str) -> None:
        self.now, self.held, self.language = now, held, language

    def say(self, code: str, names: Iterable[str] = (), **facts: str) -> str:
        given = {"things": list_names(names, self.language, _MOST_NAMED), **facts}
        return _sentences().say(code, self.language, **given)

    # -- objects of the answer

    def all_of(self, phrases: Iterable[Phrase]) -> tuple[str, ...]:
        names = (name for phrase in phrases for name in matching_objects(phrase, self.now))
        return tuple(dict.fromkeys(names))

    def subject(self, question: Question) -> tuple[str, ...]:
        """Return the objects that a question is about, limited to the place in the question."""
        names = self.all_of(question.things) if question.things else tuple(self.now.objects)
        if question.place is None:
            return names
        anchors = matching_objects(question.place[1], self.now)
        if question.place[0] == "between":
            return tuple(name for name in names if is_between(self.now, name, anchors))
        return tuple(
            name for name in names if any(self.is_at(name, question.place, one) for one in anchors)
        )

    def is_at(self, name: str, place: Place, anchor: str) -> bool:
        """Return True if an object is at the given place. A held object has no place."""
        side, now = place[0], self.now
        if name in (self.held, anchor):
            return False
        if side != "in" and side != "between":
            return anchor in now.objects and is_beside(now, name, anchor, side, now.base)
        return now.place_of(name) == anchor

    def has_surface(self, place: str) -> bool:
        """Return True if objects are "on" a place rather than "in" it."""
        return place in self.now.tables or attributes_in_name(place).kind in ("plate", "tray")

    def place_sentence(self, name: str) -> str:
        """Return a sentence about the place of an object, or about the distance of a table."""
        if name in self.now.tables:
            return self.distance_sentence(name)
        if name == self.held:
            return self.say("IS_HELD", (name,))
        place = self.now.place_of(name)
        if place is None:
            floor = self.now.is_on_floor(name)
            return self.say("IS_ON_FLOOR" if floor else "IS_SOMEWHERE", (name,))
        code = "IS_ON" if self.has_surface(place) else "IS_IN"
        sentence = self.say(code, (name,), place=display_name_or_id(place, self.language))
        table = self.now.table_of(place) if place in self.now.objects else None
        if table is None:
            return sentence
        shown = display_name_or_id(table, self.language)
        return f"{sentence} {self.say('IS_ON', (place,), place=shown)}"

    def distance_sentence(self, table: str) -> str:
        """Return a sentence about the distance between a table's centre and the robot's base."""
        if (base := self.now.base) is None:
            return self.say("IS_UNKNOWN", (table,))
        metres = math.dist(base[:2], self.now.tables[table][:2])
        return self.say("IS_AWAY", (table,), metres=f"{metres:.1f}")

    def place_sentences(self, names: Iterable[str]) -> str:
        """Return sentences about the places of several objects, grouped by place."""
        listed_names = tuple(names)
        if len(listed_names) < _MANY or self.now.tables.keys() & listed_names:
            return " ".join(dict.fromkeys(self.place_sentence(name) for name in listed_names))
        groups: dict[str | None, list[str]] = {}
        for name in listed_names:
            held = name == self.held
            groups.setdefault("" if held else self.now.place_of(name), []).append(name)
        return " ".join(self.group_place_sentence(place, group) for place, group in groups.items())

    def group_place_sentence(self, place: str | None, names: list[str]) -> str:
        """Return a sentence about objects at one place.

        `place` is "" for the hand, and None if it is unknown.
        """
        if place == "":
            return self.say("I_HOLD", names)
        if place is None:
            floor = all(map(self.now.is_on_floor, names))
            return self.say("ON_FLOOR" if floor else "SOMEWHERE", names)
        code = "ON" if self.has_surface(place) else "IN"
        return self.say(code, names, place=display_name_or_id(place, self.language))

    def with_containers(self, names: tuple[str, ...], question: Question) -> tuple[str, ...]:
        """Return `names` and the containers that the question describes as well."""
        place = question.place
        anchors = matching_objects(place[1], self.now) if place is not None else ()
        more = (name for one in question.things for name in self.counted(one))
        there = (
            name
            for name in more
            if place is None or any(self.is_at(name, place, one) for one in anchors)
        )
        return tuple(dict.fromkeys((*names, *there)))

    # -- kinds of questions

    def tell_which(self, question: Question) -> Answer:
        names, place = self.subject(question), question.place
        if place is None and any(one.content for one in question.things):
            lines = [self.content_sentence(one, tuple(self.now.objects), _INSIDE) for one in names]
            return Answer(bool(names), " ".join(lines) or self.say("NONE"), names)
        if place is None or place[0] != "in":
            every = self.with_containers(names, question)
            text = self.count_sentence(every) if len(every) > 1 else self.say("THIS", every)
            return Answer(bool(names), text if every else self.say("NOTHING"), names)
        anchors = matching_objects(place[1], self.now)
        if not anchors:
            return Answer(False, self.say("NO_PLACE"))
        if any(one.but for one in question.things):  # "anything besides the cups"
            names = self.with_containers(names, question)
        full = [one for one in anchors if any(self.is_at(name, place, one) for name in names)]
        full = [] if question.each else full
        lines = [self.content_sentence(anchor, names, place) for anchor in full or anchors]
        return Answer(bool(names), " ".join(lines) or self.say("NOTHING"), names)

    def content_sentence(self, anchor: str, names: tuple[str, ...], place: Place) -> str:
        """Return a sentence about the objects of `names` that are in a container or on a table."""
        code = "ON" if self.has_surface(anchor) else "IN"
        there = [name for name in names if self.is_at(name, place, anchor)]
        spoken = display_name_or_id(anchor, self.language)
        if not there:
            return self.say(f"NOTHING_{code}", place=spoken)
        return self.say(code, there, place=spoken)

    def count_sentence(self, names: tuple[str, ...]) -> str:
        """Return a sentence with the number of objects; it names the containers among them.

        Containers are not named if all of the objects are containers.
        """
        if not names:
            return self.say("NONE")
        holders = tuple(name for name in names if attributes_in_name(name).is_container)
        if holders in ((), names):
            return self.say("COUNT", names, count=str(len(names)))
        others = list_names(holders, self.language)
        return self.say("COUNT_BOTH", names, count=str(len(names)), others=others)

    def tell_count(self, question: Question) -> Answer:
        names, place = self.subject(question), question.place
        every = self.with_containers(names, question)
        if not question.each or place is None:
            return Answer(bool(names), self.count_sentence(every), names)
        lines = []
        for anchor in matching_objects(place[1], self.now):
            there = tuple(name for name in every if self.is_at(name, place, anchor))
            shown = display_name_or_id(anchor, self.language)
            lines.append(self.say("COUNT_AT", place=shown, counted=self.count_sentence(there)))
        return Answer(bool(names), " ".join(lines) or self.say("NO_PLACE"), names)

    def tell_where(self, question: Question) -> Answer:
        names = self.all_of(question.things)
        if not names:
            return Answer(False, self.say("NONE"))
        missing = self.unmatched_phrases(question, names)
        text = f" {self.say('MISSING', missing=missing)}" if missing else ""
        return Answer(True, self.place_sentences(names) + text, names)

    def unmatched_phrases(self, question: Question, there: Iterable[str]) -> str:
        """Return the phrases of the question that match none of the objects `there`."""
        names = set(there)
        gone = [
            one.text for one in question.things if names.isdisjoint(matching_objects(one, self.now))
        ]
        return ", ".join(f"“{text}”" for text in gone)

    def tell_is(self, question: Question) -> Answer:
        every, meant = question.every, self.all_of(question.things)
        solid = self.all_of(replace(one, content="") for one in question.things if one.content)
        if solid and not any(map(self.is_place, solid)):
            why = self.say("NO_CONTAINER", solid)
            if any(one.content == "none" for one in question.things):
                return Answer(False, why, solid, decided=False)
            return Answer(False, self.say("NO_THESE", why=why), solid)
        about = self.subject(question)
        about = about if every else self.with_containers(about, question)
        there = [name for name in about if self.is_like(name, question)]
        if question.bound is not None:
            so = is_within(len(there), *question.bound)
            counted = self.count_sentence(tuple(there)) if there else self.say("NONE")
            text = f"{self.say('YES' if so else 'NO')} {counted}"
            if not so and 0 < len(there) < question.bound[1]:
                text = self.say("NO_ONLY", there, count=str(len(there)))
            return Answer(so, text, tuple(there))
        missing = self.unmatched_phrases(question, there)
        if there and missing:
            return Answer(False, self.say("NOT_BOTH", there, missing=missing), tuple(there))
        if there and not (every and len(there) < len(meant)):
            return Answer(True, self.say("YES_THESE", there), tuple(there))
        if not meant:
            return Answer(False, self.say("NO_THESE", why=self.say("NONE")))
        others = tuple(name for name in meant if name not in there)
        if question.like:
            why = self.attribute_sentences(others, question)
        elif any(one.but for one in question.things):
            why = self.say("NOTHING_ELSE")
        elif (
            question.place is not None
            and not every
            and all(map(_matches_anything, question.things))
        ):
            anchors = matching_objects(question.place[1], self.now)
            why = " ".join(self.content_sentence(one, (), question.place) for one in anchors)
        else:
            why = self.place_sentences(others)
        return Answer(False, self.say("NO_THESE", why=why), tuple(there))

    def is_like(self, name: str, question: Question) -> bool:
        like = question.like.items()
        return all(
            attributes_in_name(name).value(attribute) in values for attribute, values in like
        )

    def attribute_sentences(self, names: Iterable[str], question: Question) -> str:
        """Return sentences about those attributes of objects that the question asks for."""
        lines = []
        for name in names:
            values = [attributes_in_name(name).value(attribute) for attribute in question.like]
            listed = list_names(filter(None, values), self.language) if any(values) else ""
            lines.append(self.say("IS_LIKE", (name,), values=listed or self.say("UNNAMED")))
        return " ".join(lines)

    def tell_held(self, question: Question) -> Answer:
        if self.held is None:
            no = f"{self.say('NO')} " if question.things else ""
            return Answer(False, no + self.say("HAND_EMPTY"))
        hold = self.say("I_HOLD", (self.held,))
        if not question.things:
            return Answer(True, hold, (self.held,))
        so = self.held in self.all_of(question.things)
        return Answer(so, f"{self.say('YES' if so else 'NO')} {hold}", (self.held,))

    def tell_values(self, question: Question) -> Answer:
        assert question.by is not None
        names = self.subject(question)
        if not names:
            return Answer(False, self.say("NONE"))
        return Answer(True, " ".join(self.value_sentences(names, question)), names)

    def value_sentences(self, names: tuple[str, ...], question: Question) -> Iterator[str]:
        assert question.by is not None
        for value, group in groups_of(names, question.by).items():
            word = value_word(value, self.language, alone=True) if value else self.say("UNNAMED")
            yield self.say("IS_LIKE", (word,), values=list_names(group, self.language, _MOST_NAMED))

    def tell_sorted(self, question: Question) -> Answer:
        about = self.all_of(question.things)
        meant = [name for name in non_containers(self.now) if name in about] or list(
            non_containers(self.now)
        )
        if not meant:
            return Answer(False, self.say("NOTHING_TO_SORT"))
        tried = (question.by,) if question.by else ATTRIBUTES
        left = {by: [n for n in unsorted_objects(self.now, by) if n in meant] for by in tried}
        best = min(left, key=lambda by: len(left[by]))
        if not left[best]:
            return Answer(True, self.say("SORTED", by=best))
        return Answer(False, self.say("NOT_SORTED", left[best]), tuple(left[best]))

    def tell_empty(self, question: Question) -> Answer:
        if not question.things:
            so = self.held is None
            return (
                Answer(so, f"{self.say('YES')} {self.say('HAND_EMPTY')}")
                if so
                else Answer(False, f"{self.say('NO')} {self.say('I_HOLD', (self.held or '',))}")
            )
        names = self.all_of(question.things)
        if not names:
            return Answer(False, self.say("NO_THESE", why=self.say("NONE")))
        solid = [
            n for n in names if n in self.now.objects and not attributes_in_name(n).is_container
        ]
        if solid:
            return Answer(False, self.say("NO_CONTAINER", solid), tuple(solid), decided=False)
        lines = [self.content_sentence(name, tuple(self.now.objects), _INSIDE) for name in names]
        so = all(map(self.is_empty, names))
        return Answer(so, f"{self.say('YES' if so else 'NO')} {' '.join(lines)}", names)

    def counted(self, phrase: Phrase) -> tuple[str, ...]:
        """Return the objects that a phrase describes; for "things", containers are included."""
        more = containers_among(phrase, Scope(self.now))
        return tuple(dict.fromkeys((*matching_objects(phrase, self.now), *more)))

    def tell_more(self, question: Question) -> Answer:
        some, others = map(self.counted, question.things)
        ahead = len(some) - len(others)
        so = {"more": ahead > 0, "fewer": ahead < 0, "as_many": ahead == 0}[question.sign]
        counts = " ".join(self.count_sentence(names) for names in (some, others) if names)
        states_difference = so and question.kind == "difference"
        first = f"{abs(ahead)}." if states_difference else self.say("YES" if so else "NO")
        return Answer(so, f"{first} {counts}", (*some, *others))

    def answer_majority(self, question: Question) -> Answer:
        """Return the answer to the question which of two kinds has more objects, or fewer."""
        found = [(one.text, self.counted(one)) for one in question.things]
        found.sort(key=lambda one: len(one[1]), reverse=question.sign == "more")
        (what, some), (_, others) = found
        code = "AS_MANY" if len(some) == len(others) else f"{question.sign}_of".upper()
        what = what or list_names(some, self.language, _MOST_NAMED)
        counts = (self.count_sentence(names) for names in (some, others) if names)
        return Answer(True, " ".join((self.say(code, what=what), *counts)), (*some, *others))

    def answer_fullest_place(self, question: Question) -> Answer:
        counted, *named = question.things
        places = tuple(name for name in self.all_of(named) if self.is_place(name))
        numbers = {name: count_in(name, counted, Scope(self.now)) for name in places}
        if not numbers:
            return Answer(False, self.say("NO_PLACE"))
        best = (max if question.kind == "fullest" else min)(numbers.values())
        names = tuple(name for name in places if numbers[name] == best)
        each = (self.say("IS_LIKE", (name,), values=str(numbers[name])) for name in places)
        text = self.say("THIS", names) if len(set(numbers.values())) > 1 else ""
        return Answer(bool(text), " ".join(filter(None, (text, *each))), names)

    def answer_equality(self, question: Question) -> Answer:
        """Return the answer to the question whether objects share an attribute value or a place."""
        names, place = self.all_of(question.things), question.place
        if place is None:
            assert question.by is not None
            found = [attributes_in_name(name).value(question.by) or None for name in names]
            why = " ".join(self.value_sentences(names, question))
        else:
            find = self.now.table_of if place[1].kind == "table" else self.now.container_of
            found, why = [find(name) for name in names], self.place_sentences(names)
        so = (len(set(found)) == 1 and None not in found) == (question.kind == "alike")
        known = len(names) > 1 and (place is not None or None not in found)
        yes = f"{self.say('YES' if so else 'NO')} " if known else ""
        return Answer(so, yes + (why or self.say("NONE")), names, decided=known)

    def answer_size_comparison(self, question: Question) -> Answer:
        """Return the answer to the question whether objects are bigger, or smaller, than others."""
        *things, other = question.things
        some, others = self.all_of(things), self.all_of([other])
        sizes = [[attributes_in_name(name).size for name in names] for names in (some, others)]
        why = self.attribute_sentences((*some, *others), replace(question, like={"size": ()}))
        if not (all(sizes) and all(map(all, sizes))):
            return Answer(False, why or self.say("NONE"), (*some, *others), decided=False)
        low, high = ([SIZES.index(size) for size in one] for one in sizes)
        so = min(low) > max(high) if question.sign == "more" else max(low) < min(high)
        return Answer(so, f"{self.say('YES' if so else 'NO')} {why}", (*some, *others))

    def answer_moved_count(self, _: Question) -> Answer:
        """Return the answer to the question how many objects the mission has moved."""
        names = self.now.returnable
        text = self.count_sentence(names) if names else self.say("NOT_MOVED")
        return Answer(bool(names), text, names)

    def tell_empties(self, question: Question) -> Answer:
        names = tuple(filter(self.is_empty, self.all_of(question.things)))
        return Answer(bool(names), self.say("THIS" if names else "NONE", names), names)

    def is_empty(self, name: str) -> bool:
        """Return True if `name` is a container or a table without objects in or on it."""
        return self.is_place(name) and not any(
            self.is_at(one, _INSIDE, name) for one in self.now.objects
        )

    def is_place(self, name: str) -> bool:
        """Return True if `name` is a container or a table."""
        return name in self.now.tables or attributes_in_name(name).is_container
