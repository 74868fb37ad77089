"""Conversion of questions and conditions to steps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from bt_exec.language.closed_classes import closed_words
from bt_exec.language.reading.lexicon import language_data
from bt_exec.language.reading.meaning_node import (
    Node,
    Value,
    conjunction,
    conjuncts,
    normal_form,
    things_in,
)
from bt_exec.language.reading.reader import Reading
from bt_exec_llm.offline.exclusions import find_only_other_value
from bt_exec_llm.offline.lexicon import Lexicon
from bt_exec_llm.offline.phrases_to_pieces import (
    ARMS,
    DESCRIBED,
    HAND,
    HELD,
    HELD_THING,
    STATUS,
    PhraseConverter,
)
from bt_exec_llm.offline.reader_lexicon import done_forms, parse_name, verbs_in
from bt_exec_llm.offline.step import ANSWERED, QUESTION, Step
from bt_exec_llm.offline.step_conversion_errors import NoStepsError
from bt_exec_llm.offline.step_piece import BOUNDS, DECIDED, OTHERS, Piece

__all__ = ["FAILED", "PAIR", "SO", "SUCCEEDED", "UNABLE", "VISIBLE", "QuestionConverter"]

PAIR = 2
"""Number of parts of a pair."""
_DWELLING = "dwell"
"""Category of verbs for the presence of a person."""
_SEEING = frozenset(
    {
        "see",
        "seen",
        "exist",
        "absent",
        "lacking",
        "found_if",
        "seeing_verbs",
        "~see",
        "~seeing",
        "~looking_at",
        "~spot",
        "~notice",
    }
)
"""Categories of words in questions about visible objects."""
_HAVING = frozenset({"~have", "having_verbs"})
"""Categories of words in questions about held objects."""
VISIBLE, _EMPTY = "visible", "empty"
_ANYTHING, _PERSON = "anything", "person"
_BOTH = closed_words("en", "both")[:1]
SO: Mapping[str, bool] = {"so": True, "not_so": False, "so_there": True, "not_there": False}
"""Answers to the previous question, by the pronouns that stand for them."""
ANSWERED_SO: Mapping[str, bool] = {
    "said_yes": True,
    "said_no": False,
    **{name: answer for name, answer in SO.items() if not name.endswith("there")},
}
"""Answers of a person to a question, by the pronouns that stand for them."""
FAILED, UNABLE, SUCCEEDED = "failed", "unable", "succeeded"
"""Pronouns for the result of the previous act; the second also means "if it is not visible"."""
_AT_LEAST, _AT_MOST = BOUNDS
_WHO = "who"
"""Mark of a phrase that counts persons without naming them."""
_EXCLUSIVE, _DENIED = ("more", "at_most"), ("fewer", "at_most")
"""Bounds that exclude their number, and bounds that negate a lower bound."""
_ASKED = ("whether", "which", "how_many", "where", "what")
_COMPANY = ("at", "with")
"""Marks of a person who has company."""
_PERSON_MEANT = "pronoun", "person"
"""Kind and name of the piece for "he"."""


class QuestionConverter(PhraseConverter):
    """Converter of the questions and conditions of one meaning.

    Args:
        lexicon: The words of the site.
        reading: The parsed text that contains the meaning.
    """

    def __init__(self, lexicon: Lexicon, reading: Reading) -> None:
        super().__init__(lexicon, reading)
        kinds = {leaf.category.partition(".")[0] for leaf in reading.edge.leaves()}
        self._seen_as = HELD if kinds & _HAVING else VISIBLE if kinds & _SEEING else ""
        self._exists = "~there" in kinds
        self._dwells = _DWELLING in kinds
        self._points = _refers_to_named_place(reading, self._each)
        # antecedent of "if so": the previous question, and the answer that "so" stands for
        self._asked: tuple[Step, bool] | None = None
        self._conditioned: tuple[Step, bool] | None = None
        self._free = self._asks_presence = self._asks_person = False
        self._asked_more = False  # whether a branch contains a question
        self._via = ""
        self._case = 0
        self._built: list[Step] = []
        self._answered: Step | None = None

    def _build_question_step(self, ask: Node, via: str) -> Step:
        """Return the step of a question.

        Raises:
            NoStepsError: If the question is about a past act, which the robot cannot observe.
        """
        edge = self._reading.edge_of(ask) or self._reading.edge
        if via == "ask" and self._language == "ko":
            done = done_forms(self._lexicon)
            if any(leaf.text.startswith(done) for leaf in edge.leaves()):
                raise NoStepsError
        self._via = via
        pieces, positive = self._question_pieces(ask)
        pieces = self._with_usual_object(self._with_both_hands(pieces, ask))
        pieces = self._without_wholes(pieces)
        step = replace(self._build_step((QUESTION,), pieces, ask), via=via)
        step = self._with_person_visited(step)
        fails = any(piece.sense == "fails" for piece in pieces)
        self._asked = step, positive != fails
        self._asks_presence = ask.node("of").kind == "exists" and not fails
        self._free = True
        return step

    def _with_person_visited(self, step: Step) -> Step:
        """Return a question in which "he" is the only person that the text names, perhaps by place.

        Raises:
            NoStepsError: Unless there is exactly one such person.
        """
        meant = [piece for piece in step.pieces if (piece.kind, piece.name) == _PERSON_MEANT]
        *before, _ = self._built
        named = any(piece.name in self._persons for one in before for piece in one.pieces)
        found = self._persons_in_text() if meant and not named else []
        if not meant or named or not (before or found):
            return step
        if len(found) != 1:
            raise NoStepsError
        return replace(step, pieces=[*found, *(one for one in step.pieces if one not in meant)])

    def _without_wholes(self, pieces: list[Piece]) -> list[Piece]:
        """Return the pieces of a question without places that contain another named place.

        In "is the corridor dark at the east end", only the east end is meant.
        """
        sections = {
            (one.name, value)
            for one in pieces
            if one.kind == "value" and one.mark == "at"
            for value in self._values_meant(one)
        }
        return [
            one
            for one in pieces
            if one.mark == "at"
            or not any((one.name, part) in sections for part in self._sections_of(one))
        ]

    def _sections_of(self, piece: Piece) -> list[str]:
        value = self._lexicon.values.get(piece.name, {}).get(piece.value)
        return [] if value is None else value.parts

    def _values_meant(self, piece: Piece) -> set[str]:
        value = self._lexicon.values.get(piece.name, {}).get(piece.value)
        return {piece.value} if value is None or not value.after else {*value.after.values()}

    def _with_usual_object(self, pieces: list[Piece]) -> list[Piece]:
        """Return the pieces of a question, with the object that its state implies if it has none.

        Only doors are ajar, so "is it ajar" is about the door.
        """
        states = [piece for piece in pieces if piece.kind == "state"]
        known = (self._lexicon.states.get(one.name) for one in states)
        usual = {state.usual for state in known if state is not None} - {""}
        if len(usual) != 1 or any(one.kind not in ("state", "pronoun") for one in pieces):
            return pieces
        return [self._new_piece("noun", *usual), *states]

    def convert_condition(self, ask: Node) -> tuple[Step, bool]:
        """Return the question step of a condition, and the required answer.

        Raises:
            NoStepsError: If the condition is ambiguous or cannot be expressed.
        """
        about = ask.node("of")
        if about.kind == "pronoun":
            name = about.text("name")
            if self._asks_person and name in ANSWERED_SO and self._lexicon.answered:
                return self._convert_condition_on_answer(ask), ANSWERED_SO[name]
            if self._asked is None or name not in SO:
                raise NoStepsError
            question, positive = self._asked
            there = name.endswith("there")
            if self._asks_person and not there:
                raise NoStepsError  # "if not": the answer of the person
            if there and self._asks_presence:
                return replace(question, via="ask"), SO[name]
            if (SO[name] and not self._free) or (there and not positive):
                raise NoStepsError  # "so" after a condition: the state, or the act
            return replace(question, via="ask"), positive == SO[name]
        before = self._conditioned or self._asked
        question = replace(self._build_question_step(ask, "if"), via="ask")
        kinds = {piece.name for piece in question.pieces}
        if self._points and kinds & self._persons and not kinds & self._each:
            raise NoStepsError  # "there": destination of the robot, or usual place of the person
        self._free = False
        positive = (self._asked or (question, True))[1]
        if self._case and (before is None or not self._have_same_subject(before[0], question)):
            raise NoStepsError
        if self._asked_more and not self._subjects_of_question(question)[0]:
            raise NoStepsError  # "if it is": the condition, or the act of its branch
        self._conditioned = question, positive
        return question, positive

    def _convert_condition_on_answer(self, ask: Node) -> Step:
        """Return the question whether the person who was asked before answered yes.

        Raises:
            NoStepsError: If another question was asked since, or "yes" and "no" do not answer it.
        """
        before = next((one for one in reversed(self._built) if one.acts), None)
        texts = [] if before is None else [one for one in before.pieces if one.kind == "text"]
        whether = tuple(language_data(self._language)["orders"]["texts"]["whether"])
        said = texts[0].value.casefold() if len(texts) == 1 else ""
        found = said.startswith(whether) if self._language == "en" else said.endswith(whether)
        slot = self._lexicon.texts.get(texts[0].name) if texts else None
        if not found or slot is None or slot.shape != "question":
            raise NoStepsError
        asks = dict.fromkeys(language_data(self._language)["orders"]["texts"].get("open_words", ()))
        if any(word in said for word in asks):
            raise NoStepsError  # "when", "how many": answered by more than "yes"
        if self._answered is None:
            self._answered = replace(self._build_step((ANSWERED,), [], ask), via="ask")
        return self._answered

    def _have_same_subject(self, one: Step, other: Step) -> bool:
        """Return True if two questions have the same subject, or the second has none."""
        things, aspects = self._subjects_of_question(one)
        others, other_aspects = self._subjects_of_question(other)
        return others == things if others else not other_aspects or other_aspects == aspects

    def _subjects_of_question(self, step: Step) -> tuple[set[tuple[str, str]], set[str]]:
        """Return the objects in a question, and the aspects that it asks about."""
        named = [piece for piece in step.pieces if piece.kind in ("noun", "value")]
        named = [piece for piece in named if piece.name not in BOUNDS]
        things = {(p.name, p.value) for p in named if p.name not in self._joined}
        states = {piece.name for piece in step.pieces if piece.kind == "state"}
        if states and states <= {HELD, _EMPTY}:  # a hand that holds something, or is empty
            things = {one for one in things if one[1]} or {(HAND, "")}
        return things, {p.value for p in named if p.name in self._joined}

    def _build_step(self, verbs: tuple[str, ...], pieces: list[Piece], node: Node) -> Step:
        pronoun = any(piece.kind == "pronoun" for piece in pieces)
        reported, joined = self._is_nominal(node), self._joined_to(node)
        text = self._said(node)
        step = Step(verbs, pieces, pronoun=pronoun, reported=reported, text=text, joined=joined)
        self._built.append(step)
        return step

    def _is_nominal(self, act: Node) -> bool:
        """Return True if an act is expressed by a noun alone, so that its results are reported."""
        kinds = self._categories_of(act)
        verbs = [kind for kind in kinds if kind.startswith(("v.", "perform"))]
        return bool(verbs) and verbs[-1].endswith(".noun")

    def _question_pieces(self, ask: Node) -> tuple[list[Piece], bool]:
        """Return the pieces of a question, and whether "yes" affirms what they describe."""
        if ask.text("what") not in _ASKED or ask.get("given") is not None:
            raise NoStepsError
        of = self._without_alternatives(self._as_state(ask.node("of")))
        if of.kind == "exists":
            about = of.node("of")
            quantity = about.get("quantity") if about.kind == "np" else None
            bounds, positive = self._bounds(quantity, about)
            if bounds or not positive:
                about = about.replace(quantity=None)
            pieces = _without_vague_repetitions([*self._convert_phrase(about), *bounds])
            pieces = self._with_place_of_company(pieces)
            if any(p.kind == "state" and p.name not in (HELD, VISIBLE) for p in pieces):
                raise NoStepsError  # "a free hand": one of several
            return self._with_visible_state(pieces), positive
        if of.kind == "all":
            hold = of.node("hold")
            positive = hold.kind != "not"
            hold = hold if positive else hold.parts()[0]
            omitted = _is_omitted(of.node("of"))
            named = [] if omitted else list(self._convert_phrase(of.node("of")))
            said = [*named, *self._convert_alternatives(hold)]
            places = [p for p in said if p.kind == "value" and p.name in self._joined]
            # in "불이 켜져" ("the light is on"), both words name the light
            seen = {(p.name, p.value): p for p in places}
            pieces = [p for p in said if p not in places or p in seen.values()]
            return self._with_places_apart(pieces), positive
        if of.kind not in ("np", "pronoun"):
            raise NoStepsError
        if ask.text("what") == "how_many" and isinstance(of.get("of"), Node):
            single = [one for one in conjuncts(of.node("of")) if one.kind != "many"]
            of = of.replace(of=conjunction(*single))
        counted = ask.text("what") == "how_many" and bool(self._joined)
        if counted and not self._names_thing(of):
            aspect = self._counted_aspect(ask)
            if aspect is None:
                raise NoStepsError
            return [aspect] if _is_omitted(of) else [*self._convert_phrase(of), aspect], True
        pieces = list(self._convert_phrase(of))
        if ask.text("what") == "how_many" and any(one.name in (ARMS, HAND) for one in pieces):
            raise NoStepsError  # the number of arms, not what they hold
        if counted and not any(piece.name in self._joined for piece in pieces):
            aspect = self._counted_aspect(ask)
            pieces += [] if aspect is None else [aspect]
        where = ask.text("what") == "where"
        if where and all(p.kind == "value" and p.name in self._each for p in pieces):
            raise NoStepsError  # the location of a place
        located = where and self._language == "en"
        if where and VISIBLE in self._lexicon.states and all(p.kind == "noun" for p in pieces):
            return [
                self._new_piece("state", VISIBLE),
                *pieces,
            ], True  # "where is it" is answered by its visibility
        return pieces if located else self._with_visible_state(pieces), True

    def _with_place_of_company(self, pieces: list[Piece]) -> list[Piece]:
        """Return the pieces of a question whether a person has company, with that person's place.

        An example is "if the professor has visitors". The person does not count.
        """
        persons = [one for one in pieces if self._is_person(one) and one.mark in _COMPANY]
        people = [one for one in pieces if one.name in self._joined and one.sense in DECIDED]
        pronoun = bool(persons) and not any(one.value for one in persons)
        meant = self._persons_in_text() if pronoun else persons
        known = [self._lexicon.values[one.name].get(one.value) for one in meant]
        places = [pair for value in known if value is not None for pair in value.brings.items()]
        kind = next(iter(self._each), "")
        if len(people) != 1 or people[0].sense == "fails" or len(places) != 1 or not kind:
            return pieces
        others = replace(people[0], sense=OTHERS)
        kept = [others if one in people else one for one in pieces if one not in persons]
        return [self._new_piece("value", kind, places[0][1], mark="at"), *kept]

    def _is_person(self, piece: Piece) -> bool:
        return piece.name in self._persons or (piece.kind, piece.name) == _PERSON_MEANT

    def _persons_in_text(self) -> list[Piece]:
        """Return the persons that "he" may mean, because the text names them or their place."""
        things = [one for one in things_in(self._reading.meaning) if one.startswith("value/")]
        named = {parse_name(one)[2] for one in things}
        return [
            self._new_piece("value", kind, name)
            for kind in sorted(self._persons)
            for name, value in self._lexicon.values[kind].items()
            if not named.isdisjoint({name, *value.brings.values()})
        ]

    def _as_state(self, of: Node) -> Node:
        """Return `of`; "the act is done" is replaced by the state in which it leaves its object.

        Raises:
            NoStepsError: If the act leaves no state, or is described in detail.
        """
        if of.kind != "done":
            return of
        act = of.node("of")
        verbs = [self._lexicon.verbs.get(verb) for verb in verbs_in(act.text("verb"))]
        left = {(verb.result, verb.usual) for verb in verbs if verb is not None and verb.result}
        if len(left) != 1 or len(act.parts()) > 1 or act.kind != "act" or self._via == "ask":
            raise NoStepsError
        [(state, usual)] = left
        if not (act.parts() or usual):
            raise NoStepsError
        default = Node("np", (("of", Node("thing", (("name", f"noun/{usual}//"),))),))
        about = act.parts()[0] if act.parts() else default
        hold = Node("has", (("attribute", f"state/{state}//"),))
        return Node("all", (("of", about), ("hold", hold)))

    def _bounds(self, quantity: Value | None, about: Node) -> tuple[list[Piece], bool]:
        """Return the bounds of a quantity, and whether "yes" means a number within the bounds.

        Opposite quantities have the same bounds, because "fewer than two" is the negation of "at
        least two".

        Raises:
            NoStepsError: If the robot cannot count what the quantity is about.
        """
        if not isinstance(quantity, Node):
            return [], True
        bound, number = quantity.text("bound"), int(quantity.text("number"))
        least = number + (bound in _EXCLUSIVE)
        if least == 0 or (bound, number) == ("exactly", 0):
            if bound != "exactly":
                raise NoStepsError
            return [], False
        things = [one.text("name") for one in about.walk() if one.kind == "thing"]
        known = [parse_name(one) for one in things if one.startswith("value/")]
        named = [one[1:3] for one in known if one[1] in self._joined]
        counted = [(kind, one) for kind, own in self._lexicon.counted.items() for one in own]
        bounds: list[Piece] = []
        if not named and about.text("wh") == _WHO:
            named = counted
            bounds = [self._new_piece("value", *one, sense="holds") for one in counted]
        if len(named) != 1 or named[0] not in counted:
            raise NoStepsError
        bounds.append(self._new_piece("value", _AT_LEAST, str(least)))
        if bound == "exactly":
            bounds.append(self._new_piece("value", _AT_MOST, str(number)))
        return bounds, bound not in _DENIED

    def _with_both_hands(self, pieces: list[Piece], ask: Node) -> list[Piece]:
        """Return the pieces of a question about both hands: "your hands", "which hand".

        Raises:
            NoStepsError: If the question is about either hand: "any of your hands".
        """
        edge = self._reading.edge_of(ask) or self._reading.edge
        leaves = [leaf.text for leaf in edge.leaves()]
        plural = self._lexicon.nouns[ARMS].without_spaces if ARMS in self._lexicon.nouns else ()
        both = any(said.startswith(_BOTH) or said in plural for said in leaves)
        both = both or (ask.text("what") == "which" and any(piece.name == HAND for piece in pieces))
        if not both or all(piece.name not in (_EMPTY, HELD) for piece in pieces):
            return pieces
        if not set(closed_words(self._language, "even_one")).isdisjoint(leaves):
            raise NoStepsError
        if any(piece.name in (ARMS, HAND) for piece in pieces):
            return [replace(p, name=ARMS) if p.name == HAND else p for p in pieces]
        return [self._new_piece("noun", ARMS), *pieces]

    def _without_alternatives(self, of: Node) -> Node:
        """Return a question in which "in the lounge or the hall" means both places.

        Raises:
            NoStepsError: If the question is a condition, for which one of the places is enough.
        """
        found = [part for part in of.walk() if part.kind == "or"]
        if not found or any(part.kind != "rel" for part in found[0].parts()):
            return of
        if len(found) > 1 or self._via != "ask":
            raise NoStepsError
        parts = found[0].parts()
        every = conjunction(*parts)
        if self._language == "ko":  # one relation, so that the order of the places is kept
            places = tuple(part.node("to") for part in parts)
            every = parts[0].replace(to=Node("both", (("of", places),)))
        return normal_form(of.substitute(found[0], every))

    def _as_held(self, piece: Piece) -> Piece:
        named = piece.kind == "noun" and piece.name == HELD_THING
        return self._new_piece("state", HELD, text=piece.text) if named else piece

    def _counted_aspect(self, ask: Node) -> Piece | None:
        """Return the aspect that a question counts, as implied by a counter ("명" for persons)."""
        said = "".join(self._said(ask).split())
        for kind in self._joined:
            for name, value in self._lexicon.values.get(kind, {}).items():
                phrases = (one for one in value.expanded() if " " in one)
                if any("".join(one.split()) in said for one in phrases):
                    return self._new_piece("value", kind, name)
        return None

    def _names_thing(self, phrase: Node) -> bool:
        return phrase.kind == "np" and any(
            part.kind == "thing" for part in conjuncts(phrase.node("of"))
        )

    def _convert_alternatives(self, hold: Node) -> list[Piece]:
        """Return the pieces of a property, which may consist of alternatives.

        "Open or closed" asks for the state of an object. Other alternatives ("dark or bright") must
        belong to one aspect; the first alternative stands for it. Alternative places are all kept.

        Raises:
            NoStepsError: If the alternatives are a condition, which would always hold, or belong to
                different aspects.
        """
        if hold.kind != "or":
            return list(self._convert_formula(hold, ""))
        if self._via == "if":
            raise NoStepsError
        every = [list(self._convert_formula(part, "")) for part in hold.parts()]
        kinds = {tuple((p.kind, p.name if p.kind == "value" else "") for p in of) for of in every}
        first = every[0]
        if len(first) != 1 or len(kinds) > 1:
            raise NoStepsError
        if first[0].kind == "value" and first[0].name in self._each:
            return [piece for of in every for piece in of]  # all of the places are observed
        opposite = {piece.name for of in every for piece in of} == {_EMPTY, HELD}
        if first[0].kind == "state" and STATUS in self._lexicon.nouns and not opposite:
            return [self._new_piece("noun", STATUS)]
        return first

    def _with_visible_state(self, pieces: list[Piece]) -> list[Piece]:
        """Return the pieces of a question about objects, with the state that it implies.

        The state is "held" or "visible". It is not added if the pieces contain a state or a value.
        """
        if any(find_only_other_value(one, self._lexicon) for one in pieces):
            return pieces
        if HELD in self._lexicon.states:  # "what is held" asks for a held object
            pieces = [self._as_held(piece) for piece in pieces]
        # "교수님 자리에 계셔" ("is the professor at the desk")
        if self._dwells and len(pieces) == 1 and "=" in pieces[0].relation:
            kind, _, value = pieces[0].relation.partition("|")[0].partition("=")
            return [self._new_piece("value", kind, value, text=pieces[0].text)]
        pieces = self._with_places_apart(pieces)
        described = any(one.kind in ("state", "value") for one in pieces)
        if not described and any(one.name == HAND for one in pieces):
            pieces.append(self._new_piece("noun", _ANYTHING))
        elif not described and (state := self._sought_state(pieces)) in self._lexicon.states:
            pieces = _without_anything([self._new_piece("state", state), *pieces])
        elif not described and not any(one.name in (_PERSON, *DESCRIBED) for one in pieces):
            raise NoStepsError
        return pieces

    def _with_places_apart(self, pieces: list[Piece]) -> list[Piece]:
        """Return the pieces of a question in which the place of an object is a separate piece."""
        return _without_anything(pieces if self._language == "ko" else _places_apart(pieces))

    def _sought_state(self, pieces: list[Piece]) -> str:
        """Return the state that a question about objects asks for: held, visible, or ""."""
        placed = self._exists or any(piece.relation for piece in pieces)
        return self._seen_as or (VISIBLE if placed else "")


def _places_apart(pieces: list[Piece]) -> list[Piece]:
    """Return the pieces of a question in which the place of an object is a separate piece."""
    found: list[Piece] = []
    for piece in pieces:
        if piece.kind == "noun" and piece.name and piece.relation:
            place = replace(piece, name="", mark="at")
            found += [replace(piece, relation=""), place]
        else:
            found.append(piece)
    return found


def _without_anything(pieces: list[Piece]) -> list[Piece]:
    """Return the pieces of a question without "anything" if other pieces describe the object.

    The place of the object is kept.
    """
    if not any(p.relation or (p.kind == "state" and p.name == VISIBLE) for p in pieces):
        return pieces
    bare = (replace(one, name="") if one.name == _ANYTHING else one for one in pieces)
    return [one for one in bare if one.kind != "noun" or one.name or one.relation]


def _without_vague_repetitions(pieces: list[Piece]) -> list[Piece]:
    """Return pieces without values that another piece repeats and affirms or denies."""
    clear = {(piece.name, piece.value) for piece in pieces if piece.sense}
    return [p for p in pieces if p.sense or p.kind != "value" or (p.name, p.value) not in clear]


def _is_omitted(phrase: Node) -> bool:
    """Return True for a phrase that stands for an omitted object, as in "see if quiet"."""
    return phrase.kind == "np" and phrase.node("of").kind == "any"


def _refers_to_named_place(reading: Reading, kinds: Iterable[str]) -> bool:
    """Return True if a text names a place and refers to it by "there"."""
    pointing = {*closed_words(reading.language, "place_pronouns")}
    named = tuple(f"value/{kind}/" for kind in kinds)
    leaves = list(reading.edge.leaves())
    things = [leaf.meaning.text("name") for leaf in leaves if isinstance(leaf.meaning, Node)]
    return any(leaf.text in pointing for leaf in leaves) and any(
        thing.startswith(named) for thing in things
    )
