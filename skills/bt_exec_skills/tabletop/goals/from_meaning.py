"""Conversion of meanings to goals and questions of the table.

What the table has no skill for is refused with its words, never half done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import cast, get_args

from bt_exec.language.reading.node import Node, Value, conjunction, conjuncts, negation
from bt_exec_skills.tabletop.goals.model import Ask, Order, Phrase, Trouble, Verb
from bt_exec_skills.tabletop.goals.question import Place, Question
from bt_exec_skills.tabletop.lexicon import lexicon
from bt_exec_skills.tabletop.names import ATTRIBUTES, CONTAINERS, Attribute
from bt_exec_skills.tabletop.robot import Side

__all__ = ["Converter", "taken_from"]

_ORDERS: Mapping[str, Order] = {
    "big": "biggest",
    "small": "smallest",
    "near": "nearest",
    "far": "farthest",
    "left": "left",
    "right": "right",
    "middle": "middle",
}
_PARTS = {"left_part": "left", "right_part": "right", "middle": "middle"}
_SIDES: Mapping[str, Side] = {
    "at": "in",
    "in": "in",
    "left_part": "left_of",
    "right_part": "right_of",
    "next_to": "next_to",
    "left_of": "left_of",
    "right_of": "right_of",
    "in_front_of": "in_front_of",
    "behind": "behind",
}
_SAME: Mapping[str, Verb] = {"lower": "put_down", "pair": "sort"}
_TABLE, _HAND = (Node("thing", (("name", name),)) for name in ("table", "hand"))
_ANY = Node("any")
_EVERYTHING = Phrase(number="all")
_TO_PLACES = ("move", "sort", "clear", "empty")
_NEEDS_THEME = ("move", "bring", "pick", "out")
_KINDS: Mapping[str, str] = {name: entry["kind"] for name, entry in lexicon()["attributes"].items()}


def _target(relation: Node) -> Node:
    """Return what a relation is to; "to me" and "in your hand" have none.

    Raises:
        Trouble: If it has none.
    """
    target = relation.get("to")
    if not isinstance(target, Node):
        raise Trouble("NOT_UNDERSTOOD")
    return target


def taken_from(theme: Phrase, holder: Phrase) -> Phrase:
    """Return a phrase for what lies in something: "take the cup out of the bowl"."""
    if theme.again or theme.name or theme.relation is not None:
        return theme
    return replace(theme, relation=("in", holder))


class Converter:
    """Conversion of one text's meaning to goals or a question.

    Args:
        said: Returns the words for a node.
        language: Of the text.
        names: Objects and tables that are there.
        tables: The tables among them.
        holds: Answers the question of a condition.
    """

    def __init__(
        self,
        said: Callable[[Node], str],
        language: str,
        names: Iterable[str],
        tables: Iterable[str],
        holds: Callable[[Question], bool],
    ) -> None:
        self._said = said
        self._korean = language == "ko"
        self._names, self._tables = frozenset(names), frozenset(tables)
        self._holds = holds
        self._place: Phrase | None = None
        self._side: Side = "in"
        self._unmet = ""

    # -- orders

    def asks(self, meaning: Node) -> tuple[Ask, ...]:
        """Return the parts of a command.

        Raises:
            Trouble: If the table cannot do it, or if it is not a command.
        """
        found = tuple(self._asks(meaning))
        if not found and self._unmet:
            raise Trouble("CONDITION_UNMET", what=self._unmet)
        return found

    def _asks(self, node: Node) -> list[Ask]:
        if node.kind == "seq":
            parts = [ask for part in node.parts() for ask in self._asks(part)]
            return _with_verbs(parts)
        if node.kind == "if":
            return self._chosen(node)
        if node.kind == "avoid":
            return [self._left(node.node("of"))]
        if node.kind != "act":
            raise Trouble("NOT_UNDERSTOOD")
        return [self._ask(node)]

    def _chosen(self, node: Node) -> list[Ask]:
        """Return the asks of the branch that the world chooses; the other is read all the same."""
        question = node.node("of")
        subject = _itself(question.node("of").get("of"))
        self._place = self._place or self._named_place(question)
        branches = [self._branch(node.get(name), subject) for name in ("then", "other")]
        positive, wanted = _polarity(question)
        wanted_branch = self._holds(self.question(positive)) == wanted
        chosen = branches[0 if wanted_branch else 1]
        if not chosen and not isinstance(node.get("then" if wanted_branch else "other"), Node):
            self._unmet = self._said(question) or "-"
        return chosen

    def _named_place(self, question: Node) -> Phrase | None:
        """Return the place that a condition names: "if the bowl is empty, put the apple there"."""
        places = [one for one in question.walk() if one.kind == "rel" and not _held(one)]
        if places:
            return self.phrase(_target(places[0]))
        about = question.node("of").get("of")
        if not isinstance(about, Node) or about.kind != "np":
            return None
        found = self.phrase(about.replace(quantity=None))
        return found if found.table or found.kind in CONTAINERS else None

    def _branch(self, branch: Value | None, subject: Value | None) -> list[Ask]:
        if not isinstance(branch, Node) or branch == Node("seq", (("of", ()),)):
            return []
        whole = _with_subject(branch, subject) if isinstance(subject, Node) else branch
        if isinstance(subject, Node) and not self._korean:  # 거 is any object
            whole = _with_noun(whole, subject)
        return _with_verbs(self._asks(whole))

    def _left(self, act: Node) -> Ask:
        themes = tuple(replace(one, number="all") for one in self._themes(act))
        goal = act.get("to")
        to = None
        if isinstance(goal, Node):
            to, side, _ = self._goal(goal)
            to = to if side == "in" else None
        if not themes:
            raise Trouble("NOT_UNDERSTOOD")
        return Ask("leave", self._text(act), themes, to)

    def _text(self, act: Node) -> str:
        return self._said(act)

    def _themes(self, act: Node) -> tuple[Phrase, ...]:
        themes = tuple(map(self.phrase, act.parts("of")))
        first = themes[0] if themes else None
        if first and len(themes) > 1 and not first.kind and first.values and themes[1].kind:
            themes = (replace(first, kind=themes[1].kind), *themes[1:])
        return themes

    def _ask(self, act: Node) -> Ask:
        verb = cast(Verb, _SAME.get(act.text("verb"), act.text("verb")))
        if verb == "go":
            goal = act.node("of")
            goal = _target(goal) if goal.kind == "rel" else goal
            return Ask("go", self._text(act), (self.phrase(goal),))
        themes = self._themes(act)
        where = act.get("to")
        if where == Node("rel", (("relation", "me"),)):
            return Ask("bring", self._text(act), themes)
        to, side, own = self._goal(where) if isinstance(where, Node) else (None, "in", None)
        source = act.get("source")
        away = self.phrase(source) if isinstance(source, Node) else None
        by = cast(Attribute, act.text("by")) or own
        text = self._text(act)
        if by and (side != "in" or away is not None):
            raise Trouble("NOT_UNDERSTOOD")
        if by:
            themes = tuple(map(_every, themes)) if self._korean else themes
            return Ask("sort", text, themes, to, "in", by)
        if verb in ("clear", "empty") and act.parts("of") and _of(act.parts("of")[0]) == _HAND:
            return Ask("put_down", text)
        if away is not None:
            if to is None and verb not in ("bring", "pick"):
                return Ask("out", text, themes, away)
            themes = tuple(taken_from(one, away) for one in themes)
        if verb in ("sort", "bring", "pick") and to is not None:
            verb = "move"
        return self._placing(verb, text, themes, to, side)

    def _placing(
        self, verb: Verb, text: str, themes: tuple[Phrase, ...], to: Phrase | None, side: Side
    ) -> Ask:
        """Return what things and their place make of a verb; what is not said is taken over."""
        if verb == "empty" and to is not None and not any(one.table for one in themes):
            content = (Phrase(one.text, number="all", relation=("in", one)) for one in themes)
            return Ask("move", text, tuple(content), to, side)
        if to is not None and verb not in (*_TO_PLACES, ""):
            raise Trouble("NOT_UNDERSTOOD")
        if verb == "move" and to is None:
            if self._place is None:
                raise Trouble("NOT_UNDERSTOOD")
            to, side = self._place, self._side
        if not themes and verb in ("move", "") and to is not None:
            themes = (Phrase("", again=True),)
        return Ask(verb, text, themes, to, side)

    def _goal(self, goal: Node) -> tuple[Phrase, Side, Attribute | None]:
        """Return what things go to, on which side, and the attribute in which both agree."""
        relation, target = goal.text("relation"), _target(goal)
        if target == Node("pronoun", (("name", "there"),)):
            if self._place is None:
                raise Trouble("NOTHING_BEFORE", what=self._said(goal) or "-")
            return self._place, self._side, None
        to = self.phrase(target)
        if to.table and relation in _PARTS:
            to, side = replace(to, part=_PARTS[relation]), _SIDES["in"]
        elif relation in _SIDES:
            side = _SIDES[relation]
        else:
            raise Trouble("NOT_UNDERSTOOD")
        previous = self._place
        if to.order and not (to.kind or to.values or to.name) and previous and previous.table:
            to = replace(to, table=True)  # "to the left table … to the right one"
        self._place, self._side = to, side
        return replace(to, own=None), side, to.own

    # -- phrases

    def phrase(self, node: Node) -> Phrase:
        """Return the phrase of a node.

        Raises:
            Trouble: If it says what names of objects do not tell.
        """
        text = self._said(node)
        if node.kind == "pronoun":
            return Phrase(text, again=True)
        if node.kind != "np":
            raise Trouble("NOT_UNDERSTOOD")
        found = Phrase(text)
        plural = False
        parts = conjuncts(_of(node) or _ANY)
        if _TABLE not in parts and any(part.text("relation") == "with" for part in parts):
            raise Trouble("NOT_UNDERSTOOD")
        for part in parts:
            if part.kind == "many":
                plural = True
            else:
                found = self._with(found, part)
        out = (replace(but, kind=but.kind or found.kind) for but in found.but)  # "not the red cups"
        return self._numbered(replace(found, but=tuple(out)), node, plural)

    def _numbered(self, phrase: Phrase, node: Node, plural: bool) -> Phrase:
        det = node.text("det")
        quantity = node.get("quantity")
        count = 0
        if isinstance(quantity, Node):
            if quantity.text("bound") != "exactly" or quantity.text("number") == "0":
                raise Trouble("NOT_UNDERSTOOD")
            count = int(quantity.text("number"))
        number = phrase.number
        nameless = self._korean and not (phrase.kind or phrase.name or phrase.table)
        if det in ("rest", "another"):
            phrase = replace(phrase, rest=True)
            number = "any" if det == "another" else "all"
        elif det == "any":
            number = "any"
        elif det == "all" or plural:
            number = "all"
        elif (det == "some" or nameless) and not phrase.order:
            number = "some"
        if phrase.table and not det and not phrase.order and not phrase.name:
            number = "all"
        return replace(phrase, number=number, count=count, definite=det == "the")

    def _with(self, phrase: Phrase, part: Node) -> Phrase:
        handlers: dict[str, Callable[[Phrase, Node], Phrase]] = {
            "any": lambda phrase, _: phrase,
            "one": lambda phrase, _: phrase,
            "thing": self._thing,
            "has": self._has,
            "or": self._or,
            "most": self._most,
            "rel": self._rel,
            "not": self._not,
            "nth": lambda phrase, part: replace(phrase, index=int(part.text("number"))),
            "own": lambda phrase, part: replace(
                phrase, own=cast(Attribute, part.text("aspect") or "colour")
            ),
        }
        if part.kind not in handlers:
            raise Trouble("NOT_UNDERSTOOD")
        return handlers[part.kind](phrase, part)

    def _thing(self, phrase: Phrase, part: Node) -> Phrase:
        name = part.text("name")
        if phrase.kind or phrase.table:
            raise Trouble("NOT_UNDERSTOOD")
        if name in self._names:
            return replace(phrase, name=name, table=name in self._tables)
        if name == "table":
            return replace(phrase, table=True)
        if name == "hand":
            raise Trouble("NOT_UNDERSTOOD")
        return replace(phrase, kind=name)

    def _has(self, phrase: Phrase, part: Node) -> Phrase:
        value = part.text("attribute")
        kind = _KINDS[value]
        if kind in ATTRIBUTES:
            values = phrase.values.get(kind, ())
            return replace(phrase, values={**phrase.values, kind: (*values, value)})
        if value == "empty":
            return replace(phrase, empty=True)
        if value not in _ORDERS or phrase.order:
            raise Trouble("NOT_UNDERSTOOD")
        return replace(phrase, order=_ORDERS[value])

    def _or(self, phrase: Phrase, part: Node) -> Phrase:
        if all(one.kind == "not" for one in part.parts()):
            return self._not(phrase, negation(conjunction(*map(negation, part.parts()))))
        kinds = {_KINDS.get(one.text("attribute"), "") for one in part.parts()}
        if len(kinds) != 1 or kinds & {"", "side", "distance", "state", "order"}:
            raise Trouble("NOT_UNDERSTOOD")
        for one in part.parts():
            phrase = self._has(phrase, one)
        return phrase

    def _most(self, phrase: Phrase, part: Node) -> Phrase:
        value = part.text("attribute")
        if value not in _ORDERS or phrase.order:
            raise Trouble("NOT_UNDERSTOOD")
        phrase = replace(phrase, order=_ORDERS[value])
        inner = part.get("of")
        for one in conjuncts(inner) if isinstance(inner, Node) else ():
            if one.kind != "many":
                phrase = self._with(phrase, one)
        return phrase

    def _rel(self, phrase: Phrase, part: Node) -> Phrase:
        relation = part.text("relation")
        if relation == "held" or phrase.relation is not None:
            raise Trouble("NOT_UNDERSTOOD")
        other = self.phrase(_target(part))
        if relation != "with" and relation not in _SIDES:
            raise Trouble("NOT_UNDERSTOOD")
        return replace(phrase, relation=(_SIDES.get(relation, "in"), other))

    def _not(self, phrase: Phrase, part: Node) -> Phrase:
        inner = part.parts()[0]
        options = inner.parts() if inner.kind == "or" else (inner,)
        out = []
        for option in options:
            but = self.phrase(Node("np", (("of", option),)))
            if but.table:
                raise Trouble("NOT_UNDERSTOOD")
            text = self._said(option) or but.text
            named = but.kind or but.name
            out.append(replace(but, text=text, number="all" if named else "some"))
        return replace(phrase, but=(*phrase.but, *out))

    # -- questions

    def question(self, meaning: Node) -> Question:
        """Return the question of a meaning.

        Raises:
            Trouble: If the table cannot answer it, or if it is no question.
        """
        if meaning.kind != "ask":
            raise Trouble("NOT_UNDERSTOOD")
        what, of = meaning.text("what"), meaning.node("of")
        if of.kind == "all":
            return self._all(of)
        if of.kind == "exists":
            return self._exists(of.node("of"))
        if of.kind == "aspect" and of.text("name") in get_args(Attribute):
            things, place = self._asked(of.node("of"))
            return Question("values", things, place, cast(Attribute, of.text("name")))
        if of.kind not in ("np", "both", "pronoun"):
            raise Trouble("NOT_UNDERSTOOD")
        if any(_held(one) for one in of.walk()):
            return Question("held", self._asked(of)[0] if what in ("which", "where") else ())
        if what == "where":
            return Question("where", tuple(self._phrases(of)))
        if what not in ("which", "how_many"):
            raise Trouble("NOT_UNDERSTOOD")
        things, place = self._asked(of)
        if what == "which" and things and things[0].empty and len(things) == 1:
            return Question("empties", (replace(things[0], empty=False),))
        if what == "how_many":
            return Question("count", things, place)
        return Question("which", things, place)

    def _phrases(self, of: Node) -> list[Phrase]:
        if of.kind == "both":
            return [phrase for part in of.parts() for phrase in self._phrases(part)]
        return [self.phrase(of)]

    def _asked(self, of: Node) -> tuple[tuple[Phrase, ...], Place | None]:
        """Return what is asked about and where; nothing for "what"."""
        place: Place | None = None
        if of.kind == "both":
            return tuple(self._phrases(of)), None
        if of.kind == "pronoun":
            return (self.phrase(of),), None
        formula = [part for part in conjuncts(_of(of) or _ANY) if not _held(part)]
        places = [
            part for part in formula if part.kind == "rel" and part.text("relation") != "with"
        ]
        if len(places) == 1 and _TABLE not in formula:
            (where,) = places
            formula.remove(where)
            place = self._place_of(where)
        empty = all(part.kind in ("any", "many") for part in formula)
        if empty and of.text("wh") == "what":
            return (), place
        described = of.replace(of=conjunction(*formula), quantity=None)
        phrase = self.phrase(described)
        quantity = of.get("quantity")
        if isinstance(quantity, Node) and quantity.text("number") != "0":
            least = {"exactly": 0, "at_least": 0, "more": 1}.get(quantity.text("bound"))
            if least is None:
                raise Trouble("NOT_UNDERSTOOD")
            phrase = replace(phrase, count=int(quantity.text("number")) + least)
        text = self._said(of) or phrase.text
        return (replace(phrase, text=text, number=phrase.number if phrase.count else "all"),), place

    def _place_of(self, where: Node) -> Place:
        relation = where.text("relation")
        if relation not in _SIDES:
            raise Trouble("NOT_UNDERSTOOD")
        return _SIDES[relation], replace(self.phrase(_target(where)), number="all")

    def _exists(self, of: Node) -> Question:
        if any(map(_held, of.walk())):
            things, _ = self._asked(of)
            plain = [one for one in things if _says_something(one)]
            return Question("held", tuple(plain))
        quantity = of.get("quantity")
        none = isinstance(quantity, Node) and quantity.text("number") == "0"
        if of.kind == "both":
            asked = [self._asked(part) for part in of.parts()]
            things = tuple(phrase for found, _ in asked for phrase in found)
            return Question("is", things, next((place for _, place in asked if place), None))
        things, place = self._asked(of)
        if none:
            return Question("count", things or (_EVERYTHING,), place)
        return Question("is", things or (_EVERYTHING,), place)

    def _all(self, of: Node) -> Question:
        about, hold = of.node("of"), of.node("hold")
        if about.kind == "np" and _of(about) == _HAND:
            if hold != Node("has", (("attribute", "empty"),)):
                raise Trouble("NOT_UNDERSTOOD")
            return Question("empty")
        if hold.kind == "rel" and _held(hold):
            return Question("held", tuple(self._phrases(about)))
        things = tuple(replace(one, number="all") for one in self._phrases(about))
        every = "all" in {node.text("det") for node in about.walk()} or _plural(about)
        if hold.kind == "rel":
            anything = not any(map(_says_something, things)) and about.text("det") == ""
            every = every or self._korean or anything
            return Question("is", things, self._place_of(hold), every=every)
        if hold.kind != "has" and hold.kind != "or":
            raise Trouble("NOT_UNDERSTOOD")
        value = hold.text("attribute")
        if value == "empty":
            return Question("empty", things)
        if value == "sorted":
            things = tuple(one for one in things if _says_something(one) and not one.table)
            by = cast(Attribute, hold.text("by")) or None
            return Question("sorted", things, by=by)
        like = (self._or if hold.kind == "or" else self._has)(Phrase(), hold).values
        if not like:
            raise Trouble("NOT_UNDERSTOOD")
        return Question("is", things, like=like, every=every)


def _polarity(question: Node) -> tuple[Node, bool]:
    """Return a question without negation, and the answer to it that the negated one asks for."""
    of = question.node("of")
    hold = of.get("hold")
    if isinstance(hold, Node) and hold.kind == "not":
        return question.replace(of=of.replace(hold=hold.parts()[0])), False
    about = of.get("of")
    quantity = about.get("quantity") if isinstance(about, Node) and of.kind == "exists" else None
    if isinstance(quantity, Node) and quantity.text("number") == "0":
        assert isinstance(about, Node)
        return question.replace(of=of.replace(of=about.replace(quantity=None))), False
    return question, True


def _every(phrase: Phrase) -> Phrase:
    """Return a phrase that means all, where its noun says no number, as Korean nouns do."""
    return replace(phrase, number="all") if phrase.number == "one" else phrase


def _of(phrase: Node) -> Node | None:
    found = phrase.get("of")
    return found if isinstance(found, Node) else None


def _held(node: Node) -> bool:
    if node.kind != "rel":
        return False
    to = node.get("to")
    return node.text("relation") == "held" or (isinstance(to, Node) and _of(to) == _HAND)


def _plural(node: Node) -> bool:
    return any(one.kind == "many" for one in node.walk())


def _says_something(phrase: Phrase) -> bool:
    plain = replace(phrase, text="", number="one", count=0, definite=False)
    return plain != Phrase()


def _with_verbs(asks: list[Ask]) -> list[Ask]:
    """Return parts in which one without a verb has that of its neighbours."""
    known = [ask.verb for ask in asks if ask.verb and ask.verb != "leave"]
    verb = known[0] if known else "move"
    found = []
    for ask in asks:
        if not ask.verb:
            if verb not in ("move", "sort", "bring", "pick", "clear", "empty", "out"):
                raise Trouble("NOT_UNDERSTOOD")
            ask = replace(ask, verb="move")
        found.append(ask)
    return found


def _with_noun(node: Node, subject: Node) -> Node:
    """Return a branch in which "the red ones" are of the kind that its condition is about."""
    of = subject.get("of")
    nouns = [part for part in conjuncts(of) if part.kind == "thing"] if isinstance(of, Node) else []
    parts = conjuncts(_of(node) or _ANY) if node.kind == "np" else ()
    if nouns and Node("one") in parts and not any(part.kind == "thing" for part in parts):
        return node.replace(of=conjunction(*parts, *nouns))
    return node.map(lambda part: _with_noun(part, subject))


def _itself(subject: Value | None) -> Value | None:
    """Return what a condition is about, without the place that it asks for."""
    of = subject.get("of") if isinstance(subject, Node) and subject.kind == "np" else None
    if not isinstance(of, Node) or not isinstance(subject, Node):
        return subject
    kept = [part for part in conjuncts(of) if part.kind != "rel"]
    return subject.replace(of=conjunction(*kept)) if kept else subject


def _with_subject(node: Node, subject: Node) -> Node:
    """Return a branch in which "it" is what its condition is about."""
    if node.kind == "pronoun" and node.text("name") != "there":
        return subject if subject.kind == "np" else node
    if node.kind == "act" and not node.parts() and node.text("verb") in _NEEDS_THEME:
        return node.replace(of=subject)
    return node.map(lambda part: _with_subject(part, subject))
