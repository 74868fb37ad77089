"""Conversion of acts that obtain or report information, and of messages for persons."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from bt_exec.language.closed_classes import closed_words
from bt_exec.language.logical_operators import operators_in
from bt_exec.language.phrase_alternatives import expand_phrase
from bt_exec.language.reading.lexicon import language_data
from bt_exec.language.reading.meaning_node import Node
from bt_exec.language.reading.reader import Reading
from bt_exec_llm.offline.comparisons_to_steps import Comparisons
from bt_exec_llm.offline.fetched_objects import fetches_object
from bt_exec_llm.offline.lexicon import Lexicon
from bt_exec_llm.offline.reader_lexicon import types_in
from bt_exec_llm.offline.step import QUESTION, Step
from bt_exec_llm.offline.step_conversion_errors import NoStepsError, UnclearTextError
from bt_exec_llm.offline.step_piece import Piece

__all__ = ["ReportConverter"]

_THAT = "that"
"""Type of question for a statement to check, as in "make sure that the lights are off"."""
_TAKING_PARTS = 3
"""Number of parts in the name of a verb that takes a text; see `to_engine_lexicon`."""


class ReportConverter(Comparisons):
    """Converter of the observations, reports and messages of one meaning.

    Args:
        lexicon: The words of the site.
        reading: The parsed text that contains the meaning.
    """

    def __init__(self, lexicon: Lexicon, reading: Reading) -> None:
        super().__init__(lexicon, reading)
        verbs = lexicon.verbs
        closing = [
            one for one in lexicon.mission_ending_verbs if one in verbs and not verbs[one].sums
        ]
        self._reports = tuple(sorted(one for one in closing if verbs[one].finds == "tell"))
        self._taking = lexicon.verbs_with_text
        slots = lexicon.texts.values()
        self._carrying = {verb for one in slots if one.shape == "noun" for verb in one.verbs}
        pronouns = language_data(reading.language)["values"].get("pronoun", {}).values()
        self._pronouns = frozenset(word for words in pronouns for word in words)
        self._comes = {
            word.partition(" ")[0]
            for name in lexicon.mission_ending_verbs
            if name in verbs and not verbs[name].finds
            for phrase in verbs[name].en
            for word in expand_phrase(phrase)
        }
        self._working = self._in_branch = self._observed_all = False

    def _convert_information_verb(
        self, act: Node, verbs: tuple[str, ...], asked: list[Node], of: list[Node]
    ) -> Iterator[Step]:
        """Yield the steps of the questions in an act of observation or report."""
        via = "tell" if self._are_report_verbs(verbs) or self._is_nominal(act) else "look"
        if via == "tell" and any(one.text("what") == _THAT for one in asked):
            raise NoStepsError  # "tell him that …" is a message, not a question
        asked = [one.replace(what="whether") if one.text("what") == _THAT else one for one in asked]
        more = [piece for one in of for piece in self._convert_phrase(one)]
        if via == "look" and of and any(map(self._asks_about_person, asked)):
            raise NoStepsError  # a condition: "look at the lounge if he is not in"
        follows_act = via == "tell" and self._working
        if follows_act and all(map(self._asks_where_found, asked)):
            yield self._build_step(self._reports, more, act)
            return
        if not all(map(self._knows_person, asked)):
            raise NoStepsError
        past = all(map(self._asks_about_past, asked))
        if past and (follows_act or self._comes_to_report(act)):
            yield from self._convert_way_back(act)
            yield self._build_step(verbs, more, act)
            return
        if via == "tell" and {piece.name for piece in more} & self._persons:
            for one in asked:
                yield self._build_question_step(one, "look")
            yield self._build_step(verbs, more, act)
            return
        if any(map(self._compares, asked)):
            if more or len(asked) > 1 or self._in_branch:
                raise NoStepsError
            yield from self._convert_comparison(asked[0])
            return
        usual = [] if of else self._usual_values(verbs)
        observed = self._observed_all
        steps = [self._build_question_step(one, via) for one in asked]
        if via == "tell" and observed and not of and all(map(self._is_about_aspects, steps)):
            yield self._build_step(self._reports, [], act)  # every aspect was observed
            return
        if of and all(p.name in self._joined for step in steps for p in step.pieces):
            steps[0].pieces += [piece for step in steps[1:] for piece in step.pieces]
            steps = steps[:1]  # one question about all aspects
        for step in steps:
            step.pieces += [p for p in usual if p.name not in {q.name for q in step.pieces}]
            if of:
                placed = any(piece.name in self._each for piece in step.pieces)
                if placed or any(piece.name not in self._each for piece in more):
                    raise NoStepsError
                step.pieces += more
            yield step

    def _usual_values(self, verbs: Iterable[str]) -> list[Piece]:
        """Return the default values of verbs, such as all places for a patrol."""
        ways = [self._lexicon.ways[verb].about for verb in verbs if verb in self._lexicon.ways]
        return [self._new_piece("value", kind, one) for way in ways for kind, one in way.items()]

    def _is_about_aspects(self, step: Step) -> bool:
        """Return True for a question that names only aspects, such as noise, and pronouns."""
        aspects = [piece for piece in step.pieces if piece.name in self._joined]
        return bool(aspects) and all(
            piece in aspects or (piece.kind == "pronoun" and not piece.name)
            for piece in step.pieces
        )

    def _knows_person(self, ask: Node) -> bool:
        """Return False for a question such as "where he is" if no earlier step names a person."""
        of = ask.node("of")
        named = any(piece.name in self._persons for step in self._built for piece in step.pieces)
        return named or (of.kind, of.text("name"), ask.text("what")) != (
            "pronoun",
            "person",
            "where",
        )

    def _asks_where_found(self, ask: Node) -> bool:
        """Return True if a question asks for the place of a person in the previous act."""
        before = self._built[-1] if self._built else None
        if before is None or ask.text("what") != "where" or ask.node("of").kind != "pronoun":
            return False
        kinds = {piece.name for piece in before.pieces}
        looked_for = bool(kinds & self._persons) and kinds <= self._persons | self._each
        return self._is_observation(before) and looked_for

    def _has_text_before(self) -> bool:
        """Return True if a previous act has a free-text argument, such as an item to carry."""
        named = {piece.name for step in self._built for piece in step.pieces}
        return not named.isdisjoint(self._lexicon.texts)

    def _asks_about_person(self, ask: Node) -> bool:
        """Return True for a question about a person that does not refer to an earlier one."""
        refers = any(one.kind == "pronoun" for one in ask.walk())
        return not refers and not self._persons.isdisjoint(types_in(ask))

    def _asks_about_past(self, ask: Node) -> bool:
        types = types_in(ask)
        return bool(types) and types <= {*self._lexicon.past}

    def _are_report_verbs(self, verbs: Iterable[str]) -> bool:
        known = self._lexicon.verbs
        return {known[verb].finds for verb in verbs if verb in known} - {""} == {"tell"}

    def _tells_last_answer(self, verbs: tuple[str, ...], pieces: list[Piece]) -> bool:
        """Return True if a report adds nothing to the previous question: "… and tell me"."""
        bare = all(piece.kind == "speaker" for piece in pieces)
        asked = self._asked is not None and not self._reports and not self._in_branch
        return bare and asked and self._are_report_verbs(verbs)

    def _reports_end(self, act: Node, verbs: tuple[str, ...], pieces: list[Piece]) -> bool:
        """Return True if an act only reports the end of the mission, or waits after it.

        As the last act of a command, it is redundant at sites without a tree for reports: there,
        the robot always reports the end of a mission and then waits.
        """
        bare = all(piece.kind == "speaker" for piece in pieces)
        acts = (one for one in self._reading.meaning.walk() if one.kind == "act" and one != act)
        last = all(self._position_in_text(one) < self._position_in_text(act) for one in acts)
        edge = self._reading.edge_of(act)
        whole = edge is None or edge.end == len(self._reading.typed.chars)
        free = self._working and not self._reports and (whole or not self._is_nominal(act))
        known = [self._lexicon.verbs[verb] for verb in verbs]
        waits = bool(known) and all(verb.stays and not verb.finds for verb in known)
        return bare and free and last and (waits or self._are_report_verbs(verbs))

    def _record_look(self, step: Step) -> Step:
        """Return the step of an observation, and record it as a question for later references."""
        finds = [self._lexicon.verbs[verb].finds for verb in step.verbs]
        if self._is_observation(step) and not self._in_branch:
            several = step.times > 1 or len(self._places_of(step)) > 1
            aspects = any(piece.name in self._joined for piece in step.pieces)
            self._observed_all = several and not aspects
        if {*finds} == {"look"} and not self._in_branch:
            self._asked = replace(step, verbs=(QUESTION,), via="ask"), True
            self._free = self._asks_presence = True
        return step

    def _without_past_content(
        self, act: Node, verbs: tuple[str, ...], pieces: list[Piece]
    ) -> list[Piece]:
        """Return the pieces of a report without "what you saw" or "what you did".

        These pieces are kept if no act precedes the report, so that it is about an earlier mission.
        """
        others = [piece for piece in pieces if piece.name not in self._lexicon.past]
        reports = self._are_report_verbs(verbs)
        persons = reports and all(piece.name in self._persons for piece in others)
        dropped = self._working or (reports and self._comes_to_report(act))
        return others if dropped and (persons or not others) else pieces

    def _comes_to_report(self, act: Node) -> bool:
        """Return True if an English verb of reporting includes the way back: "come and tell me"."""
        first = (self._said(act) or self._reading.text).partition(" ")[0].casefold()
        return self._language == "en" and first in self._comes

    def _convert_way_back(self, act: Node) -> Iterator[Step]:
        """Yield the return that "come and tell me" includes, if no act precedes the report."""
        if self._working or not self._comes_to_report(act):
            return
        ends = self._lexicon.mission_ending_verbs
        known = self._lexicon.verbs
        back = tuple(one for one in sorted(ends) if one in known and not known[one].finds)
        yield self._build_step(tuple(one for one in back if not known[one].rescues), [], act)

    def _with_people_present(
        self, act: Node, verbs: tuple[str, ...], pieces: list[Piece]
    ) -> list[Piece]:
        """Return the pieces of an act, with the people at a place as recipients of its text.

        The people are named ("tell everybody in the lounge that …"), or implied by the place, by
        "them", or by the drive to a place before the act ("go to the lounge and say that …").

        Raises:
            NoStepsError: If the text is missing, or if its recipient is not the people present.
        """
        slots = [self._lexicon.texts[p.name] for p in pieces if p.kind == "text" and p.name]
        present = next((one for slot in slots for one in slot.present.items()), None)
        if not slots and {*verbs} & self._taking and self._addresses_people(pieces):
            raise NoStepsError  # the text is missing: "tell the people in the lounge"
        if present is None or any(piece.name in self._persons for piece in pieces):
            return pieces
        if any(slot.shape == "noun" for slot in slots):
            return self._for_people_at_place(pieces, present)
        if aspects := [piece for piece in pieces if piece.name in self._joined]:
            if any((p.name, p.value, p.mark) != (*present, "to") for p in aspects):
                raise NoStepsError
            asks = tuple(language_data(self._language)["orders"]["texts"].get("open_words", ()))
            if asks and any(piece.text.startswith(asks) for piece in aspects):
                raise NoStepsError  # e.g. "ask how many will come": part of the question
            return pieces
        pronouns = [piece for piece in pieces if piece.kind == "pronoun"]
        if pronouns:
            implied = self._means_people_present(act)
        elif any(piece.name in self._each for piece in pieces):
            self._check_text_is_for_place(pieces)
            implied = True
        else:
            asked = any(slot.shape == "question" for slot in slots)
            spoken = asked or self._announces(act, verbs)
            implied = spoken and self._is_sent_to_place()
            implied = implied and not (asked and self._visits_person())
            if not implied and spoken and self._previous_step_asks_for(present, pieces):
                self._check_text_is_for_place(pieces)
                implied = True
            if not implied and (same := self._recipients_of_previous_text(present)):
                return [*same, *pieces]  # "tell the people in the lounge …, and ask whether …"
        if not implied:
            return pieces
        kept = [piece for piece in pieces if piece not in pronouns]
        return [self._new_piece("value", *present, mark="to"), *kept]

    def _recipients_of_previous_text(self, present: tuple[str, str]) -> list[Piece]:
        """Return the recipients of the previous text if they are those at a place; else []."""
        before = self._built[-1].pieces if self._built else []
        named = [p for p in before if (p.name, p.value) == present or p.name in self._each]
        addressed = any((p.name, p.value, p.mark) == (*present, "to") for p in named)
        texts = any(p.kind == "text" for p in before)
        found = (self._new_piece("value", p.name, p.value, mark=p.mark) for p in named)
        return list(found) if addressed and texts else []

    def _check_text_is_for_place(self, pieces: list[Piece]) -> None:
        """Raise NoStepsError if a place may belong to the text, not to its recipients.

        Examples are a text with a condition, and a text about the state of a place.
        """
        about = tuple(language_data(self._language)["orders"]["texts"].get("located", ()))
        for piece in (piece for piece in pieces if piece.kind == "text"):
            text, slot = piece.value, self._lexicon.texts[piece.name]
            begins = 1 if slot.shape == "question" else 0  # "if" begins an embedded question
            operators = operators_in(text, self._language)
            conditional = any(one.kind == "condition" and one.start >= begins for one in operators)
            if conditional or (about and text.rstrip(" .!?").endswith(about)):
                raise NoStepsError

    def _for_people_at_place(self, pieces: list[Piece], present: tuple[str, str]) -> list[Piece]:
        """Return the pieces of a delivery to the people at a place as a delivery to the place.

        Raises:
            NoStepsError: If the recipients are people and no place is known.
        """
        people = [one for one in pieces if (one.name, one.value) == present]
        places = [one for one in pieces if one.name in self._each]
        if people and not places and self._is_sent_to_place():
            places = [one for one in self._built[-1].pieces if one.name in self._each]
            pieces = [*pieces, *places]
        if people and not places:
            raise NoStepsError
        marked = (p.with_mark("to") if people and p in places else p for p in pieces)
        return [one for one in marked if one not in people]

    def _addresses_people(self, pieces: list[Piece]) -> bool:
        """Return True if "the people present" are the recipients of an act."""
        slots = self._lexicon.texts.values()
        present = {one for slot in slots for one in slot.present.items()}
        bare = self._language == "en" and not any(one.kind == "speaker" for one in pieces)
        marks = ("to", "") if bare else ("to",)
        return any((p.name, p.value) in present and p.mark in marks for p in pieces)

    def _previous_step_asks_for(self, present: tuple[str, str], pieces: list[Piece]) -> bool:
        """Return True if the previous step asks whether people are at a place.

        If the text is a request ("조용히 해 달라고", "to be quiet"), the previous step may ask
        anything about the place.
        """
        before = self._built[-1] if self._built else None
        before = before.awaited[0] if before is not None and before.awaited else before
        if before is None or QUESTION not in before.verbs:
            return False
        requests = tuple(language_data(self._language)["orders"]["texts"].get("requests", ()))
        requested = any(p.kind == "text" and p.value.endswith(requests) for p in pieces)
        named = {(piece.name, piece.value) for piece in before.pieces}
        places = (piece for step in self._built for piece in step.pieces)
        meant = present in named or (
            requested and not {p.name for p in before.pieces} & self._persons
        )
        return meant and any(piece.name in self._each for piece in places)

    def _means_people_present(self, act: Node) -> bool:
        """Return True if the plural pronoun of an act stands for people at a place named before."""
        plural = "~them" in self._categories_of(act)
        named = {piece.name for step in self._built for piece in step.pieces}
        return plural and not named & self._persons and bool(named & {*self._each, *self._joined})

    def _announces(self, act: Node, verbs: tuple[str, ...]) -> bool:
        """Return True if an act announces its text to the people present ("say", not "tell")."""
        quoted = "text.said" in self._categories_of(act) and self._language == "ko"
        return quoted or any(verb in self._lexicon.announcing for verb in verbs)

    def _is_sent_to_place(self) -> bool:
        """Return True if the previous act is only a drive to a place.

        A drive without a place goes to the place of a remark or condition before it: "if it is
        loud in the lounge, go and ask them to be quiet".
        """
        before = self._built[-1] if self._built else None
        if before is not None and not before.pieces and self._built[-2:-1]:
            named = self._built[-2].pieces if self._built[-2].verbs in ((), (QUESTION,)) else []
            before = replace(before, pieces=[one for one in named if one.name in self._each])
        if before is None or not before.positive or QUESTION in before.verbs:
            return False
        kinds = {piece.name for piece in before.pieces if piece.kind == "value"}
        verbs = self._lexicon.verbs
        looks = any(verbs[verb].finds for verb in before.acts if verb in verbs)
        return bool(kinds) and kinds <= {*self._each} and not looks

    def _visits_person(self) -> bool:
        """Return True if the previous act drives to the place of a person, such as an office."""
        known = (one for kind in self._persons for one in self._lexicon.values[kind].values())
        usual = {place for one in known for place in one.brings.values()}
        return any(piece.value in usual for piece in self._built[-1].pieces)

    def _is_report_about_object(self, pieces: list[Piece]) -> bool:
        """Return True if a report names its subject and no text: "report on the lounge"."""
        if any(piece.kind == "text" for piece in pieces):
            return False
        pieces = [piece for piece in pieces if not self._is_home(piece)]
        kinds = {piece.name for piece in pieces if piece.kind == "value"}
        asked = {*self._each, *self._joined, *self._lexicon.past}
        return bool(kinds & (self._joined if kinds & self._persons else asked))

    def _is_home(self, piece: Piece) -> bool:
        """Return True for the place where a report is made: "report to me at the base"."""
        value = self._lexicon.values.get(piece.name, {}).get(piece.value)
        return bool(piece.mark) and piece.mark != "not" and value is not None and value.home

    def _convert_report_about_object(
        self, verbs: tuple[str, ...], pieces: list[Piece], act: Node, times: int
    ) -> Iterator[Step]:
        """Yield the question that a report answers, and the report itself if it has a recipient.

        Raises:
            UnclearTextError: If the report is for those at a place, and its text is missing.
        """
        pieces = [piece for piece in pieces if not self._is_home(piece)]
        named = [piece for piece in pieces if piece.kind != "speaker"]
        if self._observed_all and all(piece.name in self._joined for piece in named):
            yield self._build_step(self._reports, [], act)
            return
        if all(piece.name in self._each and piece.mark == "to" for piece in named):
            slots = self._lexicon.texts.items()
            lacking = [name for name, one in slots if one.present and {*verbs} & {*one.verbs}]
            raise UnclearTextError("NO_OBJECT", self._said(act), tuple(lacking[:1]))
        persons = [piece for piece in pieces if piece.name in self._persons]
        about = [piece for piece in pieces if piece not in persons]
        question = replace(self._build_step((QUESTION,), about, act), times=times)
        yield replace(question, via="look" if persons else "tell")
        if persons:
            yield self._build_step(verbs, persons, act)

    def _set_text_type(self, piece: Piece, verbs: tuple[str, ...], *, alone: bool) -> Piece:
        """Return `piece`; a text gets the type of text that `verbs` take.

        Args:
            piece: Any piece.
            verbs: Verbs of the act with the piece.
            alone: Whether the act has no other piece.

        Raises:
            NoStepsError: If the verbs take no text, or the text is a pronoun.
            UnclearTextError: If the text contains a condition that may be meant for the robot, or
                is not a text at all ("nothing").
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
        first = piece.value.casefold().partition(",")[0]
        if self._language == "en" and first in closed_words("en", "nothing"):
            raise UnclearTextError("NEGATED", piece.value)
        asked = self._language == "en" and slot.shape == "question" and "," not in piece.value
        begins = 1 if asked else 0
        if (alone or self._language == "en") and not piece.value.startswith("whether "):
            for one in operators_in(piece.value, self._language):
                clause = piece.value[one.start :].partition(",")[0]
                if (
                    one.kind == "condition"
                    and one.start >= begins
                    and self._may_be_observable(clause)
                ):
                    raise UnclearTextError("OPERATOR", one.text)
        return replace(piece, name=name)

    def _may_be_observable(self, clause: str) -> bool:
        """Return True if the robot may be able to observe the condition in a text."""
        if self._language == "ko":
            return True
        pointing = closed_words("en", "place_pronouns") + closed_words("en", "persons")
        words = clause.casefold().replace("'", " ").split()
        return any(word in pointing for word in words) or bool(self._lexicon.names_in(clause))

    def _without_filler_text(
        self, act: Node, verbs: tuple[str, ...], pieces: list[Piece]
    ) -> tuple[tuple[str, ...], list[Piece]]:
        """Return verbs and pieces without a text of filler words ("결과를" in "결과를 전해 줘")."""
        idle = self._lexicon.filler.without_spaces
        texts = [p for p in pieces if p.kind == "text" and "".join(p.value.split()) in idle]
        if not texts or len(act.text("verb").split("/")) != _TAKING_PARTS:
            return verbs, pieces
        together = act.text("verb").split("/")[-1].split()
        others = tuple(verb for verb in together if verb not in verbs)
        return others, [piece for piece in pieces if piece not in texts]

    def _verbs_without_text(self, verbs: tuple[str, ...]) -> tuple[str, ...]:
        """Return the verbs that do not need a text; all verbs if every one of them needs a text.

        After an act that fetches an object, only the verbs of carrying are returned, if any.
        """
        carrying = tuple(verb for verb in verbs if verb in self._carrying)
        if carrying and self._built and fetches_object(self._built[-1], self._lexicon):
            return carrying  # "서류 받아서 교수님께 전해": deliver the papers, not a message
        needed = {verb for verb in verbs if self._lexicon.verbs[verb].finds != "tell"}
        others = tuple(verb for verb in verbs if verb not in needed & self._taking)
        return others or verbs
