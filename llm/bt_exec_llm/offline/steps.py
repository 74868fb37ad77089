"""Steps of a command in execution order, with their conditions.

"Before", "after" and "first" reorder steps; "if" and "otherwise" attach them to a question. A
condition without content (if so, if not, otherwise, 아니면) refers to the last question. Remarks
(it is cold, close the door) provide names for pronouns and have no effect.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from bt_exec.language.closed import words as closed_words
from bt_exec_llm.offline.clause_steps import convert_clause
from bt_exec_llm.offline.engine_exclusions import forbidden_verbs
from bt_exec_llm.offline.joining import attach_verbless_clauses, without_retracted_clauses
from bt_exec_llm.offline.lexicon import Lexicon
from bt_exec_llm.offline.piece import Clause, Piece
from bt_exec_llm.offline.step import QUESTION, Step
from bt_exec_llm.offline.trouble import Trouble

__all__ = ["convert_clauses"]


def convert_clauses(
    clauses: list[Clause],
    lexicon: Lexicon,
    text: str,
    language: str,
    described: Collection[tuple[str, str]] = (),
    numbers: Collection[str] = (),
) -> list[Step] | Trouble:
    """Return the steps of a command, or the reason why there are none.

    `described` are the types whose values may precede a noun, with that noun ("a double coffee").
    `numbers` are the kinds of numbers that trees accept.
    """
    kept = without_retracted_clauses(clauses)
    if isinstance(kept, Trouble):
        return kept
    every = attach_verbless_clauses(kept, lexicon, text)
    if isinstance(every, Trouble):
        return every
    order = _Order(every, lexicon, text, language)
    for at, clause in enumerate(every):
        bare = not set(clause.verbs) - {QUESTION} and at > 0 and every[at - 1].mood == "do"
        if clause.remark and clause.mood == "tell" and (bare or at < len(every) - 1):
            clause.mood, clause.whys = "said", []
        found = convert_clause(clause, lexicon, text, language, described, numbers)
        trouble = found if isinstance(found, Trouble) else order.add_clause_steps(at, found)
        if trouble is not None:
            return trouble
    return order.finish()


@dataclass(frozen=True)
class _Asked:
    """The last question, which conditions without content refer to.

    Attributes:
        question: The question.
        holds: Expected answer; False for "is the lounge empty", which asks whether people are
            there.
        denied: Whether it was asked with a negation (whether nobody is there, 없는지).
    """

    question: Step
    holds: bool
    denied: bool = False

    def required_answer(self, clause: Clause) -> bool | None:
        """Return the answer that "if so", "if not" or "if it is" requires; None if unclear."""
        positive = clause.positive != clause.unless
        if clause.answers == "there" and not self.holds:  # e.g. 없는지 보고 없으면
            return positive if self.denied else None
        if clause.answers == "it" and self.denied:
            return None
        return self.holds == positive


_PAUSES = frozenset(",.;")


def _question_of_clause(clause: Clause, step: Step) -> _Asked | None:
    """Return the question of a clause; None if its polarity is unclear."""
    asked = clause.asked or Clause()
    if asked.whys:
        return None
    fails = any(p.sense == "fails" for p in step.pieces)
    question = replace(step, verbs=(QUESTION,), via="ask")
    return _Asked(question, asked.positive != fails, denied=not asked.positive)


class _Order:
    """Orders the steps of clauses, from the first clause to the last."""

    def __init__(self, every: list[Clause], lexicon: Lexicon, text: str, language: str) -> None:
        self._every = every
        self._lexicon = lexicon
        self._text = text
        self._language = language
        self._done: list[Step] = []
        self._waiting: list[Step] = []
        self._condition: tuple[Step, bool] | None = None
        self._asked: _Asked | None = None
        self._last: bool | None = None
        """Answer required by the last condition; "otherwise" requires the opposite."""
        self._told = False
        self._scope = 0
        self._cases = 0

    def add_clause_steps(self, at: int, found: list[Step]) -> Trouble | None:
        """Add the steps of the clause at `at`."""
        clause = self._every[at]
        last = at == len(self._every) - 1
        covered = self._language == "en" and not last and self._every[at + 1].joined == "then"
        if not clause.positive and clause.mood == "do" and clause.verbs and covered:
            return Trouble("NEGATED", self._text)  # e.g. don't open the door and close it
        if clause.remark and not last:
            clause.mood = "said"
        if (
            clause.mood == "before"
            and not last
            and _only_reports(self._every[at + 1], self._lexicon)
        ):
            return Trouble("CONDITION", self._text[clause.start : clause.end])  # 열기 전에 말해 줘
        timed = clause.mood in ("before", "after") and self._is_trailing(at)
        if timed and self._goes_on(at):
            said = self._text[clause.start : self._every[at + 1].end]
            return Trouble("OPERATOR", said)  # e.g. close it after you get it and rest
        if clause.mood == "before" and not last and not self._every[at + 1].positive:
            return Trouble("NEGATED", self._text)  # e.g. 자재 꺼내기 전에 문 닫지 마
        if clause.mood == "said":
            if last and not self._done:
                return Trouble("NOT_A_COMMAND", self._text[clause.start : clause.end])
            self._done += self._steps_of_remark(clause, found)
            return None
        if clause.mood in ("if", "else"):
            return self._add_condition(at, clause, found)
        if self._told:  # e.g. if it is open, tell me: already reported
            self._told = False
            return None
        looks = bool(found) and any(self._has_information_mode(v, "look") for v in found[0].verbs)
        looks = looks and clause.positive and self._condition is None  # it is not a question there
        if found and (QUESTION in found[0].verbs or looks):
            self._asked = _question_of_clause(clause, found[0])
            self._last = None
        free = not set(clause.verbs) & self._lexicon.closing_verbs
        persons = self._previous_recipients()
        if found and persons and _only_reports(clause, self._lexicon) and not found[0].pieces:
            found = [replace(found[0], pieces=persons)]  # 가서 말씀드려
        elif self._condition is not None and free and _only_reports(clause, self._lexicon):
            one = found[0]  # 없으면 알려 줘 reports the answer
            asked = replace(self._condition[0], via="tell", joined=one.joined)
            found = [replace(asked, start=one.start, end=one.end, text=one.text)]
        reports = not free and _only_reports(clause, self._lexicon)
        if reports and (so := self._preceding_if_so(at)) is not None:
            return Trouble("OPERATOR", self._text[so.start : so.end])  # e.g. … and if so, tell me
        if (
            self._condition is not None
            and (trouble := self._attach_to_condition(found)) is not None
        ):
            return trouble
        if clause.first and self._done:
            return self._move_first(clause, found)
        self._place_steps(at, clause, found)
        return None

    def _steps_of_remark(self, clause: Clause, found: list[Step]) -> list[Step]:
        """Return the steps of a remark; what the speaker will do must not be done."""
        words = self._text[clause.start : clause.end].split()
        if not {*words} & {*closed_words(self._language, "own_subjects")}:
            return [replace(step, said=True) for step in found]
        return [
            replace(step, verbs=(verb,), pieces=[noun], positive=False)
            for step in found
            for noun in step.pieces
            if noun.kind == "noun"
            for verb in forbidden_verbs(noun, self._lexicon)
        ]

    def _previous_recipients(self) -> list[Piece]:
        """Return the persons to whom the conditional step before goes."""
        last = self._done[-1] if self._done else None
        if last is None or last.condition is None or QUESTION in last.verbs:
            return []
        return [p for p in last.pieces if p.kind == "value" and p.name in self._lexicon.people]

    def finish(self) -> list[Step] | Trouble:
        """Return the steps."""
        if self._condition is not None and not self._scope:
            return Trouble("UNFINISHED", self._text)
        return [
            step for step in (*self._done, *self._waiting) if not _is_nothing(step, self._lexicon)
        ]

    def _add_condition(self, at: int, clause: Clause, found: list[Step]) -> Trouble | None:
        words = self._text[clause.start : clause.end]
        if set(clause.verbs) - {QUESTION}:  # events are not monitored
            return Trouble("CONDITION", words)
        needed = clause.positive != clause.unless
        content = [p for p in clause.pieces if p.kind not in ("pronoun", "filler")]
        if clause.mood == "else" and content and at == len(self._every) - 1:
            return Trouble("CONDITION", words)  # an act whose verb is not known
        only = next((p for p in content if p.mark == "only"), None)
        if only is not None:  # e.g. 왼손만 비었으면
            return Trouble("OPERATOR", only.text)
        states = [p for p in content if p.kind == "state"]
        if len(states) > 1 and any(_is_attribute_of_noun(p, content) for p in states):
            return Trouble("CONDITION", words)  # e.g. if you have a free hand
        if self._asks_for_person_there(at, content):
            return Trouble("CONDITION", words)
        again = not content  # e.g. if so, if it is not, otherwise
        if again:
            answer = self._required_answer(clause)
            if self._asked is None or answer is None:
                return Trouble("CONDITION", words)
            question, needed = self._asked.question, answer
        else:
            question = replace(found[0], verbs=(QUESTION,), via="ask", said=False)
            if any(p.sense == "fails" for p in content):  # e.g. if it is dark
                needed = not needed
        nxt = self._every[at + 1] if at + 1 < len(self._every) else None
        if nxt is not None and _only_reports(nxt, self._lexicon) and not again:
            self._done += [replace(step, verbs=(QUESTION,), via="tell") for step in found]
            self._told = not set(nxt.verbs) & self._lexicon.closing_verbs
            return None
        if len(found) > 1:
            return Trouble("CONDITION", words)
        after = self._language == "en" and clause.mood == "if" and not again
        after = after and clause.joined == "" and bool(self._done)
        if nxt is None or after:  # e.g. … if it is closed
            return self._attach_condition_to_previous(question, needed)
        if self._condition is not None and self._scope:
            other = self._condition[0]
            if not again and not _have_same_objects(other, question):
                return Trouble("CONDITION", self._text)
            self._cases += 1
        self._condition = question, needed
        if not again:
            self._asked = _Asked(question, needed, clause.positive == clause.unless)
        self._last = needed
        self._scope = 0
        return None

    def _asks_for_person_there(self, at: int, content: list[Piece]) -> bool:
        """Return True if a condition asks for a person "there" after a place was named.

        It would otherwise check the person's usual place ("go to the lounge unless he is there").
        """
        kinds = {p.name for p in content if p.kind == "value"}
        before = {p.name for one in self._every[:at] for p in one.pieces if p.kind == "value"}
        if not kinds & self._lexicon.people or kinds & self._lexicon.list_types("each"):
            return False
        named = before & self._lexicon.list_types("each")
        clause = self._every[at]
        words = self._text[clause.start : clause.end].casefold()
        return bool(named) and any(
            word in words for word in closed_words(self._language, "place_pronouns")
        )

    def _required_answer(self, clause: Clause) -> bool | None:
        """Return the answer that a condition without content requires; None if it is unclear."""
        if self._asked is None:
            return None
        if clause.mood != "else":
            return self._asked.required_answer(clause)
        return not (self._asked.holds if self._last is None else self._last)

    def _attach_condition_to_previous(self, question: Step, needed: bool) -> Trouble | None:
        if not self._done:
            return Trouble("UNFINISHED", self._text)
        first = next(
            (i for i in range(len(self._done) - 1, -1, -1) if self._done[i].joined in ("stop", "")),
            0,
        )
        before = next((step.condition for step in self._done if step.condition), None)
        if before is not None and _have_same_objects(
            before[0], question
        ):  # … if it is open, … if it is closed
            self._cases += 1
        for step in self._done[first:]:
            if step.condition is None:
                step.condition, step.case = (question, needed), self._cases
        return None

    def _attach_to_condition(self, found: list[Step]) -> Trouble | None:
        """Attach steps to the preceding condition, which ends with its sentence."""
        for step in found:
            if step.joined == "stop" and self._scope:
                self._condition = None
                return Trouble("CONDITION", self._text) if self._cases else None
            step.condition, step.case = self._condition, self._cases
            self._scope += 1
        return None

    def _has_information_mode(self, verb: str, how: str) -> bool:
        return verb in self._lexicon.verbs and self._lexicon.verbs[verb].finds == how

    def _preceding_if_so(self, at: int) -> Clause | None:
        """Return the "if so" that precedes the clause at `at`, or None."""
        before = self._every[at - 1] if at else None
        return before if before is not None and before.answers == "so" else None

    def _move_first(self, clause: Clause, found: list[Step]) -> Trouble | None:
        """Move steps before earlier ones; refuse if their position is unclear."""
        several = len([step for step in self._done if not step.said]) > 1
        if any(step.condition for step in self._done) or (several and clause.first == "that"):
            return Trouble("OPERATOR", self._text[clause.start : clause.end])
        self._done[:0] = found
        return None

    def _goes_on(self, at: int) -> bool:
        """Return True if the next clause is joined without a pause: "close it and go home"."""
        if at == len(self._every) - 1 or self._every[at + 1].joined != "then":
            return False
        between = self._text[self._every[at].end : self._every[at + 1].start]
        return _PAUSES.isdisjoint(between)

    def _is_trailing(self, at: int) -> bool:
        """Return True if a clause of time belongs to the clause before it, not to the next one."""
        joined = self._every[at].joined
        if at == 0 or at == len(self._every) - 1:
            return at > 0
        if self._language == "en" and joined != "stop":
            return not joined  # e.g. close it after you get it, then rest
        return self._every[at + 1].joined == "stop"

    def _place_steps(self, at: int, clause: Clause, found: list[Step]) -> None:
        trailing = self._is_trailing(at)
        if clause.mood == "before":
            if self._done and clause.joined in ("", "then") and trailing:
                self._done += found
            else:
                self._waiting += found
            return
        if clause.mood == "after" and trailing and self._done:
            self._done[-1:-1] = found
            return
        self._done += found
        if self._waiting and clause.mood != "after" and not self._goes_on(at):
            self._done += self._waiting
            self._waiting = []


def _have_same_objects(one: Step, other: Step) -> bool:
    """Return True if two questions have the same objects (the door is open, it is closed)."""
    nouns = [
        {(p.kind, p.name, p.value) for p in step.pieces if p.kind in ("noun", "value")}
        for step in (one, other)
    ]
    return nouns[1] <= nouns[0]


def _is_attribute_of_noun(state: Piece, content: list[Piece]) -> bool:
    """Return True if a state directly precedes a noun."""
    return any(p.kind == "noun" and 0 <= p.start - state.end <= 1 for p in content)


def _is_nothing(step: Step, lexicon: Lexicon) -> bool:
    """Return True if a branch asks to leave things as they are."""
    idle = any(lexicon.verbs[v].idle for v in step.verbs if v in lexicon.verbs)
    return idle and step.condition is not None


def _only_reports(clause: Clause, lexicon: Lexicon) -> bool:
    """Return True if a clause only asks for a report ("… let me know if it is so")."""
    finds = {lexicon.verbs[v].finds for v in clause.verbs if v in lexicon.verbs}
    content = [p for p in clause.pieces if p.kind not in ("speaker", "filler", "pronoun")]
    return (
        clause.mood == "do"
        and clause.positive
        and "tell" in finds
        and not content
        and clause.asked is None
    )
