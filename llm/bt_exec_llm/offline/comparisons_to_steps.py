"""Conversion of comparisons of places, as in "which place has the most people", to steps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from bt_exec.language.reading.meaning_node import Node, conjuncts
from bt_exec_llm.offline.questions_to_steps import QuestionConverter
from bt_exec_llm.offline.reader_lexicon import parse_name
from bt_exec_llm.offline.step import COMPARE, OTHER_PLACE, QUESTION, Step
from bt_exec_llm.offline.step_conversion_errors import NoStepsError
from bt_exec_llm.offline.step_piece import Piece

__all__ = ["Comparisons"]

_SIGNS = {"more": "most", "fewer": "least"}
_ORDERS = {"holds": "most", "others": "most", "more": "most", "fails": "least", "less": "least"}
"""Orders of comparisons, by the sense of the comparing word."""
_ORDER = "Order"
"""Name of the piece for the order of a comparison."""
_SCOPES = frozenset({"if", "avoid", "ordered"})


class _Comparison(NamedTuple):
    """Comparison of places by one aspect.

    Attributes:
        aspect: Compared aspect, such as noise or light.
        order: ``most`` or ``least``.
        places: Places that are named.
        everywhere: Whether a comparison without named places concerns all places.
    """

    aspect: Piece
    order: str
    places: list[Piece]
    everywhere: bool = False


def _is_any(phrase: Node) -> bool:
    return phrase.kind == "np" and phrase.node("of").kind == "any"


def _only_object_name(phrase: Node) -> str:
    """Return the name of the only object in a phrase; "" for other phrases."""
    of = phrase.get("of")
    return of.text("name") if isinstance(of, Node) and of.kind == "thing" else ""


class Comparisons(QuestionConverter):
    """Converter of the comparisons of one meaning."""

    def _compares(self, ask: Node) -> bool:
        kinds = {part.kind for part in ask.walk()}
        return self._lexicon.compares is not None and bool(kinds & {"more", "than", "most"})

    def _convert_comparison(self, ask: Node) -> Iterator[Step]:
        """Yield the steps for the observations that a comparison needs, then the comparison.

        Raises:
            NoStepsError: If it is unclear which places are compared.
        """
        found = self._comparison_of(ask)
        before = [step for step in self._built if self._places_of(step)]
        if found.places and before:
            raise NoStepsError  # the command observes other places, too
        places = found.places or self._unobserved_places(before, found)
        if places:
            pieces = [*places, found.aspect]
            yield replace(self._build_step((QUESTION,), pieces, ask), via="tell")
        order = self._new_piece("value", _ORDER, found.order)
        yield replace(self._build_step((COMPARE,), [found.aspect, order], ask), via="tell")

    def _unobserved_places(self, before: list[Step], found: _Comparison) -> list[Piece]:
        """Return the compared places that no earlier step observes."""
        if not before:
            if not found.everywhere:
                raise NoStepsError
            return self._default_places()
        kinds = {node.kind for node in self._reading.meaning.walk()}
        places = [piece for step in before for piece in self._places_of(step)]
        if kinds & _SCOPES or self._number_of(places) < 2:
            raise NoStepsError
        if not any(self._is_observation(step) for step in before):
            return places
        narrow = any(self._lacks_compared_aspect(step, found.aspect) for step in before)
        if narrow or not all(self._is_observation(step) for step in before):
            raise NoStepsError
        return []

    def _default_places(self) -> list[Piece]:
        """Return the default places of an observation without named places."""
        ways = (way.about.items() for way in self._lexicon.ways.values())
        every = dict.fromkeys(one for way in ways for one in way if one[0] in self._each)
        if len(every) != 1:
            raise NoStepsError
        return [self._new_piece("value", *one) for one in every]

    def _number_of(self, places: list[Piece]) -> int:
        values = (self._lexicon.values[piece.name][piece.value] for piece in places)
        return sum(len(value.each) or 1 for value in values)

    def _is_observation(self, step: Step) -> bool:
        known = self._lexicon.verbs
        verbs = [self._lexicon.general_verb(one) for one in step.acts]
        return not verbs or any(known[one].finds == "look" for one in verbs if one in known)

    def _lacks_compared_aspect(self, step: Step, aspect: Piece) -> bool:
        """Return True if an observation is limited to aspects other than the compared one."""
        ways = (self._lexicon.ways.get(verb) for verb in step.verbs)
        named = {way.about[aspect.name] for way in ways if way and aspect.name in way.about}
        named |= {piece.value for piece in step.pieces if piece.name == aspect.name}
        return bool(named) and aspect.value not in named

    def _places_of(self, step: Step) -> list[Piece]:
        return [piece for piece in step.pieces if piece.name in self._each and piece.mark != "not"]

    def convert_condition(self, ask: Node) -> tuple[Step, bool]:
        """Return the question and the required answer of a condition, which may be a comparison."""
        if not self._compares(ask):
            return super().convert_condition(ask)
        if self._case:
            raise NoStepsError
        found = self._convert_compared_condition(ask)
        self._free, self._asked, self._conditioned = False, found, found
        return found

    def _convert_compared_condition(self, ask: Node) -> tuple[Step, bool]:
        """Return the question of a comparison of two places, and the required answer.

        Raises:
            NoStepsError: If the question does not compare two places.
        """
        found = self._comparison_of(ask)
        hold = ask.node("of").get("hold")
        denied = isinstance(hold, Node) and hold.kind == "not"
        if len(found.places) != 2:
            raise NoStepsError
        place, other = found.places
        if self._number_of(found.places) != 2:
            raise NoStepsError
        order = self._new_piece("value", _ORDER, found.order)
        pieces = [place, replace(other, name=OTHER_PLACE), found.aspect, order]
        return replace(self._build_step((COMPARE,), pieces, ask), via="ask"), not denied

    def _comparison_of(self, ask: Node) -> _Comparison:
        """Return the comparison in a question.

        Raises:
            NoStepsError: If the question does not compare places.
        """
        of = ask.node("of")
        if of.kind == "exists":
            of = of.node("of")
        if of.kind == "more":
            return self._comparison_of_two(of)
        if of.kind == "all":
            hold = of.node("hold")
            hold = hold.parts()[0] if hold.kind == "not" else hold
            return self._compared_with(hold, of.node("of"))
        if of.kind != "np":
            raise NoStepsError
        parts = list(conjuncts(of.node("of")))
        for part in parts:
            if part.kind == "than":
                rest = [one for one in parts if one is not part]
                if len(rest) == 1:
                    return self._compared_with(part, Node("np", (("of", rest[0]),)))
        if len(parts) != 1 or parts[0].kind != "most" or parts[0].get("to") or parts[0].get("rank"):
            raise NoStepsError
        aspect, order = self._aspect_of(parts[0].text("attribute"), "")
        inner = parts[0].node("of")
        phrase = inner if inner.kind == "both" else Node("np", (("of", inner),))
        places = [] if inner.kind == "one" else self._compared_places(phrase)
        where = ask.text("what") == "where"
        return _Comparison(aspect, order, places, everywhere=where)

    def _comparison_of_two(self, more: Node) -> _Comparison:
        sign, both = more.text("sign"), (more.node("of"), more.node("to"))
        if both[1].kind == "pronoun" and sign.startswith("value/"):
            return _Comparison(*self._aspect_of(sign, ""), [])
        if sign.startswith("value/"):
            places = [piece for one in both for piece in self._compared_places(one)]
            return _Comparison(*self._aspect_of(sign, ""), places)
        elided = both[1].kind == "pronoun" or _is_any(both[1])
        if elided:
            aspect = self._aspect_of(_only_object_name(both[0]), sign)
            return _Comparison(*aspect, [], everywhere=_is_any(both[1]))
        pieces = [list(self._convert_phrase(one)) for one in both]
        things = {(p.name, p.value) for own in pieces for p in own if p.name in self._joined}
        places = [piece for own in pieces for piece in own if piece.name in self._each]
        if sign not in _SIGNS or len(things) != 1 or sum(map(len, pieces)) != len(places) + 2:
            raise NoStepsError
        ((kind, value),) = things
        return _Comparison(*self._aspect_of(f"value/{kind}/{value}/more", sign), places)

    def _compared_with(self, than: Node, place: Node) -> _Comparison:
        if than.kind != "than":
            raise NoStepsError
        places = [*self._compared_places(place), *self._compared_places(than.node("to"))]
        return _Comparison(*self._aspect_of(than.text("attribute"), ""), places)

    def _aspect_of(self, said: str, sign: str) -> tuple[Piece, str]:
        """Return the aspect that a word compares, and ``most`` or ``least``."""
        compares = self._lexicon.compares
        if compares is None or said.count("/") != 3:
            raise NoStepsError
        _, kind, value, sense = parse_name(said)
        order = _SIGNS.get(sign) or _ORDERS.get(sense)
        if value not in compares.of.get(kind, ()) or order is None:
            raise NoStepsError
        return self._new_piece("value", kind, value), order

    def _compared_places(self, phrase: Node) -> list[Piece]:
        places = list(self._convert_phrase(phrase))
        if not places or any(p.name not in self._each or p.mark == "not" for p in places):
            raise NoStepsError
        return places
