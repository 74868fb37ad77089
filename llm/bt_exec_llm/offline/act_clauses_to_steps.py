"""Conversion of clauses with requested or forbidden acts to steps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise

from bt_exec.language.closed_classes import closed_words
from bt_exec.language.reading.lexicon import language_data
from bt_exec.language.reading.meaning_node import Node
from bt_exec.language.reading.reader import Reading
from bt_exec_llm.offline.exclusions import LEAVE, find_only_other_value
from bt_exec_llm.offline.fetched_objects import with_giver
from bt_exec_llm.offline.lexicon import Lexicon
from bt_exec_llm.offline.phrases_to_pieces import (
    ARMS,
    DESCRIBED,
    HAND,
    HELD,
    HOME,
    STATUS,
)
from bt_exec_llm.offline.questions_to_steps import PAIR
from bt_exec_llm.offline.recipients import address_others
from bt_exec_llm.offline.reports_to_steps import ReportConverter
from bt_exec_llm.offline.step import QUESTION, Step
from bt_exec_llm.offline.step_conversion_errors import NoStepsError
from bt_exec_llm.offline.step_piece import FIRST, RANKS, Piece

__all__ = ["BECOME", "ONLY", "ActClauseConverter"]

BECOME = "become"
_STATIVE = (BECOME, "keep")
"""Verbs of the reading engine for reaching a state and for keeping a state."""
_TOPICAL = ("top", "into_top")
"""Categories of particles that contrast an object with others."""
ONLY = ("only", "~only", "~just")
"""Categories of words that exclude everything except an object."""
_PUT_BACK = "put_back"
_MOVE = "move"
_STOP_AT, _GO = "stop_at", "go"
"""Verb of the reading engine for a stop of a route, and the verb of driving to a place."""
_HAND_OVER = "hand_over"
"""Verb of the reading engine for waiting somewhere until an item is taken."""
_OBTAINING = ("asked_for", "hold_on")
"""Verbs of the reading engine for obtaining an object, and for obtaining and holding it."""
RANGE_END = "~+까지"
"""Category of the particle that ends a range."""


class ActClauseConverter(ReportConverter):
    """Converter of the acts and prohibitions of one meaning.

    Args:
        lexicon: The words of the site.
        reading: The parsed text that contains the meaning.
    """

    def __init__(self, lexicon: Lexicon, reading: Reading) -> None:
        super().__init__(lexicon, reading)
        verbs = lexicon.verbs.items()
        self._asked_for = tuple(name for name, verb in verbs if verb.asked_for)

    def _convert_act(self, act: Node, *, done: bool = True) -> Iterator[Step]:
        names, _, frame = act.text("verb").partition("/")
        if names in _STATIVE:
            yield self._convert_desired_state(act)
            return
        if names == _STOP_AT:
            act = self._as_drive(act)
            names = act.text("verb")
        verbs = self._asked_for if names in _OBTAINING else tuple(names.split())
        if names == _HAND_OVER:
            known = self._lexicon.verbs
            verbs = tuple(one for one in sorted(self._carrying) if not known[one].fetches)
        to = act.get("to")
        if not verbs and self._built and (also := self._convert_other_recipients(act)):
            yield from also
            return
        if verbs == (_MOVE,) and isinstance(to, Node):
            if self._is_home(to):
                self._check_only_arms(act)  # "the arms should be at home"
                verbs, to = self._verbs_of_arms(), None
            elif _MOVE in self._lexicon.verbs:  # "I want the material on the home place"
                act, to = act.replace(of=(*act.parts(), to), to=None), None
        if verbs == (_PUT_BACK,) and HOME in self._lexicon.nouns:  # e.g. "the arms to their place"
            self._check_only_arms(act)
            verbs, to = (), _relation_to_noun(HOME)
        if any(verb not in self._lexicon.verbs for verb in verbs) or (to is None) != bool(verbs):
            raise NoStepsError
        if act.get("source") is not None or act.get("by") is not None:
            raise NoStepsError
        of = [one for one in act.parts() if one.kind != "ask"]
        asked = [one for one in act.parts() if one.kind == "ask"]
        if self._in_branch and isinstance(to, Node) and not act.parts():
            named = [*self._convert_phrase(to)]
            if not any(one.kind == "noun" or one.name in self._each for one in named):
                raise NoStepsError  # "왼손으로" ("with the left hand") belongs to the other branch
        if isinstance(to, Node):  # e.g. "the arms to their place"
            of.append(to.replace(relation="to"))
        if asked:
            if not frame.startswith("find"):
                raise NoStepsError
            yield from self._convert_information_verb(act, verbs, asked, of)
            return
        for own, times in _group_by_repetitions(_without_both(of)):
            verbs, pieces = self._convert_arguments(act, verbs, own)
            if {p.kind for p in pieces} == {"speaker"} and {*verbs} & self._taking:
                verbs = self._reports  # e.g. "tell me"
            if done and (
                self._tells_last_answer(verbs, pieces) or self._reports_end(act, verbs, pieces)
            ):
                continue
            if done and self._is_left_unchanged(verbs, pieces):
                yield replace(self._build_step((LEAVE,), pieces, act), positive=False)
                continue
            texts = [piece for piece in pieces if piece.kind == "text"]
            if not texts:
                verbs = self._verbs_without_text(verbs)
            shapes = (self._lexicon.texts[one.name].shape for one in texts if one.name)
            self._asks_person = self._asks_person or "question" in shapes
            if done:
                self._check_executable(verbs, pieces)
            pieces = self._without_past_content(act, verbs, pieces)
            about = self._are_report_verbs(verbs) and self._is_report_about_object(pieces)
            if about and self._working and not {*ONLY}.isdisjoint(self._categories_of(act)):
                raise NoStepsError  # reporting only some findings is not possible
            if done and self._are_report_verbs(verbs) and not pieces:
                yield from self._convert_way_back(act)
            self._working = True
            if done and about:
                yield from self._convert_report_about_object(verbs, pieces, act, times)
            else:
                yield from self._convert_watching(verbs, pieces, act)
                for some in self._groups_of_pieces(verbs, pieces):
                    step = replace(self._build_step(verbs, some, act), times=times)
                    yield self._record_look(step)

    def _is_home(self, goal: object) -> bool:
        """Return True if a goal is the home position of the arms."""
        at = goal.get("to") if isinstance(goal, Node) else None
        pieces = [*self._convert_phrase(at)] if isinstance(at, Node) else []
        return bool(pieces) and all(one.name == HOME for one in pieces)

    def _verbs_of_arms(self) -> tuple[str, ...]:
        """Return the verbs with a resulting state whose usual object is the arms."""
        known = self._lexicon.verbs.items()
        return tuple(name for name, verb in known if verb.usual == ARMS and verb.result)

    def _check_only_arms(self, act: Node) -> None:
        """Raise NoStepsError for objects other than arms, because their former place is unknown."""
        pieces = [piece for one in act.parts() for piece in self._convert_phrase(one)]
        named = [one for one in pieces if one.kind in ("noun", "pronoun")]
        if any(one.name not in (ARMS, HAND) for one in named):
            raise NoStepsError

    def _as_drive(self, stop: Node) -> Node:
        """Return the act of driving to the stop of a route.

        Raises:
            NoStepsError: If the stop is not a single place.
        """
        for one in stop.parts():
            pieces = list(self._convert_phrase(one))
            if len(pieces) != 1 or pieces[0].name not in self._each or pieces[0].mark:
                raise NoStepsError
            if len(self._lexicon.values[pieces[0].name][pieces[0].value].each) > 1:
                raise NoStepsError  # "from the west end to the east end" is a range
        return stop.replace(verb=_GO)

    def _convert_other_recipients(self, act: Node) -> list[Step]:
        """Return the previous act for other recipients ("him, too"); empty if it has no text."""
        if act.get("source") is not None or act.get("by") is not None:
            return []
        pieces = [piece for one in act.parts() for piece in self._convert_phrase(one)]
        also = address_others(self._built[-1], pieces, self._lexicon)
        return [replace(one, joined=self._joined_to(act)) for one in also]

    def _convert_watching(
        self, verbs: tuple[str, ...], pieces: list[Piece], act: Node
    ) -> Iterator[Step]:
        """Yield the waiting steps of "watch it for a minute"; remove the duration from `pieces`."""
        times = [piece for piece in pieces if (piece.kind, piece.name) == ("limit", "TIME")]
        known = self._lexicon.verbs
        if not times or {known[verb].finds for verb in verbs} != {"look"}:
            return
        stays = self._waiting
        places = [piece for piece in pieces if piece.name in self._each]
        if places:
            yield self._build_step(stays, places, act)
        yield self._build_step(stays, times, act)
        pieces[:] = [piece for piece in pieces if piece not in times]

    @property
    def _waiting(self) -> tuple[str, ...]:
        """Verb of waiting, as a tuple; empty if the lexicon has none."""
        known = self._lexicon.verbs.items()
        return tuple(name for name, verb in known if verb.stays and not verb.finds)[:1]

    def _groups_of_pieces(
        self, verbs: tuple[str, ...], pieces: list[Piece]
    ) -> Iterator[list[Piece]]:
        """Yield the pieces of an act in groups, one for each step.

        "Wait there for a minute" has two steps, and so does a report of the states of two objects.

        Raises:
            NoStepsError: If a wait of some length may be at each of several places.
        """
        if all(self._lexicon.verbs[verb].finds for verb in verbs):
            yield from _by_described_object(pieces)
            return
        times = [piece for piece in pieces if (piece.kind, piece.name) == ("limit", "TIME")]
        others = [piece for piece in pieces if piece not in times]
        stays = any(self._lexicon.verbs[verb].stays for verb in verbs)
        apart = stays and bool(times and others)
        if apart and (self._names_several_places(others) or any(map(self._is_group, others))):
            raise NoStepsError
        yield from (others, times) if apart else (pieces,)

    def _convert_arguments(
        self, act: Node, verbs: tuple[str, ...], of: list[Node]
    ) -> tuple[tuple[str, ...], list[Piece]]:
        """Return the verbs of an act that fit its arguments, and the pieces for the arguments."""
        pieces = [piece for one in of for piece in self._convert_argument(one, of)]
        if any(piece.sense == "fails" and piece.mark == "to" for piece in pieces):
            raise NoStepsError  # the recipients are denied
        alone = all(one.kind != "ask" for one in act.parts())
        if self._has_person_as_subject(act) and (self._are_report_verbs(verbs) or alone):
            raise NoStepsError  # the person acts or speaks, not the robot
        verbs, pieces = self._without_filler_text(act, verbs, pieces)
        pieces = [self._set_text_type(p, verbs, alone=len(pieces) == 1) for p in pieces]
        pieces = _attach_places(self._with_people_present(act, verbs, pieces))
        verbs, pieces = self._resolve_desired_state(
            verbs, [self._resolve_instrument(piece) for piece in pieces]
        )
        named = any(piece.kind == "noun" and not piece.mark for piece in pieces)
        if named and self._language == "ko":
            pieces = [piece for piece in pieces if piece.kind != "state"]  # e.g. "the closed door"
        if any(p.mark == FIRST for p in pieces) and RANGE_END in self._categories_of(act):
            raise NoStepsError  # "from A to B": the places in between are unknown
        known = [self._lexicon.verbs[verb] for verb in verbs]
        # "라운지에서 기다려" means "wait in the lounge", although 에서 may also mean "from"
        there = self._language == "ko" and any(verb.stays for verb in known)
        if there or {verb.finds for verb in known} == {"look"}:
            if any(p.mark == "from" for p in pieces) and self._names_several_places(pieces):
                raise NoStepsError  # e.g. "from the lounge to the corridor"
            pieces = [p.with_mark("at") if p.mark == "from" else p for p in pieces]
        return verbs, _unique(
            with_giver(verbs, pieces, self._lexicon, self._language), self._joined
        )

    def _has_person_as_subject(self, act: Node) -> bool:
        """Return True if a particle marks a person as the subject of an act ("교수님이")."""
        edge = self._reading.edge_of(act) or self._reading.edge
        persons = tuple(f"value/{kind}/" for kind in self._persons)
        return any(
            after.category == "sub"
            and isinstance(leaf.meaning, Node)
            and leaf.meaning.text("name").startswith(persons)
            for leaf, after in pairwise(edge.leaves())
        )

    def _names_several_places(self, pieces: list[Piece]) -> bool:
        return sum(piece.name in self._each for piece in pieces) > 1

    def _is_group(self, piece: Piece) -> bool:
        """Return True for a word that stands for several places, such as "everywhere"."""
        value = self._lexicon.values.get(piece.name, {}).get(piece.value)
        return piece.name in self._each and value is not None and bool(value.each)

    def _convert_desired_state(self, act: Node) -> Step:
        """Return the step that achieves or keeps a state, as in "the door should be closed"."""
        wanted = act.get("of")
        if not isinstance(wanted, Node) or wanted.kind != "all":
            raise NoStepsError
        expected = language_data(self._language)["orders"].get("expected", ())
        if any(leaf.text in expected for leaf in self._reading.edge.leaves()):
            raise NoStepsError
        keeps = act.text("verb") == "keep"
        hold = wanted.node("hold")
        denied = hold.kind == "not"
        state = list(self._convert_formula(hold.parts()[0] if denied else hold, ""))
        known = [(name, one) for name, one in self._lexicon.verbs.items() if one.pairs == keeps]
        usual = {verb.usual for _, verb in known if state and verb.result == state[0].name}
        left_in = {verb.result for _, verb in known if verb.usual in usual} - {""}
        if len(state) != 1 or state[0].kind != "state" or (denied and state[0].name not in left_in):
            raise NoStepsError
        wished = left_in - {state[0].name} if denied else {state[0].name}
        verbs = tuple(name for name, verb in known if {verb.result} == wished)
        if len(verbs) != 1:
            raise NoStepsError
        if self._built and not keeps:  # "…, then the door should be open": it may be left open
            pairs = (name for name, verb in self._lexicon.verbs.items() if verb.pairs)
            left = (name for name in pairs if {self._lexicon.verbs[name].result} == wished)
            verbs = (*left, *verbs)
        pieces = list(self._convert_phrase(wanted.node("of")))
        return self._build_step(verbs, pieces, act)

    def _check_executable(self, verbs: tuple[str, ...], pieces: list[Piece]) -> None:
        """Raise NoStepsError if an act lacks a text or has objects that no step can express."""
        there = [p for p in pieces if p.name == "there" or (p.kind == "pronoun" and p.mark == "to")]
        returns = self._lexicon.mission_ending_verbs.issuperset(verbs) and verbs
        if there and returns and not self._are_report_verbs(verbs):
            raise NoStepsError  # "go back there": not to the base
        if any(self._is_person(one) and not (one.value or one.mark) for one in pieces):
            raise NoStepsError  # "look for him"
        if any(piece.kind in ("text", "unknown") for piece in pieces):
            addressed = any(piece.name in self._joined for piece in pieces)
            if self._language == "en" and pieces[0].name in self._each and not addressed:
                raise NoStepsError  # places are not recipients: "give the lounge a visit"
            return
        texts = self._taking
        omitted = self._language == "ko" and self._has_text_before()
        if omitted or any(piece.kind == "pronoun" and not piece.name for piece in pieces):
            texts -= self._carrying  # the pronoun means the carried object
        reports = set(verbs) & self._lexicon.mission_ending_verbs
        if any(self._lexicon.verbs[verb].finds != "tell" for verb in texts & {*verbs} - reports):
            raise NoStepsError  # the question or the item is missing
        english = self._language == "en"
        kept = [p for p in pieces if p.value or (english and p.kind == "noun" and p.name)]
        kept = [p for p in kept if p.mark not in RANKS]
        said = [(piece.kind, piece.name, piece.value) for piece in kept]
        bare = [piece for piece in pieces if not piece.mark]
        if any(
            find_only_other_value(one, self._lexicon) and _names_object(two)
            for one, two in pairwise(bare)
        ):
            raise NoStepsError  # "왼쪽 문" ("the left door"): no such door exists
        again = {one for one, after in pairwise(said) if one == after}
        if again or any(said.count(one) > 1 and one[1] not in self._each for one in said):
            raise NoStepsError
        kinds = {piece.name for piece in bare}
        if english and kinds & self._each and kinds & self._persons:
            raise NoStepsError  # e.g. "the lounge and the professor"
        leaving = any(piece.mark == "from" for piece in pieces)
        if english and leaving and any(self._lexicon.verbs[verb].stays for verb in verbs):
            raise NoStepsError  # e.g. "stay out of the lounge"

    def _is_left_unchanged(self, verbs: tuple[str, ...], pieces: list[Piece]) -> bool:
        """Return True if an act leaves an object unchanged, as in "leave the door"."""
        known = [self._lexicon.verbs[verb] for verb in verbs]
        idle = any(verb.idle for verb in known) and not any(verb.pairs for verb in known)
        one = len(pieces) == 1 and pieces[0].kind in ("noun", "value")
        return idle and one and not pieces[0].mark

    def _resolve_instrument(self, piece: Piece) -> Piece:
        """Return `piece`, or its antecedent if it is a pronoun for an instrument ("use it")."""
        if piece.kind != "pronoun" or piece.mark != "with":
            return piece
        if self._tool is None:
            raise NoStepsError
        return self._tool.with_mark("with")

    def _resolve_desired_state(
        self, verbs: tuple[str, ...], pieces: list[Piece]
    ) -> tuple[tuple[str, ...], list[Piece]]:
        """Return the verb that achieves a desired state, and its pieces, for "have the door open".

        Other verbs and pieces are returned unchanged.
        """
        states = [piece for piece in pieces if piece.kind == "state"]
        held = any(piece.name == HELD for piece in states)  # "tell me what you hold" is a question
        if held or any(piece.mark == "not" for piece in states):
            raise NoStepsError
        if len(states) != 1 or not any(self._lexicon.verbs[verb].wishes for verb in verbs):
            return verbs, pieces
        known = self._lexicon.verbs.items()
        left_by = [name for name, verb in known if verb.result == states[0].name and not verb.pairs]
        if len(left_by) != 1:
            raise NoStepsError
        return (left_by[0],), [piece for piece in pieces if piece is not states[0]]

    def _convert_prohibited_act(self, act: Node) -> Step:
        if act.kind != "act":
            raise NoStepsError
        if act.text("verb") == "leave":
            pieces = [piece for one in act.parts() for piece in self._convert_phrase(one)]
            if any(find_only_other_value(piece, self._lexicon) for piece in pieces):
                pieces = [p for p in pieces if p.name != HOME]  # "keep the right arm at home"
            return replace(self._build_step((LEAVE,), pieces, act), positive=False)
        every = tuple(one for part in act.parts() for one in _alternatives(part))
        unsaid = closed_words(self._language, "nothing")
        every = tuple(one for one in every if one.text("said") not in unsaid)  # "ask him anything"
        steps = list(self._convert_act(act.replace(of=every), done=False))
        if len(steps) != 1 or QUESTION in steps[0].verbs:
            raise NoStepsError
        step = replace(steps[0], positive=False, contrast=self._is_contrast(act))
        placed = all(piece.name in self._each for piece in step.pieces)
        if step.pieces and placed and self._carrying.issuperset(step.verbs):
            raise NoStepsError  # the way past a place is not known
        if step.pieces and any(self._lexicon.verbs[verb].denied for verb in step.verbs):
            step = replace(step, verbs=(LEAVE,))
        nothing = all(piece.name == "anything" for piece in step.pieces)
        return replace(step, pieces=[]) if nothing else step

    def _is_contrast(self, act: Node) -> bool:
        """Return True if a particle contrasts an act with the others.

        For example, "자재는 꺼내지 마" means "as for the material, do not take it out".
        """
        topical = any(one.text("det") == "some" for one in act.parts())
        marks = self._categories_of(Node("avoid", (("of", act),)), act)
        return topical or not {*_TOPICAL}.isdisjoint(marks)


def _names_object(piece: Piece) -> bool:
    """Return True for a noun that names an object; False for "상태" ("state") and the like."""
    return piece.kind == "noun" and piece.name not in DESCRIBED


def _by_described_object(pieces: list[Piece]) -> Iterator[list[Piece]]:
    """Yield one group of pieces for each object if a question is about several objects."""
    states = [piece for piece in pieces if piece.name == STATUS]
    objects = [piece for piece in pieces if piece.kind == "noun" and piece not in states]
    alone = all(one.name and not (one.mark or one.relation) for one in objects)
    if len(objects) < PAIR or not (states or alone):
        yield pieces
        return
    both = str(len(objects))
    others = [p for p in pieces if p not in (*objects, *states)]
    others = [p for p in others if (p.kind, p.value) != ("limit", both)]
    for one in objects:
        yield [*others, one, *states[:1]]


def _group_by_repetitions(of: list[Node]) -> Iterator[tuple[list[Node], int]]:
    """Yield arguments grouped by repetitions: "A twice, B once" gives (A, 2) and (B, 1)."""
    counts = [at for at, one in enumerate(of) if one.kind == "times"]
    if not counts:
        yield of, 1
        return
    if len(counts) > 1 and counts[-1] != len(of) - 1:
        raise NoStepsError
    start = 0
    for at in counts:
        times = int(of[at].text("number"))
        own = of[start:at] if len(counts) > 1 else [one for one in of if one is not of[at]]
        if not times or (len(counts) > 1 and len(own) != 1):
            raise NoStepsError
        yield own, times
        start = at + 1


def _attach_places(pieces: list[Piece]) -> list[Piece]:
    """Return pieces with places merged into the object before them: "the material, from inside"."""
    found: list[Piece] = []
    for piece in pieces:
        place = piece.kind == "noun" and piece.mark == "at" and not piece.name and piece.relation
        thing = bool(found) and found[-1].kind in ("noun", "pronoun")
        if place and thing and not found[-1].relation:
            found[-1] = replace(found[-1], relation=piece.relation)
        else:
            found.append(piece)
    return found


def _unique(pieces: list[Piece], kinds: Iterable[str]) -> list[Piece]:
    """Return pieces without repeated values of the types in `kinds`."""
    found: list[Piece] = []
    for piece in pieces:
        same = [one for one in found if (one.name, one.value) == (piece.name, piece.value)]
        if piece.name not in kinds or not same:
            found.append(piece)
    return found


def _alternatives(phrase: Node) -> tuple[Node, ...]:
    """Return the alternatives in a phrase with "or", which a prohibition forbids one by one."""
    inner = phrase.node("to") if isinstance(phrase.get("to"), Node) else phrase
    of = inner.get("of")
    if inner.kind != "np" or not isinstance(of, Node) or of.kind != "or":
        return (phrase,)
    return tuple(phrase.substitute(of, one) for one in of.parts())


def _relation_to_noun(noun: str) -> Node:
    """Return the node of the relation "to" with a noun."""
    thing = Node("thing", (("name", f"noun/{noun}//"),))
    return Node("rel", (("relation", "to"), ("to", Node("np", (("of", thing),)))))


def _without_both(of: list[Node]) -> list[Node]:
    """Return the arguments of an act; "both" is removed from a phrase that names one value."""
    both = Node("quantity", (("bound", "exactly"), ("number", PAIR)))
    named = [one for one in of if one.kind == "np"]
    if len(named) != PAIR:
        return of
    found = list(of)
    for one in named:
        values = any(part.text("name").startswith("value/") for part in one.walk())
        if values and one.get("quantity") == both:
            found[found.index(one)] = one.replace(quantity=None, det=None)
    return found
