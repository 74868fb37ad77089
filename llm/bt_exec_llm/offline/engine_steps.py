"""Steps of a meaning of the reading engine; see `bt_exec_llm.offline.step`.

A meaning with a part that no step can express has no steps: it is never followed in part.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise

from bt_exec.language.closed import closed_classes
from bt_exec.language.closed import words as closed_words
from bt_exec.language.operators import operators_in
from bt_exec.language.phrases import expand_phrase
from bt_exec.language.reading.chart import Edge
from bt_exec.language.reading.grammar import PAUSES
from bt_exec.language.reading.lexicon import language_data
from bt_exec.language.reading.node import Node, Value, conjunction, conjuncts, normal
from bt_exec.language.reading.reader import Reading, may_deny_more
from bt_exec_llm.offline.engine_exclusions import (
    LEAVE,
    REST,
    LeftAloneError,
    NoStepsError,
    UnclearTextError,
    apply_exclusions,
    find_only_other_value,
)
from bt_exec_llm.offline.engine_words import parse_name
from bt_exec_llm.offline.lexicon import Lexicon, Words
from bt_exec_llm.offline.piece import Kind, Piece
from bt_exec_llm.offline.step import QUESTION, Step

__all__ = [
    "HAND",
    "MOST_TIMES",
    "LeftAloneError",
    "NoStepsError",
    "UnclearTextError",
    "condition_of_meaning",
    "find_choice",
    "pieces_of_fragment",
    "steps_of_meaning",
]

MOST_TIMES = 10
"""Largest number of repetitions."""

_SILENT = ("any", "one", "many")
_DWELLING = "dwell"
"""Category of verbs that say that a person is there."""
_SEEING = frozenset({"see", "seen", "exist", "absent", "seeing_verbs", "~see", "~spot", "~notice"})
"""Categories of words by which an object is looked for."""
_HAVING = frozenset({"~have", "having_verbs"})
"""Categories of words by which it is asked what is held."""
_VISIBLE, _EMPTY = "visible", "empty"
_ANYTHING = "anything"
_RELATION_OF: Mapping[str, str] = {"in": "inside", "from": "from_inside"}
"""Relations that prepositions stand for beside an object."""
_STATIVE = ("become", "keep")
"""Verbs of the language itself: of a state that is to come, and of one that is to last."""
_THAT = "that"
"""Question of a statement that is to be checked: "make sure that the lights are off"."""
_TOOL = "tool"
"""Relation of an instrument without a preposition: "close the door left hand"."""
_WITH = ("~with", "~using", "~by", "~use")
_BOTH = closed_words("en", "both")[:1]
_REMARK = "remark"
_MARKS: Mapping[str, str] = {
    "at": "at",
    "by": "by",
    "in": "at",
    "to": "to",
    "from": "from",
    "with": "with",
}
_SO: Mapping[str, bool] = {"so": True, "not_so": False, "so_there": True, "not_there": False}
_SOS = tuple(Node("pronoun", (("name", name),)) for name in _SO)
_TOPICAL = ("top", "into_top")
"""Categories of particles that set an object apart from others."""
_PAIR = 2
_TAKING_PARTS = 3
"""Parts of the name of a verb that takes a text; see `to_engine_lexicon`."""
_ONE = Node("quantity", (("bound", "exactly"), ("number", 1)))
INSIDE = "inside"
HELD, _HELD_THING = "held", "held_thing"
_DESCRIBED = ("status", _HELD_THING)
"""Nouns that name a state of an object, or an object by its state."""
HAND, _HOME = "hand", "home"
_PUT_BACK = "put_back"
_ASKED = ("whether", "which", "how_many", "where", "what")


def steps_of_meaning(meaning: Node, lexicon: Lexicon, reading: Reading) -> list[Step]:
    """Return the steps of a meaning.

    Args:
        meaning: A meaning in normal form.
        lexicon: The words of the site.
        reading: The text that has the meaning.

    Raises:
        NoStepsError: If a part of it cannot be expressed.
    """
    _check_texts(reading, lexicon)
    raw = reading.edge.meaning
    if isinstance(raw, Node) and _is_unclear(raw, reading):
        raise NoStepsError
    if _is_inside(reading, lexicon.list_types("each")) or _tells_before(reading, lexicon):
        raise NoStepsError
    if any(leaf.category == "suggest" for leaf in reading.edge.leaves()):
        raise UnclearTextError("NEGATED", reading.text)  # why don't you: it may be a question
    steps = list(_Steps(lexicon, reading, meaning).convert(meaning))
    late = any(not step.positive and steps[0].positive for step in steps[:-1])
    if late and _has_joined_before_negation(reading):
        raise NoStepsError  # whether all that stands before is forbidden, too
    if not steps:
        raise LeftAloneError
    found = apply_exclusions(_with_recipients(steps, lexicon), lexicon)
    acts = [step for step in found if step.positive and QUESTION not in step.verbs]
    if len(found) == 1 and _is_bare(found[0], lexicon):
        raise NoStepsError
    if reading.language == "en":
        found = _share_instruments(found, reading)
    elif len({_names_instrument(step) for step in acts}) > 1:
        raise NoStepsError  # whether the instrument is for all of them
    return [
        replace(step, joined=step.joined if at and not step.contrast else "")
        for at, step in enumerate(found)
    ]


def _with_recipients(steps: list[Step], lexicon: Lexicon) -> list[Step]:
    """Return steps in which a text is for the person of the prohibition before it.

    E.g. "do not ask the professor, only deliver the documents".
    """
    found: list[Step] = []
    persons: list[Piece] = []
    for step in steps:
        named = [piece for piece in step.pieces if piece.name in lexicon.people]
        texts = any(piece.kind == "text" for piece in step.pieces)
        if step.positive and texts and not named:
            step = replace(step, pieces=[*persons, *step.pieces])
        persons = [] if step.positive else named
        found.append(step)
    return found


def _names_instrument(step: Step) -> bool:
    return any(piece.mark == "with" for piece in step.pieces)


def _share_instruments(steps: list[Step], reading: Reading) -> list[Step]:
    """Return English steps; one without an object has the instrument of the next, too.

    Raises:
        NoStepsError: If an instrument may be for later acts, too.
    """
    found = list(steps)
    for at in range(len(found) - 2, -1, -1):
        step, after = found[at], found[at + 1]
        if step.positive and not step.pieces and _names_instrument(after):
            found[at] = replace(step, pieces=[p for p in after.pieces if p.mark == "with"])
    acts = [one for one in found if one.positive and QUESTION not in one.verbs]
    named = [(_names_instrument(one), one.condition, one.case) for one in acts]
    if _verb_follows_instrument(reading) and any(
        one[0] and not other[0] and one[1:] == other[1:] for one, other in pairwise(named)
    ):
        raise NoStepsError
    return found


def _verb_follows_instrument(reading: Reading) -> bool:
    leaves = list(reading.edge.leaves())
    tools = [leaf.start for leaf in leaves if leaf.category in _WITH]
    acts = [leaf.start for leaf in leaves if leaf.category.startswith("v.")]
    return max(acts, default=0) > max(tools, default=0)


def pieces_of_fragment(meaning: Node, lexicon: Lexicon, reading: Reading) -> list[Piece]:
    """Return the pieces of a fragment: "the left one", "to the lounge".

    Raises:
        NoStepsError: If it cannot be expressed.
    """
    return _Steps(lexicon, reading, meaning).convert_fragment(meaning)


def find_choice(meaning: Node) -> Node | None:
    """Return the alternatives that a command leaves open: "left or right"; None without them."""
    if meaning.kind in ("ask", "avoid"):
        return None
    if meaning.kind == "choice" or (meaning.kind == "or" and _are_things(meaning.parts())):
        return meaning
    return next(filter(None, map(find_choice, meaning.children())), None)


def _are_things(parts: Iterable[Node]) -> bool:
    return all(any(one.kind == "thing" for one in part.walk()) for part in parts)


def condition_of_meaning(question: Node, lexicon: Lexicon, reading: Reading) -> tuple[Step, bool]:
    """Return the step of a yes/no question, and the answer that it means by "if".

    Raises:
        NoStepsError: If it cannot be expressed.
    """
    return _Steps(lexicon, reading, question).convert_condition(question)


def _check_texts(reading: Reading, lexicon: Lexicon) -> None:
    """Raise NoStepsError if words beside a text may belong to it.

    Raises:
        UnclearTextError: If an act after the text may be meant for the person: "to wait and look".
    """
    texts = {verb for slot in lexicon.texts.values() for verb in slot.verbs}
    leaves = list(reading.edge.leaves())
    said = [leaf for leaf in leaves if leaf.category in ("text", "text.asked")]
    if said and any(leaf.category == _REMARK and leaf.start > said[0].start for leaf in leaves):
        raise NoStepsError  # part of the message for a person
    for before, leaf, *after in zip(leaves, leaves[1:], leaves[2:], leaves[3:], strict=False):
        link, act = after
        if leaf.category == "text.item" or not leaf.category.startswith("text"):
            continue
        if before.category in ("joint", "manner"):
            raise NoStepsError
        if link.text != "and":
            continue
        verbs = {*str(act.meaning).partition("/")[0].split()}
        if leaf.text.startswith("to") and not verbs & (texts | lexicon.closing_verbs):
            start = reading.text.rfind(leaf.meaning.text("said"))
            raise UnclearTextError("AMBIGUOUS", reading.text[start:])


def _is_unclear(meaning: Node, reading: Reading) -> bool:
    """Return True if a prohibition or an order of parts may belong to more than it is said of."""
    kinds = {node.kind for node in meaning.walk()}
    acts = [node for node in meaning.walk() if node.kind == "act"]
    inside = any(part.kind == "ordered" for act in acts for part in act.walk())
    paused = any(leaf.category == "comma" for leaf in reading.edge.leaves())
    pair = len(acts) == _PAIR and "if" not in kinds
    marked = inside and pair and reading.language == "ko"  # 팔부터: a particle marks it
    same = len(acts) >= _PAIR and normal(meaning) == normal(_without_ordering(meaning))
    clear = marked or (pair and paused)
    moved = (inside and not marked) or ("ordered" in kinds and not clear and not same)
    before = any(leaf.category.endswith(".before") for leaf in reading.edge.leaves())
    last = any(one.text("sign") == "last" for one in meaning.walk())
    moved = moved and (reading.language == "ko" or len(acts) > 1 or last)
    return moved or ("avoid" in kinds and (before or may_deny_more(reading.edge)))


def _without_ordering(node: Node) -> Node:
    inner = node.map(_without_ordering)
    return inner.node("of") if inner.kind == "ordered" else inner


def _is_bare(step: Step, lexicon: Lexicon) -> bool:
    """Return True for "give me" alone."""
    asked_for = any(lexicon.verbs[verb].asked_for for verb in step.verbs if verb != QUESTION)
    return asked_for and not step.pieces and step.condition is None


def _is_inside(reading: Reading, kinds: Iterable[str]) -> bool:
    """Return True if a negation may mean the inside of the place before it (라운지 안 어두우면)."""
    within = {f"~{word}" for word in language_data(reading.language)["words"].get("within", ())}
    leaves = list(reading.edge.leaves())
    places = tuple(f"value/{kind}/" for kind in kinds)
    return any(
        second.category in within
        and third.category.startswith("adj")
        and isinstance(first.meaning, Node)
        and first.meaning.text("name").startswith(places)
        for first, second, third in zip(leaves, leaves[1:], leaves[2:], strict=False)
    )


class _Steps:
    """Conversion of one meaning."""

    def __init__(self, lexicon: Lexicon, reading: Reading, meaning: Node) -> None:
        self._lexicon = lexicon
        self._said = reading.said
        kinds = {leaf.category.partition(".")[0] for leaf in reading.edge.leaves()}
        self._seen_as = HELD if kinds & _HAVING else _VISIBLE if kinds & _SEEING else ""
        self._exists = "~there" in kinds
        staying = {word.replace(" ", "") for word in _words_of(reading.language, "stay")}
        self._stays = any(leaf.text in staying for leaf in reading.edge.leaves())
        self._denies = any("not" in leaf.text for leaf in reading.edge.leaves())
        self._dwells = _DWELLING in kinds
        self._reading = reading
        self._each = lexicon.list_types("each")
        self._joined = lexicon.list_types("joined")
        self._persons = lexicon.people
        self._points = _refers_to_named_place(reading, self._each)
        self._asked: tuple[Step, bool] | None = None
        ifs = [node for node in meaning.walk() if node.kind == "if"]
        self._last = ifs[-1] if ifs else None
        self._tool: Piece | None = None
        pronouns = language_data(reading.language)["values"].get("pronoun", {}).values()
        self._pronouns = frozenset(word for words in pronouns for word in words)
        self._in_branch = False
        self._free = self._working = self._asks_presence = self._asks_person = False
        self._via = ""
        self._case = 0
        self._place = 0
        self._language = reading.language
        self._taking = {verb for slot in lexicon.texts.values() for verb in slot.verbs}
        verbs = lexicon.verbs
        branches = [one for node in ifs for one in (node.get("then"), node.get("other"))]
        acting = [one for one in branches if isinstance(one, Node) and not _is_empty(one)]
        self._branches = sum(not self._is_idle(one) for one in acting)
        self._only_ends = all(map(self._ends_mission, branches))
        self._comes = {
            word.partition(" ")[0]
            for name in lexicon.closing_verbs
            if name in verbs and not verbs[name].finds
            for phrase in verbs[name].en
            for word in expand_phrase(phrase)
        }
        closing = [one for one in lexicon.closing_verbs if one in verbs and not verbs[one].sums]
        self._asked_for = tuple(name for name, verb in verbs.items() if verb.asked_for)
        self._reports = tuple(sorted(one for one in closing if verbs[one].finds == "tell"))

    def convert_fragment(self, node: Node) -> list[Piece]:
        """Return the pieces of a fragment; one in English excludes nothing."""
        pieces = [piece for one in node.parts() for piece in self._convert_phrase(one)]
        if self._language == "en" and any(piece.mark == "not" for piece in pieces):
            raise NoStepsError
        return pieces

    def convert(self, node: Node) -> Iterator[Step]:
        """Yield the steps of a clause."""
        if find_choice(node) is not None:
            raise UnclearTextError("CHOICE", self._said(node))
        if node.kind == "seq":
            for part in node.parts():
                yield from self.convert(part)
        elif node.kind == "if":
            yield from self._convert_conditional(node)
        elif node.kind == "ask":
            yield self._build_question_step(node, "ask")
        elif node.kind == "remark":
            yield from self._convert_remark(node)
        elif node.kind == "avoid":
            step = self._convert_prohibited_act(node.node("of"))
            joined = self._joined_to(node)
            apart = joined == "stop" and self._reading.edge_of(node) is not None
            yield replace(step, joined=joined, contrast=step.contrast or apart)
        elif node.kind == "act":
            yield from self._convert_act(node)
        elif node.kind == "fragment":
            yield self._convert_bare_objects(node)
        else:
            raise NoStepsError

    def _convert_bare_objects(self, node: Node) -> Step:
        """Return the step of objects without a verb: "the material, please", "lounge status"."""
        pieces = self.convert_fragment(node)
        if node.get("sign") == "wanted":
            if not self._asked_for or any(piece.kind != "noun" for piece in pieces):
                raise NoStepsError
            return self._build_step(self._asked_for, pieces, node)
        asked = {*self._lexicon.past, *self._lexicon.list_types("joined"), *_DESCRIBED}
        if node.get("sign") != "answer" or not asked & {piece.name for piece in pieces}:
            raise NoStepsError
        return replace(self._build_step((QUESTION,), pieces, node), via="ask")

    def _convert_remark(self, remark: Node) -> Iterator[Step]:
        """Yield a step without effect that names what a remark is about."""
        if any(one.kind == "ask" and one.text("what") != "whether" for one in remark.parts()):
            raise NoStepsError
        about = [one for part in remark.parts() for one in part.walk() if one.kind == "np"]
        named: list[Piece] = []
        for one in about:
            with suppress(NoStepsError):
                named += [p for p in self._convert_phrase(one) if p.kind in ("noun", "value")]
        if named:
            yield replace(self._build_step((), named, remark), said=True)

    def _convert_act(self, act: Node, *, done: bool = True) -> Iterator[Step]:
        names, _, frame = act.text("verb").partition("/")
        if names in _STATIVE:
            yield self._convert_desired_state(act)
            return
        verbs = self._asked_for if names == "asked_for" else tuple(names.split())
        to = act.get("to")
        if verbs == (_PUT_BACK,) and _HOME in self._lexicon.nouns:  # the arms to their place
            verbs, to = (), _relation_to_noun(_HOME)
        if any(verb not in self._lexicon.verbs for verb in verbs) or (to is None) != bool(verbs):
            raise NoStepsError
        if act.get("source") is not None or act.get("by") is not None:
            raise NoStepsError
        of = [one for one in act.parts() if one.kind != "ask"]
        asked = [one for one in act.parts() if one.kind == "ask"]
        if isinstance(to, Node):  # the arms to their place
            of.append(to.replace(relation="to"))
        if asked:
            if frame != "find":
                raise NoStepsError
            yield from self._convert_information_verb(act, verbs, asked, of)
            return
        for own, times in _group_by_repetitions(_without_both(of)):
            pieces = [piece for one in own for piece in self._convert_argument(one, own)]
            verbs, pieces = self._without_idle_text(act, verbs, pieces)
            pieces = [self._set_text_type(p, verbs, alone=len(pieces) == 1) for p in pieces]
            pieces = _attach_places(pieces)
            verbs, pieces = self._resolve_desired_state(
                verbs, [self._resolve_instrument(piece) for piece in pieces]
            )
            named = any(piece.kind == "noun" and not piece.mark for piece in pieces)
            if named and self._language == "ko":
                pieces = [piece for piece in pieces if piece.kind != "state"]  # the closed door
            if {self._lexicon.verbs[verb].finds for verb in verbs} == {"look"}:
                if any(p.mark == "from" for p in pieces) and self._names_several_places(pieces):
                    raise NoStepsError  # from the lounge to the corridor
                pieces = [p.with_mark("at") if p.mark == "from" else p for p in pieces]
            pieces = _unique(pieces, self._joined)
            if {p.kind for p in pieces} == {"speaker"} and {*verbs} & self._taking:
                verbs = self._reports  # tell me
            if done and self._is_left_unchanged(verbs, pieces):
                yield replace(self._build_step((LEAVE,), pieces, act), positive=False)
                continue
            texts = [piece for piece in pieces if piece.kind == "text"]
            if not texts:
                verbs = self._without_taking_verbs(verbs)
            shapes = (self._lexicon.texts[one.name].shape for one in texts if one.name)
            self._asks_person = self._asks_person or "question" in shapes
            if done:
                self._check_executable(verbs, pieces)
            if self._working and all(piece.name in self._lexicon.past for piece in pieces):
                pieces = []  # come back and tell me what you saw
            self._working = True
            if done and self._are_report_verbs(verbs) and self._is_report_about_object(pieces):
                yield from self._convert_report_about_object(verbs, pieces, act, times)
            else:
                yield self._record_look(replace(self._build_step(verbs, pieces, act), times=times))

    def _record_look(self, step: Step) -> Step:
        """Return a step; one that looks for something is a question for what follows."""
        looks = {self._lexicon.verbs[verb].finds for verb in step.verbs} == {"look"}
        if looks and not self._in_branch:
            self._asked = replace(step, verbs=(QUESTION,), via="ask"), True
            self._free = self._asks_presence = True
        return step

    def _convert_report_about_object(
        self, verbs: tuple[str, ...], pieces: list[Piece], act: Node, times: int
    ) -> Iterator[Step]:
        """Yield the question that a report answers, and the report if a person is to get it."""
        persons = [piece for piece in pieces if piece.name in self._persons]
        about = [piece for piece in pieces if piece not in persons]
        question = replace(self._build_step((QUESTION,), about, act), times=times)
        yield replace(question, via="look" if persons else "tell")
        if persons:
            yield self._build_step(verbs, persons, act)

    def _without_taking_verbs(self, verbs: tuple[str, ...]) -> tuple[str, ...]:
        """Return the verbs that need no text, or all if there are none (전달해: tell)."""
        needed = {verb for verb in verbs if self._lexicon.verbs[verb].finds != "tell"}
        others = tuple(verb for verb in verbs if verb not in needed & self._taking)
        return others or verbs

    def _names_several_places(self, pieces: list[Piece]) -> bool:
        return sum(piece.name in self._each for piece in pieces) > 1

    def _without_idle_text(
        self, act: Node, verbs: tuple[str, ...], pieces: list[Piece]
    ) -> tuple[tuple[str, ...], list[Piece]]:
        """Return a verb and its pieces without a text that changes nothing (결과를 전해 줘)."""
        words = [*self._lexicon.filler.phrases()]
        idle = {"".join(one.split()) for phrase in words for one in expand_phrase(phrase)}
        texts = [p for p in pieces if p.kind == "text" and "".join(p.value.split()) in idle]
        if not texts or len(act.text("verb").split("/")) != _TAKING_PARTS:
            return verbs, pieces
        together = act.text("verb").split("/")[-1].split()
        others = tuple(verb for verb in together if verb not in verbs)
        return others, [piece for piece in pieces if piece not in texts]

    def _convert_desired_state(self, act: Node) -> Step:
        """Return the act that leaves a state, or that keeps it: "the door should be closed"."""
        wanted = act.get("of")
        if not isinstance(wanted, Node) or wanted.kind != "all":
            raise NoStepsError
        state = list(self._convert_formula(wanted.node("hold"), ""))
        keeps = act.text("verb") == "keep"
        known = self._lexicon.verbs.items()
        verbs = tuple(
            name for name, verb in known if verb.result == state[0].name and verb.pairs == keeps
        )
        if len(state) != 1 or state[0].kind != "state" or len(verbs) != 1:
            raise NoStepsError
        pieces = list(self._convert_phrase(wanted.node("of")))
        return self._build_step(verbs, pieces, act)

    def _check_executable(self, verbs: tuple[str, ...], pieces: list[Piece]) -> None:
        """Raise NoStepsError for an act that needs a text, an earlier look, or an instrument."""
        if any(piece.kind in ("text", "unknown") for piece in pieces):
            return
        texts = self._taking
        reports = set(verbs) & self._lexicon.closing_verbs
        if any(self._lexicon.verbs[verb].finds != "tell" for verb in texts & {*verbs} - reports):
            raise NoStepsError  # what is asked or delivered is missing
        english = self._language == "en"
        kept = [p for p in pieces if p.value or (english and p.kind == "noun" and p.name)]
        said = [(piece.kind, piece.name, piece.value) for piece in kept]
        bare = [piece for piece in pieces if not piece.mark]
        if any(
            one.kind == "value" and find_only_other_value(one, self._lexicon) and two.kind == "noun"
            for one, two in pairwise(bare)
        ):
            raise NoStepsError  # 왼쪽 문: a door that is not there
        again = {one for one, after in pairwise(said) if one == after}
        if again or any(said.count(one) > 1 and one[1] not in self._each for one in said):
            raise NoStepsError
        kinds = {piece.name for piece in bare}
        if english and kinds & self._each and kinds & self._persons:
            raise NoStepsError  # the lounge and the professor
        leaving = any(piece.mark == "from" for piece in pieces)
        if english and leaving and any(self._lexicon.verbs[verb].stays for verb in verbs):
            raise NoStepsError  # stay out of the lounge

    def _set_text_type(self, piece: Piece, verbs: tuple[str, ...], *, alone: bool) -> Piece:
        """Return a piece; a text has the type that its verb takes.

        Args:
            piece: Any piece.
            verbs: The verbs that it belongs to.
            alone: Whether no person is addressed.

        Raises:
            UnclearTextError: If it contains a condition that may be meant for the robot.
        """
        if piece.kind != "text":
            return piece
        slots = self._lexicon.texts.items()
        taking = [(name, slot) for name, slot in slots if {*verbs} & {*slot.verbs}]
        if not taking:
            raise NoStepsError
        name, slot = taking[0]
        if slot.shape == "noun":
            if piece.value.casefold().split()[-1:] in ([one] for one in slot.never.phrases()):
                raise UnclearTextError("UNKNOWN_OBJECT", piece.value)
            return replace(piece, name=name)
        if piece.value.casefold() in self._pronouns:
            raise NoStepsError
        if self._language == "en" and piece.value.casefold() in closed_words("en", "nothing"):
            raise UnclearTextError("NEGATED", piece.value)
        begins = 1 if self._language == "en" and slot.shape == "question" else 0
        if (alone or self._language == "en") and not piece.value.startswith("whether "):
            for one in operators_in(piece.value, self._language):
                clause = piece.value[one.start :].partition(",")[0]
                if one.kind == "condition" and one.start >= begins and self._is_known(clause):
                    raise UnclearTextError("OPERATOR", one.text)
        return replace(piece, name=name)

    def _is_known(self, clause: str) -> bool:
        """Return True if the condition of a text may be one that the robot can look at."""
        if self._language == "ko":
            return True
        pointing = closed_words("en", "place_pronouns") + closed_words("en", "persons")
        return any(word in pointing for word in clause.casefold().split()) or bool(
            self._lexicon.names_in(clause)
        )

    def _is_left_unchanged(self, verbs: tuple[str, ...], pieces: list[Piece]) -> bool:
        """Return True if an object is to be left as it is: "leave the door"."""
        known = [self._lexicon.verbs[verb] for verb in verbs]
        idle = any(verb.idle for verb in known) and not any(verb.pairs for verb in known)
        one = len(pieces) == 1 and pieces[0].kind in ("noun", "value")
        return idle and one and not pieces[0].mark

    def _resolve_instrument(self, piece: Piece) -> Piece:
        """Return the instrument that a pronoun stands for: "if it is empty, use it"."""
        if piece.kind != "pronoun" or piece.mark != "with":
            return piece
        if self._tool is None:
            raise NoStepsError
        return self._tool.with_mark("with")

    def _resolve_desired_state(
        self, verbs: tuple[str, ...], pieces: list[Piece]
    ) -> tuple[tuple[str, ...], list[Piece]]:
        """Return the verb that leaves the state that is wished for: have the door open."""
        states = [piece for piece in pieces if piece.kind == "state"]
        if any(piece.mark == "not" for piece in states):
            raise NoStepsError
        if len(states) != 1 or not any(self._lexicon.verbs[verb].wishes for verb in verbs):
            return verbs, pieces
        known = self._lexicon.verbs.items()
        left_by = [name for name, verb in known if verb.result == states[0].name and not verb.pairs]
        if len(left_by) != 1:
            raise NoStepsError
        return (left_by[0],), [piece for piece in pieces if piece is not states[0]]

    def _is_report_about_object(self, pieces: list[Piece]) -> bool:
        """Return True if a report names its subject and no other person: "report on the lounge"."""
        kinds = {piece.name for piece in pieces if piece.kind == "value"}
        asked = {*self._each, *self._joined, *self._lexicon.past}
        return bool(kinds & (self._joined if kinds & self._persons else asked))

    def _convert_information_verb(
        self, act: Node, verbs: tuple[str, ...], asked: list[Node], of: list[Node]
    ) -> Iterator[Step]:
        """Yield the questions of a verb that finds something out, about the places beside them."""
        via = "tell" if self._are_report_verbs(verbs) or self._is_nominal(act) else "look"
        if via == "tell" and any(one.text("what") == _THAT for one in asked):
            raise NoStepsError  # a message for a person
        asked = [one.replace(what="whether") if one.text("what") == _THAT else one for one in asked]
        more = [piece for one in of for piece in self._convert_phrase(one)]
        if via == "tell" and self._working and all(map(self._asks_about_past, asked)):
            yield self._build_step(verbs, more, act)
            return
        if via == "tell" and {piece.name for piece in more} & self._persons:
            for one in asked:
                yield self._build_question_step(one, "look")
            yield self._build_step(verbs, more, act)
            return
        usual = [] if of else self._usual_values(verbs)
        for one in asked:
            step = self._build_question_step(one, via)
            step.pieces += [p for p in usual if p.name not in {q.name for q in step.pieces}]
            if of:
                each = self._lexicon.list_types("each")
                placed = any(piece.name in each for piece in step.pieces)
                if len(asked) > 1 or placed or any(piece.name not in each for piece in more):
                    raise NoStepsError
                step.pieces += more
            yield step

    def _usual_values(self, verbs: Iterable[str]) -> list[Piece]:
        """Return the values that verbs are about if no others are named: a patrol."""
        ways = [self._lexicon.ways[verb].about for verb in verbs if verb in self._lexicon.ways]
        return [self._new_piece("value", kind, one) for way in ways for kind, one in way.items()]

    def _asks_about_past(self, ask: Node) -> bool:
        things = [parse_name(one.text("name")) for one in ask.walk() if one.kind == "thing"]
        return bool(things) and all(name in self._lexicon.past for _, name, _, _ in things)

    def _are_report_verbs(self, verbs: Iterable[str]) -> bool:
        return {self._lexicon.verbs[verb].finds for verb in verbs} - {""} == {"tell"}

    def _convert_prohibited_act(self, act: Node) -> Step:
        if act.kind != "act":
            raise NoStepsError
        if act.text("verb") == "leave":
            pieces = [piece for one in act.parts() for piece in self._convert_phrase(one)]
            return replace(self._build_step((LEAVE,), pieces, act), positive=False)
        steps = list(self._convert_act(act, done=False))
        if len(steps) != 1 or QUESTION in steps[0].verbs:
            raise NoStepsError
        step = replace(steps[0], positive=False, contrast=self._is_contrast(act))
        if step.pieces and any(self._lexicon.verbs[verb].denied for verb in step.verbs):
            step = replace(step, verbs=(LEAVE,))
        nothing = all(piece.name == "anything" or piece.mark == REST for piece in step.pieces)
        return replace(step, pieces=[]) if nothing else step

    def _is_contrast(self, act: Node) -> bool:
        """Return True if a particle sets an act apart from the others: 자재는 꺼내지 마."""
        edge = self._reading.edge_of(Node("avoid", (("of", act),))) or self._reading.edge_of(act)
        topical = any(one.text("det") == "some" for one in act.parts())
        marks = {leaf.category for leaf in edge.leaves()} if edge is not None else set()
        return topical or not marks.isdisjoint(_TOPICAL)

    def _build_step(self, verbs: tuple[str, ...], pieces: list[Piece], node: Node) -> Step:
        pronoun = any(piece.kind == "pronoun" for piece in pieces)
        told, joined = self._is_nominal(node), self._joined_to(node)
        text = self._said(node)
        return Step(verbs, pieces, pronoun=pronoun, told=told, text=text, joined=joined)

    def _joined_to(self, node: Node) -> str:
        """Return how a clause is joined to the one before it, see `Step.joined`."""
        edge = self._reading.edge_of(node)
        if edge is None and node.kind == "avoid":
            return "stop" if self._language == "en" else "then"  # without reporting
        if edge is None or self._language == "ko":
            return "then"
        before = [leaf for leaf in self._reading.edge.leaves() if leaf.end == edge.start]
        apart = before and (before[0].category in PAUSES or "but" in before[0].text)
        return "stop" if apart else "then"

    def _is_nominal(self, act: Node) -> bool:
        """Return True if the verb of an act is a noun alone: its results are reported."""
        edge = self._reading.edge_of(act)
        kinds = [leaf.category for leaf in edge.leaves()] if edge else []
        verbs = [kind for kind in kinds if kind.startswith(("v.", "perform"))]
        return bool(verbs) and verbs[-1].endswith(".noun")

    # -- questions and conditions

    def _build_question_step(self, ask: Node, via: str) -> Step:
        self._via = via
        pieces, positive = self._question_pieces(ask)
        step = replace(self._build_step((QUESTION,), pieces, ask), via=via)
        fails = any(piece.sense == "fails" for piece in pieces)
        self._asked = step, positive != fails
        self._asks_presence = ask.node("of").kind == "exists" and not fails
        self._free = True
        return step

    def _question_pieces(self, ask: Node) -> tuple[list[Piece], bool]:
        """Return the pieces of a question, and whether a yes means that all of it is so."""
        if ask.text("what") not in _ASKED or ask.get("given") is not None:
            raise NoStepsError
        of = self._without_alternatives(ask.node("of"))
        if of.kind == "exists":
            about = of.node("of")
            quantity = about.get("quantity") if about.kind == "np" else None
            positive = quantity is None
            if isinstance(quantity, Node):
                if quantity.text("number") != "0" or quantity.text("bound") != "exactly":
                    raise NoStepsError
                about = about.replace(quantity=None)
            pieces = list(self._convert_phrase(about))
            if any(p.kind == "state" and p.name not in (HELD, _VISIBLE) for p in pieces):
                raise NoStepsError  # a free hand: one of several
            return self._with_visible_state(pieces), positive
        if of.kind == "all":
            hold = of.node("hold")
            positive = hold.kind != "not"
            hold = hold if positive else hold.parts()[0]
            omitted = _is_omitted(of.node("of"))
            named = [] if omitted else list(self._convert_phrase(of.node("of")))
            said = [*named, *self._convert_alternatives(hold)]
            places = [p for p in said if p.kind == "value" and p.name in self._joined]
            seen = {(p.name, p.value): p for p in places}  # 불이 켜져: the light, twice
            pieces = [p for p in said if p not in places or p in seen.values()]
            self._check_both(pieces)
            return self._with_places_apart(pieces), positive
        if of.kind not in ("np", "pronoun"):
            raise NoStepsError
        counted = ask.text("what") == "how_many" and bool(self._joined)
        if counted and not self._names_thing(of):
            aspect = self._counted_aspect(ask)
            if aspect is None:
                raise NoStepsError
            return [aspect] if _is_omitted(of) else [*self._convert_phrase(of), aspect], True
        pieces = list(self._convert_phrase(of))
        located = self._language == "en" and ask.text("what") == "where"
        return pieces if located else self._with_visible_state(pieces), True

    def _check_both(self, pieces: list[Piece]) -> None:
        """Raise UnclearTextError if a question is about both hands: only one is looked at."""
        both = [leaf.text for leaf in self._reading.edge.leaves() if leaf.text.startswith(_BOTH)]
        if both and any(piece.name in (_EMPTY, HELD) for piece in pieces):
            raise UnclearTextError("COUNT", both[0])

    def _without_alternatives(self, of: Node) -> Node:
        """Return what is asked, at each of the places that it names: "in the lounge or the hall".

        Raises:
            NoStepsError: If it is a condition, and one of the places is enough.
        """
        found = [part for part in of.walk() if part.kind == "or"]
        if not found or any(part.kind != "rel" for part in found[0].parts()):
            return of
        if len(found) > 1 or self._via != "ask":
            raise NoStepsError
        return normal(of.substitute(found[0], conjunction(*found[0].parts())))

    def _as_held(self, piece: Piece) -> Piece:
        named = piece.kind == "noun" and piece.name == _HELD_THING
        return self._new_piece("state", HELD, text=piece.text) if named else piece

    def _counted_aspect(self, ask: Node) -> Piece | None:
        """Return what is counted if only the words for the number say it: 몇 명인지."""
        said = "".join(self._said(ask).split())
        for kind in self._joined:
            for name, value in self._lexicon.values.get(kind, {}).items():
                phrases = (one for text in value.phrases() for one in expand_phrase(text))
                if any("".join(one.split()) in said for one in phrases if " " in one):
                    return self._new_piece("value", kind, name)
        return None

    def _names_thing(self, phrase: Node) -> bool:
        return phrase.kind == "np" and any(
            part.kind == "thing" for part in conjuncts(phrase.node("of"))
        )

    def _convert_alternatives(self, hold: Node) -> list[Piece]:
        """Return the pieces of a property; of the first of two that exclude each other.

        Raises:
            NoStepsError: If it is a condition, which always holds.
        """
        if hold.kind != "or":
            return list(self._convert_formula(hold, ""))
        if self._via == "if":
            raise NoStepsError
        one, other = (list(self._convert_formula(part, "")) for part in hold.parts()[:_PAIR])
        kinds = [[(p.kind, p.name if p.kind == "value" else "") for p in of] for of in (one, other)]
        if len(hold.parts()) > _PAIR or len(one) != 1 or kinds[0] != kinds[1]:
            raise NoStepsError
        return one

    def _with_visible_state(self, pieces: list[Piece]) -> list[Piece]:
        """Return the pieces of what is looked for; where only objects are named, being visible."""
        if any(find_only_other_value(one, self._lexicon) for one in pieces):
            return pieces
        if HELD in self._lexicon.states:  # what is held: something that is held
            pieces = [self._as_held(piece) for piece in pieces]
        if self._dwells and len(pieces) == 1 and "=" in pieces[0].relation:  # 교수님 자리에 계셔
            kind, _, value = pieces[0].relation.partition("|")[0].partition("=")
            return [self._new_piece("value", kind, value, text=pieces[0].text)]
        pieces = self._with_places_apart(pieces)
        described = any(one.kind in ("state", "value") for one in pieces)
        if not described and any(one.name == HAND for one in pieces):
            pieces.append(self._new_piece("noun", _ANYTHING))
        elif not described and (state := self._looked_for(pieces)) in self._lexicon.states:
            pieces.insert(0, self._new_piece("state", state))
        elif not described and not any(one.name in _DESCRIBED for one in pieces):
            raise NoStepsError
        return pieces

    def _with_places_apart(self, pieces: list[Piece]) -> list[Piece]:
        """Return the pieces of a question with the place of an object as a piece of its own."""
        return pieces if self._language == "ko" else _without_anything(_places_apart(pieces))

    def _looked_for(self, pieces: list[Piece]) -> str:
        """Return the state of what is asked about: held, visible, or empty if it is not known."""
        placed = self._exists or any(piece.relation for piece in pieces)
        return self._seen_as or (_VISIBLE if placed else "")

    def _convert_conditional(self, node: Node) -> Iterator[Step]:
        if self._is_only_joint(node.node("of")):
            yield from self.convert(node.node("then"))
            return
        condition = self.convert_condition(node.node("of"))
        question, needed = condition
        for name, answer in (("then", needed), ("other", not needed)):
            branch = node.get(name)
            if isinstance(branch, Node) and self._only_reports_answer(branch):
                if self._language == "en":
                    yield self._convert_report_branch(node, name, branch, (question, answer))
                    self._case += 1
                    continue
                told = replace(question, via="tell")  # the report is the answer itself
                for part in branch.parts()[:-1] if branch.kind == "seq" else ():
                    for step in self.convert(part):
                        yield replace(step, condition=(question, answer), case=self._case)
                so = node.node("of").get("of") in _SOS[:_PAIR]
                if self._branches > 1 or so:
                    if self._reports_late(branch) and (so or not self._only_ends):
                        raise NoStepsError  # told at the end, after the other branch
                    told = replace(told, condition=(question, answer), case=self._case)
                yield told
                self._case += 1
                continue
            if not isinstance(branch, Node) or _is_empty(branch):
                continue
            last = name == "other" or node.get("other") is None
            paused = last and self._has_pause(branch)
            for place, step in enumerate(self._convert_branch(branch)):
                if place and paused and step.positive:
                    raise NoStepsError  # where the condition ends is not clear
                if step.condition is not None or QUESTION in step.verbs:
                    raise NoStepsError
                yield replace(step, condition=(question, answer), case=self._case)
            self._case += 1

    def _convert_report_branch(
        self, node: Node, name: str, branch: Node, condition: tuple[Step, bool]
    ) -> Step:
        """Return the step of a branch that reports the answer of its condition.

        Raises:
            NoStepsError: If the report would come at the end, after another branch.
        """
        so = node.node("of").get("of") in _SOS
        both = [one for one in (node.get("then"), node.get("other")) if isinstance(one, Node)]
        idle = any(map(self._is_idle, both))  # otherwise do nothing
        if self._branches == 1 and not (so or idle):
            return replace(condition[0], via="tell")  # what is told is the answer itself
        if idle:
            told = self._build_step(self._reports, [], branch)
            return replace(told, condition=condition, case=self._case)
        if not self._reports_late(branch):
            return replace(condition[0], via="tell", condition=condition, case=self._case)
        other = node.get("other")
        early = name == "then" and isinstance(other, Node) and not self._is_idle(other)
        comes = self._free and self._said(branch).partition(" ")[0] in self._comes
        if early or node is not self._last or (so and comes):
            raise NoStepsError
        return self._build_step(self._reports, [], branch)

    def _has_pause(self, branch: Node) -> bool:
        """Return True if there is a pause after the first act of a branch."""
        return _has_pause_after_first_act(self._reading.edge_of(branch) or self._reading.edge)

    def _is_only_joint(self, ask: Node) -> bool:
        """Return True for a word that means "if so" only after a question of the same text."""
        leading = closed_classes(self._language)["operators"].get("leading", ())
        said = ask.node("of") == _SOS[0] and self._asked is None
        return said and self._said(ask).strip(" ,") in leading

    def _only_reports_answer(self, branch: Node) -> bool:
        """Return True for a branch that tells the answer of its condition: "come and tell me"."""
        if branch.kind == "seq" and branch.parts():
            *before, last = branch.parts()
            return self._only_reports_answer(last) and all(map(self._only_comes, before))
        verbs = branch.text("verb").partition("/")[0].split() if branch.kind == "act" else ()
        bare = all(one.kind == "pronoun" or one.text("relation") == "me" for one in branch.parts())
        return bool(verbs) and bare and self._are_report_verbs(verbs)

    def _ends_mission(self, branch: Value | None) -> bool:
        """Return True for a branch that only comes back or reports, and for one that is absent."""
        nodes = branch.walk() if isinstance(branch, Node) else ()
        acts = [node for node in nodes if node.kind == "act"]
        return all(self._reports_late(act) for act in acts)

    def _reports_late(self, branch: Node) -> bool:
        """Return True if a branch ends the mission with a report."""
        verbs = {*self._verbs_of(branch)}
        return bool(verbs & (self._lexicon.closing_verbs | self._taking))

    def _verbs_of(self, clause: Node) -> list[str]:
        return clause.text("verb").partition("/")[0].split() if clause.kind == "act" else []

    def _is_idle(self, clause: Node) -> bool:
        """Return True for an act that leaves everything as it is: "do nothing"."""
        if self._stays and clause.kind == "avoid" and clause.node("of").text("verb") == LEAVE:
            return all(part.kind == "pronoun" for part in clause.node("of").parts())
        verbs = self._verbs_of(clause)
        known = self._lexicon.verbs
        bare = not clause.parts() if clause.kind == "act" else False
        return bare and bool(verbs) and all(one in known and known[one].idle for one in verbs)

    def _only_comes(self, part: Node) -> bool:
        """Return True for an act that a report includes: coming back."""
        verbs = {*part.text("verb").partition("/")[0].split()} if part.kind == "act" else set()
        bare = all(one.text("relation") == "me" for one in part.parts())
        return bool(verbs) and bare and verbs <= self._lexicon.closing_verbs

    def _convert_branch(self, branch: Node) -> Iterator[Step]:
        """Yield the steps of a branch, without those that leave everything as it is.

        Raises:
            NoStepsError: If it tells an answer that is not its own.
        """
        persons: list[Piece] = []
        self._in_branch = True
        for part in branch.parts() if branch.kind == "seq" else (branch,):
            if self._is_idle(part):
                continue
            reports = self._only_reports_answer(part)
            if reports and not persons:
                raise NoStepsError
            for step in self.convert(part):
                own = [piece for piece in step.pieces if piece.name in self._persons]
                if reports:
                    step = replace(step, pieces=persons)  # 교수님께 가서 말씀드려
                persons = own or persons
                if step.pieces or not any(self._lexicon.verbs[one].idle for one in step.verbs):
                    yield step
        self._in_branch = False

    def convert_condition(self, ask: Node) -> tuple[Step, bool]:
        """Return the question of a condition, and the answer that is needed."""
        about = ask.node("of")
        if about.kind == "pronoun":
            name = about.text("name")
            if self._asked is None or name not in _SO:
                raise NoStepsError
            question, positive = self._asked
            there = name.endswith("there")
            if self._asks_person and not there:
                raise NoStepsError  # "if not": what the person says
            if there and self._asks_presence:
                return replace(question, via="ask"), _SO[name]
            if (_SO[name] and not self._free) or (there and not positive):
                raise NoStepsError  # "so" after a condition: what holds, or what was done
            return replace(question, via="ask"), positive == _SO[name]
        before = self._asked
        question = replace(self._build_question_step(ask, "if"), via="ask")
        kinds = {piece.name for piece in question.pieces}
        if self._points and kinds & self._persons and not kinds & self._each:
            raise NoStepsError  # there: where the robot goes, or where the person usually is
        self._free = False
        positive = (self._asked or (question, True))[1]
        if self._case and (before is None or not self._have_same_subject(before[0], question)):
            raise NoStepsError
        return question, positive

    def _have_same_subject(self, one: Step, other: Step) -> bool:
        """Return True if two questions are about the same things, or the second names none."""
        things, aspects = self._subjects_of_question(one)
        others, other_aspects = self._subjects_of_question(other)
        return others == things if others else not other_aspects or other_aspects == aspects

    def _subjects_of_question(self, step: Step) -> tuple[set[tuple[str, str]], set[str]]:
        """Return the objects that a question names, and what it asks about them."""
        named = [piece for piece in step.pieces if piece.kind in ("noun", "value")]
        things = {(p.name, p.value) for p in named if p.name not in self._joined}
        return things, {p.value for p in named if p.name in self._joined}

    # -- pieces

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
                    raise NoStepsError  # not only with the left arm
                inner = part.node("to") if part.kind == "rel" else part
                yield from self._convert_phrase(inner, "not")
        elif node.kind == "both":
            for part in node.parts():
                yield from self._convert_phrase(part, mark)
        elif node.kind == "np":
            single = isinstance(node.get("of"), Node) and self._names_single(node.node("of"))
            if node.text("det") == "another" or (
                node.text("det") == "any" and not single and self._language == "ko"
            ):
                raise NoStepsError
            quantity = None if single and node.get("quantity") == _ONE else node.get("quantity")
            if isinstance(quantity, Node):
                yield from self._convert_phrase(quantity)
            formula = node.get("of")
            if not isinstance(formula, Node):
                return  # nothing
            if self._counts(node):
                raise NoStepsError
            described = [part.kind for part in conjuncts(formula)]
            several = quantity is None and "many" in described
            plain = "thing" in described and not self._names_aspects(formula)  # students: an aspect
            if several and (plain or node.text("det") == "all"):
                raise NoStepsError
            if node.text("det") in ("rest", "all") and {"any", "not"} >= {*described}:
                yield self._new_piece("noun", mark=REST)
            elif node.text("det") == "rest":
                raise NoStepsError
            yield from self._convert_formula(formula, mark)
        else:
            raise NoStepsError

    def _convert_number(self, node: Node) -> Piece:
        if node.kind == "quantity" and node.text("bound") != "exactly":
            raise NoStepsError
        number = int(node.text("number"))
        kind, value = ("TIMES" if node.kind == "times" else "COUNT"), str(number)
        if node.kind == "duration":
            kind, value = "TIME", f"{number * int(node.text('unit'))}s"
        return self._new_piece("limit", kind, value, text=self._said(node) or value)

    def _names_aspects(self, formula: Node) -> bool:
        """Return True if a formula names what is asked about a place, such as its people."""
        things = [part.text("name") for part in conjuncts(formula) if part.kind == "thing"]
        return all(thing.startswith("value/") for thing in things) and self._joined >= {
            parse_name(thing)[1] for thing in things
        }

    def _names_single(self, formula: Node) -> bool:
        """Return True if a formula names an object of which there is one: no arm, no hand."""
        both = tuple(closed_words(self._language, "both"))
        nouns = _nouns_of(formula)
        paired = (said.startswith(both) for one in nouns for said in self._phrases_of_noun(one))
        return bool(nouns) and HAND not in nouns and not any(paired)

    def _phrases_of_noun(self, noun: str) -> tuple[str, ...]:
        return self._lexicon.nouns[noun].phrases() if noun in self._lexicon.nouns else ()

    def _counts(self, phrase: Node) -> bool:
        """Return True if a phrase asks for all of what there is one of (자재 전부)."""
        if phrase.text("det") != "all" or not _nouns_of(phrase.node("of")):
            return False
        edge = self._reading.edge_of(phrase)
        counts = self._lexicon.limits.get("COUNT", Words())
        limits = {"".join(said.split()) for one in counts.phrases() for said in expand_phrase(one)}
        return edge is not None and any(leaf.text in limits for leaf in edge.leaves())

    def _convert_relation(self, node: Node) -> Iterator[Piece]:
        relation, to = node.text("relation"), node.get("to")
        if relation == "me":
            yield self._new_piece("speaker")
        elif relation == "there":
            yield self._new_piece("filler")
        elif relation == _TOOL and isinstance(to, Node):
            pieces = list(self._convert_phrase(to, "with"))
            if not all(find_only_other_value(piece, self._lexicon) for piece in pieces):
                raise NoStepsError
            yield from pieces
        elif relation == HELD and HELD in self._lexicon.states:
            yield self._new_piece("state", HELD)
        elif relation == INSIDE and self._language == "ko":
            yield from self._convert_inside(to)
        elif self._is_place_of_noun(node):
            place = self._place_of(node)
            yield replace(self._new_piece("noun", mark="at"), relation=place)
        elif to is not None and relation in _MARKS:
            for one in node.parts("to"):
                yield from self._convert_phrase(one, _MARKS[relation])
        else:
            raise NoStepsError

    def _convert_argument(self, node: Node, among: list[Node]) -> Iterator[Piece]:
        """Yield the pieces of an argument; a hand after a pause is the instrument."""
        pieces = list(self._convert_phrase(node))
        bare = len(pieces) == 1 and not pieces[0].mark and bool(_nouns_in(among[0]))
        if bare and find_only_other_value(pieces[0], self._lexicon) and self._language == "en":
            if self._joined_to(node) != "stop":
                raise NoStepsError  # the door and the left hand
            pieces = [pieces[0].with_mark("with")]
        yield from pieces

    def _place_of(self, node: Node) -> str:
        """Return the place relative to a noun, see `Piece.relation`."""
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
        if self._language == "ko":
            return False
        if part.text("relation") in self._lexicon.relations:
            return True
        things = [one.text("name") for one in part.walk() if one.kind == "thing"]
        named = bool(things) and all(one.startswith("noun/") for one in things)
        relation = _RELATION_OF.get(part.text("relation"), "")
        return relation in self._lexicon.relations and named and f"noun/{_HOME}//" not in things

    def _convert_inside(self, of: Value | None) -> Iterator[Piece]:
        """Yield the place itself if it has a value; what is inside an object is a place of its own.

        It has no name and the relation ``inside door``, or ``inside`` if the object is not named.
        """
        limits = self._lexicon.limits.get("OUT_OF_REACH", Words()).phrases()
        out_of_reach = {"".join(one.split()) for said in limits for one in expand_phrase(said)}
        said = list(self._convert_phrase(of, "at")) if isinstance(of, Node) else []
        if any(one.startswith(p.text.replace(" ", "")) for p in said for one in out_of_reach):
            raise NoStepsError
        if not said or said[0].kind == "noun":
            place = f"{INSIDE} {said[0].name if said else ''}"
            said[:1] = [replace(self._new_piece("noun"), relation=place)]
        if len(said) != 1 or said[0].kind not in ("noun", "value"):
            raise NoStepsError
        yield said[0]

    def _convert_formula(self, formula: Node, mark: str) -> Iterator[Piece]:
        """Yield the pieces of what is said of an object; the inside of a place belongs to it."""
        pieces = list(self._convert_conjuncts(formula, mark))
        places = [piece for piece in pieces if piece.relation and not piece.name]
        if mark == "from" and places:
            yield replace(places[0], relation=f"from_{places[0].relation}")
            return
        named = [piece for piece in pieces if piece not in places]
        if places and any(piece.name in self._persons for piece in named):
            places = []  # 교수님 안에 계신지: in the usual place
        if places and named and named[-1].kind == "noun":
            named[-1] = replace(named[-1], relation=places[0].relation)
            places = places[1:]
        yield from (*places, *named)

    def _convert_conjuncts(self, formula: Node, mark: str) -> Iterator[Piece]:
        parts = self._in_order_of_text(conjuncts(formula))
        kinds = [part.kind for part in parts]
        if "thing" in kinds and "or" in kinds:
            raise NoStepsError
        if kinds.count("rel") > 1 and self._language == "ko":
            raise NoStepsError  # the order of two is lost
        if {"thing", "not"} <= {*kinds} and not any(map(self._means_everywhere, parts)):
            if self._language == "en" and not self._denies:
                raise NoStepsError  # the lounge except the hall
            parts = list(_without_other_values(parts))  # one place has no exceptions
        for part in parts:
            if part.kind in ("thing", "has"):
                said = part.text("name") or part.text("attribute")
                if said == HAND and HAND in self._lexicon.nouns:
                    said = f"noun/{HAND}//"
                if said.count("/") != 3:
                    raise NoStepsError
                kind, name, value, sense = parse_name(said)
                yield self._new_piece(_parse_kind(kind), name, value, mark, sense, self._said(part))
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
            elif part.kind not in _SILENT:
                raise NoStepsError

    def _in_order_of_text(self, parts: Iterable[Node]) -> list[Node]:
        """Return the parts of a formula, the relations as the text has them."""
        found = list(parts)
        places = [at for at, part in enumerate(found) if part.kind == "rel"]
        ranked = sorted(places, key=lambda at: self._position(found[at]))
        for at, part in zip(places, [found[one] for one in ranked], strict=True):
            found[at] = part
        return found

    def _position(self, node: Node) -> int:
        """Return where the text has a node, or the first part of it that has a place."""
        edges = (self._reading.edge_of(part) for part in node.walk())
        return next((edge.start for edge in edges if edge is not None), 0)

    def _means_everywhere(self, part: Node) -> bool:
        """Return True for the value that stands for several: everywhere."""
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


def _group_by_repetitions(of: list[Node]) -> Iterator[tuple[list[Node], int]]:
    """Yield the arguments of each act with its number of times: A twice, B once."""
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


def _words_of(language: str, category: str) -> Iterable[str]:
    words: Iterable[str] = language_data(language)["orders"]["words"].get(category, ())
    return words


def _is_empty(clause: Node) -> bool:
    return clause.kind == "seq" and not clause.parts()


def _attach_places(pieces: list[Piece]) -> list[Piece]:
    """Return pieces in which a place after an object belongs to it: the material, from inside."""
    found: list[Piece] = []
    for piece in pieces:
        place = piece.kind == "noun" and piece.mark == "at" and not piece.name and piece.relation
        if place and found and found[-1].kind == "noun" and not found[-1].relation:
            found[-1] = replace(found[-1], relation=piece.relation)
        else:
            found.append(piece)
    return found


def _places_apart(pieces: list[Piece]) -> list[Piece]:
    """Return the pieces of a question with the place of an object as a piece of its own."""
    found: list[Piece] = []
    for piece in pieces:
        if piece.kind == "noun" and piece.name and piece.relation:
            place = replace(piece, name="", mark="at")
            found += [replace(piece, relation=""), place]
        else:
            found.append(piece)
    return found


def _without_anything(pieces: list[Piece]) -> list[Piece]:
    """Return the pieces of a question without "anything", if it is described otherwise."""
    said = any(p.relation or (p.kind == "state" and p.name == _VISIBLE) for p in pieces)
    return [piece for piece in pieces if not said or piece.name != _ANYTHING]


def _nouns_of(formula: Node) -> list[str]:
    """Return the nouns that a formula names."""
    things = [part.text("name") for part in conjuncts(formula) if part.kind == "thing"]
    return [parse_name(thing)[1] for thing in things if thing.startswith("noun/")]


def _unique(pieces: list[Piece], kinds: Iterable[str]) -> list[Piece]:
    """Return pieces without a second value of the same kind and name: 분위기 어떤지."""
    found: list[Piece] = []
    for piece in pieces:
        same = [one for one in found if (one.name, one.value) == (piece.name, piece.value)]
        if piece.name not in kinds or not same:
            found.append(piece)
    return found


def _without_other_values(parts: Iterable[Node]) -> tuple[Node, ...]:
    """Return parts without other values than the one that is named (라운지 말고 복도).

    Raises:
        NoStepsError: If anything else is excluded.
    """
    named = [part.text("name").split("/")[:2] for part in parts if part.kind == "thing"]
    for part in parts:
        other = part.parts()[0] if part.kind == "not" else None
        if other is not None and other.text("name").split("/")[:2] not in named:
            raise NoStepsError
    return tuple(part for part in parts if part.kind != "not")


def _is_omitted(phrase: Node) -> bool:
    """Return True for the object of a question that names none (조용한지 봐)."""
    return phrase.kind == "np" and phrase.node("of").kind == "any"


def _nouns_in(phrase: Node) -> list[str]:
    formula = phrase.get("of")
    return _nouns_of(formula) if phrase.kind == "np" and isinstance(formula, Node) else []


def _relation_to_noun(noun: str) -> Node:
    """Return the way to what a noun names."""
    thing = Node("thing", (("name", f"noun/{noun}//"),))
    return Node("rel", (("relation", "to"), ("to", Node("np", (("of", thing),)))))


def _without_both(of: list[Node]) -> list[Node]:
    """Return the arguments of an act without "both" at one of two."""
    both = Node("quantity", (("bound", "exactly"), ("number", _PAIR)))
    named = [one for one in of if one.kind == "np"]
    if len(named) != _PAIR:
        return of
    return [
        one.replace(quantity=None, det=None) if one.get("quantity") == both else one for one in of
    ]


def _refers_to_named_place(reading: Reading, kinds: Iterable[str]) -> bool:
    """Return True if a text names a place and points at one: "there"."""
    pointing = {*closed_words(reading.language, "place_pronouns")}
    named = tuple(f"value/{kind}/" for kind in kinds)
    leaves = list(reading.edge.leaves())
    things = [leaf.meaning.text("name") for leaf in leaves if isinstance(leaf.meaning, Node)]
    return any(leaf.text in pointing for leaf in leaves) and any(
        thing.startswith(named) for thing in things
    )


def _has_pause_after_first_act(edge: Edge) -> bool:
    """Return True if there is a pause after the first act."""
    leaves = list(edge.leaves())
    acts = [leaf.start for leaf in leaves if leaf.category.startswith("v.")]
    first, last = min(acts, default=0), max(acts, default=0)
    return any(leaf.category == "comma" and first < leaf.start < last for leaf in leaves)


def _parse_kind(text: str) -> Kind:
    kinds: Mapping[str, Kind] = {"noun": "noun", "value": "value", "state": "state"}
    return kinds[text]


def _tells_before(reading: Reading, lexicon: Lexicon) -> bool:
    """Return True if only a report is to come before an act: "tell me before you open it"."""
    acts = [leaf for leaf in reading.edge.leaves() if leaf.category.startswith("v.")]
    verbs = [str(leaf.meaning).partition("/")[0].split() for leaf in acts]
    tells = [all(lexicon.verbs[one].finds == "tell" for one in names) for names in verbs]
    return any(leaf.category.endswith(".before") for leaf in acts) and any(tells)


def _has_joined_before_negation(reading: Reading) -> bool:
    """Return True if what is forbidden may include the act before it (열고 닫지 말고)."""
    moods = [leaf.category.rpartition(".")[2] for leaf in reading.edge.leaves()]
    denied = [at for at, mood in enumerate(moods) if mood in ("instead", "prohibited")]
    return any(mood == "and" for at in denied for mood in moods[:at])
