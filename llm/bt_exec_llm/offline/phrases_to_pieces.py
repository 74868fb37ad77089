"""Conversion of phrases, relations and formulas into the pieces of a step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import cast

from bt_exec.language.closed_classes import closed_words
from bt_exec.language.reading.grammar import PAUSES
from bt_exec.language.reading.lexicon import language_data
from bt_exec.language.reading.meaning_node import Node, Value, conjuncts
from bt_exec.language.reading.reader import Reading
from bt_exec_llm.offline.exclusions import REST, find_only_other_value
from bt_exec_llm.offline.lexicon import Lexicon, Words
from bt_exec_llm.offline.reader_lexicon import parse_name
from bt_exec_llm.offline.step_conversion_errors import NoStepsError
from bt_exec_llm.offline.step_piece import FIRST, LAST, RANKS, Kind, Piece

__all__ = [
    "ARMS",
    "DESCRIBED",
    "HAND",
    "HELD",
    "HELD_THING",
    "HOME",
    "STATUS",
    "THERE",
    "WITH",
    "PhraseConverter",
]

ARMS = "arms"
"""Noun that stands for both arms of the robot, or both hands."""
HAND = "hand"
"""Noun that stands for an arm of the robot."""
HELD = "held"
"""State of an object in a hand, and the relation for this state."""
HOME = "home"
"""Noun of the place where the arms rest."""
HELD_THING, STATUS = "held_thing", "status"
DESCRIBED = frozenset({STATUS, HELD_THING})
"""Nouns that name the state of an object, or an object by its state."""
_OWN = Node("own")
_INSIDE = "inside"
_KINDS_WITHOUT_PIECE = ("any", "one", "many")
"""Kinds of formulas that add no piece."""
_RELATION_OF: Mapping[str, str] = {"in": "inside", "from": "from_inside"}
"""Relations to an object, by preposition."""
WITH = ("~with", "~using", "~by", "~use")
"""Categories of English words before the tool of an act."""
_TOOL = "tool"
"""Relation of an instrument without a preposition: "close the door left hand"."""
_MARKS: Mapping[str, str] = {
    "at": "at",
    "by": "by",
    "in": "at",
    "to": "to",
    "from": "from",
    "with": "with",
    FIRST: FIRST,
    LAST: LAST,
}
"""Marks of pieces, by relation."""
THERE, _IT = (Node("pronoun", (("name", name),)) for name in ("there", "it"))
"""Pronouns for a place and for an object."""
_ONE, _TWO = (Node("quantity", (("bound", "exactly"), ("number", n))) for n in (1, 2))


class PhraseConverter:
    """Converter of the phrases of one meaning.

    Args:
        lexicon: The words of the site.
        reading: The parsed text that contains the meaning.
    """

    def __init__(self, lexicon: Lexicon, reading: Reading) -> None:
        self._lexicon = lexicon
        self._reading = reading
        self._language = reading.language
        self._said = reading.words_of
        self._each = lexicon.list_types("each")
        self._joined = lexicon.list_types("joined")
        self._persons = lexicon.recipient_types
        contrasting = language_data(self._language)["orders"].get("contrasting", ())
        self._denies = any(
            word in leaf.text for leaf in reading.edge.leaves() for word in contrasting
        )
        self._names_tool = any(leaf.category in WITH for leaf in reading.edge.leaves())
        """Whether a rank may be that of the act: "with your left hand first"."""
        self._tool: Piece | None = None
        self._place = 0

    def _convert_phrase(self, node: Node, mark: str = "") -> Iterator[Piece]:
        if node.kind == "quote":
            yield self._new_piece("text", value=node.text("said"), text=node.text("said"))
        elif node.kind == "pronoun":
            if node.text("name") not in ("it", "them", "person", "there"):
                raise NoStepsError
            person = "person" if node.text("name") == "person" else ""
            yield self._new_piece("pronoun", person, mark=mark)
        elif node.kind == "rel":
            yield from self._convert_relation(node)
        elif node.kind in ("quantity", "times", "duration"):
            yield self._convert_number(node)
        elif node.kind == "avoid":
            for part in node.parts():
                if part.text("det") == "all":
                    raise NoStepsError  # "not only with the left arm"
                inner = part.node("to") if part.kind == "rel" else part
                yield from self._convert_phrase(inner, "not")
        elif node.kind == "both":
            for part in node.parts():
                yield from self._convert_phrase(part, mark)
        elif node.kind == "np":
            yield from self._convert_noun_phrase(node, mark)
        else:
            raise NoStepsError

    def _convert_noun_phrase(self, node: Node, mark: str) -> Iterator[Piece]:
        formula, det = node.get("of"), node.text("det")
        arms = isinstance(formula, Node) and ARMS in _nouns_of(formula)  # two, so a plural
        single = isinstance(formula, Node) and not arms and self._names_single(formula)
        one_of = det == "any" and not single
        if det == "another" or (one_of and (arms or self._language == "ko")):
            raise NoStepsError
        usual = _ONE if single else _TWO if arms else None
        quantity = None if node.get("quantity") == usual else node.get("quantity")
        if isinstance(quantity, Node):
            yield from self._convert_phrase(quantity)
        if not isinstance(formula, Node):
            return  # "nothing"
        if self._names_all_of_object(node) and not arms:
            raise NoStepsError
        described = {part.kind for part in conjuncts(formula)}
        several = quantity is None and "many" in described
        plain = "thing" in described and not self._names_aspects(formula)  # "students" is an aspect
        if several and (plain or det == "all"):
            raise NoStepsError
        if det == "rest" and mark == "not":
            return  # "the lounge, not the others" excludes everything else
        if det in ("rest", "all") and {"any", "not", "many"} >= described:
            yield self._new_piece("noun", mark=REST)
        elif det == "rest":
            if not any(map(self._means_everywhere, conjuncts(formula))):
                raise NoStepsError
            yield self._new_piece("noun", mark=REST)  # "the other rooms"
            return
        yield from self._convert_formula(formula, mark)

    def _convert_number(self, node: Node) -> Piece:
        if node.kind == "quantity" and node.text("bound") != "exactly":
            raise NoStepsError
        number = int(node.text("number"))
        kind, value = ("TIMES" if node.kind == "times" else "COUNT"), str(number)
        if node.kind == "duration":
            kind, value = "TIME", f"{number * int(node.text('unit'))}s"
        return self._new_piece("limit", kind, value, text=self._said(node) or value)

    def _names_aspects(self, formula: Node) -> bool:
        """Return True if a formula names only aspects of a place, such as its noise."""
        things = [part.text("name") for part in conjuncts(formula) if part.kind == "thing"]
        return all(thing.startswith("value/") for thing in things) and self._joined >= {
            parse_name(thing)[1] for thing in things
        }

    def _names_single(self, formula: Node) -> bool:
        """Return True if a formula names a unique object, that is, not an arm or a hand."""
        both = tuple(closed_words(self._language, "both"))
        nouns = _nouns_of(formula)
        paired = (said.startswith(both) for one in nouns for said in self._phrases_of_noun(one))
        return bool(nouns) and HAND not in nouns and not any(paired)

    def _phrases_of_noun(self, noun: str) -> tuple[str, ...]:
        return self._lexicon.nouns[noun].phrases() if noun in self._lexicon.nouns else ()

    def _names_all_of_object(self, phrase: Node) -> bool:
        """Return True if a phrase names an object and a word for "all" ("all the material")."""
        if phrase.text("det") != "all" or not _nouns_of(phrase.node("of")):
            return False
        edge = self._reading.edge_of(phrase)
        limits = self._lexicon.limits.get("COUNT", Words()).without_spaces
        return edge is not None and any(leaf.text in limits for leaf in edge.leaves())

    def _convert_relation(self, node: Node) -> Iterator[Piece]:
        relation, to = node.text("relation"), node.get("to")
        if relation == "me":
            yield self._new_piece("speaker")
        elif relation == "there":
            yield self._new_piece("filler", "there")
        elif relation == _TOOL and isinstance(to, Node):
            pieces = list(self._convert_phrase(to, "with"))
            if not all(find_only_other_value(piece, self._lexicon) for piece in pieces):
                raise NoStepsError
            yield from pieces
        elif relation == HELD and HELD in self._lexicon.states:
            yield self._new_piece("state", HELD)
        elif relation == _INSIDE and self._language == "ko":
            yield from self._convert_inside(to)
        elif self._is_place_of_noun(node):
            place = self._relative_place(node)
            yield replace(self._new_piece("noun", mark="at"), relation=place)
        elif to is not None and (relation in _MARKS or self._is_inside_place(node)):
            relation = relation if relation in _MARKS else "at"
            for one in node.parts("to"):
                pieces = list(self._convert_phrase(one, _MARKS[relation]))
                ranked = (
                    one.name in self._each
                    or (not self._names_tool and find_only_other_value(one, self._lexicon))
                    for one in pieces
                )
                if relation in RANKS and not all(ranked):
                    raise NoStepsError
                if relation == "in" and any(piece.name in self._joined for piece in pieces):
                    raise NoStepsError  # "in person"
                yield from pieces
        else:
            raise NoStepsError

    def _convert_argument(self, node: Node, among: list[Node]) -> Iterator[Piece]:
        """Yield the pieces of an argument; in English, a hand after a comma is the instrument."""
        pieces = list(self._convert_phrase(node))
        bare = len(pieces) == 1 and not pieces[0].mark and bool(_nouns_in(among[0]))
        if bare and find_only_other_value(pieces[0], self._lexicon) and self._language == "en":
            if self._joined_to(node) != "stop":
                raise NoStepsError  # "the door and the left hand"
            pieces = [pieces[0].with_mark("with")]
        yield from pieces

    def _joined_to(self, node: Node) -> str:
        """Return ``stop`` if a clause follows a pause or "but", otherwise ``then``."""
        edge = self._reading.edge_of(node)
        if edge is None and node.kind == "avoid":
            return "stop" if self._language == "en" else "then"  # "without reporting"
        if edge is None or self._language == "ko":
            return "then"
        before = [leaf for leaf in self._reading.edge.leaves() if leaf.end == edge.start]
        apart = before and (before[0].category in PAUSES or "but" in before[0].text)
        return "stop" if apart else "then"

    def _categories_of(self, *nodes: Node) -> list[str]:
        """Return the word categories of the first of `nodes` that has a position in the text."""
        edge = next(filter(None, map(self._reading.edge_of, nodes)), None)
        return [leaf.category for leaf in edge.leaves()] if edge is not None else []

    def _relative_place(self, node: Node) -> str:
        """Return the place that a relation describes, such as ``inside door``."""
        to = node.get("to")
        if not isinstance(to, Node):
            raise NoStepsError
        there = to.kind == "pronoun" and to.text("name") in ("there", "it")
        nouns = [] if there else list(self._convert_phrase(to))
        if not there and [piece.kind for piece in nouns] != ["noun"]:
            raise NoStepsError
        relation = _RELATION_OF.get(node.text("relation"), node.text("relation"))
        return f"{relation} {nouns[0].name if nouns else ''}"

    def _is_place_of_noun(self, part: Node) -> bool:
        """Return True for a relation to an object, not to a place or person: "in the door"."""
        if self._language == "ko" or self._is_inside_place(part):
            return False
        if part.text("relation") in self._lexicon.relations:
            return True
        things = [one.text("name") for one in part.walk() if one.kind == "thing"]
        named = bool(things) and all(one.startswith("noun/") for one in things)
        relation = _RELATION_OF.get(part.text("relation"), "")
        return relation in self._lexicon.relations and named and f"noun/{HOME}//" not in things

    def _is_inside_place(self, part: Node) -> bool:
        """Return True for the inside of a place that was named before: "how many are in there".

        The same holds for a relation that is part of the name of a place ("in front of the
        restroom").
        """
        there = part.get("to") in (THERE, _IT)
        said = self._reading.words_of(part).casefold()
        values = (self._lexicon.values[kind].values() for kind in self._each)
        named = bool(said) and any(said in one.expanded() for own in values for one in own)
        return bool(self._each) and ((part.text("relation") == _INSIDE and there) or named)

    def _convert_inside(self, of: Value | None) -> Iterator[Piece]:
        """Yield the piece for the inside of a place, which is the place itself, or of an object.

        The piece for the inside of an object has no name and the relation ``inside door``, or
        ``inside`` if the object is not named.
        """
        out_of_reach = self._lexicon.limits.get("OUT_OF_REACH", Words()).without_spaces
        said: list[Piece] = []
        if isinstance(of, Node) and (self._each or of not in (THERE, _IT)):
            said = list(self._convert_phrase(of, "at"))
        if any(one.startswith(p.text.replace(" ", "")) for p in said for one in out_of_reach):
            raise NoStepsError
        if not said or said[0].kind == "noun":
            place = f"{_INSIDE} {said[0].name if said else ''}"
            said[:1] = [replace(self._new_piece("noun"), relation=place)]
        if len(said) != 1 or said[0].kind not in ("noun", "value"):
            raise NoStepsError
        yield said[0]

    def _convert_formula(self, formula: Node, mark: str) -> Iterator[Piece]:
        """Yield the pieces of the description of an object or of the inside of a place."""
        pieces = list(self._convert_conjuncts(formula, mark))
        places = [piece for piece in pieces if piece.relation and not piece.name]
        if mark == "from" and places:
            yield replace(places[0], relation=f"from_{places[0].relation}")
            return
        named = [piece for piece in pieces if piece not in places]
        if places and any(piece.name in self._persons for piece in named):
            places = []  # "교수님 안에 계신지" ("if the professor is in"): the usual place
        if places and named and named[-1].kind == "noun":
            named[-1] = replace(named[-1], relation=places[0].relation)
            places = places[1:]
        yield from (*places, *named)

    def _convert_conjuncts(self, formula: Node, mark: str) -> Iterator[Piece]:
        parts = self._in_order_of_text(conjuncts(formula))
        kinds = [part.kind for part in parts]
        if "thing" in kinds and "or" in kinds:
            raise NoStepsError
        places = [p for p in parts if p.kind == "rel" and p.text("relation") != HELD]
        if len(places) > 1 and self._language == "ko":
            raise NoStepsError  # the order of two values would be lost
        if {"thing", "not"} <= {*kinds} and not any(map(self._means_everywhere, parts)):
            if self._language == "en" and not self._denies:
                raise NoStepsError  # "the lounge except the hall"
            every = [node.text("name") for node in self._reading.meaning.walk()]
            if all(every.count(one) == 1 for one in _excluded_names(parts)):
                parts = list(_without_other_values(parts))  # one place has no exceptions
        for part in parts:
            if part.kind in ("thing", "has"):
                said = part.text("name") or part.text("attribute")
                if said == HAND and HAND in self._lexicon.nouns:
                    said = f"noun/{HAND}//"
                if said.count("/") != 3:
                    raise NoStepsError
                kind, name, value, sense = parse_name(said)
                said = self._said(part)
                yield self._new_piece(cast("Kind", kind), name, value, mark, sense, said)
            elif part.kind == "rel":
                yield from self._convert_relation(part)
            elif part.kind == "pronoun":
                yield from self._convert_phrase(part, mark)
            elif part.kind == "not" and mark != "not":
                inner = part.parts()[0]
                if inner.kind == "rel" and inner.text("relation") in ("at", "in"):
                    yield from self._convert_phrase(inner.node("to"), "not")
                    continue
                yield from self._convert_formula(inner, "not")
            elif part.kind == "or" and mark == "not":
                for one in part.parts():
                    yield from self._convert_formula(one, mark)
            elif part == _OWN and DESCRIBED & {*_nouns_of(formula)}:
                yield self._new_piece("pronoun", mark=mark)  # "its state"
            elif part == _OWN and HOME in _nouns_of(formula):
                continue  # "its home position"
            elif part.kind == "one" and "thing" not in kinds:
                yield self._new_piece("pronoun", mark=mark)  # "that one"
            elif part.kind not in _KINDS_WITHOUT_PIECE:
                raise NoStepsError

    def _in_order_of_text(self, parts: Iterable[Node]) -> list[Node]:
        """Return the parts of a formula, with its relations sorted by their order in the text."""
        found = list(parts)
        places = [at for at, part in enumerate(found) if part.kind == "rel"]
        ranked = sorted(places, key=lambda at: self._position_in_text(found[at]))
        for at, part in zip(places, [found[one] for one in ranked], strict=True):
            found[at] = part
        return found

    def _position_in_text(self, node: Node) -> int:
        """Return the position in the text of a node or of its first part that has one."""
        edges = (self._reading.edge_of(part) for part in node.walk())
        return next((edge.start for edge in edges if edge is not None), 0)

    def _means_everywhere(self, part: Node) -> bool:
        """Return True for a value that stands for several places, such as "everywhere"."""
        kind, _, rest = part.text("name").removeprefix("value/").partition("/")
        value = self._lexicon.values.get(kind, {}).get(rest.partition("/")[0])
        return value is not None and bool(value.each)

    def _new_piece(
        self,
        kind: Kind,
        name: str = "",
        value: str = "",
        mark: str = "",
        sense: str = "",
        text: str = "",
    ) -> Piece:
        at, self._place = self._place, self._place + 2
        relation = self._lexicon.stand_ins.get((name, value), "") if kind == "value" else ""
        piece = Piece(kind, name, value, mark, relation, at, at + 1, text, sense)
        if find_only_other_value(piece, self._lexicon):
            self._tool = piece
        return piece


def _nouns_of(formula: Node) -> list[str]:
    """Return the nouns that a formula names."""
    things = [part.text("name") for part in conjuncts(formula) if part.kind == "thing"]
    return [parse_name(thing)[1] for thing in things if thing.startswith("noun/")]


def _nouns_in(phrase: Node) -> list[str]:
    formula = phrase.get("of")
    return _nouns_of(formula) if phrase.kind == "np" and isinstance(formula, Node) else []


def _excluded_names(parts: Iterable[Node]) -> list[str]:
    """Return the names of the objects that the parts of a formula exclude."""
    excluded = (one for part in parts if part.kind == "not" for one in part.walk())
    return [one.text("name") for one in excluded if one.kind == "thing"]


def _without_other_values(parts: Iterable[Node]) -> tuple[Node, ...]:
    """Return parts without excluded values if another value of their type is given.

    For example, "라운지 말고 복도" ("not the lounge but the corridor") is the corridor.

    Raises:
        NoStepsError: If another object is excluded.
    """
    given = tuple(part for part in parts if part.kind != "not")
    types = [*map(_type_of_value, given)]
    if any(_type_of_value(part.parts()[0]) not in types for part in parts if part not in given):
        raise NoStepsError
    return given


def _type_of_value(part: Node) -> list[str]:
    """Return the type of the value that a formula names, directly or as the end of a relation."""
    to = part.get("to")
    things = conjuncts(to.node("of")) if isinstance(to, Node) and to.kind == "np" else (part,)
    return [name for one in things for name in one.text("name").split("/")[:2]]
